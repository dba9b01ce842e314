/* Linear matrix inequalities from the caller: checked, and taken apart. Outputs that no entry joins make independent
 * blocks, each of which must be positive semidefinite: blocks of one row are rows of the region. */
#include <math.h>
#include <stdio.h>

#include "kinds/block.h"
#include "kinds/lmi/lmi.h"
#include "kinds/lmi/lmi_value.h"
#include "region/builder.h"

static hcr_status check_matrix(size_t m, const double *matrix, const char *name, hcr_error *error) {
    for (size_t a = 0; a < m; a++)
        for (size_t b = 0; b < m; b++) {
            const double x = matrix[a * m + b];
            HCRI_FAIL_IF(!(fabs(x) <= HCRI_LARGEST_COEFFICIENT), HCR_ERROR_DATA,
                         "entry (%zu, %zu) of %s is %g: at most 1e50 is accepted", a, b, name, x);
        }
    for (size_t a = 0; a < m; a++)
        for (size_t b = 0; b < a; b++)
            HCRI_FAIL_IF(matrix[a * m + b] != matrix[b * m + a], HCR_ERROR_CONVEXITY,
                         "%s isn't symmetric: entry (%zu, %zu) is %.17g, entry (%zu, %zu) is %.17g; (F + F')/2 is, and "
                         "has the same quadratic form",
                         name, a, b, matrix[a * m + b], b, a, matrix[b * m + a]);
    return HCR_OK;
}

/* position[j] = k + 1 for outputs[k] = j, 0 for the outputs that aren't in it. */
static hcr_status check(const hcr_lmi *lmi, size_t n, size_t *position, hcr_error *error) {
    enum { LARGEST_SIZE = 10000 };
    const size_t m = lmi->size;
    HCRI_FAIL_IF(m == 0 || m > LARGEST_SIZE, HCR_ERROR_SHAPE, "the matrices have %zu rows: 1 to %d are accepted", m,
                 LARGEST_SIZE);
    HCRI_FAIL_IF(lmi->terms != 0 && (lmi->outputs == NULL || lmi->matrices == NULL), HCR_ERROR_ARGUMENT,
                 "outputs or matrices is NULL");
    if (lmi->constant != NULL)
        HCRI_TRY(check_matrix(m, lmi->constant, "the constant matrix", error));
    for (size_t k = 0; k < lmi->terms; k++) {
        const uint32_t j = lmi->outputs[k];
        char name[64];
        HCRI_FAIL_IF(j >= n, HCR_ERROR_SHAPE, "matrix %zu belongs to output %u of %zu", k, (unsigned)j, n);
        HCRI_FAIL_IF(position[j] != 0, HCR_ERROR_SHAPE, "output %u has two matrices, %zu and %zu", (unsigned)j,
                     position[j] - 1, k);
        position[j] = k + 1;
        snprintf(name, sizeof name, "matrix %zu", k);
        HCRI_TRY(check_matrix(m, lmi->matrices + k * m * m, name, error));
    }
    return HCR_OK;
}

/* ------------------------------------------------------------------------------------------------------- blocks */

static size_t root_of(size_t *parent, size_t a) {
    while (parent[a] != a)
        a = parent[a] = parent[parent[a]];
    return a;
}

static void join_entries(size_t m, const double *matrix, size_t *parent) {
    for (size_t a = 0; a < m; a++)
        for (size_t b = 0; b < a; b++)
            if (matrix[a * m + b] != 0)
                parent[root_of(parent, a)] = root_of(parent, b);
}

/* What is being taken apart, with scratch. */
typedef struct hcri_parts {
    const hcr_lmi *lmi;
    const hcr_allocator *allocator; /* of the scratch, … */
    const hcr_allocator *of_blocks;
    size_t n;
    size_t *position; /* n: see check */
    size_t *parent;   /* size: which rows belong together */
    size_t *index;    /* size: the rows of the block at hand */
    uint32_t *columns;
    double *values; /* n each: an entry */
    double *constant;
    hcri_rows terms; /* the block */
} hcri_parts;

static hcr_status start(hcri_parts *parts, hcr_error *error) {
    const size_t m = parts->lmi->size, n = parts->n;
    parts->parent = hcri_allocate(parts->allocator, m, sizeof *parts->parent);
    parts->index = hcri_allocate(parts->allocator, m, sizeof *parts->index);
    parts->columns = hcri_allocate(parts->allocator, n, sizeof *parts->columns);
    parts->values = hcri_allocate(parts->allocator, n, sizeof *parts->values);
    parts->constant = hcri_allocate(parts->allocator, HCRI_PACKED(m, 0), sizeof *parts->constant);
    HCRI_ALLOCATED(parts->parent && parts->index && parts->columns && parts->values && parts->constant);
    for (size_t a = 0; a < m; a++)
        parts->parent[a] = a;
    if (parts->lmi->constant != NULL)
        join_entries(m, parts->lmi->constant, parts->parent);
    for (size_t k = 0; k < parts->lmi->terms; k++)
        join_entries(m, parts->lmi->matrices + k * m * m, parts->parent);
    return HCR_OK;
}

/* What the outputs are in entry (a, b), its zeros left out; returns how many there are. */
static size_t entry_terms(hcri_parts *parts, size_t a, size_t b) {
    const hcr_lmi *lmi = parts->lmi;
    size_t count = 0;
    for (size_t j = 0; j < parts->n; j++) {
        if (parts->position[j] == 0)
            continue;
        const double x = lmi->matrices[((parts->position[j] - 1) * lmi->size + a) * lmi->size + b];
        if (x != 0) {
            parts->columns[count] = (uint32_t)j;
            parts->values[count++] = x;
        }
    }
    return count;
}

static double entry_constant(const hcr_lmi *lmi, size_t a, size_t b) {
    return lmi->constant == NULL ? 0 : lmi->constant[a * lmi->size + b];
}

/* Row a alone: F_aa(y) >= 0. */
static hcr_status add_row(hcr_builder *builder, hcri_parts *parts, size_t a, hcr_error *error) {
    const size_t row[2] = {0, entry_terms(parts, a, a)};
    const double lower = -entry_constant(parts->lmi, a, a);
    return hcr_builder_add_sparse_rows(builder, 1, row, parts->columns, parts->values, &lower, NULL, error);
}

/* A block without outputs holds always or never, at any point. */
static hcr_status decide(const hcri_constraint *block, const double *point, hcr_error *error) {
    const hcri_lmi *lmi = (const hcri_lmi *)block;
    HCRI_SCRATCH(memory, block->allocator);
    double *scratch = hcri_allocate(memory, hcri_block_scratch(block), sizeof *scratch);
    HCRI_ALLOCATED(scratch);
    const double least = -hcri_lmi_value(block, 0, point, NULL, scratch);
    if (hcri_lmi_holds(block, point, scratch))
        return HCR_OK;
    return hcri_fail(error, HCR_ERROR_EMPTY,
                     "a block of %zu rows without outputs isn't positive definite: its least eigenvalue is %.6g",
                     lmi->size, least);
}

/* The block of `size` rows in parts->index. */
static hcr_status add_block(hcr_builder *builder, hcri_parts *parts, size_t size, hcr_error *error) {
    parts->terms.count = 0;
    for (size_t a = 0; a < size; a++)
        for (size_t b = 0; b <= a; b++) {
            const size_t i = parts->index[a], j = parts->index[b];
            parts->constant[HCRI_PACKED(a, b)] = entry_constant(parts->lmi, i, j);
            const size_t count = entry_terms(parts, i, j);
            HCRI_TRY(hcri_rows_append(&parts->terms, parts->allocator, count, parts->columns, parts->values, error));
        }
    hcri_constraint *made = NULL;
    HCRI_TRY(hcri_lmi_create(parts->n, parts->of_blocks, size, parts->constant, &parts->terms, &made, error));
    if (hcri_rows_entries(&parts->terms) != 0)
        return hcri_builder_append(builder, made, error);
    const hcr_status status = decide(made, parts->values, error);
    hcri_block_release(made);
    return status;
}

/* Each block that begins at row a: its rows are those with the same root. */
static hcr_status add_blocks(hcr_builder *builder, hcri_parts *parts, hcr_error *error) {
    const size_t m = parts->lmi->size;
    for (size_t a = 0; a < m; a++) {
        const size_t root = root_of(parts->parent, a);
        size_t size = 0;
        for (size_t b = 0; b < m; b++)
            if (root_of(parts->parent, b) == root)
                parts->index[size++] = b;
        if (parts->index[0] != a)
            continue;
        HCRI_TRY(size == 1 ? add_row(builder, parts, a, error) : add_block(builder, parts, size, error));
    }
    return HCR_OK;
}

/* ------------------------------------------------------------------------------------------------------- builder */

/* What goes when a call fails halfway. */
typedef struct hcri_before {
    size_t blocks, rows;
    uint32_t place_rows;
} hcri_before;

static hcri_constraint **block_list(hcr_builder *builder, size_t **blocks) {
    if (builder->group == NULL) {
        *blocks = &builder->set.blocks;
        return builder->set.block;
    }
    hcri_body *body = &builder->group->body[builder->group->bodies - 1];
    *blocks = &body->blocks;
    return body->block;
}

static hcri_before remember(hcr_builder *builder) {
    size_t *blocks;
    block_list(builder, &blocks);
    return (hcri_before){*blocks, hcri_builder_linear(builder)->rows.count, builder->place_rows};
}

static void restore(hcr_builder *builder, const hcri_before *before) {
    size_t *blocks;
    hcri_constraint **list = block_list(builder, &blocks);
    while (*blocks > before->blocks) {
        hcri_constraint *last = list[--*blocks];
        hcri_block_release(last);
    }
    hcri_linear *linear = hcri_builder_linear(builder);
    linear->rows.count = before->rows;
    linear->base.count = 2 * before->rows;
    builder->place_rows = before->place_rows;
}

hcr_status hcr_builder_add_lmi(hcr_builder *builder, const hcr_lmi *lmi, hcr_error *error) {
    HCRI_FAIL_IF(builder == NULL || lmi == NULL, HCR_ERROR_ARGUMENT, "builder or lmi is NULL");
    HCRI_TRY(hcri_builder_begin(builder, error));
    HCRI_SCRATCH(scratch, &builder->set.allocator);
    hcri_parts parts = {.lmi = lmi, .allocator = scratch, .of_blocks = &builder->set.allocator, .n = builder->set.n};
    parts.position = hcri_allocate(scratch, parts.n, sizeof *parts.position);
    HCRI_ALLOCATED(parts.position);
    HCRI_TRY(check(lmi, parts.n, parts.position, error));
    HCRI_TRY(start(&parts, error));
    const hcri_before before = remember(builder);
    const hcr_status status = add_blocks(builder, &parts, error);
    if (status != HCR_OK)
        restore(builder, &before);
    return status;
}
