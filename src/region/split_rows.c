#include "region/split_rows.h"
#include "base/vector.h"

#include <math.h>

#include "kernels/kernels.h"

enum { BITS = 23, ROWS = 32 };

int hcri_split_rows_pay(size_t count, size_t terms) {
    return count >= 8 && terms >= 8 && terms <= 64 * HCRI_SPLIT_COLUMNS;
}

void hcri_split_rows_release(hcri_split_rows *split, const hcr_allocator *allocator) {
    for (size_t p = 0; split->part != NULL && p < split->parts; p++) {
        hcri_release(allocator, split->part[p].high.panels);
        hcri_release(allocator, split->part[p].all.panels);
        hcri_release(allocator, split->part[p].error);
    }
    hcri_release(allocator, split->part);
    *split = (hcri_split_rows){0};
}

/* What rounds numbers of at most that size to BITS bits of it when it is added and taken off. */
static double rounding(double largest) { return ldexp(0x1.8p52, ilogb(largest) + 1 - BITS); }

/* v is off by 2^-BITS of its largest number at most, a row by that share of its own. A sum of 128 products is off by
 * 128 units of their sizes, those of 64 parts by half as much again. */
static void fill(const hcri_split_rows *split, size_t start, hcri_split_columns *part) {
    for (size_t i = 0; i < split->count; i++) {
        const double *values = split->rows->values + split->rows->start[split->first + i] + start;
        const size_t panel = i / HCRI_PANEL * HCRI_PANEL, lane = i % HCRI_PANEL;
        double size = 0, rest = 0;
        const double largest = hcri_max_norm(part->count, values);
        const double by = largest == 0 ? 1 : rounding(largest);
        for (size_t k = 0; k < part->count; k++) {
            const double high = (values[k] + by) - by, low = values[k] - high;
            part->high.panels[panel * part->count + HCRI_PANEL * k + lane] = high;
            part->all.panels[2 * panel * part->count + HCRI_PANEL * k + lane] = high;
            part->all.panels[2 * panel * part->count + HCRI_PANEL * (part->count + k) + lane] = low;
            size += fabs(high);
            rest += fabs(low);
        }
        part->error[i] = 0x1p-53 * 256 * 1.01 * (size * ldexp(1, -BITS) + rest);
    }
}

static hcr_status make_part(const hcri_split_rows *split, size_t start, size_t count, const hcr_allocator *allocator,
                            hcri_split_columns *part, hcr_error *error) {
    const size_t rows = (split->count + HCRI_PANEL - 1) / HCRI_PANEL * HCRI_PANEL;
    part->count = count;
    part->columns = split->rows->columns + split->rows->start[split->first] + start;
    part->high = (hcri_run){.form = HCRI_RUN_DENSE, .count = split->count};
    part->all = part->high;
    part->high.panels = hcri_allocate(allocator, rows * count, sizeof *part->high.panels);
    part->all.panels = hcri_allocate(allocator, 2 * rows * count, sizeof *part->all.panels);
    part->error = hcri_allocate(allocator, split->count, sizeof *part->error);
    HCRI_ALLOCATED(part->high.panels && part->all.panels && part->error);
    fill(split, start, part);
    return HCR_OK;
}

hcr_status hcri_split_rows_make(const hcri_rows *rows, size_t first, size_t count, size_t outputs,
                                const hcr_allocator *allocator, hcri_split_rows *split, hcr_error *error) {
    const size_t start = rows->start[first], terms = rows->start[first + 1] - start;
    *split = (hcri_split_rows){.first = first, .count = count, .terms = terms, .rows = rows};
    split->part = hcri_allocate(allocator, terms / HCRI_SPLIT_COLUMNS + 2, sizeof *split->part);
    HCRI_ALLOCATED(split->part);
    while (split->output_terms < terms && rows->columns[start + split->output_terms] < outputs)
        split->output_terms++;
    for (size_t k = 0, count_now; k < terms; k += count_now) {
        const size_t left = (k < split->output_terms ? split->output_terms : terms) - k;
        count_now = left < HCRI_SPLIT_COLUMNS ? left : HCRI_SPLIT_COLUMNS;
        split->output_parts += k < split->output_terms;
        HCRI_TRY(make_part(split, k, count_now, allocator, &split->part[split->parts++], error));
    }
    return HCR_OK;
}

/* Rows of some samples on their way: sums, what their roundings have lost, and bounds of what else they are off. */
typedef struct sums {
    double sum[HCRI_SPLIT_SAMPLES][ROWS], lost[HCRI_SPLIT_SAMPLES][ROWS], error[HCRI_SPLIT_SAMPLES][ROWS];
} sums;

/* Adds rows `from` to `from` + count of one part's products. */
static void add_part(const hcri_split_columns *part, size_t from, size_t count, size_t samples, const double *v,
                     size_t stride, sums *to) {
    const hcri_kernels *kernels = hcri_kernels_best();
    double high[HCRI_SPLIT_SAMPLES * HCRI_SPLIT_COLUMNS], rest[2 * HCRI_SPLIT_SAMPLES * HCRI_SPLIT_COLUMNS];
    double products[HCRI_SPLIT_SAMPLES][ROWS], size[HCRI_SPLIT_SAMPLES];
    const size_t terms = part->count;
    for (size_t s = 0; s < samples; s++) {
        double *all = rest + (2 * s + 1) * terms, largest = 0;
        for (size_t k = 0; k < terms; k++) {
            all[k] = v[s * stride + part->columns[k]];
            largest = fabs(all[k]) > largest ? fabs(all[k]) : largest;
        }
        const int fits = largest > 0x1p-400 && largest < 0x1p400;
        const double by = fits ? rounding(largest) : 1;
        size[s] = largest == 0 || fits ? largest : INFINITY;
        for (size_t k = 0; k < terms; k++) {
            high[s * terms + k] = (all[k] + by) - by;
            rest[2 * s * terms + k] = all[k] - high[s * terms + k];
        }
    }
    kernels->run_products(NULL, &part->high, terms, from, count, samples, high, terms, products[0], ROWS);
    for (size_t s = 0; s < samples; s++)
        for (size_t i = 0; i < count; i++) { /* Knuth's two-sum */
            const double a = to->sum[s][i], b = products[s][i], sum = a + b, of_b = sum - a;
            to->sum[s][i] = sum;
            to->lost[s][i] += (a - (sum - of_b)) + (b - of_b);
            to->error[s][i] += part->error[from + i] * size[s];
        }
    kernels->run_products(NULL, &part->all, 2 * terms, from, count, samples, rest, 2 * terms, products[0], ROWS);
    for (size_t s = 0; s < samples; s++)
        for (size_t i = 0; i < count; i++)
            to->lost[s][i] += products[s][i];
}

/* Where terms cancel so far that they may be off by more than an eighth of a unit in the last place, or aren't numbers
 * of usual size, the sum to twice the working precision. */
static double accurately(const hcri_split_rows *split, size_t i, const double *constant, const double *v) {
    const size_t start = split->rows->start[split->first + i];
    return hcri_kernels_best()->accurate->dot(constant == NULL ? split->output_terms : split->terms,
                                              split->rows->columns + start, split->rows->values + start, v,
                                              constant == NULL ? 0 : constant[i]);
}

static void complete(const hcri_split_rows *split, const uint32_t *to, const double *constant, size_t samples,
                     double *v, size_t stride) {
    for (size_t from = 0; from < split->count; from += ROWS) {
        const size_t count = split->count - from < ROWS ? split->count - from : ROWS;
        sums found = {0};
        for (size_t s = 0; constant != NULL && s < samples; s++)
            for (size_t i = 0; i < count; i++)
                found.sum[s][i] = constant[from + i];
        for (size_t p = 0; p < (constant == NULL ? split->output_parts : split->parts); p++)
            add_part(&split->part[p], from, count, samples, v, stride, &found);
        for (size_t s = 0; s < samples; s++)
            for (size_t i = 0; i < count; i++) {
                const double sum = found.sum[s][i] + found.lost[s][i];
                v[s * stride + to[from + i]] = found.error[s][i] <= 0x1p-56 * fabs(sum)
                                                   ? sum
                                                   : accurately(split, from + i, constant, v + s * stride);
            }
    }
}

void hcri_split_rows_complete(const hcri_split_rows *split, const uint32_t *to, const double *constant, size_t samples,
                              double *v, size_t stride) {
    for (size_t s = 0; s < samples; s += HCRI_SPLIT_SAMPLES)
        complete(split, to, constant, samples - s < HCRI_SPLIT_SAMPLES ? samples - s : HCRI_SPLIT_SAMPLES,
                 v + s * stride, stride);
}
