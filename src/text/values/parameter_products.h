/* Products of a parameter and an output, such as x[0] * y[1]. Each is a column of its own in the values of a text,
 * behind those of the region, so that sums, indices, maxima and rows treat it as they treat an output. */
#ifndef HCRI_PARAMETER_PRODUCTS_H
#define HCRI_PARAMETER_PRODUCTS_H

#include "text/values/operators.h"

/* Column HCRI_FIRST_PRODUCT + output · p + parameter, p being the number of parameters; a builder has fewer columns
 * than HCRI_FIRST_PRODUCT. */
#define HCRI_FIRST_PRODUCT ((uint32_t)1 << 31)

/* left · right, element by element, of one shape, outside of star blocks: of two elements that aren't constant one must
 * be affine in the parameters alone, the other in the outputs alone. */
const hcri_value *hcri_multiply(const hcri_operation *operation);

#endif
