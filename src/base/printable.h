/* Text that a terminal may be given. */
#ifndef HCRI_PRINTABLE_H
#define HCRI_PRINTABLE_H

#include <stddef.h>

#include "base/memory.h"

/* hcr_printable's form of all of an error's text in its place, but for newlines, which stay; cut where it doesn't fit.
 */
void hcri_make_printable(char *text, size_t capacity);
/* A copy in that form, newlines included; NULL when there is no memory. */
char *hcri_copy_printable(const hcr_allocator *allocator, const char *text);
/* A letter or _ of ASCII first, then letters, digits and _: what the language takes for a name. */
int hcri_is_identifier(const char *name);
/* Which of several words, with | between them, the text is whatever its case; -1: none. */
int hcri_word_find(const char *words, const char *text, size_t length);

#endif
