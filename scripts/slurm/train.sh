#!/usr/bin/env bash
# One job on one allocation. Nodes, tasks and GPUs are those that Slurm gives; no hostfile.
#
#   sbatch -N4 --ntasks-per-node=8 --time=12:00:00 scripts/slurm/train.sh train.cfg [options of dslaunch]
#
# Five minutes before the time limit Slurm sends USR1 to this shell, which is dslaunch by then: the ranks finish their
# step, save, and the job ends with 75. Submitted again it goes on from there.
#SBATCH --job-name=dslaunch
#SBATCH --output=%x-%j.log
#SBATCH --open-mode=append
#SBATCH --no-requeue
#SBATCH --signal=B:USR1@300
exec "${DSLAUNCH:-dslaunch}" "$@"
