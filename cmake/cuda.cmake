# CUDA and NCCL for the module that is loaded at run time; nothing else of the project sees them. A machine without nvcc
# builds none of it, one with nvcc but without NCCL's header builds kernels and memory alone. Sets DSLAUNCH_CUDA.
option(DSLAUNCH_CUDA_MODULE "Build the CUDA module where nvcc is found" ON)
set(DSLAUNCH_CUDA OFF)
if(DSLAUNCH_CUDA_MODULE)
  if(NOT CMAKE_CUDA_COMPILER AND NOT DEFINED ENV{CUDACXX})  # where installers put it, often outside of PATH
    find_program(_nvcc nvcc PATHS /usr/local/cuda/bin /opt/cuda/bin)
    if(_nvcc)
      set(CMAKE_CUDA_COMPILER "${_nvcc}")
    endif()
  endif()
  include(CheckLanguage)
  check_language(CUDA)
endif()
if(DSLAUNCH_CUDA_MODULE AND CMAKE_CUDA_COMPILER)
  if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
    set(CMAKE_CUDA_ARCHITECTURES 80-real 90)  # A100, H100; later ones through the PTX of 90
  endif()
  enable_language(CUDA)
  find_package(CUDAToolkit REQUIRED)
  set(DSLAUNCH_CUDA ON)
  # NCCL_ROOT, the system, scripts/setup's copy, or the wheel that an importable torch came with.
  set(_places "${NCCL_ROOT}" "$ENV{NCCL_ROOT}" "${CMAKE_SOURCE_DIR}/third_party/nccl/nvidia/nccl")
  if(NOT NCCL_INCLUDE_DIR)
    find_package(Python3 QUIET COMPONENTS Interpreter)
    if(Python3_Interpreter_FOUND)
      execute_process(
        COMMAND "${Python3_EXECUTABLE}" -c
          "import importlib.util as u; print(u.find_spec('nvidia.nccl').submodule_search_locations[0])"
        OUTPUT_VARIABLE _wheel OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE _failed)
      if(NOT _failed)
        list(APPEND _places "${_wheel}")
      endif()
    endif()
  endif()
  find_path(NCCL_INCLUDE_DIR nccl.h HINTS ${_places} PATH_SUFFIXES include)
  # Only to find it again at run time; the wheel has no name without version.
  find_library(NCCL_LIBRARY NAMES libnccl.so.2 nccl HINTS ${_places} PATH_SUFFIXES lib)
  message(STATUS "CUDA module: nvcc ${CMAKE_CUDA_COMPILER_VERSION}, architectures ${CMAKE_CUDA_ARCHITECTURES}, NCCL "
                 "header ${NCCL_INCLUDE_DIR}, library ${NCCL_LIBRARY}")
else()
  message(STATUS "CUDA module: not built (no nvcc found, or DSLAUNCH_CUDA_MODULE is off)")
endif()
