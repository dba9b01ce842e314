/* The point that violates rows least. Each side of a row is hard, or soft with a priority and a price for each unit by
 * which it is violated: what sides of priority 1 cost is least; among those points what sides of priority 2 cost; and
 * so on; and of what is left the point nearest to a guess.
 *
 * That is the limit of one quadratic program, ½|y − guess|² + Σ_k M_k Σ price · violation with M_1 ≫ M_2 ≫ … ≫ 1, and
 * its multipliers are polynomials in the M_k: vectors of numbers, one a priority and one for the distance, that are
 * compared from the first on. The dual active-set method (Goldfarb and Idnani, 1983) goes through with them as it is;
 * a side whose multiplier reaches its price is given up, and comes back when it holds again. Nothing large is ever
 * added to anything small. */
#ifndef HCRI_ELASTIC_H
#define HCRI_ELASTIC_H

#include <stddef.h>
#include <stdint.h>

/* Rows a_i·y between limits, of length 1 each, the first ones equalities of independent coefficients. Side 2i is
 * a_i·y <= upper_i, side 2i + 1 is lower_i <= a_i·y. */
typedef struct hcri_elastic_rows {
    size_t outputs, count, equalities;
    size_t moving; /* the coefficients of the rows from here on change from one solution to another */
    const size_t *start;
    const uint32_t *columns;
    const double *values, *lower, *upper;
    size_t priorities;
    const unsigned char *priority; /* of each side: 0 hard, else 1 … priorities */
    const double *price;           /* of each side, more than 0 */
} hcri_elastic_rows;

typedef enum hcri_elastic_state {
    HCRI_SIDE_FREE,   /* it holds … */
    HCRI_SIDE_ACTIVE, /* … with equality, its multiplier between 0 and its price … */
    HCRI_SIDE_GIVEN_UP
} hcri_elastic_state;

typedef enum hcri_elastic_outcome {
    HCRI_ELASTIC_FOUND,
    HCRI_ELASTIC_CONFLICT, /* hard sides contradict each other */
    HCRI_ELASTIC_LOST      /* rounding kept it from ending: not seen in tests */
} hcri_elastic_outcome;

/* What a solution is in, and its memory: numbers and sides of the caller's, as many as the functions say. */
typedef struct hcri_elastic {
    const hcri_elastic_rows *rows;
    size_t n, parts; /* numbers of a multiplier: a priority each, then the distance */
    size_t stride;   /* from column to column of matrices, for the kernels */
    double *j;       /* n columns: an orthonormal basis; the first `active` ones span the active rows, … */
    double *u;       /* … as they are combined of these: columns by the rows' places, and 0 behind the last */
    size_t active;
    uint32_t *side;        /* of each active row */
    double *multiplier;    /* … and its multiplier, `stride` numbers a part … */
    double *price, *floor; /* … and where it ends, see hcri_elastic_ends */
    unsigned char *state;  /* of each side, an hcri_elastic_state */
    double *y;
    double *d, *step, *w, *normal;              /* `stride` each, as y */
    double *work;                               /* twice that */
    double *own, *end, *least;                  /* `parts` each */
    double *given, *lambda;                     /* of the start: `stride` numbers a part, and `parts` */
    uint32_t *first_single, *next_single;       /* rows of one entry: of each output the first, of each the next one */
    uint32_t *side_behind, *side_ahead, *place; /* of the start, of each output */
    double *value[2], *low, *high;              /* of each row, see hcri_short_rows */
    uint32_t *column[2];
    double *off;  /* for the kernel: how far a row is from its limits */
    size_t wides; /* rows of more than two entries */
    uint32_t *wide;
    size_t members;   /* after a conflict: sides that contradict each other, none of which can be left out */
    uint32_t *member; /* n + 1 */
} hcri_elastic;

size_t hcri_elastic_numbers(const hcri_elastic_rows *rows);
size_t hcri_elastic_sides(const hcri_elastic_rows *rows); /* of uint32_t */
void hcri_elastic_place(hcri_elastic *e, const hcri_elastic_rows *rows, double *numbers, uint32_t *sides);
/* From a guess, outputs numbers, to e->y. */
hcri_elastic_outcome hcri_elastic_solve(hcri_elastic *e, const double *guess);
/* A solution, and its basis; of the same rows. */
void hcri_elastic_copy(const hcri_elastic *from, hcri_elastic *to);
/* Values of all rows, of which `out` has a multiple of 8. */
void hcri_elastic_values(const hcri_elastic *e, const double *y, double *out);
/* 0 where active side i is there for the distance alone. */
int hcri_elastic_binds(const hcri_elastic *e, size_t i);
/* Active sides go that are there for the distance alone: those left are met by all points of least violation. */
void hcri_elastic_keep_binding(hcri_elastic *e);
/* A side whose coefficients don't depend on those of the active ones is active from here on, its state what it was. */
int hcri_elastic_bind(hcri_elastic *e, uint32_t side); /* 1 when it wasn't and is */
void hcri_elastic_unbind_given_up(hcri_elastic *e);
/* Of each output whether it varies along directions that keep the active rows: 1, or 0. */
void hcri_elastic_outputs_vary(const hcri_elastic *e, double *varies);
/* 1 when row i varies by more than a share of it along a direction that keeps the active rows. */
int hcri_elastic_varies(const hcri_elastic *e, size_t count, const uint32_t *columns, const double *values);
/* x = U' of a right side by active rows, then J x added to y: how y moves when active rows' limits do; the adjoint:
 * from the gradient by y that by the active rows' limits; and the part of a direction that active rows leave. */
void hcri_elastic_push(hcri_elastic *e, const double *by_row, double *y);
void hcri_elastic_pull(hcri_elastic *e, const double *y_bar, double *by_row);
void hcri_elastic_leave(hcri_elastic *e, double *direction);

#endif
