/* What was read to a builder: by way of its region text, whose lines become those of the file. */
#include <stdio.h>

#include "formats/column_names.h"
#include "import/region_text_forms.h"
#include "region/builder.h"

/* The last source that begins at this line of the text or before; NULL before the first. */
static const hcri_page_source *find_source(const hcri_page *page, int line) {
    size_t low = 0, high = page->sources;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (page->source[middle].text_line <= line)
            low = middle + 1;
        else
            high = middle;
    }
    return low == 0 ? NULL : &page->source[low - 1];
}

static hcr_status place_in_file(const hcri_page *page, hcri_place *place, const hcr_allocator *allocator,
                                hcr_error *error) {
    const hcri_page_source *source = find_source(page, place->line);
    if (source == NULL)
        return HCR_OK;
    char text[sizeof(hcri_shown) + 32];
    snprintf(text, sizeof text, "%s %s", source->what, hcri_show_name(source->name).text);
    char *copy = hcri_copy_string(allocator, source->line == 0 ? "columns are 0 or more unless bounds say else" : text);
    HCRI_ALLOCATED(copy);
    hcri_release(allocator, place->text);
    place->text = copy;
    place->line = source->line;
    place->column = 0;
    return HCR_OK;
}

static hcr_status build(const hcr_import *import, const hcri_page *page, hcr_builder **builder, hcr_error *error) {
    hcr_error found = {0};
    hcr_status status = hcr_text_build(page->report.text, page->report.length, import->file, NULL, 0, NULL,
                                       &import->allocator, builder, &found);
    if (status != HCR_OK) {
        const hcri_page_source *source = find_source(page, found.line);
        return hcri_fail_at(error, status, import->file, source == NULL ? 0 : source->line, 0, "%s", found.text);
    }
    hcri_set *set = &(*builder)->set;
    for (size_t k = 1; k < set->places && status == HCR_OK; k++)
        status = place_in_file(page, &set->place[k], &set->allocator, error);
    if (status != HCR_OK) {
        hcr_builder_free(*builder);
        *builder = NULL;
    }
    return status;
}

hcr_status hcr_import_build(const hcr_import *import, hcr_builder **builder, hcr_error *error) {
    HCRI_FAIL_IF(import == NULL || builder == NULL, HCR_ERROR_ARGUMENT, "import or builder is NULL");
    *builder = NULL;
    HCRI_SCOPED_BY(hcri_page_release) hcri_page page = {.import = import};
    HCRI_TRY(hcri_page_create(import, &page, error));
    page.keeps_sources = 1;
    HCRI_TRY(hcri_page_fill(&page, error));
    return build(import, &page, builder, error);
}
