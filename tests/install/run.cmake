# Installs BUILD, moves the prefix, runs its programs and builds SOURCE/consumer against it.
set(work "${BUILD}/install-test")
file(REMOVE_RECURSE "${work}")
file(MAKE_DIRECTORY "${work}")

function(must)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "failed (${result}): ${ARGN}\n${output}")
  endif()
endfunction()

must(${CMAKE_COMMAND} --install "${BUILD}" --prefix "${work}/first")
file(RENAME "${work}/first" "${work}/moved")
must("${work}/moved/bin/dslaunch" -V)
must("${work}/moved/bin/dslaunch" -np 1 true)
must("${work}/moved/bin/dsengine" --help)
must("${work}/moved/bin/dstool" --help)
must(${CMAKE_COMMAND} -S "${SOURCE}/consumer" -B "${work}/consumer" -G Ninja "-DCMAKE_PREFIX_PATH=${work}/moved"
     "-DLIBTORCH_ROOT=${LIBTORCH_ROOT}" -DCMAKE_BUILD_TYPE=Release)
must(${CMAKE_COMMAND} --build "${work}/consumer")
must("${work}/consumer/consumer")
file(REMOVE_RECURSE "${work}")
