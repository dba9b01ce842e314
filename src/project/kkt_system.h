/* The linear system of a point that stays on a face,
 *
 *     H w + J'ν = top,   J w = bottom,
 *
 * with H positive definite, by way of H = L L' and the Schur complement J H⁻¹ J'. Rows of J that depend on those before
 * them are left out, and get ν = 0. */
#ifndef HCRI_KKT_SYSTEM_H
#define HCRI_KKT_SYSTEM_H

#include "base/status.h"
#include "project/metric.h"

typedef struct hcri_kkt_system {
    size_t n, rows;      /* rows: at most n + 1 */
    int is_diagonal;     /* H is: n numbers */
    double *hessian;     /* H and then L; n × n */
    double *jacobian;    /* J, n numbers a row, and then J L⁻ᵀ */
    double *schur;       /* J H⁻¹ J' and then its factor, n + 1 numbers a row */
    unsigned char *kept; /* 0: the row depends on those before it */
} hcri_kkt_system;

/* Room for n; 0 without memory. */
int hcri_kkt_system_create(size_t n, hcri_kkt_system *system);
void hcri_kkt_system_release(hcri_kkt_system *system);
/* H = Q, a diagonal where that is wanted and Q is one, and so many rows of zeros. */
void hcri_kkt_system_clear(hcri_kkt_system *system, const hcri_metric *metric, size_t rows, int diagonal);
/* From H and J; 0 when H isn't positive definite. */
int hcri_kkt_system_factor(hcri_kkt_system *system);
/* top, n numbers, becomes w and bottom, one a row, becomes ν. */
void hcri_kkt_system_solve(const hcri_kkt_system *system, double *top, double *bottom);

#endif
