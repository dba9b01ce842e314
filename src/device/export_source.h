/* The files of an export, but for those that say how to use them: NAME.h and NAME.c. */
#ifndef HCRI_EXPORT_SOURCE_H
#define HCRI_EXPORT_SOURCE_H

#include "device/c_code.h"
#include "device/export_network.h"
#include "device/export_plan.h"

/* What a call costs, in floating-point operations. */
typedef struct hcri_cost {
    double usual;   /* at most, when no result has to be drawn in and no search for a centre is hard */
    double largest; /* at most */
} hcri_cost;

/* The comment at the top of a file. */
void hcri_source_origin(hcri_code *code, const char *origin, const char *what);
static inline const char *hcri_source_title(const hcr_model *model) {
    return model == NULL ? "A region's maps" : "A trained model, its outputs within a region";
}

/* The template's conditions. */
void hcri_source_flags(hcri_code *code, const hcri_plan *plan, const hcr_model *model);
/* `model` NULL: the region alone; `plan` NULL: a model that has no map. */
void hcri_source_header(hcri_code *code, const hcri_plan *plan, const hcr_model *model, const char *origin);
hcr_status hcri_source_body(hcri_code *code, const hcri_plan *plan, const hcr_model *model, const char *origin,
                            hcri_cost *cost, hcr_error *error);

#endif
