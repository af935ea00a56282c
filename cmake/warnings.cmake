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
