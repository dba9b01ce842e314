/* The numbers of one register, for the files that are compiled once for each instruction set (kernels.c): compilers
 * take wider vectors apart badly. Eight numbers are PARTS of them. */
#ifndef HCRI_LANES_H
#define HCRI_LANES_H

#include <stddef.h>
#include <stdint.h>
#if defined(__SSE2__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

#if defined(__AVX512F__)
enum { WIDTH = 8 };
#elif defined(__AVX__)
enum { WIDTH = 4 };
#else
enum { WIDTH = 2 };
#endif
#ifdef HCRI_FEW /* the same for one register's */
enum { PARTS = 1 };
#else
enum { PARTS = 8 / WIDTH };
#endif

typedef double lanes __attribute__((vector_size(WIDTH * sizeof(double))));
typedef lanes lanes_in_memory __attribute__((aligned(sizeof(double)), may_alias));
typedef long long lane_mask __attribute__((vector_size(WIDTH * sizeof(long long))));

static inline lanes load(const double *from) { return *(const lanes_in_memory *)from; }

static inline void store(double *to, lanes x) { *(lanes_in_memory *)to = x; }

/* Rounded to single precision. */
static inline void store_single(float *to, lanes x) {
#if defined(__AVX512F__)
    _mm256_storeu_ps(to, _mm512_cvtpd_ps(x));
#elif defined(__AVX__)
    _mm_storeu_ps(to, _mm256_cvtpd_ps(x));
#elif defined(__aarch64__)
    vst1_f32(to, vcvt_f32_f64((float64x2_t)x));
#else
    for (size_t l = 0; l < WIDTH; l++)
        to[l] = (float)x[l];
#endif
}

/* from[columns[0]], from[columns[1]], … */
static inline lanes gather(const double *from, const uint32_t *columns) {
#if defined(__AVX512F__)
    return _mm512_i32gather_pd(_mm256_loadu_si256((const __m256i *)(const void *)columns), from, 8);
#elif defined(__AVX2__)
    return _mm256_i32gather_pd(from, _mm_loadu_si128((const __m128i *)(const void *)columns), 8);
#else
    double x[WIDTH];
    for (size_t l = 0; l < WIDTH; l++)
        x[l] = from[columns[l]];
    return load(x);
#endif
}

/* a > b ? a : b, as x86's instruction has it; gcc doesn't find that from the masks. */
static inline lanes lanes_max(lanes a, lanes b) {
#if defined(__AVX512F__)
    return _mm512_max_pd(a, b);
#elif defined(__AVX__)
    return _mm256_max_pd(a, b);
#elif defined(__SSE2__)
    return _mm_max_pd(a, b);
#elif defined(__aarch64__)
    return (lanes)vbslq_f64(vcgtq_f64((float64x2_t)a, (float64x2_t)b), (float64x2_t)a, (float64x2_t)b);
#else
    const lane_mask greater = a > b;
    return (lanes)((greater & (lane_mask)a) | (~greater & (lane_mask)b));
#endif
}

/* a < b ? a : b */
static inline lanes lanes_min(lanes a, lanes b) {
#if defined(__AVX512F__)
    return _mm512_min_pd(a, b);
#elif defined(__AVX__)
    return _mm256_min_pd(a, b);
#elif defined(__SSE2__)
    return _mm_min_pd(a, b);
#elif defined(__aarch64__)
    return (lanes)vbslq_f64(vcltq_f64((float64x2_t)a, (float64x2_t)b), (float64x2_t)a, (float64x2_t)b);
#else
    const lane_mask less = a < b;
    return (lanes)((less & (lane_mask)a) | (~less & (lane_mask)b));
#endif
}

static inline lanes lanes_abs(lanes a) { return (lanes)((lane_mask)a & INT64_MAX); }

/* x where a > b, else y. */
static inline lanes lanes_if_more(lanes a, lanes b, lanes x, lanes y) {
#if defined(__AVX512F__)
    return _mm512_mask_blend_pd(_mm512_cmp_pd_mask(a, b, _CMP_GT_OQ), y, x);
#elif defined(__AVX__)
    return _mm256_blendv_pd(y, x, _mm256_cmp_pd(a, b, _CMP_GT_OQ));
#elif defined(__aarch64__)
    return (lanes)vbslq_f64(vcgtq_f64((float64x2_t)a, (float64x2_t)b), (float64x2_t)x, (float64x2_t)y);
#else
    const lane_mask more = a > b;
    return (lanes)((more & (lane_mask)x) | (~more & (lane_mask)y));
#endif
}

/* 1/x where x > 0, else 0, and nothing is divided by zero on the way: of 1 / lanes_if_more(x, 0, x, infinity) clang
 * makes a choice between 1/x and 0. */
static inline lanes lanes_positive_inverse(lanes x) {
    const lanes zero = {0};
    return lanes_if_more(x, zero, 1 / lanes_max(x, zero + 0x1p-1022), zero);
}

/* ((x0 + x4) + (x1 + x5)) + ((x2 + x6) + (x3 + x7)) of eight numbers */
static inline double lanes_sum(const lanes parts[PARTS]) {
#if defined(__AVX__)
#if defined(__AVX512F__)
    const __m256d four = _mm512_castpd512_pd256(parts[0]) + _mm512_extractf64x4_pd(parts[0], 1);
#else
    const __m256d four = parts[0] + parts[1];
#endif
    const __m128d low = _mm256_castpd256_pd128(four), high = _mm256_extractf128_pd(four, 1);
    const __m128d two = _mm_unpacklo_pd(low, high) + _mm_unpackhi_pd(low, high);
    return two[0] + two[1];
#elif defined(__aarch64__)
    return vpaddd_f64(vpaddq_f64((float64x2_t)(parts[0] + parts[2]), (float64x2_t)(parts[1] + parts[3])));
#else
    double x[8];
    for (size_t p = 0; p < PARTS; p++)
        store(x + WIDTH * p, parts[p]);
    return ((x[0] + x[4]) + (x[1] + x[5])) + ((x[2] + x[6]) + (x[3] + x[7]));
#endif
}

/* The largest of eight numbers. */
static inline double lanes_largest(const lanes parts[PARTS]) {
#if defined(__AVX__)
#if defined(__AVX512F__)
    const __m256d four = _mm256_max_pd(_mm512_castpd512_pd256(parts[0]), _mm512_extractf64x4_pd(parts[0], 1));
#else
    const __m256d four = _mm256_max_pd(parts[0], parts[1]);
#endif
    const __m128d two = _mm_max_pd(_mm256_castpd256_pd128(four), _mm256_extractf128_pd(four, 1));
    return two[0] > two[1] ? two[0] : two[1];
#elif defined(__aarch64__)
    const lanes two = lanes_max(lanes_max(parts[0], parts[2]), lanes_max(parts[1], parts[3]));
    return two[0] > two[1] ? two[0] : two[1];
#else
    double most = -__builtin_inf();
    for (size_t p = 0; p < PARTS; p++)
        for (size_t l = 0; l < WIDTH; l++)
            most = parts[p][l] > most ? parts[p][l] : most;
    return most;
#endif
}

/* Where a <= b, which isn't for a NaN, in all of many comparisons. */
#if defined(__AVX512F__)
typedef __mmask8 lane_order;
#else
typedef lane_mask lane_order;
#endif

static inline lane_order lanes_start_order(void) {
#if defined(__AVX512F__)
    return 0xff;
#else
    return ~(lane_order){0};
#endif
}

static inline lane_order lanes_still_ordered(lane_order so_far, lanes a, lanes b) {
#if defined(__AVX512F__)
    return _mm512_mask_cmp_pd_mask(so_far, a, b, _CMP_LE_OQ);
#else
    return so_far & (a <= b);
#endif
}

static inline int lanes_all_ordered(lane_order found) {
#if defined(__AVX512F__)
    return found == 0xff;
#else
    for (size_t l = 0; l < WIDTH; l++)
        if (found[l] == 0)
            return 0;
    return 1;
#endif
}

static inline lanes select(lane_mask which, lanes a, lanes b) {
    return (lanes)((which & (lane_mask)a) | (~which & (lane_mask)b));
}

static inline lanes lanes_sqrt(lanes a) {
    double x[WIDTH];
    store(x, a);
    for (size_t l = 0; l < WIDTH; l++)
        x[l] = __builtin_sqrt(x[l]);
    return load(x);
}

static inline int any(lane_mask which) {
    long long found = 0;
    for (size_t l = 0; l < WIDTH; l++)
        found |= which[l];
    return found != 0;
}

static inline lanes spread(double x) { return x - (lanes){0}; }

/* a b + c, fused wherever the instruction set can: left to the compiler, that depends on what surrounds it. */
static inline double fused(double a, double b, double c) {
#if defined(__FMA__) || defined(__FP_FAST_FMA) || defined(__ARM_FEATURE_FMA)
    return __builtin_fma(a, b, c);
#else
    return a * b + c;
#endif
}

static inline lanes lanes_fused(lanes a, lanes b, lanes c) {
#if defined(__AVX512F__)
    return _mm512_fmadd_pd(a, b, c);
#elif defined(__FMA__)
    return _mm256_fmadd_pd(a, b, c);
#elif defined(__SSE2__)
    return a * b + c;
#elif defined(__aarch64__)
    return (lanes)vfmaq_f64((float64x2_t)c, (float64x2_t)a, (float64x2_t)b);
#else
    for (size_t l = 0; l < WIDTH; l++)
        c[l] = fused(a[l], b[l], c[l]);
    return c;
#endif
}

#endif
