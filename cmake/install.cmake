# Two components: `core`, and `lab` with the laboratory and the program. find_package(loa) gives the target loa::loa, which is
# loa::static or loa::shared, and loa::lab where it is installed; pkg-config has loa, loa-shared and loa-lab.
include(CMakePackageConfigHelpers)

# What install() puts somewhere without being asked goes to the core.
set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME core)
install(TARGETS loa EXPORT loa-targets)
if(LOA_SHARED)
  install(TARGETS loa-shared EXPORT loa-targets)
endif()
install(DIRECTORY include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
install(EXPORT loa-targets NAMESPACE loa:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/loa)
if(TARGET loa_lab)
  install(TARGETS loa_lab EXPORT loa-lab-targets COMPONENT lab)
  install(DIRECTORY lab/include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT lab FILES_MATCHING PATTERN "*.h")
  install(EXPORT loa-lab-targets NAMESPACE loa:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/loa COMPONENT lab)
endif()
if(TARGET loa-program)
  install(TARGETS loa-program COMPONENT lab)
endif()

if(BUILD_SHARED_LIBS AND LOA_SHARED)
  set(loa_default_library shared)
else()
  set(loa_default_library static)
endif()
configure_package_config_file(cmake/loa-config.cmake.in loa-config.cmake
                              INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/loa)
write_basic_package_version_file(loa-config-version.cmake COMPATIBILITY SameMajorVersion)
install(FILES ${PROJECT_BINARY_DIR}/loa-config.cmake ${PROJECT_BINARY_DIR}/loa-config-version.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/loa)

# The folder of the .pc file tells where the package lies, so that an installed tree can be moved.
file(RELATIVE_PATH loa_prefix_from_pc /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
function(loa_install_pkg_config component loa_pc_name loa_pc_requires loa_pc_libraries)
  configure_file(cmake/loa.pc.in ${loa_pc_name}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/${loa_pc_name}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT ${component})
endfunction()
function(loa_static_library variable target)
  set(${variable} "\${libdir}/${CMAKE_STATIC_LIBRARY_PREFIX}${target}${CMAKE_STATIC_LIBRARY_SUFFIX}" PARENT_SCOPE)
endfunction()
# The static library by its name, because -lloa would take the shared one even for `pkg-config --static`. The runtime of C++ is
# for programs in C.
loa_static_library(library loa)
loa_install_pkg_config(core loa eigen3 "${library} -lstdc++ -lm -pthread")
if(LOA_SHARED)
  # The path goes into the program, which then starts without LD_LIBRARY_PATH.
  loa_install_pkg_config(core loa-shared eigen3 "-L\${libdir} -Wl,-rpath,\${libdir} -lloa")
endif()
if(TARGET loa_lab)
  loa_static_library(library loa_lab)
  list(TRANSFORM CMAKE_DL_LIBS PREPEND -l OUTPUT_VARIABLE loa_dl)
  loa_install_pkg_config(lab loa-lab loa "${library} ${loa_dl}")
endif()
