# NCCL's header and library for the CUDA module: only where nvcc is, and never a reason to fail - without them the module
# has kernels and memory alone.

nccl_place=$third_party/nccl

nccl_in_environment() {
  local place
  for place in ${NCCL_ROOT:-} /usr /usr/local; do
    if [ -e "$place/include/nccl.h" ]; then return 0; fi
  done
  place=$(python3 -c 'import importlib.util as u; print(u.find_spec("nvidia.nccl").submodule_search_locations[0])' \
    2>/dev/null) && [ -e "$place/include/nccl.h" ]
}

# Sets nccl_options, what CMake is told. A failed download is remembered, so that the next set-up is quick again.
find_or_fetch_nccl() {
  nccl_options=()
  if [ "$1" != programs ] && PATH=$PATH:/usr/local/cuda/bin:/opt/cuda/bin command -v nvcc >/dev/null && ! nccl_in_environment && [ ! -e "$nccl_place" ]; then
    fetch_nccl
  fi
  if [ -e "$nccl_place/nvidia/nccl/include/nccl.h" ]; then nccl_options=("-DNCCL_ROOT=$nccl_place/nvidia/nccl"); fi
}

fetch_nccl() {
  local work=$nccl_place.new major
  major=$(nvcc --version | sed -n 's/.*release \([0-9]*\)\..*/\1/p')
  local wanted="nvidia-nccl-cu$major>=2.18,<3"
  if [ "$major" = 13 ]; then wanted=nvidia-nccl-cu13==2.29.7; fi # what torch 2.13 is built with
  ensure_pip
  rm -rf "$work" && mkdir -p "$work"
  say "fetching NCCL for the CUDA module (200 MB)"
  if pip_download "$work" "$wanted" && unzip -q "$work"/nvidia_nccl*.whl 'nvidia/nccl/*' -d "$work"; then
    rm -f "$work"/*.whl
  else
    rm -rf "$work" && mkdir -p "$work"
    say "NCCL could not be fetched: the CUDA module is built without it (remove $nccl_place to try again)"
  fi
  mv "$work" "$nccl_place"
}
