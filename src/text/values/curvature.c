/* What is known of the elements of a value: what they depend on, curvature, sign, and how many branches they have. */
#include "base/memory.h"
#include "text/values/atoms.h"
#include "text/values/parameter_products.h"

unsigned hcri_column_depends(const hcri_text *text, uint32_t column) {
    return column >= HCRI_FIRST_PRODUCT ? HCRI_ON_OUTPUTS | HCRI_ON_PARAMETERS | HCRI_ON_PRODUCTS
           : column >= text->outputs    ? HCRI_ON_PARAMETERS
                                        : HCRI_ON_OUTPUTS;
}

unsigned hcri_element_depends(const hcri_text *text, const hcri_value *value, size_t i) {
    unsigned depends = 0;
    for (const hcri_entry *e = hcri_first_entry(value, i); e != hcri_entries_end(value, i); e++)
        depends |= e->atom != NULL ? e->atom->depends : hcri_column_depends(text, e->column);
    return depends;
}

unsigned hcri_value_depends(const hcri_text *text, const hcri_value *value) {
    unsigned depends = 0;
    for (size_t i = 0; i < value->size; i++)
        depends |= hcri_element_depends(text, value, i);
    return depends;
}

const char *hcri_depends_noun(unsigned depends) { return depends == HCRI_ON_PARAMETERS ? "a parameter" : "an output"; }

const char *hcri_value_dependence(const hcri_text *text, const hcri_value *value) {
    const unsigned depends = hcri_value_depends(text, value);
    return depends == 0                    ? ""
           : depends == HCRI_ON_PARAMETERS ? " that depends on the parameters"
                                           : " that depends on the outputs";
}

const hcri_entry *hcri_first_atom(const hcri_value *value, size_t i) {
    const hcri_entry *first = hcri_first_entry(value, i), *e = hcri_entries_end(value, i);
    while (e != first && e[-1].atom != NULL)
        e--;
    return e;
}

int hcri_element_is_affine(const hcri_value *value, size_t i) {
    return hcri_element_is_constant(value, i) || hcri_entries_end(value, i)[-1].atom == NULL;
}

int hcri_element_is_constant(const hcri_value *value, size_t i) {
    return value->start == NULL || value->start[i] == value->start[i + 1];
}

int hcri_element_is_zero(const hcri_value *value, size_t i) {
    return value->constant[i] == 0 && hcri_element_is_constant(value, i);
}

/* Whether every weight · curvature has the sign. */
static int is_curved(const hcri_value *value, size_t i, int sign) {
    if (hcri_element_is_affine(value, i))
        return 0;
    for (const hcri_entry *e = hcri_first_atom(value, i); e != hcri_entries_end(value, i); e++)
        if (e->value * e->atom->curvature * sign <= 0)
            return 0;
    return 1;
}

int hcri_element_is_convex(const hcri_value *value, size_t i) { return is_curved(value, i, 1); }
int hcri_element_is_concave(const hcri_value *value, size_t i) { return is_curved(value, i, -1); }

int hcri_value_is_affine(const hcri_value *value) {
    for (size_t i = 0; i < value->size; i++)
        if (!hcri_element_is_affine(value, i))
            return 0;
    return 1;
}

int hcri_value_is_constant(const hcri_value *value) {
    for (size_t i = 0; i < value->size; i++)
        if (!hcri_element_is_constant(value, i))
            return 0;
    return 1;
}

int hcri_element_sign(const hcri_value *value, size_t i) {
    const double constant = value->constant[i];
    const hcri_entry *first = hcri_first_entry(value, i);
    if (hcri_element_is_constant(value, i))
        return constant >= 0 ? 1 : -1;
    if (first->atom == NULL)
        return 0;
    const int sign = first->value > 0 ? first->atom->sign : -first->atom->sign;
    for (const hcri_entry *e = first; e != hcri_entries_end(value, i); e++)
        if (e->value * e->atom->sign * sign <= 0)
            return 0;
    return constant * sign >= 0 ? sign : 0;
}

void hcri_element_count(const hcri_value *value, size_t i, size_t *branches, size_t *pieces) {
    *branches = 1;
    *pieces = hcri_element_is_affine(value, i) ? 1 : 0;
    for (const hcri_entry *e = hcri_first_atom(value, i); e != hcri_entries_end(value, i); e++) {
        *branches = hcri_size_product(*branches, e->atom->branches);
        *pieces = hcri_size_sum(*pieces, e->atom->pieces);
    }
}
