/* Options structs of the public headers: they begin with their size, which distinguishes older callers from newer ones.
 */
#ifndef HCRI_SIZED_OPTIONS_H
#define HCRI_SIZED_OPTIONS_H

#include "hcr/hcr.h"

/* `options`, of `size` bytes, gets what `given` has and, where that is shorter, the rest of `defaults`, a whole struct.
 * `initialiser` is the macro's name, for messages. Errors: ARGUMENT. */
hcr_status hcri_options_take(const void *given, const void *defaults, size_t size, void *options,
                             const char *initialiser, hcr_error *error);

#endif
