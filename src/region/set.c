#include "region/set.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/printable.h"
#include "kinds/block.h"

void hcri_set_release(hcri_set *set) {
    const hcr_allocator *allocator = &set->allocator;
    for (size_t i = 0; i < set->variables; i++) {
        hcri_release(allocator, set->variable[i].name);
        hcri_release(allocator, set->variable[i].labels);
    }
    for (size_t i = 0; i < set->places; i++) {
        hcri_release(allocator, set->place[i].file);
        hcri_release(allocator, set->place[i].text);
    }
    for (size_t i = 0; i < set->blocks; i++)
        hcri_block_release(set->block[i]);
    hcri_set_drop_equalities(set);
    hcri_release(allocator, set->variable);
    hcri_release(allocator, set->place);
    hcri_release(allocator, set->block);
    hcri_release(allocator, set->scratch);
    *set = (hcri_set){.allocator = set->allocator};
}

/* Outputs go before the parameters that are there. */
hcr_status hcri_set_add_variable(hcri_set *set, const char *name, size_t size, int scalar, int parameter,
                                 hcr_error *error) {
    HCRI_ALLOCATED(HCRI_GROW(&set->allocator, set->variable, &set->variable_capacity, set->variables + 1));
    char *copy = hcri_copy_string(&set->allocator, name);
    HCRI_ALLOCATED(copy);
    for (size_t i = 0; !parameter && set->n != set->outputs && i < set->variables; i++) /* parameters move back */
        set->variable[i].first += set->variable[i].parameter ? size : 0;
    set->variable[set->variables++] = (hcri_variable){.name = copy,
                                                      .first = parameter ? set->n : set->outputs,
                                                      .size = size,
                                                      .scalar = scalar,
                                                      .parameter = parameter};
    set->n += size;
    set->outputs += parameter ? 0 : size;
    return HCR_OK;
}

hcr_status hcri_set_shape_variable(hcri_set *set, size_t columns, const char *labels, hcr_error *error) {
    hcri_variable *variable = &set->variable[set->variables - 1];
    variable->columns = columns;
    if (labels == NULL)
        return HCR_OK;
    variable->labels = hcri_copy_string(&set->allocator, labels);
    return variable->labels == NULL ? hcri_fail_memory(error) : HCR_OK;
}

hcr_status hcri_set_add_place(hcri_set *set, const char *file, int line, int column, const char *text,
                              hcr_error *error) {
    HCRI_ALLOCATED(HCRI_GROW(&set->allocator, set->place, &set->place_capacity, set->places + 1));
    hcri_place *place = &set->place[set->places];
    *place = (hcri_place){.file = hcri_copy_printable(&set->allocator, file),
                          .text = hcri_copy_printable(&set->allocator, text),
                          .line = line,
                          .column = column};
    if (place->file == NULL || place->text == NULL) {
        hcri_release(&set->allocator, place->file);
        hcri_release(&set->allocator, place->text);
        return hcri_fail_memory(error);
    }
    set->places++;
    return HCR_OK;
}

hcr_status hcri_set_add_outputs_of(hcri_set *set, const hcri_set *from, hcr_error *error) {
    for (size_t i = 0; i < from->variables; i++) {
        const hcri_variable *variable = &from->variable[i];
        if (variable->parameter)
            continue;
        HCRI_TRY(hcri_set_add_variable(set, variable->name, variable->size, variable->scalar, 0, error));
        HCRI_TRY(hcri_set_shape_variable(set, variable->columns, variable->labels, error));
    }
    return HCR_OK;
}

hcr_status hcri_set_add_places_of(hcri_set *set, const hcri_set *from, hcr_error *error) {
    for (size_t i = 0; i < from->places; i++) {
        HCRI_TRY(hcri_set_add_place(set, from->place[i].file, from->place[i].line, from->place[i].column,
                                    from->place[i].text, error));
        hcri_set_soften_place(set, from->place[i].priority, from->place[i].weight);
    }
    return HCR_OK;
}

void hcri_set_soften_place(hcri_set *set, unsigned char priority, double weight) {
    set->place[set->places - 1].priority = priority;
    set->place[set->places - 1].weight = weight;
}

size_t hcri_set_scratch(const hcri_set *set) {
    size_t most = 0;
    for (size_t b = 0; b < set->blocks; b++) {
        const size_t needed = hcri_block_scratch(set->block[b]);
        most = needed > most ? needed : most;
    }
    return most;
}

static void hand_out_scratch(hcri_set *set, double *scratch, size_t size) {
    hcri_release(&set->allocator, set->scratch);
    set->scratch = scratch;
    set->scratch_size = size;
    for (size_t b = 0; b < set->blocks; b++)
        set->block[b]->scratch = scratch;
}

void hcri_set_drop_scratch(hcri_set *set) { hand_out_scratch(set, NULL, 0); }

/* Scratch for one more block; with as much again, so that blocks of growing size don't each have it handed out anew. */
static int find_scratch(hcri_set *set, hcri_constraint *block) {
    const size_t needed = hcri_block_scratch(block);
    if (needed > set->scratch_size) {
        double *scratch = hcri_allocate(&set->allocator, needed, 2 * sizeof *scratch);
        if (scratch == NULL)
            return 0;
        hand_out_scratch(set, scratch, 2 * needed);
    }
    block->scratch = set->scratch;
    return 1;
}

hcr_status hcri_set_add_block(hcri_set *set, hcri_constraint *block, hcr_error *error) {
    if (!HCRI_GROW(&set->allocator, set->block, &set->block_capacity, set->blocks + 1) || !find_scratch(set, block)) {
        hcri_block_release(block);
        return hcri_fail_memory(error);
    }
    set->block[set->blocks++] = block;
    if (set->blocks == 1)
        set->box = (hcri_box *)block;
    if (set->blocks == 2)
        set->linear = (hcri_linear *)block;
    return HCR_OK;
}

hcr_status hcri_set_add_equality(hcri_set *set, hcri_row row, double right, hcri_source_row source, hcr_error *error) {
    const hcr_allocator *allocator = &set->allocator;
    hcri_equalities *equalities = &set->equalities;
    const size_t i = equalities->rows.count;
    size_t capacity[2] = {equalities->capacity, equalities->capacity};
    HCRI_ALLOCATED(HCRI_GROW(allocator, equalities->right, &capacity[0], i + 1) &&
                   HCRI_GROW(allocator, equalities->source, &capacity[1], i + 1) &&
                   HCRI_GROW(allocator, equalities->source_row, &equalities->capacity, i + 1));
    HCRI_TRY(hcri_rows_append(&equalities->rows, allocator, row.count, row.columns, row.values, error));
    equalities->right[i] = right;
    equalities->source[i] = source.place;
    equalities->source_row[i] = source.row;
    return HCR_OK;
}

hcr_status hcri_set_add_product(hcri_set *set, uint32_t output, uint32_t parameter, double value, hcr_error *error) {
    hcri_equalities *equalities = &set->equalities;
    const size_t k = equalities->products;
    uint32_t **const array[] = {&equalities->product_row, &equalities->product_output, &equalities->product_parameter};
    const uint32_t number[] = {(uint32_t)equalities->rows.count - 1, output, parameter};
    for (size_t i = 0; i < 3; i++) {
        size_t capacity = equalities->product_capacity;
        HCRI_ALLOCATED(HCRI_GROW(&set->allocator, *array[i], &capacity, k + 1));
        (*array[i])[k] = number[i];
    }
    HCRI_ALLOCATED(HCRI_GROW(&set->allocator, equalities->product_value, &equalities->product_capacity, k + 1));
    equalities->product_value[k] = value;
    equalities->products++;
    return HCR_OK;
}

hcr_status hcri_set_add_equalities_of(hcri_set *set, const hcri_set *from, int moving, hcr_error *error) {
    const hcri_equalities *equalities = &from->equalities;
    size_t k = 0;
    for (size_t i = 0; i < equalities->rows.count; i++) {
        const size_t first = k;
        while (k < equalities->products && equalities->product_row[k] == i)
            k++;
        if ((k > first) != moving)
            continue;
        const hcri_row row = hcri_rows_row(&equalities->rows, i);
        HCRI_TRY(hcri_set_add_equality(set, row, equalities->right[i], hcri_equality_source(equalities, i), error));
        for (size_t q = first; q < k; q++)
            HCRI_TRY(hcri_set_add_product(set, equalities->product_output[q], equalities->product_parameter[q],
                                          equalities->product_value[q], error));
    }
    return HCR_OK;
}

void hcri_set_drop_equalities(hcri_set *set) {
    hcri_equalities *equalities = &set->equalities;
    void *const owned[] = {equalities->right,        equalities->source,         equalities->source_row,
                           equalities->product_row,  equalities->product_output, equalities->product_parameter,
                           equalities->product_value};
    hcri_rows_release(&equalities->rows, &set->allocator);
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++)
        hcri_release(&set->allocator, owned[i]);
    *equalities = (hcri_equalities){.capacity = 0};
}

void hcri_set_drop_functions(hcri_set *set) {
    while (set->blocks > 2)
        hcri_block_release(set->block[--set->blocks]);
}

int hcri_set_is_convex(const hcri_set *set) {
    for (size_t b = 0; b < set->blocks; b++)
        if (!set->block[b]->convex)
            return 0;
    return 1;
}

hcr_status hcri_set_number(hcri_set *set, hcr_error *error) {
    uint64_t first = 0;
    for (size_t i = 0; i < set->blocks; i++) {
        set->block[i]->first = (uint32_t)first;
        first += set->block[i]->count;
        HCRI_FAIL_IF(first >= HCRI_NO_CONSTRAINT, HCR_ERROR_SHAPE, "more than %u constraints", HCRI_NO_CONSTRAINT - 1);
    }
    return HCR_OK;
}

const hcri_constraint *hcri_set_block_of(const hcri_set *set, uint32_t i, size_t *local) {
    size_t b = 0, above = set->blocks;
    while (above - b > 1) { /* block b begins at or before i, block `above` after it */
        const size_t middle = b + (above - b) / 2;
        if (set->block[middle]->first <= i)
            b = middle;
        else
            above = middle;
    }
    *local = i - set->block[b]->first;
    return set->block[b];
}

const hcri_place *hcri_set_place_of(const hcri_set *set, uint32_t i) {
    size_t local;
    const hcri_constraint *block = hcri_set_block_of(set, i, &local);
    return &set->place[block->source[local]];
}

/* "name", "name[3]", "name[0,3]", with a label in place of the first number "name[north,3]" */
static void write_element_name(const hcri_variable *variable, size_t k, char *name, size_t capacity) {
    const size_t columns = variable->columns == 0 ? 1 : variable->columns, row = k / columns;
    char number[24], column[24] = "";
    const char *label = variable->labels;
    for (size_t i = 0; i < row && label != NULL; i++)
        label = strchr(label, '\n') + 1;
    snprintf(number, sizeof number, "%zu", row);
    if (variable->columns != 0)
        snprintf(column, sizeof column, ",%zu", k % columns);
    if (variable->scalar)
        snprintf(name, capacity, "%s", variable->name);
    else
        snprintf(name, capacity, "%s[%.*s%s]", variable->name, label == NULL ? 24 : (int)strcspn(label, "\n"),
                 label == NULL ? number : label, column);
}

void hcri_set_column_name(const hcri_set *set, size_t j, char *name, size_t capacity) {
    for (size_t i = 0; i < set->variables; i++) {
        const hcri_variable *variable = &set->variable[i];
        if (j - variable->first < variable->size) {
            write_element_name(variable, j - variable->first, name, capacity);
            return;
        }
    }
    snprintf(name, capacity, "?");
}

/* ------------------------------------------------------------------------------------------------------ as bytes */

static void equality_fields(hcri_walk *walk, size_t n, hcri_equalities *equalities) {
    hcri_walk_rows(walk, n, &equalities->rows);
    hcri_walk_f64s(walk, equalities->rows.count, &equalities->right);
    hcri_walk_u32s(walk, equalities->rows.count, &equalities->source);
    hcri_walk_u32s(walk, equalities->rows.count, &equalities->source_row);
    hcri_walk_count(walk, 20, &equalities->products);
    hcri_walk_u32s(walk, equalities->products, &equalities->product_row);
    hcri_walk_u32s(walk, equalities->products, &equalities->product_output);
    hcri_walk_u32s(walk, equalities->products, &equalities->product_parameter);
    hcri_walk_f64s(walk, equalities->products, &equalities->product_value);
}

/* What a variable is, in bits. */
enum { IS_SCALAR = 1, IS_MATRIX = 2, HAS_LABELS = 4 };
/* Beside the line of a place: its priority and weight follow. */
#define IS_SOFT ((uint32_t)1 << 31)

hcr_status hcri_set_write(const hcri_set *set, hcri_bytes *out) {
    hcri_put_u64(out, set->variables);
    for (size_t i = 0; i < set->variables; i++) {
        hcri_put_string(out, set->variable[i].name);
        hcri_put_u64(out, set->variable[i].size);
        const hcri_variable *variable = &set->variable[i];
        hcri_put_u32(out, (uint32_t)variable->scalar | (variable->labels != NULL ? HAS_LABELS : 0) |
                              (variable->columns != 0 ? IS_MATRIX : 0));
        hcri_put_u32(out, (uint32_t)variable->parameter);
        if (variable->columns != 0)
            hcri_put_u64(out, variable->columns);
        if (variable->labels != NULL)
            hcri_put_string(out, variable->labels);
    }
    hcri_put_u64(out, set->places);
    for (size_t i = 0; i < set->places; i++) {
        hcri_put_string(out, set->place[i].file);
        hcri_put_string(out, set->place[i].text);
        hcri_put_u32(out, (uint32_t)set->place[i].line | (set->place[i].priority != 0 ? IS_SOFT : 0));
        hcri_put_u32(out, (uint32_t)set->place[i].column);
        if (set->place[i].priority != 0) {
            hcri_put_u32(out, set->place[i].priority);
            hcri_put_f64(out, set->place[i].weight);
        }
    }
    hcri_put_u64(out, set->blocks);
    for (size_t i = 0; i < set->blocks; i++) {
        hcri_kind_put(set->block[i]->kind, out);
        if (hcri_block_write(set->block[i], out) != HCR_OK)
            return HCR_ERROR_MEMORY;
    }
    hcri_equalities equalities = set->equalities;
    equality_fields(&(hcri_walk){.out = out}, set->n, &equalities);
    return out->failed ? HCR_ERROR_MEMORY : HCR_OK;
}

static hcr_status damaged(hcr_error *error, const char *what) {
    return hcri_fail(error, HCR_ERROR_FORMAT, "the %s of the region are damaged", what);
}

static size_t count_lines(const char *text) {
    size_t lines = 0;
    for (; *text != '\0'; text++)
        lines += *text == '\n';
    return lines;
}

static hcr_status read_variables(hcri_source *in, hcri_set *set, hcr_error *error) {
    const size_t variables = hcri_get_count(in, 24);
    HCRI_SCRATCH(scratch, &set->allocator);
    for (size_t i = 0; i < variables && !in->failed; i++) {
        const char *name = hcri_get_string(in, scratch);
        const uint64_t size = hcri_get_u64(in);
        const uint32_t form = hcri_get_u32(in), parameter = hcri_get_u32(in);
        const uint64_t columns = form & IS_MATRIX ? hcri_get_u64(in) : 0;
        const char *labels = form & HAS_LABELS ? hcri_get_string(in, scratch) : NULL;
        /* The box alone has 24 bytes an output, so that the file is longer than the outputs are many. */
        if (in->failed || size == 0 || size > in->size || set->n + size > in->size ||
            form > (IS_SCALAR | IS_MATRIX | HAS_LABELS) || parameter > 1 || (form & IS_SCALAR && form != IS_SCALAR) ||
            (form == IS_SCALAR && size != 1) || (form & IS_MATRIX && (columns == 0 || size % columns != 0)) ||
            (form & HAS_LABELS && (labels == NULL || count_lines(labels) != size / (columns == 0 ? 1 : columns))))
            return damaged(error, "outputs");
        HCRI_TRY(hcri_set_add_variable(set, name, (size_t)size, form == IS_SCALAR, (int)parameter, error));
        HCRI_TRY(hcri_set_shape_variable(set, (size_t)columns, labels, error));
    }
    return in->failed ? damaged(error, "outputs") : HCR_OK;
}

static hcr_status read_places(hcri_source *in, hcri_set *set, hcr_error *error) {
    const size_t places = hcri_get_count(in, 24);
    HCRI_SCRATCH(scratch, &set->allocator);
    for (size_t i = 0; i < places && !in->failed; i++) {
        const char *file = hcri_get_string(in, scratch), *text = hcri_get_string(in, scratch);
        const uint32_t line_and_soft = hcri_get_u32(in);
        const int line = (int)(line_and_soft & ~IS_SOFT), column = (int)hcri_get_u32(in);
        const int is_soft = (line_and_soft & IS_SOFT) != 0;
        const uint32_t priority = is_soft ? hcri_get_u32(in) : 0;
        const double weight = is_soft ? hcri_get_f64(in) : 0;
        if (in->failed || column < 0 || priority > HCRI_MOST_PRIORITIES ||
            (is_soft && !(priority > 0 && weight > 0 && weight <= HCRI_LARGEST_COEFFICIENT)))
            return damaged(error, "sources");
        HCRI_TRY(hcri_set_add_place(set, file, line, column, text, error));
        hcri_set_soften_place(set, (unsigned char)priority, weight);
    }
    return in->failed || set->places == 0 ? damaged(error, "sources") : HCR_OK;
}

static int has_sources(const hcri_set *set, const hcri_constraint *block) {
    for (size_t k = 0; k < block->count; k++)
        if (block->source[k] >= set->places)
            return 0;
    for (size_t k = 0; hcri_block_part(block, k) != NULL; k++)
        if (!has_sources(set, hcri_block_part(block, k)))
            return 0;
    return 1;
}

static hcr_status read_blocks(hcri_source *in, hcri_set *set, hcr_error *error) {
    const size_t blocks = hcri_get_count(in, 4);
    for (size_t i = 0; i < blocks; i++) {
        const hcri_kind *kind = hcri_kind_get(in);
        if (in->failed || kind == NULL || (i == 0) != (kind == &hcri_kind_box) ||
            (i == 1) != (kind == &hcri_kind_linear))
            return damaged(error, "constraints");
        hcri_constraint *block = NULL;
        HCRI_TRY(hcri_block_read(kind, in, set->n, &set->allocator, &block, error));
        HCRI_TRY(hcri_set_add_block(set, block, error));
        if (!has_sources(set, block))
            return damaged(error, "constraints");
    }
    return in->failed || set->blocks < 2 ? damaged(error, "constraints") : HCR_OK;
}

static hcr_status read_equalities(hcri_source *in, hcri_set *set, hcr_error *error) {
    hcri_equalities *equalities = &set->equalities;
    hcri_walk walk = {.in = in, .allocator = &set->allocator, .error = error};
    equality_fields(&walk, set->n, equalities);
    HCRI_TRY(walk.status);
    const size_t count = equalities->rows.count;
    if (in->failed)
        return damaged(error, "equalities");
    equalities->capacity = count;
    equalities->product_capacity = equalities->products;
    for (size_t i = 0; i < count; i++)
        if (!isfinite(equalities->right[i]) || equalities->source[i] >= set->places)
            return damaged(error, "equalities");
    for (size_t k = 0; k < equalities->products; k++)
        if (equalities->product_row[k] >= count || equalities->product_output[k] >= set->outputs ||
            (k > 0 && equalities->product_row[k] < equalities->product_row[k - 1]) ||
            equalities->product_parameter[k] < set->outputs || equalities->product_parameter[k] >= set->n ||
            !(fabs(equalities->product_value[k]) <= HCRI_LARGEST_COEFFICIENT))
            return damaged(error, "equalities");
    return HCR_OK;
}

static hcr_status read_fields(hcri_source *in, hcri_set *set, hcr_error *error) {
    HCRI_TRY(read_variables(in, set, error));
    HCRI_TRY(read_places(in, set, error));
    HCRI_TRY(read_blocks(in, set, error));
    HCRI_TRY(read_equalities(in, set, error));
    return hcri_set_number(set, error);
}

hcr_status hcri_set_read(hcri_source *in, const hcr_allocator *allocator, hcri_set *set, hcr_error *error) {
    *set = (hcri_set){.allocator = *allocator};
    const hcr_status status = read_fields(in, set, error);
    if (status != HCR_OK)
        hcri_set_release(set);
    return status;
}

hcr_status hcri_set_copy(const hcri_set *set, const hcr_allocator *allocator, hcri_set *copy, hcr_error *error) {
    hcri_bytes bytes = {.allocator = allocator, .in_memory = 1};
    if (hcri_set_write(set, &bytes) != HCR_OK) {
        hcri_release(allocator, bytes.data);
        return hcri_fail_memory(error);
    }
    hcri_source source = {.data = bytes.data, .size = bytes.size, .in_memory = 1};
    const hcr_status status = hcri_set_read(&source, allocator, copy, error);
    hcri_release(allocator, bytes.data);
    return status == HCR_ERROR_FORMAT && source.no_memory ? hcri_fail_memory(error) : status;
}
