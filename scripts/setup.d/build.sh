# Configuring and building in build/, the same folder for every mode.

build_folder=$root/build
programs=(dslaunch dsagent dsengine dstool bigram)

cache_value() { sed -n "s/^$1:[A-Z]*=//p" "$build_folder/CMakeCache.txt" 2>/dev/null; }

# A folder that another generator or another place of the checkout left behind cannot be used.
drop_foreign_cache() {
  if [ ! -e "$build_folder/CMakeCache.txt" ]; then return; fi
  if [ "$(cache_value CMAKE_HOME_DIRECTORY)" = "$root" ] && [ "$(cache_value CMAKE_GENERATOR)" = Ninja ]; then return; fi
  say "build/ was made for another place or generator; configuring anew"
  rm -rf "$build_folder/CMakeCache.txt" "$build_folder/CMakeFiles"
}

# Ubuntu 22.04 has CMake 3.22; the wheel of a newer one is kept inside the checkout.
choose_cmake() {
  cmake=cmake
  local version
  version=$(cmake --version | sed -n '1s/.* //p')
  if [ "$(printf '%s\n' 3.25 "$version" | sort -V | head -n 1)" = 3.25 ]; then return; fi
  cmake=$third_party/cmake/cmake/data/bin/cmake
  if [ -x "$cmake" ]; then return; fi
  ensure_pip
  say "CMake $version is older than 3.25; fetching a newer one"
  python3 -m pip install -q --target "$third_party/cmake" 'cmake>=3.25,<4' >&2 || fail "pip could not install cmake"
}

configure() {
  local wanted options
  drop_foreign_cache
  choose_cmake
  # Once tests are part of the folder they stay: building programs only is a matter of targets then.
  wanted=ON
  if [ "$1" = programs ] && [ "$(cache_value DSLAUNCH_TESTS)" != ON ]; then wanted=OFF; fi
  options=(-S "$root" -B "$build_folder" -G Ninja -DCMAKE_BUILD_TYPE=Release "-DDSLAUNCH_TESTS=$wanted"
    "-DDSLAUNCH_BENCH=$wanted" ${libtorch_options[@]+"${libtorch_options[@]}"} ${nccl_options[@]+"${nccl_options[@]}"})
  if apt_has_old_compiler; then options+=(-DCMAKE_C_COMPILER=gcc-12 -DCMAKE_CXX_COMPILER=g++-12); fi
  if [ -e "$build_folder/build.ninja" ] && [ "$(cat "$build_folder/configured" 2>/dev/null)" = "${options[*]}" ]; then
    return  # ninja itself notices changed CMake files
  fi
  say "configuring build/"
  mkdir -p "$build_folder"
  "$cmake" "${options[@]}" >"$build_folder/configure.log" 2>&1 ||
    { cat "$build_folder/configure.log" >&2; fail "CMake failed"; }
  echo "${options[*]}" >"$build_folder/configured"
}

# One compiler that sees torch's headers takes up to 1.5 GB.
jobs() {
  local cores memory
  cores=$(nproc)
  memory=$(($(awk '/^MemAvailable/ {print $2}' /proc/meminfo) / 1500000))
  echo $((memory < 1 ? 1 : memory < cores ? memory : cores))
}

build() {
  local targets=()
  if [ "$1" = programs ]; then targets=("${programs[@]}"); fi
  ninja -C "$build_folder" -j"$(jobs)" ${targets[@]+"${targets[@]}"} >&2 || fail "the build failed"
}
