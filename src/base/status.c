#include "base/status.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/number.h"
#include "base/printable.h"

const char *hcr_version(void) { return HCR_VERSION; }

const char *hcr_status_name(hcr_status status) {
    static const char *const names[] = {"ok",        "argument",    "memory",     "file",   "format",
                                        "version",   "syntax",      "name",       "shape",  "data",
                                        "convexity", "empty",       "unbounded",  "origin", "precision",
                                        "solver",    "interrupted", "unsupported"}; /* in their order */
    return (unsigned)status < sizeof names / sizeof names[0] ? names[status] : "unknown";
}

static void fill(hcr_error *error, hcr_status status, const char *file, int line, int column, const char *format,
                 va_list arguments) {
    if (error == NULL)
        return;
    error->code = status;
    error->line = line;
    error->column = column;
    snprintf(error->file, sizeof error->file, "%s", file);
    hcri_format(error->text, sizeof error->text, format, arguments);
    hcri_make_printable(error->file, sizeof error->file);
    hcri_make_printable(error->text, sizeof error->text);
}

hcr_status hcri_fail(hcr_error *error, hcr_status status, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fill(error, status, "", 0, 0, format, arguments);
    va_end(arguments);
    return status;
}

hcr_status hcri_fail_at(hcr_error *error, hcr_status status, const char *file, int line, int column, const char *format,
                        ...) {
    va_list arguments;
    va_start(arguments, format);
    fill(error, status, file, line, column, format, arguments);
    va_end(arguments);
    return status;
}

hcr_status hcri_file_blame(const char *path, hcr_status status, const hcr_error *found, hcr_error *error) {
    if (status == HCR_OK)
        return HCR_OK;
    const int is_its_own = status == HCR_ERROR_FILE || status == HCR_ERROR_MEMORY;
    const hcr_status code = status == HCR_ERROR_ARGUMENT ? HCR_ERROR_FORMAT : status;
    return hcri_fail_at(error, code, is_its_own ? "" : path, found->line, found->column, "%s", found->text);
}

hcr_status hcri_fail_memory(hcr_error *error) { return hcri_fail(error, HCR_ERROR_MEMORY, "not enough memory"); }
