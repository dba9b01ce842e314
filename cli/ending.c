#include "ending.h"

#include "processes.h"

#include <signal.h>
#include <stdio.h>
#include <time.h>

#include "base/system.h"

static volatile sig_atomic_t depth;
static volatile sig_atomic_t noted;
static char removed[4096]; /* "": none */

/* `timeout` and others send a signal to the process and to its group, so that one request to end arrives twice. */
static int is_echo(void) {
    static struct timespec first;
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    if (noted == 0)
        first = now;
    return now.tv_sec - first.tv_sec < 2; /* that is, up to one or two seconds */
}

void ending_clean(void) {
    if (removed[0] != '\0')
        unlink(removed);
}

static void on_signal(int number) {
    if (depth > 0 && is_echo()) {
        noted = number;
        return;
    }
    ending_clean();
    process_end_by(number);
}

static void install(void) { process_ending_to(on_signal); }

void ending_put_off(void) {
    depth++;
    install();
}

int ending_noted(void) { return noted; }

int ending_resume(void) {
    if (depth-- > 1)
        return 0;
    const int number = noted;
    noted = 0;
    return number;
}

void ending_obey(void) {
    const int number = ending_resume();
    if (number != 0)
        raise(number);
}

void ending_removes(const char *path) {
    snprintf(removed, sizeof removed, "%s", path == NULL ? "" : path);
    install();
}
