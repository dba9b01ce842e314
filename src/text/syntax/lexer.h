/* Region text to tokens. */
#ifndef HCRI_LEXER_H
#define HCRI_LEXER_H

#include "text/syntax/source_text.h"

typedef enum hcri_token_kind {
    HCRI_TOKEN_END,
    HCRI_TOKEN_NEWLINE,
    HCRI_TOKEN_NAME,
    HCRI_TOKEN_NUMBER,
    HCRI_TOKEN_STRING,
    /* words */
    HCRI_TOKEN_VAR,
    HCRI_TOKEN_PARAM,
    HCRI_TOKEN_CONST,
    HCRI_TOKEN_LET,
    HCRI_TOKEN_ORIGIN,
    HCRI_TOKEN_FOR,
    HCRI_TOKEN_IN,
    HCRI_TOKEN_IF,
    HCRI_TOKEN_AND,
    HCRI_TOKEN_OR,
    HCRI_TOKEN_NOT,
    HCRI_TOKEN_INF,
    HCRI_TOKEN_PSD,
    HCRI_TOKEN_UNION,
    HCRI_TOKEN_EXCEPT,
    HCRI_TOKEN_STAR_WORD,
    HCRI_TOKEN_END_WORD,
    HCRI_TOKEN_UNBOUNDED,
    /* signs */
    HCRI_TOKEN_POWER,
    HCRI_TOKEN_FLOOR_DIVIDE,
    HCRI_TOKEN_LESS_EQUAL,
    HCRI_TOKEN_GREATER_EQUAL,
    HCRI_TOKEN_EQUAL,
    HCRI_TOKEN_NOT_EQUAL,
    HCRI_TOKEN_SUCCEEDS,
    HCRI_TOKEN_PRECEDES,
    HCRI_TOKEN_LESS,
    HCRI_TOKEN_GREATER,
    HCRI_TOKEN_ASSIGN,
    HCRI_TOKEN_PLUS,
    HCRI_TOKEN_MINUS,
    HCRI_TOKEN_TIMES,
    HCRI_TOKEN_DIVIDE,
    HCRI_TOKEN_REMAINDER,
    HCRI_TOKEN_MATRIX_PRODUCT,
    HCRI_TOKEN_OPEN,
    HCRI_TOKEN_CLOSE,
    HCRI_TOKEN_OPEN_BRACKET,
    HCRI_TOKEN_CLOSE_BRACKET,
    HCRI_TOKEN_COMMA,
    HCRI_TOKEN_COLON,
    HCRI_TOKEN_DOT,
    HCRI_TOKEN_KINDS
} hcri_token_kind;

typedef struct hcri_token {
    hcri_token_kind kind;
    hcri_span span;
    double number; /* NUMBER */
} hcri_token;

typedef struct hcri_lexer { /* copy it to look further ahead */
    hcri_text *text;
    size_t at;
    size_t depth; /* brackets open: newlines inside don't count */
} hcri_lexer;

void hcri_lexer_next(hcri_lexer *lexer, hcri_token *token);
/* How a word or a sign is written; NULL for the other kinds. */
const char *hcri_token_spelling(hcri_token_kind kind);

#endif
