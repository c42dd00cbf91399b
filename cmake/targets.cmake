# How libraries, programs and tests of this project are made.
#   ds_library(name SOURCES ... PUBLIC ... PRIVATE ...)
#   ds_program(name SOURCES ... LIBS ...)
#   ds_test(name LABEL unit|process|mpi|cluster SOURCES ... LIBS ...)   GoogleTest; one CTest test per TEST
add_library(ds_warnings INTERFACE)
target_compile_options(ds_warnings INTERFACE -Wall -Wextra -Werror)

function(ds_library name)
  cmake_parse_arguments(A "" "" "SOURCES;PUBLIC;PRIVATE" ${ARGN})
  add_library(${name} STATIC ${A_SOURCES})
  target_include_directories(${name} PUBLIC "$<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}>"
                                            "$<INSTALL_INTERFACE:include/dslaunch>")
  target_link_libraries(${name} PUBLIC ${A_PUBLIC} PRIVATE ${A_PRIVATE} $<BUILD_INTERFACE:ds_warnings>)
  add_library(dslaunch::${name} ALIAS ${name})
endfunction()

function(ds_program name)
  cmake_parse_arguments(A "" "" "SOURCES;LIBS" ${ARGN})
  add_executable(${name} ${A_SOURCES})
  target_link_libraries(${name} PRIVATE ${A_LIBS} ds_warnings)
endfunction()

function(ds_test name)
  cmake_parse_arguments(A "" "LABEL;TIMEOUT" "SOURCES;LIBS" ${ARGN})
  if(NOT A_TIMEOUT)
    set(A_TIMEOUT 120)
  endif()
  add_executable(${name} ${A_SOURCES})
  target_link_libraries(${name} PRIVATE ${A_LIBS} GTest::gtest GTest::gtest_main ds_warnings)
  gtest_discover_tests(${name} TEST_PREFIX "${name}." DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 60
                       PROPERTIES LABELS ${A_LABEL} TIMEOUT ${A_TIMEOUT}
                       ENVIRONMENT "DSLAUNCH_SOURCE=${CMAKE_SOURCE_DIR};DSLAUNCH_BIN=${CMAKE_BINARY_DIR}/bin")
endfunction()
