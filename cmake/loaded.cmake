# holon_loaded(PREFIX LIBRARY SOURCE): SOURCE loads a shared library by name. It is told its
# name as programs linked to it would ask for it (PREFIX_NAME, the "soname") and where it lies
# (PREFIX_PATH), by that name if it stands there, so that a newer one may take its place.
function(holon_loaded prefix library source)
  file(REAL_PATH ${library} path)
  get_filename_component(name ${path} NAME)
  if(CMAKE_OBJDUMP)
    execute_process(COMMAND ${CMAKE_OBJDUMP} -p ${path} OUTPUT_VARIABLE said ERROR_QUIET)
    if(said MATCHES "SONAME +([^ \n]+)")
      set(name ${CMAKE_MATCH_1})
    endif()
  endif()
  get_filename_component(folder ${library} DIRECTORY)
  if(EXISTS ${folder}/${name})
    set(path ${folder}/${name})
  endif()
  set_property(SOURCE ${source} APPEND PROPERTY COMPILE_DEFINITIONS
               "${prefix}_NAME=\"${name}\"" "${prefix}_PATH=\"${path}\"")
endfunction()
