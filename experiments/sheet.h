/* The paper's table with our figures beside it, as Markdown and as a picture. */
#ifndef HCR_EXPERIMENT_SHEET_H
#define HCR_EXPERIMENT_SHEET_H

#include "summary.h"

#include <stdio.h>

enum { SHEET_COLUMNS = 11, SHEET_CELL = 56 };
struct sheet {
    const char *title;
    size_t rows; /* the first is the header */
    char cell[METHODS + 1][SHEET_COLUMNS][SHEET_CELL];
};
/* The table of a group: its methods that have runs. */
void sheet_fill(const struct experiment *experiment, size_t group, size_t count, const struct record *records,
                struct sheet *sheet);
void sheet_print(FILE *stream, const struct sheet *sheet);
/* Draws sheets one below the other. Returns an exit code. */
int sheet_draw(const char *path, size_t count, const struct sheet *sheets);

#endif
