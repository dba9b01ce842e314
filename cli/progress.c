#define _POSIX_C_SOURCE 200809L
#include "progress.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { WIDTH = 32 };

static double seconds_between(const struct timespec *from, const struct timespec *to) {
    return (double)(to->tv_sec - from->tv_sec) + 1e-9 * (double)(to->tv_nsec - from->tv_nsec);
}

void progress_begin(struct progress *progress, const char *what) {
    const char *terminal = getenv("TERM"), *no_color = getenv("NO_COLOR");
    const int dumb = terminal == NULL || strcmp(terminal, "dumb") == 0;
    *progress = (struct progress){.what = what, .shown = isatty(STDERR_FILENO) && !dumb};
    progress->coloured = no_color == NULL || *no_color == '\0';
    clock_gettime(CLOCK_MONOTONIC, &progress->start);
}

void progress_show(struct progress *progress, double share, const char *note) {
    struct timespec now;
    if (!progress->shown)
        return;
    clock_gettime(CLOCK_MONOTONIC, &now);
    if (progress->drawn.tv_sec != 0 && seconds_between(&progress->drawn, &now) < 0.1)
        return;
    progress->drawn = now;
    const double elapsed = seconds_between(&progress->start, &now);
    const int full = (int)(share * WIDTH + 0.5);
    fprintf(stderr, "\r%s %s", progress->what, progress->coloured ? "\033[36m" : "");
    for (int i = 0; i < WIDTH; i++)
        fputc(i < full ? '#' : '.', stderr);
    fprintf(stderr, "%s %3.0f%%", progress->coloured ? "\033[0m" : "", 100 * share);
    if (share > 0 && elapsed > 1)
        fprintf(stderr, "  %.0f s left", elapsed / share * (1 - share));
    fprintf(stderr, "  %s\033[K", note);
    fflush(stderr);
}

void progress_end(struct progress *progress) {
    if (progress->shown && progress->drawn.tv_sec != 0) {
        fputs("\r\033[K", stderr);
        fflush(stderr);
    }
    progress->shown = 0;
}
