/* What was read from a file of optimisation: columns, and relations between affine forms of them. The readers
 * (mps_reader.c, lp_reader.c, cbf_reader.c) fill it, hcri_import_finish checks it and gives names; it doesn't change
 * after that. */
#ifndef HCRI_PROBLEM_H
#define HCRI_PROBLEM_H

#include <setjmp.h>

#include "base/hash_index.h"
#include "base/status.h"
#include "hcr/hcr_import.h"
#include "import/text_lines.h"
#include "text/syntax/arena.h"

typedef struct hcri_column {
    char *name; /* the file's */
    double lower, upper;
    int lower_line, upper_line;  /* where they are said; 0: nowhere, they are 0 and infinity */
    int integer, semicontinuous; /* is left out */
    uint32_t output;             /* its number among the outputs */
} hcri_column;

typedef struct hcri_coefficient { /* of an affine form */
    uint32_t form, column;
    double value;
    int line;
} hcri_coefficient;

typedef enum hcri_relation_kind {
    HCRI_RELATION_ROW,       /* lower <= form <= upper */
    HCRI_RELATION_CONE,      /* |forms after the first| <= the first */
    HCRI_RELATION_ROTATED,   /* |forms after the second|² <= 2 × the first × the second, both at least 0 */
    HCRI_RELATION_MATRIX,    /* forms are the lower triangle, row by row, of a positive semidefinite matrix */
    HCRI_RELATION_EXP,       /* first >= second · exp(third/second), second >= 0 */
    HCRI_RELATION_EXP_DUAL,  /* first >= −third · exp(second/third − 1), third <= 0 */
    HCRI_RELATION_POWER,     /* |forms after the bases| <= Π base_i^(weight_i/Σweight), bases >= 0 */
    HCRI_RELATION_POWER_DUAL /* the same with Σweight/weight_i · base_i */
} hcri_relation_kind;
typedef struct hcri_relation {
    hcri_relation_kind kind;
    size_t first, forms;
    size_t size;         /* MATRIX: rows; POWER: bases … */
    size_t first_weight; /* … and their weights, in import->weight */
    double lower, upper; /* ROW */
    const char *name;    /* "" for none */
    int line;
} hcri_relation;

typedef struct hcri_output { /* a vector or a scalar of outputs */
    char *name;
    size_t first, size;
    int scalar;
} hcri_output;

struct hcr_import {
    hcr_allocator allocator; /* the caller's */
    hcri_pool pool;          /* of that: arrays that grow */
    hcri_arena arena;        /* all else */
    hcr_error *error;        /* while it is read, as are the next two */
    hcr_status status;
    jmp_buf refused; /* where a refusal goes on */
    char *file;
    const char *format; /* "LP", "MPS" or "CBF" */
    size_t columns, column_capacity;
    hcri_column *column;
    hcri_index column_names;
    size_t relations, relation_capacity;
    hcri_relation *relation;
    size_t forms, form_capacity;
    double *constant; /* one a form */
    size_t weights, weight_capacity;
    uint32_t *weight; /* of the bases of power cones */
    size_t terms, term_capacity;
    hcri_coefficient *term; /* after finish: by form, then by output */
    size_t *start;          /* after finish: the terms of form i are start[i] … start[i + 1] − 1 */
    size_t notices, notice_capacity;
    char **notice;
    size_t outputs, output_capacity; /* after finish */
    hcri_output *output;
    uint32_t *column_of; /* after finish: the column of each output */
};

/* Refuses the file, with a message and its line (0: none). This ends the reading by a jump to `refused`, and so does
 * memory that runs out: the readers don't hand failures on, and have no memory but the import's. */
_Noreturn void hcri_import_refuse(hcr_import *import, hcr_status status, int line, const char *format, ...)
    __attribute__((format(printf, 4, 5), cold));
_Noreturn void hcri_import_refuse_memory(hcr_import *import);
/* count × size zeroed bytes of the import's, a terminated copy of a name, and room for `needed` elements as HCRI_GROW
 * makes it. */
void *hcri_import_take(hcr_import *import, size_t count, size_t size);
char *hcri_import_copy(hcr_import *import, hcri_field name);
void hcri_import_extend(hcr_import *import, void *array, size_t *capacity, size_t needed, size_t size);
#define HCRI_IMPORT_EXTEND(import, array, capacity, needed)                                                            \
    hcri_import_extend(import, &(array), capacity, needed, sizeof *(array))
void hcri_import_index(hcr_import *import, hcri_index *index, hcri_field name, size_t number);

/* Each adds one thing, the first two return its number. */
size_t hcri_import_add_column(hcr_import *import, hcri_field name);
size_t hcri_import_add_form(hcr_import *import);
void hcri_import_add_term(hcr_import *import, size_t form, size_t column, double value, int line);
/* Sets a column's bounds; NULL: not that one. A side that is set already is refused. */
void hcri_import_bound(hcr_import *import, size_t column, const double *lower, const double *upper, int line);
void hcri_import_add_relation(hcr_import *import, const hcri_relation *relation);
void hcri_import_note(hcr_import *import, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A number that is the whole of `text`, Fortran's exponents (1D+3) included; `what` names it in messages. Coefficients
 * of more than 1e50, and what a double can't hold, are refused. infinite: ±inf and ±infinity will do. */
double hcri_import_number(hcr_import *import, hcri_field text, const char *what, int infinite, int line);

/* a + b rounded so that a bound allows no more than the exact sum: up for lower bounds, down for upper ones. */
double hcri_lower_sum(double a, double b);
double hcri_upper_sum(double a, double b);

/* Checks bounds, sorts the terms (a column twice in a form is refused), drops rows that say nothing, gives names. */
void hcri_import_finish(hcr_import *import);
/* Names of outputs, for finish: fills output, column_of and the columns' output. */
void hcri_import_name(hcr_import *import);

/* The readers. `text` ends with a 0 that isn't counted. */
void hcri_mps_read(hcr_import *import, const char *text, size_t size);
void hcri_lp_read(hcr_import *import, const char *text, size_t size);
void hcri_cbf_read(hcr_import *import, const char *text, size_t size);

#endif
