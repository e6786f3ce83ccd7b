# Files built into a program or library as a table of named byte arrays.
#
#   holon_embed(TARGET SYMBOL HEADER FILE...)
#
# adds to TARGET a source that defines  const hn_embedded_file SYMBOL[], declared in HEADER (see
# src/io/embed.h), one row per file, named by the file's own name without its ending, closed by a row of zeros. The same file is the
# script that writes this source when the build runs.
if(CMAKE_SCRIPT_MODE_FILE)
  set(text "#include \"${HEADER}\"\n")
  set(rows "")
  set(k 0)
  foreach(file IN LISTS FILES)
    file(READ "${file}" hex HEX)
    file(SIZE "${file}" size)
    get_filename_component(name "${file}" NAME_WE)
    # a zero follows, so that text can be read as a string
    string(REGEX REPLACE "(..)" "0x\\1," bytes "${hex}")
    string(REGEX REPLACE "(................................................................................)"
           "\\1\n" bytes "${bytes}")
    string(APPEND text "static const unsigned char file${k}[] = {${bytes}0};\n")
    string(APPEND rows "  {\"${name}\", file${k}, ${size}},\n")
    math(EXPR k "${k} + 1")
  endforeach()
  file(WRITE "${OUTPUT}" "${text}const hn_embedded_file ${SYMBOL}[] = {\n${rows}  {0},\n};\n")
  return()
endif()

set(holon_embed_script ${CMAKE_CURRENT_LIST_FILE})
function(holon_embed target symbol header)
  set(output ${PROJECT_BINARY_DIR}/embedded/${symbol}.c)
  add_custom_command(
    OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -DOUTPUT=${output} -DSYMBOL=${symbol} -DHEADER=${header}
            "-DFILES=${ARGN}"
            -P ${holon_embed_script}
    DEPENDS ${ARGN} ${holon_embed_script}
    COMMENT "embedding ${symbol}"
    VERBATIM)
  target_sources(${target} PRIVATE ${output})
endfunction()
