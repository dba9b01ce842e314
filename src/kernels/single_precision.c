#include "kernels/single_precision.h"

#include "kernels/lanes.h"
#include "kernels/variant.h"

#define INLINED static inline __attribute__((always_inline))

enum { SINGLES = 2 * WIDTH, SINGLE_PARTS = HCRI_SINGLE_PANEL / SINGLES };
typedef float singles __attribute__((vector_size(SINGLES * sizeof(float))));
typedef singles singles_in_memory __attribute__((aligned(sizeof(float)), may_alias));
typedef int single_mask __attribute__((vector_size(SINGLES * sizeof(int))));

static inline singles load_singles(const float *from) { return *(const singles_in_memory *)from; }

static inline void store_singles(float *to, singles x) { *(singles_in_memory *)to = x; }

static inline singles spread_single(float x) { return x - (singles){0}; }

static inline singles larger(singles a, singles b) {
#if defined(__AVX512F__)
    return _mm512_max_ps(a, b);
#elif defined(__AVX__)
    return _mm256_max_ps(a, b);
#elif defined(__SSE2__)
    return _mm_max_ps(a, b);
#else
    const single_mask greater = a > b;
    return (singles)((greater & (single_mask)a) | (~greater & (single_mask)b));
#endif
}

/* Fused or not is of no matter here: the error bound covers both. */
static inline singles add_products(singles a, singles b, singles c) {
#if defined(__AVX512F__)
    return _mm512_fmadd_ps(a, b, c);
#elif defined(__FMA__)
    return _mm256_fmadd_ps(a, b, c);
#else
    return a * b + c;
#endif
}

/* Consecutive panels with several samples, from column `first` of these on; one of the numbers is 1. More sums at once
 * hide the latency of adding. */
INLINED void tile(size_t panels, size_t samples, const float *panel, size_t width, const float *const v[], size_t first,
                  float *out, size_t out_stride) {
    singles sums[8][SINGLE_PARTS] = {{{0}}};
    const float *x[8];
    for (size_t s = 0; s < samples; s++)
        x[s] = v[s] + first;
    for (size_t k = 0; k < width; k++)
        for (size_t r = 0; r < panels; r++)
            for (size_t p = 0; p < SINGLE_PARTS; p++) {
                const singles a = load_singles(panel + HCRI_SINGLE_PANEL * (r * width + k) + SINGLES * p);
                for (size_t s = 0; s < samples; s++)
                    sums[r + s][p] = add_products(a, spread_single(x[s][k]), sums[r + s][p]);
            }
    for (size_t r = 0; r < panels; r++)
        for (size_t s = 0; s < samples; s++)
            for (size_t p = 0; p < SINGLE_PARTS; p++)
                store_singles(out + s * out_stride + HCRI_SINGLE_PANEL * r + SINGLES * p, sums[r + s][p]);
}

enum { SAMPLES = WIDTH, PANELS = WIDTH < 4 ? WIDTH : 4 };

static void panel_products(size_t panels, const float *panel, size_t width, size_t samples, const float *const v[],
                           size_t first, float *out, size_t out_stride) {
    size_t s = 0;
    for (; s + SAMPLES <= samples; s += SAMPLES)
        for (size_t r = 0; r < panels; r++)
            tile(1, SAMPLES, panel + HCRI_SINGLE_PANEL * width * r, width, v + s, first,
                 out + s * out_stride + HCRI_SINGLE_PANEL * r, out_stride);
    for (; s < samples; s++) {
        size_t r = 0;
        for (; r + PANELS <= panels; r += PANELS)
            tile(PANELS, 1, panel + HCRI_SINGLE_PANEL * width * r, width, v + s, first,
                 out + s * out_stride + HCRI_SINGLE_PANEL * r, out_stride);
        for (; r < panels; r++)
            tile(1, 1, panel + HCRI_SINGLE_PANEL * width * r, width, v + s, first,
                 out + s * out_stride + HCRI_SINGLE_PANEL * r, out_stride);
    }
}

static size_t panels_of(size_t rows) { return (rows + HCRI_SINGLE_PANEL - 1) / HCRI_SINGLE_PANEL; }

static void products(size_t count, const float *panels, size_t width, size_t samples, const float *const v[],
                     float *out) {
    panel_products(panels_of(count), panels, width, samples, v, 0, out, HCRI_SINGLE_ROWS);
}

static void directions(size_t n, size_t samples, const double *v, size_t stride, const double *size, float *direction) {
    for (size_t s = 0; s < samples; s++) {
        const double scale = 1 / size[s];
#pragma omp simd
        for (size_t j = 0; j < n; j++)
            direction[s * n + j] = (float)(v[s * stride + j] * scale);
    }
}

static inline float largest(singles x) {
    float most = x[0];
    for (size_t l = 1; l < SINGLES; l++)
        most = x[l] > most ? x[l] : most;
    return most;
}

static void rows_exceed(const hcri_single_rows *rows, size_t samples, const float *const v[], float *limit, float *most,
                        unsigned char *exceeds) {
    const hcri_single_rows of = *rows;
    products(of.count, of.panels, of.width, samples, v, most);
    for (size_t s = 0; s < samples; s++) {
        float *t = most + s * HCRI_SINGLE_ROWS;
        singles highest = {0}, surest = {0};
        for (size_t i = 0; i < HCRI_SINGLE_PANEL * panels_of(of.count); i += SINGLES) {
            const singles x = load_singles(t + i);
            const singles off = load_singles(of.error_bound + i),
                          found = larger(x * load_singles(of.upper + i), x * load_singles(of.lower + i));
            store_singles(t + i, found + off);
            highest = larger(highest, found + off);
            surest = larger(surest, found - off);
        }
        exceeds[s] = largest(highest) > limit[s];
        if (exceeds[s] && largest(surest) > limit[s])
            limit[s] = largest(surest);
    }
}

static float total(const float x[HCRI_SINGLE_PANEL]) {
    float sum = 0;
    for (size_t l = 0; l < HCRI_SINGLE_PANEL; l++)
        sum += x[l];
    return sum;
}

static void triangle_form(size_t n, const float *panels, size_t samples, const float *const v[], float *out) {
    singles sums[HCRI_SINGLE_SAMPLES][SINGLE_PARTS] = {{{0}}};
    const float *panel = panels;
    for (size_t i = 0; i < n; i += HCRI_SINGLE_PANEL) {
        const size_t width = n - i;
        float t[HCRI_SINGLE_SAMPLES][HCRI_SINGLE_PANEL], some[HCRI_SINGLE_PANEL] = {0};
        panel_products(1, panel, width, samples, v, i, t[0], HCRI_SINGLE_PANEL);
        for (size_t s = 0; s < samples; s++) {
            const float *x = v[s] + i;
            for (size_t l = 0; width < HCRI_SINGLE_PANEL && l < width; l++)
                some[l] = x[l];
            for (size_t p = 0; p < SINGLE_PARTS; p++)
                sums[s][p] =
                    add_products(load_singles(t[s] + SINGLES * p),
                                 load_singles((width < HCRI_SINGLE_PANEL ? some : x) + SINGLES * p), sums[s][p]);
        }
        panel += HCRI_SINGLE_PANEL * width;
    }
    for (size_t s = 0; s < samples; s++) {
        float x[HCRI_SINGLE_PANEL];
        for (size_t p = 0; p < SINGLE_PARTS; p++)
            store_singles(x + SINGLES * p, sums[s][p]);
        out[s] = total(x);
    }
}

extern const hcri_single_kernels HCRI_JOIN(hcri_single_, HCRI_VARIANT);
const hcri_single_kernels HCRI_JOIN(hcri_single_, HCRI_VARIANT) = {
    .directions = directions,
    .products = products,
    .rows_exceed = rows_exceed,
    .triangle_form = triangle_form,
};
