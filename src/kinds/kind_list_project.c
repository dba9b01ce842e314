#include "project/path_kind.h"

extern const hcri_path_kind hcri_lmi_path;

const hcri_path_kind *hcri_path_kind_of(const hcri_constraint *constraint) {
    return constraint->kind == hcri_lmi_path.of ? &hcri_lmi_path : NULL;
}
