#include "pictures.h"

#include "cli/command.h"
#include "cli/plot.h"
#include "panels.h"
#include "summary.h"

#include <math.h>
#include <stdio.h>

static const char *const colour[METHODS] = {
    [SIMPLE] = "#e08a2e",        [LAGRANGIAN] = "#c1121f",   [PROJECTION] = "#6b4c9a",  [HCR] = "#0b62a4",
    [HCR_MEAN] = "#5aa9d6",      [DIRECT] = "#1b7f3b",       [DIRECT_MEAN] = "#7fbf7b", [CONTRACT] = "#111111",
    [CONTRACT_MEAN] = "#777777", [CONTRACT_RAW] = "#b8860b", [SOFTEN] = "#c08497",
};

static void path_of(const struct gallery *gallery, const char *name, char path[512]) {
    snprintf(path, 512, "%s/%s.svg", gallery->store->folder, name);
}

static int is_of(const struct record *record, size_t group, enum method method) {
    return record->value[FIELD_GROUP] == (double)group && record->value[FIELD_METHOD] == (double)method;
}

static int has_runs(const struct gallery *gallery, size_t group, enum method method) {
    for (size_t i = 0; i < gallery->count; i++)
        if (is_of(&gallery->records[i], group, method))
            return 1;
    return 0;
}

/* A panel a group, and a key of the methods that have runs: all, or those that post-process. */
static struct panels panels_of(const struct gallery *gallery, int all, struct entry entry[METHODS]) {
    struct panels panels = {gallery->experiment->groups, 2, 560, 380, 0, entry};
    for (enum method method = 0; method < METHODS; method++) {
        int found = 0;
        for (size_t group = 0; group < gallery->experiment->groups; group++)
            found |= has_runs(gallery, group, method);
        if (found && (all || method_info[method].guarded || method == PROJECTION))
            entry[panels.entries++] = (struct entry){method_info[method].title, colour[method]};
    }
    return panels;
}

static int draw(const struct gallery *gallery, const char *name, const struct panels *panels,
                void (*write)(FILE *script, const void *drawing)) {
    char path[512];
    path_of(gallery, name, path);
    return plot_run(path, panels_width(panels), panels_height(panels), write, gallery);
}

/* -------------------------------------------------------------------------------------------- error and violation */

/* Where a logarithmic axis shows what is exactly 0. */
#define NO_VIOLATION 1e-9

static void write_violations(FILE *script, const void *data) {
    const struct gallery *gallery = data;
    struct entry entry[METHODS];
    const struct panels panels = panels_of(gallery, 1, entry);
    panels_begin(script, &panels);
    fprintf(script,
            "set format y '%%g'\nset logscale x\nset logscale y\nset xrange [%g:1e2]\nset xtics ('none' %g, '1e-7' "
            "1e-7, '1e-5' 1e-5, '1e-3' 1e-3, '0.1' 0.1, '10' 10)\nset xlabel 'mean distance beyond the frontier (gauge "
            "− 1)'\n",
            NO_VIOLATION / 3, NO_VIOLATION);
    for (size_t group = 0; group < gallery->experiment->groups; group++) {
        const struct group *about = &gallery->experiment->group[group];
        for (enum method method = 0; method < METHODS; method++) {
            fprintf(script, "$g%zum%d << END\n", group, (int)method);
            for (size_t i = 0; i < gallery->count; i++)
                if (is_of(&gallery->records[i], group, method))
                    fprintf(script, "%.9g %.9g\n", fmax(gallery->records[i].value[FIELD_EXCESS], NO_VIOLATION),
                            gallery->records[i].value[FIELD_ERROR]);
            fputs("END\n", script);
        }
        fprintf(script, "set title \"%s\" noenhanced\nset ylabel '%s'\n", about->title, about->error_name);
        const char *before = "plot ";
        for (enum method method = 0; method < METHODS; method++)
            if (has_runs(gallery, group, method)) {
                fprintf(script, "%s$g%zum%d using 1:2 with points pointtype %d pointsize 0.6 linecolor '%s'", before,
                        group, (int)method, method_info[method].guarded ? 7 : 6, colour[method]);
                before = ", ";
            }
        fputs("\n", script);
    }
    panels_end(script);
}

int picture_violations(const struct gallery *gallery) {
    struct entry entry[METHODS];
    const struct panels panels = panels_of(gallery, 1, entry);
    return draw(gallery, "error-violation", &panels, write_violations);
}

/* ---------------------------------------------------------------------------------------------------------- times */

/* The histogram of a method's times as a data block, as far as it isn't 0 on both sides. Returns 0 when it is empty. */
static int write_histogram(FILE *script, const struct gallery *gallery, size_t group, enum method method) {
    struct summary summary;
    summarise(group, method, gallery->count, gallery->records, &summary);
    const double *bin = summary.bin;
    double samples = 0;
    for (size_t k = 0; k < BINS; k++)
        samples += bin[k];
    if (samples == 0)
        return 0;
    fprintf(script, "$t%zum%d << END\n", group, (int)method);
    for (size_t k = 0; k < BINS; k++)
        if (bin[k] > 0 || (k > 0 && bin[k - 1] > 0) || (k + 1 < BINS && bin[k + 1] > 0))
            fprintf(script, "%.6g %.6g\n", FIRST_BIN * pow(10, ((double)k + 0.5) / BINS_A_DECADE), bin[k] / samples);
    fputs("END\n", script);
    return 1;
}

static void write_times(FILE *script, const void *data) {
    const struct gallery *gallery = data;
    struct entry entry[METHODS];
    const struct panels panels = panels_of(gallery, 0, entry);
    panels_begin(script, &panels);
    fputs("set logscale x\nset format x '%.0s %cs'\nset xlabel 'post-processing of one sample'\n"
          "set ylabel 'share of the samples'\n",
          script);
    for (size_t group = 0; group < gallery->experiment->groups; group++) {
        int drawn[METHODS];
        for (enum method method = 0; method < METHODS; method++)
            drawn[method] = write_histogram(script, gallery, group, method);
        fprintf(script, "set title \"%s\" noenhanced\n", gallery->experiment->group[group].title);
        const char *before = "plot ";
        for (enum method method = 0; method < METHODS; method++)
            if (drawn[method]) {
                fprintf(script, "%s$t%zum%d using 1:2 with histeps linewidth 2 linecolor '%s'", before, group,
                        (int)method, colour[method]);
                before = ", ";
            }
        fputs("\n", script);
    }
    panels_end(script);
}

int picture_times(const struct gallery *gallery) {
    struct entry entry[METHODS];
    const struct panels panels = panels_of(gallery, 0, entry);
    return draw(gallery, "times", &panels, write_times);
}

/* ------------------------------------------------------------------------------------------------------ forecasts */

enum { SHOWN = 6 };
static const struct entry forecast_key[] = {
    {"what happened", "#888888"}, {"Simple", "#e08a2e"}, {"HCR-contract", "#0b62a4"}, {"breaks a limit", "#c1121f"}};

/* The labels of the first group's first problems that have forecasts. */
static struct panels find_drawn(const struct gallery *gallery, const char *labels[SHOWN]) {
    struct panels panels = {0, 3, 420, 300, 4, forecast_key};
    for (size_t i = 0; i < gallery->count && panels.count < SHOWN; i++)
        if (is_of(&gallery->records[i], 0, CONTRACT) &&
            store_has(gallery->store, gallery->labels[i], "contract-forecast") &&
            store_has(gallery->store, gallery->labels[i], "simple-forecast"))
            labels[panels.count++] = gallery->labels[i];
    return panels;
}

/* A table of the store as a data block of gnuplot, its rows numbered. Returns their number. */
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
    const struct panels panels = find_drawn(gallery, labels);
    panels_begin(script, &panels);
    fputs("set format y '%.0f'\nset arrow 1 from 0, graph 0 to 0, graph 1 nohead dashtype 3 linecolor '#999999'\n",
          script);
    for (size_t k = 0; k < panels.count; k++) {
        const size_t length = write_block(script, gallery, labels[k], "simple-forecast", "$simple");
        write_block(script, gallery, labels[k], "contract-forecast", "$contract");
        fprintf(script,
                "set title \"%s\" noenhanced\nset xrange [-%zu:%zu]\n"
                "plot $simple using 1:5:6 with filledcurves linecolor '#e6efe3', "
                "'' using ($1-%zu):2 with lines linecolor '#888888', "
                "'' using 1:3 with lines linecolor '#888888' linewidth 1.5, "
                "'' using 1:4 with lines linecolor '#e08a2e' linewidth 2.5, "
                "'' using 1:($7 > 0 ? $4 : NaN) with points pointtype 7 pointsize 0.5 linecolor '#c1121f', "
                "$contract using 1:4 with lines linecolor '#0b62a4' linewidth 1.5\n",
                labels[k], length, length, length);
    }
    panels_end(script);
}

int picture_forecasts(const struct gallery *gallery) {
    const char *labels[SHOWN];
    const struct panels panels = find_drawn(gallery, labels);
    return panels.count == 0 ? EXIT_DONE : draw(gallery, "forecasts", &panels, write_forecasts);
}

/* --------------------------------------------------------------------------------------------------------- search */

static const struct entry search_key[] = {
    {"Algorithm 1", "#0b62a4"}, {"all constraints", "#888888"}, {"champion pruning", "#1b7f3b"}};
static const struct panels search_panels = {2, 2, 560, 380, 3, search_key};
enum { MOST_ROWS = 32 };

/* Means over the problems of the first group, row by row of their "search" tables. Returns the rows. */
static size_t average_searches(const struct gallery *gallery, double rows[MOST_ROWS][3]) {
    size_t count = 0, tables = 0;
    for (size_t i = 0; i < gallery->count; i++) {
        hcr_table table = {0};
        char path[512];
        store_path(gallery->store, gallery->labels[i], "search", path);
        if (!is_of(&gallery->records[i], 0, SIMPLE) || !store_has(gallery->store, gallery->labels[i], "search") ||
            hcr_table_read(path, HCR_TABLE_CSV, NULL, 0, &table, NULL) != HCR_OK)
            continue;
        if (table.columns == 3 && table.rows <= MOST_ROWS && (tables == 0 || table.rows == count)) {
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
    double rows[MOST_ROWS][3];
    const double *full = rows[0], *champion = rows[0];
    const size_t count = average_searches(data, rows);
    fputs("$s << END\n", script);
    for (size_t k = 0; k < count; k++)
        if (rows[k][0] > 0)
            fprintf(script, "%.9g %.9g %.9g\n", rows[k][0], rows[k][1], rows[k][2]);
        else if (rows[k][0] == 0)
            full = rows[k];
        else
            champion = rows[k];
    fputs("END\n", script);
    panels_begin(script, &search_panels);
    fputs("set logscale xy\nset format x '%g'\nset xlabel \"Algorithm 1's multiplier, in units of the inradius\"\n",
          script);
    const struct {
        const char *label, *format;
    } panels[] = {{"constraints intersected a sample", "%g"}, {"time of a decode", "%.0s %cs"}};
    for (int p = 0; p < 2; p++)
        fprintf(script,
                "set ylabel '%s'\nset format y '%s'\nplot $s using 1:%d with linespoints linewidth 2 pointtype 7 "
                "pointsize 0.5 linecolor '#0b62a4', %.9g with lines linewidth 2 linecolor '#888888', %.9g with lines "
                "linewidth 2 linecolor '#1b7f3b'\n",
                panels[p].label, panels[p].format, p + 2, full[p + 1], champion[p + 1]);
    panels_end(script);
}

int picture_search(const struct gallery *gallery) {
    double rows[MOST_ROWS][3];
    return average_searches(gallery, rows) == 0 ? EXIT_DONE : draw(gallery, "search", &search_panels, write_search);
}
