/* A progress bar on standard error, drawn only when that is a terminal. */
#ifndef HCR_PROGRESS_H
#define HCR_PROGRESS_H

#include <time.h>

struct progress {
    const char *what;
    int shown, coloured;
    struct timespec start, drawn;
};

void progress_begin(struct progress *progress, const char *what);
/* `share` of the work is done, from 0 to 1; `note` (may be "") stands behind the bar. */
void progress_show(struct progress *progress, double share, const char *note);
/* Clears the line. */
void progress_end(struct progress *progress);

#endif
