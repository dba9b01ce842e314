/* NPZ: a zip archive with one NPY file an array, the array's name and ".npy". */
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "formats/column_names.h"
#include "formats/table.h"

#ifdef HCRI_HAS_ZIP
#include <zip.h>

/* The names of the arrays, with the numbers of their entries in the archive. */
typedef struct arrays {
    size_t count;
    char **names;
    zip_uint64_t *entries;
} arrays;

static hcr_status list_arrays(zip_t *archive, const hcr_allocator *allocator, arrays *a, hcr_error *error) {
    const zip_int64_t entries = zip_get_num_entries(archive, 0);
    const size_t most = entries < 0 ? 0 : (size_t)entries;
    a->names = hcri_allocate(allocator, most, sizeof *a->names);
    a->entries = hcri_allocate(allocator, most, sizeof *a->entries);
    HCRI_ALLOCATED(a->names && a->entries);
    for (zip_uint64_t entry = 0; entry < most; entry++) {
        const char *name = zip_get_name(archive, entry, ZIP_FL_ENC_GUESS);
        const size_t length = name == NULL ? 0 : strlen(name);
        if (length < 4 || strcmp(name + length - 4, ".npy") != 0)
            continue;
        char *copy = hcri_copy_string(allocator, name);
        HCRI_ALLOCATED(copy);
        copy[length - 4] = '\0';
        a->entries[a->count] = entry;
        a->names[a->count++] = copy;
    }
    return HCR_OK;
}

/* "a, b, c", cut where a message would get too long. */
static void join_names(const arrays *a, char *text, size_t capacity) {
    size_t used = 0;
    for (size_t k = 0; k < a->count; k++) {
        const hcri_shown shown = hcri_show_name(a->names[k]);
        if (used + strlen(shown.text) + sizeof ", …" + 2 > capacity) {
            snprintf(text + used, capacity - used, ", …");
            return;
        }
        used += (size_t)snprintf(text + used, capacity - used, "%s%s", k == 0 ? "" : ", ", shown.text);
    }
}

static hcr_status choose(const char *file, const arrays *a, const char *key, size_t *chosen, hcr_error *error) {
    if (a->count == 0)
        return hcri_fail_at(error, HCR_ERROR_FORMAT, file, 0, 0, "the archive holds no NPY array");
    if (key == NULL && a->count == 1) {
        *chosen = 0;
        return HCR_OK;
    }
    char all[768] = "";
    join_names(a, all, sizeof all);
    if (key == NULL)
        return hcri_fail_at(error, HCR_ERROR_NAME, file, 0, 0, "the archive holds %zu arrays: say which of %s",
                            a->count, all);
    *chosen = hcri_name_find(key, a->count, a->names, 0);
    if (*chosen != SIZE_MAX)
        return HCR_OK;
    const char *nearest = a->names[hcri_name_nearest(key, a->count, a->names)];
    return hcri_fail_at(error, HCR_ERROR_NAME, file, 0, 0,
                        "the archive holds no array \"%s\"; the nearest is \"%s\", and all are %s",
                        hcri_show_name(key).text, hcri_show_name(nearest).text, all);
}

static hcr_status fail_zip(const char *file, const char *name, const char *why, hcr_error *error) {
    return hcri_fail_at(error, HCR_ERROR_FORMAT, file, 0, 0, "array \"%s\" can't be taken out of the archive: %s",
                        hcri_show_name(name).text, why);
}

/* All bytes of an entry. An archive can claim any size: deflate gains at most a factor of 1032, so what claims more is
 * damaged, and nothing is allocated for it. */
static hcr_status extract(zip_t *archive, zip_uint64_t entry, const char *file, const char *name, char **bytes,
                          size_t *size, hcr_error *error) {
    zip_stat_t stat;
    if (zip_stat_index(archive, entry, 0, &stat) != 0)
        return fail_zip(file, name, zip_strerror(archive), error);
    const zip_uint64_t needed = ZIP_STAT_SIZE | ZIP_STAT_COMP_SIZE | ZIP_STAT_COMP_METHOD;
    if ((stat.valid & needed) != needed || stat.size / 1032 > stat.comp_size || stat.size > SIZE_MAX / 2)
        return fail_zip(file, name, "the size it claims can't be", error);
    if (stat.comp_method != ZIP_CM_STORE && stat.comp_method != ZIP_CM_DEFLATE)
        return fail_zip(file, name, "it isn't packed as savez or savez_compressed do", error);
    HCRI_TRY(hcri_check_inflated(file, stat.size, error));
    *size = (size_t)stat.size;
    *bytes = hcri_allocate(&hcri_default_allocator, *size, 1);
    HCRI_ALLOCATED(*bytes);
    zip_file_t *opened = zip_fopen_index(archive, entry, 0);
    if (opened == NULL)
        return fail_zip(file, name, zip_strerror(archive), error);
    size_t used = 0;
    zip_int64_t got = 1;
    while (used < *size && got > 0) {
        got = zip_fread(opened, *bytes + used, *size - used);
        used += got > 0 ? (size_t)got : 0;
    }
    char beyond; /* the checksum is compared when the end is met */
    if (got >= 0)
        got = zip_fread(opened, &beyond, 1);
    hcr_status status = HCR_OK;
    if (got < 0)
        status = fail_zip(file, name, zip_file_strerror(opened), error);
    else if (used != *size || got != 0)
        status = fail_zip(file, name, "its size isn't what the archive says", error);
    zip_fclose(opened);
    return status;
}

static void discard(zip_t **archive) { zip_discard(*archive); }

hcr_status hcri_npz_read(const char *file, const char *bytes, size_t size, const char *key, int vector,
                         hcr_table *table, hcr_error *error) {
    HCRI_SCOPED_BY(zip_error_fini) zip_error_t why;
    zip_error_init(&why);
    zip_source_t *source = zip_source_buffer_create(bytes, size, 0, &why);
    HCRI_SCOPED_BY(discard)
    zip_t *archive = source == NULL ? NULL : zip_open_from_source(source, ZIP_RDONLY | ZIP_CHECKCONS, &why);
    if (archive == NULL) {
        zip_source_free(source);
        return hcri_fail_at(error, HCR_ERROR_FORMAT, file, 0, 0, "this isn't a whole NPZ archive: %s",
                            zip_error_strerror(&why));
    }
    HCRI_SCRATCH(scratch, &hcri_default_allocator);
    arrays a = {0};
    size_t chosen = 0;
    HCRI_SCOPED char *array = NULL;
    size_t array_size = 0;
    HCRI_TRY(list_arrays(archive, scratch, &a, error));
    HCRI_TRY(choose(file, &a, key, &chosen, error));
    HCRI_TRY(extract(archive, a.entries[chosen], file, a.names[chosen], &array, &array_size, error));
    return hcri_npy_read(file, array, array_size, vector, table, error);
}

#else

hcr_status hcri_npz_read(const char *file, const char *bytes, size_t size, const char *key, int vector,
                         hcr_table *table, hcr_error *error) {
    (void)bytes, (void)size, (void)key, (void)vector, (void)table;
    return hcri_fail_at(error, HCR_ERROR_UNSUPPORTED, file, 0, 0,
                        "this build of hcr has no libzip, which NPZ archives need: save the array as .npy");
}

#endif
