#include "project/envelope_cholesky.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

void hcri_envelope_release(hcri_envelope *envelope) {
    for (size_t i = 0; i < envelope->capacity; i++) {
        free(envelope->row[i].gram);
        free(envelope->row[i].factor);
    }
    free(envelope->row);
    free(envelope->cosine);
    free(envelope->sine);
    *envelope = (hcri_envelope){0};
}

void hcri_envelope_clear(hcri_envelope *envelope) {
    envelope->count = envelope->numbers = 0;
    envelope->out_of_memory = 0;
}

static size_t length(const hcri_envelope *envelope, size_t i) { return i + 1 - envelope->row[i].first; }

static int fail_memory(hcri_envelope *envelope) {
    envelope->out_of_memory = 1;
    return 0;
}

/* Room for `needed` numbers in a row's arrays. */
static int reserve(hcri_envelope_row *row, size_t needed) {
    if (needed <= row->capacity)
        return 1;
    const size_t capacity = needed + needed / 2 + 4;
    double *gram = realloc(row->gram, capacity * sizeof *gram);
    if (gram != NULL)
        row->gram = gram;
    double *factor = realloc(row->factor, capacity * sizeof *factor);
    if (factor != NULL)
        row->factor = factor;
    if (gram == NULL || factor == NULL)
        return 0;
    row->capacity = capacity;
    return 1;
}

/* Four sums, so that additions don't wait for each other. */
static double dot(size_t n, const double *a, const double *b) {
    double sum[4] = {0, 0, 0, 0};
    size_t k = 0;
    for (; k + 4 <= n; k += 4)
        for (size_t s = 0; s < 4; s++)
            sum[s] += a[k + s] * b[k + s];
    for (; k < n; k++)
        sum[0] += a[k] * b[k];
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

/* L_ij = (G_ij − Σ_k L_ik L_jk)/L_jj for j < i, then L_ii. */
static int factor_row(hcri_envelope *envelope, size_t i) {
    hcri_envelope_row *row = &envelope->row[i];
    for (size_t j = row->first; j < i; j++) {
        const hcri_envelope_row *other = &envelope->row[j];
        const size_t from = row->first > other->first ? row->first : other->first;
        const double product = from < j ? dot(j - from, row->factor + (from - row->first), //
                                              other->factor + (from - other->first))
                                        : 0;
        row->factor[j - row->first] = (row->gram[j - row->first] - product) * other->inverse;
    }
    const size_t left = i - row->first;
    const double pivot = row->gram[left] - dot(left, row->factor, row->factor);
    if (!(pivot > 0))
        return 0;
    row->factor[left] = sqrt(pivot);
    row->inverse = 1 / row->factor[left];
    return 1;
}

/* Computes anew every row from `position` on that is marked or reaches into one that was computed anew. */
static int factor_from(hcri_envelope *envelope, size_t position, size_t marked_until) {
    size_t changed_until = position;
    for (size_t i = position; i < envelope->count; i++) {
        if (i >= marked_until && envelope->row[i].first >= changed_until)
            continue;
        if (!factor_row(envelope, i))
            return 0;
        changed_until = i + 1;
    }
    return 1;
}

int hcri_envelope_insert(hcri_envelope *envelope, size_t position, const double *cross, double diagonal) {
    if (envelope->count == envelope->capacity) {
        const size_t capacity = 2 * envelope->capacity + 16;
        hcri_envelope_row *row = realloc(envelope->row, capacity * sizeof *row);
        if (row == NULL)
            return fail_memory(envelope);
        memset(row + envelope->capacity, 0, (capacity - envelope->capacity) * sizeof *row);
        envelope->row = row;
        double *cosine = realloc(envelope->cosine, capacity * sizeof *cosine);
        if (cosine != NULL)
            envelope->cosine = cosine;
        double *sine = realloc(envelope->sine, capacity * sizeof *sine);
        if (sine != NULL)
            envelope->sine = sine;
        if (cosine == NULL || sine == NULL)
            return fail_memory(envelope);
        envelope->capacity = capacity;
    }
    /* The first unused row moves to `position`. */
    hcri_envelope_row made = envelope->row[envelope->count];
    memmove(envelope->row + position + 1, envelope->row + position,
            (envelope->count - position) * sizeof *envelope->row);
    made.first = position;
    for (size_t j = 0; j < position; j++)
        if (cross[j] != 0) {
            made.first = j;
            break;
        }
    const size_t made_length = position + 1 - made.first;
    const int room = reserve(&made, made_length);
    envelope->row[position] = made;
    envelope->count++;
    if (!room)
        return fail_memory(envelope);
    if (made_length > 1)
        memcpy(made.gram, cross + made.first, (made_length - 1) * sizeof *cross);
    made.gram[made_length - 1] = diagonal;
    envelope->numbers += made_length;

    size_t marked_until = position + 1;
    for (size_t i = position + 1; i < envelope->count; i++) {
        hcri_envelope_row *row = &envelope->row[i];
        const double entry = cross[i - 1];
        const size_t old_length = i - row->first; /* both i and the columns from `position` on have moved by one */
        if (row->first >= position && entry == 0) {
            row->first++;
            continue;
        }
        /* The new column lies inside the envelope, or widens it to the left by `gap` zeros. */
        const size_t gap = row->first >= position ? row->first - position : 0;
        const size_t before = row->first >= position ? 0 : position - row->first;
        if (!reserve(row, old_length + 1 + gap))
            return fail_memory(envelope);
        memmove(row->gram + before + 1 + gap, row->gram + before, (old_length - before) * sizeof *row->gram);
        row->gram[before] = entry;
        for (size_t k = 0; k < gap; k++)
            row->gram[before + 1 + k] = 0;
        if (row->first > position)
            row->first = position;
        envelope->numbers += 1 + gap;
        marked_until = i + 1;
    }
    return factor_from(envelope, position, marked_until);
}

/* Column l of L goes: what is left behind it has the Gram matrix L L' + l l', whose factor L' is R [L l]' with
 * rotations R that take l to 0 (Golub and Van Loan, Matrix Computations, 6.5.4). */
static void rotate_away(hcri_envelope *envelope, size_t position) {
    double *cosine = envelope->cosine, *sine = envelope->sine;
    size_t changed_until = position + 1;
    for (size_t i = position + 1; i < envelope->count; i++) {
        hcri_envelope_row *row = &envelope->row[i];
        cosine[i] = 1;
        sine[i] = 0;
        if (row->first >= changed_until)
            continue;
        double left = row->first <= position ? row->factor[position - row->first] : 0;
        size_t j = row->first > position ? row->first : position + 1;
        double *factor = row->factor + (j - row->first);
        for (; j < i; j++, factor++) {
            const double before = *factor;
            *factor = cosine[j] * before + sine[j] * left;
            left = cosine[j] * left - sine[j] * before;
        }
        const double length = sqrt(*factor * *factor + left * left);
        cosine[i] = *factor / length;
        sine[i] = left / length;
        *factor = length;
        row->inverse = 1 / length;
        changed_until = i + 1;
    }
}

/* Takes `count` numbers out of a row's arrays, which have `all`. */
static void cut_out(hcri_envelope_row *row, size_t at, size_t count, size_t all) {
    const size_t behind = all - at - count;
    memmove(row->gram + at, row->gram + at + count, behind * sizeof *row->gram);
    memmove(row->factor + at, row->factor + at + count, behind * sizeof *row->factor);
}

void hcri_envelope_remove(hcri_envelope *envelope, size_t position) {
    rotate_away(envelope, position);
    envelope->numbers -= length(envelope, position);
    const hcri_envelope_row gone = envelope->row[position];
    memmove(envelope->row + position, envelope->row + position + 1,
            (envelope->count - position - 1) * sizeof *envelope->row);
    envelope->row[--envelope->count] = gone;
    for (size_t i = position; i < envelope->count; i++) {
        hcri_envelope_row *row = &envelope->row[i];
        if (row->first > position) {
            row->first--;
            continue;
        }
        const size_t at = position - row->first, old_length = i + 2 - row->first;
        cut_out(row, at, 1, old_length);
        size_t zeros = 0; /* the envelope starts at the next non-zero */
        if (at == 0)
            while (zeros + 1 < old_length - 1 && row->gram[zeros] == 0)
                zeros++;
        cut_out(row, 0, zeros, old_length - 1);
        row->first += zeros;
        envelope->numbers -= 1 + zeros;
    }
}

void hcri_envelope_forward(const hcri_envelope *envelope, double *x) {
    size_t i = 0;
    while (i < envelope->count && x[i] == 0)
        i++;
    for (const size_t start = i; i < envelope->count; i++) {
        const hcri_envelope_row *row = &envelope->row[i];
        const size_t from = row->first > start ? row->first : start;
        x[i] = (x[i] - dot(i - from, row->factor + (from - row->first), x + from)) * row->inverse;
    }
}

void hcri_envelope_backward(const hcri_envelope *envelope, double *x) {
    for (size_t i = envelope->count; i-- > 0;) {
        const hcri_envelope_row *row = &envelope->row[i];
        x[i] *= row->inverse;
        if (x[i] == 0)
            continue;
        for (size_t j = row->first; j < i; j++)
            x[j] -= row->factor[j - row->first] * x[i];
    }
}
