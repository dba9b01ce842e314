/* What a text means that uses a name nobody knows. */
#ifndef HCRI_UNKNOWN_NAMES_H
#define HCRI_UNKNOWN_NAMES_H

#include "text/syntax/source_text.h"

/* Refuses a function that isn't there: says how the language writes what other libraries call so, or which of its
 * functions has a similar name. */
_Noreturn void hcri_refuse_function(hcri_text *text, hcri_span name);

#endif
