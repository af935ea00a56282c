# Warnings for loa's own targets; nothing global, so that a parent project keeps its own flags.
function(loa_set_warnings target)
  target_compile_options(
    ${target}
    PRIVATE -Wall
            -Wextra
            -Wconversion
            -Wshadow
            $<$<BOOL:${LOA_WARNINGS_AS_ERRORS}>:-Werror>
            # GCC 12 sees overlapping copies in `"text" + string` where there are none (GCC bug 105651).
            $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>)
endfunction()

# The same bits from every compiler: no fused multiply-add unless the source says so.
function(loa_keep_bits target)
  target_compile_options(${target} PRIVATE -ffp-contract=off)
endfunction()

# For targets whose own code does no numerical work, but is long to compile. Measured with GCC 12 on four long
# files: three quarters of the time at -O3.
function(loa_optimize_lightly target)
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
endfunction()

# For programs that only call the libraries. With sanitizers their code is not optimized at all. Measured with clang 14 on three
# files of the tests: 0.41 to 0.55 of the time at -O1.
function(loa_optimize_least target)
  loa_optimize_lightly(${target})
  string(TOUPPER "${CMAKE_BUILD_TYPE}" build_type)
  if(NOT "${CMAKE_CXX_FLAGS} ${CMAKE_CXX_FLAGS_${build_type}}" MATCHES "-fsanitize")
    return()
  endif()
  target_compile_options(${target} PRIVATE -O0)
  # A linker takes the first of equal functions, and programs and libraries have many of Eigen in common: the libraries come
  # first, so that those are optimized. Measured on a test of the principles: half of the time.
  get_target_property(type ${target} TYPE)
  if(type STREQUAL "EXECUTABLE")
    target_link_options(${target} BEFORE PRIVATE
                        "LINKER:--whole-archive,$<TARGET_FILE:loa>,$<TARGET_FILE:loa_lab>,--no-whole-archive")
    set_property(TARGET ${target} APPEND PROPERTY LINK_DEPENDS "$<TARGET_FILE:loa>" "$<TARGET_FILE:loa_lab>")
  endif()
endfunction()
