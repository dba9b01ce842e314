#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "numeric/texts.h"

hcr_region *text_region(const char *text) {
    hcr_builder *builder = NULL;
    hcr_region *region = NULL;
    hcr_error error = {0};
    if (hcr_text_build(text, strlen(text), "t", NULL, 0, NULL, NULL, &builder, &error) != HCR_OK ||
        hcr_builder_finish(builder, &region, &error) != HCR_OK)
        fail_msg("%s\n%s", text, error.text);
    hcr_builder_free(builder);
    return region;
}
