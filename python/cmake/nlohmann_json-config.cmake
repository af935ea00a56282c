# The package nlohmann-json of PyPI brings the headers without a CMake file.
find_path(NLOHMANN_JSON_INCLUDE_DIR nlohmann/json.hpp HINTS ${LOA_PYPI}/nlohmann_json/include)
if(NOT NLOHMANN_JSON_INCLUDE_DIR)
  set(nlohmann_json_FOUND FALSE)
  return()
endif()
if(NOT TARGET nlohmann_json::nlohmann_json)
  add_library(nlohmann_json::nlohmann_json INTERFACE IMPORTED)
  set_target_properties(nlohmann_json::nlohmann_json PROPERTIES INTERFACE_INCLUDE_DIRECTORIES
                                                                ${NLOHMANN_JSON_INCLUDE_DIR})
endif()
