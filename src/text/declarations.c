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
    HCRI_BUILD(&c->lowering, statement->span, hcr_builder_set_source, c->text.file, line, column, copy);
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

static size_t read_size(hcri_compilation *c, const hcri_node *size, const char *what) {
    return (size_t)hcri_whole_number(&c->text, size->span, hcri_evaluate(&c->scope, size), what, 1, HCRI_TEXT_SIZE);
}

static hcri_shape read_shape(hcri_compilation *c, const hcri_statement *statement) {
    const hcri_node *const *size = statement->size;
    const int is_matrix = size[1] != NULL;
    if (size[0] == NULL && statement->labels == NULL)
        return hcri_scalar_shape();
    const size_t rows = statement->labels != NULL
                            ? statement->labels->count
                            : read_size(c, size[0], is_matrix ? "the number of rows" : "the size of a vector");
    const hcri_shape shape =
        is_matrix ? hcri_matrix_shape(rows, read_size(c, size[1], "the number of columns")) : hcri_vector_shape(rows);
    if ((double)shape.dim[0] * (double)shape.dim[1] > HCRI_TEXT_SIZE)
        hcri_refuse(&c->text, statement->name, HCR_ERROR_SHAPE, "%s is too large: at most 2^26 numbers",
                    hcri_shape_describe(shape).text);
    return shape;
}

/* Tells the builder of rows and columns, and of the names of the rows. */
static void give_shape(hcri_compilation *c, const hcri_statement *statement, hcri_shape shape) {
    const hcri_node *labels = statement->labels;
    if (shape.rank < 2 && labels == NULL)
        return;
    const char **label = NULL;
    if (labels != NULL) {
        label = hcri_take(&c->text, statement->name, labels->count, sizeof *label);
        for (size_t i = 0; i < labels->count; i++)
            label[i] = hcri_text_unquote(&c->text, labels->child[i]->span);
    }
    HCRI_BUILD(&c->lowering, labels == NULL ? statement->name : labels->span, hcr_builder_shape_variable,
               shape.rank == 2 ? shape.dim[1] : 0, label);
    c->scope.name[c->scope.count - 1].labels = labels;
}

/* The name of an output or a parameter, with its columns from `first` on. */
static void declare(hcri_compilation *c, const hcri_statement *statement, hcri_name_kind kind, hcri_shape shape,
                    size_t first) {
    if (c->has_constraints || c->has_origin)
        hcri_refuse(&c->text, statement->name, HCR_ERROR_NAME,
                    "%s are declared before the first constraint, let and the origin",
                    kind == HCRI_NAME_OUTPUT ? "outputs" : "parameters");
    hcri_scope_add(&c->scope, kind, statement->name, hcri_value_columns(&c->text, statement->name, shape, first));
}

void hcri_declare_output(hcri_compilation *c, const hcri_statement *statement) {
    const hcri_shape shape = read_shape(c, statement);
    declare(c, statement, HCRI_NAME_OUTPUT, shape, c->text.outputs);
    const size_t size = shape.dim[0] * shape.dim[1];
    c->text.outputs += size;
    HCRI_BUILD(&c->lowering, statement->name, hcr_builder_add_variable, c->scope.name[c->scope.count - 1].name, size,
               shape.rank == 0);
    give_shape(c, statement, shape);
    place_parameters(c);
}

/* One end of a range for each element. */
static const double *range_end(hcri_compilation *c, const hcri_node *node, hcri_shape shape) {
    const hcri_value *value = hcri_evaluate(&c->scope, node);
    if (!hcri_value_is_constant(value) || (value->shape.rank != 0 && !hcri_shape_equal(value->shape, shape)))
        hcri_refuse(&c->text, node->span, HCR_ERROR_SHAPE, "an end of the range of %s is a constant number%s, not %s%s",
                    hcri_shape_describe(shape).text, shape.rank == 0 ? "" : ", or as many numbers",
                    hcri_shape_describe(value->shape).text, hcri_value_dependence(&c->text, value));
    const size_t size = shape.dim[0] * shape.dim[1];
    double *end = hcri_take(&c->text, node->span, size, sizeof *end);
    for (size_t k = 0; k < size; k++)
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
    const size_t size = shape.dim[0] * shape.dim[1];
    c->text.parameters += size;
    const hcri_node *first = statement->range[0], *last = statement->range[1];
    HCRI_BUILD(&c->lowering, (is_open ? statement->name : (hcri_span){first->span.start, last->span.end}),
               hcr_builder_add_parameter, c->scope.name[c->scope.count - 1].name, size, shape.rank == 0, lower, upper);
    give_shape(c, statement, shape);
}

/* ----------------------------------------------------------------------------------------- constants and the origin */

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

void hcri_declare_named(hcri_compilation *c, const hcri_statement *statement) {
    if (c->text.outputs == 0) {
        hcri_evaluate(&c->scope, statement->expression); /* the names first: an unknown one is the likelier fault */
        hcri_refuse(&c->text, statement->span, HCR_ERROR_NAME, "the outputs come first: declare them with var");
    }
    hcri_place_statement(c, statement); /* so that the region keeps the line */
    hcri_scope_add(&c->scope, HCRI_NAME_EXPRESSION, statement->name, hcri_evaluate(&c->scope, statement->expression));
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
    double *point = hcri_take(&c->text, node->span, (1 + p) * n, sizeof *point);
    for (size_t j = 0; j < n; j++) {
        const size_t i = value->shape.rank == 0 ? 0 : j;
        point[j] = value->constant[i];
        for (const hcri_entry *e = hcri_first_entry(value, i); e != hcri_entries_end(value, i); e++)
            point[(1 + e->column - n) * n + j] = e->value;
    }
    return point;
}

void hcri_declare_origin_choice(hcri_compilation *c) {
    const double lower = 0, upper = (double)(c->origins - 1);
    c->text.parameters++;
    HCRI_BUILD(&c->lowering, c->lowering.statement, hcr_builder_add_parameter, "origin", 1, 1, &lower, &upper);
}

/* One of several: the builder gets all that are there. */
static void add_origin(hcri_compilation *c, const hcri_statement *statement, const double *point) {
    const size_t rows = 1 + c->text.parameters, size = rows * c->text.outputs;
    HCRI_EXTEND(&c->text, statement->span, c->point, &c->point_capacity, (c->points + 1) * size);
    memcpy(c->point + c->points++ * size, point, size * sizeof *point);
    HCRI_BUILD(&c->lowering, statement->span, hcr_builder_set_origins, c->points, rows, c->point);
}

void hcri_declare_origin(hcri_compilation *c, const hcri_statement *statement) {
    hcr_origin origin = HCR_ORIGIN_GIVEN;
    const double *point = NULL;
    size_t rows = 0;
    if (c->text.outputs == 0)
        hcri_refuse(&c->text, statement->span, HCR_ERROR_NAME, "the outputs come first: declare them with var");
    if (c->origins > 1 && statement->expression == NULL)
        hcri_refuse(&c->text, statement->span, HCR_ERROR_NAME,
                    "the text has several origins, each of which must be a point: give points, or leave one of them");
    if (statement->expression == NULL) {
        origin = hcri_text_equal(&c->text, statement->name, "mean")       ? HCR_ORIGIN_MEAN
                 : hcri_text_equal(&c->text, statement->name, "analytic") ? HCR_ORIGIN_ANALYTIC
                                                                          : HCR_ORIGIN_CHEBYSHEV;
    } else {
        point = read_point(c, statement->expression, &rows);
    }
    c->has_origin = 1;
    if (c->origins > 1) {
        add_origin(c, statement, point);
        return;
    }
    HCRI_BUILD(&c->lowering, statement->span, hcr_builder_set_origin, origin, rows, point);
}
