#include "base/sized_options.h"

#include <string.h>

#include "base/status.h"

hcr_status hcri_options_take(const void *given, const void *defaults, size_t size, void *options,
                             const char *initialiser, hcr_error *error) {
    size_t given_size;
    memcpy(&given_size, given, sizeof given_size);
    HCRI_FAIL_IF(given_size < sizeof given_size, HCR_ERROR_ARGUMENT,
                 "the options' size is %zu: initialise them with %s, which sets it", given_size, initialiser);
    HCRI_FAIL_IF(given_size > size, HCR_ERROR_ARGUMENT,
                 "the options have %zu bytes, of which this library, version " HCR_VERSION
                 ", knows %zu: link with the version of the headers that the program was compiled with",
                 given_size, size);
    memcpy(options, defaults, size);
    memcpy(options, given, given_size);
    memcpy(options, &size, sizeof size);
    return HCR_OK;
}
