/* Functions that are curved: one atom an element, or one of all elements. */
#ifndef HCRI_ELEMENTWISE_ATOMS_H
#define HCRI_ELEMENTWISE_ATOMS_H

#include "text/values/functions.h"

/* Element i of the result is weight · the atom `like` of elements i·group … of x; of constants it is computed. */
const hcri_value *hcri_atoms_of_groups(const hcri_atom_source *source, const hcri_atom *like, const hcri_value *x,
                                       size_t group, hcri_shape shape, double weight);
/* The elements of all values, broadcast to the shape, side by side: those at the same place are a group. */
const hcri_value *hcri_interleave(hcri_text *text, hcri_span span, size_t count, const hcri_value *const *values,
                                  hcri_shape shape);
/* |x|, elementwise: x or its opposite where the sign is known. */
const hcri_value *hcri_absolute(const hcri_atom_source *source, const hcri_value *x);
/* Result i is the largest of elements i·group … of x. `negated`: their opposites are what the text has, in min(). */
const hcri_value *hcri_largest(const hcri_atom_source *source, const hcri_value *x, size_t group, hcri_shape shape,
                               int negated);
/* x ** exponent, elementwise. */
const hcri_value *hcri_power(const hcri_atom_source *source, const hcri_value *x, double exponent);

#endif
