/* Exported C and CUDA C++, written, compiled and loaded. */
#ifndef HCR_TEST_EXPORTED_H
#define HCR_TEST_EXPORTED_H

#include "hcr/hcr_export.h"
#include "numeric/regions.h"

enum { USUAL_WAYS = 3, LONG_WAYS = 20, MOST_PARAMETERS = 64 };
extern const char *const usual_ways[USUAL_WAYS], *const long_ways[LONG_WAYS];
extern char folder[64]; /* where the code is written, as the region or model "t" */
extern int with_given;  /* whether predictions of the model that is written are given parameters */

static inline double single(double x) { return (double)(float)x; }

/* What was compiled; the functions of one of the two precisions are there. */
typedef struct loaded {
    void *library;
    const char *prefix;
    int (*decode)(const double *, double, double *);
    int (*contract)(const double *, double *);
    int (*check)(const double *);
    int (*predict)(const double *, double *);
    void (*decode_gradient)(const double *, double, const double *, double *, double *);
    void (*decode_tangent)(const double *, double, const double *, double, double *);
    void (*contract_gradient)(const double *, const double *, double *),
        (*soften_gradient)(const double *, const double *, double *);
    void (*contract_tangent)(const double *, const double *, double *),
        (*soften_tangent)(const double *, const double *, double *);
    int (*decode_f32)(const float *, float, float *);
    int (*contract_f32)(const float *, float *);
    int (*check_f32)(const float *);
    int (*predict_f32)(const float *, float *);
    /* with parameters */
    int (*predict_at)(const double *, const double *, double *);
    int (*predict_at_f32)(const float *, const float *, float *);
    int (*decode_at)(const double *, double, const double *, double *);
    int (*contract_at)(const double *, const double *, double *);
    int (*soften_at)(const double *, const double *, double *);
    int (*check_at)(const double *, const double *);
    int (*decode_at_f32)(const float *, float, const float *, float *);
    int (*contract_at_f32)(const float *, const float *, float *);
    int (*soften_at_f32)(const float *, const float *, float *);
    int (*check_at_f32)(const float *, const float *);
    void (*decode_gradient_at)(const double *, double, const double *, const double *, double *, double *, double *);
    void (*decode_tangent_at)(const double *, double, const double *, const double *, double, const double *, double *);
    void (*contract_gradient_at)(const double *, const double *, const double *, double *, double *),
        (*soften_gradient_at)(const double *, const double *, const double *, double *, double *);
    void (*contract_tangent_at)(const double *, const double *, const double *, const double *, double *),
        (*soften_tangent_at)(const double *, const double *, const double *, const double *, double *);
} loaded;

/* As C, and as CUDA C++ in a folder of its own. */
hcr_status write_both(const hcr_region *region, const hcr_model *model, const hcr_export_options *options,
                      hcr_export_report *report, hcr_error *error);
/* What was written last, compiled in one of the ways. */
loaded load(const char *way, int single);
/* Of C and of C++. */
int has_compilers(void);
/* For cmocka: the folder. */
int make_folder(void **state);
int remove_folder(void **state);

#endif
