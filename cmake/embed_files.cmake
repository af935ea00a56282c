# Script: writes OUTPUT, a C++ source with the bytes of FILES and a table of them.
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
     "// Made by cmake/embed_files.cmake from the files of weights/.\n#include \"model/embedded_weights.h\"\n\n"
     "namespace loa {\nnamespace {\n\n${arrays}\n}  // namespace\n\n"
     "const std::vector<EmbeddedFile>& embedded_weights() {\n"
     "  static const std::vector<EmbeddedFile> files = {\n${table}  };\n  return files;\n}\n\n}  // namespace loa\n")
