# How libraries, programs and tests of this project are made.
#   ds_library(name SOURCES ... PUBLIC ... PRIVATE ...)
#   ds_program(name SOURCES ... LIBS ...)
#   ds_test(name LABEL unit|process|mpi|cluster|gpu SOURCES ... LIBS ...)   GoogleTest; one CTest test per TEST
#     FILTER pattern: only those tests; ds_more_tests(name LABEL ... FILTER ...) adds others of the program
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

# Compiles a library's files several to a compiler call: the headers, which cost most of the time, are read once for all
# of them. EXCEPT: files whose internal names are used in other files too.
function(ds_compile_together name)
  cmake_parse_arguments(A "" "" "EXCEPT" ${ARGN})
  set_target_properties(${name} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 10)
  if(A_EXCEPT)
    set_source_files_properties(${A_EXCEPT} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  endif()
endfunction()

function(ds_program name)
  cmake_parse_arguments(A "" "" "SOURCES;LIBS" ${ARGN})
  add_executable(${name} ${A_SOURCES})
  target_include_directories(${name} PRIVATE "${CMAKE_SOURCE_DIR}")
  target_link_libraries(${name} PRIVATE ${A_LIBS} ds_warnings)
endfunction()

# Where the test finds sources and programs. Not the test property ENVIRONMENT: gtest_discover_tests keeps only the
# first of several variables.
function(ds_test_environment name)
  set_target_properties(${name} PROPERTIES CROSSCOMPILING_EMULATOR
    "env;DSLAUNCH_SOURCE=${CMAKE_SOURCE_DIR};DSLAUNCH_BIN=${CMAKE_BINARY_DIR}/bin")
endfunction()

function(ds_test name)
  cmake_parse_arguments(A "" "LABEL;TIMEOUT;FILTER" "SOURCES;LIBS" ${ARGN})
  add_executable(${name} ${A_SOURCES})
  target_link_libraries(${name} PRIVATE ${A_LIBS} GTest::gtest GTest::gtest_main ds_warnings)
  if(DSLAUNCH_SANITIZE)
    target_sources(${name} PRIVATE ${CMAKE_SOURCE_DIR}/tests/support/keeps_libraries.cc)
  endif()
  ds_test_environment(${name})
  ds_more_tests(${name} LABEL ${A_LABEL} TIMEOUT "${A_TIMEOUT}" FILTER "${A_FILTER}")
endfunction()

function(ds_more_tests name)
  cmake_parse_arguments(A "" "LABEL;TIMEOUT;FILTER" "" ${ARGN})
  if(NOT A_TIMEOUT)
    set(A_TIMEOUT 120)
  endif()
  set(_filter "")
  if(A_FILTER)
    set(_filter TEST_FILTER "${A_FILTER}")
  endif()
  gtest_discover_tests(${name} TEST_PREFIX "${name}." DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 60 ${_filter}
                       PROPERTIES LABELS ${A_LABEL} TIMEOUT ${A_TIMEOUT})
endfunction()
