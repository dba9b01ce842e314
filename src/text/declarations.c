/* Outputs, parameters, constants and the origin of a region text. */
#include <string.h>

#include "text/compilation.h"
#include "text/values/subscripts.h"

/* Bytes of a source line that are kept with its constraints. */
#define LONGEST_SHOWN 200

void hcri_place_statement(hcri_compilation *c, const hcri_statement *statement) {
    int line, column;
    hcri_text_place(&c->text, statement->span.start, &line, &column);
    const hcri_span shown = hcri_text_line(&c->text, statement->span.start);
    size_t length = shown.end - shown.start;
    if (length > LONGEST_SHOWN)
        for (length = LONGEST_SHOWN; length > 0 && ((unsigned char)c->text.bytes[shown.start + length] & 0xC0) == 0x80;)
            length--;
    const hcri_arena mark = c->text.arena;
    char *copy = hcri_take(&c->text, statement->span, length + 1, 1);
    memcpy(copy, c->text.bytes + shown.start, length);
    hcri_lowering_accept(
        &c->lowering, statement->span,
        hcr_builder_set_source(c->lowering.builder, c->text.file, line, column, copy, &c->lowering.reason));
    hcri_arena_rewind(&c->text.arena, &mark);
    c->statement = statement;
    c->lowering.statement = statement->span;
    c->lowering.row = 0;
}

/* ------------------------------------------------------------------------------------------ outputs and parameters */

/* The columns of the parameters follow the outputs: those known already move when an output is declared. */
static void place_parameters(hcri_compilation *c) {
    size_t first = c->text.outputs;
    for (size_t i = 0; i < c->scope.count; i++) {
        hcri_name *name = &c->scope.name[i];
        if (name->kind != HCRI_NAME_PARAMETER)
            continue;
        name->value = hcri_value_columns(&c->text, name->span, name->value->shape, first);
        first += name->value->size;
    }
}

static hcri_shape read_shape(hcri_compilation *c, const hcri_statement *statement) {
    const hcri_node *size = statement->expression;
    if (size == NULL)
        return hcri_scalar_shape();
    return hcri_vector_shape((size_t)hcri_whole_number(&c->text, size->span, hcri_evaluate(&c->scope, size),
                                                       "the size of a vector", 1, HCRI_TEXT_SIZE));
}

/* The name of an output or a parameter, with its columns from `first` on. */
static void declare(hcri_compilation *c, const hcri_statement *statement, hcri_name_kind kind, hcri_shape shape,
                    size_t first) {
    if (c->has_constraints || c->has_origin)
        hcri_refuse(&c->text, statement->name, HCR_ERROR_NAME,
                    "%s are declared before the first constraint and the origin",
                    kind == HCRI_NAME_OUTPUT ? "outputs" : "parameters");
    hcri_scope_add(&c->scope, kind, statement->name, hcri_value_columns(&c->text, statement->name, shape, first));
}

void hcri_declare_output(hcri_compilation *c, const hcri_statement *statement) {
    const hcri_shape shape = read_shape(c, statement);
    declare(c, statement, HCRI_NAME_OUTPUT, shape, c->text.outputs);
    c->text.outputs += shape.dim[0];
    hcri_lowering_accept(&c->lowering, statement->name,
                         hcr_builder_add_variable(c->lowering.builder, c->scope.name[c->scope.count - 1].name,
                                                  shape.dim[0], shape.rank == 0, &c->lowering.reason));
    place_parameters(c);
}

/* One end of a range for each element. */
static const double *range_end(hcri_compilation *c, const hcri_node *node, hcri_shape shape) {
    const hcri_value *value = hcri_evaluate(&c->scope, node);
    if (!hcri_value_is_constant(value) || (value->shape.rank != 0 && !hcri_shape_equal(value->shape, shape)))
        hcri_refuse(&c->text, node->span, HCR_ERROR_SHAPE, "an end of the range of %s is a constant number%s, not %s%s",
                    hcri_shape_describe(shape).text, shape.rank == 0 ? "" : ", or as many numbers",
                    hcri_shape_describe(value->shape).text, hcri_value_dependence(&c->text, value));
    double *end = hcri_take(&c->text, node->span, shape.dim[0], sizeof *end);
    for (size_t k = 0; k < shape.dim[0]; k++)
        end[k] = value->constant[value->shape.rank == 0 ? 0 : k];
    return end;
}

/* Several parameters of one line come from one place. */
static void place_parameter(hcri_compilation *c, const hcri_statement *statement) {
    int line, column;
    hcri_text_place(&c->text, statement->span.start, &line, &column);
    const hcr_builder *builder = c->lowering.builder;
    if (builder->set.place[builder->place].line != line)
        hcri_place_statement(c, statement);
}

void hcri_declare_parameter(hcri_compilation *c, const hcri_statement *statement) {
    const hcri_shape shape = read_shape(c, statement);
    const int is_open = statement->range[0] == NULL;
    const double *lower = is_open ? NULL : range_end(c, statement->range[0], shape);
    const double *upper = is_open ? NULL : range_end(c, statement->range[1], shape);
    declare(c, statement, HCRI_NAME_PARAMETER, shape, c->text.outputs + c->text.parameters);
    place_parameter(c, statement);
    c->text.parameters += shape.dim[0];
    c->text.unproved = ""; /* regions with parameters have no star blocks */
    hcri_lowering_accept(&c->lowering,
                         is_open ? statement->name
                                 : (hcri_span){statement->range[0]->span.start, statement->range[1]->span.end},
                         hcr_builder_add_parameter(c->lowering.builder, c->scope.name[c->scope.count - 1].name,
                                                   shape.dim[0], shape.rank == 0, lower, upper, &c->lowering.reason));
}

/* ------------------------------------------------------------------------------------------ constants and the origin
 */

/* A value that the caller gives takes the place of the text's. */
void hcri_declare_constant(hcri_compilation *c, const hcri_statement *statement) {
    hcri_name *known = hcri_scope_find(&c->scope, statement->name);
    if (known != NULL && known->kind == HCRI_NAME_GIVEN) {
        known->kind = HCRI_NAME_CONSTANT;
        known->span = statement->name;
        known->used = 1;
        return;
    }
    const hcri_value *value = hcri_evaluate(&c->scope, statement->expression);
    if (!hcri_value_is_constant(value))
        hcri_refuse(&c->text, statement->expression->span, HCR_ERROR_NAME, "a const is fixed, not something%s",
                    hcri_value_dependence(&c->text, value));
    hcri_scope_add(&c->scope, HCRI_NAME_CONSTANT, statement->name, value);
}

/* A point whose numbers are affine in the parameters: the constants, then the coefficients of each parameter, so many
 * rows of n. */
static const double *read_point(hcri_compilation *c, const hcri_node *node, size_t *rows) {
    const size_t n = c->text.outputs, p = c->text.parameters;
    const hcri_value *value = hcri_evaluate(&c->scope, node);
    const unsigned depends = hcri_value_depends(&c->text, value);
    if ((depends & HCRI_ON_OUTPUTS) != 0 || !hcri_value_is_affine(value) || value->shape.rank == 2 ||
        (value->shape.rank == 1 && value->size != n))
        hcri_refuse(&c->text, node->span, HCR_ERROR_SHAPE,
                    "the origin is chebyshev, analytic, mean or a fixed point of %zu numbers%s, not %s%s", n,
                    p == 0 ? "" : " (or affine in the parameters)", hcri_shape_describe(value->shape).text,
                    hcri_value_is_affine(value) || depends != HCRI_ON_PARAMETERS
                        ? hcri_value_dependence(&c->text, value)
                        : " that isn't affine in them");
    *rows = depends == 0 ? 1 : 1 + p;
    double *point = hcri_take(&c->text, node->span, *rows * n, sizeof *point);
    for (size_t j = 0; j < n; j++) {
        const size_t i = value->shape.rank == 0 ? 0 : j;
        point[j] = value->constant[i];
        for (const hcri_entry *e = hcri_first_entry(value, i); e != hcri_entries_end(value, i); e++)
            point[(1 + e->column - n) * n + j] = e->value;
    }
    return point;
}

void hcri_declare_origin(hcri_compilation *c, const hcri_statement *statement) {
    hcr_origin origin = HCR_ORIGIN_GIVEN;
    const double *point = NULL;
    size_t rows = 0;
    if (c->has_origin || c->text.outputs == 0)
        hcri_refuse(&c->text, statement->span, HCR_ERROR_NAME,
                    c->text.outputs == 0 ? "the outputs come first: declare them with var"
                                         : "the origin is chosen already: leave one of the two");
    if (statement->expression == NULL) {
        origin = hcri_text_equal(&c->text, statement->name, "mean")       ? HCR_ORIGIN_MEAN
                 : hcri_text_equal(&c->text, statement->name, "analytic") ? HCR_ORIGIN_ANALYTIC
                                                                          : HCR_ORIGIN_CHEBYSHEV;
    } else {
        point = read_point(c, statement->expression, &rows);
    }
    c->has_origin = 1;
    hcri_lowering_accept(&c->lowering, statement->span,
                         hcr_builder_set_origin(c->lowering.builder, origin, rows, point, &c->lowering.reason));
}
