#define _DEFAULT_SOURCE /* struct winsize */
#include "progress.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { WIDTH = 24 };

static double seconds_between(const struct timespec *from, const struct timespec *to) {
    return (double)(to->tv_sec - from->tv_sec) + 1e-9 * (double)(to->tv_nsec - from->tv_nsec);
}

/* Columns of the terminal, 80 when it doesn't say. */
static int terminal_width(void) {
    struct winsize size;
    return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
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
    const int full = share < 1 ? (int)(share * WIDTH + 0.5) : WIDTH;
    char left[32] = "", bar[WIDTH + 1];
    memset(bar, '.', WIDTH);
    memset(bar, '#', (size_t)full);
    bar[WIDTH] = '\0';
    if (share > 0 && elapsed > 1)
        snprintf(left, sizeof left, "  %.0f s left", elapsed / share * (1 - share));
    /* What would run over the line is cut: a wrapped line couldn't be drawn over. */
    const int used = (int)(strlen(progress->what) + strlen(left)) + WIDTH + 8, room = terminal_width() - 1 - used;
    fprintf(stderr, "\r%s %s%s%s %3.0f%%%s  %.*s\033[K", progress->what, progress->coloured ? "\033[36m" : "", bar,
            progress->coloured ? "\033[0m" : "", 100 * share, left, room > 0 ? room : 0, note);
    fflush(stderr);
}

void progress_end(struct progress *progress) {
    if (progress->shown && progress->drawn.tv_sec != 0) {
        fputs("\r\033[K", stderr);
        fflush(stderr);
    }
    progress->shown = 0;
}
