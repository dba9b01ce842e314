#include "formats/column_names.h"

#include <string.h>

#include "base/hash_index.h"

hcri_shown hcri_show(const char *text, size_t length) {
    hcri_shown shown = {""};
    char kept[sizeof shown + 1] = "", next[HCR_PRINTABLE]; /* a byte gives a byte or more: so many are enough */
    const char *at = kept;
    size_t used = 0, added;
    memcpy(kept, text, length < sizeof shown ? length : sizeof shown);
    while ((added = hcr_printable(&at, next)) != 0) {
        if (used + added > sizeof shown - 4) {
            memcpy(shown.text + used, "...", sizeof "...");
            return shown;
        }
        memcpy(shown.text + used, next, added);
        used += added;
    }
    return shown;
}

hcri_shown hcri_show_name(const char *name) { return hcri_show(name, strlen(name)); }

size_t hcri_name_find(const char *name, size_t count, char *const *names, size_t guess) {
    if (guess < count && strcmp(names[guess], name) == 0)
        return guess;
    for (size_t i = 0; i < count; i++)
        if (strcmp(names[i], name) == 0)
            return i;
    return SIZE_MAX;
}

/* Levenshtein's distance, by its recurrence over prefixes; names are compared by their first characters only. */
static size_t edit_distance(const char *a, const char *b) {
    enum { MOST = 128 };
    const size_t m = strnlen(a, MOST), n = strnlen(b, MOST);
    size_t row[MOST + 1];
    for (size_t j = 0; j <= n; j++)
        row[j] = j;
    for (size_t i = 1; i <= m; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= n; j++) {
            const size_t change = diagonal + (a[i - 1] != b[j - 1]);
            const size_t skip = 1 + (row[j] < row[j - 1] ? row[j] : row[j - 1]);
            diagonal = row[j];
            row[j] = change < skip ? change : skip;
        }
    }
    return row[n];
}

size_t hcri_name_nearest(const char *name, size_t count, char *const *names) {
    size_t nearest = SIZE_MAX, least = SIZE_MAX;
    for (size_t i = 0; i < count; i++) {
        const size_t distance = edit_distance(name, names[i]);
        if (distance < least) {
            least = distance;
            nearest = i;
        }
    }
    return nearest;
}

size_t hcri_name_alike(const char *name, size_t count, char *const *names) {
    const size_t nearest = hcri_name_nearest(name, count, names);
    return nearest == SIZE_MAX || edit_distance(name, names[nearest]) > (strlen(name) + 2) / 3 ? SIZE_MAX : nearest;
}

hcr_status hcri_names_check(size_t count, char *const *names, const char *file, int line, hcr_error *error) {
    HCRI_SCRATCH(scratch, &hcri_default_allocator);
    hcri_index seen = {0};
    for (size_t j = 0; j < count; j++) {
        const size_t length = strlen(names[j]), before = hcri_index_find(&seen, names[j], length);
        if (length == 0)
            return hcri_fail_at(error, HCR_ERROR_NAME, file, line, (int)(j + 1),
                                "column %zu has no name in the header: give it one", j + 1);
        if (before != SIZE_MAX)
            return hcri_fail_at(error, HCR_ERROR_NAME, file, line, (int)(j + 1),
                                "columns %zu and %zu have the same name \"%s\": rename one", before + 1, j + 1,
                                hcri_show_name(names[j]).text);
        HCRI_ALLOCATED(hcri_index_add(&seen, scratch, names[j], length, j));
    }
    return HCR_OK;
}
