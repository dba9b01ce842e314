/* Linked into a wheel's library before the system's libraries.
 *
 * The build machine's C library (Debian 11's, glibc 2.31) has newer versions of some functions of libm, which differ
 * from the older ones in who sets errno. Taken by the older version, the library runs on glibc 2.28 too. */
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

/* OpenBLAS is built for one thread, without these. */
void openblas_set_num_threads(int threads);
void openblas_set_num_threads(int threads) { (void)threads; }
