/* The Cholesky factor G = L L' of a symmetric positive definite matrix that gains and loses rows one at a time.
 *
 * Each row is kept from its first non-zero on (its envelope, which the factor shares: George and Liu, 1981), so
 * neighbours that only touch neighbours cost what a band costs, and a full matrix what a full one does. After a row has
 * come only those whose envelope reaches a changed one are computed again; after one has gone these are rotated. */
#ifndef HCRI_ENVELOPE_CHOLESKY_H
#define HCRI_ENVELOPE_CHOLESKY_H

#include <stddef.h>

typedef struct hcri_envelope_row {
    size_t first;          /* its first column; the last is its own number */
    size_t capacity;       /* numbers that gram and factor have room for */
    double *gram, *factor; /* G and L from column `first` to the diagonal */
    double inverse;        /* 1/L_ii */
} hcri_envelope_row;

typedef struct hcri_envelope {
    size_t count, capacity; /* rows in use; rows that exist, whose memory is used again */
    size_t numbers;         /* in all envelopes */
    hcri_envelope_row *row;
    double *cosine, *sine; /* a row's rotation, while another one goes */
    int out_of_memory;     /* why the last change failed, if it did; else G wasn't positive definite */
} hcri_envelope;

void hcri_envelope_release(hcri_envelope *envelope);
void hcri_envelope_clear(hcri_envelope *envelope);
/* Makes row and column `position` of G: cross[i] is its entry with the row that is now number i < count, `diagonal` its
 * own. 0 when there is no memory or G is no longer positive definite: then only clear and release may follow. */
int hcri_envelope_insert(hcri_envelope *envelope, size_t position, const double *cross, double diagonal);
/* Takes row and column `position` out. */
void hcri_envelope_remove(hcri_envelope *envelope, size_t position);
/* x = L⁻¹ x, and x = L⁻ᵀ x. */
void hcri_envelope_forward(const hcri_envelope *envelope, double *x);
void hcri_envelope_backward(const hcri_envelope *envelope, double *x);

#endif
