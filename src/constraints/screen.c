#include "constraints/screen.h"

#include <math.h>

#include "constraints/kernels.h"
#include "core/vector.h"

/* Fewer rows, or shorter ones, aren't worth the conversion of the directions. */
static const size_t fewest_rows = 48, shortest_row = 16;

static size_t padded(size_t count) { return (count + HCRI_SINGLE_PANEL - 1) / HCRI_SINGLE_PANEL * HCRI_SINGLE_PANEL; }

void hcri_screen_release(hcri_screen *screen, const hcr_allocator *allocator) {
    hcri_release(allocator, screen->panels);
    hcri_release(allocator, screen->lower);
    hcri_release(allocator, screen->upper);
    hcri_release(allocator, screen->doubt);
    *screen = (hcri_screen){0};
}

/* Row i of the screen from a row of the matrix; 0 when single precision can't hold its inverse slacks.
 *
 * The doubt: for |v| = 1 the computed max(t upper, t lower) is off by (n + 3) 2^-24 |a| max(|upper|, |lower|) at most for
 * the roundings of v, a, the inverses and the sum, and what underflows is less than a part of 2^-24 of it. n + 16 covers
 * that and the addition of the doubt itself. */
static int fill_row(const hcri_screen *screen, size_t i, size_t n, size_t terms, const uint32_t *columns,
                    const double *values, double lower, double upper) {
    double largest = 0;
    for (size_t k = 0; k < terms; k++)
        largest = fmax(largest, fabs(values[k]));
    const int exponent = ilogb(largest);
    const double low = ldexp(lower, exponent), high = ldexp(upper, exponent), most = fmax(fabs(low), fabs(high));
    if (!(most >= 0x1p-80 && most <= 0x1p80) || (low != 0 && fabs(low) < 0x1p-100) || (high != 0 && high < 0x1p-100))
        return 0;
    float *panel = screen->panels + i / HCRI_SINGLE_PANEL * HCRI_SINGLE_PANEL * n;
    for (size_t k = 0; k < terms; k++)
        panel[HCRI_SINGLE_PANEL * columns[k] + i % HCRI_SINGLE_PANEL] = (float)ldexp(values[k], -exponent);
    screen->lower[i] = (float)low;
    screen->upper[i] = (float)high;
    screen->doubt[i] = (float)(1.01 * ((double)n + 16) * 0x1p-24 * ldexp(hcri_norm(terms, values), -exponent) * most);
    return 1;
}

hcr_status hcri_screen_make(const hcri_rows *rows, const hcri_run *run, size_t n, const double *lower,
                            const double *upper, const hcr_allocator *allocator, hcri_screen *screen,
                            hcr_error *error) {
    *screen = (hcri_screen){0};
    if (run->form != HCRI_RUN_DENSE || run->count < fewest_rows || n < shortest_row || n > HCRI_SCREEN_WIDTH)
        return HCR_OK;
    const size_t count = padded(run->count);
    screen->panels = hcri_allocate(allocator, count, n * sizeof(float));
    screen->lower = hcri_allocate(allocator, count, sizeof(float));
    screen->upper = hcri_allocate(allocator, count, sizeof(float));
    screen->doubt = hcri_allocate(allocator, count, sizeof(float));
    if (screen->panels == NULL || screen->lower == NULL || screen->upper == NULL || screen->doubt == NULL) {
        hcri_screen_release(screen, allocator);
        return hcri_fail_memory(error);
    }
    for (size_t i = 0; i < run->count; i++) {
        const size_t row = run->first + i, start = rows->start[row];
        if (!fill_row(screen, i, n, rows->start[row + 1] - start, rows->columns + start, rows->values + start,
                      lower[row], upper[row])) {
            hcri_screen_release(screen, allocator);
            break;
        }
    }
    return HCR_OK;
}

size_t hcri_screen_samples(size_t n) {
    return n * HCRI_SINGLE_SAMPLES <= HCRI_SCREEN_NUMBERS ? HCRI_SINGLE_SAMPLES : HCRI_SCREEN_NUMBERS / n;
}

/* A number in single precision that isn't above x/size. */
static float at_least(double x, double size) { return nextafterf((float)(x / size), -INFINITY); }

/* Rows of a run that may be the nearest, in their order. */
enum { MOST_CANDIDATES = 16 };
typedef struct candidates {
    size_t count;
    size_t row[MOST_CANDIDATES]; /* of the matrix */
    float most[MOST_CANDIDATES];
} candidates;

typedef struct screened {
    const hcri_rows *rows;
    const double *lower, *upper;
    uint32_t first;
} screened;

/* Computes the candidates that may still be above the limit in double precision, and raises *best by them. Where it
 * grew *champion gets the first that attains it. */
static void decide(const screened *by, candidates *from, const double *v, double size, float *limit, double *best,
                   uint32_t *champion) {
    const hcri_kernels *kernels = hcri_kernels_best();
    for (size_t c = 0; c < from->count; c++) {
        if (!(from->most[c] > *limit))
            continue;
        const size_t row = from->row[c], start = by->rows->start[row];
        const double t =
            kernels->row_dot(by->rows->start[row + 1] - start, by->rows->columns + start, by->rows->values + start, v);
        const double above = t * by->upper[row], below = t * by->lower[row];
        const double gauge = above > below ? above : below;
        if (!(gauge > *best))
            continue;
        *best = gauge;
        *limit = fmaxf(*limit, at_least(gauge, size));
        if (champion != NULL)
            *champion = by->first + (uint32_t)(2 * row + (above != gauge));
    }
    from->count = 0;
}

/* Adds the rows of a block that may be above the limit; decides on the candidates when there are too many. */
static void collect(const screened *by, candidates *to, size_t row, size_t count, const float *most, const double *v,
                    double size, float *limit, double *best, uint32_t *champion) {
    for (size_t i = 0; i < count; i++) {
        if (!(most[i] > *limit))
            continue;
        if (to->count == MOST_CANDIDATES)
            decide(by, to, v, size, limit, best, champion);
        to->row[to->count] = row + i;
        to->most[to->count++] = most[i];
    }
}

/* At most hcri_screen_samples(n) of them. */
static void screen_some(const hcri_screen *screen, const screened *by, const hcri_run *run, size_t n, size_t samples,
                        const double *v, size_t stride, double *best, uint32_t *champion) {
    const hcri_kernels *kernels = hcri_kernels_best();
    float directions[HCRI_SCREEN_NUMBERS], most[HCRI_SINGLE_SAMPLES * HCRI_SINGLE_ROWS], limit[HCRI_SINGLE_SAMPLES];
    double size[HCRI_SINGLE_SAMPLES];
    unsigned char exceeds[HCRI_SINGLE_SAMPLES];
    candidates found[HCRI_SINGLE_SAMPLES];
    for (size_t s = 0; s < samples; s++) {
        size[s] = sqrt(kernels->squares(n, v + s * stride));
        limit[s] = at_least(best[s], size[s]);
        found[s].count = 0;
    }
    kernels->single->directions(n, samples, v, stride, size, directions);
    for (size_t i = 0; i < run->count; i += HCRI_SINGLE_ROWS) {
        const size_t left = run->count - i, count = left < HCRI_SINGLE_ROWS ? left : HCRI_SINGLE_ROWS;
        kernels->single->rows_exceed(count, screen->panels + i * n, n, screen->lower + i, screen->upper + i,
                                     screen->doubt + i, samples, directions, n, limit, most, exceeds);
        for (size_t s = 0; s < samples; s++)
            if (exceeds[s])
                collect(by, &found[s], run->first + i, count, most + s * HCRI_SINGLE_ROWS, v + s * stride, size[s],
                        &limit[s], &best[s], champion == NULL ? NULL : &champion[s]);
    }
    for (size_t s = 0; s < samples; s++)
        decide(by, &found[s], v + s * stride, size[s], &limit[s], &best[s], champion == NULL ? NULL : &champion[s]);
}

void hcri_screen_max(const hcri_screen *screen, const hcri_rows *rows, const hcri_run *run, size_t n, size_t samples,
                     const double *v, size_t stride, const double *lower, const double *upper, double *best,
                     uint32_t first, uint32_t *champion) {
    const size_t at_once = hcri_screen_samples(n);
    const screened by = {rows, lower, upper, first};
    for (size_t s = 0; s < samples; s += at_once)
        screen_some(screen, &by, run, n, samples - s < at_once ? samples - s : at_once, v + s * stride, stride,
                    best + s, champion == NULL ? NULL : champion + s);
}
