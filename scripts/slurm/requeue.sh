#!/usr/bin/env bash
# A job longer than one time limit: saves before the limit, queues itself again and goes on, until it is done.
#
#   sbatch -N4 --ntasks-per-node=8 --time=04:00:00 scripts/slurm/requeue.sh train.cfg [options of dslaunch]
#
# dslaunch ends with 75 when the same again later makes sense (state saved on USR1, a host not reachable), with 98 when
# a host was lost. Any other failure is for a person to look at and is not repeated. Slurm itself queues the job again
# when a node fails under it. DSLAUNCH_MOST_RESTARTS (20) bounds all of it together.
#SBATCH --job-name=dslaunch
#SBATCH --output=%x-%j.log
#SBATCH --open-mode=append
#SBATCH --requeue
#SBATCH --signal=B:USR1@300

restarts=${SLURM_RESTART_COUNT:-0}
echo "$(date '+%F %T') run $((restarts + 1)) of job $SLURM_JOB_ID on $SLURM_JOB_NODELIST"

"${DSLAUNCH:-dslaunch}" "$@" &
launcher=$!
trap 'kill -USR1 $launcher' USR1
trap 'kill -TERM $launcher' TERM
while wait "$launcher"; code=$?; kill -0 "$launcher" 2>/dev/null; do :; done # a signal ends wait early
wait "$launcher"
code=$?

case $code in
  75 | 98)
    if [ "$restarts" -lt "${DSLAUNCH_MOST_RESTARTS:-20}" ]; then
      echo "dslaunch ended with $code: queued again"
      scontrol requeue "$SLURM_JOB_ID" && exit 0
    fi
    echo "dslaunch ended with $code after $restarts restarts: given up"
    ;;
esac
exit "$code"
