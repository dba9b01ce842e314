/* Tokens of LP files. */
#ifndef HCRI_LP_LEXER_H
#define HCRI_LP_LEXER_H

#include "import/problem.h"

typedef enum hcri_lp_kind {
    HCRI_LP_END, /* of the text */
    HCRI_LP_NAME,
    HCRI_LP_LABEL,  /* a name with its colon */
    HCRI_LP_NUMBER, /* without sign; inf and infinity are such */
    HCRI_LP_PLUS,
    HCRI_LP_MINUS,
    HCRI_LP_SENSE, /* <, <=, =<, =, >, >=, => */
    HCRI_LP_SECTION,
    HCRI_LP_OTHER /* one character that only quadratic terms, indicators and the like have */
} hcri_lp_kind;

typedef enum hcri_lp_section {
    HCRI_LP_OBJECTIVE,
    HCRI_LP_CONSTRAINTS,
    HCRI_LP_BOUNDS,
    HCRI_LP_INTEGERS,
    HCRI_LP_BINARIES,
    HCRI_LP_SEMICONTINUOUS,
    HCRI_LP_SETS,
    HCRI_LP_IGNORED,
    HCRI_LP_REFUSED,
    HCRI_LP_LAST
} hcri_lp_section;

typedef struct hcri_lp_token {
    hcri_lp_kind kind;
    hcri_field word;
    int line;
    double number;
    char sense; /* '<', '=' or '>' */
    hcri_lp_section section;
} hcri_lp_token;

typedef struct hcri_lp_lexer {
    hcr_import *import;
    const char *at, *end;
    int line;
    int at_line_start; /* nothing but blanks since the last line end */
} hcri_lp_lexer;

void hcri_lp_next(hcri_lp_lexer *lexer, hcri_lp_token *token);

#endif
