#include "device/export_source.h"

void hcri_source_origin(hcri_code *code, const char *origin, const char *what) {
    hcri_code_put(code, "/* %s, made by hcr %s", what, hcr_version());
    if (origin != NULL && origin[0] != '\0') {
        hcri_code_text(code, " from ");
        hcri_code_foreign(code, origin);
    }
    hcri_code_text(code, ". */\n");
}

/* The functions that a region has; %s is "const NAME_real *x, " where they take parameters. */
static void put_maps(hcri_code *code, const hcri_plan *plan) {
    char x[80] = "";
    if (plan->p != 0) {
        snprintf(x, sizeof x, "const %s_real *x, ", code->prefix);
        hcri_code_put(code, "/* x are the region's parameters, ^PARAMETERS numbers. */\n\n");
    }
    hcri_code_put(
        code,
        "/* y = O + radius direction/gauge(direction), radius held in [0, 1]; the direction's length is of no\n"
        "   matter. */\n"
        "int $_decode(const $_real *direction, $_real radius, %s$_real *y);\n"
        "/* y = O + v/max(1, gauge(v)): the points O + v of the region stay where they are. */\n"
        "int $_contract(const $_real *v, %s$_real *y);\n"
        "/* y = O + v/(1 + gauge(v)). */\n"
        "int $_soften(const $_real *v, %s$_real *y);\n"
        "/* ^INSIDE when y satisfies every inequality for certain, ^OUTSIDE when it doesn't, ^FRONTIER when\n"
        "   rounding leaves it open. */\n"
        "int $_check(%sconst $_real *y);\n"
        "/* O. */\n"
        "void $_origin(%s$_real *y);\n",
        x, x, x, x, x);
    if (plan->gradient)
        hcri_code_put(
            code, "/* The gradient of a scalar by the input from y_bar, that by y: what a map's derivative sends it\n"
                  "   to. */\n"
                  "void $_decode_gradient(const $_real *direction, $_real radius, const $_real *y_bar,\n"
                  "                       $_real *direction_bar, $_real *radius_bar);\n"
                  "void $_contract_gradient(const $_real *v, const $_real *y_bar, $_real *v_bar);\n");
    hcri_code_text(code, "\n");
}

void hcri_source_header(hcri_code *code, const hcri_plan *plan, const hcr_model *model, const char *origin) {
    hcri_source_origin(code, origin, hcri_source_title(model));
    hcri_code_put(code, "#ifndef ^H\n#define ^H\n\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n");
    if (model != NULL)
        hcri_code_put(code, "#define ^INPUTS %zuu\n", hcr_model_inputs(model));
    hcri_code_put(code, "#define ^OUTPUTS %zuu\n",
                  plan != NULL ? plan->n : hcr_region_dimension(hcr_model_region(model)));
    if (plan != NULL && plan->p != 0)
        hcri_code_put(code, "#define ^PARAMETERS %zuu\n", plan->p);
    hcri_code_put(
        code, "\ntypedef @ $_real;\n\n"
              "/* What became of a call. */\n"
              "enum {\n    ^INSIDE = 0,      /* strictly inside, where the input put it */\n"
              "    ^FRONTIER = 1,    /* the frontier stopped it; check: inside or outside by less than rounding */\n"
              "    ^AT_ORIGIN = 2,   /* the direction is 0 */\n"
              "    ^OUTSIDE = 3,     /* check: not in the region */\n"
              "    ^BAD_VALUE = 4,   /* a NaN or an infinity in the input: the result is the origin */\n"
              "    ^NO_FRONTIER = 5, /* decode: nothing stops this direction: the result is the origin */\n"
              "    ^OUT_OF_RANGE = 7 /* a parameter is: the result is the origin for those held in range */\n"
              "};\n\n");
    if (model != NULL)
        hcri_code_put(code, "/* The model's prediction%s. */\nint $_predict(const $_real *input, $_real *y);\n\n",
                      plan != NULL ? ": inside the region, whatever the input"
                                   : ", which may be outside of the region");
    if (plan != NULL)
        put_maps(code, plan);
    hcri_code_put(code, "#ifdef __cplusplus\n}\n#endif\n\n#endif\n");
}
