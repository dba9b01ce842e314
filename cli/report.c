#include "report.h"

#include "command.h"
#include "progress.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void print_name(FILE *stream, const char *name) {
    char shown[HCR_PRINTABLE];
    while (hcr_printable(&name, shown) != 0)
        fputs(shown, stream);
}

/* A message, of which names of files and words of the command line are part: nothing in it is a terminal's command. */
__attribute__((format(printf, 2, 0))) static void put(const char *before, const char *format, va_list arguments) {
    char *text = NULL, shown[HCR_PRINTABLE];
    progress_wait_end();
    if (vasprintf(&text, format, arguments) < 0)
        text = NULL;
    fputs(before, stderr);
    for (const char *at = text == NULL ? "not enough memory for a message" : text; *at != '\0';) {
        const int newline = *at == '\n';
        hcr_printable(&at, shown);
        fputs(newline ? "\n" : shown, stderr);
    }
    fputc('\n', stderr);
    free(text);
}

void report(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    put("hcr: ", format, arguments);
    va_end(arguments);
}

void report_rows(size_t count, const char *what, size_t first) {
    if (count > 0)
        report("%zu %s %s, the first of them row %zu", count, count == 1 ? "row" : "rows", what, first);
}

int tally_add(struct tally *tally, size_t row) {
    if (tally->count++ > 0)
        return 0;
    tally->first = row;
    return 1;
}

static int exit_code(hcr_status status) {
    static const unsigned char codes[] = {[HCR_ERROR_ARGUMENT] = EXIT_USAGE,
                                          [HCR_ERROR_FILE] = EXIT_FILE,
                                          [HCR_ERROR_MEMORY] = EXIT_SOLVER,
                                          [HCR_ERROR_SOLVER] = EXIT_SOLVER,
                                          [HCR_ERROR_INTERRUPTED] = EXIT_INTERRUPTED};
    return status < sizeof codes && codes[status] != 0 ? codes[status] : EXIT_INPUT;
}

hcr_error failure;

int report_error(void) {
    if (failure.file[0] != '\0' && failure.line > 0 && failure.column > 0)
        report("%s:%d:%d: %s", failure.file, failure.line, failure.column, failure.text);
    else if (failure.file[0] != '\0' && failure.line > 0)
        report("%s:%d: %s", failure.file, failure.line, failure.text);
    else if (failure.file[0] != '\0')
        report("%s: %s", failure.file, failure.text);
    else
        report("%s", failure.text);
    return exit_code(failure.code);
}

void quit(int code) {
    progress_wait_end();
    ending_clean();
    if ((fflush(stdout) != 0 || ferror(stdout)) && code == EXIT_DONE) {
        report("can't write \"standard output\": %s", strerror(errno));
        code = EXIT_FILE;
    }
    exit(code);
}

void fail(int code, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    put("hcr: ", format, arguments);
    va_end(arguments);
    quit(code);
}

void fail_file(const char *what, const char *path) {
    fail(EXIT_FILE, "can't %s \"%s\": %s", what, path, strerror(errno));
}

void fail_usage(const char *command, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "hcr %s", command);
    put(": ", format, arguments);
    va_end(arguments);
    fprintf(stderr, "`hcr %s --help` says more\n", command);
    quit(EXIT_USAGE);
}

void must(hcr_status status) {
    if (status != HCR_OK)
        quit(report_error());
}

void must_of(const char *path, hcr_status status) {
    if (failure.file[0] == '\0')
        snprintf(failure.file, sizeof failure.file, "%s", path);
    must(status);
}

void must_obeying(hcr_status status) {
    ending_obey();
    must(status);
}

void *allocate(size_t count, size_t size) {
    void *memory = calloc(count + 1, size); /* never nothing: NULL would say that memory ran out */
    if (memory == NULL)
        fail(EXIT_SOLVER, "not enough memory");
    return memory;
}

void *renew(void *memory, size_t count, size_t size) {
    free(memory);
    return allocate(count, size);
}
