#include "text/vector_columns.h"

#include <stdio.h>
#include <string.h>

#include "base/hash_index.h"
#include "base/memory.h"
#include "formats/column_names.h"
#include "text/declared_names.h"

/* Which vector or matrix a column belongs to, and as which of its elements: before all columns are known, in which
 * row, and in which column of a matrix. */
typedef struct place {
    size_t vector, element, column;
} place;

/* "x[1,2]" → the length of "x", 1 and 2; 0 when the name isn't of this kind. */
static size_t split_matrix(const char *name, size_t *row, size_t *column) {
    char one[HCRI_LONGEST_NAME + 32];
    const char *comma = strchr(name, ',');
    const size_t base = strcspn(name, "["), length = strlen(name);
    if (comma == NULL || base > HCRI_LONGEST_NAME || length >= sizeof one || (size_t)(comma - name) <= base)
        return 0;
    snprintf(one, sizeof one, "%.*s]", (int)(comma - name), name);
    if (hcri_element_split(one, row) != base)
        return 0;
    snprintf(one, sizeof one, "%.*s[%s", (int)base, name, comma + 1);
    return hcri_element_split(one, column) == base ? base : 0;
}

hcri_index_text hcri_element_text(const hcri_vector *own, size_t element) {
    hcri_index_text made = {""};
    if (own->columns > 0)
        snprintf(made.text, sizeof made.text, "[%zu,%zu]", element / own->columns, element % own->columns);
    else if (!own->is_scalar)
        snprintf(made.text, sizeof made.text, "[%zu]", element);
    return made;
}

hcri_index_text hcri_shape_text(const hcri_vector *own) {
    hcri_index_text made = {""};
    if (own->columns > 0)
        snprintf(made.text, sizeof made.text, "[%zu, %zu]", own->rows, own->columns);
    else if (!own->is_scalar)
        snprintf(made.text, sizeof made.text, "[%zu]", own->size);
    return made;
}

static hcr_status refuse_name(const char *name, size_t length, size_t column, hcr_error *error) {
    const hcri_shown shown = hcri_show_name(name);
    HCRI_FAIL_IF(hcri_is_taken_by_language(name, length), HCR_ERROR_NAME,
                 "column %zu: \"%s\" is a word of the region language: rename it, for instance to %s_", column,
                 shown.text, shown.text);
    return hcri_fail(error, HCR_ERROR_NAME,
                     "column %zu: \"%s\" is no name for a region text: a letter or _ first, then letters, digits and "
                     "_, at most %d, perhaps with an index such as [3] or [1,2]: rename it",
                     column, shown.text, HCRI_LONGEST_NAME);
}

static hcr_status place_column(hcri_vectors *vectors, const hcr_allocator *pool, hcri_index *known, const char *name,
                               size_t column, place *found, hcr_error *error) {
    size_t base = split_matrix(name, &found->element, &found->column);
    const int is_matrix = base > 0;
    base = is_matrix ? base : hcri_element_split(name, &found->element);
    const int is_scalar = base == 0 || name[base] != '[';
    const size_t length = is_scalar ? strlen(name) : base;
    if (!hcri_can_be_declared(name, length))
        return refuse_name(name, length, column, error);
    found->vector = hcri_index_find(known, name, length);
    if (found->vector == SIZE_MAX) {
        hcri_vector *made = &vectors->vector[vectors->count];
        *made = (hcri_vector){.name = hcri_copy(pool, name, length + 1, 1), .is_scalar = is_scalar};
        HCRI_ALLOCATED(made->name);
        made->name[length] = '\0';
        found->vector = vectors->count++;
        HCRI_ALLOCATED(hcri_index_add(known, pool, made->name, length, found->vector));
    }
    hcri_vector *own = &vectors->vector[found->vector];
    HCRI_FAIL_IF(own->members > 0 && (is_scalar || own->is_scalar || is_matrix != (own->columns > 0)), HCR_ERROR_NAME,
                 "column %zu: %s is there already: rename one of them", column, own->name);
    found->element = is_scalar ? 0 : found->element;
    own->members++;
    own->rows = own->rows > found->element ? own->rows : found->element + 1;
    if (is_matrix)
        own->columns = own->columns > found->column ? own->columns : found->column + 1;
    return HCR_OK;
}

/* Of a vector that has fewer columns than its largest index says. */
static hcr_status refuse_gap(const hcri_vectors *vectors, const place *of, size_t which, hcr_error *error) {
    const hcri_vector *own = &vectors->vector[which];
    size_t missing = 0;
    for (size_t j = 0; j < vectors->columns; j++)
        if (of[j].vector == which && of[j].element < vectors->columns)
            vectors->column_of[of[j].element] = j;
    while (missing < vectors->columns && vectors->column_of[missing] != SIZE_MAX)
        missing++;
    const hcri_index_text last = hcri_element_text(own, own->size - 1), gap = hcri_element_text(own, missing);
    return hcri_fail(error, HCR_ERROR_NAME,
                     "%s%s is missing, where there is %s%s: a %s has all its elements, from 0 on", own->name, gap.text,
                     own->name, last.text, own->columns > 0 ? "matrix" : "vector");
}

static hcr_status place_all(hcri_vectors *vectors, const hcr_allocator *pool, place *of, const char *const *names,
                            hcr_error *error) {
    hcri_index known = {0};
    for (size_t j = 0; j < vectors->columns; j++) {
        char counted[32];
        snprintf(counted, sizeof counted, "x[%zu]", j);
        HCRI_TRY(place_column(vectors, pool, &known, names == NULL ? counted : names[j], j + 1, &of[j], error));
    }
    for (size_t j = 0; j < vectors->columns; j++) {
        const size_t width = vectors->vector[of[j].vector].columns;
        if (width > 0)
            of[j].element = hcri_size_sum(hcri_size_product(of[j].element, width), of[j].column);
        vectors->column_of[j] = SIZE_MAX;
    }
    size_t first = 0;
    for (size_t p = 0; p < vectors->count; p++) {
        hcri_vector *own = &vectors->vector[p];
        own->size = hcri_size_product(own->rows, own->columns > 0 ? own->columns : 1);
        if (own->members < own->size)
            return refuse_gap(vectors, of, p, error);
        own->first = first;
        first += own->members;
    }
    for (size_t j = 0; j < vectors->columns; j++) {
        const hcri_vector *own = &vectors->vector[of[j].vector];
        size_t *column = &vectors->column_of[own->first + of[j].element];
        HCRI_FAIL_IF(*column != SIZE_MAX, HCR_ERROR_NAME, "columns %zu and %zu have the same name \"%s%s\": rename one",
                     *column + 1, j + 1, own->name, hcri_element_text(own, of[j].element).text);
        *column = j;
    }
    return HCR_OK;
}

hcr_status hcri_vectors_make(size_t columns, const char *const *names, const hcr_allocator *pool, hcri_vectors *vectors,
                             hcr_error *error) {
    *vectors = (hcri_vectors){.columns = columns,
                              .vector = hcri_allocate(pool, columns, sizeof(hcri_vector)),
                              .column_of = hcri_allocate(pool, columns, sizeof(size_t))};
    place *of = hcri_allocate(pool, columns, sizeof *of);
    HCRI_ALLOCATED(of && vectors->vector && vectors->column_of);
    return place_all(vectors, pool, of, names, error);
}
