#include "base/text_buffer.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>

#include "base/number.h"
#include "hcr/hcr.h"

void hcri_report_write(hcri_report *report, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    const int length = hcri_format(NULL, 0, format, arguments);
    va_end(arguments);
    if (length < 0 || report->failed)
        return;
    if (report->length + (size_t)length + 1 > report->capacity) {
        const size_t capacity = 2 * (report->length + (size_t)length + 1);
        char *text = realloc(report->text, capacity);
        if (text == NULL) {
            report->failed = 1;
            return;
        }
        report->text = text;
        report->capacity = capacity;
    }
    va_start(arguments, format);
    hcri_format(report->text + report->length, report->capacity - report->length, format, arguments);
    va_end(arguments);
    report->length += (size_t)length;
}

void hcri_report_number(hcri_report *report, double number) {
    char text[32];
    hcri_number_write(text, number, 0);
    hcri_report_write(report, "%s", text);
}

void hcri_report_json_number(hcri_report *report, double number) {
    if (isfinite(number))
        hcri_report_number(report, number);
    else
        hcri_report_write(report, "null");
}

void hcri_report_json_string(hcri_report *report, const char *string) {
    char shown[HCR_PRINTABLE];
    hcri_report_write(report, "\"");
    for (;;) {
        const char c = *string;
        if (hcr_printable(&string, shown) == 0)
            break;
        if (c == '\n' || c == '\t')
            hcri_report_write(report, c == '\n' ? "\\n" : "\\t");
        else
            hcri_report_write(report, "%s%s", c == '"' || shown[0] == '\\' ? "\\" : "", shown);
    }
    hcri_report_write(report, "\"");
}

void hcri_report_clear(hcri_report *report) {
    free(report->text);
    *report = (hcri_report){0};
}

hcr_status hcri_report_take(hcri_report *report, char **text, hcr_error *error) {
    const int is_whole = !report->failed && report->text != NULL;
    if (is_whole) {
        *text = report->text;
        report->text = NULL;
    }
    hcri_report_clear(report);
    return is_whole ? HCR_OK : hcri_fail_memory(error);
}
