#include "device/template_text.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ----------------------------------------------------------------------------------------------------------- words */

static int in_word(char c) { return isalnum((unsigned char)c) || c == '_'; }

static size_t word_length(const char *c) {
    size_t length = 0;
    while (in_word(c[length]))
        length++;
    return length;
}

static int is(const char *c, size_t length, const char *word) {
    return strlen(word) == length && strncmp(c, word, length) == 0;
}

/* R(number), MATH(function) and BLOCK(name): returns where they end, NULL for another word. */
static const char *put_call(hcri_code *code, const char *word, size_t length) {
    const char *inner = word + length + 1, *end = word[length] == '(' ? strchr(inner, ')') : NULL;
    const int block = is(word, length, "BLOCK");
    if (end == NULL || !(block || is(word, length, "R") || is(word, length, "MATH")))
        return NULL;
    hcri_code_put(code, block ? "block_%s_%.*s" : "%s%.*s", block ? hcri_code_meaning(code, "HCR_BLOCK", 9) : "",
                  (int)(end - inner), inner);
    hcri_code_text(code, !block && code->single ? "f" : "");
    return end + 1;
}

static int flag_holds(const hcri_code *code, const char *flag) {
    const char *text = hcri_code_meaning(code, flag, strlen(flag));
    return text != NULL && text[0] != '0';
}

/* Arguments that are there where the parameters are, declared or (before: NULL) passed on. Those without a comma at
 * their end stand behind others. */
static const struct argument {
    const char *word, *flag, *before, *name;
} arguments[] = {
    {"HCR_X", "HCR_PARAMETERS", "const ", "x,"},         {"HCR_PASS_X", "HCR_PARAMETERS", NULL, "x,"},
    {"HCR_GIVEN_X", "HCR_GIVEN", "const ", "x,"},        {"HCR_PASS_GIVEN_X", "HCR_GIVEN", NULL, "x,"},
    {"HCR_X_DOT", "HCR_PARAMETERS", "const ", "x_dot,"}, {"HCR_PASS_X_DOT", "HCR_PARAMETERS", NULL, "x_dot,"},
    {"HCR_X_BAR", "HCR_PARAMETERS", ", ", "x_bar"},      {"HCR_PASS_X_BAR", "HCR_PARAMETERS", NULL, ", x_bar"}};

static const char *put_argument(hcri_code *code, const struct argument *argument, const char *behind) {
    const int there = flag_holds(code, argument->flag), is_last = argument->name[strlen(argument->name) - 1] != ',';
    code->bytes.size -= is_last && code->bytes.size > 0; /* the space before it */
    if (there && argument->before != NULL)
        hcri_code_put(code, "%s$_real *", argument->before);
    if (there)
        hcri_code_text(code, argument->name);
    return behind + (!there && !is_last && *behind == ' ');
}

/* One word; returns where what comes next begins. */
static const char *put_word(hcri_code *code, const char *word, size_t length) {
    const struct {
        const char *word, *text;
    } plain[] = {{"real", code->single ? "float" : "double"},
                 {"LARGEST", code->single ? "FLT_MAX" : "DBL_MAX"},
                 {"SMALLEST", code->single ? "FLT_MIN" : "DBL_MIN"},
                 {"FN", hcri_code_function(code)},
                 {"INLINE", code->cuda ? "static __device__ __forceinline__" : "static inline"},
                 {"TABLE", hcri_code_constant(code)}};
    const char *end = put_call(code, word, length);
    if (end != NULL)
        return end;
    for (size_t k = 0; k < sizeof plain / sizeof *plain; k++)
        if (is(word, length, plain[k].word)) {
            hcri_code_text(code, plain[k].text);
            return word + length;
        }
    if (code->cuda && is(word, length, "for") && strncmp(word + length, " (", 2) == 0)
        hcri_code_text(code, "LOOP ");
    const char *meaning = hcri_code_meaning(code, word, length);
    if (meaning != NULL && meaning[0] != '\0') {
        hcri_code_text(code, meaning);
        return word + length;
    }
    if (code->cuda && is(word, length, "API")) {
        hcri_code_text(code, hcri_code_function(code));
        return word + length;
    }
    if (is(word, length, "API"))
        return word + length + (word[length] == ' ');
    for (size_t k = 0; k < sizeof arguments / sizeof *arguments; k++)
        if (is(word, length, arguments[k].word))
            return put_argument(code, &arguments[k], word + length);
    const int small = strncmp(word, "hcr_", 4) == 0, large = strncmp(word, "HCR_", 4) == 0;
    if (small)
        hcri_code_put(code, "$_");
    if (large)
        hcri_code_put(code, "^");
    const size_t prefix = small || large ? 4 : 0;
    hcri_put_bytes(&code->bytes, word + prefix, length - prefix);
    return word + length;
}

static const char *put_line(hcri_code *code, const char *c) {
    while (*c != '\0' && *c != '\n') {
        const size_t length = word_length(c);
        if (length != 0 && !isdigit((unsigned char)*c)) {
            c = put_word(code, c, length);
        } else {
            hcri_put_bytes(&code->bytes, c, length + (length == 0));
            c += length + (length == 0);
        }
    }
    hcri_code_text(code, "\n");
    return c + (*c == '\n');
}

/* ------------------------------------------------------------------------------------------------------ conditions */

enum { DEEPEST = 8 };

/* Of each condition that is open: whether it is one of a flag, and whether what is there now holds. */
typedef struct conditions {
    int depth;
    int known[DEEPEST], holds[DEEPEST];
} conditions;

/* 1 when the line is one of a known condition, which isn't copied. */
static int take_condition(const hcri_code *code, const char *line, conditions *open) {
    if (strncmp(line, "#if", 3) == 0 && open->depth < DEEPEST) {
        const int not = strncmp(line, "#if !", 5) == 0;
        const char *name = line + 4 + not ;
        const char *text = strncmp(line, "#if ", 4) == 0 ? hcri_code_meaning(code, name, word_length(name)) : NULL;
        const int value = text == NULL ? -1 : text[0] != '0';
        open->known[open->depth] = value >= 0;
        open->holds[open->depth++] = value < 0 || (value > 0) != not ;
        return value >= 0;
    }
    const int top = open->depth - 1;
    if (top >= 0 && strncmp(line, "#else", 5) == 0) {
        open->holds[top] = !open->known[top] || !open->holds[top];
        return open->known[top];
    }
    if (top >= 0 && strncmp(line, "#endif", 6) == 0) {
        open->depth--;
        return open->known[top];
    }
    return 0;
}

void hcri_template_copy(hcri_code *code, const char *text) {
    conditions open = {0};
    if (strncmp(text, "/*", 2) == 0)
        text = strstr(text, "*/\n") + 3;
    while (*text != '\0') {
        int holds = 1;
        const int condition = take_condition(code, text, &open);
        for (int k = 0; k < open.depth; k++)
            holds &= open.holds[k];
        if (condition || !holds)
            text += strcspn(text, "\n") + 1;
        else
            text = put_line(code, text);
    }
    hcri_code_text(code, "\n");
}

void hcri_template_put(hcri_code *code, const char *name) {
    const hcri_template_file *file = hcri_template_files;
    while (file->name != NULL && strcmp(file->name, name) != 0)
        file++;
    if (file->name != NULL)
        hcri_template_copy(code, (const char *)file->text);
    else
        code->bytes.failed = 1;
}

/* ---------------------------------------------------------------------------------------------- what nobody names */

typedef struct word {
    const char *text;
    size_t length;
} word;

/* Words that were seen: a hash table of a power of two, with room. */
typedef struct words {
    word *slot;
    size_t mask;
} words;

static word *slot_of(const words *seen, const char *text, size_t length) {
    size_t hash = 14695981039346656037u;
    for (size_t k = 0; k < length; k++)
        hash = (hash ^ (unsigned char)text[k]) * 1099511628211u;
    size_t at = hash & seen->mask;
    while (seen->slot[at].text != NULL &&
           (seen->slot[at].length != length || strncmp(seen->slot[at].text, text, length) != 0))
        at = (at + 1) & seen->mask;
    return &seen->slot[at];
}

/* The next word from c on that is no number and in no comment; NULL: none up to `end`. */
static const char *next_word(const char *c, const char *end, size_t *length) {
    while (c < end) {
        *length = word_length(c);
        if (strncmp(c, "/*", 2) == 0)
            c = strstr(c, "*/") + 2;
        else if (*length == 0)
            c++;
        else if (isdigit((unsigned char)*c))
            c += *length;
        else
            return c;
    }
    return NULL;
}

/* What a paragraph defines; NULL when it stays in any case. */
static const char *defined(const char *c, const char *end, size_t *length) {
    const char *first = next_word(c, end, length), *found = NULL;
    while (first != NULL && (is(first, *length, "if") || is(first, *length, "defined"))) { /* of a condition */
        first += strcspn(first, "\n");
        first = next_word(first, end, length);
    }
    if (first == NULL ||
        !(is(first, *length, "static") || is(first, *length, "typedef") || is(first, *length, "define")))
        return NULL;
    const int of_type = is(first, *length, "typedef"), of_macro = is(first, *length, "define");
    for (const char *next = first; next != NULL; next = next_word(next + *length, end, length)) {
        const char *behind = next + *length + (next[*length] == ' ');
        if (of_macro && next != first)
            return next;
        if (!of_type && !of_macro && strchr("([=", *behind) != NULL)
            return next;
        found = next;
    }
    *length = found == NULL ? 0 : word_length(found);
    return of_type ? found : NULL;
}

/* Whether a later paragraph has the name, or that of the matrix of which it is a table: macros put those together. */
static int is_named(const words *seen, const char *name, size_t length) {
    static const char *const tables[] = {"_start", "_columns", "_values"};
    for (size_t k = 0; k < sizeof tables / sizeof *tables; k++) {
        const size_t end = strlen(tables[k]);
        if (length > end && strncmp(name + length - end, tables[k], end) == 0 &&
            slot_of(seen, name, length - end)->text != NULL)
            return 1;
    }
    return slot_of(seen, name, length)->text != NULL;
}

static void see(const words *seen, const char *c, const char *end) {
    size_t length;
    for (c = next_word(c, end, &length); c != NULL; c = next_word(c + length, end, &length))
        *slot_of(seen, c, length) = (word){c, length};
}

static int begins_paragraph(const char *text, size_t at) {
    return at == 0 || (at >= 2 && text[at - 1] == '\n' && text[at - 2] == '\n' && text[at] != '\n');
}

/* CUDA: with more numbers than these loops stay loops. Their counts are constants, so that nvcc would unroll them
 * wholly, at 255 registers a thread and many minutes. Below, outputs are in registers. */
enum { MOST_UNROLLED = 256 };

static void put_loop(hcri_code *code) {
    hcri_code_text(code, code->constants <= MOST_UNROLLED
                             ? "#define LOOP\n\n"
                             : "#if defined(__CUDACC__)\n#define LOOP _Pragma(\"unroll 1\")\n"
                               "#else\n#define LOOP\n#endif\n\n");
}

void hcri_template_finish(hcri_code *code, size_t from) {
    const size_t size = code->bytes.size - from;
    size_t slots = 1024, length;
    while (slots < size)
        slots *= 2;
    HCRI_SCOPED char *text = code->bytes.failed ? NULL : calloc(size + 1, 1);
    HCRI_SCOPED unsigned char *keep = calloc(size + 1, 1);
    HCRI_SCOPED word *slot = calloc(slots, sizeof *slot);
    if (text == NULL || keep == NULL || slot == NULL) {
        code->bytes.failed = 1;
        return;
    }
    memcpy(text, code->bytes.data + from, size);
    const words seen = {slot, slots - 1};
    for (size_t at = size, end = size; at-- > 0;) {
        if (!begins_paragraph(text, at))
            continue;
        const char *name = defined(text + at, text + end, &length);
        keep[at] = name == NULL || is_named(&seen, name, length);
        if (keep[at])
            see(&seen, text + at, text + end);
        end = at;
    }
    code->bytes.size = from;
    hcri_code_put(code, "typedef %s row_start;\ntypedef %s row_column;\n\n", hcri_code_unsigned(code->most_start),
                  hcri_code_unsigned(code->most_column));
    if (code->cuda)
        put_loop(code);
    for (size_t at = 0, kept = 0; at < size; at++) {
        kept = begins_paragraph(text, at) ? keep[at] : kept;
        const int empty = text[at] == '\n' && at >= 2 && text[at - 1] == '\n' && text[at - 2] == '\n';
        if (kept && !empty)
            hcri_put_bytes(&code->bytes, text + at, 1);
    }
}
