#include "kernels/float_filter.h"

#include <math.h>

#include "base/vector.h"
#include "kernels/kernels.h"

/* Fewer rows, or shorter ones, aren't worth the conversion of the directions; fewer aren't worth bounds of blocks. */
static const size_t fewest_rows = 48, shortest_row = 16, fewest_bounded = 1024;

static size_t padded(size_t count) { return (count + HCRI_SINGLE_PANEL - 1) / HCRI_SINGLE_PANEL * HCRI_SINGLE_PANEL; }

/* ----------------------------------------------------------------------------------------------------------- make */

/* Row i of the float filter from a row of the matrix; 0 when single precision can't hold its inverse slacks.
 *
 * The error bound: for |v| = 1 the computed max(t upper, t lower) is off by (n + 3) 2^-24 |a| max(|upper|, |lower|) at
 * most for the roundings of v, a, the inverses and the sum, and what underflows is less than a part of 2^-24 of it. n +
 * 16 covers that and the addition of the error bound itself. */
static int fill_row(const hcri_float_filter *float_filter, size_t i, size_t n, hcri_row row, double lower,
                    double upper) {
    const double largest = hcri_max_norm(row.count, row.values);
    const int exponent = ilogb(largest);
    const double low = ldexp(lower, exponent), high = ldexp(upper, exponent), most = fmax(fabs(low), fabs(high));
    if (exponent < -1000 || !(most >= 0x1p-80 && most <= 0x1p80) || (low != 0 && fabs(low) < 0x1p-100) ||
        (high != 0 && high < 0x1p-100))
        return 0;
    float *panel = float_filter->panels + i / HCRI_SINGLE_PANEL * HCRI_SINGLE_PANEL * n + i % HCRI_SINGLE_PANEL;
    const double scale = ldexp(1, -exponent);
    for (size_t k = 0; k < row.count; k++)
        panel[HCRI_SINGLE_PANEL * row.columns[k]] = (float)(row.values[k] * scale);
    float_filter->lower[i] = (float)low;
    float_filter->upper[i] = (float)high;
    float_filter->error_bound[i] =
        (float)(1.01 * ((double)n + 16) * 0x1p-24 * ldexp(hcri_norm(row.count, row.values), -exponent) * most);
    return 1;
}

static int reserve(hcri_float_filter *float_filter, size_t n, const hcr_allocator *allocator) {
    const size_t count = padded(float_filter->count);
    float_filter->panels = hcri_allocate(allocator, count, n * sizeof(float));
    float_filter->lower = hcri_allocate(allocator, count, sizeof(float));
    float_filter->upper = hcri_allocate(allocator, count, sizeof(float));
    float_filter->error_bound = hcri_allocate(allocator, count, sizeof(float));
    float_filter->row = hcri_allocate(allocator, float_filter->count, sizeof(uint32_t));
    return float_filter->panels != NULL && float_filter->lower != NULL && float_filter->upper != NULL &&
           float_filter->error_bound != NULL && float_filter->row != NULL;
}

hcr_status hcri_float_filter_make(const hcri_scaled_rows *scaled, const hcri_run *run, const hcr_allocator *memory,
                                  hcri_float_filter *float_filter, hcr_error *error) {
    const size_t n = scaled->n;
    hcri_float_filter made = {.count = run->count};
    *float_filter = (hcri_float_filter){0};
    if (run->form != HCRI_RUN_DENSE || run->count < fewest_rows || n < shortest_row || n > HCRI_FLOAT_FILTER_WIDTH)
        return HCR_OK;
    HCRI_ALLOCATED(reserve(&made, n, memory));
    for (size_t i = 0; i < run->count; i++)
        made.row[i] = (uint32_t)(run->first + i);
    if (run->count >= fewest_bounded)
        HCRI_TRY(hcri_float_filter_order(scaled, run->first, run->count, memory, made.row, error));
    for (size_t i = 0; i < run->count; i++) {
        const size_t row = made.row[i];
        if (!fill_row(&made, i, n, hcri_rows_row(scaled->rows, row), scaled->lower[row], scaled->upper[row]))
            return HCR_OK;
    }
    if (run->count >= fewest_bounded) {
        made.blocks = hcri_float_filter_blocks_make(scaled, made.row, run->count, memory);
        HCRI_ALLOCATED(made.blocks);
    }
    *float_filter = made;
    return HCR_OK;
}

/* ------------------------------------------------------------------------------------------------------------ use */

size_t hcri_float_filter_samples(size_t n) {
    return n * HCRI_SINGLE_SAMPLES <= HCRI_FLOAT_FILTER_NUMBERS ? HCRI_SINGLE_SAMPLES : HCRI_FLOAT_FILTER_NUMBERS / n;
}

/* A number in single precision that isn't above x/size. */
static float at_least(double x, double size) { return nextafterf((float)(x / size), -INFINITY); }

/* One direction that is being filtered: the rows that may be the nearest, and the best so far. */
enum { MOST_CANDIDATES = 16 };
typedef struct filtered {
    const double *v;
    double size, best;
    float limit;   /* best/size at most: no row at or below it raises best */
    size_t winner; /* the first row of this run that attains best, SIZE_MAX when none does … */
    int is_lower;  /* … and which side of it */
    size_t candidates;
    uint32_t row[MOST_CANDIDATES];
    float most[MOST_CANDIDATES];
} filtered;

typedef struct filtering {
    const hcri_float_filter *float_filter;
    const hcri_scaled_rows *scaled;
    size_t n, samples;
    filtered at[HCRI_SINGLE_SAMPLES];
    const float *direction[HCRI_SINGLE_SAMPLES];
    float *numbers;  /* HCRI_FLOAT_FILTER_NUMBERS: the directions */
    float *products; /* HCRI_SINGLE_ROWS a sample */
    float *bounds;   /* BLOCKS a sample */
} filtering;

/* Computes the candidates that may still be above the limit in double precision. */
static void decide(const filtering *s, filtered *at) {
    const hcri_kernels *kernels = hcri_kernels_best();
    for (size_t c = 0; c < at->candidates; c++) {
        if (!(at->most[c] > at->limit))
            continue;
        const size_t row = at->row[c];
        const hcri_row a = hcri_rows_row(s->scaled->rows, row);
        const double t = kernels->row_dot(a.count, a.columns, a.values, at->v);
        const double above = t * s->scaled->upper[row], below = t * s->scaled->lower[row];
        const double gauge = above > below ? above : below;
        const int ties_earlier = gauge == at->best && at->winner != SIZE_MAX && row < at->winner;
        if (!(gauge > at->best) && !ties_earlier)
            continue;
        at->best = gauge;
        at->limit = fmaxf(at->limit, at_least(gauge, at->size));
        at->winner = row;
        at->is_lower = above != gauge;
    }
    at->candidates = 0;
}

static void collect(const filtering *s, filtered *at, size_t first, size_t count, const float *most) {
    for (size_t i = 0; i < count; i++) {
        if (!(most[i] > at->limit))
            continue;
        if (at->candidates == MOST_CANDIDATES)
            decide(s, at);
        at->row[at->candidates] = s->float_filter->row[first + i];
        at->most[at->candidates++] = most[i];
    }
}

/* The rows of a block, with the samples whose numbers are given. */
static void visit(filtering *s, size_t block, size_t samples, const unsigned char *which) {
    const hcri_float_filter *float_filter = s->float_filter;
    const size_t n = s->n, first = block * HCRI_SINGLE_ROWS, left = float_filter->count - first;
    const size_t count = left < HCRI_SINGLE_ROWS ? left : HCRI_SINGLE_ROWS;
    float *most = s->products, limit[HCRI_SINGLE_SAMPLES];
    const float *directions[HCRI_SINGLE_SAMPLES];
    unsigned char exceeds[HCRI_SINGLE_SAMPLES];
    for (size_t k = 0; k < samples; k++) {
        limit[k] = s->at[which[k]].limit;
        directions[k] = s->direction[which[k]];
    }
    const hcri_single_rows rows = {count,
                                   n,
                                   float_filter->panels + first * n,
                                   float_filter->lower + first,
                                   float_filter->upper + first,
                                   float_filter->error_bound + first};
    hcri_kernels_best()->single->rows_exceed(&rows, samples, directions, limit, most, exceeds);
    for (size_t k = 0; k < samples; k++) {
        if (!exceeds[k])
            continue;
        filtered *at = &s->at[which[k]];
        at->limit = limit[k];
        collect(s, at, first, count, most + k * HCRI_SINGLE_ROWS);
    }
}

/* Bounds of blocks `from` … (at most BLOCKS) for all samples, BLOCKS a sample. */
enum { BLOCKS = HCRI_SINGLE_ROWS / 2 };
static size_t bound_blocks(const filtering *s, size_t from, float *bound) {
    const hcri_float_filter_blocks *blocks = s->float_filter->blocks;
    const size_t left = blocks->count - from, count = left < BLOCKS ? left : BLOCKS;
    float *along = s->products;
    hcri_kernels_best()->single->products(2 * count, blocks->centres + 2 * from * s->n, s->n, s->samples, s->direction,
                                          along);
    for (size_t k = 0; k < s->samples; k++)
        for (size_t b = 0; b < count; b++) {
            const float *sides = along + k * HCRI_SINGLE_ROWS + 2 * b, *reach = blocks->reach + 2 * (from + b);
            const float upper = sides[0] + reach[0], lower = sides[1] + reach[1], longest = blocks->longest[from + b];
            const float most = upper > lower ? upper : lower;
            bound[k * BLOCKS + b] = most < longest ? most : longest;
        }
    return count;
}

/* 1 when one of the blocks from `from` on (at most BLOCKS) may have a bound above the least of the samples' limits. */
static int may_exceed(const hcri_float_filter_blocks *blocks, size_t from, size_t samples, const float *limit) {
    float least = INFINITY, longest = 0;
    for (size_t k = 0; k < samples; k++)
        least = fminf(least, limit[k]);
    for (size_t b = from; b < blocks->count && b < from + BLOCKS; b++)
        longest = fmaxf(longest, blocks->longest[b]);
    return longest > least;
}

/* First the most promising block of each sample, so that the limits are high; then all blocks whose bounds are above
 * them. */
static void visit_promising(filtering *s) {
    const hcri_float_filter_blocks *blocks = s->float_filter->blocks;
    float *bound = s->bounds, highest[HCRI_SINGLE_SAMPLES], limit[HCRI_SINGLE_SAMPLES];
    size_t promising[HCRI_SINGLE_SAMPLES], count;
    for (size_t k = 0; k < s->samples; k++) {
        promising[k] = 0;
        highest[k] = -INFINITY;
    }
    for (size_t from = 0; from < blocks->count; from += BLOCKS) {
        if (!may_exceed(blocks, from, s->samples, highest))
            continue;
        count = bound_blocks(s, from, bound);
        for (size_t k = 0; k < s->samples; k++)
            for (size_t b = 0; b < count; b++)
                if (bound[k * BLOCKS + b] > highest[k]) {
                    highest[k] = bound[k * BLOCKS + b];
                    promising[k] = from + b;
                }
    }
    for (size_t k = 0; k < s->samples; k++)
        visit(s, promising[k], 1, &(unsigned char){(unsigned char)k});
    for (size_t from = 0; from < blocks->count; from += BLOCKS) {
        for (size_t k = 0; k < s->samples; k++)
            limit[k] = s->at[k].limit;
        if (!may_exceed(blocks, from, s->samples, limit))
            continue;
        count = bound_blocks(s, from, bound);
        for (size_t b = 0; b < count; b++) {
            unsigned char which[HCRI_SINGLE_SAMPLES];
            size_t samples = 0;
            for (size_t k = 0; k < s->samples; k++) {
                which[samples] = (unsigned char)k;
                samples += bound[k * BLOCKS + b] > s->at[k].limit && promising[k] != from + b;
            }
            if (samples != 0)
                visit(s, from + b, samples, which);
        }
    }
}

static void visit_all(filtering *s) {
    unsigned char which[HCRI_SINGLE_SAMPLES];
    for (size_t k = 0; k < s->samples; k++)
        which[k] = (unsigned char)k;
    for (size_t b = 0; b * HCRI_SINGLE_ROWS < s->float_filter->count; b++)
        visit(s, b, s->samples, which);
}

/* At most hcri_float_filter_samples(n) of them. */
static void float_filter_some(filtering *s, const double *v, size_t stride, double *best, uint32_t first,
                              uint32_t *active_constraint) {
    const hcri_kernels *kernels = hcri_kernels_best();
    double size[HCRI_SINGLE_SAMPLES];
    for (size_t k = 0; k < s->samples; k++) {
        const double *x = v + k * stride;
        size[k] = sqrt(kernels->squares(s->n, x));
        filtered *at = &s->at[k];
        at->v = x;
        at->size = size[k];
        at->best = best[k];
        at->limit = at_least(best[k], size[k]);
        at->winner = SIZE_MAX;
        at->candidates = 0;
        s->direction[k] = s->numbers + k * s->n;
    }
    kernels->single->directions(s->n, s->samples, v, stride, size, s->numbers);
    if (s->float_filter->blocks != NULL)
        visit_promising(s);
    else
        visit_all(s);
    for (size_t k = 0; k < s->samples; k++) {
        decide(s, &s->at[k]);
        best[k] = s->at[k].best;
        if (active_constraint != NULL && s->at[k].winner != SIZE_MAX)
            active_constraint[k] = first + (uint32_t)(2 * s->at[k].winner) + (uint32_t)s->at[k].is_lower;
    }
}

void hcri_float_filter_max(const hcri_float_filter *float_filter, const hcri_scaled_rows *scaled, size_t samples,
                           const double *v, size_t stride, double *best, uint32_t first, uint32_t *active_constraint,
                           double *scratch) {
    const size_t at_once = hcri_float_filter_samples(scaled->n);
    filtering s;
    s.float_filter = float_filter;
    s.scaled = scaled;
    s.n = scaled->n;
    s.numbers = (float *)(void *)scratch;
    s.products = s.numbers + HCRI_FLOAT_FILTER_NUMBERS;
    s.bounds = s.products + HCRI_SINGLE_SAMPLES * HCRI_SINGLE_ROWS;
    for (size_t k = 0; k < samples; k += at_once) {
        s.samples = samples - k < at_once ? samples - k : at_once;
        float_filter_some(&s, v + k * stride, stride, best + k, first,
                          active_constraint == NULL ? NULL : active_constraint + k);
    }
}
