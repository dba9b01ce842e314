/* Error reporting: fallible functions return a status and fill a caller-owned error. */
#ifndef HCRI_STATUS_H
#define HCRI_STATUS_H

#include "hcr/hcr.h"

/* Fills `error` (when there is one) and returns `status`, so that a failure is one statement. */
hcr_status hcri_fail(hcr_error *error, hcr_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4), cold));
/* The same with a place in a file; line and column are 1-based, 0 for none. */
hcr_status hcri_fail_at(hcr_error *error, hcr_status status, const char *file, int line, int column, const char *format,
                        ...) __attribute__((format(printf, 6, 7), cold));
/* Hands on an error of reading a file as the file's fault: ARGUMENT becomes FORMAT, and the message gets the file's
 * name. HCR_OK stays HCR_OK. */
hcr_status hcri_file_blame(const char *path, hcr_status status, const hcr_error *found, hcr_error *error);
/* "not enough memory". */
hcr_status hcri_fail_memory(hcr_error *error);

#define HCRI_TRY(call)                                                                                                 \
    do {                                                                                                               \
        const hcr_status hcri_status_ = (call);                                                                        \
        if (hcri_status_ != HCR_OK)                                                                                    \
            return hcri_status_;                                                                                       \
    } while (0)
/* Returns hcri_fail's status, with its message, where the condition holds. */
#define HCRI_FAIL_IF(condition, ...)                                                                                   \
    do {                                                                                                               \
        if (condition)                                                                                                 \
            return hcri_fail(error, __VA_ARGS__);                                                                      \
    } while (0)
/* The same for pointers from allocations: MEMORY unless all are there. */
#define HCRI_ALLOCATED(all)                                                                                            \
    do {                                                                                                               \
        if (!(all))                                                                                                    \
            return hcri_fail_memory(error);                                                                            \
    } while (0)

#endif
