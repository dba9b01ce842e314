/* Pictures by gnuplot. */
#ifndef HCR_PLOT_H
#define HCR_PLOT_H

#include <stddef.h>
#include <stdio.h>

struct plot_line {
    const char *title; /* no quotes and no line ends: it goes into gnuplot's script as it is */
    const char *style; /* gnuplot's, such as "lines linewidth 2" */
    size_t count;
    const double *y; /* over x = first, first + 1 …; values that aren't finite are left out */
    double first;
};
struct plot {
    const char *x_label, *y_label; /* as titles */
    int logarithmic;               /* the y axis */
    size_t lines;
    const struct plot_line *line;
};

/* Whether `path` ends in .svg or .png. */
int plot_path_is_fine(const char *path);
/* Draws what `write` puts into gnuplot's script into `path`, whole or not at all; width and height in units of which an
 * SVG has 1 a pixel, a PNG 2. Returns an exit code. */
int plot_run(const char *path, int width, int height, void (*write)(FILE *script, const void *drawing),
             const void *drawing);
/* Lines over a number. */
int plot_draw(const char *path, const struct plot *plot);

#endif
