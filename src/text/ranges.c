/* Samples of parameters to `param` lines. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/number.h"
#include "base/text_buffer.h"
#include "hcr/hcr_build.h"
#include "text/vector_columns.h"

enum { SHOWN = 8 /* rows and elements in a comment */, LINE_WIDTH = 100 };

struct hcr_ranges {
    hcri_pool pool; /* has all that is below */
    size_t columns;
    hcri_vectors parameters;
    double *least, *largest;
    size_t rows, left_out, row_left_out[SHOWN];
};

hcr_status hcr_ranges_create(size_t columns, const char *const *names, hcr_ranges **ranges, hcr_error *error) {
    HCRI_FAIL_IF(ranges == NULL || columns == 0, HCR_ERROR_ARGUMENT, "ranges is NULL, or there are no columns");
    hcr_ranges *made = hcri_allocate(&hcri_default_allocator, 1, sizeof *made);
    HCRI_ALLOCATED(made);
    made->pool.from = &hcri_default_allocator;
    const hcr_allocator *allocator = hcri_pool_allocator(&made->pool);
    made->columns = columns;
    made->least = hcri_allocate(allocator, columns, sizeof *made->least);
    made->largest = hcri_allocate(allocator, columns, sizeof *made->largest);
    hcr_status status = hcri_pool_check(&made->pool, error);
    if (status == HCR_OK)
        status = hcri_vectors_make(columns, names, allocator, &made->parameters, error);
    if (status != HCR_OK) {
        hcr_ranges_free(made);
        return status;
    }
    for (size_t j = 0; j < columns; j++) {
        made->least[j] = INFINITY;
        made->largest[j] = -INFINITY;
    }
    *ranges = made;
    return HCR_OK;
}

void hcr_ranges_free(hcr_ranges *ranges) {
    if (ranges == NULL)
        return;
    hcri_pool_release(&ranges->pool);
    hcri_release(&hcri_default_allocator, ranges);
}

/* --------------------------------------------------------------------------------------------------------- samples */

hcr_status hcr_ranges_add(hcr_ranges *ranges, size_t rows, const double *values, hcr_error *error) {
    HCRI_FAIL_IF(ranges == NULL || (values == NULL && rows > 0), HCR_ERROR_ARGUMENT, "ranges or values is NULL");
    const size_t n = ranges->columns;
    for (size_t i = 0; i < rows; i++) {
        const double *row = values + i * n;
        int is_finite = 1;
        for (size_t j = 0; j < n; j++)
            is_finite &= isfinite(row[j]) != 0;
        for (size_t j = 0; j < n && is_finite; j++) {
            ranges->least[j] = fmin(ranges->least[j], row[j]);
            ranges->largest[j] = fmax(ranges->largest[j], row[j]);
        }
        if (!is_finite && ranges->left_out++ < SHOWN)
            ranges->row_left_out[ranges->left_out - 1] = ranges->rows;
        ranges->rows++;
    }
    return HCR_OK;
}

size_t hcr_ranges_left_out(const hcr_ranges *ranges, size_t *first) {
    if (first != NULL)
        *first = ranges->left_out > 0 ? ranges->row_left_out[0] : SIZE_MAX;
    return ranges->left_out;
}

/* ------------------------------------------------------------------------------------------------------------ text */

/* From `extreme` on, `margin` of it outwards (sign: 1 or -1): the shortest number that is 1 to 1.1 times so far away.
 */
static void write_end(char text[32], double extreme, double margin, double sign) {
    double end = extreme + sign * margin;
    if (!(sign * (end - extreme) > 0))
        end = nextafter(extreme, sign * INFINITY);
    for (int digits = 1; digits < 17; digits++) {
        double value;
        const int length = hcri_print(text, 32, "%.*g", digits, extreme + 1.05 * sign * margin);
        hcri_number_read(text, (size_t)length, &value);
        if (sign * (value - end) >= 0 && sign * (value - extreme) <= 1.1 * margin) {
            end = value;
            break;
        }
    }
    hcri_number_write(text, end, 0);
}

/* The ends of an element's range as text. */
static hcr_status find_ends(const hcr_ranges *ranges, const hcri_vector *own, size_t k, double margin, char end[2][32],
                            hcr_error *error) {
    const size_t j = ranges->parameters.column_of[own->first + k];
    const double least = ranges->least[j], largest = ranges->largest[j];
    const double scale = least < largest ? largest - least : least != 0 ? fabs(least) : 1;
    const double reach = fmax(-least, largest) + 1.1 * margin * scale;
    HCRI_FAIL_IF(!(reach < 1e20), HCR_ERROR_DATA,
                 "the range of %s%s reaches %g: parameters are under 1e20; take another unit", own->name,
                 hcri_element_text(own, k).text, reach);
    write_end(end[0], least, margin * scale, -1);
    write_end(end[1], largest, margin * scale, 1);
    return HCR_OK;
}

/* "[a, b, …]", of a matrix "[[a, b], [c, …]]", broken at the width of a line. */
static void write_list(hcri_report *report, const hcri_vector *own, char (*end)[2][32], int which, size_t *line) {
    enum { INDENT = 4 };
    const size_t width = own->columns;
    hcri_report_write(report, width > 0 ? "[[" : "[");
    for (size_t k = 0; k < own->size; k++) {
        const int is_next_row = width > 0 && k > 0 && k % width == 0;
        const char *separator = k == 0 ? "" : is_next_row ? "]," : ",", *open = is_next_row ? "[" : "";
        if (report->length - *line + strlen(end[k][which]) + 6 > LINE_WIDTH) {
            hcri_report_write(report, "%s\n", separator);
            *line = report->length;
            hcri_report_write(report, "%*s%s%s", INDENT, "", open, end[k][which]);
        } else {
            hcri_report_write(report, "%s%s%s%s", separator, k == 0 ? "" : " ", open, end[k][which]);
        }
    }
    hcri_report_write(report, width > 0 ? "]]" : "]");
}

static hcr_status write_parameter(const hcr_ranges *ranges, const hcri_vector *own, double margin, hcri_report *report,
                                  hcr_error *error) {
    HCRI_SCOPED char(*end)[2][32] = hcri_allocate(&hcri_default_allocator, own->size, sizeof *end);
    HCRI_ALLOCATED(end);
    int same = 1;
    for (size_t k = 0; k < own->size; k++) {
        HCRI_TRY(find_ends(ranges, own, k, margin, end[k], error));
        same = same && strcmp(end[k][0], end[0][0]) == 0 && strcmp(end[k][1], end[0][1]) == 0;
    }
    size_t line = report->length;
    hcri_report_write(report, "param %s%s in [", own->name, hcri_shape_text(own).text);
    if (same) {
        hcri_report_write(report, "%s, %s]\n", end[0][0], end[0][1]);
        return HCR_OK;
    }
    write_list(report, own, end, 0, &line);
    hcri_report_write(report, ",\n%*s", 4, "");
    line = report->length - 4;
    write_list(report, own, end, 1, &line);
    hcri_report_write(report, "]\n");
    return HCR_OK;
}

static void write_rest(hcri_report *report, size_t count) {
    if (count > SHOWN)
        hcri_report_write(report, " and %zu more", count - SHOWN);
}

/* Elements whose samples are all the same: in their order. */
static void write_constants(const hcr_ranges *ranges, const char *share, hcri_report *report) {
    size_t count = 0;
    for (size_t p = 0; p < ranges->parameters.count; p++) {
        const hcri_vector *own = &ranges->parameters.vector[p];
        for (size_t k = 0; k < own->size; k++) {
            const size_t j = ranges->parameters.column_of[own->first + k];
            if (ranges->least[j] != ranges->largest[j] || count++ >= SHOWN)
                continue;
            hcri_report_write(report, "%s%s%s", count == 1 ? "# The same in all samples: " : ", ", own->name,
                              hcri_element_text(own, k).text);
        }
    }
    write_rest(report, count);
    if (count > 0)
        hcri_report_write(report, ".\n#   Their ranges go %s of its size to both sides (of 1, for 0).\n", share);
}

static void write_comment(const hcr_ranges *ranges, double margin, hcri_report *report) {
    char share[32];
    hcri_print(share, sizeof share, "%g %%", 100 * margin);
    const size_t samples = ranges->rows - ranges->left_out;
    hcri_report_write(report, "# Ranges of %zu sample%s, and %s of each range beyond them on both sides.\n", samples,
                      samples == 1 ? "" : "s", share);
    write_constants(ranges, share, report);
    for (size_t i = 0; i < ranges->left_out && i < SHOWN; i++)
        hcri_report_write(report, i == 0 ? "# Rows left out for a missing value or an infinity: %zu" : ", %zu",
                          ranges->row_left_out[i]);
    write_rest(report, ranges->left_out);
    if (ranges->left_out > 0)
        hcri_report_write(report, ".\n");
}

hcr_status hcr_ranges_text(const hcr_ranges *ranges, double margin, char **text, hcr_error *error) {
    HCRI_FAIL_IF(ranges == NULL || text == NULL, HCR_ERROR_ARGUMENT, "ranges or text is NULL");
    HCRI_FAIL_IF(!(margin >= 0 && margin < INFINITY), HCR_ERROR_ARGUMENT,
                 "the margin is %g: it is a share of the range, 0 or more", margin);
    HCRI_FAIL_IF(ranges->rows == ranges->left_out, HCR_ERROR_DATA, "there is no sample%s: a range needs one at least",
                 ranges->rows > 0 ? " without a NaN or an infinity" : "");
    HCRI_SCOPED_BY(hcri_report_clear) hcri_report report = {0};
    write_comment(ranges, margin, &report);
    for (size_t p = 0; p < ranges->parameters.count; p++)
        HCRI_TRY(write_parameter(ranges, &ranges->parameters.vector[p], margin, &report, error));
    return hcri_report_take(&report, text, error);
}
