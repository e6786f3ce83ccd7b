# Benchmarks: every bench/*.c is a program, and so is every bench/peers/*.cpp whose engine is
# installed. Built by the target 'bench' only.
#
# The former see the library's internals, and CHOLMOD to compare with where it is installed. The
# latter see the public header.
option(HN_PEERS "build the drivers of other engines, where they are installed" ON)
add_custom_target(bench)

# ---- the library alone -----------------------------------------------------------------------

find_library(HN_CHOLMOD_LIBRARY cholmod)
set(bench_libraries)
if(HN_CHOLMOD_LIBRARY)
  list(APPEND bench_libraries ${HN_CHOLMOD_LIBRARY})
endif()

file(GLOB bench_sources CONFIGURE_DEPENDS bench/*.c)
foreach(source ${bench_sources})
  get_filename_component(name ${source} NAME_WE)
  if(name STREQUAL "linalg" AND NOT HN_CHOLMOD_LIBRARY)
    message(STATUS "bench: linalg is left out (CHOLMOD was not found)")
    continue()
  endif()
  add_executable(bench_${name} EXCLUDE_FROM_ALL ${source})
  set_target_properties(bench_${name} PROPERTIES OUTPUT_NAME ${name}
                        RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bench)
  target_include_directories(bench_${name} PRIVATE ${internal_includes})
  target_compile_definitions(bench_${name} PRIVATE ${holon_definitions})
  target_link_libraries(bench_${name} PRIVATE holon_internal ${bench_libraries}
                        ${holon_dependencies} m)
  add_dependencies(bench bench_${name})
endforeach()

# ---- other engines ---------------------------------------------------------------------------

if(NOT HN_PEERS)
  return()
endif()
include(CheckLanguage)
check_language(CXX)
if(NOT CMAKE_CXX_COMPILER)
  message(STATUS "bench: the engines are left out (no C++ compiler)")
  return()
endif()
enable_language(CXX)
set(CMAKE_CXX_STANDARD 17)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)

# bench_peer(NAME HEADER PREFIXES LIBRARIES [OPTIONS...]): a driver, when its headers and libraries
# are there. PREFIXES are the folders HEADER may lie in
function(bench_peer name header prefixes libraries)
  find_path(HN_PEER_${name}_INCLUDE ${header} PATH_SUFFIXES ${prefixes})
  set(found ${HN_PEER_${name}_INCLUDE})
  foreach(library ${libraries})
    find_library(HN_PEER_${library}_LIBRARY ${library})
    list(APPEND found ${HN_PEER_${library}_LIBRARY})
  endforeach()
  if("${found}" MATCHES "NOTFOUND")
    message(STATUS "bench: ${name} is left out (it was not found)")
    return()
  endif()
  list(POP_FRONT found include)
  add_executable(peer_${name} EXCLUDE_FROM_ALL bench/peers/${name}.cpp)
  # instead of the options for C
  set_target_properties(peer_${name} PROPERTIES OUTPUT_NAME ${name}
                        COMPILE_OPTIONS "-O3;-DNDEBUG;-Wall;-Wextra;${ARGN}"
                        RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bench/peers)
  target_include_directories(peer_${name} SYSTEM PRIVATE ${include})
  target_link_libraries(peer_${name} PRIVATE ${found})
  add_dependencies(bench peer_${name})
endfunction()

add_executable(peer_holon EXCLUDE_FROM_ALL bench/peers/holon.cpp)
set_target_properties(peer_holon PROPERTIES OUTPUT_NAME holon COMPILE_OPTIONS "-O3;-Wall;-Wextra"
                      RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bench/peers)
target_link_libraries(peer_holon PRIVATE holon)
add_dependencies(bench peer_holon)

bench_peer(simbody Simbody.h simbody "SimTKsimbody;SimTKmath;SimTKcommon")
bench_peer(mujoco mujoco/mujoco.h "" "mujoco")
bench_peer(ode ode/ode.h "" "ode")
bench_peer(dart Eigen/Dense eigen3 "dart")
# what one writes by hand is compiled for the machine at hand
bench_peer(sundials klu.h suitesparse
           "sundials_ida;sundials_cvode;sundials_arkode;sundials_nvecserial;\
sundials_sunmatrixdense;sundials_sunlinsoldense;sundials_sunmatrixsparse;sundials_sunlinsolklu;klu"
           -march=native)

# a beam beside both; the one by hand stands in one program with holon
bench_peer(beam_simbody Simbody.h simbody "SimTKsimbody;SimTKmath;SimTKcommon")
bench_peer(beam ida/ida.h ""
           "sundials_ida;sundials_nvecserial;sundials_sunmatrixband;sundials_sunlinsolband")
if(TARGET peer_beam)
  target_link_libraries(peer_beam PRIVATE holon)
endif()
