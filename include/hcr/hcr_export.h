/* hcr_export.h: a region or a trained model as C source that needs nothing but a C99 compiler, or as CUDA C++. */
#ifndef HCR_EXPORT_H
#define HCR_EXPORT_H

#include "hcr_learn.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Begin with HCR_EXPORT_OPTIONS_INIT, which has the defaults given, then set what differs. */
typedef struct hcr_export_options {
    size_t size;             /* sizeof(hcr_export_options) */
    const char *name;        /* what all names begin with: an identifier of small letters, digits and _; "region" */
    hcr_precision precision; /* of all numbers; double */
    bool gradient;           /* with the derivatives of decode, contract, soften; false */
    const char *origin;      /* where it comes from, for the comment at the top; NULL: nothing is said */
    bool cuda;               /* CUDA C++ for NVIDIA's GPUs, NAME.cu and NAME_test.cu, instead of C99; false */
} hcr_export_options;
#define HCR_EXPORT_OPTIONS_INIT                                                                                        \
    { sizeof(hcr_export_options), "region", HCR_DOUBLE, false, NULL, false }

typedef struct hcr_export_report {
    double margin;             /* the share of the radius that is given up so that results are exactly inside */
    size_t verified;           /* blocks whose results are checked and drawn towards the origin instead */
    size_t constants;          /* numbers in tables */
    double operations;         /* floating-point operations of one decode or prediction, at most … */
    double largest_operations; /* … and where drawing results in, and searches for centres, take the most */
} hcr_export_report;

/* Writes NAME.h, NAME.c (.cu), NAME_test.c (.cu), CMakeLists.txt and README.md into a folder, which is made when it
 * isn't there (its parent has to be). Each file is written whole or not at all. `report` may be NULL. Errors: ARGUMENT
 * (a name that can't be); UNSUPPORTED (a constraint that has no C: callbacks, …, by its source); PRECISION (the region
 * is too thin, or its numbers too far apart, for the precision); FILE, MEMORY. Models: UNSUPPORTED for blends and the
 * head project. NAME_predict takes the region's parameters beside the inputs, or finds them there when the model was
 * trained so. */
HCR_API HCR_MUST_USE hcr_status hcr_export_region(const hcr_region *region, const hcr_export_options *options,
                                                  const char *folder, hcr_export_report *report, hcr_error *error);
HCR_API HCR_MUST_USE hcr_status hcr_export_model(const hcr_model *model, const hcr_export_options *options,
                                                 const char *folder, hcr_export_report *report, hcr_error *error);

#ifdef __cplusplus
}
#endif
#endif
