#include "json.h"

#include "command.h"
#include "report.h"

#include "base/text_buffer.h"

#include <math.h>
#include <stdlib.h>

void json_string(FILE *stream, const char *text) {
    hcri_report report = {0};
    hcri_report_json_string(&report, text);
    if (report.failed)
        fail(EXIT_SOLVER, "not enough memory");
    fputs(report.text, stream);
    free(report.text);
}

void json_number(FILE *stream, double value) {
    if (isfinite(value))
        fprintf(stream, "%.17g", value);
    else
        fputs("null", stream);
}
