#include "kernels/sparse_rows.h"

#include <math.h>
#include <string.h>

#include "base/double_double.h"

hcr_status hcri_rows_append(hcri_rows *rows, const hcr_allocator *allocator, size_t count, const uint32_t *columns,
                            const double *values, hcr_error *error) {
    const size_t used = rows->start == NULL ? 0 : rows->start[rows->count];
    size_t column_capacity = rows->entry_capacity;
    HCRI_ALLOCATED(HCRI_GROW(allocator, rows->start, &rows->row_capacity, rows->count + 2) &&
                   HCRI_GROW(allocator, rows->columns, &column_capacity, used + count) &&
                   HCRI_GROW(allocator, rows->values, &rows->entry_capacity, used + count));
    if (count != 0) {
        memcpy(rows->columns + used, columns, count * sizeof *columns);
        memcpy(rows->values + used, values, count * sizeof *values);
    }
    rows->count++;
    rows->start[rows->count] = used + count;
    return HCR_OK;
}

hcr_status hcri_rows_append_dense(hcri_rows *rows, const hcr_allocator *allocator, size_t n, const double *values,
                                  hcr_error *error) {
    HCRI_SCRATCH(scratch, allocator);
    uint32_t *columns = hcri_allocate(scratch, n, sizeof *columns);
    double *kept = hcri_allocate(scratch, n, sizeof *kept);
    HCRI_ALLOCATED(columns && kept);
    size_t count = 0;
    for (size_t j = 0; j < n; j++)
        if (values[j] != 0) {
            columns[count] = (uint32_t)j;
            kept[count++] = values[j];
        }
    return hcri_rows_append(rows, allocator, count, columns, kept, error);
}

hcr_status hcri_rows_append_all(hcri_rows *to, const hcr_allocator *allocator, const hcri_rows *from,
                                hcr_error *error) {
    for (size_t i = 0; i < from->count; i++) {
        const size_t start = from->start[i];
        HCRI_TRY(hcri_rows_append(to, allocator, from->start[i + 1] - start, from->columns + start,
                                  from->values + start, error));
    }
    return HCR_OK;
}

void hcri_rows_release(hcri_rows *rows, const hcr_allocator *allocator) {
    hcri_release(allocator, rows->start);
    hcri_release(allocator, rows->columns);
    hcri_release(allocator, rows->values);
    *rows = (hcri_rows){0};
}

void hcri_rows_scoped(hcri_rows *rows) { hcri_rows_release(rows, &hcri_default_allocator); }

static int is_sound(const hcri_rows *rows, size_t n, size_t count, size_t entries) {
    int sound = count == 0 ? entries == 0 : rows->start[0] == 0 && rows->start[count] == entries;
    for (size_t i = 0; i < count && sound; i++) {
        sound = rows->start[i] <= rows->start[i + 1] && rows->start[i + 1] <= entries;
        for (size_t k = rows->start[i]; sound && k < rows->start[i + 1]; k++)
            sound = rows->columns[k] < n && (k == rows->start[i] || rows->columns[k] > rows->columns[k - 1]) &&
                    isfinite(rows->values[k]);
    }
    return sound;
}

void hcri_walk_rows(hcri_walk *walk, size_t n, hcri_rows *rows) {
    hcri_rows found = walk->in == NULL ? *rows : (hcri_rows){0};
    size_t count = rows->count, entries = hcri_rows_entries(rows);
    hcri_walk_count(walk, 8, &count);
    hcri_walk_count(walk, 12, &entries);
    if (count != 0) {
        hcri_walk_sizes(walk, count + 1, &found.start);
        hcri_walk_u32s(walk, entries, &found.columns);
        hcri_walk_f64s(walk, entries, &found.values);
    }
    if (walk->in == NULL)
        return;
    *rows = (hcri_rows){.start = found.start, .columns = found.columns, .values = found.values};
    if (!hcri_walk_got(walk) || !is_sound(rows, n, count, entries)) {
        hcri_rows_release(rows, walk->allocator);
        if (walk->status == HCR_OK)
            walk->status = hcri_fail(walk->error, HCR_ERROR_FORMAT, "the rows of a matrix are damaged");
        return;
    }
    rows->count = count;
    rows->row_capacity = count == 0 ? 0 : count + 1;
    rows->entry_capacity = entries;
}

double hcri_rows_dot(const hcri_rows *rows, size_t i, const double *y, double *absolute) {
    double dot = 0, total = 0;
    for (size_t k = rows->start[i]; k < rows->start[i + 1]; k++) {
        const double term = rows->values[k] * y[rows->columns[k]];
        dot += term;
        total += fabs(term);
    }
    if (absolute != NULL)
        *absolute = total;
    return dot;
}

double hcri_rows_dot_minus(const hcri_rows *rows, size_t i, const double *y, double b) {
    hcri_dd total = {-b, 0};
    for (size_t k = rows->start[i]; k < rows->start[i + 1]; k++)
        total = hcri_dd_add_product(total, rows->values[k], y[rows->columns[k]]);
    return hcri_dd_value(total);
}

/* total += b; *exact = 0 where the low part is rounded: the sum of the high parts loses nothing (Knuth's two-sum). */
static hcri_dd add_exactly(hcri_dd total, double b, int *exact) {
    const double sum = total.high + b, part = sum - total.high;
    const double lost = (total.high - (sum - part)) + (b - part);
    const double low = total.low + lost, of_low = low - total.low;
    *exact &= (total.low - (low - of_low)) + (lost - of_low) == 0;
    return hcri_dd_add(total, b);
}

double hcri_rows_dot_minus_exactly(const hcri_rows *rows, size_t i, const double *y, double b, int *exact) {
    static const double normal = 0x1p-900; /* products below that may lose their low part */
    hcri_dd total = {-b, 0};
    *exact = 1;
    for (size_t k = rows->start[i]; k < rows->start[i + 1]; k++) {
        const double x = rows->values[k], at = y[rows->columns[k]], product = x * at;
        *exact &= x == 0 || at == 0 || (fabs(product) > normal && isfinite(product));
        total = add_exactly(add_exactly(total, product, exact), fma(x, at, -product), exact);
    }
    return hcri_dd_value(total);
}

void hcri_rows_dot_minus_each(const hcri_rows *rows, size_t i, const double *y, const double b[3], double value[3]) {
    hcri_dd total[3] = {{-b[0], 0}, {-b[1], 0}, {-b[2], 0}};
    for (size_t k = rows->start[i]; k < rows->start[i + 1]; k++) {
        const double x = rows->values[k], at = y[rows->columns[k]], product = x * at, lost = fma(x, at, -product);
        for (size_t r = 0; r < 3; r++)
            total[r] = hcri_dd_add(hcri_dd_add(total[r], product), lost);
    }
    for (size_t r = 0; r < 3; r++)
        value[r] = hcri_dd_value(total[r]);
}

/* -------------------------------------------------------------------------------------------------------- layout */

/* Is row i the row before it, moved one column on? */
static int continues_stencil(const hcri_rows *rows, size_t i) {
    const size_t a = rows->start[i - 1], b = rows->start[i], terms = b - a;
    if (rows->start[i + 1] - b != terms)
        return 0;
    for (size_t k = 0; k < terms; k++)
        if (rows->columns[b + k] != rows->columns[a + k] + 1 || rows->values[b + k] != rows->values[a + k])
            return 0;
    return 1;
}

static size_t stencil_length(const hcri_rows *rows, size_t i) {
    size_t length = 1;
    while (i + length < rows->count && continues_stencil(rows, i + length))
        length++;
    return length;
}

/* Shorter runs aren't worth a form of their own. */
static const size_t shortest_stencil = 8;

/* A panel's product takes about a sixth of the time of a sparse one, an entry. */
enum { PANEL_GAIN = 6 };

static hcri_run_form form_of(const hcri_rows *rows, size_t i, size_t n) {
    return PANEL_GAIN * (rows->start[i + 1] - rows->start[i]) >= n ? HCRI_RUN_DENSE : HCRI_RUN_SPARSE;
}

/* The run that begins at row i. */
static hcri_run run_at(const hcri_rows *rows, size_t i, size_t n) {
    hcri_run run = {.form = HCRI_RUN_STENCIL, .first = i, .count = stencil_length(rows, i)};
    if (run.count >= shortest_stencil) {
        run.terms = rows->start[i + 1] - rows->start[i];
        run.columns = rows->columns + rows->start[i];
        run.values = rows->values + rows->start[i];
        return run;
    }
    run.form = form_of(rows, i, n);
    size_t end = i + run.count;
    while (end < rows->count && form_of(rows, end, n) == run.form) {
        const size_t length = stencil_length(rows, end);
        if (length >= shortest_stencil)
            break;
        end += length;
    }
    run.count = end - i;
    return run;
}

static hcr_status fill_panels(const hcri_rows *rows, size_t n, const hcr_allocator *allocator, hcri_run *run,
                              hcr_error *error) {
    const size_t panels = (run->count + HCRI_PANEL - 1) / HCRI_PANEL;
    run->panels = hcri_allocate(allocator, panels * HCRI_PANEL, n * sizeof *run->panels);
    HCRI_ALLOCATED(run->panels);
    for (size_t i = 0; i < run->count; i++) {
        double *panel = run->panels + i / HCRI_PANEL * HCRI_PANEL * n;
        for (size_t k = rows->start[run->first + i]; k < rows->start[run->first + i + 1]; k++)
            panel[HCRI_PANEL * rows->columns[k] + i % HCRI_PANEL] = rows->values[k];
    }
    return HCR_OK;
}

hcr_status hcri_layout_make(const hcri_rows *rows, size_t n, const hcr_allocator *allocator, hcri_layout *layout,
                            hcr_error *error) {
    *layout = (hcri_layout){0};
    size_t capacity = 0;
    for (size_t i = 0; i < rows->count;) {
        HCRI_ALLOCATED(HCRI_GROW(allocator, layout->run, &capacity, layout->runs + 1));
        hcri_run *run = &layout->run[layout->runs++];
        *run = run_at(rows, i, n);
        if (run->form == HCRI_RUN_DENSE)
            HCRI_TRY(fill_panels(rows, n, allocator, run, error));
        i += run->count;
    }
    return HCR_OK;
}

double hcri_layout_cost(const hcri_layout *layout, const hcri_rows *rows, size_t n) {
    double cost = 0;
    for (size_t r = 0; r < layout->runs; r++) {
        const hcri_run *run = &layout->run[r];
        const size_t entries = run->form == HCRI_RUN_DENSE
                                   ? run->count * n
                                   : rows->start[run->first + run->count] - rows->start[run->first];
        const size_t total = entries + 2 * run->count; /* what a row itself takes */
        cost += run->form == HCRI_RUN_SPARSE ? (double)total : (double)total / PANEL_GAIN;
    }
    return cost;
}

void hcri_layout_release(hcri_layout *layout, const hcr_allocator *allocator) {
    for (size_t i = 0; i < layout->runs; i++)
        hcri_release(allocator, layout->run[i].panels);
    hcri_release(allocator, layout->run);
    *layout = (hcri_layout){0};
}
