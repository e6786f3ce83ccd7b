# Installation: library, header, program with manual page and completions, models, pkg-config file,
# CMake package.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/holon)

install(TARGETS holon EXPORT holon INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY include/holon DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN *.h)
install(DIRECTORY models DESTINATION ${CMAKE_INSTALL_DATADIR}/holon)
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
if(TARGET holon_cli)
  file(RELATIVE_PATH to_lib ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBDIR})
  set_target_properties(holon_cli PROPERTIES INSTALL_RPATH "$ORIGIN/${to_lib}")
  install(TARGETS holon_cli)
  # the manual page and the completions of shells, which the program writes itself
  if(NOT CMAKE_CROSSCOMPILING)
    set(generated ${PROJECT_BINARY_DIR}/generated)
    file(MAKE_DIRECTORY ${generated})
    add_custom_command(TARGET holon_cli POST_BUILD
                       COMMAND $<TARGET_FILE:holon_cli> man > ${generated}/holon.1
                       COMMAND $<TARGET_FILE:holon_cli> completion bash > ${generated}/holon.bash
                       COMMAND $<TARGET_FILE:holon_cli> completion zsh > ${generated}/_holon)
    install(FILES ${generated}/holon.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
    install(FILES ${generated}/holon.bash RENAME holon
            DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
    install(FILES ${generated}/_holon DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
  endif()
endif()

# CMake: find_package(holon), target holon::holon
install(EXPORT holon NAMESPACE holon:: FILE holonTargets.cmake DESTINATION ${package_dir})
configure_package_config_file(cmake/holonConfig.cmake.in holonConfig.cmake
                              INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(holonConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/holonConfig.cmake ${PROJECT_BINARY_DIR}/holonConfigVersion.cmake
              ${PROJECT_SOURCE_DIR}/cmake/holonDependencies.cmake DESTINATION ${package_dir})

# pkg-config: paths relative to the file, so that the tree can be moved; whoever links the static
# library needs its dependencies too
file(RELATIVE_PATH to_prefix ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
set(pc_libs)
set(linked ${HN_KLU_LIBRARIES})
if(holon::lapack IN_LIST holon_dependencies)
  list(PREPEND linked ${HN_LAPACK_LIBRARY} ${HN_BLAS_LIBRARY})
endif()
foreach(library ${linked})
  get_filename_component(name ${library} NAME_WE)
  list(APPEND pc_libs ${name})
endforeach()
if(TARGET holon::expat)
  get_filename_component(name ${HN_EXPAT_LIBRARY} NAME_WE)
  list(APPEND pc_libs ${name})
endif()
if(holon::hdf5 IN_LIST holon_dependencies)
  get_filename_component(name ${HN_HDF5_LIBRARY} NAME_WE)
  list(APPEND pc_libs ${name})
endif()
if(TARGET holon::sundials)
  foreach(library ${HN_SUNDIALS_CVODE} ${HN_SUNDIALS_IDA} ${HN_SUNDIALS_VECTOR})
    get_filename_component(name ${library} NAME_WE)
    list(APPEND pc_libs ${name})
  endforeach()
endif()
if(holon::sqlite IN_LIST holon_dependencies)
  get_filename_component(name ${HN_SQLITE_LIBRARY} NAME_WE)
  list(APPEND pc_libs ${name})
endif()
if(holon::nlopt IN_LIST holon_dependencies)
  get_filename_component(name ${HN_NLOPT_LIBRARY} NAME_WE)
  list(APPEND pc_libs ${name})
endif()
list(TRANSFORM pc_libs REPLACE "^lib" "-l")
list(APPEND pc_libs -lm)
list(JOIN pc_libs " " pc_libs)
if(BUILD_SHARED_LIBS)
  set(pc_libs_private ${pc_libs})
  set(pc_libs "")
endif()
configure_file(cmake/holon.pc.in holon.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/holon.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

# the binary of all FMUs, where the program looks for it
if(TARGET holon_fmu)
  install(TARGETS holon_fmu LIBRARY DESTINATION lib/holon)
endif()
