/* A model file: safetensors with a JSON header and a compiled region in it. What loads predicts. */
#define _GNU_SOURCE /* memfd_create */
#include <math.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz.h"
#include "hcr/hcr_build.h"
#include "hcr/hcr_learn.h"

size_t fuzz_accepted;

static void predict(const hcr_model *model) {
    enum { ROWS = 2, MANY = 4096 };
    const size_t inputs = hcr_model_inputs(model), n = hcr_region_dimension(hcr_model_region(model)),
                 p = hcr_region_parameters(hcr_model_region(model));
    if (inputs > MANY || n > MANY || p > MANY)
        return;
    double *X = calloc(ROWS * inputs + 1, sizeof *X), *Y = calloc(ROWS * n + 1, sizeof *Y),
           *x = calloc(ROWS * p + 1, sizeof *x);
    FUZZ_REQUIRE(X != NULL && Y != NULL && x != NULL);
    for (size_t k = 0; k < ROWS * inputs; k++)
        X[k] = k % 2 == 0 ? 0.5 : -3e4;
    const int apart = p != 0 && hcr_model_parameter_columns(model) == NULL;
    const int simple = strstr(hcr_model_summary(model), "head simple") != NULL;
    if (hcr_predict(model, ROWS, X, apart ? x : NULL, Y, NULL, NULL) == HCR_OK && !simple && p == 0)
        for (size_t i = 0; i < ROWS; i++) { /* inside the region that was loaded */
            uint8_t inside = 0;
            const hcr_status status = hcr_check(hcr_model_region(model), 1, NULL, Y + i * n, &inside, NULL, NULL);
            FUZZ_REQUIRE(status == HCR_OK && inside == 1);
        }
    free(X);
    free(Y);
    free(x);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char path[64];
    const int file = memfd_create("model", MFD_CLOEXEC);
    FUZZ_REQUIRE(file >= 0);
    FUZZ_REQUIRE(write(file, data, size) == (ssize_t)size);
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    hcr_model *model = NULL;
    hcr_error error = {0};
    const hcr_status status = hcr_model_load(path, &model, &error);
    FUZZ_REQUIRE((status == HCR_OK) == (model != NULL));
    if (status == HCR_OK) {
        fuzz_accepted++;
        FUZZ_REQUIRE(hcr_model_summary(model)[0] != '\0');
        predict(model);
    }
    hcr_model_free(model);
    close(file);
    return 0;
}
