/* Region text: parsed, certified, lowered; where it is small, made into a region and used. */
#include <string.h>

#include "fuzz.h"
#include "use_region.h"

size_t fuzz_accepted;

/* read("/dev/zero") is an honest request for endless bytes: such files aren't a matter of the parser. */
static int reads_a_device(const uint8_t *data, size_t size) {
    static const char *const folders[] = {"/dev", "/proc", "/sys", ".."};
    for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++) {
        const size_t length = strlen(folders[i]);
        for (size_t at = 0; at + length <= size; at++)
            if (memcmp(data + at, folders[i], length) == 0)
                return 1;
    }
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    enum { LONGEST = 1 << 14, SMALL = 8 };
    if (size > LONGEST || reads_a_device(data, size))
        return 0;
    hcr_error error = {0};
    hcr_builder *builder = NULL;
    const hcr_status status =
        hcr_text_build((const char *)data, size, "fuzz", "/nonexistent", 0, NULL, NULL, &builder, &error);
    FUZZ_REQUIRE((status == HCR_OK) == (builder != NULL));
    if (status != HCR_OK) {
        FUZZ_REQUIRE(error.code == status && error.text[0] != '\0');
        return 0;
    }
    fuzz_accepted++;
    hcr_region *region = NULL;
    if (hcr_builder_columns(builder) <= SMALL && size <= 512 && hcr_builder_finish(builder, &region, &error) == HCR_OK)
        fuzz_use_region(region);
    hcr_region_free(region);
    hcr_builder_free(builder);
    return 0;
}
