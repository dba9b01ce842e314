/* What a wheel's library takes instead of the system's, linked before it.
 *
 * The build machine's C library (Debian 11's, glibc 2.31) has newer versions of some functions of libm, which differ
 * from the older ones in who sets errno. Taken by the older version, the library runs on glibc 2.28 too. */
#include <stddef.h>
#include <string.h>

#if defined(__x86_64__)
#define OLD "GLIBC_2.2.5"
#else
#define OLD "GLIBC_2.17"
#endif
#define ONE(name)                                                                                                      \
    double old_##name(double);                                                                                         \
    __asm__(".symver old_" #name "," #name "@" OLD);                                                                   \
    double name(double x);                                                                                             \
    double name(double x) { return old_##name(x); }

double old_pow(double, double);
__asm__(".symver old_pow,pow@" OLD);
double pow(double x, double y);
double pow(double x, double y) { return old_pow(x, y); }
ONE(exp)
ONE(exp2)
ONE(log)
ONE(log2)

/* Fortran's // in 64-bit gfortran's calls: the only thing of libgfortran that is needed, as OpenBLAS has its own
 * xerbla. Fortran pads with blanks. */
void _gfortran_concat_string(size_t length, char *to, size_t length_a, const char *a, size_t length_b, const char *b);
void _gfortran_concat_string(size_t length, char *to, size_t length_a, const char *a, size_t length_b, const char *b) {
    size_t from_a = length_a < length ? length_a : length;
    size_t from_b = length_b < length - from_a ? length_b : length - from_a;
    memcpy(to, a, from_a);
    memcpy(to + from_a, b, from_b);
    memset(to + from_a + from_b, ' ', length - from_a - from_b);
}
