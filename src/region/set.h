/* The allowed set as it was described: variables, blocks of constraints and where they came from. A builder grows one,
 * a region keeps one, solvers and exact checks read it. A set doesn't move: its blocks point to its allocator. */
#ifndef HCRI_SET_H
#define HCRI_SET_H

#include "kinds/box/box.h"
#include "kinds/kind.h"
#include "kinds/linear/linear.h"
#include "kinds/quadratic/quadratic.h"

typedef struct hcri_variable {
    char *name;
    size_t first, size;
    int scalar, parameter;
    size_t columns; /* of a matrix, row by row; 0: a scalar or a vector */
    char *labels;   /* NULL, or the names of its rows, each with a newline behind it */
} hcri_variable;

#define HCRI_MOST_PRIORITIES 16
typedef struct hcri_place { /* where constraints came from: what messages show */
    char *file, *text;
    int line, column;
    unsigned char priority; /* of a soft statement: from 1 on; 0 where it is hard … */
    double weight;          /* … and what a unit of its violation counts */
} hcri_place;

typedef struct hcri_equalities { /* A y = right, and with products A y + Σ value · y[output] · y[parameter] = right */
    hcri_rows rows;
    size_t capacity;
    double *right;
    uint32_t *source, *source_row; /* as in hcri_constraint */
    /* Coefficients that move with parameters: by increasing equality. */
    size_t products, product_capacity;
    uint32_t *product_row, *product_output, *product_parameter; /* … a column, behind the outputs */
    double *product_value;
} hcri_equalities;

typedef struct hcri_set {
    hcr_allocator allocator;
    size_t n;       /* columns: the outputs, and behind them the parameters */
    size_t outputs; /* … of which the first are outputs */
    size_t variables, variable_capacity;
    hcri_variable *variable;
    size_t places, place_capacity; /* place 0 always exists: "" at line 0 */
    hcri_place *place;
    size_t blocks, block_capacity;
    hcri_constraint **block; /* block[0] is the box and block[1] the rows, once n is known; then one an inequality */
    hcri_box *box;           /* = block[0] */
    hcri_linear *linear;     /* = block[1] */
    hcri_equalities equalities;
    double *scratch; /* the blocks' (kind.h), which share it; NULL once hcri_set_drop_scratch was called */
    size_t scratch_size;
    /* NULL; for a set that origin/ made by eliminating another one's equalities, how: messages speak of that one. */
    const struct hcri_reduction *reduction;
} hcri_set;

void hcri_set_release(hcri_set *set); /* everything in it, not the struct */
/* A deep copy. */
hcr_status hcri_set_copy(const hcri_set *set, const hcr_allocator *allocator, hcri_set *copy, hcr_error *error);
hcr_status hcri_set_write(const hcri_set *set, hcri_bytes *out);
hcr_status hcri_set_read(hcri_source *in, const hcr_allocator *allocator, hcri_set *set, hcr_error *error);
/* Each appends one thing; strings are copied; add_block takes the block over, also on failure. */
hcr_status hcri_set_add_variable(hcri_set *set, const char *name, size_t size, int scalar, int parameter,
                                 hcr_error *error);
/* Makes the variable that was added last a matrix (columns > 0) or names its rows; labels is copied. */
hcr_status hcri_set_shape_variable(hcri_set *set, size_t columns, const char *labels, hcr_error *error);
hcr_status hcri_set_add_place(hcri_set *set, const char *file, int line, int column, const char *text,
                              hcr_error *error);
/* The last place is that of a soft statement; 0: it is hard. */
void hcri_set_soften_place(hcri_set *set, unsigned char priority, double weight);
/* The outputs of another set, without its parameters; its places, so that numbers of sources mean the same. */
hcr_status hcri_set_add_outputs_of(hcri_set *set, const hcri_set *from, hcr_error *error);
hcr_status hcri_set_add_places_of(hcri_set *set, const hcri_set *from, hcr_error *error);
hcr_status hcri_set_add_block(hcri_set *set, hcri_constraint *block, hcr_error *error);
hcr_status hcri_set_add_equality(hcri_set *set, hcri_row row, double right, hcri_source_row source, hcr_error *error);
static inline hcri_source_row hcri_equality_source(const hcri_equalities *equalities, size_t i) {
    return (hcri_source_row){equalities->source[i], equalities->source_row[i]};
}
/* Those of another set, over the same columns: whose coefficients move, or don't. */
hcr_status hcri_set_add_equalities_of(hcri_set *set, const hcri_set *from, int moving, hcr_error *error);
void hcri_set_drop_equalities(hcri_set *set);
/* Leaves bounds and rows alone as inequalities; numbered again by the caller. */
void hcri_set_drop_functions(hcri_set *set);
/* A product of the equality that was added last. */
hcr_status hcri_set_add_product(hcri_set *set, uint32_t output, uint32_t parameter, double value, hcr_error *error);
/* Numbers of scratch that serve every block. */
size_t hcri_set_scratch(const hcri_set *set);
/* From here on callers bring their own: the set is finished, and shared between threads. */
void hcri_set_drop_scratch(hcri_set *set);
/* 1 when every block is convex. */
int hcri_set_is_convex(const hcri_set *set);
/* The block that holds constraint number i, and the number inside it. */
const hcri_constraint *hcri_set_block_of(const hcri_set *set, uint32_t i, size_t *local);
const hcri_place *hcri_set_place_of(const hcri_set *set, uint32_t i);
/* The name of column j, an output or a parameter, into `name`. */
void hcri_set_column_name(const hcri_set *set, size_t j, char *name, size_t capacity);
/* Numbers every block's inequalities. Call after the last one was added. */
hcr_status hcri_set_number(hcri_set *set, hcr_error *error);

#endif
