# holon_fmu: the binary of all FMUs. It is the library with the functions of FMI in front of it; nothing
# else can be seen of it, and what these functions do not need is left out. It has to work where
# nothing but the C library is installed: own linear algebra.
if(HOLON_MINIMAL OR HN_SANITIZE OR NOT CMAKE_SYSTEM_NAME STREQUAL "Linux")
  return()
endif()

if(HN_FMU_SMALL)
  # all of it for size: half the bytes for half as much again of the time (docs/commands/fmu.md)
  set(small ${sources})
  list(FILTER small EXCLUDE REGEX "/src/(study/|fmu/coded\\.c)")
  add_library(holon_fmu MODULE ${small})
  target_compile_options(holon_fmu PRIVATE -Os -fno-delete-null-pointer-checks
                         -fno-asynchronous-unwind-tables -fno-unwind-tables)
else()
  # the objects of the library; those that ask what it is built on are compiled anew
  set(asking linalg/dense_choice.c linalg/dense_lapack.c linalg/sparse.c linalg/sparse_klu.c
      linalg/order.c code/native.c sim/auto.c integrators/bdf/bdf.c integrators/bdf/bdf_cvode.c
      integrators/bdf/bdf_ida.c integrators/bdf/bdf_missing.c robots/xml.c io/hdf5.c fmu/fmi2.c
      fmu/fmi3.c)
  list(TRANSFORM asking PREPEND src/)
  list(JOIN asking "|" pattern)
  string(REPLACE "." "\\." pattern "${pattern}")
  add_library(holon_fmu MODULE ${asking}
              "$<FILTER:$<TARGET_OBJECTS:holon>,EXCLUDE,(${pattern})\\.o$|/src/study/|/embedded/>")
endif()
set_target_properties(holon_fmu PROPERTIES PREFIX "" LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}
                      C_VISIBILITY_PRESET hidden)
target_include_directories(holon_fmu PRIVATE include src)
target_compile_definitions(holon_fmu PRIVATE HN_FMU=1 HN_MINIMAL=1 HN_NO_NATIVE=1)
target_compile_options(holon_fmu PRIVATE -ffunction-sections -fdata-sections)
target_link_libraries(holon_fmu PRIVATE m)
target_link_options(holon_fmu PRIVATE -Wl,--gc-sections -s
                    -Wl,--version-script=${PROJECT_SOURCE_DIR}/cmake/fmu.map)
if(HN_COVERAGE)
  target_link_options(holon_fmu PRIVATE -fprofile-instr-generate)
endif()
