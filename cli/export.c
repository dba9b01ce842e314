#include "command.h"
#include "json.h"
#include "options.h"
#include "region_argument.h"
#include "report.h"

#include "base/file.h"
#include "base/system.h"
#include "hcr/hcr_export.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

struct job {
    const char *operand[2], *folder, *name;
    bool single, gradient, json;
    struct settings settings;
    struct opened_region opened;
    hcr_model *model;
};

static int is_model(const char *path) {
    char head[9] = "";
    FILE *stream = fopen(path, "rb");
    const size_t got = stream == NULL ? 0 : fread(head, 1, sizeof head, stream);
    if (stream != NULL)
        fclose(stream);
    const char *kind = hcri_file_kind(head, got);
    return kind != NULL && strcmp(kind, "a model") == 0;
}

/* The file's own name without its folder and extension, as far as it can begin C names. */
static void derive_name(const char *path, char name[48]) {
    const char *base = strrchr(path, '/');
    size_t length = 0;
    for (const char *c = base == NULL ? path : base + 1; *c != '\0' && *c != '.' && length < 47; c++) {
        const int letter = isalpha((unsigned char)*c) != 0, digit = isdigit((unsigned char)*c) != 0;
        if (letter || (length > 0 && (digit || *c == '_' || *c == '-')))
            name[length++] = letter ? (char)tolower((unsigned char)*c) : digit ? *c : '_';
    }
    name[length] = '\0';
    if (length == 0)
        memcpy(name, "region", sizeof "region");
}

static void print_made(const struct job *job, const char *name, const hcr_export_report *made) {
    const char *precision = job->single ? "single" : "double";
    if (job->json) {
        printf("{\"folder\": ");
        json_string(stdout, job->folder);
        printf(", \"name\": \"%s\", \"precision\": \"%s\", \"margin\": %.17g, \"verified\": %zu, \"constants\": %zu, "
               "\"operations\": %.0f, \"largest_operations\": %.0f}\n",
               name, precision, made->margin, made->verified, made->constants, made->operations,
               made->largest_operations);
        return;
    }
    print_name(stdout, job->folder);
    printf(": %s.%s in %s precision, %zu constants, at most %.0f operations a call%s\n", name,
           strcmp(job->operand[0], "c") == 0 ? "c" : "cu", precision, made->constants, made->largest_operations,
           made->verified == 0 ? "" : " (drawing results in)");
}

static int run(struct job *job) {
    const int cuda = strcmp(job->operand[0], "cuda") == 0;
    if (strcmp(job->operand[0], "c") != 0 && !cuda)
        fail_usage("export", "there is no export to \"%s\": there are c and cuda", job->operand[0]);
    if (job->folder == NULL)
        fail_usage("export", "give the folder to write into: -o DIR");
    const char *path = job->operand[1];
    char derived[48];
    derive_name(path, derived);
    hcr_export_options options = HCR_EXPORT_OPTIONS_INIT;
    options.name = job->name == NULL ? derived : job->name;
    options.precision = job->single ? HCR_SINGLE : HCR_DOUBLE;
    options.gradient = job->gradient;
    options.origin = path;
    options.cuda = cuda;
    hcr_export_report made;
    if (is_model(path))
        must(hcr_model_load(path, &job->model, &failure));
    else
        region_open_placed(path, &job->settings, &job->opened);
    MUST_WRITE(job->model != NULL ? hcr_export_model(job->model, &options, job->folder, &made, &failure)
                                  : hcr_export_region(job->opened.region, &options, job->folder, &made, &failure));
    print_made(job, options.name, &made);
    return EXIT_DONE;
}

int command_export(int argc, char **argv) {
    static struct job job;
    const struct option_row rows[] = {
        {OPTION_TEXT, 'o', "output", "DIR", "the folder to write into, made when it isn't there", &job.folder, 0, 0},
        OPTION(TEXT, "name", "NAME",
               "what all names begin with, and the files' name: small letters, digits and _ (from the file's name)",
               &job.name),
        OPTION(FLAG, "single", NULL, "single precision, for machines without double", &job.single),
        OPTION(FLAG, "gradient", NULL, "with the derivatives of decode, contract and soften, backwards and forwards",
               &job.gradient),
        OPTION_ROW_SET(&job.settings),
        OPTION_ROW_JSON(&job.json),
    };
    const struct usage usage = {
        .name = "export",
        .operands = "c|cuda REGION|MODEL",
        .summary = "Writes C99 that needs nothing but a compiler: the maps of a region (decode, contract, soften, "
                   "check), or a whole trained model. Or CUDA C++, a kernel a map. Results are inside in exact "
                   "arithmetic, as the library's are. With it come a README, a CMake file and a self-test.",
        .example = "hcr export c torque.region -o firmware/torque --single",
        OPTION_ROWS(rows),
    };
    options_parse(argc, argv, &usage, job.operand);
    return run(&job);
}
