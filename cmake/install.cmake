# A relocatable prefix: bin/ with the programs, lib/ with libtorch and the static libraries, include/dslaunch with the
# public headers, lib/cmake/dslaunch with the package (targets dslaunch::engine, dslaunch::collectives, …).
set(DSLAUNCH_LIBRARIES topology hostfiles cuda_loader collectives config data checkpoint sharding zero models training engine)

install(TARGETS dslaunch dsagent dsengine dstool RUNTIME)
install(TARGETS ${DSLAUNCH_LIBRARIES} EXPORT dslaunch ARCHIVE)
install(EXPORT dslaunch NAMESPACE dslaunch:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/dslaunch FILE dslaunchTargets.cmake)

get_filename_component(_torch_lib "${Libtorch_CPU_LIBRARY}" DIRECTORY)
file(GLOB _torch_runtime "${_torch_lib}/libcudart.so.1*" "${_torch_lib}/libcupti.so.1*")
install(FILES "${Libtorch_CPU_LIBRARY}" "${Libtorch_C10_LIBRARY}" ${_torch_runtime} DESTINATION ${CMAKE_INSTALL_LIBDIR})

foreach(_folder topology topology/base hostfiles cuda collectives engine engine/config engine/data engine/checkpoint
        engine/sharding engine/zero engine/models engine/optim engine/train engine/random engine/device)
  file(GLOB _headers "${CMAKE_SOURCE_DIR}/${_folder}/*.h")
  install(FILES ${_headers} DESTINATION include/dslaunch/${_folder})
endforeach()
# The short name that programs write: #include <dslaunch/engine.h>.
file(WRITE "${CMAKE_BINARY_DIR}/short/engine.h" "#pragma once\n#include \"engine/engine.h\"\n")
file(WRITE "${CMAKE_BINARY_DIR}/short/unit.h" "#pragma once\n#include \"engine/unit.h\"\n")
install(FILES "${CMAKE_BINARY_DIR}/short/engine.h" "${CMAKE_BINARY_DIR}/short/unit.h" DESTINATION include/dslaunch)

file(WRITE "${CMAKE_BINARY_DIR}/package/dslaunchConfig.cmake"
"list(APPEND CMAKE_MODULE_PATH \"\${CMAKE_CURRENT_LIST_DIR}\")
include(\"\${CMAKE_CURRENT_LIST_DIR}/dependencies.cmake\")
include(\"\${CMAKE_CURRENT_LIST_DIR}/dslaunchTargets.cmake\")
# <dslaunch/engine.h> beside the project's own way to name headers.
get_filename_component(_dslaunch_prefix \"\${CMAKE_CURRENT_LIST_DIR}/../../..\" ABSOLUTE)
set_property(TARGET dslaunch::topology APPEND PROPERTY INTERFACE_INCLUDE_DIRECTORIES \"\${_dslaunch_prefix}/include\")
")
include(CMakePackageConfigHelpers)
write_basic_package_version_file("${CMAKE_BINARY_DIR}/package/dslaunchConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${CMAKE_BINARY_DIR}/package/dslaunchConfig.cmake" "${CMAKE_BINARY_DIR}/package/dslaunchConfigVersion.cmake"
              "${CMAKE_SOURCE_DIR}/cmake/dependencies.cmake" "${CMAKE_SOURCE_DIR}/cmake/FindLibtorch.cmake"
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/dslaunch)
