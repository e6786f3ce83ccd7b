# holon_mpi: what `holon study` loads when mpirun starts it. A library of its own, so that the program
# neither needs MPI nor loads it in vain.
if(NOT HN_MPI OR NOT TARGET holon_cli OR HN_SANITIZE)
  return()
endif()
find_package(MPI QUIET COMPONENTS C)
if(NOT MPI_C_FOUND)
  return()
endif()
add_library(holon_mpi MODULE cli/mpi/holon_mpi.c)
set_target_properties(holon_mpi PROPERTIES PREFIX "" LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
target_include_directories(holon_mpi PRIVATE cli)
target_link_libraries(holon_mpi PRIVATE MPI::MPI_C Threads::Threads)
install(TARGETS holon_mpi LIBRARY DESTINATION lib/holon)
