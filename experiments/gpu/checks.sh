#!/usr/bin/env bash
# Everything that is claimed of the GPU, on this machine's GPU: tests, parity, trace, sanitizers, timings, training.
# usage: experiments/gpu/checks.sh [BUILD-FOLDER [RESULT-FOLDER]]      (about 7 minutes on an H200)
# FOXHUNT_TEST_DATA names the folder with market data; tests that need it skip without.
set -u
repo=$(cd "$(dirname "$0")/../.." && pwd)
build=$(realpath "${1:-$repo/build}")
mkdir -p "${2:-gpu-checks}"
results=$(realpath "${2:-gpu-checks}")
export FOXHUNT_REQUIRE_CUDA=1 # a test that asks for the GPU fails without one
export PATH="$build/bin:$PATH" FOXHUNT_PLUGIN_PATH="$build/lib/foxhunt/plugins"
: "${FOXHUNT_CACHE_DIR:=$results/cache}"
export FOXHUNT_CACHE_DIR
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
exec > >(tee "$results/log.txt") 2>&1

say() { echo "== $*"; }
limited() { timeout --foreground "$@"; }

nvidia-smi --query-gpu=name,driver_version --format=csv,noheader
foxhunt --version

say "kernels and phases beside the CPU"
limited 150 test_parity >"$results/parity.log" 2>&1
grep -E 'FAILED|PASSED|differs' "$results/parity.log" | head
grep -E '^(phase|gradient)' "$results/parity.log" >"$results/errors.txt"
grep gradient "$results/errors.txt"

say "the cuda backend"
limited 100 test_compute_cuda --gtest_brief=1 | tail -3

say "what the host does in 100 iterations"
limited 60 test_trace | grep -E '^cu|OK|FAILED'

say "whole runs on the GPU"
FOXHUNT_TEST_DEVICE=cuda limited 280 test_end_to_end --gtest_filter='-*Slow*:Blas*Haswell' >"$results/end_to_end.log" 2>&1
grep -E 'OK|FAILED|SKIPPED|PASSED|rror' "$results/end_to_end.log" | tail -40

say "every plugin on tensors from a file, beside the CPU"
for plugin in $(for kind in q_head reward_shaper position_sizer; do foxhunt plugins --names $kind; done); do
  foxhunt probe --template "$plugin" -o in.h5 --batch 257 --force >/dev/null
  for device in cpu cuda; do
    limited 60 foxhunt probe "$plugin" in.h5 $device.h5 --trainer.device $device --trainer.tf32 false --force >/dev/null || break
  done
  echo "$plugin $(foxhunt diff cpu.h5 cuda.h5 --tolerance 1e-4 --ignore @device | tail -1)"
done

say "timings"
while read -r arguments; do
  # shellcheck disable=SC2086
  (echo "\$ foxhunt bench --trainer.device cuda $arguments"
   limited 60 foxhunt bench --trainer.device cuda $arguments) >bench.txt 2>&1
  sed -n '1p;3,5p' bench.txt
  cat bench.txt >>"$results/bench.txt"
done <<'LIST'

--trainer.tf32 false
--trainer.replicas 8
--trainer.accounts 1024 --replay.capacity 65536
--trainer.accounts 4096 --replay.capacity 65536
--trainer.accounts 16384 --replay.capacity 262144
LIST

say "training, 8 seeds side by side"
limited 100 foxhunt train --trainer.device cuda --trainer.replicas 8 --run seeds | tail -9

for tool in memcheck initcheck synccheck; do
  say "$tool, 5 iterations"
  limited 90 compute-sanitizer --tool $tool foxhunt train --trainer.device cuda --trainer.iterations 5 \
    --heads 'c51 twin:c51' --reward_shaping.plugin rank_standardize --position_sizing.plugin variance 2>&1 | tail -2
done
for tool in racecheck memcheck; do
  say "$tool, every kernel"
  limited 200 compute-sanitizer --tool $tool test_parity --gtest_filter='Gpu/Kernel*' --gtest_brief=1 2>&1 | tail -2
done
