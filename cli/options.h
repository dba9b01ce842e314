/* Options and operands of a command: one table gives both the parsing and the help. */
#ifndef HCR_OPTIONS_H
#define HCR_OPTIONS_H

#include "hcr/hcr_build.h"

/* What `--set NAME=VALUE` gave, in order. */
struct settings {
    size_t count;
    hcr_constant *constant;
};

struct numbers {
    size_t count;
    double *values;
};

enum option_kind {
    OPTION_FLAG,    /* bool: true when given */
    OPTION_TEXT,    /* const char * */
    OPTION_READ,    /* const char *: a file that is read; like an operand it may be standard input */
    OPTION_JOINED,  /* char *, to be freed: given more than once, texts are put together with commas between */
    OPTION_COUNT,   /* size_t, at least `least` */
    OPTION_SEED,    /* uint64_t */
    OPTION_NUMBER,  /* double, from `least` to `most` */
    OPTION_NUMBERS, /* struct numbers: one or more, with commas between */
    OPTION_CHOICE,  /* int or an enum: which of the words in `value` */
    OPTION_SETTING  /* settings */
};

struct option_row {
    enum option_kind kind;
    char letter; /* '\0': none */
    const char *name;
    const char *value; /* what the help calls the value; CHOICE: the words, separated by '|' */
    const char *help;
    void *target;
    double least, most; /* most 0: no end, of a COUNT INT_MAX */
};

struct usage {
    const char *name, *operands; /* "encode", "REGION Y" */
    const char *summary;         /* a paragraph */
    const char *example;
    const char *outside; /* what exit code 1 means here, NULL when it isn't used */
    size_t option_count;
    const struct option_row *options;
};

/* A row without a letter and without ends. */
#define OPTION(kind, name, value, help, target)                                                                        \
    { OPTION_##kind, '\0', name, value, help, target, 0, 0 }
#define OPTION_ROWS(rows) .option_count = sizeof(rows) / sizeof(rows)[0], .options = (rows)
/* Options that several commands have. */
#define OPTION_ROW_OUTPUT(target)                                                                                      \
    { OPTION_TEXT, 'o', "output", "OUT", "write there (standard output: -)", target, 0, 0 }
#define OPTION_ROW_SET(target)                                                                                         \
    OPTION(SETTING, "set", "NAME=VALUE", "a constant of the region text: a number, or several with commas", target)
#define OPTION_ROW_SINGLE(target) OPTION(FLAG, "single", NULL, "compute and write single precision", target)
#define OPTION_ROW_JSON(target) OPTION(FLAG, "json", NULL, "report as JSON", target)

/* Ends the command after --help. `operand` gets the operands, as many as usage names. */
void options_parse(int argc, char **argv, const struct usage *usage, const char **operand);

/* Which of the words, separated by '|', the first `length` characters of a text are; −1 when none. */
int option_choice(const char *words, const char *text, size_t length);

/* Refuses to overwrite a file that the command reads, whatever its names (device and inode are compared). The option
 * "output" is checked by options_parse; names that a command makes itself need this call. */
void options_check_output(const char *command, const char *output, const char *input);

/* The name that shares the longest beginning with what was given: three letters at least, or the whole name; NULL when
 * none does. The names are `stride` bytes apart. */
const char *similar_name(const char *given, size_t count, const char *const *first, size_t stride);

/* The length of the first name of a list. One of `ends` ends it, outside brackets: "flow[0,5]" is one name. */
size_t option_name_length(const char *at, const char *ends);

#endif
