#include "trial.h"

#include "cli/command.h"
#include "cli/report.h"
#include "cli/tables.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct trial {
    const struct problem *problem;
    enum method method;
    const hcr_region *region;
    hcr_model *model;
    hcr_fit_report report;
    double *points, *predicted, *seconds; /* test rows */
    uint8_t *inside;
    size_t width;  /* of points */
    double *drawn; /* the model's own prediction of the row that is drawn */
    struct record records[2];
    size_t count;
};

static void release(struct trial *trial) {
    hcr_model_free(trial->model);
    free(trial->points);
    free(trial->predicted);
    free(trial->seconds);
    free(trial->inside);
    free(trial->drawn);
}

static region_map *map_of(hcr_head head) {
    return head == HCR_HEAD_CONTRACT ? hcr_contract : head == HCR_HEAD_SOFTEN ? hcr_soften : hcr_decode;
}

/* ------------------------------------------------------------------------------------------------------- measures */

static double mean_squared_error(const struct trial *trial) {
    const struct problem *problem = trial->problem;
    const size_t count = problem->test * problem->n;
    double sum = 0;
    for (size_t k = 0; k < count; k++) {
        const double miss = trial->predicted[k] - problem->y_test[k];
        sum += miss * miss;
    }
    return sum / (double)count / problem->unit;
}

/* Shares of predictions inside, and how far beyond the frontier they are, seen from the Chebyshev centre. */
static hcr_status measure_inside(struct trial *trial, struct record *record, hcr_error *error) {
    const struct problem *problem = trial->problem;
    const size_t rows = problem->test, n = problem->n;
    const double *origin = hcr_region_origin(problem->region);
    double *v = values_make(rows, n), *violation = values_make(rows, 1), *gauge = values_make(rows, 1);
    uint32_t *which = calloc(rows + 1, sizeof *which);
    hcr_workspace *workspace = NULL;
    hcr_status status = HCR_ERROR_MEMORY;
    if (v != NULL && violation != NULL && gauge != NULL && which != NULL)
        status = hcr_workspace_create(problem->region, 1, &workspace, error);
    for (size_t k = 0; status == HCR_OK && k < rows * n; k++)
        v[k] = trial->predicted[k] - origin[k % n];
    if (status == HCR_OK)
        status = hcr_check(trial->region, rows, NULL, trial->predicted, trial->inside, NULL, error);
    if (status == HCR_OK)
        status = hcr_violation(trial->region, rows, NULL, trial->predicted, violation, which, error);
    if (status == HCR_OK)
        status = hcr_gauge(problem->region, workspace, rows, NULL, v, gauge, NULL, error);
    double *value = record->value;
    for (size_t i = 0; status == HCR_OK && i < rows; i++) {
        const double excess = trial->inside[i] ? 0 : fmax(gauge[i] - 1, 0);
        value[FIELD_INSIDE] += trial->inside[i];
        value[FIELD_INSIDE_1E6] += violation[i] <= 1e-6;
        value[FIELD_EXCESS] += excess;
        value[FIELD_LARGEST_EXCESS] = fmax(value[FIELD_LARGEST_EXCESS], excess);
    }
    value[FIELD_INSIDE] /= (double)rows; /* of counts: all of them is 1, exactly */
    value[FIELD_INSIDE_1E6] /= (double)rows;
    value[FIELD_EXCESS] /= (double)rows;
    hcr_workspace_free(workspace);
    free(v);
    free(violation);
    free(gauge);
    free(which);
    return status;
}

/* Averages of trial->seconds; moved[i] says that a sample wasn't inside before. */
static void measure_times(const struct trial *trial, const uint8_t *was_inside, struct record *record) {
    double *value = record->value, moved = 0, moved_sum = 0;
    const size_t rows = trial->problem->test;
    value[FIELD_AVERAGE_TIME] = value[FIELD_LARGEST_TIME] = 0;
    for (size_t i = 0; i < rows; i++) {
        const double seconds = trial->seconds[i], bin = BINS_A_DECADE * log10(seconds / FIRST_BIN);
        value[FIELD_AVERAGE_TIME] += seconds / (double)rows;
        value[FIELD_LARGEST_TIME] = fmax(value[FIELD_LARGEST_TIME], seconds);
        record->bin[bin < 0 ? 0 : bin >= BINS ? BINS - 1 : (size_t)bin] += 1;
        moved += !was_inside[i];
        moved_sum += was_inside[i] ? 0 : seconds;
    }
    value[FIELD_MOVED] = moved / (double)rows;
    value[FIELD_AVERAGE_TIME_MOVED] = moved > 0 ? moved_sum / moved : NAN;
}

static struct record *begin_record(struct trial *trial, enum method method) {
    struct record *record = &trial->records[trial->count++];
    const struct problem *problem = trial->problem;
    *record = (struct record){.value = {[FIELD_GROUP] = (double)problem->group,
                                        [FIELD_NUMBER] = (double)problem->number,
                                        [FIELD_METHOD] = (double)method,
                                        [FIELD_TRAIN_ROWS] = (double)problem->train,
                                        [FIELD_TEST_ROWS] = (double)problem->test,
                                        [FIELD_TRAINING_ERROR] = trial->report.training_mse / problem->unit,
                                        [FIELD_SECONDS] = trial->report.seconds,
                                        [FIELD_AVERAGE_TIME] = NAN,
                                        [FIELD_LARGEST_TIME] = NAN,
                                        [FIELD_MOVED] = NAN,
                                        [FIELD_AVERAGE_TIME_MOVED] = NAN,
                                        [FIELD_CANDIDATES] = NAN}};
    return record;
}

/* ---------------------------------------------------------------------------------------------------- the methods */

/* The predictions as the model gives them. */
static hcr_status measure_model(struct trial *trial, hcr_error *error) {
    static const hcr_search algorithm1 = {.method = HCR_SEARCH_ALGORITHM1};
    const struct problem *problem = trial->problem;
    const struct method_info *info = &method_info[trial->method];
    struct record *record = begin_record(trial, trial->method);
    hcr_status status = hcr_predict(trial->model, problem->test, problem->x_test, NULL, trial->predicted, NULL, error);
    if (status == HCR_OK)
        status = measure_inside(trial, record, error);
    record->value[FIELD_ERROR] = mean_squared_error(trial);
    if (status != HCR_OK || !info->guarded)
        return status;
    region_map *map = map_of(info->head);
    status = hcr_predict_points(trial->model, problem->test, problem->x_test, NULL, trial->points, error);
    if (status == HCR_OK)
        status = timing_map(trial->region, map, problem->test, trial->width, trial->points, trial->seconds, error);
    if (status != HCR_OK)
        return status;
    /* Every sample goes through the map in the same way: what moves isn't told apart. */
    memset(trial->inside, 0, problem->test);
    measure_times(trial, trial->inside, record);
    double seconds;
    return timing_search(trial->region, map, &algorithm1, problem->test, trial->points,
                         &record->value[FIELD_CANDIDATES], &seconds, error);
}

/* The same model's, projected. */
static hcr_status measure_projection(struct trial *trial, hcr_error *error) {
    const struct problem *problem = trial->problem;
    const size_t rows = problem->test;
    struct record *record = begin_record(trial, PROJECTION);
    hcr_projector *projector = NULL;
    uint8_t *was_inside = malloc(rows);
    hcr_status status = was_inside == NULL ? HCR_ERROR_MEMORY : HCR_OK;
    if (status == HCR_OK)
        memcpy(was_inside, trial->inside, rows);
    memcpy(trial->points, trial->predicted, rows * problem->n * sizeof *trial->points);
    if (status == HCR_OK)
        status = timing_projection(trial->region, rows, trial->points, trial->seconds, error);
    if (status == HCR_OK)
        status = hcr_projector_create(trial->region, &projector, error);
    if (status == HCR_OK)
        status = hcr_project(projector, rows, NULL, trial->points, trial->predicted, NULL, error);
    if (status == HCR_OK)
        status = measure_inside(trial, record, error);
    if (status == HCR_OK) {
        record->value[FIELD_ERROR] = mean_squared_error(trial);
        measure_times(trial, was_inside, record);
    }
    hcr_projector_free(projector);
    free(was_inside);
    return status;
}

/* The window in the middle of the test rows. */
static size_t drawn_row(const struct problem *problem) { return problem->test / 2; }

static hcr_status train_and_measure(struct trial *trial, hcr_error *error) {
    const struct problem *problem = trial->problem;
    const struct method_info *info = &method_info[trial->method];
    hcr_fit_options options = problem->options;
    options.head = info->head;
    options.raw_weight = info->raw_weight;
    options.ascent = trial->method == LAGRANGIAN ? problem->ascent : 0;
    hcr_status status = hcr_fit(trial->region, NULL, problem->train, problem->inputs, problem->x_train, NULL, NULL,
                                problem->y_train, &options, &trial->model, &trial->report, error);
    if (status == HCR_OK)
        status = measure_model(trial, error);
    memcpy(trial->drawn, trial->predicted + drawn_row(problem) * problem->n, problem->n * sizeof *trial->drawn);
    if (status == HCR_OK && trial->method == SIMPLE)
        status = measure_projection(trial, error);
    return status;
}

/* ------------------------------------------------------------------------------------------------------ forecasts */

/* A window to be drawn: what came before, what was to be forecast, the forecast and its limits. */
static int write_forecast(const struct store *store, const struct trial *trial) {
    const struct problem *problem = trial->problem;
    const size_t row = drawn_row(problem), n = problem->n;
    char path[512], what[64];
    snprintf(what, sizeof what, "%s-forecast", method_info[trial->method].key);
    store_path(store, problem->label, what, path);
    double *values = values_make(n, 6);
    char *names[] = {"before", "actual", "forecast", "smallest", "largest", "breaks_a_limit"};
    if (values == NULL)
        return report_memory();
    const double *y = trial->drawn;
    for (size_t t = 0; t < n; t++) {
        const int beyond =
            y[t] < problem->smallest || y[t] > problem->largest || (t > 0 && fabs(y[t] - y[t - 1]) > problem->step);
        const double line[] = {problem->x_test[(row + 1) * problem->inputs - n + t],
                               problem->y_test[row * n + t],
                               y[t],
                               problem->smallest,
                               problem->largest,
                               beyond};
        memcpy(values + t * 6, line, sizeof line);
    }
    const int code = table_write_named(path, n, 6, values, names, HCR_DOUBLE);
    free(values);
    return code;
}

int trial_run(const struct store *store, const struct problem *problem, enum method method) {
    const size_t rows = problem->test;
    struct trial trial = {.problem = problem,
                          .method = method,
                          .region = method_info[method].mean ? problem->centred : problem->region,
                          .points = values_make(rows, problem->n + 1),
                          .predicted = values_make(rows, problem->n),
                          .seconds = values_make(rows, 1),
                          .inside = calloc(rows + 1, 1),
                          .drawn = values_make(1, problem->n)};
    const hcr_head head = method_info[method].head;
    trial.width = head == HCR_HEAD_HCR || head == HCR_HEAD_DIRECT ? problem->n + 1 : problem->n;
    hcr_error error = {.text = "not enough memory"};
    hcr_status status = HCR_ERROR_MEMORY;
    if (trial.points != NULL && trial.predicted != NULL && trial.seconds != NULL && trial.inside != NULL &&
        trial.drawn != NULL)
        status = train_and_measure(&trial, &error);
    int code = EXIT_DONE;
    if (status == HCR_ERROR_INTERRUPTED) {
        code = EXIT_INTERRUPTED;
    } else if (status != HCR_OK) {
        report("%s, %s:", problem->label, method_info[method].title);
        error.code = status;
        code = report_error(&error);
    }
    if (code == EXIT_DONE && !isnan(problem->smallest) && (method == SIMPLE || method == CONTRACT))
        code = write_forecast(store, &trial);
    if (code == EXIT_DONE)
        code = store_write(store, problem->label, method_info[method].key, trial.count, trial.records);
    release(&trial);
    return code;
}

/* ---------------------------------------------------------------------------------------------------- Algorithm 1 */

/* The radius of the largest ball around the origin, which is Algorithm 1's default multiplier. */
static double inradius(const hcr_region *region, hcr_error *error) {
    static const char key[] = "\"inradius\":";
    char *text = NULL;
    double radius = NAN;
    if (hcr_region_explain(region, 1, &text, error) == HCR_OK) {
        const char *found = strstr(text, key);
        if (found != NULL)
            radius = strtod(found + sizeof key - 1, NULL);
    }
    free(text);
    return radius;
}

enum { MULTIPLIERS = 13, SEARCHES = MULTIPLIERS + 2 };

int trial_search(const struct store *store, const struct problem *problem) {
    const hcr_region *region = problem->region;
    hcr_error error = {.text = "not enough memory"};
    hcr_workspace *workspace = NULL;
    double *polar = values_make(problem->test, problem->n + 1), rows[SEARCHES][3];
    const double radius = inradius(region, &error);
    hcr_status status = polar == NULL ? HCR_ERROR_MEMORY : hcr_workspace_create(region, 1, &workspace, &error);
    if (status == HCR_OK)
        status = hcr_encode(region, workspace, problem->test, NULL, problem->y_test, polar, NULL, &error);
    for (int k = 0; status == HCR_OK && k < SEARCHES; k++) {
        hcr_search search = {.method = k == MULTIPLIERS ? HCR_SEARCH_FULL : HCR_SEARCH_CHAMPION};
        rows[k][0] = k == MULTIPLIERS ? 0 : -1;
        if (k < MULTIPLIERS) {
            rows[k][0] = exp2(0.5 * k - 2);
            search = (hcr_search){.method = HCR_SEARCH_ALGORITHM1, .base_multiplier = rows[k][0] * radius};
        }
        status = timing_search(region, hcr_decode, &search, problem->test, polar, &rows[k][1], &rows[k][2], &error);
    }
    hcr_workspace_free(workspace);
    free(polar);
    if (status != HCR_OK) {
        error.code = status;
        return report_error(&error);
    }
    char path[512], *names[] = {"multiplier", "candidates", "seconds"};
    store_path(store, problem->label, "search", path);
    return table_write_named(path, SEARCHES, 3, rows[0], names, HCR_DOUBLE);
}
