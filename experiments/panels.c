#include "panels.h"

/* Pixels: a line of the key, what it keeps from the panels and from below, and room for titles and axes. */
enum { KEY_COLUMNS = 3, KEY_LINE = 22, KEY_MARGIN = 8, ABOVE = 36, BELOW = 58, LEFT = 90, RIGHT = 20 };

static size_t key_lines(const struct panels *panels) { return (panels->entries + KEY_COLUMNS - 1) / KEY_COLUMNS; }

int panels_width(const struct panels *panels) { return (int)panels->columns * panels->width; }

int panels_height(const struct panels *panels) {
    const size_t rows = (panels->count + panels->columns - 1) / panels->columns;
    return (int)rows * panels->height + (int)key_lines(panels) * KEY_LINE + 2 * KEY_MARGIN;
}

/* As labels: gnuplot's own key is no wider than a panel. */
static void write_key(FILE *script, const struct panels *panels) {
    for (size_t k = 0; k < panels->entries; k++)
        fprintf(script, "set label \"━ %s\" at screen %.5g, screen %.5g noenhanced textcolor '%s'\n",
                panels->entry[k].title,
                (double)LEFT / panels_width(panels) / 2 + 0.97 / KEY_COLUMNS * (double)(k % KEY_COLUMNS),
                (KEY_MARGIN + KEY_LINE * ((double)(key_lines(panels) - k / KEY_COLUMNS) - 0.5)) / panels_height(panels),
                panels->entry[k].colour);
}

void panels_begin(FILE *script, const struct panels *panels) {
    const double width = panels_width(panels), height = panels_height(panels);
    const size_t rows = (panels->count + panels->columns - 1) / panels->columns;
    fputs("set border 3 linecolor '#666666'\nset tics nomirror out scale 0.5 textcolor '#444444'\n"
          "set grid linecolor '#e4e4e4'\nunset key\n",
          script);
    write_key(script, panels);
    fprintf(script,
            "set multiplot layout %zu,%zu margins screen %.5g, %.5g, %.5g, %.5g spacing screen %.5g, screen %.5g\n",
            rows, panels->columns, LEFT / width, 1 - RIGHT / width,
            (BELOW + 2 * KEY_MARGIN + KEY_LINE * (double)key_lines(panels)) / height, 1 - ABOVE / height,
            (LEFT + RIGHT) / width, (ABOVE + BELOW) / height);
}

void panels_end(FILE *script) { fputs("unset multiplot\n", script); }
