/* Runs a fuzz target over kept inputs, and over damaged copies of them, without libFuzzer: an ordinary test of any
 * build.   replay ROUNDS FOLDER… */
#define _POSIX_C_SOURCE 200809L
#include <dirent.h>
#include <string.h>
#include <sys/stat.h>

#include "base/random.h"
#include "fuzz.h"

typedef struct sample {
    uint8_t *bytes;
    size_t size;
} sample;
typedef struct corpus {
    size_t count, capacity;
    sample *samples;
} corpus;

static void keep(corpus *all, const char *path) {
    struct stat about;
    FILE *file = fopen(path, "rb");
    FUZZ_REQUIRE(file != NULL && fstat(fileno(file), &about) == 0);
    if (all->count == all->capacity) {
        all->capacity = 2 * all->capacity + 16;
        all->samples = realloc(all->samples, all->capacity * sizeof *all->samples);
        FUZZ_REQUIRE(all->samples != NULL);
    }
    sample *added = &all->samples[all->count++];
    added->size = (size_t)about.st_size;
    added->bytes = malloc(added->size + 1);
    FUZZ_REQUIRE(added->bytes != NULL && fread(added->bytes, 1, added->size, file) == added->size);
    fclose(file);
}

static void keep_folder(corpus *all, const char *path) {
    struct dirent **entries = NULL;
    const int count = scandir(path, &entries, NULL, alphasort);
    FUZZ_REQUIRE(count >= 0);
    for (int i = 0; i < count; i++) {
        char name[4096];
        snprintf(name, sizeof name, "%s/%s", path, entries[i]->d_name);
        if (entries[i]->d_name[0] != '.')
            keep(all, name);
        free(entries[i]);
    }
    free(entries);
}

static void run(const uint8_t *bytes, size_t size) {
    uint8_t *exact = malloc(size == 0 ? 1 : size); /* so that a read beyond the end is seen */
    FUZZ_REQUIRE(exact != NULL);
    if (size != 0)
        memcpy(exact, bytes, size);
    LLVMFuzzerTestOneInput(exact, size);
    free(exact);
}

/* A copy with some bytes flipped, cut, doubled, or taken from another sample. */
static void run_damaged(const corpus *all, const sample *from, hcri_random *random) {
    const sample *other = &all->samples[hcri_random_below(random, all->count)];
    uint8_t *bytes = malloc(from->size + other->size + 1);
    FUZZ_REQUIRE(bytes != NULL);
    size_t size = from->size;
    memcpy(bytes, from->bytes, size);
    for (size_t changes = 1 + hcri_random_below(random, 3); changes > 0 && size > 0; changes--) {
        const size_t at = hcri_random_below(random, size);
        switch (hcri_random_below(random, 5)) {
        case 0: bytes[at] ^= (uint8_t)(1u << hcri_random_below(random, 8)); break;
        case 1: bytes[at] = (uint8_t)hcri_random_bits(random); break;
        case 2: memset(bytes + at, 0xff, size - at < 8 ? size - at : 8); break;
        case 3: memmove(bytes + at, bytes + at + 1, --size - at); break;
        default:
            if (changes == 1 && other->size > 0) { /* the end of another one */
                const size_t cut = hcri_random_below(random, other->size);
                memcpy(bytes + at, other->bytes + cut, other->size - cut);
                size = at + other->size - cut;
            }
        }
    }
    run(bytes, size);
    free(bytes);
}

int main(int argc, char **argv) {
    corpus all = {0, 0, NULL};
    FUZZ_REQUIRE(argc > 2);
    const size_t rounds = (size_t)strtoul(argv[1], NULL, 10);
    for (int i = 2; i < argc; i++)
        keep_folder(&all, argv[i]);
    for (size_t i = 0; i < all.count; i++)
        run(all.samples[i].bytes, all.samples[i].size);
    const size_t accepted = fuzz_accepted;
    hcri_random random;
    hcri_random_seed(&random, 1);
    for (size_t round = 0; round < rounds && all.count > 0; round++)
        run_damaged(&all, &all.samples[round % all.count], &random);
    printf("%zu inputs, %zu of them accepted; %zu damaged ones, %zu accepted\n", all.count, accepted, rounds,
           fuzz_accepted - accepted);
    for (size_t i = 0; i < all.count; i++)
        free(all.samples[i].bytes);
    free(all.samples);
    if (accepted == 0)
        fprintf(stderr, "no input was accepted: the corpus is of another format\n");
    return accepted == 0;
}
