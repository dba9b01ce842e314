/* What is shown on standard error while a command works, only when that is a terminal: a bar where it is known how much
 * is done, or a line that says for how long. */
#ifndef HCR_PROGRESS_H
#define HCR_PROGRESS_H

#include <time.h>

struct progress {
    const char *what;
    int shown, coloured;
    struct timespec start, drawn;
};

/* A line that waits ends. */
void progress_begin(struct progress *progress, const char *what);
/* `share` of the work is done, from 0 to 1; `note` (may be "") stands behind the bar. */
void progress_show(struct progress *progress, double share, const char *note);
/* Clears the line. */
void progress_end(struct progress *progress);

/* From here on, until the end, a line says what is being done, from its first second on. One at a time. */
void progress_wait(const char *what);
/* Does nothing where nothing is shown. */
void progress_wait_end(void);

#endif
