# The C++ parts of PyTorch: found on this machine, or taken out of the wheel that pip serves.

torch_version=2.13.0
third_party=$root/third_party

# Sets libtorch_options, what CMake is told. Places in order: LIBTORCH_ROOT, Torch_DIR, CMAKE_PREFIX_PATH (CMake finds
# these itself), an earlier download, an importable torch, a download.
find_or_fetch_libtorch() {
  libtorch_options=()
  if torch_in_environment; then return; fi
  if [ ! -e "$third_party/libtorch/torch/lib/libtorch_cpu.so" ]; then
    if use_importable_torch; then return; fi
    fetch_libtorch
  fi
  if [ -e "$third_party/libtorch/from_python" ]; then mapfile -t libtorch_options <"$third_party/libtorch/from_python"; fi
}

torch_in_environment() {
  local place
  local IFS=':;'
  for place in ${LIBTORCH_ROOT:-} ${Torch_DIR:+$Torch_DIR/../../..} ${CMAKE_PREFIX_PATH:-}; do
    if [ -e "$place/lib/libtorch_cpu.so" ]; then
      libtorch_options=("-DLIBTORCH_ROOT=$(cd "$place" && pwd)")
      return 0
    fi
  done
  return 1
}

# A Python's torch is linked where it lies, but its headers are seen through links that leave out google/ and fmt/:
# those are other versions than the system's and would be found first.
use_importable_torch() {
  local found view=$third_party/libtorch/torch
  found=$(python3 -c 'import importlib.util as u; print(u.find_spec("torch").submodule_search_locations[0])' \
    2>/dev/null) || return 1
  if [ ! -e "$found/lib/libtorch_cpu.so" ] || [ ! -e "$found/include/ATen/core/Tensor.h" ]; then return 1; fi
  say "using the torch of python3: $found"
  rm -rf "$third_party/libtorch"
  mkdir -p "$view/include" "$view/lib"
  ln -s "$found"/include/* "$view/include/"
  rm -f "$view/include/google" "$view/include/fmt"
  ln -s "$found"/lib/libtorch_cpu.so "$found"/lib/libc10.so "$view/lib/"
  printf '%s\n' "-DLibtorch_CPU_LIBRARY=$found/lib/libtorch_cpu.so" "-DLibtorch_C10_LIBRARY=$found/lib/libc10.so" \
    >"$third_party/libtorch/from_python"
  mapfile -t libtorch_options <"$third_party/libtorch/from_python"
}

pip_download() {
  # A Python too new for this torch still gets the wheel: the C++ parts are the same for every Python.
  python3 -m pip download -q --no-deps -d "$1" "$2" >&2 ||
    python3 -m pip download -q --no-deps --only-binary=:all: --python-version 3.11 \
      --platform "manylinux_2_28_$(uname -m)" -d "$1" "$2" >&2
}

ensure_pip() {
  ensure_packages unzip
  if ! python3 -m pip --version >/dev/null 2>&1; then ensure_packages python3-pip; fi
}

# Unpacks beside its final place and renames at the end, so an interrupted run leaves nothing that looks complete.
fetch_libtorch() {
  local work=$third_party/libtorch.new wheel
  ensure_pip
  rm -rf "$work" && mkdir -p "$work/wheels"
  say "fetching the torch $torch_version wheel (200 to 530 MB)"
  pip_download "$work/wheels" "torch==$torch_version" || fail "pip could not download torch==$torch_version"
  wheel=("$work"/wheels/torch-*.whl)
  say "unpacking ${wheel##*/}"
  unzip -q "${wheel[0]}" 'torch/include/*' torch/lib/libc10.so torch/lib/libtorch_cpu.so \
    -x 'torch/include/google/*' 'torch/include/fmt/*' -d "$work"
  unzip -q "${wheel[0]}" 'torch/lib/libgomp*' -d "$work" 2>/dev/null || true
  if readelf -d "$work/torch/lib/libtorch_cpu.so" | grep -q 'NEEDED.*libcudart'; then fetch_cuda_libraries "$work"; fi
  rm -rf "$work/wheels" "$third_party/libtorch"
  mv "$work" "$third_party/libtorch"
}

# The CPU library of a CUDA wheel needs these two, at this place relative to it, on machines without a GPU too.
fetch_cuda_libraries() {
  local package
  for package in nvidia-cuda-runtime nvidia-cuda-cupti; do
    pip_download "$1/wheels" "$package==13.0.*" || fail "pip could not download $package==13.0.*"
    unzip -q -o "$1/wheels/${package//-/_}"-*.whl 'nvidia/cu13/lib/*' -d "$1"
  done
}
