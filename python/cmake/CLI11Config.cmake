# CLI11 as headers alone, for machines without Debian's package. Reads LOA_THIRD_PARTY, the folder above CLI/.
if(NOT TARGET CLI11::CLI11)
  add_library(CLI11::CLI11 INTERFACE IMPORTED)
  target_include_directories(CLI11::CLI11 INTERFACE ${LOA_THIRD_PARTY})
endif()
