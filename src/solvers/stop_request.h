/* A request to stop, of whoever called hcr_builder_finish: solvers ask for it now and then. It is known by thread,
 * since it concerns whatever that thread does until the call ends. */
#ifndef HCRI_STOP_REQUEST_H
#define HCRI_STOP_REQUEST_H

#include <time.h>

#include "base/status.h"
#include "hcr/hcr_build.h"

typedef struct hcri_stop {
    hcr_stop_callback callback; /* NULL: never */
    void *context;
    struct timespec last; /* when it was asked last */
    int stopped;          /* it said so */
    struct hcri_stop *outer;
} hcri_stop;

/* From here on, until the end, on this thread. The struct stays where it is. */
void hcri_stop_begin(hcri_stop *stop, hcr_stop_callback callback, void *context);
/* The status of what was done in between; INTERRUPTED where it was stopped, whatever came of that. */
hcr_status hcri_stop_end(hcri_stop *stop, hcr_status status, hcr_error *error);
/* 1 from the first time on that the callback says so; it is asked a hundred times a second at most. */
int hcri_stopped(void);
/* The same as a status: OK or INTERRUPTED. */
hcr_status hcri_stop_check(hcr_error *error);
/* Of a failed attempt: no other way makes up for it. */
static inline int hcri_is_final(hcr_status status) {
    return status == HCR_ERROR_MEMORY || status == HCR_ERROR_INTERRUPTED;
}

#endif
