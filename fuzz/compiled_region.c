/* A compiled region: as it is, and with its checksum made right, so that damage gets beyond it. */
#include <string.h>

#include "fuzz.h"
#include "use_region.h"

size_t fuzz_accepted;

static void read_and_use(const uint8_t *data, size_t size) {
    hcr_region *region = NULL;
    hcr_error error = {0};
    const hcr_status status = hcr_region_read(data, size, NULL, &region, &error);
    FUZZ_REQUIRE((status == HCR_OK) == (region != NULL));
    if (status != HCR_OK)
        return;
    fuzz_accepted++;
    fuzz_use_region(region);
    hcr_region_free(region);
}

/* Magic and version (12 bytes), the size of the payload (8), the payload, FNV-1a of all before it (8). */
static void sign(uint8_t *bytes, size_t size) {
    const uint64_t payload = size - 28;
    uint64_t hash = 0xcbf29ce484222325u;
    for (size_t i = 0; i < 8; i++)
        bytes[12 + i] = (uint8_t)(payload >> (8 * i));
    for (size_t i = 0; i + 8 < size; i++)
        hash = (hash ^ bytes[i]) * 0x100000001b3u;
    for (size_t i = 0; i < 8; i++)
        bytes[size - 8 + i] = (uint8_t)(hash >> (8 * i));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    read_and_use(data, size);
    if (size < 28)
        return 0;
    uint8_t *bytes = malloc(size);
    FUZZ_REQUIRE(bytes != NULL);
    memcpy(bytes, data, size);
    sign(bytes, size);
    if (memcmp(bytes, data, size) != 0)
        read_and_use(bytes, size);
    free(bytes);
    return 0;
}
