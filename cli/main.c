#include "command.h"
#include "options.h"
#include "processes.h"
#include "report.h"

#include "hcr/hcr.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/system.h"

static const struct command {
    const char *name, *summary;
    int (*run)(int argc, char **argv);
} commands[] = {
    {"compile", "region text to a compiled region", command_compile},
    {"import", "an LP, MPS or CBF file to a region", command_import},
    {"explain", "what a region is made of", command_explain},
    {"check", "which rows are inside, and what the others break", command_check},
    {"project", "the nearest point inside, for each row", command_project},
    {"contract", "pull rows towards the origin until they are inside", command_map},
    {"encode", "points to directions and radii", command_map},
    {"decode", "directions and radii to points", command_map},
    {"fit", "train a model whose every prediction is inside", command_fit},
    {"predict", "outputs of a model", command_predict},
    {"export", "C source that needs nothing, for a region or a model", command_export},
    {"plot", "a picture of a region", command_plot},
    {"windows", "a series to training windows and its limits", command_windows},
    {"limits", "what a table did, as the limits of a region", command_limits},
    {"ranges", "samples of parameters to `param` lines", command_ranges},
};
enum { COMMANDS = sizeof commands / sizeof commands[0] };

static const struct command *find(const char *name) {
    for (size_t i = 0; i < COMMANDS; i++)
        if (strcmp(commands[i].name, name) == 0)
            return &commands[i];
    return NULL;
}

static void print_help(void) {
    printf("hcr " HCR_VERSION ": outputs of learned models that satisfy hard constraints, exactly\n\n"
           "Usage: hcr COMMAND ...\n\nCommands:\n");
    for (size_t i = 0; i < COMMANDS; i++)
        printf("  %-10s %s\n", commands[i].name, commands[i].summary);
    printf(
        "\n`hcr COMMAND --help` has the options, an example and the exit codes of each; `hcr --version` the version.\n"
        "\nFor instance, from a series to forecasts that obey its limits:\n"
        "  hcr windows Hourly-train.csv --id H1 -o h1\n"
        "  hcr fit h1/limits.region h1/x_train.csv h1/y_train.csv -o h1/model --head hcr-contract\n"
        "  hcr predict h1/model h1/x_last.csv -o h1/forecast.csv\n"
        "  hcr check --exact h1/limits.region h1/forecast.csv\n");
}

static int dispatch(int argc, char **argv) {
    if (argc < 2) {
        print_help();
        return EXIT_USAGE;
    }
    if (strcmp(argv[1], "--version") == 0) {
        printf("hcr %s\n", hcr_version());
        return EXIT_DONE;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
        print_help();
        return EXIT_DONE;
    }
    const struct command *command = find(argv[1]);
    if (command != NULL)
        return command->run(argc - 1, argv + 1);
    const char *similar = similar_name(argv[1], COMMANDS, &commands->name, sizeof *commands);
    if (similar == NULL)
        fail(EXIT_USAGE, "there is no command \"%s\"; `hcr --help` lists them", argv[1]);
    fail(EXIT_USAGE, "there is no command \"%s\"; did you mean \"%s\"?", argv[1], similar);
}

/* OpenBLAS's threads, which are there before main, each wait for a buffer for ever where a limit on the address space
 * doesn't leave it: under one the command begins anew, without them. */
static void do_without_threads(char **argv) {
    if (hcri_address_space() != SIZE_MAX && getenv("OPENBLAS_NUM_THREADS") == NULL)
        process_begin_anew(argv, "OPENBLAS_NUM_THREADS", "1");
}

int main(int argc, char **argv) {
    do_without_threads(argv);
    hcri_system_begin(&argc, &argv);
    quit(dispatch(argc, argv));
}
