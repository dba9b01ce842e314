#include "formats/safetensors.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/digest.h"
#include "base/file.h"
#include "base/number.h"

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "tensors are written as they lie in memory, and must be little-endian in files"
#endif

static const char *const type_names[] = {"F64", "F32", "U8"};
static const size_t type_sizes[] = {8, 4, 1};
#define TYPES (sizeof type_sizes / sizeof *type_sizes)

static size_t tensor_bytes(const hcri_tensor *tensor) {
    return tensor->rows * (tensor->columns == 0 ? 1 : tensor->columns) * type_sizes[tensor->type];
}

hcr_status hcri_tensors_create(hcri_tensors *tensors, hcr_error *error) {
    *tensors = (hcri_tensors){.metadata = json_object(), .error = error};
    return tensors->metadata == NULL ? hcri_fail_memory(error) : HCR_OK;
}

void hcri_tensors_release(hcri_tensors *tensors) {
    json_decref(tensors->metadata);
    json_decref(tensors->taken);
    hcri_release(&hcri_default_allocator, tensors->bytes);
    *tensors = (hcri_tensors){0};
}

static int compare(const void *a, const void *b) {
    const hcri_tensor *first = a, *second = b;
    if (first->type != second->type)
        return first->type < second->type ? -1 : 1;
    return strcmp(first->name, second->name);
}

static json_t *describe(const hcri_tensor *tensor, size_t begin) {
    json_t *shape = tensor->columns == 0 ? json_pack("[I]", (json_int_t)tensor->rows)
                                         : json_pack("[II]", (json_int_t)tensor->rows, (json_int_t)tensor->columns);
    return json_pack("{sssos[II]}", "dtype", type_names[tensor->type], "shape", shape, "data_offsets",
                     (json_int_t)begin, (json_int_t)(begin + tensor_bytes(tensor)));
}

/* Of everything but the digest itself: the header without it, then the data. */
static uint64_t digest_of(const char *header, size_t size, const void *data, uint64_t digest) {
    return hcri_digest(header == NULL ? digest : hcri_digest(digest, header, strlen(header)), data, size);
}

static hcr_status write_all(const char *path, const char *text, const hcri_tensors *tensors, hcr_error *error) {
    hcri_writer writer;
    HCRI_TRY(hcri_writer_open(&writer, path, error));
    const size_t length = strlen(text), padded = (length + 7) / 8 * 8;
    const uint64_t size = padded;
    int good = fwrite(&size, sizeof size, 1, writer.stream) == 1 && fwrite(text, 1, length, writer.stream) == length &&
               fwrite("       ", 1, padded - length, writer.stream) == padded - length;
    for (size_t i = 0; good && i < tensors->count; i++) {
        const size_t bytes = tensor_bytes(&tensors->tensor[i]);
        good = fwrite(tensors->tensor[i].data, 1, bytes, writer.stream) == bytes;
    }
    if (!good) {
        hcri_writer_abandon(&writer);
        return hcri_fail(error, HCR_ERROR_FILE, "can't write \"%s\": is the disk full?", path);
    }
    return hcri_writer_commit(&writer, error);
}

hcr_status hcri_tensors_save(hcri_tensors *tensors, const char *path) {
    HCRI_TRY(tensors->status);
    hcr_error *error = tensors->error;
    qsort(tensors->tensor, tensors->count, sizeof *tensors->tensor, compare);
    static const size_t compact = JSON_COMPACT | JSON_SORT_KEYS;
    json_auto_t *header = json_pack("{sO}", "__metadata__", tensors->metadata);
    int good = header != NULL;
    size_t begin = 0;
    for (size_t i = 0; good && i < tensors->count; i++) {
        good = json_object_set_new(header, tensors->tensor[i].name, describe(&tensors->tensor[i], begin)) == 0;
        begin += tensor_bytes(&tensors->tensor[i]);
    }
    HCRI_SCOPED char *text = good ? json_dumps(header, compact) : NULL;
    HCRI_ALLOCATED(text);
    uint64_t digest = digest_of(text, 0, NULL, HCRI_DIGEST_START);
    for (size_t i = 0; i < tensors->count; i++)
        digest = digest_of(NULL, tensor_bytes(&tensors->tensor[i]), tensors->tensor[i].data, digest);
    char hexadecimal[20];
    snprintf(hexadecimal, sizeof hexadecimal, "%016" PRIx64, digest);
    if (json_object_set_new(tensors->metadata, "digest", json_string(hexadecimal)) != 0)
        return hcri_fail_memory(error);
    HCRI_SCOPED char *signed_text = json_dumps(header, compact);
    json_object_del(tensors->metadata, "digest");
    return signed_text == NULL ? hcri_fail_memory(error) : write_all(path, signed_text, tensors, error);
}

static hcr_status fail_format(hcr_error *error, const char *path, const char *what) {
    return hcri_fail_at(error, HCR_ERROR_FORMAT, path, 0, 0,
                        "it is damaged or no safetensors file: %s; take another copy of it or make it anew", what);
}

/* Other files that are given for a model. */
static hcr_status refuse_kind(hcr_error *error, const char *path, const char *bytes, size_t size) {
    const char *kind = hcri_file_kind(bytes, size);
    size_t plain = 0;
    while (plain < 8 && plain < size && (unsigned char)bytes[plain] < 0x7F && (unsigned char)bytes[plain] >= '\t')
        plain++;
    if (kind == NULL && plain == 8)
        kind = "a text";
    if (kind == NULL || strcmp(kind, "a model") == 0)
        return HCR_OK;
    return hcri_fail_at(error, HCR_ERROR_FORMAT, path, 0, 0, "this is %s, no model: `hcr fit` makes one", kind);
}

/* One entry of the header. */
static int read_entry(const char *name, json_t *entry, const char *data, size_t size, hcri_tensor *tensor) {
    const char *dtype;
    const json_t *shape;
    json_int_t begin, end, length[2] = {0, 1};
    if (json_unpack_ex(entry, NULL, JSON_STRICT, "{sssos[II]}", "dtype", &dtype, "shape", &shape, "data_offsets",
                       &begin, &end) != 0 ||
        strlen(name) >= sizeof tensor->name)
        return 0;
    size_t type = 0;
    while (type < TYPES && strcmp(dtype, type_names[type]) != 0)
        type++;
    const size_t rank = json_array_size(shape);
    for (size_t k = 0; k < rank && k < 2; k++)
        length[k] = json_is_integer(json_array_get(shape, k)) ? json_integer_value(json_array_get(shape, k)) : -1;
    const json_int_t most = (json_int_t)size;
    if (type == TYPES || rank < 1 || rank > 2 || length[0] < 0 || length[0] > most || length[1] < 1 ||
        length[1] > most || begin < 0 || begin > end || end > most)
        return 0;
    *tensor = (hcri_tensor){.type = (hcri_tensor_type)type,
                            .rows = (size_t)length[0],
                            .columns = rank == 2 ? (size_t)length[1] : 0,
                            .data = data + begin};
    snprintf(tensor->name, sizeof tensor->name, "%s", name);
    return (tensor->rows == 0 || (size_t)length[1] <= size / tensor->rows) &&
           tensor_bytes(tensor) == (size_t)(end - begin);
}

/* Entries may come in any order; their data must fill the file, without gaps or overlaps. */
static hcr_status read_entries(const char *path, json_t *header, const char *data, size_t size, hcri_tensors *tensors,
                               hcr_error *error) {
    const char *name;
    json_t *entry;
    json_object_foreach(header, name, entry) {
        if (tensors->count == HCRI_TENSORS)
            return fail_format(error, path, "it has more tensors than a model");
        if (!read_entry(name, entry, data, size, &tensors->tensor[tensors->count]))
            return fail_format(error, path, "a tensor's type, shape or place can't be");
        tensors->count++;
    }
    size_t filled = 0;
    for (size_t found = 0; found < tensors->count; found++) {
        const hcri_tensor *next = tensors->tensor, *all = next + tensors->count;
        while (next < all && (next->data != data + filled || tensor_bytes(next) == 0))
            next++;
        if (next == all)
            return fail_format(error, path, "its tensors don't lie one after the other");
        filled += tensor_bytes(next);
    }
    if (filled != size)
        return fail_format(error, path, "it is longer or shorter than its tensors");
    return HCR_OK;
}

static hcr_status check_digest(const char *path, const json_t *header, json_t *metadata, const char *data, size_t size,
                               hcr_error *error) {
    json_auto_t *kept = json_incref(json_object_get(metadata, "digest"));
    if (kept == NULL)
        return HCR_OK;
    json_object_del(metadata, "digest");
    HCRI_SCOPED char *text = json_dumps(header, JSON_COMPACT | JSON_SORT_KEYS);
    char hexadecimal[20];
    HCRI_ALLOCATED(text);
    snprintf(hexadecimal, sizeof hexadecimal, "%016" PRIx64, digest_of(text, size, data, HCRI_DIGEST_START));
    return json_is_string(kept) && strcmp(hexadecimal, json_string_value(kept)) == 0
               ? HCR_OK
               : fail_format(error, path, "its content doesn't match its digest");
}

static hcr_status read_header(const char *path, json_t *header, const char *data, size_t size, hcri_tensors *tensors,
                              hcr_error *error) {
    json_t *metadata = json_object_get(header, "__metadata__");
    if (!json_is_object(metadata))
        return fail_format(error, path, "it has no metadata");
    HCRI_TRY(check_digest(path, header, metadata, data, size, error));
    tensors->metadata = json_incref(metadata);
    tensors->taken = json_object();
    HCRI_ALLOCATED(tensors->taken);
    json_object_del(header, "__metadata__");
    return read_entries(path, header, data, size, tensors, error);
}

hcr_status hcri_tensors_load(const char *path, hcri_tensors *tensors, hcr_error *error) {
    *tensors = (hcri_tensors){.error = error};
    size_t size;
    HCRI_TRY(hcri_file_read(path, &hcri_default_allocator, &tensors->bytes, &size, error));
    uint64_t length = 0;
    hcr_status status = refuse_kind(error, path, tensors->bytes, size);
    json_t *header = NULL;
    if (size >= sizeof length)
        memcpy(&length, tensors->bytes, sizeof length);
    if (status == HCR_OK && (size < sizeof length || length > size - sizeof length)) {
        status = fail_format(error, path, "it is cut short");
    } else if (status == HCR_OK) {
        header = json_loadb(tensors->bytes + sizeof length, (size_t)length, JSON_REJECT_DUPLICATES, NULL);
        const size_t start = sizeof length + (size_t)length;
        status = header == NULL ? fail_format(error, path, "its header isn't JSON")
                                : read_header(path, header, tensors->bytes + start, size - start, tensors, error);
    }
    json_decref(header);
    if (status != HCR_OK)
        hcri_tensors_release(tensors);
    return status;
}

/* ----------------------------------------------------------------------------------------------- what a file has */

static void refuse(hcri_tensors *tensors, const char *name) {
    tensors->status =
        hcri_fail(tensors->error, HCR_ERROR_FORMAT, "the file isn't what it says: \"%s\" is missing or can't be", name);
}

#define LONGEST_NAME sizeof(((hcri_tensor *)0)->name)

static const char *prefixed(const hcri_tensors *tensors, const char *name, char *full) {
    snprintf(full, LONGEST_NAME, "%s%s", tensors->prefix, name);
    return full;
}

int hcri_tensors_has(const hcri_tensors *tensors, const char *key) {
    char full[LONGEST_NAME];
    return json_object_get(tensors->metadata, prefixed(tensors, key, full)) != NULL;
}

void hcri_tensors_text(hcri_tensors *tensors, const char *name, const char **text) {
    char full[LONGEST_NAME];
    const char *key = prefixed(tensors, name, full);
    if (tensors->status != HCR_OK)
        return;
    int kept = 1;
    if (tensors->bytes == NULL) {
        json_t *string = json_string(*text);
        if (string == NULL)
            tensors->status =
                hcri_fail(tensors->error, HCR_ERROR_DATA,
                          "the model's \"%s\" can't be kept: it isn't UTF-8 text; change its encoding", key);
        else
            kept = json_object_set_new(tensors->metadata, key, string) == 0;
    } else {
        json_t *string = json_object_get(tensors->metadata, key);
        if (!json_is_string(string)) {
            refuse(tensors, key);
        } else {
            *text = json_string_value(string);
            kept = json_object_set(tensors->taken, key, string) == 0;
            json_object_del(tensors->metadata, key);
        }
    }
    if (!kept)
        tensors->status = hcri_fail_memory(tensors->error);
}

void hcri_tensors_number(hcri_tensors *tensors, const char *key, double *number) {
    char written[32];
    const char *text = written;
    hcri_number_write(written, *number, 0);
    hcri_tensors_text(tensors, key, &text);
    const size_t length = strlen(text);
    if (tensors->status == HCR_OK && (length == 0 || hcri_number_read(text, length, number) != length))
        refuse(tensors, key);
}

void hcri_tensors_count(hcri_tensors *tensors, const char *key, uint64_t *count) {
    char written[32];
    const char *text = written;
    snprintf(written, sizeof written, "%" PRIu64, *count);
    hcri_tensors_text(tensors, key, &text);
    int good = text[0] != '\0' && (text[0] != '0' || text[1] == '\0');
    *count = 0;
    for (const char *c = text; good && *c != '\0'; c++) {
        const unsigned digit = (unsigned)(*c - '0');
        good = digit <= 9 && *count <= (UINT64_MAX - digit) / 10;
        *count = 10 * *count + digit;
    }
    if (!good && tensors->status == HCR_OK)
        refuse(tensors, key);
}

static void add(hcri_tensors *tensors, hcri_tensor tensor, const char *name) {
    prefixed(tensors, name, tensor.name);
    if (tensors->status == HCR_OK)
        tensors->tensor[tensors->count++] = tensor;
}

static hcri_tensor *find(hcri_tensors *tensors, const char *name) {
    char full[LONGEST_NAME];
    prefixed(tensors, name, full);
    for (size_t i = 0; i < tensors->count; i++)
        if (strcmp(tensors->tensor[i].name, full) == 0)
            return &tensors->tensor[i];
    return NULL;
}

static const void *take(hcri_tensors *tensors, hcri_tensor *found) {
    const void *data = found->data;
    *found = tensors->tensor[--tensors->count];
    return data;
}

const void *hcri_tensors_matrix(hcri_tensors *tensors, const char *name, hcri_tensor_type type, size_t rows,
                                size_t columns, const void *data) {
    if (tensors->bytes == NULL) {
        add(tensors, (hcri_tensor){.type = type, .rows = rows, .columns = columns, .data = data}, name);
        return data;
    }
    hcri_tensor *found = find(tensors, name);
    if (tensors->status != HCR_OK)
        return NULL;
    if (found != NULL && found->type == type && found->rows == rows && found->columns == columns)
        return take(tensors, found);
    refuse(tensors, name);
    return NULL;
}

void hcri_tensors_vector(hcri_tensors *tensors, const char *name, hcri_tensor_type type, size_t count, void *data) {
    const void *found = hcri_tensors_matrix(tensors, name, type, count, 0, data);
    if (found != NULL && found != data)
        memcpy(data, found, count * type_sizes[type]);
}

const void *hcri_tensors_bytes(hcri_tensors *tensors, const char *name, size_t *size, const void *data) {
    const hcri_tensor *found = tensors->bytes == NULL ? NULL : find(tensors, name);
    *size = found == NULL ? *size : found->rows;
    return hcri_tensors_matrix(tensors, name, HCRI_U8, *size, 0, data);
}

hcr_status hcri_tensors_finish(hcri_tensors *tensors) {
    HCRI_TRY(tensors->status);
    if (tensors->count != 0)
        return hcri_fail(tensors->error, HCR_ERROR_FORMAT, "the file has a tensor \"%s\" that doesn't belong there",
                         tensors->tensor[0].name);
    const char *key = json_object_iter_key(json_object_iter(tensors->metadata));
    if (key != NULL)
        return hcri_fail(tensors->error, HCR_ERROR_FORMAT,
                         "the file's metadata has a key \"%s\" that doesn't belong there", key);
    return HCR_OK;
}
