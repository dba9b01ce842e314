/* Grammars in EBNF (ISO/IEC 14977, as far as grammar.ebnf uses it): read, asked for random sentences, and asked whether
 * they derive a sequence of tokens. Independent of the parser that it is held against. */
#ifndef EBNF_H
#define EBNF_H

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"

#define EBNF_TOKENS 96

typedef enum ebnf_kind { EBNF_TERMINAL, EBNF_NAME, EBNF_SEQUENCE, EBNF_CHOICE, EBNF_OPTION, EBNF_REPEAT } ebnf_kind;
typedef struct ebnf_node ebnf_node;
struct ebnf_node {
    ebnf_kind kind;
    char text[32]; /* TERMINAL, NAME */
    int rule;      /* NAME: its number, -1 for a class of tokens */
    size_t count;
    ebnf_node *child[64];
};
typedef struct ebnf_rule {
    char name[32];
    ebnf_node *body;
} ebnf_rule;
typedef struct ebnf {
    size_t rules;
    ebnf_rule rule[64];
    size_t nodes;
    ebnf_node *node[1024];
    const char *at;
} ebnf;

static ebnf_node *ebnf_new(ebnf *g, ebnf_kind kind) {
    assert_true(g->nodes < 1024);
    ebnf_node *node = calloc(1, sizeof *node);
    assert_true(node != NULL);
    node->kind = kind;
    node->rule = -1;
    return g->node[g->nodes++] = node;
}

static void ebnf_skip(ebnf *g) {
    for (;;) {
        while (isspace((unsigned char)*g->at))
            g->at++;
        if (strncmp(g->at, "(*", 2) != 0)
            return;
        g->at = strstr(g->at, "*)") + 2;
    }
}

static ebnf_node *ebnf_choice(ebnf *g);

static ebnf_node *ebnf_item(ebnf *g) {
    ebnf_skip(g);
    const char open = *g->at;
    if (open == '[' || open == '{' || open == '(') {
        g->at++;
        ebnf_node *inner = ebnf_choice(g);
        ebnf_skip(g);
        assert_true(*g->at == (open == '[' ? ']' : open == '{' ? '}' : ')'));
        g->at++;
        if (open == '(')
            return inner;
        ebnf_node *node = ebnf_new(g, open == '[' ? EBNF_OPTION : EBNF_REPEAT);
        node->child[node->count++] = inner;
        return node;
    }
    ebnf_node *node = ebnf_new(g, open == '"' ? EBNF_TERMINAL : EBNF_NAME);
    size_t length = 0;
    g->at += open == '"';
    while (open == '"' ? *g->at != '"' : isalnum((unsigned char)*g->at) || *g->at == '_')
        node->text[length++] = *g->at++;
    g->at += open == '"';
    assert_true(length > 0 && length < sizeof node->text);
    return node;
}

static ebnf_node *ebnf_sequence(ebnf *g) {
    ebnf_node *node = ebnf_new(g, EBNF_SEQUENCE);
    for (;;) {
        ebnf_skip(g);
        if (*g->at == '\0' || strchr("|;])}", *g->at) != NULL)
            return node;
        assert_true(node->count < 64);
        node->child[node->count++] = ebnf_item(g);
    }
}

static ebnf_node *ebnf_choice(ebnf *g) {
    ebnf_node *node = ebnf_new(g, EBNF_CHOICE);
    for (;;) {
        assert_true(node->count < 64);
        node->child[node->count++] = ebnf_sequence(g);
        ebnf_skip(g);
        if (*g->at != '|')
            return node;
        g->at++;
    }
}

static int ebnf_find(const ebnf *g, const char *name) {
    for (size_t i = 0; i < g->rules; i++)
        if (strcmp(g->rule[i].name, name) == 0)
            return (int)i;
    return -1;
}

static void ebnf_read(ebnf *g, const char *text) {
    memset(g, 0, sizeof *g);
    g->at = text;
    for (ebnf_skip(g); *g->at != '\0'; ebnf_skip(g)) {
        ebnf_rule *rule = &g->rule[g->rules++];
        size_t length = 0;
        while (islower((unsigned char)*g->at))
            rule->name[length++] = *g->at++;
        ebnf_skip(g);
        assert_true(length > 0 && *g->at == '=');
        g->at++;
        rule->body = ebnf_choice(g);
        assert_true(*g->at == ';');
        g->at++;
    }
    for (size_t i = 0; i < g->nodes; i++)
        if (g->node[i]->kind == EBNF_NAME) {
            g->node[i]->rule = ebnf_find(g, g->node[i]->text);
            assert_true(g->node[i]->rule >= 0 || isupper((unsigned char)g->node[i]->text[0]));
        }
}

static void ebnf_release(ebnf *g) {
    for (size_t i = 0; i < g->nodes; i++)
        free(g->node[i]);
}

static int ebnf_has_terminal(const ebnf *g, const char *text) {
    for (size_t i = 0; i < g->nodes; i++)
        if (g->node[i]->kind == EBNF_TERMINAL && strcmp(g->node[i]->text, text) == 0)
            return 1;
    return 0;
}

/* A random sentence: `emit` gets terminals and classes one by one. The deeper, the shorter. */
static void ebnf_generate(const ebnf *g, const ebnf_node *node, hcri_random *random, int depth,
                          void (*emit)(void *context, const ebnf_node *node), void *context) {
    switch (node->kind) {
    case EBNF_TERMINAL: emit(context, node); break;
    case EBNF_NAME:
        if (node->rule < 0)
            emit(context, node);
        else
            ebnf_generate(g, g->rule[node->rule].body, random, depth + 1, emit, context);
        break;
    case EBNF_SEQUENCE:
        for (size_t i = 0; i < node->count; i++)
            ebnf_generate(g, node->child[i], random, depth, emit, context);
        break;
    case EBNF_CHOICE: /* deep down the alternatives that come first: they are the short ones for `primary` */
        ebnf_generate(g, node->child[hcri_random_below(random, depth > 24 && node->count > 3 ? 3 : node->count)],
                      random, depth, emit, context);
        break;
    case EBNF_OPTION:
    case EBNF_REPEAT:
        while (hcri_random_below(random, (size_t)(depth > 24 ? 40 : depth > 12 ? 8 : 3)) == 0) {
            ebnf_generate(g, node->child[0], random, depth, emit, context);
            if (node->kind == EBNF_OPTION)
                break;
        }
        break;
    }
}

/* Which ends a part of the grammar can have when it starts at each token; rules are remembered. */
typedef struct ebnf_ends {
    unsigned char end[EBNF_TOKENS + 1];
} ebnf_ends;
typedef struct ebnf_recogniser {
    const ebnf *grammar;
    size_t tokens;
    int (*matches)(void *context, size_t token, const ebnf_node *node);
    void *context;
    unsigned char known[64][EBNF_TOKENS + 1];
    ebnf_ends memory[64][EBNF_TOKENS + 1];
} ebnf_recogniser;

static ebnf_ends ebnf_derive(ebnf_recogniser *r, const ebnf_node *node, size_t at) {
    ebnf_ends ends = {{0}};
    switch (node->kind) {
    case EBNF_TERMINAL:
        ends.end[at + 1 <= r->tokens ? at + 1 : 0] = at < r->tokens && r->matches(r->context, at, node);
        break;
    case EBNF_NAME:
        if (node->rule < 0) {
            ends.end[at + 1 <= r->tokens ? at + 1 : 0] = at < r->tokens && r->matches(r->context, at, node);
        } else if (r->known[node->rule][at]) {
            ends = r->memory[node->rule][at];
        } else {
            ends = ebnf_derive(r, r->grammar->rule[node->rule].body, at);
            r->known[node->rule][at] = 1;
            r->memory[node->rule][at] = ends;
        }
        break;
    case EBNF_SEQUENCE:
        ends.end[at] = 1;
        for (size_t i = 0; i < node->count; i++) {
            ebnf_ends next = {{0}};
            for (size_t k = at; k <= r->tokens; k++)
                if (ends.end[k]) {
                    const ebnf_ends own = ebnf_derive(r, node->child[i], k);
                    for (size_t e = k; e <= r->tokens; e++)
                        next.end[e] |= own.end[e];
                }
            ends = next;
        }
        break;
    case EBNF_CHOICE:
        for (size_t i = 0; i < node->count; i++) {
            const ebnf_ends own = ebnf_derive(r, node->child[i], at);
            for (size_t e = at; e <= r->tokens; e++)
                ends.end[e] |= own.end[e];
        }
        break;
    case EBNF_OPTION:
    case EBNF_REPEAT:
        ends.end[at] = 1;
        for (size_t k = at; k <= r->tokens; k++)
            if (ends.end[k] && (node->kind == EBNF_REPEAT || k == at)) {
                const ebnf_ends own = ebnf_derive(r, node->child[0], k);
                for (size_t e = k + 1; e <= r->tokens; e++)
                    ends.end[e] |= own.end[e];
            }
        break;
    }
    return ends;
}

static int ebnf_accepts(ebnf_recogniser *r) {
    memset(r->known, 0, sizeof r->known);
    return ebnf_derive(r, r->grammar->rule[0].body, 0).end[r->tokens];
}

#endif
