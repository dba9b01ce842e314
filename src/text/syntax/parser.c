#include "text/syntax/parser.h"

#include "text/syntax/expression_parser.h"

static hcri_statement *new_statement(hcri_parser *p, hcri_statement_kind kind) {
    hcri_statement *statement = hcri_take(p->text, p->token.span, 1, sizeof *statement);
    statement->kind = kind;
    statement->span = p->token.span;
    return statement;
}

/* One that begins with a word. */
static hcri_statement *begin_statement(hcri_parser *p, hcri_statement_kind kind) {
    hcri_statement *statement = new_statement(p, kind);
    hcri_parser_advance(p);
    return statement;
}

/* in [lower, upper] */
static void parse_range(hcri_parser *p, hcri_node *end_of[2], const char *form) {
    hcri_parser_take(p, HCRI_TOKEN_IN, form);
    const hcri_span open = p->token.span;
    hcri_parser_take(p, HCRI_TOKEN_OPEN_BRACKET, "a range between brackets, as in: in [0, 10]");
    for (int end = 0; end < 2; end++) {
        if (end == 1)
            hcri_parser_take(p, HCRI_TOKEN_COMMA, "a comma and the upper end of the range");
        end_of[end] = hcri_parse_sum(p);
    }
    if (p->token.kind == HCRI_TOKEN_COMMA)
        hcri_refuse(
            p->text, p->token.span, HCR_ERROR_SYNTAX,
            "a range has two ends, [lower, upper]: for one range an element write vectors, as in: in [[0, 1], [5, 6]]");
    hcri_parser_take_closing(p, HCRI_TOKEN_CLOSE_BRACKET, open);
}

/* Whether a "[" begins the names of rows. */
static int at_labels(const hcri_parser *p) {
    hcri_lexer ahead = p->lexer;
    hcri_token next;
    if (p->token.kind != HCRI_TOKEN_OPEN_BRACKET)
        return 0;
    hcri_lexer_next(&ahead, &next);
    return next.kind == HCRI_TOKEN_STRING;
}

/* The names of rows: ["north", "south"]. */
static const hcri_node *parse_labels(hcri_parser *p) {
    const hcri_span open = p->token.span;
    hcri_parser_advance(p);
    hcri_node *labels = hcri_parse_items(p, HCRI_TOKEN_CLOSE_BRACKET, open);
    for (size_t i = 0; i < labels->count; i++)
        if (labels->kind != HCRI_NODE_LIST || labels->child[i]->kind != HCRI_NODE_STRING)
            hcri_refuse(p->text, labels->child[i]->span, HCR_ERROR_SYNTAX,
                        "the rows' names are strings, as in: var load[[\"north\", \"south\"], 24]");
    return labels;
}

/* [size], [rows, columns], labels in place of the first */
static void parse_sizes(hcri_parser *p, hcri_statement *statement) {
    const hcri_span open = p->token.span;
    hcri_parser_advance(p);
    if (at_labels(p))
        statement->labels = parse_labels(p);
    else
        statement->size[0] = hcri_parse_sum(p);
    if (p->token.kind == HCRI_TOKEN_COMMA)
        statement->size[1] = hcri_parse_sum(hcri_parser_advance(p));
    if (p->token.kind == HCRI_TOKEN_COMMA)
        hcri_refuse(p->text, p->token.span, HCR_ERROR_UNSUPPORTED,
                    "a name stands for a scalar, a vector or a matrix: it has two sizes at most");
    hcri_parser_take_closing(p, HCRI_TOKEN_CLOSE_BRACKET, open);
}

/* lower <= name <= upper */
static hcri_statement *bounds_of(hcri_parser *p, hcri_span name, hcri_node *const range[2]) {
    hcri_statement *statement = new_statement(p, HCRI_STATEMENT_CONSTRAINT);
    statement->expression = hcri_parser_bounds(p, name, range);
    statement->span = statement->expression->span;
    return statement;
}

/* name, name[size], …, each perhaps with its range: a statement each */
static hcri_statement *parse_variables(hcri_parser *p) {
    const int is_parameter = p->token.kind == HCRI_TOKEN_PARAM;
    hcri_statement *first = NULL, **end = &first;
    do {
        hcri_parser_advance(p);
        hcri_statement *statement = new_statement(p, is_parameter ? HCRI_STATEMENT_PARAMETER : HCRI_STATEMENT_VARIABLE);
        hcri_parser_take_name(p, &statement->name,
                              is_parameter ? "the name of a parameter after \"param\""
                                           : "the name of an output after \"var\"");
        if (p->token.kind == HCRI_TOKEN_OPEN_BRACKET)
            parse_sizes(p, statement);
        if (is_parameter && p->token.kind != HCRI_TOKEN_COMMA && !hcri_parser_at_end(p))
            parse_range(p, statement->range, "\"in\" and the range of the parameter, as in: param cap[3] in [0, 10]");
        if (!is_parameter && p->token.kind == HCRI_TOKEN_IN) {
            hcri_node *range[2];
            parse_range(p, range, "");
            statement->inner = bounds_of(p, statement->name, range);
        }
        *end = statement;
        end = &statement->next;
    } while (p->token.kind == HCRI_TOKEN_COMMA);
    return first;
}

/* const name = value, let name = expression */
static hcri_statement *parse_named(hcri_parser *p, hcri_statement_kind kind) {
    const int is_constant = kind == HCRI_STATEMENT_CONSTANT;
    hcri_statement *statement = begin_statement(p, kind);
    hcri_parser_take_name(p, &statement->name, is_constant ? "a name after \"const\"" : "a name after \"let\"");
    hcri_parser_take(p, HCRI_TOKEN_ASSIGN,
                     is_constant ? "\"=\" and a value, as in: const dmax = 12.5"
                                 : "\"=\" and an expression, as in: let total = sum(load)");
    statement->expression = hcri_parse_sum(p);
    return statement;
}

static hcri_statement *parse_origin(hcri_parser *p) {
    hcri_statement *statement = begin_statement(p, HCRI_STATEMENT_ORIGIN);
    hcri_parser_take(p, HCRI_TOKEN_ASSIGN, "\"=\", as in: origin = chebyshev");
    if (hcri_text_equal(p->text, p->token.span, "chebyshev") || hcri_text_equal(p->text, p->token.span, "analytic") ||
        hcri_text_equal(p->text, p->token.span, "mean")) {
        hcri_parser ahead = *p;
        hcri_parser_advance(&ahead);
        if (hcri_parser_at_end(&ahead)) {
            statement->name = p->token.span;
            *p = ahead;
            return statement;
        }
    }
    statement->expression = hcri_parse_sum(p);
    return statement;
}

static hcri_statement *parse_constraint(hcri_parser *p) {
    hcri_statement *statement = new_statement(p, HCRI_STATEMENT_CONSTRAINT);
    hcri_node *node = p->token.kind == HCRI_TOKEN_PSD ? hcri_parse_psd(p) : hcri_parse_comparison(p, 1);
    if (p->token.kind == HCRI_TOKEN_AND || p->token.kind == HCRI_TOKEN_OR)
        hcri_refuse(p->text, p->token.span, HCR_ERROR_SYNTAX, "one constraint a line: \"%s\" joins conditions only%s",
                    hcri_token_spelling(p->token.kind),
                    p->token.kind == HCRI_TOKEN_OR ? "; alternatives are the parts of a union" : "");
    statement->span = node->span;
    statement->expression = node;
    hcri_parse_clauses(p, &statement->clauses);
    return statement;
}

/* ---------------------------------------------------------------------------------------------------------- blocks */

static void skip_empty_lines(hcri_parser *p) {
    while (p->token.kind == HCRI_TOKEN_NEWLINE)
        hcri_parser_advance(p);
}

_Noreturn static void refuse_inside(hcri_parser *p, hcri_span opening) {
    int line, column;
    hcri_text_place(p->text, opening.start, &line, &column);
    hcri_refuse(p->text, p->token.span, HCR_ERROR_SYNTAX,
                "\"%s\" can't stand here: the block that begins in line %d holds constraints only, until \"end\"",
                hcri_token_spelling(p->token.kind), line);
}

/* ":", then constraints, one or more, each on its line, up to "end" (or "or"), which is left. */
static hcri_statement *parse_lines(hcri_parser *p, hcri_span opening) {
    hcri_statement *first = NULL, **end = &first;
    if (!hcri_parser_at_end(p))
        hcri_parser_refuse(p, "the end of the line: the constraints of a block follow, one a line");
    for (;;) {
        skip_empty_lines(p);
        switch (p->token.kind) {
        case HCRI_TOKEN_END:
            hcri_refuse(p->text, opening, HCR_ERROR_SYNTAX,
                        "this block is never closed: a line with \"end\" is missing");
        case HCRI_TOKEN_OR:
        case HCRI_TOKEN_END_WORD:
            if (first == NULL)
                hcri_refuse(p->text, p->token.span, HCR_ERROR_SYNTAX,
                            "nothing stands before this \"%s\": a constraint is missing",
                            hcri_token_spelling(p->token.kind));
            return first;
        case HCRI_TOKEN_VAR:
        case HCRI_TOKEN_CONST:
        case HCRI_TOKEN_LET:
        case HCRI_TOKEN_ORIGIN:
        case HCRI_TOKEN_PARAM:
        case HCRI_TOKEN_UNBOUNDED:
        case HCRI_TOKEN_UNION:
        case HCRI_TOKEN_EXCEPT:
        case HCRI_TOKEN_STAR_WORD: refuse_inside(p, opening);
        default: break;
        }
        *end = parse_constraint(p);
        end = &(*end)->next;
        if (!hcri_parser_at_end(p))
            hcri_parser_refuse(p, "the end of the line");
    }
}

static void take_end(hcri_parser *p, const char *block) {
    if (p->token.kind != HCRI_TOKEN_END_WORD)
        hcri_refuse(p->text, p->token.span, HCR_ERROR_SYNTAX, "\"or\" separates the parts of a union: this is %s",
                    block);
    hcri_parser_advance(p);
}

/* union: … or … end */
static hcri_statement *parse_union(hcri_parser *p) {
    const hcri_span opening = p->token.span;
    hcri_statement *statement = begin_statement(p, HCRI_STATEMENT_UNION), **end;
    hcri_parser_take(p, HCRI_TOKEN_COLON, "\":\" after \"union\"");
    for (end = &statement->inner;; end = &(*end)->next) {
        *end = new_statement(p, HCRI_STATEMENT_BODY);
        (*end)->inner = parse_lines(p, opening);
        if (p->token.kind != HCRI_TOKEN_OR)
            break;
        hcri_parser_advance(p);
        if (p->token.kind == HCRI_TOKEN_COLON)
            hcri_parser_advance(p);
    }
    take_end(p, "one");
    return statement;
}

/* except a <= b, or except: … end, or star: … end */
static hcri_statement *parse_block(hcri_parser *p, hcri_statement_kind kind) {
    const hcri_span opening = p->token.span;
    hcri_statement *statement = begin_statement(p, kind);
    if (kind == HCRI_STATEMENT_EXCEPT && p->token.kind != HCRI_TOKEN_COLON) {
        statement->one_line = 1;
        statement->inner = parse_constraint(p);
        return statement;
    }
    hcri_parser_take(p, HCRI_TOKEN_COLON, "\":\" after \"star\"");
    statement->inner = parse_lines(p, opening);
    take_end(p, kind == HCRI_STATEMENT_STAR ? "a star block" : "an except block");
    return statement;
}

/* "soft" is a word where a ":" or a clause of its own follows: elsewhere it is a name like any other. */
static int is_soft(const hcri_parser *p) {
    if (p->token.kind != HCRI_TOKEN_NAME || !hcri_text_equal(p->text, p->token.span, "soft"))
        return 0;
    hcri_parser ahead = *p;
    hcri_parser_advance(&ahead);
    return ahead.token.kind == HCRI_TOKEN_COLON || ahead.token.kind == HCRI_TOKEN_NAME;
}

/* soft [weight a] [priority b]: a <= b, or lines up to "end" */
static hcri_statement *parse_soft(hcri_parser *p) {
    static const char *const clause[2] = {"weight", "priority"};
    const hcri_span opening = p->token.span;
    hcri_statement *statement = begin_statement(p, HCRI_STATEMENT_SOFT);
    while (p->token.kind == HCRI_TOKEN_NAME) {
        const int which = hcri_text_equal(p->text, p->token.span, clause[0])   ? 0
                          : hcri_text_equal(p->text, p->token.span, clause[1]) ? 1
                                                                               : 2;
        if (which == 2 || statement->range[which] != NULL)
            hcri_refuse(p->text, p->token.span, HCR_ERROR_SYNTAX,
                        "between \"soft\" and \":\" stand a weight and a priority, each once at most, as in: soft "
                        "weight 10 priority 2: load <= cap");
        hcri_parser_advance(p);
        statement->range[which] = hcri_parse_sum(p);
    }
    hcri_parser_take(p, HCRI_TOKEN_COLON, "\":\", as in: soft weight 10: load <= cap");
    if (!hcri_parser_at_end(p)) {
        statement->inner = parse_constraint(p);
        return statement;
    }
    statement->inner = parse_lines(p, opening);
    take_end(p, "a soft block");
    return statement;
}

static hcri_statement *parse_statement(hcri_parser *p) {
    switch (p->token.kind) {
    case HCRI_TOKEN_VAR:
    case HCRI_TOKEN_PARAM: return parse_variables(p);
    case HCRI_TOKEN_CONST: return parse_named(p, HCRI_STATEMENT_CONSTANT);
    case HCRI_TOKEN_LET: return parse_named(p, HCRI_STATEMENT_NAMED);
    case HCRI_TOKEN_ORIGIN: return parse_origin(p);
    case HCRI_TOKEN_UNBOUNDED: return begin_statement(p, HCRI_STATEMENT_UNBOUNDED);
    case HCRI_TOKEN_UNION: return parse_union(p);
    case HCRI_TOKEN_EXCEPT: return parse_block(p, HCRI_STATEMENT_EXCEPT);
    case HCRI_TOKEN_STAR_WORD: return parse_block(p, HCRI_STATEMENT_STAR);
    case HCRI_TOKEN_OR:
    case HCRI_TOKEN_END_WORD:
        hcri_refuse(p->text, p->token.span, HCR_ERROR_SYNTAX, "\"%s\" stands alone: no %s is open here",
                    hcri_token_spelling(p->token.kind),
                    p->token.kind == HCRI_TOKEN_OR ? "union:" : "union:, except: or star:");
    default: return is_soft(p) ? parse_soft(p) : parse_constraint(p);
    }
}

hcri_statement *hcri_parse(hcri_text *text) {
    hcri_parser p = {.text = text, .lexer = {.text = text}};
    hcri_statement *first = NULL, **end = &first;
    hcri_parser_advance(&p);
    for (skip_empty_lines(&p); p.token.kind != HCRI_TOKEN_END; skip_empty_lines(&p)) {
        *end = parse_statement(&p);
        while (*end != NULL)
            end = &(*end)->next;
        if (p.token.kind == HCRI_TOKEN_COMMA)
            hcri_refuse(text, p.token.span, HCR_ERROR_SYNTAX,
                        "expected the end of the line, not a comma: numbers are written with a point, as in 3.5");
        if (!hcri_parser_at_end(&p))
            hcri_parser_refuse(&p, "the end of the line");
    }
    return first;
}
