/* Names of columns, arrays and series: looked up, checked, shown in messages. */
#ifndef HCRI_COLUMN_NAMES_H
#define HCRI_COLUMN_NAMES_H

#include "base/status.h"

/* Text from a file as a message shows it: as hcr_printable has it, what is long is cut. */
typedef struct {
    char text[64];
} hcri_shown;

hcri_shown hcri_show(const char *text, size_t length);
hcri_shown hcri_show_name(const char *name);

/* The first place of `name`, SIZE_MAX when there is none. The place `guess` is tried before the others. */
size_t hcri_name_find(const char *name, size_t count, char *const *names, size_t guess);
/* The place of the name with the smallest edit distance, SIZE_MAX when there are no names. */
size_t hcri_name_nearest(const char *name, size_t count, char *const *names);
/* The same, SIZE_MAX also where it is another word: more than a third of the name would have to change. */
size_t hcri_name_alike(const char *name, size_t count, char *const *names);
/* Refuses a header that has an empty or a repeated name: columns are found by name. */
hcr_status hcri_names_check(size_t count, char *const *names, const char *file, int line, hcr_error *error);

#endif
