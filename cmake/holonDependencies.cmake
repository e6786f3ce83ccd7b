# What the library is built on: holon::expat, holon::lapack, holon::klu, holon::hdf5,
# holon::sundials, holon::sqlite, holon::nlopt.
#
# Read by the build and, installed next to it, by holonConfig.cmake: a static library's users need
# the same libraries. Sets holon_dependencies (targets), holon_definitions (what they make
# possible), holon_dependencies_found and holon_dependencies_missing (a sentence).

set(holon_dependencies)
set(holon_definitions)
set(holon_dependencies_found TRUE)
set(holon_dependencies_missing "")

# holon_dependency(NAME INCLUDE LIBRARY...): an imported target from what find_path and
# find_library said; remembers what is missing
macro(holon_dependency name include)
  if("${include};${ARGN}" MATCHES "NOTFOUND")
    set(holon_dependencies_found FALSE)
    string(APPEND holon_dependencies_missing "${name} was not found. ")
  else()
    if(NOT TARGET holon::${name})
      add_library(holon::${name} INTERFACE IMPORTED)
      set_target_properties(holon::${name} PROPERTIES
        INTERFACE_INCLUDE_DIRECTORIES "${include}" INTERFACE_LINK_LIBRARIES "${ARGN}")
    endif()
    list(APPEND holon_dependencies holon::${name})
  endif()
endmacro()

if(HN_EXPAT)
  find_path(HN_EXPAT_INCLUDE expat.h)
  find_library(HN_EXPAT_LIBRARY expat)
  if(HN_EXPAT_INCLUDE AND HN_EXPAT_LIBRARY)
    holon_dependency(expat "${HN_EXPAT_INCLUDE}" "${HN_EXPAT_LIBRARY}")
    list(APPEND holon_definitions HN_HAVE_EXPAT=1)
  elseif(HN_EXPAT STREQUAL "REQUIRED")
    holon_dependency(expat NOTFOUND)
  endif()
endif()

if(HOLON_MINIMAL)
  list(APPEND holon_definitions HN_MINIMAL=1)
else()
  # the reference libraries by name, and first where Debian keeps them: FindBLAS and Debian's
  # alternatives would both hand out OpenBLAS wherever it happens to be installed
  find_library(HN_LAPACK_LIBRARY lapack PATH_SUFFIXES lapack)
  find_library(HN_BLAS_LIBRARY blas PATH_SUFFIXES blas)
  # loaded by the first large matrix, as HDF5 is below
  set(linked ${holon_dependencies})
  holon_dependency(lapack "" "${HN_LAPACK_LIBRARY}" "${HN_BLAS_LIBRARY}" m)
  if(NOT "${HN_LAPACK_LIBRARY};${HN_BLAS_LIBRARY}" MATCHES "\\.a(;|$)")
    set(holon_dependencies ${linked})
    list(APPEND holon_definitions HN_LAPACK_LOADED=1)
  endif()

  # of SuiteSparse only what is LGPL or BSD: KLU and the orderings it calls
  find_path(HN_SUITESPARSE_INCLUDE klu.h PATH_SUFFIXES suitesparse)
  set(HN_KLU_LIBRARIES)
  foreach(name klu amd colamd btf suitesparseconfig)
    find_library(HN_${name}_LIBRARY ${name})
    list(APPEND HN_KLU_LIBRARIES ${HN_${name}_LIBRARY})
  endforeach()
  holon_dependency(klu "${HN_SUITESPARSE_INCLUDE}" "${HN_KLU_LIBRARIES}" m)
endif()

# loaded at run time by name (src/io/hdf5_library.h) unless it is an archive; holon::hdf5 is for those
# who call it themselves
if(HN_HDF5)
  find_path(HN_HDF5_INCLUDE hdf5.h PATH_SUFFIXES hdf5/serial)
  find_library(HN_HDF5_LIBRARY NAMES hdf5_serial hdf5 PATH_SUFFIXES hdf5/serial)
  if(HN_HDF5_INCLUDE AND HN_HDF5_LIBRARY)
    set(linked ${holon_dependencies})
    holon_dependency(hdf5 "${HN_HDF5_INCLUDE}" "${HN_HDF5_LIBRARY}")
    list(APPEND holon_definitions HN_HAVE_HDF5=1)
    if(NOT HN_HDF5_LIBRARY MATCHES "\\.a$")
      set(holon_dependencies ${linked})
      list(APPEND holon_definitions HN_HDF5_LOADED=1)
    endif()
  elseif(HN_HDF5 STREQUAL "REQUIRED")
    holon_dependency(hdf5 NOTFOUND)
  endif()
endif()

# variable-order BDF; CVODE learnt projection with version 5.3, contexts came with 6.0
if(HN_SUNDIALS)
  find_path(HN_SUNDIALS_INCLUDE sundials/sundials_context.h)
  find_library(HN_SUNDIALS_CVODE sundials_cvode)
  find_library(HN_SUNDIALS_IDA sundials_ida)
  find_library(HN_SUNDIALS_VECTOR sundials_nvecserial)
  if(HN_SUNDIALS_INCLUDE AND HN_SUNDIALS_CVODE AND HN_SUNDIALS_IDA AND HN_SUNDIALS_VECTOR)
    holon_dependency(sundials "${HN_SUNDIALS_INCLUDE}" "${HN_SUNDIALS_CVODE}" "${HN_SUNDIALS_IDA}"
                     "${HN_SUNDIALS_VECTOR}" m)
    list(APPEND holon_definitions HN_HAVE_SUNDIALS=1)
  elseif(HN_SUNDIALS STREQUAL "REQUIRED")
    holon_dependency(sundials NOTFOUND)
  endif()
endif()

# the store of studies; loaded as HDF5 is
if(HN_SQLITE)
  find_path(HN_SQLITE_INCLUDE sqlite3.h)
  find_library(HN_SQLITE_LIBRARY sqlite3)
  if(HN_SQLITE_INCLUDE AND HN_SQLITE_LIBRARY)
    set(linked ${holon_dependencies})
    holon_dependency(sqlite "${HN_SQLITE_INCLUDE}" "${HN_SQLITE_LIBRARY}")
    list(APPEND holon_definitions HN_HAVE_SQLITE=1)
    if(NOT HN_SQLITE_LIBRARY MATCHES "\\.a$")
      set(holon_dependencies ${linked})
      list(APPEND holon_definitions HN_SQLITE_LOADED=1)
    endif()
  elseif(HN_SQLITE STREQUAL "REQUIRED")
    holon_dependency(sqlite NOTFOUND)
  endif()
endif()

# more ways to search; loaded as HDF5 is
if(HN_NLOPT)
  find_path(HN_NLOPT_INCLUDE nlopt.h)
  find_library(HN_NLOPT_LIBRARY nlopt)
  if(HN_NLOPT_INCLUDE AND HN_NLOPT_LIBRARY)
    set(linked ${holon_dependencies})
    holon_dependency(nlopt "${HN_NLOPT_INCLUDE}" "${HN_NLOPT_LIBRARY}")
    list(APPEND holon_definitions HN_HAVE_NLOPT=1)
    if(NOT HN_NLOPT_LIBRARY MATCHES "\\.a$")
      set(holon_dependencies ${linked})
      list(APPEND holon_definitions HN_NLOPT_LOADED=1)
    endif()
  elseif(HN_NLOPT STREQUAL "REQUIRED")
    holon_dependency(nlopt NOTFOUND)
  endif()
endif()
