#include "progress.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/system.h"

enum { WIDTH = 24 };

static double seconds_between(const struct timespec *from, const struct timespec *to) {
    return (double)(to->tv_sec - from->tv_sec) + 1e-9 * (double)(to->tv_nsec - from->tv_nsec);
}

static int is_shown(void) {
    const char *terminal = getenv("TERM");
    return isatty(STDERR_FILENO) && terminal != NULL && strcmp(terminal, "dumb") != 0;
}

void progress_begin(struct progress *progress, const char *what) {
    const char *no_color = getenv("NO_COLOR");
    progress_wait_end();
    *progress = (struct progress){.what = what, .shown = is_shown()};
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
    const int used = (int)(strlen(progress->what) + strlen(left)) + WIDTH + 8, room = hcri_terminal_width() - 1 - used;
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

/* A thread draws the line, since the library may be in a solver for minutes. */
static struct {
    const char *what; /* NULL: nothing is waited for */
    int over, drawn;
    struct timespec start;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t end;
} waiting = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void *draw_wait(void *unused) {
    (void)unused;
    struct timespec next = waiting.start;
    pthread_mutex_lock(&waiting.lock);
    for (;;) {
        next.tv_sec++;
        while (!waiting.over && pthread_cond_timedwait(&waiting.end, &waiting.lock, &next) == 0)
            ;
        if (waiting.over)
            break;
        fprintf(stderr, "\r%.*s %.0f s\033[K", hcri_terminal_width() - 12, waiting.what,
                seconds_between(&waiting.start, &next));
        fflush(stderr);
        waiting.drawn = 1;
    }
    pthread_mutex_unlock(&waiting.lock);
    return NULL;
}

void progress_wait(const char *what) {
    pthread_condattr_t monotonic;
    if (!is_shown() || waiting.what != NULL || pthread_condattr_init(&monotonic) != 0)
        return;
    waiting.over = waiting.drawn = 0;
    clock_gettime(CLOCK_MONOTONIC, &waiting.start);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&waiting.end, &monotonic);
    pthread_condattr_destroy(&monotonic);
    waiting.what = what;
    if (pthread_create(&waiting.thread, NULL, draw_wait, NULL) != 0)
        waiting.what = NULL;
}

void progress_wait_end(void) {
    if (waiting.what == NULL)
        return;
    pthread_mutex_lock(&waiting.lock);
    waiting.over = 1;
    pthread_cond_signal(&waiting.end);
    pthread_mutex_unlock(&waiting.lock);
    pthread_join(waiting.thread, NULL);
    waiting.what = NULL;
    if (waiting.drawn) {
        fputs("\r\033[K", stderr);
        fflush(stderr);
    }
}
