#!/usr/bin/env bash
# The same training with several seeds, each a job of its own in a folder of its own under runs/<array job>/<index>.
#
#   sbatch -N1 --ntasks-per-node=8 --array=1-4 scripts/slurm/array.sh train.cfg [--section.key value ...]
#
# Another key can vary in the same way: its value may be computed from SLURM_ARRAY_TASK_ID.
#SBATCH --job-name=dslaunch
#SBATCH --output=%x-%A_%a.log
#SBATCH --open-mode=append
#SBATCH --signal=B:USR1@300
#SBATCH --array=1-4
exec "${DSLAUNCH:-dslaunch}" "$@" --job.seed "$SLURM_ARRAY_TASK_ID" \
  --job.output "runs/$SLURM_ARRAY_JOB_ID/$SLURM_ARRAY_TASK_ID"
