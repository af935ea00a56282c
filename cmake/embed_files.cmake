# Compiles files into a library: a source with one array a file and a table of them, made again when one changes.
#
#   loa_embed_files(TARGET FUNCTION HEADER GLOB)
#
# defines `const std::vector<EmbeddedFile>& FUNCTION()` of HEADER; GLOB is relative to the root of the project. Run as a script
# (cmake -P) it writes that source.
if(NOT CMAKE_SCRIPT_MODE_FILE)
  function(loa_embed_files target function header glob)
    file(GLOB files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${glob})
    set(output ${CMAKE_CURRENT_BINARY_DIR}/${function}.cc)
    set(script ${PROJECT_SOURCE_DIR}/cmake/embed_files.cmake)
    add_custom_command(
      OUTPUT ${output}
      COMMAND ${CMAKE_COMMAND} "-DFILES=${files}" -DOUTPUT=${output} -DFUNCTION=${function} -DHEADER=${header} -P ${script}
      DEPENDS ${files} ${script}
      VERBATIM)
    target_sources(${target} PRIVATE ${output})
  endfunction()
  return()
endif()

set(arrays "")
set(table "")
set(index 0)
foreach(file IN LISTS FILES)
  file(READ ${file} hex HEX)
  string(REGEX REPLACE "(..)" "0x\\1," bytes "${hex}")
  get_filename_component(name ${file} NAME_WE)
  string(APPEND arrays "const unsigned char kFile${index}[] = {${bytes}};\n")
  string(APPEND table "      {\"${name}\", kFile${index}, sizeof kFile${index}},\n")
  math(EXPR index "${index} + 1")
endforeach()
file(WRITE ${OUTPUT}
     "// Made by cmake/embed_files.cmake.\n#include \"${HEADER}\"\n\nnamespace loa {\nnamespace {\n\n${arrays}\n"
     "}  // namespace\n\nconst std::vector<EmbeddedFile>& ${FUNCTION}() {\n"
     "  static const std::vector<EmbeddedFile> files = {\n${table}  };\n  return files;\n}\n\n}  // namespace loa\n")
