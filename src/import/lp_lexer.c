#include "import/lp_lexer.h"

#include <limits.h>
#include <string.h>

#include "base/number.h"

/* Words that begin a section when they begin a line; a blank stands for any number of blanks. */
static const struct {
    const char *words;
    hcri_lp_section section;
} sections[] = {
    {"maximize|minimize|maximise|minimise|maximum|minimum|max|min", HCRI_LP_OBJECTIVE},
    {"subject to|such that|s.t.|st.|st|lazy constraints|user cuts", HCRI_LP_CONSTRAINTS},
    {"bounds|bound", HCRI_LP_BOUNDS},
    {"general constraints|scenario", HCRI_LP_REFUSED},
    {"generals|general|gens|gen|integers|integer|ints|int", HCRI_LP_INTEGERS},
    {"binaries|binary|bins|bin", HCRI_LP_BINARIES},
    {"semi-continuous|semis|semi", HCRI_LP_SEMICONTINUOUS},
    {"sos1|sos2|sos", HCRI_LP_SETS},
    {"pwlobj", HCRI_LP_IGNORED},
    {"end", HCRI_LP_LAST},
};

static int is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v'; }
static int is_digit(char c) { return c >= '0' && c <= '9'; }
static int is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
static int begins_name(char c) {
    return is_letter(c) || (c != '\0' && strchr("_!\"#$%&(),;?@`'{}~|", c) != NULL) || (unsigned char)c >= 0x80;
}
static int continues_name(char c) { return begins_name(c) || is_digit(c) || c == '.' || c == '/'; }

/* Blanks, line ends and comments. */
static void skip(hcri_lp_lexer *lexer) {
    while (lexer->at < lexer->end) {
        if (*lexer->at == '\\') {
            const char *newline = memchr(lexer->at, '\n', (size_t)(lexer->end - lexer->at));
            lexer->at = newline == NULL ? lexer->end : newline;
        } else if (*lexer->at == '\n') {
            lexer->line += lexer->line < INT_MAX;
            lexer->at_line_start = 1;
            lexer->at++;
        } else if (is_blank(*lexer->at)) {
            lexer->at++;
        } else {
            return;
        }
    }
}

/* The length of the first of `words` where the text begins with it, 0 otherwise. */
static size_t match(const hcri_lp_lexer *lexer, const char *words) {
    const char *at = lexer->at;
    for (const char *w = words; *w != '|' && *w != '\0'; w++) {
        if (at == lexer->end)
            return 0;
        if (*w == ' ') {
            const char *start = at;
            while (at < lexer->end && is_blank(*at))
                at++;
            if (at == start)
                return 0;
        } else if ((is_letter(*at) ? (*at | 0x20) : *at) == *w) {
            at++;
        } else {
            return 0;
        }
    }
    if (at < lexer->end && (continues_name(*at) || *at == '['))
        return 0;
    const size_t length = (size_t)(at - lexer->at);
    /* A column may have such a name: where an operator follows, it is one. */
    while (at < lexer->end && is_blank(*at))
        at++;
    const int is_name = at < lexer->end && *at != '\0' && strchr("<>=:", *at) != NULL;
    return is_name && hcri_word_find("min|max", lexer->at, length) < 0 ? 0 : length;
}

static int read_section(hcri_lp_lexer *lexer, hcri_lp_token *token) {
    for (size_t s = 0; s < sizeof sections / sizeof sections[0]; s++)
        for (const char *words = sections[s].words; words != NULL; words = strchr(words, '|')) {
            words += *words == '|';
            token->word.length = match(lexer, words);
            if (token->word.length == 0)
                continue;
            token->kind = HCRI_LP_SECTION;
            token->section = sections[s].section;
            lexer->at += token->word.length;
            if (lexer->at < lexer->end && *lexer->at == ':') /* "min: x + y" */
                lexer->at++;
            return 1;
        }
    return 0;
}

static void read_name(hcri_lp_lexer *lexer, hcri_lp_token *token) {
    const char *at = lexer->at;
    while (at < lexer->end && (continues_name(*at) || *at == '[')) {
        if (*at == '[') { /* x[1,2] is a name; "[ x ^ 2 ]" isn't reached here: a blank comes before it */
            const char *close = at;
            while (close < lexer->end && *close != ']' && *close != '\n' && !is_blank(*close))
                close++;
            if (close == lexer->end || *close != ']')
                break;
            at = close;
        }
        at++;
    }
    token->kind = HCRI_LP_NAME;
    token->word.length = (size_t)(at - lexer->at);
    if (hcri_field_is(token->word, "INF|INFINITY")) {
        token->kind = HCRI_LP_NUMBER;
        token->number = 1 / 0.0;
    }
    lexer->at = at;
    while (at < lexer->end && is_blank(*at))
        at++;
    if (token->kind == HCRI_LP_NAME && at < lexer->end && *at == ':' && (at + 1 == lexer->end || at[1] != ':')) {
        token->kind = HCRI_LP_LABEL;
        lexer->at = at + 1;
    }
}

static void read_sense(hcri_lp_lexer *lexer, hcri_lp_token *token) {
    token->kind = HCRI_LP_SENSE;
    token->sense = *lexer->at;
    token->word.length = 1;
    if (lexer->at + 1 < lexer->end && lexer->at[1] != '\0' && strchr("<>=", lexer->at[1]) != NULL) {
        token->word.length = 2;
        if (token->sense == '=')
            token->sense = lexer->at[1];
    }
    lexer->at += token->word.length;
}

void hcri_lp_next(hcri_lp_lexer *lexer, hcri_lp_token *token) {
    skip(lexer);
    const int at_line_start = lexer->at_line_start;
    *token = (hcri_lp_token){.kind = HCRI_LP_END, .word.text = lexer->at, .line = lexer->line};
    if (lexer->at == lexer->end)
        return;
    lexer->at_line_start = 0;
    const char c = *lexer->at;
    if (at_line_start && read_section(lexer, token))
        return;
    if (is_digit(c) || c == '.') {
        token->kind = HCRI_LP_NUMBER;
        token->word.length = hcri_number_read(lexer->at, (size_t)(lexer->end - lexer->at), &token->number);
        token->word.length += token->word.length == 0;
        token->number = hcri_import_number(lexer->import, token->word, "a number", 1, lexer->line);
        lexer->at += token->word.length;
    } else if (begins_name(c)) {
        read_name(lexer, token);
    } else if (c == '<' || c == '>' || c == '=') {
        read_sense(lexer, token);
    } else if (c != '\0' && strchr("+-[]*^/:", c) != NULL) {
        token->kind = c == '+' ? HCRI_LP_PLUS : c == '-' ? HCRI_LP_MINUS : HCRI_LP_OTHER;
        token->word.length = 1;
        lexer->at++;
    } else {
        hcri_import_refuse(lexer->import, HCR_ERROR_SYNTAX, lexer->line, "\"%s\" has no place in an LP file",
                           hcri_show(lexer->at, 1).text);
    }
}
