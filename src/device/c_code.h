/* C source on its way out: tables, and text with marks for what depends on the precision and on the prefix of names. */
#ifndef HCRI_C_CODE_H
#define HCRI_C_CODE_H

#include "base/bytes.h"

/* What a name of the template stands for. */
typedef struct hcri_meaning {
    const char *name; /* of static storage */
    char text[80];
} hcri_meaning;
enum { HCRI_MOST_MEANINGS = 48 };

typedef struct hcri_code {
    hcri_bytes bytes;
    const char *prefix; /* of every name that other files see … */
    const char *upper;  /* … and of macros */
    int single;
    int cuda; /* CUDA C++ */
    hcri_meaning meaning[HCRI_MOST_MEANINGS];
    size_t meanings;
    double operations;              /* floating-point ones of one gauge … */
    double check_operations;        /* … and of one check */
    double search_operations;       /* what a search for a sample's centre takes beyond the first at most */
    size_t constants;               /* numbers in tables */
    double beyond;                  /* a number that the precision can't hold; 0 when there was none */
    size_t most_start, most_column; /* the largest numbers of both types of index */
    size_t left, column;            /* of a table: items to come, and where the line is */
} hcri_code;

/* As printf. In the format (not in its arguments) `@` stands for the type of numbers, `$` and `^` for the prefix in
 * small and in capital letters. */
void hcri_code_put(hcri_code *code, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* A string as it is. */
void hcri_code_text(hcri_code *code, const char *text);
/* Words of a user, in a comment or in a span of Markdown code: printable, and without what would end those. */
void hcri_code_foreign(hcri_code *code, const char *text);

/* What stands before a function, and before a table. */
static inline const char *hcri_code_function(const hcri_code *code) {
    return code->cuda ? "static __device__" : "static";
}
static inline const char *hcri_code_constant(const hcri_code *code) {
    return code->cuda ? "static __device__ const" : "static const";
}

typedef struct hcri_literal {
    char text[48];
} hcri_literal;
/* A number, rounded to the precision, as a literal that gives exactly that: a short decimal or hexadecimal. */
hcri_literal hcri_code_literal(hcri_code *code, double x);
/* What `name` stands for in the template from here on: a number, a count; or whether its conditions hold, and no more.
 */
void hcri_code_mean(hcri_code *code, const char *name, double x);
void hcri_code_mean_text(hcri_code *code, const char *name, const char *text);
void hcri_code_mean_count(hcri_code *code, const char *name, size_t count);
void hcri_code_mean_flag(hcri_code *code, const char *name, int value);
const char *hcri_code_meaning(const hcri_code *code, const char *name, size_t length); /* NULL: none */
/* "#define NAME x": `name` without the prefix. */
void hcri_code_define(hcri_code *code, const char *name, double x);
void hcri_code_define_count(hcri_code *code, const char *name, size_t count);

/* static const tables; `name` may have `$`-free text only. One of nothing has a single 0. A table is opened for `count`
 * numbers, which follow, or gets all at once. */
void hcri_code_table(hcri_code *code, const char *name, size_t count);
void hcri_code_number(hcri_code *code, double x);
void hcri_code_numbers(hcri_code *code, const char *name, size_t count, const double *values);
/* Of the types row_start and row_column. */
void hcri_code_starts(hcri_code *code, const char *name, size_t count, const size_t *values);
void hcri_code_columns(hcri_code *code, const char *name, size_t count, const uint32_t *values);
/* The smallest unsigned type that holds a number. */
const char *hcri_code_unsigned(size_t most);

/* The number as it will be in the code. */
static inline double hcri_code_round(const hcri_code *code, double x) { return code->single ? (double)(float)x : x; }

#endif
