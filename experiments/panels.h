/* The look that the experiments' pictures share: panels in a grid, and below them one key. */
#ifndef HCR_EXPERIMENT_PANELS_H
#define HCR_EXPERIMENT_PANELS_H

#include <stddef.h>
#include <stdio.h>

struct entry {
    const char *title, *colour;
};
struct panels {
    size_t count, columns;
    int width, height; /* of one, in pixels */
    size_t entries;    /* of the key */
    const struct entry *entry;
};

int panels_width(const struct panels *panels);
int panels_height(const struct panels *panels);
/* What stands before the first panel's commands. */
void panels_begin(FILE *script, const struct panels *panels);
void panels_end(FILE *script);

#endif
