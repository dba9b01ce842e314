#include "text/syntax/lexer.h"

#include <math.h>
#include <string.h>

#include "base/number.h"
#include "text/declared_names.h"

/* In the order of the kinds from HCRI_TOKEN_VAR on; longer signs before those that they begin with. */
static const char *const spellings[] = {
    "var",    "param", "const", "let",       "origin", "for", "in", "if", "and", "or", "not", "inf", "psd", "union",
    "except", "star",  "end",   "unbounded", "**",     "//",  "<=", ">=", "==",  "!=", ">>",  "<<",  "<",   ">",
    "=",      "+",     "-",     "*",         "/",      "%",   "@",  "(",  ")",   "[",  "]",   ",",   ":",   "."};
_Static_assert(sizeof spellings / sizeof *spellings == HCRI_TOKEN_KINDS - HCRI_TOKEN_VAR, "each word and sign has one");

const char *hcri_token_spelling(hcri_token_kind kind) {
    return kind < HCRI_TOKEN_VAR ? NULL : spellings[kind - HCRI_TOKEN_VAR];
}

/* Characters that people paste, and what they mean here. */
static const struct {
    const char *character, *meant;
} look_alikes[] = {{"≤", "<="}, {"≥", ">="},  {"×", "*"},   {"·", "*"},          {"−", "-"},
                   {"–", "-"},  {"≠", "!="},  {"“", "\""},  {"”", "\""},         {"‘", "'"},
                   {"’", "'"},  {"²", "**2"}, {"∞", "inf"}, {"^", "**"},         {";", "a new line"},
                   {"{", "["},  {"}", "]"},   {"&", "and"}, {"|", "abs() or or"}};

static size_t character_length(const hcri_lexer *lexer) {
    size_t end = lexer->at + 1;
    while (end < lexer->text->size && ((unsigned char)lexer->text->bytes[end] & 0xC0) == 0x80)
        end++;
    return end - lexer->at;
}

_Noreturn static void refuse_character(hcri_lexer *lexer) {
    const char *at = lexer->text->bytes + lexer->at;
    const size_t length = character_length(lexer);
    const hcri_span span = {lexer->at, lexer->at + length};
    for (size_t i = 0; i < sizeof look_alikes / sizeof look_alikes[0]; i++)
        if (strlen(look_alikes[i].character) == length && memcmp(look_alikes[i].character, at, length) == 0)
            hcri_refuse(lexer->text, span, HCR_ERROR_SYNTAX, "\"%s\" isn't part of the language: write %s",
                        look_alikes[i].character, look_alikes[i].meant);
    if ((unsigned char)*at < ' ' || *at == 127)
        hcri_refuse(lexer->text, span, HCR_ERROR_SYNTAX,
                    "a control character (byte 0x%02X): a region file is plain text in UTF-8",
                    (unsigned)(unsigned char)*at);
    if (*at == '!')
        hcri_refuse(lexer->text, span, HCR_ERROR_SYNTAX, "\"!\" alone isn't part of the language: write not, or !=");
    hcri_refuse(lexer->text, span, HCR_ERROR_SYNTAX,
                "\"%s\" isn't part of the language, other than in comments and strings",
                hcri_text_excerpt(lexer->text, span).text);
}

static void read_number(hcri_lexer *lexer, hcri_token *token) {
    hcri_text *text = lexer->text;
    const size_t length = hcri_number_read(text->bytes + lexer->at, text->size - lexer->at, &token->number);
    if (length == 0)
        refuse_character(lexer);
    size_t end = lexer->at + length;
    int zero = 1;
    for (size_t i = lexer->at; i < end && text->bytes[i] != 'e' && text->bytes[i] != 'E'; i++)
        zero &= !hcri_is_digit(text->bytes[i]) || text->bytes[i] == '0';
    const size_t number_end = end;
    while (end < text->size &&
           (hcri_is_digit(text->bytes[end]) || hcri_is_letter(text->bytes[end]) ||
            (text->bytes[end] == '.' && end + 1 < text->size && hcri_is_digit(text->bytes[end + 1]))))
        end++;
    token->kind = HCRI_TOKEN_NUMBER;
    token->span = (hcri_span){lexer->at, end};
    const hcri_excerpt shown = hcri_text_excerpt(text, token->span);
    if (end != number_end && hcri_is_letter(text->bytes[number_end]) && text->bytes[lexer->at] != '0')
        hcri_refuse(text, token->span, HCR_ERROR_SYNTAX, "\"%s\" is no number: for a product write %.*s*%s", shown.text,
                    (int)(length < 30 ? length : 30), shown.text,
                    hcri_text_excerpt(text, (hcri_span){number_end, end}).text);
    if (end != number_end)
        hcri_refuse(text, token->span, HCR_ERROR_SYNTAX,
                    "\"%s\" is no number: numbers are decimal, such as 12, 0.5 or 1e-3", shown.text);
    if (isinf(token->number))
        hcri_refuse(text, token->span, HCR_ERROR_DATA, "%s is too large for a double: write inf for \"no bound\"",
                    shown.text);
    if (token->number == 0 && !zero)
        hcri_refuse(text, token->span, HCR_ERROR_DATA, "%s is too small for a double: write 0", shown.text);
    lexer->at = end;
}

static void read_string(hcri_lexer *lexer, hcri_token *token) {
    hcri_text *text = lexer->text;
    size_t end = lexer->at + 1;
    while (end < text->size && text->bytes[end] != text->bytes[lexer->at] && text->bytes[end] != '\n')
        end++;
    token->kind = HCRI_TOKEN_STRING;
    token->span = (hcri_span){lexer->at, end};
    if (end == text->size || text->bytes[end] == '\n')
        hcri_refuse(text, token->span, HCR_ERROR_SYNTAX, "the string isn't closed on its line");
    token->span.end = lexer->at = end + 1;
}

static void read_word(hcri_lexer *lexer, hcri_token *token) {
    const hcri_text *text = lexer->text;
    size_t end = lexer->at;
    while (end < text->size && (hcri_is_letter(text->bytes[end]) || hcri_is_digit(text->bytes[end])))
        end++;
    token->kind = HCRI_TOKEN_NAME;
    token->span = (hcri_span){lexer->at, end};
    for (hcri_token_kind kind = HCRI_TOKEN_VAR; kind < HCRI_TOKEN_POWER; kind++)
        if (hcri_text_equal(text, token->span, hcri_token_spelling(kind)))
            token->kind = kind;
    lexer->at = end;
}

static void read_sign(hcri_lexer *lexer, hcri_token *token) {
    const hcri_text *text = lexer->text;
    for (hcri_token_kind kind = HCRI_TOKEN_POWER; kind < HCRI_TOKEN_KINDS; kind++) {
        const char *sign = hcri_token_spelling(kind);
        const size_t length = strlen(sign);
        if (length > text->size - lexer->at || memcmp(sign, text->bytes + lexer->at, length) != 0)
            continue;
        if (kind == HCRI_TOKEN_OPEN || kind == HCRI_TOKEN_OPEN_BRACKET)
            lexer->depth++;
        if ((kind == HCRI_TOKEN_CLOSE || kind == HCRI_TOKEN_CLOSE_BRACKET) && lexer->depth > 0)
            lexer->depth--;
        token->kind = kind;
        token->span.end = lexer->at += length;
        return;
    }
    refuse_character(lexer);
}

/* Blanks, comments, and newlines inside brackets. */
static void skip(hcri_lexer *lexer) {
    const hcri_text *text = lexer->text;
    while (lexer->at < text->size) {
        const char c = text->bytes[lexer->at];
        if (c == '#')
            while (lexer->at < text->size && text->bytes[lexer->at] != '\n')
                lexer->at++;
        else if (c == ' ' || c == '\t' || (c == '\n' && lexer->depth > 0) ||
                 (c == '\r' && lexer->at + 1 < text->size && text->bytes[lexer->at + 1] == '\n'))
            lexer->at++;
        else
            return;
    }
}

void hcri_lexer_next(hcri_lexer *lexer, hcri_token *token) {
    skip(lexer);
    const hcri_text *text = lexer->text;
    *token = (hcri_token){.kind = HCRI_TOKEN_END, .span = {lexer->at, lexer->at}};
    if (lexer->at >= text->size)
        return;
    const char c = text->bytes[lexer->at], next = lexer->at + 1 < text->size ? text->bytes[lexer->at + 1] : '\0';
    if (c == '\n') {
        token->kind = HCRI_TOKEN_NEWLINE;
        lexer->at++;
    } else if (hcri_is_digit(c) || (c == '.' && hcri_is_digit(next))) {
        read_number(lexer, token);
    } else if (c == '"' || c == '\'') {
        read_string(lexer, token);
    } else if (hcri_is_letter(c)) {
        read_word(lexer, token);
    } else {
        read_sign(lexer, token);
    }
}
