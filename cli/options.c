#include "options.h"

#include "command.h"
#include "report.h"

#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/system.h"

enum { MOST_OPTIONS = 64, FIRST_LONG = 256, HELP = FIRST_LONG + MOST_OPTIONS };

/* ---------------------------------------------------------------------------------------------------------- help */

/* Prints words from `column` on, broken before column 100. */
static void print_wrapped(const char *text, int column) {
    int at = column;
    while (*text != '\0') {
        const size_t length = strcspn(text, " ");
        if (at > column && at + 1 + (int)length > 100) {
            printf("\n%*s", column, "");
            at = column;
        } else if (at > column) {
            putchar(' ');
            at++;
        }
        printf("%.*s", (int)length, text);
        at += (int)length;
        text += length;
        text += strspn(text, " ");
    }
    putchar('\n');
}

_Noreturn static void print_help(const struct usage *usage) {
    printf("Usage: hcr %s [options] %s\n\n", usage->name, usage->operands);
    print_wrapped(usage->summary, 0);
    printf("\nOptions:\n");
    for (size_t i = 0; i < usage->option_count; i++) {
        const struct option_row *row = &usage->options[i];
        char left[96];
        const int used = row->letter != '\0' ? snprintf(left, sizeof left, "-%c, --%s", row->letter, row->name)
                                             : snprintf(left, sizeof left, "    --%s", row->name);
        if (row->value != NULL)
            snprintf(left + used, sizeof left - (size_t)used, " %s", row->value);
        if (strlen(left) <= 26)
            printf("  %-26s ", left);
        else
            printf("  %s\n%*s", left, 29, "");
        print_wrapped(row->help, 29);
    }
    printf("      --help                 print this\n\nExample:\n  %s\n\nExit codes:\n  0    done\n", usage->example);
    if (usage->outside != NULL)
        printf("  1    done, but %s\n", usage->outside);
    printf("  2    invalid options or operands\n"
           "  3    bad input: region text, data, shapes\n"
           "  4    a file can't be read or written\n"
           "  5    a solver gave up, or memory ran out\n"
           "  130  interrupted\n");
    quit(EXIT_DONE);
}

/* -------------------------------------------------------------------------------------------------------- values */

static int read_number(const char *text, double *value) {
    char *end;
    *value = strtod(text, &end);
    return end != text && *end == '\0' && !isnan(*value);
}

static int read_whole(const char *text, uint64_t *value) {
    char *end;
    errno = 0;
    *value = strtoull(text, &end, 10);
    return *text >= '0' && *text <= '9' && *end == '\0' && errno == 0;
}

int option_choice(const char *words, const char *text, size_t length) {
    for (int which = 0;; which++) {
        const size_t word = strcspn(words, "|");
        if (word == length && memcmp(words, text, length) == 0)
            return which;
        if (words[word] == '\0')
            return -1;
        words += word + 1;
    }
}

/* Numbers with commas between. `text` is what was given for `name`, and they begin at `at`. */
static struct numbers read_numbers(const char *command, const char *name, const char *text, const char *at) {
    struct numbers numbers = {.count = 1};
    for (const char *c = at; *c != '\0'; c++)
        numbers.count += *c == ',';
    numbers.values = allocate(numbers.count, sizeof *numbers.values);
    for (size_t i = 0; i < numbers.count; i++) {
        char *end;
        numbers.values[i] = strtod(at, &end);
        if (end == at || isnan(numbers.values[i]) || *end != (i + 1 < numbers.count ? ',' : '\0'))
            fail_usage(command, "\"%s\": %s takes a number, or numbers separated by commas", text, name);
        at = end + 1;
    }
    return numbers;
}

static void add_setting(const char *command, struct settings *settings, const char *text) {
    const char *equals = strchr(text, '=');
    if (equals == NULL || equals == text)
        fail_usage(command, "--set takes NAME=VALUE, not \"%s\"", text);
    const size_t length = (size_t)(equals - text);
    char *name = memcpy(allocate(length, 1), text, length);
    const struct numbers numbers = read_numbers(command, name, text, equals + 1);
    const size_t count = numbers.count;
    double *values = numbers.values;
    hcr_constant *grown = allocate(settings->count + 1, sizeof *grown);
    for (size_t i = 0; i < settings->count; i++)
        grown[i] = settings->constant[i];
    grown[settings->count++] = (hcr_constant){.name = name, .rows = count > 1 ? count : 0, .values = values};
    free(settings->constant);
    settings->constant = grown;
}

static void join(char **joined, const char *text) {
    char *longer = allocate((*joined == NULL ? 0 : strlen(*joined)) + strlen(text) + 1, 1);
    sprintf(longer, "%s%s%s", *joined == NULL ? "" : *joined, *joined == NULL || **joined == '\0' ? "" : ",", text);
    free(*joined);
    *joined = longer;
}

static void store(const char *command, const struct option_row *row, const char *text) {
    double number = 0;
    uint64_t whole = 0;
    int which = 0;
    switch (row->kind) {
    case OPTION_FLAG: *(bool *)row->target = true; break;
    case OPTION_TEXT:
    case OPTION_READ: *(const char **)row->target = text; break;
    case OPTION_JOINED: join(row->target, text); break;
    case OPTION_COUNT:
        if (!read_whole(text, &whole) || (double)whole < row->least)
            fail_usage(command, "--%s takes a whole number of at least %g, not \"%s\"", row->name, row->least, text);
        number = row->most > 0 ? row->most : INT_MAX;
        if ((double)whole > number)
            fail_usage(command, "--%s takes a whole number of at most %.0f, not \"%s\"", row->name, number, text);
        *(size_t *)row->target = (size_t)whole;
        break;
    case OPTION_SEED:
        if (!read_whole(text, (uint64_t *)row->target))
            fail_usage(command, "--%s takes a whole number, not \"%s\"", row->name, text);
        break;
    case OPTION_NUMBER:
        if (!read_number(text, &number) || isinf(number) || number < row->least ||
            (row->most > 0 && number > row->most)) {
            if (row->most > 0)
                fail_usage(command, "--%s takes a number from %g to %g, not \"%s\"", row->name, row->least, row->most,
                           text);
            fail_usage(command, "--%s takes a number of at least %g, not \"%s\"", row->name, row->least, text);
        }
        *(double *)row->target = number;
        break;
    case OPTION_NUMBERS: {
        char name[64];
        snprintf(name, sizeof name, "--%s", row->name);
        *(struct numbers *)row->target = read_numbers(command, name, text, text);
        break;
    }
    case OPTION_CHOICE:
        which = option_choice(row->value, text, strlen(text));
        if (which < 0)
            fail_usage(command, "--%s takes %s, not \"%s\"", row->name, row->value, text);
        *(int *)row->target = which;
        break;
    case OPTION_SETTING: add_setting(command, row->target, text); break;
    }
}

/* ------------------------------------------------------------------------------------------------------- parsing */

static size_t count_words(const char *text) {
    size_t count = *text != '\0';
    for (; *text != '\0'; text++)
        count += *text == ' ';
    return count;
}

static void take_operands(int argc, char **argv, const struct usage *usage, const char **operand) {
    const size_t wanted = count_words(usage->operands), given = (size_t)(argc - optind);
    if (given != wanted)
        fail_usage(usage->name, "%s: %zu given, %zu wanted (%s)",
                   given < wanted ? "an operand is missing" : "too many operands", given, wanted, usage->operands);
    size_t standard = 0;
    for (size_t i = 0; i < given; i++) {
        operand[i] = argv[optind + (int)i];
        standard += strcmp(operand[i], "-") == 0;
    }
    for (size_t i = 0; i < usage->option_count; i++) {
        const struct option_row *row = &usage->options[i];
        const char *path = row->kind == OPTION_READ ? *(const char **)row->target : NULL;
        standard += path != NULL && strcmp(path, "-") == 0;
    }
    if (standard > 1)
        fail_usage(usage->name, "only one file can be standard input");
}

/* Is it a file that the command writes? */
static int is_output(const struct option_row *row) {
    return row->kind == OPTION_TEXT && strcmp(row->name, "output") == 0;
}

void options_check_output(const char *command, const char *output, const char *input) {
    if (input != NULL && strcmp(output, "-") != 0 && strcmp(input, "-") != 0 && hcri_is_same_file(output, input))
        fail_usage(command, "\"%s\" is read, and would be overwritten by the results: write to another file", input);
}

/* A file that can't be replaced but may be written to, since its folder is closed or it is a mount of its own. */
static void tell_in_place(const char *output) {
    struct stat about;
    if (strcmp(output, "-") == 0 || hcri_stat(output, &about) != 0 || !S_ISREG(about.st_mode) ||
        access(output, W_OK) != 0)
        return;
    const char *slash = strrchr(output, '/');
    char *folder = strdup(slash == NULL ? "." : output);
    if (folder != NULL && slash != NULL)
        folder[slash == output ? 1 : slash - output] = '\0';
    const char *reason = hcri_is_mount(output)                         ? "it is a mount of its own"
                         : folder != NULL && access(folder, W_OK) != 0 ? "its folder takes no new files"
                                                                       : NULL;
    if (reason != NULL)
        report("\"%s\" is written in place, since %s: a failure leaves a part of it", output, reason);
    free(folder);
}

static void check_outputs(const struct usage *usage, const char *const *operand) {
    for (size_t o = 0; o < usage->option_count; o++) {
        const struct option_row *row = &usage->options[o];
        const char *output = is_output(row) ? *(const char **)row->target : NULL;
        if (output == NULL)
            continue;
        for (size_t i = 0; i < count_words(usage->operands); i++)
            options_check_output(usage->name, output, operand[i]);
        for (size_t i = 0; i < usage->option_count; i++)
            if (usage->options[i].kind == OPTION_READ)
                options_check_output(usage->name, output, *(const char **)usage->options[i].target);
        tell_in_place(output);
    }
}

const char *similar_name(const char *given, size_t count, const char *const *first, size_t stride) {
    const char *similar = NULL;
    size_t most = 2;
    for (size_t i = 0; i < count; i++) {
        const char *name = *(const char *const *)((const char *)first + i * stride);
        size_t same = 0;
        while (name[same] != '\0' && name[same] == given[same])
            same++;
        if (same > most || (same == most && name[same] == '\0')) {
            similar = name;
            most = same;
        }
    }
    return similar;
}

/* Is it a long option's name, as it is after two dashes? */
static int is_name(const struct option *longs, const char *text) {
    while (longs->name != NULL && strcmp(longs->name, text) != 0)
        longs++;
    return longs->name != NULL;
}

_Noreturn static void refuse_option(const char *command, const struct option *longs, const char *given) {
    size_t count = 0;
    while (longs[count].name != NULL)
        count++;
    const char *similar = similar_name(given + strspn(given, "-"), count, &longs->name, sizeof *longs);
    if (similar == NULL)
        fail_usage(command, "there is no option \"%s\"", given);
    fail_usage(command, "there is no option \"%s\"; did you mean --%s?", given, similar);
}

/* What getopt_long refused: of several letters behind one dash it still stands at the argument unless the last one is
 * what it refused. */
static const char *refused(int argc, char **argv) {
    const char *last = argv[optind - 1];
    const int letter = optopt > 0 && optopt < FIRST_LONG;
    const int is_last = last[0] == '-' && (last[1] == '-' || last[strlen(last) - 1] == optopt);
    return letter && !is_last && optind < argc ? argv[optind] : last;
}

void options_parse(int argc, char **argv, const struct usage *usage, const char **operand) {
    struct option longs[MOST_OPTIONS + 2] = {{0}};
    char shorts[2 * MOST_OPTIONS + 2] = ":";
    size_t used = 1;
    for (size_t i = 0; i < usage->option_count; i++) {
        const struct option_row *row = &usage->options[i];
        const int takes = row->kind == OPTION_FLAG ? no_argument : required_argument;
        longs[i] = (struct option){row->name, takes, NULL, FIRST_LONG + (int)i};
        if (row->letter != '\0') {
            shorts[used++] = row->letter;
            if (takes == required_argument)
                shorts[used++] = ':';
        }
    }
    longs[usage->option_count] = (struct option){"help", no_argument, NULL, HELP};
    opterr = 0;
    for (int found; (found = getopt_long(argc, argv, shorts, longs, NULL)) != -1;) {
        if (found == HELP)
            print_help(usage);
        if (found == '?')
            refuse_option(usage->name, longs, refused(argc, argv));
        if (found == ':')
            fail_usage(usage->name, "\"%s\" takes a value", argv[optind - 1]);
        if (found < FIRST_LONG && optarg == argv[optind - 1] + 2 && is_name(longs, optarg - 1)) /* -output, not -o */
            refuse_option(usage->name, longs, argv[optind - 1]);
        const struct option_row *row = NULL;
        for (size_t i = 0; i < usage->option_count; i++)
            if (found == FIRST_LONG + (int)i || (found < FIRST_LONG && found == usage->options[i].letter))
                row = &usage->options[i];
        store(usage->name, row, optarg);
    }
    take_operands(argc, argv, usage, operand);
    check_outputs(usage, operand);
}

size_t option_name_length(const char *at, const char *ends) {
    size_t length = 0;
    for (int inside = 0; at[length] != '\0' && (inside || strchr(ends, at[length]) == NULL); length++)
        inside = at[length] == '[' || (inside && at[length] != ']');
    return length;
}
