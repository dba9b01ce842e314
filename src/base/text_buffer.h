/* Text that grows, for reports. */
#ifndef HCRI_TEXT_BUFFER_H
#define HCRI_TEXT_BUFFER_H

#include "base/status.h"

typedef struct hcri_report {
    char *text; /* from malloc, terminated */
    size_t length, capacity;
    int failed; /* no memory: later writes do nothing */
} hcri_report;

void hcri_report_write(hcri_report *report, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* In full, in the shortest form that reads back; JSON has null for what isn't finite. */
void hcri_report_number(hcri_report *report, double number);
void hcri_report_json_number(hcri_report *report, double number);
void hcri_report_json_string(hcri_report *report, const char *string);
void hcri_report_clear(hcri_report *report);
/* Hands the text on; frees it where there was no memory for all of it. */
hcr_status hcri_report_take(hcri_report *report, char **text, hcr_error *error);

#endif
