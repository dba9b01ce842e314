/* Text that grows, for reports. */
#ifndef HCRI_TEXT_BUFFER_H
#define HCRI_TEXT_BUFFER_H

#include <stddef.h>

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

#endif
