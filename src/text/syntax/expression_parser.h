/* The expressions of the grammar, for the parser of statements. */
#ifndef HCRI_EXPRESSION_PARSER_H
#define HCRI_EXPRESSION_PARSER_H

#include "text/syntax/tree.h"

typedef struct hcri_parser {
    hcri_text *text;
    hcri_lexer lexer;
    hcri_token token; /* the next one */
    unsigned brackets;
} hcri_parser;

hcri_node *hcri_parse_sum(hcri_parser *p);
/* A sum, or sums with relations between; as a constraint only the latter, with relations that mean a closed convex set.
 */
hcri_node *hcri_parse_comparison(hcri_parser *p, int is_constraint);
/* What stands between brackets, after the opening one: values and strings with commas between, or one value and the
 * clauses that repeat it. */
hcri_node *hcri_parse_items(hcri_parser *p, hcri_token_kind closing, hcri_span open);
/* lower <= name <= upper: what the range of an output means. */
hcri_node *hcri_parser_bounds(hcri_parser *p, hcri_span name, hcri_node *const range[2]);
/* for name in values, for … , if condition, … */
void hcri_parse_clauses(hcri_parser *p, const hcri_clauses **clauses);

/* psd(sum), which is the comparison sum >> 0. */
hcri_node *hcri_parse_psd(hcri_parser *p);

hcri_parser *hcri_parser_advance(hcri_parser *p); /* p itself */
int hcri_parser_at_end(const hcri_parser *p);     /* of a statement */
/* Refuses the next token: "expected …, not …". */
_Noreturn void hcri_parser_refuse(hcri_parser *p, const char *expected);
void hcri_parser_take(hcri_parser *p, hcri_token_kind kind, const char *expected);
/* The bracket that ends what began at `open`. */
void hcri_parser_take_closing(hcri_parser *p, hcri_token_kind kind, hcri_span open);
/* A name that is about to be declared. */
void hcri_parser_take_name(hcri_parser *p, hcri_span *name, const char *expected);

#endif
