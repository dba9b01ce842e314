/* Pictures by gnuplot, from scripts in which texts of users are data. */
#ifndef HCR_GNUPLOT_H
#define HCR_GNUPLOT_H

#include <stdio.h>

/* Whether `path` ends in .svg or .png. */
int gnuplot_can_write(const char *path);
/* Writes any text as a string of gnuplot's language. */
void gnuplot_text(FILE *script, const char *text);
/* A script to be written; one at a time. */
FILE *gnuplot_begin(void);
/* Draws it into `path`, whole or not at all; width and height in units of which an SVG has 1 a pixel, a PNG 2. */
void gnuplot_draw(FILE *script, const char *path, int width, int height);

struct plot_line {
    const char *title; /* NULL: not in the key */
    const char *style; /* gnuplot's, such as "lines linewidth 2" */
    size_t count;
    const double *y; /* over x = first, first + 1 …; values that aren't finite are left out */
    double first;
};
struct plot {
    const char *x_label, *y_label;
    int logarithmic; /* the y axis */
    size_t lines;
    const struct plot_line *line;
};
/* Lines over a number. */
void plot_draw(const char *path, const struct plot *plot);

#endif
