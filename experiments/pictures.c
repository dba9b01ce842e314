#include "pictures.h"

#include "cli/command.h"
#include "cli/plot.h"
#include "cli/report.h"
#include "summary.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const colour[METHODS] = {
    [SIMPLE] = "#e08a2e",        [LAGRANGIAN] = "#c1121f",   [PROJECTION] = "#6b4c9a",  [HCR] = "#0b62a4",
    [HCR_MEAN] = "#5aa9d6",      [DIRECT] = "#1b7f3b",       [DIRECT_MEAN] = "#7fbf7b", [CONTRACT] = "#111111",
    [CONTRACT_MEAN] = "#777777", [CONTRACT_RAW] = "#b8860b", [SOFTEN] = "#c08497",
};

static int draw(const struct gallery *gallery, const char *name, int width, int height,
                void (*write)(FILE *script, const void *drawing)) {
    char path[512];
    snprintf(path, sizeof path, "%s/%s.svg", gallery->store->folder, name);
    return plot_run(path, width, height, write, gallery);
}

static size_t runs_of(const struct gallery *gallery, size_t group, enum method method) {
    size_t runs = 0;
    for (size_t i = 0; i < gallery->count; i++)
        runs += gallery->records[i].value[FIELD_GROUP] == (double)group &&
                gallery->records[i].value[FIELD_METHOD] == (double)method;
    return runs;
}

enum { PANEL_WIDTH = 560, PANEL_HEIGHT = 400 };

/* Panels two by two, and below them one key, which is the first panel's. */
static void begin(FILE *script, size_t panels, int key_rows) {
    const size_t rows = (panels + 1) / 2;
    const double height = (double)(rows * PANEL_HEIGHT);
    fprintf(script,
            "set border 3 linecolor '#666666'\nset tics nomirror out scale 0.5 textcolor '#444444'\n"
            "set grid linecolor '#e4e4e4'\n"
            "set key at screen 0.5, screen %.4g center bottom horizontal maxrows %d\n"
            "set multiplot layout %zu,2 margins screen 0.08, 0.98, %.4g, %.4g spacing screen 0.1, screen %.4g\n",
            8 / height, key_rows, rows, (78 + 24 * key_rows) / height, 1 - 36 / height, 110 / height);
}

static int draw_panels(const struct gallery *gallery, const char *name, size_t panels,
                       void (*write)(FILE *script, const void *drawing)) {
    return draw(gallery, name, 2 * PANEL_WIDTH, (int)((panels + 1) / 2) * PANEL_HEIGHT, write);
}

/* -------------------------------------------------------------------------------------------- error and violation */

/* Where a logarithmic axis shows what is exactly 0. */
#define NO_VIOLATION 1e-9

static void write_violations(FILE *script, const void *data) {
    const struct gallery *gallery = data;
    begin(script, gallery->experiment->groups, 4);
    fprintf(script,
            "set logscale x\nset logscale y\nset xrange [%g:1e2]\nset xtics ('none' %g, '1e-7' 1e-7, '1e-5' 1e-5, "
            "'1e-3' 1e-3, '0.1' 0.1, '10' 10)\nset xlabel 'mean distance beyond the frontier (gauge − 1)'\n",
            NO_VIOLATION / 3, NO_VIOLATION);
    for (size_t group = 0; group < gallery->experiment->groups; group++) {
        const struct group *about = &gallery->experiment->group[group];
        for (enum method method = 0; method < METHODS; method++) {
            fprintf(script, "$g%zum%d << END\n", group, (int)method);
            for (size_t i = 0; i < gallery->count; i++) {
                const double *value = gallery->records[i].value;
                if (value[FIELD_GROUP] == (double)group && value[FIELD_METHOD] == (double)method)
                    fprintf(script, "%.9g %.9g\n", fmax(value[FIELD_EXCESS], NO_VIOLATION), value[FIELD_ERROR]);
            }
            fputs("END\n", script);
        }
        fprintf(script, "set title \"%s\" noenhanced\nset ylabel '%s'\n", about->title, about->error_name);
        const char *before = "plot ";
        for (enum method method = 0; method < METHODS; method++)
            if (runs_of(gallery, group, method) > 0) {
                fprintf(script, "%s$g%zum%d using 1:2 with points pointtype %d pointsize 0.6 linecolor '%s' title '%s'",
                        before, group, (int)method, method_info[method].guarded ? 7 : 6, colour[method],
                        method_info[method].title);
                before = ", ";
            }
        fputs("\nunset key\n", script);
    }
    fputs("unset multiplot\n", script);
}

int picture_violations(const struct gallery *gallery) {
    return draw_panels(gallery, "error-violation", gallery->experiment->groups, write_violations);
}

/* ---------------------------------------------------------------------------------------------------------- times */

static void write_times(FILE *script, const void *data) {
    const struct gallery *gallery = data;
    begin(script, gallery->experiment->groups, 4);
    fputs("set logscale x\nset format x '%.0s %cs'\nset xlabel 'post-processing of one sample'\n"
          "set ylabel 'share of the samples'\n",
          script);
    for (size_t group = 0; group < gallery->experiment->groups; group++) {
        fprintf(script, "set title \"%s\" noenhanced\n", gallery->experiment->group[group].title);
        char plot[4096] = "plot ";
        size_t used = strlen(plot);
        for (enum method method = 0; method < METHODS; method++) {
            struct summary summary;
            summarise(group, method, gallery->count, gallery->records, &summary);
            double samples = 0;
            for (size_t k = 0; k < BINS; k++)
                samples += summary.bin[k];
            if (samples == 0)
                continue;
            fprintf(script, "$t%zum%d << END\n", group, (int)method);
            for (size_t k = 0; k < BINS; k++)
                if (summary.bin[k] > 0 || (k > 0 && summary.bin[k - 1] > 0) || (k + 1 < BINS && summary.bin[k + 1] > 0))
                    fprintf(script, "%.6g %.6g\n", FIRST_BIN * pow(10, ((double)k + 0.5) / BINS_A_DECADE),
                            summary.bin[k] / samples);
            fputs("END\n", script);
            used +=
                (size_t)snprintf(plot + used, sizeof plot - used,
                                 "%s$t%zum%d using 1:2 with histeps linewidth 2 linecolor '%s' title '%s'",
                                 used > 5 ? ", " : "", group, (int)method, colour[method], method_info[method].title);
        }
        fprintf(script, "%s\nunset key\n", plot);
    }
    fputs("unset multiplot\n", script);
}

int picture_times(const struct gallery *gallery) {
    return draw_panels(gallery, "times", gallery->experiment->groups, write_times);
}

/* ------------------------------------------------------------------------------------------------------ forecasts */

enum { SHOWN = 6, WINDOW_HEIGHT = 320 };

/* The labels of the group's first problems that have forecasts. */
static size_t find_drawn(const struct gallery *gallery, const char *labels[SHOWN]) {
    size_t found = 0;
    for (size_t i = 0; i < gallery->count && found < SHOWN; i++) {
        const double *value = gallery->records[i].value;
        if (value[FIELD_GROUP] == 0 && value[FIELD_METHOD] == CONTRACT &&
            store_has(gallery->store, gallery->labels[i], "contract-forecast") &&
            store_has(gallery->store, gallery->labels[i], "simple-forecast"))
            labels[found++] = gallery->labels[i];
    }
    return found;
}

/* A table of the store as a data block of gnuplot. Returns its rows. */
static size_t write_block(FILE *script, const struct gallery *gallery, const char *label, const char *what,
                          const char *name) {
    char path[512];
    hcr_table table = {0};
    store_path(gallery->store, label, what, path);
    if (hcr_table_read(path, HCR_TABLE_CSV, NULL, 0, &table, NULL) != HCR_OK)
        return 0;
    const size_t rows = table.rows;
    fprintf(script, "%s << END\n", name);
    for (size_t i = 0; i < rows; i++) {
        fprintf(script, "%zu", i);
        for (size_t j = 0; j < table.columns; j++)
            fprintf(script, " %.9g", table.values[i * table.columns + j]);
        fputc('\n', script);
    }
    fputs("END\n", script);
    hcr_table_clear(&table);
    return rows;
}

static void write_forecasts(FILE *script, const void *data) {
    const struct gallery *gallery = data;
    const char *labels[SHOWN];
    const size_t found = find_drawn(gallery, labels), rows = (found + 2) / 3;
    const double height = (double)(rows * WINDOW_HEIGHT);
    fprintf(script,
            "set border 3 linecolor '#666666'\nset tics nomirror out scale 0.5 textcolor '#444444'\n"
            "set key at screen 0.5, screen %.4g center bottom horizontal maxrows 1\n"
            "set multiplot layout %zu,3 margins screen 0.06, 0.985, %.4g, %.4g spacing screen 0.06, screen %.4g\n",
            6 / height, rows, 66 / height, 1 - 36 / height, 70 / height);
    for (size_t k = 0; k < found; k++) {
        char simple[16], contract[16];
        snprintf(simple, sizeof simple, "$s%zu", k);
        snprintf(contract, sizeof contract, "$c%zu", k);
        const size_t length = write_block(script, gallery, labels[k], "simple-forecast", simple);
        write_block(script, gallery, labels[k], "contract-forecast", contract);
        fprintf(script,
                "set title \"%s\" noenhanced\nset arrow 1 from 0, graph 0 to 0, graph 1 nohead dashtype 3 linecolor "
                "'#999999'\n"
                "plot %s using 1:5:6 with filledcurves linecolor '#e6efe3' title 'limits of the training windows', "
                "%s using ($1-%zu):2 with lines linecolor '#888888' notitle, "
                "%s using 1:3 with lines linecolor '#888888' linewidth 1.5 title 'what happened', "
                "%s using 1:4 with lines linecolor '%s' linewidth 2.5 title 'Simple', "
                "%s using 1:($7 > 0 ? $4 : NaN) with points pointtype 7 pointsize 0.5 linecolor '#c1121f' title "
                "'breaks a limit', "
                "%s using 1:4 with lines linecolor '#0b62a4' linewidth 1.5 title 'HCR-contract'\nunset key\n",
                labels[k], simple, simple, length, simple, simple, colour[SIMPLE], simple, contract);
    }
    fputs("unset multiplot\n", script);
}

int picture_forecasts(const struct gallery *gallery) {
    const char *labels[SHOWN];
    const size_t found = find_drawn(gallery, labels);
    return found == 0 ? EXIT_DONE
                      : draw(gallery, "forecasts", 1300, (int)((found + 2) / 3) * WINDOW_HEIGHT, write_forecasts);
}

/* --------------------------------------------------------------------------------------------------------- search */

/* Means over the problems of the first group, row by row of their "search" tables. Returns the rows. */
static size_t average_searches(const struct gallery *gallery, double rows[32][3]) {
    size_t count = 0, tables = 0;
    for (size_t i = 0; i < gallery->count; i++) {
        const double *value = gallery->records[i].value;
        hcr_table table = {0};
        char path[512];
        store_path(gallery->store, gallery->labels[i], "search", path);
        if (value[FIELD_GROUP] != 0 || value[FIELD_METHOD] != SIMPLE ||
            !store_has(gallery->store, gallery->labels[i], "search") ||
            hcr_table_read(path, HCR_TABLE_CSV, NULL, 0, &table, NULL) != HCR_OK)
            continue;
        if (table.columns == 3 && table.rows <= 32 && (tables == 0 || table.rows == count)) {
            for (size_t k = 0; k < 3 * table.rows; k++)
                rows[k / 3][k % 3] = (tables == 0 ? 0 : rows[k / 3][k % 3]) + table.values[k];
            count = table.rows;
            tables++;
        }
        hcr_table_clear(&table);
    }
    for (size_t k = 0; k < 3 * count; k++)
        rows[k / 3][k % 3] /= (double)tables;
    return count;
}

static void write_search(FILE *script, const void *data) {
    double rows[32][3], full[3] = {0}, champion[3] = {0};
    const size_t count = average_searches(data, rows);
    fputs("$s << END\n", script);
    for (size_t k = 0; k < count; k++)
        if (rows[k][0] > 0)
            fprintf(script, "%.9g %.9g %.9g\n", rows[k][0], rows[k][1], rows[k][2]);
        else
            memcpy(rows[k][0] == 0 ? full : champion, rows[k], sizeof full);
    fputs("END\n", script);
    begin(script, 2, 1);
    fputs("set logscale xy\nset xlabel \"Algorithm 1's BASE\\\\_MULTIPLIER, in units of the inradius\"\n", script);
    const struct {
        const char *label, *format;
        int column;
    } panels[] = {{"constraints intersected a sample", "%g", 1}, {"time of a decode", "%.0s %cs", 2}};
    for (size_t p = 0; p < 2; p++)
        fprintf(script,
                "set ylabel '%s'\nset format y '%s'\nplot $s using 1:%d with linespoints linewidth 2 pointtype 7 "
                "pointsize 0.5 linecolor '#0b62a4' title 'Algorithm 1', %.9g with lines linewidth 2 linecolor "
                "'#888888' title 'all constraints', %.9g with lines linewidth 2 linecolor '#1b7f3b' title 'champion "
                "pruning'\nunset key\n",
                panels[p].label, panels[p].format, panels[p].column + 1, full[panels[p].column],
                champion[panels[p].column]);
    fputs("unset multiplot\n", script);
}

int picture_search(const struct gallery *gallery) {
    double rows[32][3];
    return average_searches(gallery, rows) == 0 ? EXIT_DONE : draw_panels(gallery, "search", 2, write_search);
}
