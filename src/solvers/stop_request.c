#include "solvers/stop_request.h"

#include "base/system.h"

static _Thread_local hcri_stop *current;

void hcri_stop_begin(hcri_stop *stop, hcr_stop_callback callback, void *context) {
    *stop = (hcri_stop){.callback = callback, .context = context, .outer = current};
    current = stop;
}

static hcr_status interrupted(hcr_error *error) {
    return hcri_fail(error, HCR_ERROR_INTERRUPTED, "stopped before the region was made");
}

hcr_status hcri_stop_end(hcri_stop *stop, hcr_status status, hcr_error *error) {
    current = stop->outer;
    return stop->stopped ? interrupted(error) : status;
}

static double seconds_between(struct timespec from, struct timespec to) {
    return difftime(to.tv_sec, from.tv_sec) + 1e-9 * (double)(to.tv_nsec - from.tv_nsec);
}

int hcri_stopped(void) {
    hcri_stop *stop = current;
    struct timespec now;
    if (stop == NULL || stop->callback == NULL || stop->stopped)
        return stop != NULL && stop->stopped;
    if (clock_gettime(CLOCK_MONOTONIC, &now) == 0) {
        const double since = seconds_between(stop->last, now);
        if (since >= 0 && since < 0.01)
            return 0;
        stop->last = now;
    }
    stop->stopped = stop->callback(stop->context);
    return stop->stopped;
}

hcr_status hcri_stop_check(hcr_error *error) { return hcri_stopped() ? interrupted(error) : HCR_OK; }
