#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/sized_options.h"
#include "base/system.h"
#include "device/export_guide.h"
#include "device/export_selftest.h"
#include "device/export_source.h"
#include "hcr/hcr_export.h"

enum { LONGEST_NAME = 48 };

static hcr_status check_name(const char *name, hcr_error *error) {
    size_t length = strlen(name);
    int sound = length > 0 && length <= LONGEST_NAME && islower((unsigned char)name[0]);
    for (size_t i = 0; i < length && sound; i++)
        sound = islower((unsigned char)name[i]) || isdigit((unsigned char)name[i]) || name[i] == '_';
    HCRI_FAIL_IF(
        !sound, HCR_ERROR_ARGUMENT,
        "the name \"%.60s\" can't begin C names: it takes a small letter, then small letters, digits and _, at most %d",
        name, LONGEST_NAME);
    return HCR_OK;
}

static hcr_status make_folder(const char *folder, hcr_error *error) {
    struct stat found;
    if (mkdir(folder, 0777) == 0 || (errno == EEXIST && hcri_stat(folder, &found) == 0 && S_ISDIR(found.st_mode)))
        return HCR_OK;
    return hcri_fail_at(error, HCR_ERROR_FILE, folder, 0, 0, "can't make the folder: %s", strerror(errno));
}

/* A file of the folder from what the code has so far, which is then empty again. */
static hcr_status write_file(hcri_code *code, const char *folder, const char *format, hcr_error *error) {
    HCRI_SCOPED char *path = malloc(strlen(folder) + strlen(code->prefix) + 32);
    if (path == NULL || code->bytes.failed)
        return hcri_fail_memory(error);
    int length = sprintf(path, "%s/", folder);
    for (const char *c = format; *c != '\0'; c++)
        length += *c == '$' ? sprintf(path + length, "%s", code->prefix) : sprintf(path + length, "%c", *c);
    HCRI_TRY(hcri_file_write(path, code->bytes.data, code->bytes.size, error));
    code->bytes.size = 0;
    return HCR_OK;
}

static hcr_status write_all(hcri_code *code, const hcri_plan *plan, const hcr_region *region, const hcr_model *model,
                            const char *origin, const char *folder, hcr_export_report *report, hcr_error *error) {
    hcri_cost cost = {0, 0};
    hcri_source_flags(code, plan, model);
    HCRI_TRY(hcri_source_body(code, plan, model, origin, &cost, error)); /* first: it may refuse */
    HCRI_TRY(make_folder(folder, error));
    HCRI_TRY(write_file(code, folder, code->cuda ? "$.cu" : "$.c", error));
    const hcr_export_report made = {.margin = plan == NULL ? 0 : plan->margin,
                                    .verified = plan == NULL ? 0 : plan->verified,
                                    .constants = code->constants,
                                    .operations = cost.usual,
                                    .largest_operations = cost.largest};
    hcri_source_header(code, plan, model, origin);
    HCRI_TRY(write_file(code, folder, "$.h", error));
    HCRI_TRY(hcri_selftest_put(code, plan, region, model, error));
    HCRI_TRY(write_file(code, folder, code->cuda ? "$_test.cu" : "$_test.c", error));
    hcri_guide_cmake(code);
    HCRI_TRY(write_file(code, folder, "CMakeLists.txt", error));
    hcri_guide_readme(code, plan, model, origin, &made);
    HCRI_TRY(write_file(code, folder, "README.md", error));
    if (report != NULL)
        *report = made;
    return HCR_OK;
}

static hcr_status export_all(const hcr_region *region, const hcr_model *model, const hcr_export_options *given,
                             const char *folder, hcr_export_report *report, hcr_error *error) {
    static const hcr_export_options defaults = HCR_EXPORT_OPTIONS_INIT;
    hcr_export_options options;
    HCRI_TRY(hcri_options_take(given == NULL ? &defaults : given, &defaults, sizeof defaults, &options,
                               "HCR_EXPORT_OPTIONS_INIT", error));
    HCRI_TRY(check_name(options.name, error));
    char upper[LONGEST_NAME + 2];
    size_t length = 0;
    for (; options.name[length] != '\0'; length++)
        upper[length] = (char)toupper((unsigned char)options.name[length]);
    upper[length] = '_';
    upper[length + 1] = '\0';
    hcri_plan plan = {0};
    const int has_maps = model == NULL || model->head != HCR_HEAD_SIMPLE;
    HCRI_FAIL_IF(
        model != NULL && model->blend.members != 0, HCR_ERROR_UNSUPPORTED,
        "a blend of several models isn't exported: the code has one network: export its region, or a model of one "
        "member");
    HCRI_FAIL_IF(model != NULL && model->head == HCR_HEAD_PROJECT, HCR_ERROR_UNSUPPORTED,
                 "a model with the head hcr-project isn't exported: the steps to a nearest point have no bound; "
                 "hcr-contract has one");
    if (has_maps)
        HCRI_TRY(hcri_plan_make(region, &options, &plan, error));
    hcri_code code = {.bytes = {.allocator = &hcri_default_allocator},
                      .prefix = options.name,
                      .upper = upper,
                      .single = options.precision == HCR_SINGLE,
                      .cuda = options.cuda};
    const hcr_status status =
        write_all(&code, has_maps ? &plan : NULL, region, model, options.origin, folder, report, error);
    hcri_release(&hcri_default_allocator, code.bytes.data);
    hcri_plan_release(&plan);
    return status;
}

hcr_status hcr_export_region(const hcr_region *region, const hcr_export_options *options, const char *folder,
                             hcr_export_report *report, hcr_error *error) {
    HCRI_FAIL_IF(region == NULL || folder == NULL, HCR_ERROR_ARGUMENT, "region or folder is NULL");
    return export_all(region, NULL, options, folder, report, error);
}

hcr_status hcr_export_model(const hcr_model *model, const hcr_export_options *options, const char *folder,
                            hcr_export_report *report, hcr_error *error) {
    HCRI_FAIL_IF(model == NULL || folder == NULL, HCR_ERROR_ARGUMENT, "model or folder is NULL");
    return export_all(model->region, model, options, folder, report, error);
}
