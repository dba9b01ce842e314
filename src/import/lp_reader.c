/* LP files, as CPLEX, Gurobi and HiGHS have them. */
#include <math.h>
#include <string.h>

#include "formats/column_names.h"
#include "import/lp_lexer.h"
#include "import/problem.h"
#include "kinds/kind.h"

typedef struct parser {
    hcr_import *import;
    hcr_error *error;
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

#define REFUSE(p, status, ...) HCRI_REFUSE((p)->import, (p)->error, status, (p)->token.line, __VA_ARGS__)

static hcr_status advance(parser *p) { return hcri_lp_next(&p->lexer, &p->token, p->error); }

static const char *show_token(const parser *p, char shown[HCRI_SHOWN]) {
    return p->token.kind == HCRI_LP_END ? "the end of the file" : hcri_show(shown, p->token.text, p->token.length);
}

static hcr_status find_column(parser *p, int may_be_new, size_t *column) {
    const hcri_lp_token *t = &p->token;
    *column = hcri_index_find(&p->import->column_names, t->text, t->length);
    if (*column != SIZE_MAX)
        return HCR_OK;
    char shown[HCRI_SHOWN];
    if (!may_be_new)
        return REFUSE(p, HCR_ERROR_NAME, "there is no column \"%s\" before this", hcri_show(shown, t->text, t->length));
    return hcri_import_add_column(p->import, t->text, t->length, column, p->error);
}

/* -------------------------------------------------------------------------------------------------- the objective */

/* Its columns are columns, the rest of it isn't read. */
static hcr_status skip_objective(parser *p) {
    while (p->token.kind != HCRI_LP_SECTION && p->token.kind != HCRI_LP_END) {
        size_t column;
        if (p->token.kind == HCRI_LP_SENSE)
            return REFUSE(p, HCR_ERROR_SYNTAX, "an objective has no \"%.*s\": is \"Subject To\" missing?",
                          (int)p->token.length, p->token.text);
        if (p->token.kind == HCRI_LP_NAME)
            HCRI_TRY(find_column(p, 1, &column));
        HCRI_TRY(advance(p));
    }
    return HCR_OK;
}

/* ---------------------------------------------------------------------------------------------------- constraints */

static hcr_status add_constant(parser *p, total *sum, double value) {
    /* A second constant may round; files have none, so none is taken. */
    if (sum->has_constant)
        return REFUSE(p, HCR_ERROR_SYNTAX, "a second constant in a sum: add the two up");
    sum->has_constant = 1;
    sum->constant = value;
    return HCR_OK;
}

/* One signed term: a number, a column, or both. */
static hcr_status read_term(parser *p, size_t form, total *sum) {
    double factor = 1;
    char shown[HCRI_SHOWN];
    while (p->token.kind == HCRI_LP_PLUS || p->token.kind == HCRI_LP_MINUS) {
        factor = p->token.kind == HCRI_LP_MINUS ? -factor : factor;
        HCRI_TRY(advance(p));
    }
    const int has_number = p->token.kind == HCRI_LP_NUMBER;
    if (has_number) {
        factor *= p->token.number;
        HCRI_TRY(advance(p));
        if (p->token.kind == HCRI_LP_OTHER && p->token.text[0] == '*') {
            HCRI_TRY(advance(p));
            if (p->token.kind != HCRI_LP_NAME)
                return REFUSE(p, HCR_ERROR_SYNTAX, "a column was expected after *, not \"%s\"", show_token(p, shown));
        }
    }
    if (p->token.kind == HCRI_LP_OTHER && p->token.text[0] == '[')
        return REFUSE(p, HCR_ERROR_UNSUPPORTED, "quadratic constraints aren't read");
    if (p->token.kind != HCRI_LP_NAME) {
        if (!has_number)
            return REFUSE(p, HCR_ERROR_SYNTAX, "a number or a column was expected, not \"%s\"", show_token(p, shown));
        return add_constant(p, sum, factor);
    }
    if (fabs(factor) > HCRI_LARGEST_COEFFICIENT)
        return REFUSE(p, HCR_ERROR_DATA, "the coefficient of \"%s\" is %g: at most 1e50 is accepted",
                      hcri_show(shown, p->token.text, p->token.length), factor);
    size_t column;
    HCRI_TRY(find_column(p, 1, &column));
    HCRI_TRY(hcri_import_add_term(p->import, form, column, factor, p->token.line, p->error));
    sum->terms++;
    HCRI_TRY(advance(p));
    return p->token.kind == HCRI_LP_OTHER && (p->token.text[0] == '^' || p->token.text[0] == '*')
               ? REFUSE(p, HCR_ERROR_UNSUPPORTED, "quadratic constraints aren't read")
               : HCR_OK;
}

static hcr_status read_sum(parser *p, size_t form, total *sum) {
    *sum = (total){0};
    do {
        HCRI_TRY(read_term(p, form, sum));
    } while (p->token.kind == HCRI_LP_PLUS || p->token.kind == HCRI_LP_MINUS);
    return HCR_OK;
}

/* A number with its signs. */
static hcr_status read_value(parser *p, double *value) {
    double sign = 1;
    char shown[HCRI_SHOWN];
    while (p->token.kind == HCRI_LP_PLUS || p->token.kind == HCRI_LP_MINUS) {
        sign = p->token.kind == HCRI_LP_MINUS ? -sign : sign;
        HCRI_TRY(advance(p));
    }
    if (p->token.kind != HCRI_LP_NUMBER)
        return REFUSE(p, HCR_ERROR_SYNTAX, "a number was expected, not \"%s\": columns stand on the other side",
                      show_token(p, shown));
    *value = sign * p->token.number;
    return advance(p);
}

/* `form sense value` narrows lower and upper, which bound the form without the constant of its sum. */
static hcr_status narrow(parser *p, char sense, double value, double constant, double *lower, double *upper) {
    if (isinf(value) && sense == '=')
        return REFUSE(p, HCR_ERROR_EMPTY, "no number equals infinity");
    if (sense == '=')
        *lower = *upper = value - constant; /* of an equality there is no inside */
    if (sense == '>')
        *lower = hcri_lower_sum(value, -constant);
    if (sense == '<')
        *upper = hcri_upper_sum(value, -constant);
    return HCR_OK;
}

static char turned(char sense) { return sense == '<' ? '>' : sense == '>' ? '<' : '='; }

static hcr_status read_sense(parser *p, char *sense) {
    char shown[HCRI_SHOWN];
    if (p->token.kind != HCRI_LP_SENSE)
        return REFUSE(p, HCR_ERROR_SYNTAX, "<=, = or >= was expected, not \"%s\"", show_token(p, shown));
    *sense = p->token.sense;
    return advance(p);
}

static hcr_status keep_label(parser *p) {
    char shown[HCRI_SHOWN];
    const hcri_lp_token *label = &p->token;
    const size_t line = hcri_index_find(&p->labels, label->text, label->length);
    if (line != SIZE_MAX)
        return REFUSE(p, HCR_ERROR_NAME, "row \"%s\" is there already, in line %zu",
                      hcri_show(shown, label->text, label->length), line);
    return hcri_index_add(&p->labels, &p->import->allocator, label->text, label->length, (size_t)label->line)
               ? HCR_OK
               : hcri_fail_memory(p->error);
}

/* [label:] sum sense number, number sense sum, number sense sum sense number; label: sense number, of no columns. */
static hcr_status read_constraint(parser *p) {
    hcri_lp_token label = {.text = "", .line = p->token.line};
    if (p->token.kind == HCRI_LP_LABEL) {
        label = p->token;
        HCRI_TRY(keep_label(p));
        HCRI_TRY(advance(p));
    }
    hcri_relation row = {
        .kind = HCRI_RELATION_ROW, .forms = 1, .lower = -INFINITY, .upper = INFINITY, .line = label.line};
    HCRI_TRY(hcri_import_add_form(p->import, &row.first, p->error));
    total left = {0}, right;
    char sense = '=', second = '=';
    double value = 0;
    const int is_empty = label.length > 0 && p->token.kind == HCRI_LP_SENSE; /* as PuLP writes a sum of nothing */
    if (!is_empty)
        HCRI_TRY(read_sum(p, row.first, &left));
    HCRI_TRY(read_sense(p, &sense));
    if (left.terms > 0 || is_empty) {
        HCRI_TRY(read_value(p, &value));
        HCRI_TRY(narrow(p, sense, value, left.constant, &row.lower, &row.upper));
        if (p->token.kind == HCRI_LP_MINUS && p->lexer.at < p->lexer.end && *p->lexer.at == '>')
            return REFUSE(p, HCR_ERROR_UNSUPPORTED, "indicator constraints aren't read");
    } else {
        HCRI_TRY(read_sum(p, row.first, &right));
        HCRI_TRY(narrow(p, turned(sense), left.constant, right.constant, &row.lower, &row.upper));
        if (p->token.kind == HCRI_LP_SENSE) {
            HCRI_TRY(read_sense(p, &second));
            if (second != sense || sense == '=')
                return REFUSE(p, HCR_ERROR_SYNTAX, "a range has <= twice, or >= twice");
            HCRI_TRY(read_value(p, &value));
            HCRI_TRY(narrow(p, sense, value, right.constant, &row.lower, &row.upper));
        }
    }
    return hcri_import_add_relation(p->import, &row, label.text, label.length, p->error);
}

/* --------------------------------------------------------------------------------------------------------- bounds */

static hcr_status set_bound(parser *p, size_t column, char sense, double value, int line) {
    return hcri_import_bound(p->import, column, sense != '<' ? &value : NULL, sense != '>' ? &value : NULL, line,
                             p->error);
}

/* [number sense] column [sense number], or column free. */
static hcr_status read_bound(parser *p) {
    const int line = p->token.line;
    const int has_left = p->token.kind != HCRI_LP_NAME;
    char sense = '<', shown[HCRI_SHOWN];
    double value = 0;
    size_t column;
    if (has_left) {
        HCRI_TRY(read_value(p, &value));
        HCRI_TRY(read_sense(p, &sense));
        if (p->token.kind != HCRI_LP_NAME)
            return REFUSE(p, HCR_ERROR_SYNTAX, "a column was expected, not \"%s\"", show_token(p, shown));
    }
    HCRI_TRY(find_column(p, 1, &column));
    if (has_left)
        HCRI_TRY(set_bound(p, column, turned(sense), value, line));
    HCRI_TRY(advance(p));
    if (p->token.kind == HCRI_LP_SENSE) {
        HCRI_TRY(read_sense(p, &sense));
        HCRI_TRY(read_value(p, &value));
        return set_bound(p, column, sense, value, line);
    }
    if (has_left)
        return HCR_OK;
    if (p->token.kind != HCRI_LP_NAME || p->token.length != 4 || (p->token.text[0] | 0x20) != 'f' ||
        (p->token.text[1] | 0x20) != 'r' || (p->token.text[2] | 0x20) != 'e' || (p->token.text[3] | 0x20) != 'e')
        return REFUSE(p, HCR_ERROR_SYNTAX, "<=, =, >= or \"free\" was expected, not \"%s\"", show_token(p, shown));
    const double lower = -INFINITY, upper = INFINITY;
    HCRI_TRY(hcri_import_bound(p->import, column, &lower, &upper, line, p->error));
    return advance(p);
}

static hcr_status read_member(parser *p, hcri_lp_section section) {
    char shown[HCRI_SHOWN];
    size_t number;
    if (p->token.kind != HCRI_LP_NAME)
        return REFUSE(p, HCR_ERROR_SYNTAX, "a column was expected, not \"%s\"", show_token(p, shown));
    HCRI_TRY(find_column(p, 0, &number));
    hcri_column *column = &p->import->column[number];
    if (section == HCRI_LP_SEMICONTINUOUS)
        column->semicontinuous = 1;
    else
        column->integer = 1;
    if (section == HCRI_LP_BINARIES) {
        column->lower = fmax(column->lower, 0);
        column->upper = fmin(column->upper, 1);
        column->upper_line = column->upper_line == 0 ? p->token.line : column->upper_line;
    }
    return advance(p);
}

/* ------------------------------------------------------------------------------------------------------- the file */

static hcr_status read_section(parser *p, hcri_lp_section section) {
    hcr_status status = HCR_OK;
    while (status == HCR_OK && p->token.kind != HCRI_LP_SECTION && p->token.kind != HCRI_LP_END) {
        switch (section) {
        case HCRI_LP_OBJECTIVE: status = skip_objective(p); break;
        case HCRI_LP_CONSTRAINTS: status = read_constraint(p); break;
        case HCRI_LP_BOUNDS: status = read_bound(p); break;
        case HCRI_LP_INTEGERS:
        case HCRI_LP_BINARIES:
        case HCRI_LP_SEMICONTINUOUS: status = read_member(p, section); break;
        default: status = advance(p); break; /* left out */
        }
    }
    return status;
}

static hcr_status read_all(parser *p) {
    char shown[HCRI_SHOWN];
    HCRI_TRY(advance(p));
    if (p->token.kind != HCRI_LP_SECTION)
        return REFUSE(p, HCR_ERROR_SYNTAX, "\"Minimize\" or \"Maximize\" was expected, not \"%s\"",
                      show_token(p, shown));
    for (;;) {
        if (p->token.kind == HCRI_LP_END)
            return REFUSE(p, HCR_ERROR_FORMAT, "the file ends without \"End\": it is cut short");
        const hcri_lp_section section = p->token.section;
        if (section == HCRI_LP_REFUSED)
            return REFUSE(p, HCR_ERROR_UNSUPPORTED,
                          "the section \"%s\" isn't read: only linear constraints and bounds "
                          "are",
                          show_token(p, shown));
        if (section == HCRI_LP_LAST)
            return HCR_OK;
        if (section == HCRI_LP_OBJECTIVE)
            HCRI_TRY(hcri_import_note(p->import, p->error, "the objective is ignored"));
        if (section == HCRI_LP_SETS && !p->has_sets) {
            p->has_sets = 1;
            HCRI_TRY(hcri_import_note(p->import, p->error, "special ordered sets are ignored"));
        }
        HCRI_TRY(advance(p));
        HCRI_TRY(read_section(p, section));
    }
}

hcr_status hcri_lp_read(hcr_import *import, const char *text, size_t size, hcr_error *error) {
    parser p = {.import = import,
                .error = error,
                .lexer = {.import = import, .at = text, .end = text + size, .line = 1, .at_line_start = 1}};
    const hcr_status status = read_all(&p);
    hcri_index_release(&p.labels, &import->allocator);
    return status;
}
