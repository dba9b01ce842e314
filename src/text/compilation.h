/* A region text on its way to a builder: what its statements share. */
#ifndef HCRI_COMPILATION_H
#define HCRI_COMPILATION_H

#include "text/lower/lower.h"
#include "text/values/evaluation.h"

typedef struct hcri_compilation {
    hcri_text text;
    hcri_scope scope;
    hcri_lowering lowering;
    int has_constraints, has_origin;
    size_t origins, points; /* origins in the text, and those read so far, … */
    size_t point_capacity;
    double *point;                   /* … 1 + parameters rows of outputs each */
    const hcri_statement *statement; /* the one at work, … */
    const hcri_statement *soft;      /* … and the soft one that it is in, or NULL */
    size_t ranges, range_capacity;   /* of outputs: constraints that wait for the last declaration */
    const hcri_statement **range;
} hcri_compilation;

void hcri_declare_output(hcri_compilation *c, const hcri_statement *statement);
void hcri_declare_parameter(hcri_compilation *c, const hcri_statement *statement);
void hcri_declare_constant(hcri_compilation *c, const hcri_statement *statement);
/* let: what outputs and parameters are known before, as for a constraint. */
void hcri_declare_named(hcri_compilation *c, const hcri_statement *statement);
/* The parameter that names one of several origins. */
void hcri_declare_origin_choice(hcri_compilation *c);
void hcri_declare_origin(hcri_compilation *c, const hcri_statement *statement);
/* What the builder gets from here on comes from the statement. */
void hcri_place_statement(hcri_compilation *c, const hcri_statement *statement);

#endif
