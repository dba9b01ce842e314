#include "json.h"

#include "hcr/hcr.h"

#include <math.h>

void json_string(FILE *stream, const char *text) {
    char shown[HCR_PRINTABLE];
    fputc('"', stream);
    for (;;) {
        const char c = *text;
        if (hcr_printable(&text, shown) == 0)
            break;
        if (c == '\n' || c == '\t')
            fputs(c == '\n' ? "\\n" : "\\t", stream);
        else
            fprintf(stream, "%s%s", c == '"' || shown[0] == '\\' ? "\\" : "", shown);
    }
    fputc('"', stream);
}

void json_number(FILE *stream, double value) {
    if (isfinite(value))
        fprintf(stream, "%.17g", value);
    else
        fputs("null", stream);
}
