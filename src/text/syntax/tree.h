/* What the parser makes of a region text. */
#ifndef HCRI_TREE_H
#define HCRI_TREE_H

#include "text/syntax/lexer.h"

typedef struct hcri_function hcri_function;
typedef struct hcri_node hcri_node;
typedef struct hcri_clauses hcri_clauses;

typedef enum hcri_node_kind {
    HCRI_NODE_NUMBER,
    HCRI_NODE_NAME,
    HCRI_NODE_STRING,
    HCRI_NODE_LIST,          /* [child, child …] */
    HCRI_NODE_COMPREHENSION, /* [child for …] */
    HCRI_NODE_CALL,
    HCRI_NODE_INDEX,     /* child[0] subscripted by the others */
    HCRI_NODE_SLICE,     /* first : last : step, NULL where left out */
    HCRI_NODE_TRANSPOSE, /* child.T */
    HCRI_NODE_SIGN,      /* + or - child */
    HCRI_NODE_BINARY,
    HCRI_NODE_COMPARISON, /* child relation child relation child … */
    HCRI_NODE_AND,
    HCRI_NODE_OR,
    HCRI_NODE_NOT
} hcri_node_kind;

struct hcri_node {
    hcri_node_kind kind;
    hcri_span span;
    unsigned depth;           /* of the tree below */
    hcri_token_kind operator; /* SIGN, BINARY */
    double number;
    const hcri_function *function;
    const hcri_clauses *clauses;      /* COMPREHENSION */
    const hcri_token_kind *relations; /* COMPARISON: count − 1 */
    size_t count;
    hcri_node **child;
};

struct hcri_clauses { /* for name in expression, or if expression */
    int is_loop;
    hcri_span name;
    const hcri_node *expression;
    const hcri_clauses *next;
};

typedef enum hcri_statement_kind {
    HCRI_STATEMENT_VARIABLE,  /* one output; inner: its bounds, as constraints */
    HCRI_STATEMENT_PARAMETER, /* one parameter, with its range */
    HCRI_STATEMENT_CONSTANT,
    HCRI_STATEMENT_NAMED,      /* let */
    HCRI_STATEMENT_ORIGIN,     /* expression NULL: the word `name` */
    HCRI_STATEMENT_CONSTRAINT, /* a COMPARISON and its clauses */
    HCRI_STATEMENT_UNBOUNDED,
    HCRI_STATEMENT_UNION,  /* inner: its bodies */
    HCRI_STATEMENT_BODY,   /* inner: constraints */
    HCRI_STATEMENT_EXCEPT, /* inner: constraints; or the one of `except a <= b`, each round of which is cut out */
    HCRI_STATEMENT_STAR,   /* inner: constraints */
    HCRI_STATEMENT_SOFT    /* inner: constraints */
} hcri_statement_kind;

typedef struct hcri_statement hcri_statement;
struct hcri_statement {
    hcri_statement_kind kind;
    hcri_span span, name;
    const hcri_node *expression;
    const hcri_node *size[2]; /* VARIABLE, PARAMETER: of a vector the first, of a scalar NULL both */
    const hcri_node *labels;  /* the strings that name its rows; then the first size is NULL */
    hcri_node *range[2];      /* PARAMETER: its ends, NULL without a range; SOFT: weight and priority, likewise */
    const hcri_clauses *clauses;
    int one_line;          /* EXCEPT, without a block */
    hcri_statement *inner; /* of blocks, and the bounds of an output */
    hcri_statement *next;
};

#endif
