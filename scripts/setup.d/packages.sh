# Debian and Ubuntu packages: which are needed, which are missing, how they are installed.

program_packages=(g++ cmake ninja-build ccache mold pkg-config libopenmpi-dev openmpi-bin libpmix-dev libhwloc-dev
  libucx-dev libboost-dev libboost-program-options-dev libprotobuf-dev protobuf-compiler nlohmann-json3-dev
  libspdlog-dev libssl-dev openssh-client)
test_packages=(libgtest-dev)
cluster_packages=(openssh-server iproute2 util-linux procps slurmctld slurmd slurm-client munge
  hpcc scalapack-mpi-test python3-mpi4py libfaketime)

say() { echo "setup: $*" >&2; }
fail() { say "$*"; exit 1; }

as_root() {
  if [ "$(id -u)" = 0 ]; then "$@"
  elif command -v sudo >/dev/null; then sudo "$@"
  else fail "root or sudo is needed for: $*"
  fi
}

# Prints those of its arguments that are not installed. A package that is unpacked but not configured counts as missing.
missing_packages() {
  local state name
  declare -A installed=()
  while read -r state name; do
    if [ "$state" = ii ]; then installed[$name]=1; fi
  done < <(dpkg-query -W -f '${db:Status-Abbrev} ${Package}\n' "$@" 2>/dev/null || true)
  for name in "$@"; do
    if [ -z "${installed[$name]:-}" ]; then echo "$name"; fi
  done
}

# Installs without starting any service: a test needs sshd's program, not an open port on this machine.
install_quietly() {
  local policy=/usr/sbin/policy-rc.d made=
  if [ ! -e "$policy" ]; then
    printf '#!/bin/sh\nexit 101\n' | as_root tee "$policy" >/dev/null
    as_root chmod 755 "$policy"
    made=1
  fi
  local code=0
  as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "$@" >&2 || code=$?
  if [ -n "$made" ]; then as_root rm -f "$policy"; fi
  return "$code"
}

ensure_packages() {
  local missing
  mapfile -t missing < <(missing_packages "$@")
  if [ "${#missing[@]}" = 0 ]; then return; fi
  if ! command -v apt-get >/dev/null; then fail "no apt-get here; please install: ${missing[*]}"; fi
  say "installing ${#missing[@]} packages: ${missing[*]}"
  as_root apt-get update -q >&2 || say "the package lists could not be refreshed; trying with the old ones"
  install_quietly "${missing[@]}" || fail "apt-get could not install: ${missing[*]}"
}

install_packages() {
  local wanted=("${program_packages[@]}")
  if [ "$1" != programs ]; then wanted+=("${test_packages[@]}"); fi
  if [ "$1" = tests ]; then wanted+=("${cluster_packages[@]}"); fi
  # Ubuntu 22.04's own g++ is 11, too old for this project.
  if apt_has_old_compiler; then wanted+=(g++-12); fi
  ensure_packages "${wanted[@]}"
}

apt_has_old_compiler() { grep -qs '^VERSION_ID="22.04"' /etc/os-release; }
