# The library as WebAssembly, for pages that compute (holon view --live).
#
# Read twice. By the build for this machine, where it builds the project anew with clang for
# WebAssembly and sets `live` to the compressed file that is to be embedded, or to nothing, and says
# so, when there is no such clang. And by that other build, where it adds the file itself.
set(live)

if(CMAKE_SYSTEM_NAME STREQUAL "WASI")
  add_executable(holon_live live/live.c)
  target_link_libraries(holon_live PRIVATE holon m wasi-emulated-getpid)
  set_target_properties(holon_live PROPERTIES SUFFIX .wasm)
  # a library that is called, not a program that ends; deep recursions are met by a deep stack
  target_link_options(holon_live PRIVATE -mexec-model=reactor -Wl,--gc-sections -Wl,--strip-all
                      -Wl,-z,stack-size=4194304 -Wl,--stack-first)
  return()
endif()
if(NOT HN_LIVE)
  return()
endif()

# can it compile and link?
find_program(HN_WASM_COMPILER clang)
find_program(HN_GZIP gzip)
set(reason "")
if(NOT HN_WASM_COMPILER OR NOT HN_GZIP)
  set(reason "clang and gzip are needed")
elseif(NOT HN_WASM_WORKS)
  set(trial ${PROJECT_BINARY_DIR}/CMakeFiles/live_trial)
  file(WRITE ${trial}.c "#include <math.h>\n#include <stdlib.h>\nint main(void) { return (int)sin(atof(\"1\")); }\n")
  execute_process(COMMAND ${HN_WASM_COMPILER} --target=wasm32-wasi ${trial}.c -o ${trial}.wasm -lm
                  RESULT_VARIABLE failed OUTPUT_QUIET ERROR_QUIET)
  if(failed)
    set(reason "clang cannot build for wasm32-wasi")
  else()
    set(HN_WASM_WORKS TRUE CACHE INTERNAL "clang builds for wasm32-wasi")
  endif()
endif()
if(reason)
  message(STATUS "no pages that compute: ${reason} (Debian: scripts/setup.sh build)")
  return()
endif()

include(ExternalProject)
set(live_folder ${PROJECT_BINARY_DIR}/wasm)
# nothing but what it is made of starts it again
file(GLOB_RECURSE live_sources CONFIGURE_DEPENDS src/*.c src/*.h include/holon/*.h live/*.c)
ExternalProject_Add(holon_wasm
  SOURCE_DIR ${PROJECT_SOURCE_DIR}
  BINARY_DIR ${live_folder}
  CMAKE_ARGS -DCMAKE_TOOLCHAIN_FILE=${PROJECT_SOURCE_DIR}/cmake/wasm32-wasi.cmake
             -DCMAKE_BUILD_TYPE=Release "-DCMAKE_C_FLAGS_RELEASE=-O2 -flto -msimd128 -fno-vectorize -fno-slp-vectorize" -DHOLON_MINIMAL=ON
             -DHN_TESTS=OFF -DHN_WERROR=${HN_WERROR}
             -DCMAKE_C_COMPILER_LAUNCHER=${CMAKE_C_COMPILER_LAUNCHER}
  BUILD_COMMAND ${CMAKE_COMMAND} --build . --target holon_live
  INSTALL_COMMAND ""
  BUILD_BYPRODUCTS ${live_folder}/holon_live.wasm
  EXCLUDE_FROM_ALL TRUE)
ExternalProject_Add_StepDependencies(holon_wasm build ${live_sources})
set(live ${PROJECT_BINARY_DIR}/live.gz)
add_custom_command(OUTPUT ${live}
                   COMMAND ${HN_GZIP} -9 -n -c ${live_folder}/holon_live.wasm > ${live}
                   DEPENDS ${live_folder}/holon_live.wasm holon_wasm
                   COMMENT "compressing the library for pages that compute")
