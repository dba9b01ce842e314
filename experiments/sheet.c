#include "sheet.h"

#include "cli/plot.h"

#include <math.h>
#include <string.h>

static const char *const headers[SHEET_COLUMNS] = {
    "method",    "",          "paper", "inside at 0", "inside at 1e-6",        "paper",
    "mean time", "max. time", "paper", "candidates",  "better than Projection"};

/* A time with a unit, two digits or three. */
static void print_time(char *text, double seconds) {
    static const struct {
        double size;
        const char *name;
    } units[] = {{1e-9, "ns"}, {1e-6, "µs"}, {1e-3, "ms"}, {1, "s"}};
    size_t i = 0;
    while (i < 3 && seconds >= 0.9995e3 * units[i].size)
        i++;
    if (isnan(seconds))
        snprintf(text, SHEET_CELL, "–");
    else
        snprintf(text, SHEET_CELL, "%.3g %s", seconds / units[i].size, units[i].name);
}

static void print_spread(char *text, double mean, double deviation) {
    if (isnan(mean))
        snprintf(text, SHEET_CELL, "–");
    else if (isnan(deviation))
        snprintf(text, SHEET_CELL, "%.4f", mean);
    else
        snprintf(text, SHEET_CELL, "%.4f ± %.4f", mean, deviation);
}

/* Shares of 1 are told from those that only round to it. */
static void print_share(char *text, double mean, double deviation) {
    if (mean == 1)
        snprintf(text, SHEET_CELL, "1");
    else if (isnan(mean))
        snprintf(text, SHEET_CELL, "–");
    else if (isnan(deviation))
        snprintf(text, SHEET_CELL, "%.3f", fmin(mean, 0.999));
    else
        snprintf(text, SHEET_CELL, "%.3f ± %.3f", fmin(mean, 0.999), deviation);
}

static void fill_row(const struct group *group, enum method method, const struct summary *summary,
                     char cell[SHEET_COLUMNS][SHEET_CELL]) {
    static const struct published nothing = {NAN, NAN, NAN, NAN, NAN, NAN};
    const struct published *paper =
        group->published != NULL && method_info[method].published ? &group->published[method] : &nothing;
    snprintf(cell[0], SHEET_CELL, "%s", method_info[method].title);
    print_spread(cell[1], summary->error, summary->error_deviation);
    if (isnan(paper->error))
        snprintf(cell[2], SHEET_CELL, "–");
    else
        snprintf(cell[2], SHEET_CELL, "%.3f ± %.3f", paper->error, paper->error_deviation);
    print_share(cell[3], summary->inside, summary->inside_deviation);
    print_share(cell[4], summary->inside_1e6, NAN);
    print_share(cell[5], paper->inside, paper->inside_deviation);
    print_time(cell[6], summary->average_time);
    if (method == PROJECTION && !isnan(summary->average_time_moved)) {
        char outside[SHEET_CELL];
        print_time(outside, summary->average_time_moved);
        const size_t used = strlen(cell[6]);
        snprintf(cell[6] + used, SHEET_CELL - used, ", outside %.16s", outside);
    }
    print_time(cell[7], summary->largest_time);
    print_time(cell[8], paper->average_time);
    if (!isnan(paper->largest_time)) {
        char largest[SHEET_CELL];
        print_time(largest, paper->largest_time);
        const size_t used = strlen(cell[8]);
        snprintf(cell[8] + used, SHEET_CELL - used, ", max. %.20s", largest);
    }
    snprintf(cell[9], SHEET_CELL, isnan(summary->candidates) ? "–" : "%.2f", summary->candidates);
    if (method == PROJECTION)
        snprintf(cell[10], SHEET_CELL, "–");
    else if (isnan(summary->p))
        snprintf(cell[10], SHEET_CELL, "on %zu of %zu", summary->better, summary->runs);
    else
        snprintf(cell[10], SHEET_CELL, "on %zu of %zu, p = %.2g", summary->better, summary->runs, summary->p);
}

void sheet_fill(const struct experiment *experiment, size_t group, size_t count, const struct record *records,
                struct sheet *sheet) {
    *sheet = (struct sheet){.title = experiment->group[group].title, .rows = 1};
    for (size_t j = 0; j < SHEET_COLUMNS; j++)
        snprintf(sheet->cell[0][j], SHEET_CELL, "%s", j == 1 ? experiment->group[group].error_name : headers[j]);
    for (enum method method = 0; method < METHODS; method++) {
        struct summary summary;
        summarise(group, method, count, records, &summary);
        if (summary.runs > 0)
            fill_row(&experiment->group[group], method, &summary, sheet->cell[sheet->rows++]);
    }
}

/* Characters, not bytes. */
static size_t width_of(const char *text) {
    size_t width = 0;
    for (; *text != '\0'; text++)
        width += ((unsigned char)*text & 0xc0) != 0x80;
    return width;
}

static size_t column_width(const struct sheet *sheet, size_t column) {
    size_t widest = 0;
    for (size_t i = 0; i < sheet->rows; i++) {
        const size_t width = width_of(sheet->cell[i][column]);
        widest = width > widest ? width : widest;
    }
    return widest;
}

void sheet_print(FILE *stream, const struct sheet *sheet) {
    fprintf(stream, "%s\n\n", sheet->title);
    for (size_t i = 0; i < sheet->rows; i++) {
        for (size_t j = 0; j < SHEET_COLUMNS; j++)
            fprintf(stream, "| %s%*s ", sheet->cell[i][j], (int)(column_width(sheet, j) - width_of(sheet->cell[i][j])),
                    "");
        fputs("|\n", stream);
        for (size_t j = 0; i == 0 && j < SHEET_COLUMNS; j++) {
            fputs("|", stream);
            for (size_t k = column_width(sheet, j) + 2; k > 0; k--)
                fputc('-', stream);
        }
        if (i == 0)
            fputs("|\n", stream);
    }
    fputc('\n', stream);
}

/* -------------------------------------------------------------------------------------------------------- picture */

enum { LINE = 24, CHARACTER = 8, MARGIN = 20 };

struct drawing {
    size_t count;
    const struct sheet *sheets;
};

static int picture_width(size_t count, const struct sheet *sheets) {
    size_t widest = 0;
    for (size_t s = 0; s < count; s++) {
        size_t width = 0;
        for (size_t j = 0; j < SHEET_COLUMNS; j++)
            width += column_width(&sheets[s], j) + 2;
        widest = width > widest ? width : widest;
    }
    return (int)widest * CHARACTER + 2 * MARGIN;
}

static int picture_height(size_t count, const struct sheet *sheets) {
    size_t lines = 0;
    for (size_t s = 0; s < count; s++)
        lines += sheets[s].rows + 2;
    return (int)lines * LINE + 2 * MARGIN;
}

/* Text at a place in pixels from the upper left; gnuplot's own marks are taken for what they are. */
static void write_label(FILE *script, const char *text, int x, int y, const char *look) {
    fprintf(script, "set label \"%s\" at screen %d./width, screen 1 - %d./height noenhanced %s\n", text, x, y, look);
}

static void write_sheets(FILE *script, const void *data) {
    const struct drawing *drawing = data;
    int y = MARGIN;
    fprintf(script, "width = %d\nheight = %d\n", picture_width(drawing->count, drawing->sheets),
            picture_height(drawing->count, drawing->sheets));
    for (size_t s = 0; s < drawing->count; s++) {
        const struct sheet *sheet = &drawing->sheets[s];
        write_label(script, sheet->title, MARGIN, y, "font ',15'");
        y += LINE + LINE / 4;
        for (size_t i = 0; i < sheet->rows; i++, y += LINE) {
            int x = MARGIN;
            for (size_t j = 0; j < SHEET_COLUMNS; j++) {
                write_label(script, sheet->cell[i][j], x, y,
                            i == 0             ? "textcolor '#777777'"
                            : j == 1 || j == 3 ? "textcolor '#0b62a4'"
                                               : "");
                x += (int)(column_width(sheet, j) + 2) * CHARACTER;
            }
            if (i == 0)
                fprintf(script,
                        "set arrow from screen %d./width, screen 1 - %d./height to screen 1 - %d./width, screen 1 - "
                        "%d./height nohead linecolor '#999999'\n",
                        MARGIN, y + LINE / 2, MARGIN, y + LINE / 2);
        }
        y += LINE;
    }
    fputs("unset border\nunset tics\nunset key\nset margins 0, 0, 0, 0\nplot [0:1] [0:1] NaN\n", script);
}

int sheet_draw(const char *path, size_t count, const struct sheet *sheets) {
    const struct drawing drawing = {count, sheets};
    return plot_run(path, picture_width(count, sheets), picture_height(count, sheets), write_sheets, &drawing);
}
