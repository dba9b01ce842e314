/* LP files, as CPLEX, Gurobi and HiGHS have them. */
#include <math.h>

#include "import/lp_lexer.h"
#include "kinds/kind.h"

typedef struct parser {
    hcr_import *import;
    hcri_lp_lexer lexer;
    hcri_lp_token token; /* the next one */
    hcri_index labels;   /* to their lines */
    int has_sets;
} parser;

typedef struct total { /* what a form was given */
    size_t terms;
    double constant;
    int has_constant;
} total;

#define REFUSE(p, status, ...) hcri_import_refuse((p)->import, status, (p)->token.line, __VA_ARGS__)

static void advance(parser *p) { hcri_lp_next(&p->lexer, &p->token); }

static hcri_shown show_token(const parser *p) {
    return p->token.kind == HCRI_LP_END ? hcri_show_name("the end of the file") : hcri_show_field(p->token.word);
}

static size_t find_column(parser *p, int may_be_new) {
    const hcri_lp_token *t = &p->token;
    const size_t column = hcri_index_find(&p->import->column_names, t->word.text, t->word.length);
    if (column == SIZE_MAX && !may_be_new)
        REFUSE(p, HCR_ERROR_NAME, "there is no column \"%s\" before this", hcri_show_field(t->word).text);
    return column == SIZE_MAX ? hcri_import_add_column(p->import, t->word) : column;
}

/* -------------------------------------------------------------------------------------------------- the objective */

/* Its columns are columns, the rest of it isn't read. */
static void skip_objective(parser *p) {
    while (p->token.kind != HCRI_LP_SECTION && p->token.kind != HCRI_LP_END) {
        if (p->token.kind == HCRI_LP_SENSE)
            REFUSE(p, HCR_ERROR_SYNTAX, "an objective has no \"%.*s\": is \"Subject To\" missing?",
                   (int)p->token.word.length, p->token.word.text);
        if (p->token.kind == HCRI_LP_NAME)
            find_column(p, 1);
        advance(p);
    }
}

/* ---------------------------------------------------------------------------------------------------- constraints */

static void add_constant(parser *p, total *sum, double value) {
    /* A second constant may round; files have none, so none is taken. */
    if (sum->has_constant)
        REFUSE(p, HCR_ERROR_SYNTAX, "a second constant in a sum: add the two up");
    sum->has_constant = 1;
    sum->constant = value;
}

/* 1 or -1. */
static double read_signs(parser *p) {
    double sign = 1;
    for (; p->token.kind == HCRI_LP_PLUS || p->token.kind == HCRI_LP_MINUS; advance(p))
        sign = p->token.kind == HCRI_LP_MINUS ? -sign : sign;
    return sign;
}

/* One signed term: a number, a column, or both. */
static void read_term(parser *p, size_t form, total *sum) {
    double factor = read_signs(p);
    const int has_number = p->token.kind == HCRI_LP_NUMBER;
    if (has_number) {
        factor *= p->token.number;
        advance(p);
        if (p->token.kind == HCRI_LP_OTHER && p->token.word.text[0] == '*') {
            advance(p);
            if (p->token.kind != HCRI_LP_NAME)
                REFUSE(p, HCR_ERROR_SYNTAX, "a column was expected after *, not \"%s\"", show_token(p).text);
        }
    }
    if (p->token.kind == HCRI_LP_OTHER && p->token.word.text[0] == '[')
        REFUSE(p, HCR_ERROR_UNSUPPORTED, "quadratic constraints aren't read");
    if (p->token.kind != HCRI_LP_NAME) {
        if (!has_number)
            REFUSE(p, HCR_ERROR_SYNTAX, "a number or a column was expected, not \"%s\"", show_token(p).text);
        add_constant(p, sum, factor);
        return;
    }
    if (fabs(factor) > HCRI_LARGEST_COEFFICIENT)
        REFUSE(p, HCR_ERROR_DATA, "the coefficient of \"%s\" is %g: at most 1e50 is accepted",
               hcri_show_field(p->token.word).text, factor);
    hcri_import_add_term(p->import, form, find_column(p, 1), factor, p->token.line);
    sum->terms++;
    advance(p);
    if (p->token.kind == HCRI_LP_OTHER && (p->token.word.text[0] == '^' || p->token.word.text[0] == '*'))
        REFUSE(p, HCR_ERROR_UNSUPPORTED, "quadratic constraints aren't read");
}

static total read_sum(parser *p, size_t form) {
    total sum = {0};
    do {
        read_term(p, form, &sum);
    } while (p->token.kind == HCRI_LP_PLUS || p->token.kind == HCRI_LP_MINUS);
    return sum;
}

/* A number with its signs. */
static double read_value(parser *p) {
    const double sign = read_signs(p);
    if (p->token.kind != HCRI_LP_NUMBER)
        REFUSE(p, HCR_ERROR_SYNTAX, "a number was expected, not \"%s\": columns stand on the other side",
               show_token(p).text);
    const double value = sign * p->token.number;
    advance(p);
    return value;
}

/* `form sense value` narrows lower and upper, which bound the form without the constant of its sum. */
static void narrow(parser *p, char sense, double value, double constant, double *lower, double *upper) {
    if (isinf(value) && sense == '=')
        REFUSE(p, HCR_ERROR_EMPTY, "no number equals infinity");
    if (sense == '=')
        *lower = *upper = value - constant; /* of an equality there is no inside */
    if (sense == '>')
        *lower = hcri_lower_sum(value, -constant);
    if (sense == '<')
        *upper = hcri_upper_sum(value, -constant);
}

static char turned(char sense) { return sense == '<' ? '>' : sense == '>' ? '<' : '='; }

static char read_sense(parser *p) {
    if (p->token.kind != HCRI_LP_SENSE)
        REFUSE(p, HCR_ERROR_SYNTAX, "<=, = or >= was expected, not \"%s\"", show_token(p).text);
    const char sense = p->token.sense;
    advance(p);
    return sense;
}

static void keep_label(parser *p) {
    const hcri_lp_token *label = &p->token;
    const size_t line = hcri_index_find(&p->labels, label->word.text, label->word.length);
    if (line != SIZE_MAX)
        REFUSE(p, HCR_ERROR_NAME, "row \"%s\" is there already, in line %zu", hcri_show_field(label->word).text, line);
    hcri_import_index(p->import, &p->labels, label->word, (size_t)label->line);
}

/* [label:] sum sense number, number sense sum, number sense sum sense number; label: sense number, of no columns. */
static void read_constraint(parser *p) {
    hcri_lp_token label = {.word.text = "", .line = p->token.line};
    if (p->token.kind == HCRI_LP_LABEL) {
        label = p->token;
        keep_label(p);
        advance(p);
    }
    hcri_relation row = {
        .kind = HCRI_RELATION_ROW, .forms = 1, .lower = -INFINITY, .upper = INFINITY, .line = label.line};
    row.first = hcri_import_add_form(p->import);
    total left = {0};
    const int is_empty = label.word.length > 0 && p->token.kind == HCRI_LP_SENSE; /* as PuLP writes a sum of nothing */
    if (!is_empty)
        left = read_sum(p, row.first);
    const char sense = read_sense(p);
    if (left.terms > 0 || is_empty) {
        narrow(p, sense, read_value(p), left.constant, &row.lower, &row.upper);
        if (p->token.kind == HCRI_LP_MINUS && p->lexer.at < p->lexer.end && *p->lexer.at == '>')
            REFUSE(p, HCR_ERROR_UNSUPPORTED, "indicator constraints aren't read");
    } else {
        const total right = read_sum(p, row.first);
        narrow(p, turned(sense), left.constant, right.constant, &row.lower, &row.upper);
        if (p->token.kind == HCRI_LP_SENSE) {
            if (read_sense(p) != sense || sense == '=')
                REFUSE(p, HCR_ERROR_SYNTAX, "a range has <= twice, or >= twice");
            narrow(p, sense, read_value(p), right.constant, &row.lower, &row.upper);
        }
    }
    row.name = hcri_import_copy(p->import, label.word);
    hcri_import_add_relation(p->import, &row);
}

/* --------------------------------------------------------------------------------------------------------- bounds */

static void set_bound(parser *p, size_t column, char sense, double value, int line) {
    hcri_import_bound(p->import, column, sense != '<' ? &value : NULL, sense != '>' ? &value : NULL, line);
}

/* [number sense] column [sense number], or column free. */
static void read_bound(parser *p) {
    const int line = p->token.line;
    const int has_left = p->token.kind != HCRI_LP_NAME;
    char sense = '<';
    double value = 0;
    if (has_left) {
        value = read_value(p);
        sense = read_sense(p);
        if (p->token.kind != HCRI_LP_NAME)
            REFUSE(p, HCR_ERROR_SYNTAX, "a column was expected, not \"%s\"", show_token(p).text);
    }
    const size_t column = find_column(p, 1);
    if (has_left)
        set_bound(p, column, turned(sense), value, line);
    advance(p);
    if (p->token.kind == HCRI_LP_SENSE) {
        sense = read_sense(p);
        set_bound(p, column, sense, read_value(p), line);
    } else if (!has_left) {
        if (p->token.kind != HCRI_LP_NAME || !hcri_field_is(p->token.word, "FREE"))
            REFUSE(p, HCR_ERROR_SYNTAX, "<=, =, >= or \"free\" was expected, not \"%s\"", show_token(p).text);
        const double lower = -INFINITY, upper = INFINITY;
        hcri_import_bound(p->import, column, &lower, &upper, line);
        advance(p);
    }
}

static void read_member(parser *p, hcri_lp_section section) {
    if (p->token.kind != HCRI_LP_NAME)
        REFUSE(p, HCR_ERROR_SYNTAX, "a column was expected, not \"%s\"", show_token(p).text);
    hcri_column *column = &p->import->column[find_column(p, 0)];
    if (section == HCRI_LP_SEMICONTINUOUS)
        column->semicontinuous = 1;
    else
        column->integer = 1;
    if (section == HCRI_LP_BINARIES) {
        column->lower = fmax(column->lower, 0);
        column->upper = fmin(column->upper, 1);
        column->upper_line = column->upper_line == 0 ? p->token.line : column->upper_line;
    }
    advance(p);
}

/* ------------------------------------------------------------------------------------------------------- the file */

static void read_section(parser *p, hcri_lp_section section) {
    while (p->token.kind != HCRI_LP_SECTION && p->token.kind != HCRI_LP_END) {
        switch (section) {
        case HCRI_LP_OBJECTIVE: skip_objective(p); break;
        case HCRI_LP_CONSTRAINTS: read_constraint(p); break;
        case HCRI_LP_BOUNDS: read_bound(p); break;
        case HCRI_LP_INTEGERS:
        case HCRI_LP_BINARIES:
        case HCRI_LP_SEMICONTINUOUS: read_member(p, section); break;
        default: advance(p); break; /* left out */
        }
    }
}

static void read_all(parser *p) {
    advance(p);
    if (p->token.kind != HCRI_LP_SECTION)
        REFUSE(p, HCR_ERROR_SYNTAX, "\"Minimize\" or \"Maximize\" was expected, not \"%s\"", show_token(p).text);
    for (;;) {
        if (p->token.kind == HCRI_LP_END)
            REFUSE(p, HCR_ERROR_FORMAT, "the file ends without \"End\": it is cut short");
        const hcri_lp_section section = p->token.section;
        if (section == HCRI_LP_REFUSED)
            REFUSE(p, HCR_ERROR_UNSUPPORTED, "the section \"%s\" isn't read: only linear constraints and bounds are",
                   show_token(p).text);
        if (section == HCRI_LP_LAST)
            return;
        if (section == HCRI_LP_OBJECTIVE)
            hcri_import_note(p->import, "the objective is ignored");
        if (section == HCRI_LP_SETS && !p->has_sets) {
            p->has_sets = 1;
            hcri_import_note(p->import, "special ordered sets are ignored");
        }
        advance(p);
        read_section(p, section);
    }
}

void hcri_lp_read(hcr_import *import, const char *text, size_t size) {
    parser p = {.import = import,
                .lexer = {.import = import, .at = text, .end = text + size, .line = 1, .at_line_start = 1}};
    read_all(&p);
}
