/* What is known of the elements of a value: curvature, sign, and how many affine pieces they have. */
#include <stdint.h>

#include "language/value.h"

int hcri_element_is_affine(const hcri_value *value, size_t i) {
    return value->term_start == NULL || value->term_start[i] == value->term_start[i + 1];
}

int hcri_element_is_constant(const hcri_value *value, size_t i) {
    return hcri_element_is_affine(value, i) && (value->start == NULL || value->start[i] == value->start[i + 1]);
}

int hcri_element_is_convex(const hcri_value *value, size_t i) {
    return !hcri_element_is_affine(value, i) && value->term[value->term_start[i]].weight > 0;
}

int hcri_element_is_concave(const hcri_value *value, size_t i) {
    return !hcri_element_is_affine(value, i) && value->term[value->term_start[i]].weight < 0;
}

int hcri_value_is_affine(const hcri_value *value) { return value->term_start == NULL; }

int hcri_value_is_constant(const hcri_value *value) {
    for (size_t i = 0; i < value->size; i++)
        if (!hcri_element_is_constant(value, i))
            return 0;
    return 1;
}

/* A largest element is as positive as any of them. The sign of x'Px isn't known before P is checked. */
static int atom_is_nonnegative(const hcri_atom *atom) {
    int nonnegative = atom->kind == HCRI_ATOM_ABS || atom->kind == HCRI_ATOM_SQUARES || atom->kind == HCRI_ATOM_NORM;
    for (size_t k = 0; atom->kind == HCRI_ATOM_MAX && k < atom->count && !nonnegative; k++)
        nonnegative = hcri_element_sign(atom->argument, atom->first + k) > 0;
    return nonnegative;
}

int hcri_element_sign(const hcri_value *value, size_t i) {
    const double constant = value->constant[i];
    if (value->start != NULL && value->start[i] != value->start[i + 1])
        return 0;
    if (hcri_element_is_affine(value, i))
        return constant >= 0 ? 1 : -1;
    for (size_t t = value->term_start[i]; t < value->term_start[i + 1]; t++)
        if (!atom_is_nonnegative(value->term[t].atom))
            return 0;
    if (hcri_element_is_convex(value, i))
        return constant >= 0;
    return constant <= 0 ? -1 : 0;
}

static size_t add(size_t a, size_t b) { return a > SIZE_MAX - b ? SIZE_MAX : a + b; }
static size_t multiply(size_t a, size_t b) { return b != 0 && a > SIZE_MAX / b ? SIZE_MAX : a * b; }

void hcri_element_count(const hcri_value *value, size_t i, size_t *branches, size_t *pieces) {
    *branches = 1;
    *pieces = 0;
    if (hcri_element_is_affine(value, i)) {
        *pieces = 1;
        return;
    }
    for (size_t t = value->term_start[i]; t < value->term_start[i + 1]; t++) {
        *branches = multiply(*branches, value->term[t].atom->branches);
        *pieces = add(*pieces, value->term[t].atom->pieces);
    }
}

int hcri_atom_count(hcri_text *text, hcri_atom *atom) {
    atom->branches = 1;
    atom->pieces = 1;
    if (atom->kind == HCRI_ATOM_ABS)
        atom->branches = atom->pieces = 2;
    if (atom->kind != HCRI_ATOM_MAX)
        return 1;
    size_t *offset = hcri_take(text, atom->span, atom->count + 1, sizeof *offset);
    if (offset == NULL)
        return 0;
    atom->pieces = 0;
    for (size_t k = 0; k < atom->count; k++) {
        size_t branches, pieces;
        hcri_element_count(atom->argument, atom->first + k, &branches, &pieces);
        offset[k + 1] = add(offset[k], branches);
        atom->pieces = add(atom->pieces, pieces);
    }
    atom->branches = offset[atom->count];
    atom->branch_offset = offset;
    return 1;
}
