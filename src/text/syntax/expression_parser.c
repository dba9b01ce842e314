#include "text/syntax/expression_parser.h"

#include <math.h>

#include "text/syntax/unknown_names.h"
#include "text/values/functions.h"

/* Brackets in brackets, and operations on operations; the evaluator's recursion is as deep as the tree. */
#define DEEPEST_BRACKETS 100
#define DEEPEST_TREE 1000
#define MOST_CLAUSES 100

static hcri_node *parse_condition(hcri_parser *p);

hcri_parser *hcri_parser_advance(hcri_parser *p) {
    hcri_lexer_next(&p->lexer, &p->token);
    return p;
}

int hcri_parser_at_end(const hcri_parser *p) {
    return p->token.kind == HCRI_TOKEN_NEWLINE || p->token.kind == HCRI_TOKEN_END;
}

/* What the next token is, for "expected …, not …". */
static hcri_excerpt describe(const hcri_parser *p) {
    if (p->token.kind == HCRI_TOKEN_END)
        return (hcri_excerpt){"the end of the text"};
    if (p->token.kind == HCRI_TOKEN_NEWLINE)
        return (hcri_excerpt){"the end of the line"};
    return hcri_text_excerpt(p->text, p->token.span);
}

void hcri_parser_refuse(hcri_parser *p, const char *expected) {
    hcri_refuse(p->text, p->token.span, HCR_ERROR_SYNTAX, "expected %s, not %s", expected, describe(p).text);
}

void hcri_parser_take(hcri_parser *p, hcri_token_kind kind, const char *expected) {
    if (p->token.kind != kind)
        hcri_parser_refuse(p, expected);
    hcri_parser_advance(p);
}

void hcri_parser_take_closing(hcri_parser *p, hcri_token_kind kind, hcri_span open) {
    const char *closing = hcri_token_spelling(kind);
    if (hcri_parser_at_end(p))
        hcri_refuse(p->text, open, HCR_ERROR_SYNTAX, "this bracket is never closed: a \"%s\" is missing", closing);
    if (p->token.kind != kind) {
        int line, column;
        hcri_text_place(p->text, open.start, &line, &column);
        hcri_refuse(p->text, p->token.span, HCR_ERROR_SYNTAX,
                    "expected \"%s\", which closes the bracket of line %d, column %d, not %s", closing, line, column,
                    describe(p).text);
    }
    hcri_parser_advance(p);
}

static hcri_node *new_node(hcri_parser *p, hcri_node_kind kind, hcri_span span, size_t count, hcri_node *const *child) {
    hcri_node *node = hcri_take(p->text, span, 1, sizeof *node);
    hcri_node **children = hcri_take(p->text, span, count, sizeof *children);
    *node = (hcri_node){.kind = kind, .span = span, .depth = 1, .count = count, .child = children};
    for (size_t i = 0; i < count; i++) {
        children[i] = child[i];
        if (child[i] != NULL && child[i]->depth >= node->depth)
            node->depth = child[i]->depth + 1;
    }
    if (node->depth > DEEPEST_TREE)
        hcri_refuse(p->text, span, HCR_ERROR_SYNTAX,
                    "more than %d operations build on each other here: use sum() of a list, or consts for parts",
                    DEEPEST_TREE);
    return node;
}

static hcri_node *new_pair(hcri_parser *p, hcri_node_kind kind, hcri_token_kind operator, hcri_node * left,
                           hcri_node *right) {
    hcri_node *const pair[2] = {left, right};
    hcri_node *node = new_node(p, kind, (hcri_span){left->span.start, right->span.end}, 2, pair);
    node->operator= operator;
    return node;
}

/* Children that grow in number. */
typedef struct node_list {
    size_t count, capacity;
    hcri_node **node;
} node_list;

static void append(hcri_parser *p, node_list *list, hcri_node *node) {
    list->node = hcri_take_larger(p->text, p->token.span, list->node, &list->capacity, list->count, sizeof *list->node);
    list->node[list->count++] = node;
}

static hcri_node *parse_string(hcri_parser *p) {
    hcri_node *node = new_node(p, HCRI_NODE_STRING, p->token.span, 0, NULL);
    hcri_parser_advance(p);
    return node;
}

hcri_node *hcri_parse_items(hcri_parser *p, hcri_token_kind closing, hcri_span open) {
    node_list list = {0};
    const hcri_clauses *clauses = NULL;
    while (p->token.kind != closing) {
        append(p, &list, p->token.kind == HCRI_TOKEN_STRING ? parse_string(p) : parse_condition(p));
        if (p->token.kind == HCRI_TOKEN_FOR && list.count == 1) {
            hcri_parse_clauses(p, &clauses);
            break;
        }
        if (p->token.kind != HCRI_TOKEN_COMMA)
            break;
        hcri_parser_advance(p);
    }
    const size_t end = p->token.span.end;
    hcri_parser_take_closing(p, closing, open);
    hcri_node *node = new_node(p, clauses == NULL ? HCRI_NODE_LIST : HCRI_NODE_COMPREHENSION,
                               (hcri_span){open.start, end}, list.count, list.node);
    node->clauses = clauses;
    return node;
}

static hcri_node *parse_call(hcri_parser *p, hcri_span name) {
    const hcri_function *function = hcri_function_find(p->text, name);
    const int is_read = hcri_text_equal(p->text, name, "read");
    if (function == NULL && !is_read)
        hcri_refuse_function(p->text, name);
    const hcri_span open = p->token.span;
    hcri_parser_advance(p);
    hcri_node *items = hcri_parse_items(p, HCRI_TOKEN_CLOSE, open);
    const hcri_span span = {name.start, items->span.end};
    hcri_node *const single[1] = {items};
    hcri_node *call = items->kind == HCRI_NODE_COMPREHENSION
                          ? new_node(p, HCRI_NODE_CALL, span, 1, single)
                          : new_node(p, HCRI_NODE_CALL, span, items->count, items->child);
    call->function = function;
    if (is_read) {
        if (call->count < 1 || call->count > 2)
            hcri_refuse(p->text, span, HCR_ERROR_SYNTAX,
                        "read takes a file name, and for a .npz file or a CSV with a header a key");
        for (size_t i = 0; i < call->count; i++)
            if (call->child[i]->kind != HCRI_NODE_STRING)
                hcri_refuse(p->text, call->child[i]->span, HCR_ERROR_SYNTAX,
                            "read takes names in quotes, such as read(\"usual.csv\")");
        return call;
    }
    for (size_t i = 0; i < call->count; i++)
        if (call->child[i]->kind == HCRI_NODE_STRING)
            hcri_refuse(p->text, call->child[i]->span, HCR_ERROR_SYNTAX, "%s() takes no string", function->name);
    if (call->count < function->least || call->count > function->most)
        hcri_refuse(p->text, span, HCR_ERROR_SHAPE, "%s() takes %zu%s%.0zu argument%s, not %zu", function->name,
                    function->least,
                    function->most == function->least ? ""
                    : function->most == SIZE_MAX      ? " or more"
                                                      : " or ",
                    function->most == function->least || function->most == SIZE_MAX ? (size_t)0 : function->most,
                    function->most == 1 ? "" : "s", call->count);
    return call;
}

static hcri_node *parse_primary(hcri_parser *p) {
    const hcri_token token = p->token;
    switch (token.kind) {
    case HCRI_TOKEN_NUMBER:
    case HCRI_TOKEN_INF: {
        hcri_node *node = new_node(p, HCRI_NODE_NUMBER, token.span, 0, NULL);
        hcri_parser_advance(p);
        node->number = token.kind == HCRI_TOKEN_INF ? (double)INFINITY : token.number;
        return node;
    }
    case HCRI_TOKEN_NAME:
        hcri_parser_advance(p);
        return p->token.kind == HCRI_TOKEN_OPEN ? parse_call(p, token.span)
                                                : new_node(p, HCRI_NODE_NAME, token.span, 0, NULL);
    case HCRI_TOKEN_OPEN: {
        hcri_parser_advance(p);
        hcri_node *inner = parse_condition(p);
        const size_t end = p->token.span.end;
        hcri_parser_take_closing(p, HCRI_TOKEN_CLOSE, token.span);
        inner->span = (hcri_span){token.span.start, end};
        return inner;
    }
    case HCRI_TOKEN_OPEN_BRACKET: {
        hcri_parser_advance(p);
        hcri_node *list = hcri_parse_items(p, HCRI_TOKEN_CLOSE_BRACKET, token.span);
        for (size_t i = 0; i < list->count; i++)
            if (list->child[i]->kind == HCRI_NODE_STRING)
                hcri_refuse(p->text, list->child[i]->span, HCR_ERROR_SYNTAX, "a list holds numbers, not strings");
        if (list->count == 0)
            hcri_refuse(p->text, list->span, HCR_ERROR_SHAPE, "this list is empty");
        return list;
    }
    case HCRI_TOKEN_STRING:
        hcri_refuse(p->text, token.span, HCR_ERROR_SYNTAX,
                    "a string stands in read(…) only, such as read(\"usual.csv\")");
    case HCRI_TOKEN_CLOSE:
    case HCRI_TOKEN_CLOSE_BRACKET:
        hcri_refuse(p->text, token.span, HCR_ERROR_SYNTAX, "expected a value before this bracket");
    default: break;
    }
    if (token.kind == HCRI_TOKEN_PSD)
        hcri_refuse(p->text, token.span, HCR_ERROR_SYNTAX,
                    "psd(…) is a constraint of its own, not a value: in a chain write E >> 0");
    hcri_parser_refuse(p, "a value");
}

/* One subscript: a value, the name of a row, or first : last : step. */
static hcri_node *parse_subscript(hcri_parser *p) {
    if (p->token.kind == HCRI_TOKEN_STRING)
        return parse_string(p);
    hcri_node *part[3] = {NULL, NULL, NULL};
    const size_t start = p->token.span.start;
    size_t parts = 0, end = p->token.span.end;
    for (;;) {
        if (p->token.kind != HCRI_TOKEN_COLON && p->token.kind != HCRI_TOKEN_COMMA &&
            p->token.kind != HCRI_TOKEN_CLOSE_BRACKET) {
            part[parts] = hcri_parse_sum(p);
            end = part[parts]->span.end;
        }
        if (p->token.kind != HCRI_TOKEN_COLON || parts == 2)
            break;
        end = p->token.span.end;
        parts++;
        hcri_parser_advance(p);
    }
    if (parts == 0 && part[0] == NULL)
        hcri_parser_refuse(p, "an index or a slice");
    if (parts == 0)
        return part[0];
    return new_node(p, HCRI_NODE_SLICE, (hcri_span){start, end}, 3, part);
}

/* What stands after a dot, and isn't T. */
_Noreturn static void refuse_member(hcri_parser *p, hcri_span span) {
    hcri_parser ahead = *p;
    hcri_parser_advance(&ahead);
    if (p->token.kind == HCRI_TOKEN_NAME && ahead.token.kind == HCRI_TOKEN_OPEN)
        hcri_refuse(p->text, span, HCR_ERROR_SYNTAX, "there are no methods and no modules: write %s(x)",
                    hcri_text_excerpt(p->text, p->token.span).text);
    hcri_parser_refuse(p, "the T of a transpose (.T) after the dot");
}

static hcri_node *parse_postfix(hcri_parser *p) {
    hcri_node *node = parse_primary(p);
    while (p->token.kind == HCRI_TOKEN_OPEN_BRACKET || p->token.kind == HCRI_TOKEN_DOT) {
        const hcri_token token = p->token;
        hcri_parser_advance(p);
        if (token.kind == HCRI_TOKEN_DOT) {
            const hcri_span span = {node->span.start, p->token.span.end};
            if (p->token.kind != HCRI_TOKEN_NAME || !hcri_text_equal(p->text, p->token.span, "T"))
                refuse_member(p, span);
            hcri_parser_advance(p);
            node = new_node(p, HCRI_NODE_TRANSPOSE, span, 1, &node);
            continue;
        }
        node_list list = {0};
        append(p, &list, node);
        do {
            if (list.count > 1)
                hcri_parser_advance(p);
            append(p, &list, parse_subscript(p));
        } while (p->token.kind == HCRI_TOKEN_COMMA);
        const hcri_span span = {node->span.start, p->token.span.end};
        hcri_parser_take_closing(p, HCRI_TOKEN_CLOSE_BRACKET, token.span);
        node = new_node(p, HCRI_NODE_INDEX, span, list.count, list.node);
    }
    return node;
}

static void enter_bracket(hcri_parser *p) {
    if (p->brackets++ >= DEEPEST_BRACKETS)
        hcri_refuse(p->text, p->token.span, HCR_ERROR_SYNTAX, "nested more than %d deep", DEEPEST_BRACKETS);
}

/* Signs and powers: -y**2 is -(y**2), and 2**-1 is a half. Every nesting of brackets comes by here. */
static hcri_node *parse_signed(hcri_parser *p) {
    enter_bracket(p);
    hcri_node *node;
    if (p->token.kind == HCRI_TOKEN_PLUS || p->token.kind == HCRI_TOKEN_MINUS) {
        const hcri_token sign = p->token;
        hcri_node *operand = parse_signed(hcri_parser_advance(p));
        node = new_node(p, HCRI_NODE_SIGN, (hcri_span){sign.span.start, operand->span.end}, 1, &operand);
        node->operator= sign.kind;
    } else {
        node = parse_postfix(p);
        if (p->token.kind == HCRI_TOKEN_POWER)
            node = new_pair(p, HCRI_NODE_BINARY, HCRI_TOKEN_POWER, node, parse_signed(hcri_parser_advance(p)));
    }
    p->brackets--;
    return node;
}

static hcri_node *parse_product(hcri_parser *p) {
    hcri_node *node = parse_signed(p);
    while (p->token.kind == HCRI_TOKEN_TIMES || p->token.kind == HCRI_TOKEN_DIVIDE ||
           p->token.kind == HCRI_TOKEN_FLOOR_DIVIDE || p->token.kind == HCRI_TOKEN_REMAINDER ||
           p->token.kind == HCRI_TOKEN_MATRIX_PRODUCT) {
        const hcri_token_kind operator= p->token.kind;
        node = new_pair(p, HCRI_NODE_BINARY, operator, node, parse_signed(hcri_parser_advance(p)));
    }
    return node;
}

hcri_node *hcri_parse_sum(hcri_parser *p) {
    hcri_node *node = parse_product(p);
    while (p->token.kind == HCRI_TOKEN_PLUS || p->token.kind == HCRI_TOKEN_MINUS) {
        const hcri_token_kind operator= p->token.kind;
        node = new_pair(p, HCRI_NODE_BINARY, operator, node, parse_product(hcri_parser_advance(p)));
    }
    return node;
}

static int is_relation(hcri_token_kind kind) {
    return kind == HCRI_TOKEN_LESS_EQUAL || kind == HCRI_TOKEN_GREATER_EQUAL || kind == HCRI_TOKEN_EQUAL ||
           kind == HCRI_TOKEN_NOT_EQUAL || kind == HCRI_TOKEN_LESS || kind == HCRI_TOKEN_GREATER;
}

/* What should have been a constraint. */
_Noreturn static void refuse_lone_sum(hcri_parser *p, const hcri_node *node) {
    if (p->token.kind == HCRI_TOKEN_ASSIGN)
        hcri_refuse(p->text, p->token.span, HCR_ERROR_SYNTAX,
                    "a single \"=\": write const %s = … for a fixed value, <= or >= for a constraint",
                    node->kind == HCRI_NODE_NAME ? hcri_text_excerpt(p->text, node->span).text : "name");
    if (hcri_parser_at_end(p) || p->token.kind == HCRI_TOKEN_FOR)
        hcri_refuse(p->text, node->span, HCR_ERROR_SYNTAX,
                    "this is no statement: a constraint has <=, >= or == in it, outside brackets");
    hcri_parser_refuse(p, "<= or >=");
}

hcri_node *hcri_parse_comparison(hcri_parser *p, int is_constraint) {
    node_list list = {0};
    hcri_token_kind *relations = NULL;
    size_t capacity = 0;
    for (;;) {
        append(p, &list, hcri_parse_sum(p));
        const hcri_token relation = p->token;
        if (is_constraint && (relation.kind == HCRI_TOKEN_LESS || relation.kind == HCRI_TOKEN_GREATER))
            hcri_refuse(p->text, relation.span, HCR_ERROR_SYNTAX,
                        "a strict inequality: write %s= (the frontier belongs to the region)",
                        hcri_token_spelling(relation.kind));
        if (is_constraint && relation.kind == HCRI_TOKEN_NOT_EQUAL)
            hcri_refuse(p->text, relation.span, HCR_ERROR_CONVEXITY,
                        "!= can't be a constraint: what it allows isn't convex");
        const int is_matrix_relation = relation.kind == HCRI_TOKEN_SUCCEEDS || relation.kind == HCRI_TOKEN_PRECEDES;
        if (!is_constraint && is_matrix_relation)
            hcri_refuse(p->text, relation.span, HCR_ERROR_SYNTAX,
                        "\"%s\" makes a constraint: conditions compare numbers", hcri_token_spelling(relation.kind));
        if (!is_relation(relation.kind) && !is_matrix_relation)
            break;
        relations = hcri_take_larger(p->text, relation.span, relations, &capacity, list.count - 1, sizeof *relations);
        relations[list.count - 1] = relation.kind;
        hcri_parser_advance(p);
    }
    if (list.count == 1 && is_constraint)
        refuse_lone_sum(p, list.node[0]);
    if (list.count == 1)
        return list.node[0];
    hcri_node *node =
        new_node(p, HCRI_NODE_COMPARISON, (hcri_span){list.node[0]->span.start, list.node[list.count - 1]->span.end},
                 list.count, list.node);
    node->relations = relations;
    return node;
}

hcri_node *hcri_parser_bounds(hcri_parser *p, hcri_span name, hcri_node *const range[2]) {
    static const hcri_token_kind both[] = {HCRI_TOKEN_LESS_EQUAL, HCRI_TOKEN_LESS_EQUAL};
    const hcri_span span = {name.start, range[1]->span.end};
    hcri_node *const side[3] = {range[0], new_node(p, HCRI_NODE_NAME, name, 0, NULL), range[1]};
    hcri_node *node = new_node(p, HCRI_NODE_COMPARISON, span, 3, side);
    node->relations = both;
    return node;
}

hcri_node *hcri_parse_psd(hcri_parser *p) {
    static const hcri_token_kind succeeds = HCRI_TOKEN_SUCCEEDS;
    const hcri_span word = p->token.span;
    hcri_parser_advance(p);
    const hcri_span open = p->token.span;
    hcri_parser_take(p, HCRI_TOKEN_OPEN, "\"(\" and a symmetric matrix, as in: psd([[1, y[0]], [y[0], 1]])");
    hcri_node *matrix = hcri_parse_sum(p);
    const hcri_span span = {word.start, p->token.span.end};
    hcri_parser_take_closing(p, HCRI_TOKEN_CLOSE, open);
    hcri_node *zero = new_node(p, HCRI_NODE_NUMBER, matrix->span, 0, NULL);
    hcri_node *node = new_pair(p, HCRI_NODE_COMPARISON, HCRI_TOKEN_SUCCEEDS, matrix, zero);
    node->relations = &succeeds;
    node->span = span;
    return node;
}

static hcri_node *parse_negation(hcri_parser *p) {
    const hcri_token token = p->token;
    if (token.kind != HCRI_TOKEN_NOT)
        return hcri_parse_comparison(p, 0);
    enter_bracket(p);
    hcri_node *operand = parse_negation(hcri_parser_advance(p));
    p->brackets--;
    return new_node(p, HCRI_NODE_NOT, (hcri_span){token.span.start, operand->span.end}, 1, &operand);
}

static hcri_node *parse_conjunction(hcri_parser *p) {
    hcri_node *node = parse_negation(p);
    while (p->token.kind == HCRI_TOKEN_AND)
        node = new_pair(p, HCRI_NODE_AND, HCRI_TOKEN_AND, node, parse_negation(hcri_parser_advance(p)));
    return node;
}

static hcri_node *parse_condition(hcri_parser *p) {
    hcri_node *node = parse_conjunction(p);
    while (p->token.kind == HCRI_TOKEN_OR)
        node = new_pair(p, HCRI_NODE_OR, HCRI_TOKEN_OR, node, parse_conjunction(hcri_parser_advance(p)));
    return node;
}

void hcri_parser_take_name(hcri_parser *p, hcri_span *name, const char *expected) {
    *name = p->token.span;
    if (p->token.kind >= HCRI_TOKEN_VAR && p->token.kind < HCRI_TOKEN_POWER)
        hcri_refuse(p->text, p->token.span, HCR_ERROR_NAME, "\"%s\" is a word of the language: take another name",
                    hcri_token_spelling(p->token.kind));
    hcri_parser_take(p, HCRI_TOKEN_NAME, expected);
}

void hcri_parse_clauses(hcri_parser *p, const hcri_clauses **clauses) {
    const hcri_clauses **end = clauses;
    *clauses = NULL;
    for (int count = 0; p->token.kind == HCRI_TOKEN_FOR || p->token.kind == HCRI_TOKEN_IF; count++) {
        if (count == MOST_CLAUSES)
            hcri_refuse(p->text, p->token.span, HCR_ERROR_SYNTAX, "nested more than %d deep", MOST_CLAUSES);
        const int is_loop = p->token.kind == HCRI_TOKEN_FOR;
        if (!is_loop && *clauses == NULL)
            hcri_refuse(p->text, p->token.span, HCR_ERROR_SYNTAX, "\"if\" comes after a \"for\"");
        hcri_clauses *clause = hcri_take(p->text, p->token.span, 1, sizeof *clause);
        hcri_parser_advance(p);
        clause->is_loop = is_loop;
        if (is_loop) {
            hcri_parser_take_name(p, &clause->name, "a name after \"for\"");
            hcri_parser_take(p, HCRI_TOKEN_IN, "\"in\", as in: for i in range(10)");
        }
        clause->expression = is_loop ? hcri_parse_sum(p) : parse_condition(p);
        *end = clause;
        end = &clause->next;
    }
}
