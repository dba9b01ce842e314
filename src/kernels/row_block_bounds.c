#include "kernels/row_block_bounds.h"

#include <math.h>

#include "base/vector.h"
#include "kernels/single_precision.h"

/* ---------------------------------------------------------------------------------------------------------- order */

typedef struct ordering {
    const hcri_scaled_rows *scaled;
    size_t first;
    double *mean, *spread; /* n each */
    double *length;        /* of the nearer side of row first + i */
    double *key;           /* of each row, by the row's place in `row` */
} ordering;

/* The inverse of the row's nearer side. */
static double nearer(const hcri_scaled_rows *scaled, size_t i) { return fmax(scaled->upper[i], -scaled->lower[i]); }

static double length_of(const hcri_scaled_rows *scaled, size_t i) {
    const hcri_row row = hcri_rows_row(scaled->rows, i);
    return hcri_norm(row.count, row.values) * nearer(scaled, i);
}

/* The column in which the sides of the rows differ most, in a sample of some hundreds. */
static size_t widest_column(const ordering *at, const uint32_t *row, size_t count) {
    enum { ASKED = 256 };
    const size_t step = count / ASKED + 1, asked = (count + step - 1) / step, n = at->scaled->n;
    for (size_t j = 0; j < n; j++)
        at->mean[j] = at->spread[j] = 0;
    for (size_t i = 0; i < count; i += step) {
        const hcri_row a = hcri_rows_row(at->scaled->rows, row[i]);
        for (size_t k = 0; k < a.count; k++) {
            const double x = a.values[k] * nearer(at->scaled, row[i]);
            at->mean[a.columns[k]] += x;
            at->spread[a.columns[k]] += x * x;
        }
    }
    size_t widest = 0;
    double most = -1;
    for (size_t j = 0; j < n; j++) {
        const double variance = at->spread[j] - at->mean[j] * at->mean[j] / (double)asked;
        if (variance > most) {
            most = variance;
            widest = j;
        }
    }
    return widest;
}

static double entry(const hcri_rows *rows, size_t i, size_t column) {
    if (rows->columns[rows->start[i + 1] - 1] == rows->start[i + 1] - rows->start[i] - 1) /* no zeros before the last */
        return rows->start[i] + column < rows->start[i + 1] ? rows->values[rows->start[i] + column] : 0;
    size_t low = rows->start[i], high = rows->start[i + 1];
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (rows->columns[middle] < column)
            low = middle + 1;
        else
            high = middle;
    }
    return low < rows->start[i + 1] && rows->columns[low] == column ? rows->values[low] : 0;
}

static void swap(double *key, uint32_t *row, size_t i, size_t j) {
    const double k = key[i];
    const uint32_t r = row[i];
    key[i] = key[j];
    row[i] = row[j];
    key[j] = k;
    row[j] = r;
}

/* Brings the `first` rows with the least keys to the front (Hoare's selection). */
static void select_least(double *key, uint32_t *row, size_t count, size_t first) {
    size_t low = 0, high = count - 1;
    while (low < high) {
        const double pivot = key[low + (high - low) / 2];
        size_t i = low, j = high;
        for (;;) {
            while (key[i] < pivot)
                i++;
            while (key[j] > pivot)
                j--;
            if (i >= j)
                break;
            swap(key, row, i++, j--);
        }
        if (i > j && first <= j)
            high = j;
        else if (i > j && first > i)
            low = i;
        else if (i == j && first < i)
            high = i - 1;
        else if (i == j && first > i)
            low = i + 1;
        else
            return;
    }
}

/* 1 when the keys are the lengths, the longest first: they differ by more than a fifth. */
static int key_by_length(const ordering *at, const uint32_t *row, size_t count) {
    double longest = 0, shortest = INFINITY;
    for (size_t i = 0; i < count; i++) {
        const double length = at->length[row[i] - at->first];
        at->key[i] = -length;
        longest = length > longest ? length : longest;
        shortest = length < shortest ? length : shortest;
    }
    return longest > 1.2 * shortest;
}

/* Halves the rows, in whole blocks, by their lengths while these differ, then across the column in which they differ
 * most, down to single blocks. */
static void halve(const ordering *at, uint32_t *row, size_t count) {
    while (count > HCRI_SINGLE_ROWS) {
        const size_t blocks = (count + HCRI_SINGLE_ROWS - 1) / HCRI_SINGLE_ROWS, half = blocks / 2 * HCRI_SINGLE_ROWS;
        if (!key_by_length(at, row, count)) {
            const size_t column = widest_column(at, row, count);
            for (size_t i = 0; i < count; i++)
                at->key[i] = entry(at->scaled->rows, row[i], column) * nearer(at->scaled, row[i]);
        }
        select_least(at->key, row, count, half);
        halve(at, row, half);
        row += half;
        count -= half;
    }
}

hcr_status hcri_float_filter_order(const hcri_scaled_rows *scaled, size_t first, size_t count,
                                   const hcr_allocator *allocator, uint32_t *row, hcr_error *error) {
    const size_t n = scaled->n;
    for (size_t i = 0; i < count; i++)
        row[i] = (uint32_t)(first + i);
    HCRI_SCRATCH(scratch, allocator);
    double *numbers = hcri_allocate(scratch, 2 * n + 2 * count, sizeof *numbers);
    HCRI_ALLOCATED(numbers);
    const ordering at = {scaled, first, numbers, numbers + n, numbers + 2 * n, numbers + 2 * n + count};
    for (size_t i = 0; i < count; i++)
        at.length[i] = length_of(scaled, first + i);
    halve(&at, row, count);
    return HCR_OK;
}

/* --------------------------------------------------------------------------------------------------------- bounds */

/* The float above x, and above the sum of it with what rounding takes from a product of n terms of that size. */
static float above(double x, double size, size_t n) {
    return nextafterf((float)(x + 1.01 * ((double)n + 16) * 0x1p-24 * size), INFINITY);
}

/* One side of a block's rows: its centre as row number `to` of the panels, its reach. */
static void bound_side(const hcri_scaled_rows *scaled, const uint32_t *row, size_t count, double *centre,
                       hcri_float_filter_blocks *blocks, size_t to) {
    const hcri_rows *rows = scaled->rows;
    const double *inverse = to % 2 == 0 ? scaled->upper : scaled->lower;
    const size_t n = scaled->n;
    size_t sides = 0;
    for (size_t j = 0; j < n; j++)
        centre[j] = 0;
    for (size_t i = 0; i < count; i++) {
        if (inverse[row[i]] == 0)
            continue;
        sides++;
        hcri_rows_add(rows, row[i], inverse[row[i]], centre);
    }
    double squares = 0;
    float *panel = blocks->centres + to / HCRI_SINGLE_PANEL * HCRI_SINGLE_PANEL * n + to % HCRI_SINGLE_PANEL;
    for (size_t j = 0; j < n; j++) {
        panel[HCRI_SINGLE_PANEL * j] = sides == 0 ? 0 : (float)(centre[j] / (double)sides);
        centre[j] = (double)panel[HCRI_SINGLE_PANEL * j];
        squares += centre[j] * centre[j];
    }
    double farthest = 0;
    for (size_t i = 0; i < count; i++) {
        if (inverse[row[i]] == 0)
            continue;
        double distance = 0; /* |side − centre|² */
        size_t k = rows->start[row[i]];
        for (size_t j = 0; j < n; j++) {
            const int has = k < rows->start[row[i] + 1] && rows->columns[k] == j;
            const double off = (has ? rows->values[k] * inverse[row[i]] : 0) - centre[j];
            k += (size_t)has;
            distance += off * off;
        }
        farthest = fmax(farthest, sqrt(distance));
    }
    blocks->reach[to] = sides == 0 ? -INFINITY : above(farthest, sqrt(squares) + farthest, n);
}

static int reserve(hcri_float_filter_blocks *blocks, size_t n, const hcr_allocator *allocator) {
    const size_t padded = (2 * blocks->count + HCRI_SINGLE_PANEL - 1) / HCRI_SINGLE_PANEL * HCRI_SINGLE_PANEL;
    blocks->centres = hcri_allocate(allocator, padded, n * sizeof(float));
    blocks->reach = hcri_allocate(allocator, padded, sizeof(float));
    blocks->longest = hcri_allocate(allocator, blocks->count, sizeof(float));
    return blocks->centres != NULL && blocks->reach != NULL && blocks->longest != NULL;
}

hcri_float_filter_blocks *hcri_float_filter_blocks_make(const hcri_scaled_rows *scaled, const uint32_t *row,
                                                        size_t count, const hcr_allocator *memory) {
    const size_t n = scaled->n;
    HCRI_SCRATCH(scratch, memory);
    hcri_float_filter_blocks *blocks = hcri_allocate(memory, 1, sizeof *blocks);
    double *centre = hcri_allocate(scratch, n, sizeof *centre);
    if (blocks == NULL || centre == NULL)
        return NULL;
    blocks->count = (count + HCRI_SINGLE_ROWS - 1) / HCRI_SINGLE_ROWS;
    if (!reserve(blocks, n, memory))
        return NULL;
    for (size_t b = 0; b < blocks->count; b++) {
        const uint32_t *of_block = row + b * HCRI_SINGLE_ROWS;
        const size_t left = count - b * HCRI_SINGLE_ROWS, rows_here = left < HCRI_SINGLE_ROWS ? left : HCRI_SINGLE_ROWS;
        bound_side(scaled, of_block, rows_here, centre, blocks, 2 * b);
        bound_side(scaled, of_block, rows_here, centre, blocks, 2 * b + 1);
        double longest = 0;
        for (size_t i = 0; i < rows_here; i++)
            longest = fmax(longest, length_of(scaled, of_block[i]));
        blocks->longest[b] = above(longest, longest, n);
    }
    return blocks;
}
