#!/usr/bin/env bash
# The default configuration's iteration, foxhunt on the CPU beside NumPy, alternating: ./compare_numpy.sh [ROUNDS]
# Needs a build (./bootstrap.sh build) and a python3 with numpy (PYTHON names another one).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
for round in $(seq "${1:-3}"); do
  build/bin/foxhunt train -q --trainer.device cpu --trainer.iterations 600 --run "$scratch/run-$round" | tail -1 | grep -o '[0-9]* steps/s' | sed 's/^/foxhunt: /'
  "${PYTHON:-python3}" experiments/baselines/numpy_loop.py
done
