#include "language/parser.h"

#include "language/expressions.h"

static hcri_statement *new_statement(hcri_parser *p, hcri_statement_kind kind) {
    hcri_statement *statement = hcri_take(p->text, p->token.span, 1, sizeof *statement);
    if (statement != NULL) {
        statement->kind = kind;
        statement->span = p->token.span;
    }
    return statement;
}

/* name, name[size], …: a statement each */
static hcri_statement *parse_variables(hcri_parser *p) {
    hcri_statement *first = NULL, **end = &first;
    do {
        if (!hcri_parser_advance(p))
            return NULL;
        hcri_statement *statement = new_statement(p, HCRI_STATEMENT_VARIABLE);
        if (statement == NULL || !hcri_parser_take_name(p, &statement->name, "the name of an output after \"var\""))
            return NULL;
        const hcri_span open = p->token.span;
        if (p->token.kind == HCRI_TOKEN_OPEN_BRACKET) {
            statement->expression = hcri_parser_advance(p) ? hcri_parse_sum(p) : NULL;
            if (statement->expression == NULL)
                return NULL;
            if (p->token.kind == HCRI_TOKEN_COMMA)
                return hcri_refuse(p->text, p->token.span, HCR_ERROR_UNSUPPORTED,
                                   "outputs are scalars or vectors: declare a vector, and use reshape() for a matrix");
            if (!hcri_parser_take_closing(p, HCRI_TOKEN_CLOSE_BRACKET, open))
                return NULL;
        }
        *end = statement;
        end = &statement->next;
    } while (p->token.kind == HCRI_TOKEN_COMMA);
    return first;
}

static hcri_statement *parse_constant(hcri_parser *p) {
    hcri_statement *statement = new_statement(p, HCRI_STATEMENT_CONSTANT);
    if (statement == NULL || !hcri_parser_advance(p) ||
        !hcri_parser_take_name(p, &statement->name, "a name after \"const\"") ||
        !hcri_parser_take(p, HCRI_TOKEN_ASSIGN, "\"=\" and a value, as in: const dmax = 12.5"))
        return NULL;
    statement->expression = hcri_parse_sum(p);
    return statement->expression == NULL ? NULL : statement;
}

static hcri_statement *parse_origin(hcri_parser *p) {
    hcri_statement *statement = new_statement(p, HCRI_STATEMENT_ORIGIN);
    if (statement == NULL || !hcri_parser_advance(p) ||
        !hcri_parser_take(p, HCRI_TOKEN_ASSIGN, "\"=\", as in: origin = chebyshev"))
        return NULL;
    if (hcri_text_equal(p->text, p->token.span, "chebyshev") || hcri_text_equal(p->text, p->token.span, "analytic") ||
        hcri_text_equal(p->text, p->token.span, "mean")) {
        hcri_parser ahead = *p;
        if (!hcri_parser_advance(&ahead))
            return NULL;
        if (hcri_parser_at_end(&ahead)) {
            statement->name = p->token.span;
            *p = ahead;
            return statement;
        }
    }
    statement->expression = hcri_parse_sum(p);
    return statement->expression == NULL ? NULL : statement;
}

static hcri_statement *parse_constraint(hcri_parser *p) {
    hcri_statement *statement = new_statement(p, HCRI_STATEMENT_CONSTRAINT);
    hcri_node *node = statement == NULL ? NULL : hcri_parse_comparison(p, 1);
    if (node == NULL)
        return NULL;
    if (p->token.kind == HCRI_TOKEN_AND || p->token.kind == HCRI_TOKEN_OR)
        return hcri_refuse(p->text, p->token.span, HCR_ERROR_SYNTAX,
                           "one constraint a line: \"%s\" joins conditions only", hcri_token_spelling(p->token.kind));
    statement->span = node->span;
    statement->expression = node;
    return hcri_parse_clauses(p, &statement->clauses) ? statement : NULL;
}

static hcri_statement *parse_statement(hcri_parser *p) {
    switch (p->token.kind) {
    case HCRI_TOKEN_VAR: return parse_variables(p);
    case HCRI_TOKEN_CONST: return parse_constant(p);
    case HCRI_TOKEN_ORIGIN: return parse_origin(p);
    case HCRI_TOKEN_PARAM:
        return hcri_refuse(p->text, p->token.span, HCR_ERROR_UNSUPPORTED,
                           "param isn't in this version of the language: a region is fixed; use const, and --set for "
                           "another value");
    case HCRI_TOKEN_PSD:
        return hcri_refuse(p->text, p->token.span, HCR_ERROR_UNSUPPORTED,
                           "psd (a matrix inequality) isn't in this version of the language");
    case HCRI_TOKEN_UNION:
    case HCRI_TOKEN_EXCEPT:
    case HCRI_TOKEN_STAR_WORD:
    case HCRI_TOKEN_END_WORD:
        return hcri_refuse(p->text, p->token.span, HCR_ERROR_UNSUPPORTED,
                           "%s isn't in this version of the language: a region is one convex set",
                           hcri_token_spelling(p->token.kind));
    default: return parse_constraint(p);
    }
}

int hcri_parse(hcri_text *text, hcri_statement **first) {
    hcri_parser p = {.text = text, .lexer = {.text = text}};
    hcri_statement **end = first;
    *first = NULL;
    if (!hcri_parser_advance(&p))
        return 0;
    while (p.token.kind != HCRI_TOKEN_END) {
        if (p.token.kind == HCRI_TOKEN_NEWLINE) {
            if (!hcri_parser_advance(&p))
                return 0;
            continue;
        }
        *end = parse_statement(&p);
        if (*end == NULL)
            return 0;
        while (*end != NULL)
            end = &(*end)->next;
        if (!hcri_parser_at_end(&p)) {
            hcri_parser_refuse(&p, "the end of the line");
            return 0;
        }
    }
    return 1;
}
