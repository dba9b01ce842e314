/* What the code is compiled with. */

/* Rounding as IEEE 754 has it keeps results inside. Clang doesn't report each such option but obeys a pragma. */
#if defined(__FAST_MATH__) || defined(__ASSOCIATIVE_MATH__) || defined(__RECIPROCAL_MATH__) || defined(_M_FP_FAST) ||  \
    (defined(__USE_FAST_MATH__) && (__USE_FAST_MATH__ > 0)) ||                                                         \
    (defined(__FINITE_MATH_ONLY__) && (__FINITE_MATH_ONLY__ > 0))
#error                                                                                                                 \
    "compile without -ffast-math, -funsafe-math-optimizations, -fassociative-math, -freciprocal-math and -ffinite-math-only: they take away what keeps results inside"
#endif
#if defined(__clang__) && !defined(__CUDA_ARCH__)
#pragma float_control(precise, on)
#endif
