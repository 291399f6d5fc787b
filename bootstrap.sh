#!/usr/bin/env bash
# foxhunt: set-up, build, train and test on a fresh Debian or Ubuntu machine.
#
#   ./bootstrap.sh build            build/bin/foxhunt and the plugins under build/lib/foxhunt/plugins/
#   ./bootstrap.sh train [ARGS…]    build, then the main job on the embedded planted market (ARGS go to foxhunt train)
#   ./bootstrap.sh test [ARGS…]     build with tests, then the fast tests (ARGS go to ctest)
#   ./bootstrap.sh sanitize         the suites that take foreign bytes, under AddressSanitizer and UBSan
#
# Missing packages are installed with apt-get when run as root; otherwise the command to run is printed.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

packages=(g++ cmake ninja-build ccache pkg-config libboost-dev libboost-filesystem-dev libboost-program-options-dev
  libhdf5-dev hdf5-tools libopenblas-dev libzstd-dev libspdlog-dev nlohmann-json3-dev)
test_packages=(libgtest-dev python3-h5py)

install_packages() {
  local missing=()
  for p in "$@"; do
    dpkg-query -W -f='${Status}' "$p" 2>/dev/null | grep -q 'ok installed' || missing+=("$p")
  done
  [ ${#missing[@]} -eq 0 ] && return
  if ! command -v apt-get >/dev/null; then
    echo "bootstrap: these packages (Debian names) are needed, and there is no apt-get here: ${missing[*]}" >&2
    exit 1
  fi
  if [ "$(id -u)" -ne 0 ]; then
    echo "bootstrap: not root; install the missing packages first, then run this again:" >&2
    echo "  sudo apt-get install -y --no-install-recommends ${missing[*]}" >&2
    exit 1
  fi
  echo "bootstrap: installing ${missing[*]}"
  export DEBIAN_FRONTEND=noninteractive
  apt-get update -qq
  apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
}

build() { # build TESTS(ON|OFF)
  cmake --preset release -DFOXHUNT_TESTS="$1" >build.log 2>&1 || { cat build.log >&2; exit 1; }
  grep -h 'CUDA backend' build.log | sed 's/^-- //' || true
  cmake --build --preset release
}

case "${1:-}" in
  build)
    install_packages "${packages[@]}"
    build "${FOXHUNT_TESTS:-OFF}"
    ;;
  train)
    shift
    install_packages "${packages[@]}"
    build "${FOXHUNT_TESTS:-OFF}"
    exec build/bin/foxhunt train "$@"
    ;;
  test)
    shift
    install_packages "${packages[@]}" "${test_packages[@]}"
    build ON
    exec ctest --test-dir build --output-on-failure --label-regex fast -j "$(nproc)" "$@"
    ;;
  sanitize)
    install_packages "${packages[@]}" "${test_packages[@]}"
    suites=(test_checkpoints test_common test_compute test_config test_diagnostics test_market test_plugins)
    cmake --preset asan >build.log 2>&1 || { cat build.log >&2; exit 1; }
    cmake --build --preset asan --target "${suites[@]}"
    for suite in "${suites[@]}"; do
      # The leak checker needs ptrace, which containers often forbid.
      ASAN_OPTIONS=detect_leaks=${FOXHUNT_LEAKS:-0} "build-asan/bin/$suite" --gtest_filter='-*Slow*' --gtest_brief=1
    done
    ;;
  *)
    sed -n '2,/^set/p' "$0" | sed '$d; s/^# \{0,1\}//'
    [ -z "${1:-}" ] || { echo "bootstrap: unknown command '$1'" >&2; exit 1; }
    ;;
esac
