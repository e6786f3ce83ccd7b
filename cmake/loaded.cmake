# holon_loaded(PREFIX LIBRARY SOURCE): SOURCE loads a shared library by name. It is told its
# name as programs linked to it would ask for it (PREFIX_NAME, the "soname") and where it lies
# (PREFIX_PATH).
function(holon_loaded prefix library source)
  file(REAL_PATH ${library} path)
  get_filename_component(name ${path} NAME)
  if(CMAKE_OBJDUMP)
    execute_process(COMMAND ${CMAKE_OBJDUMP} -p ${path} OUTPUT_VARIABLE said ERROR_QUIET)
    if(said MATCHES "SONAME +([^ \n]+)")
      set(name ${CMAKE_MATCH_1})
    endif()
  endif()
  set_property(SOURCE ${source} APPEND PROPERTY COMPILE_DEFINITIONS
               "${prefix}_NAME=\"${name}\"" "${prefix}_PATH=\"${path}\"")
endfunction()
