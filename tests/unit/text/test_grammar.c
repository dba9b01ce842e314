/* grammar.ebnf and the parser say the same. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/file.h"
#include "ebnf.h"
#include "text/syntax/parser.h"
#include "text/values/functions.h"

static ebnf grammar;

static int read_grammar(void **state) {
    (void)state;
    char *text = NULL;
    size_t size = 0;
    if (hcri_file_read(HCR_SOURCE "/src/text/syntax/grammar.ebnf", &hcri_default_allocator, &text, &size, NULL) !=
        HCR_OK)
        return -1;
    ebnf_read(&grammar, text);
    hcri_release(&hcri_default_allocator, text);
    return 0;
}

static int release_grammar(void **state) {
    (void)state;
    ebnf_release(&grammar);
    return 0;
}

static void parse_source(hcri_text *source) {
    if (setjmp(source->refused) == 0)
        hcri_parse(source);
}

/* The parser's verdict. */
static hcr_status parse(const char *text, hcr_error *error) {
    hcri_text source = {.file = "",
                        .bytes = text,
                        .size = strlen(text),
                        .arena = {.allocator = hcri_default_allocator},
                        .error = error};
    parse_source(&source);
    hcri_arena_release(&source.arena);
    return source.status;
}

/* Every word, sign and function of the parser stands in the grammar, and every terminal of the grammar in the parser.
 */
static void test_tables(void **state) {
    (void)state;
    for (int kind = HCRI_TOKEN_VAR; kind < HCRI_TOKEN_KINDS; kind++)
        assert_true(ebnf_has_terminal(&grammar, hcri_token_spelling((hcri_token_kind)kind)));
    for (const hcri_function *function = hcri_functions; function->name != NULL; function++)
        assert_true(ebnf_has_terminal(&grammar, function->name));
    for (size_t i = 0; i < grammar.nodes; i++) {
        if (grammar.node[i]->kind != EBNF_TERMINAL)
            continue;
        static const char *const other_words[] = {"T", "read", "soft", "weight", "priority"};
        int known = 0;
        for (size_t k = 0; k < sizeof other_words / sizeof *other_words; k++)
            known |= strcmp(grammar.node[i]->text, other_words[k]) == 0;
        for (int kind = HCRI_TOKEN_VAR; kind < HCRI_TOKEN_KINDS; kind++)
            known |= strcmp(hcri_token_spelling((hcri_token_kind)kind), grammar.node[i]->text) == 0;
        for (const hcri_function *function = hcri_functions; function->name != NULL; function++)
            known |= strcmp(function->name, grammar.node[i]->text) == 0;
        assert_true(known);
    }
}

typedef struct sentence {
    hcri_random *random;
    size_t tokens;
    char token[EBNF_TOKENS + 1][32];
    int too_long;
} sentence;

static void emit(void *context, const ebnf_node *node) {
    static const char *const names[] = {"y", "load_2", "T", "_a", "mean", "chebyshev", "read"};
    static const char *const numbers[] = {"0", "12", "0.5", "1e-3", ".5", "7."};
    sentence *s = context;
    if (s->tokens == EBNF_TOKENS) {
        s->too_long = 1;
        return;
    }
    const char *text = node->text;
    if (node->kind == EBNF_NAME)
        text = strcmp(text, "NAME") == 0     ? names[hcri_random_below(s->random, 7)]
               : strcmp(text, "NUMBER") == 0 ? numbers[hcri_random_below(s->random, 6)]
               : strcmp(text, "STRING") == 0 ? "\"a b.csv\""
                                             : "\n";
    snprintf(s->token[s->tokens++], sizeof s->token[0], "%s", text);
}

static void write_text(const sentence *s, char *text) {
    text[0] = '\0';
    for (size_t i = 0; i < s->tokens; i++) {
        strcat(text, i == 0 ? "" : " ");
        strcat(text, s->token[i]);
    }
}

static int is_word(const char *text) { return isalpha((unsigned char)text[0]) || text[0] == '_'; }

static int matches(void *context, size_t i, const ebnf_node *node) {
    const char *text = ((const sentence *)context)->token[i];
    if (node->kind == EBNF_TERMINAL)
        return strcmp(text, node->text) == 0;
    if (strcmp(node->text, "NUMBER") == 0)
        return isdigit((unsigned char)text[0]) || (text[0] == '.' && isdigit((unsigned char)text[1]));
    if (strcmp(node->text, "STRING") == 0)
        return text[0] == '"';
    if (strcmp(node->text, "NEWLINE") == 0)
        return text[0] == '\n';
    if (!is_word(text))
        return 0;
    for (int kind = HCRI_TOKEN_VAR; kind < HCRI_TOKEN_POWER; kind++)
        if (strcmp(hcri_token_spelling((hcri_token_kind)kind), text) == 0)
            return 0;
    return 1;
}

/* What the grammar derives parses; the number of arguments apart, of which the grammar knows nothing. */
static void test_sentences(void **state) {
    (void)state;
    hcri_random random;
    hcri_random_seed(&random, 1);
    size_t parsed = 0;
    for (size_t i = 0; i < 60000; i++) {
        sentence s = {.random = &random};
        ebnf_generate(&grammar, grammar.rule[0].body, &random, 0, emit, &s);
        if (s.too_long)
            continue;
        char text[EBNF_TOKENS * 33];
        write_text(&s, text);
        hcr_error error = {0};
        const hcr_status status = parse(text, &error);
        if (status != HCR_OK && status != HCR_ERROR_SHAPE)
            fail_msg("%s\n%s", text, error.text);
        parsed += status == HCR_OK && s.tokens > 4;
    }
    assert_true(parsed > 5000);
}

/* Sentences with tokens replaced, dropped, doubled and exchanged: grammar and parser agree whether they are still ones.
 * Where the parser refuses for another reason than syntax, it doesn't say. */
static void test_mutations(void **state) {
    (void)state;
    hcri_random random;
    hcri_random_seed(&random, 2);
    ebnf_recogniser *recogniser = calloc(1, sizeof *recogniser);
    assert_non_null(recogniser);
    size_t accepted = 0, refused = 0;
    for (size_t i = 0; i < 30000; i++) {
        sentence s = {.random = &random};
        ebnf_generate(&grammar, grammar.rule[0].body, &random, 0, emit, &s);
        if (s.too_long || s.tokens < 2 || s.tokens > 40)
            continue;
        const size_t at = hcri_random_below(&random, s.tokens - 1);
        char held[32];
        switch (hcri_random_below(&random, 4)) {
        case 0: memmove(s.token[at], s.token[at + 1], (--s.tokens - at) * sizeof s.token[0]); break;
        case 1: memmove(s.token[at + 1], s.token[at], (s.tokens++ - at) * sizeof s.token[0]); break;
        case 2:
            memcpy(held, s.token[at], sizeof held);
            memcpy(s.token[at], s.token[at + 1], sizeof held);
            memcpy(s.token[at + 1], held, sizeof held);
            break;
        default: memmove(s.token[at], s.token[hcri_random_below(&random, s.tokens)], sizeof s.token[0]);
        }
        int depth = 0; /* newlines inside brackets are no tokens */
        size_t kept = 0;
        for (size_t k = 0; k < s.tokens; k++) {
            depth += strchr("([", s.token[k][0]) != NULL;
            depth -= strchr(")]", s.token[k][0]) != NULL && depth > 0;
            if (depth == 0 || s.token[k][0] != '\n')
                memmove(s.token[kept++], s.token[k], sizeof s.token[0]);
        }
        s.tokens = kept;
        char text[EBNF_TOKENS * 33];
        write_text(&s, text);
        hcr_error error = {0};
        const hcr_status status = parse(text, &error);
        if (status != HCR_OK && status != HCR_ERROR_SYNTAX)
            continue;
        recogniser->grammar = &grammar;
        recogniser->tokens = s.tokens;
        recogniser->matches = matches;
        recogniser->context = &s;
        if (ebnf_accepts(recogniser) != (status == HCR_OK))
            fail_msg("the grammar %s this, the parser does not:\n%s\n%s", status == HCR_OK ? "refuses" : "accepts",
                     text, error.text);
        accepted += status == HCR_OK;
        refused += status != HCR_OK;
    }
    free(recogniser);
    assert_true(accepted > 1000 && refused > 1000);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tables),
        cmocka_unit_test(test_sentences),
        cmocka_unit_test(test_mutations),
    };
    return cmocka_run_group_tests(tests, read_grammar, release_grammar);
}
