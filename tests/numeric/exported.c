#define _POSIX_C_SOURCE 200809L
#include <dlfcn.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "numeric/exported.h"

char folder[64];

const char *const usual_ways[USUAL_WAYS] = {
    "cc -std=c99 -O1 -ffp-contract=off", "cc -std=c99 -O2 -ffp-contract=fast -march=native",
    "c++ -std=c++17 -O2 -ffp-contract=fast -march=native", /* CUDA C++, whose threads are a loop */
};
const char *const long_ways[LONG_WAYS] = {
    "gcc -std=c99 -O0 -ffp-contract=off",
    "gcc -std=c99 -O1 -ffp-contract=off",
    "gcc -std=c99 -O2 -ffp-contract=off",
    "gcc -std=c99 -O3 -ffp-contract=off",
    "gcc -std=c99 -O0 -ffp-contract=fast -march=native",
    "gcc -std=c99 -O1 -ffp-contract=fast -march=native",
    "gcc -std=c99 -O2 -ffp-contract=fast -march=native",
    "gcc -std=c99 -O3 -ffp-contract=fast -march=native",
    "clang -std=c99 -O0 -ffp-contract=off",
    "clang -std=c99 -O1 -ffp-contract=off",
    "clang -std=c99 -O2 -ffp-contract=off",
    "clang -std=c99 -O3 -ffp-contract=off",
    "clang -std=c99 -O0 -ffp-contract=fast -march=native",
    "clang -std=c99 -O1 -ffp-contract=fast -march=native",
    "clang -std=c99 -O2 -ffp-contract=fast -march=native",
    "clang -std=c99 -O3 -ffp-contract=fast -march=native",
    "g++ -std=c++17 -O2 -ffp-contract=off",
    "g++ -std=c++17 -O2 -ffp-contract=fast -march=native",
    "clang++ -std=c++17 -O2 -ffp-contract=off",
    "clang++ -std=c++17 -O2 -ffp-contract=fast -march=native",
};

/* Pointers to functions are as wide as those to data where there is dlsym. */
static void find(const loaded *code, const char *name, void *function) {
    char full[64];
    snprintf(full, sizeof full, "%s_%s", code->prefix, name);
    void *symbol = dlsym(code->library, full);
    memcpy(function, &symbol, sizeof symbol);
}

int with_given;
static int with_gradient; /* in what was written last */

hcr_status write_both(const hcr_region *region, const hcr_model *model, const hcr_export_options *options,
                      hcr_export_report *report, hcr_error *error) {
    hcr_export_options cuda = *options;
    char other[128];
    snprintf(other, sizeof other, "%s/cuda", folder);
    cuda.cuda = true;
    with_gradient = options->gradient;
    const hcr_status status = model != NULL ? hcr_export_model(model, options, folder, report, error)
                                            : hcr_export_region(region, options, folder, report, error);
    return status != HCR_OK ? status
           : model != NULL  ? hcr_export_model(model, &cuda, other, NULL, error)
                            : hcr_export_region(region, &cuda, other, NULL, error);
}

/* Sanitizers are for the exporter: what it writes is the same in builds without, which test it as it is optimised. */
#ifdef __SANITIZE_ADDRESS__
#define LAST_OPTION " -O0"
#else
#define LAST_OPTION ""
#endif

loaded load(const char *way, int single) {
    static int count;
    char command[512], library[128];
    const int cuda = strstr(way, "++") != NULL;
    snprintf(library, sizeof library, "%s/%d.so", folder, count++);
    if (cuda)
        snprintf(command, sizeof command,
                 "%s" LAST_OPTION " -Wall -Wextra -Werror -fPIC -shared -o %s -I%s/cuda %s %s %s -lm", way, library,
                 folder, with_gradient ? "-DHAS_GRADIENT" : "", with_given ? "-DHAS_GIVEN" : "",
                 HCR_SOURCE "/tests/numeric/cuda_host.cc");
    else
        snprintf(command, sizeof command, "%s" LAST_OPTION " -Wall -Wextra -Werror -fPIC -shared -o %s %s/t.c -lm", way,
                 library, folder);
    if (system(command) != 0)
        fail_msg("doesn't compile: %s", command);
    loaded code = {.library = dlopen(library, RTLD_NOW | RTLD_LOCAL)};
    assert_non_null(code.library);
    unlink(library);
    code.prefix = cuda ? "host" : "t";
    if (single) {
        find(&code, "decode", &code.decode_f32);
        find(&code, "contract", &code.contract_f32);
        find(&code, "check", &code.check_f32);
        find(&code, "predict", &code.predict_f32);
        find(&code, "predict", &code.predict_at_f32);
        find(&code, "decode", &code.decode_at_f32);
        find(&code, "contract", &code.contract_at_f32);
        find(&code, "soften", &code.soften_at_f32);
        find(&code, "check", &code.check_at_f32);
    } else {
        find(&code, "decode", &code.decode);
        find(&code, "contract", &code.contract);
        find(&code, "check", &code.check);
        find(&code, "predict", &code.predict);
        find(&code, "predict", &code.predict_at);
        find(&code, "decode", &code.decode_at);
        find(&code, "contract", &code.contract_at);
        find(&code, "soften", &code.soften_at);
        find(&code, "check", &code.check_at);
        find(&code, "decode_gradient", &code.decode_gradient);
        find(&code, "decode_tangent", &code.decode_tangent);
        find(&code, "contract_gradient", &code.contract_gradient);
        find(&code, "contract_tangent", &code.contract_tangent);
        find(&code, "soften_gradient", &code.soften_gradient);
        find(&code, "soften_tangent", &code.soften_tangent);
        find(&code, "decode_gradient", &code.decode_gradient_at);
        find(&code, "decode_tangent", &code.decode_tangent_at);
        find(&code, "contract_gradient", &code.contract_gradient_at);
        find(&code, "contract_tangent", &code.contract_tangent_at);
        find(&code, "soften_gradient", &code.soften_gradient_at);
        find(&code, "soften_tangent", &code.soften_tangent_at);
    }
    return code;
}

int has_compilers(void) {
    const int has = system("cc --version >/dev/null 2>&1 && c++ --version >/dev/null 2>&1") == 0;
    if (!has)
        puts("skipped: there is no C or no C++ compiler (packages gcc, g++)");
    return has;
}

int make_folder(void **state) {
    (void)state;
    snprintf(folder, sizeof folder, "/tmp/hcr-export-XXXXXX");
    return mkdtemp(folder) == NULL;
}

int remove_folder(void **state) {
    (void)state;
    char command[128];
    snprintf(command, sizeof command, "rm -r '%s'", folder);
    return system(command);
}
