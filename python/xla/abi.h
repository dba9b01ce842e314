/* What is used of XLA's foreign-function interface, whose handlers have a C ABI: our own declarations of it, so that
 * the package builds without jaxlib and runs with any. Structs begin with their size as their maker knows it, and grow
 * at their ends; where a field isn't read its place is kept. The tests hold these layouts against jaxlib's header. */
#ifndef HCR_XLA_ABI_H
#define HCR_XLA_ABI_H

#include <stddef.h>
#include <stdint.h>

/* The version whose layouts these are: minor ones later than the oldest have added to them. */
enum { XLA_MAJOR = 0, XLA_OLDEST_MINOR = 1 };

enum { XLA_EXTENSION_METADATA = 1 };
enum { XLA_STAGE_EXECUTE = 3 };
enum { XLA_TYPE_S64 = 5, XLA_TYPE_U8 = 6, XLA_TYPE_F32 = 11, XLA_TYPE_F64 = 12 };
enum { XLA_ATTRIBUTE_SCALAR = 3, XLA_ATTRIBUTE_STRING = 4 };
enum { XLA_INVALID_ARGUMENT = 3, XLA_NOT_FOUND = 5, XLA_RESOURCE_EXHAUSTED = 8, XLA_INTERNAL = 13 };

typedef struct xla_error xla_error;

typedef struct xla_extension {
    size_t size;
    int type;
    struct xla_extension *next;
} xla_extension;

typedef struct xla_version {
    size_t size;
    xla_extension *extensions;
    int major;
    int minor;
} xla_version;

typedef struct xla_span {
    const char *bytes;
    size_t length;
} xla_span;

typedef struct xla_scalar {
    int type;
    void *value;
} xla_scalar;

typedef struct xla_buffer {
    size_t size;
    xla_extension *extensions;
    int type;
    void *data;
    int64_t rank;
    int64_t *dimensions;
} xla_buffer;

/* Arguments, and results: all are buffers. */
typedef struct xla_buffers {
    size_t size;
    xla_extension *extensions;
    int64_t count;
    int *kinds;
    void **buffers;
} xla_buffers;

typedef struct xla_attributes {
    size_t size;
    xla_extension *extensions;
    int64_t count;
    int *kinds;
    xla_span **names;
    void **values;
} xla_attributes;

typedef struct xla_new_error {
    size_t size;
    xla_extension *extensions;
    const char *message;
    int code;
} xla_new_error;

typedef struct xla_api {
    size_t size;
    xla_extension *extensions;
    xla_version version;
    const void *internal;
    xla_error *(*create_error)(xla_new_error *error);
} xla_api;

typedef struct xla_frame {
    size_t size;
    xla_extension *extensions;
    const xla_api *api;
    void *context;
    int stage;
    xla_buffers arguments;
    xla_buffers results;
    xla_attributes attributes;
} xla_frame;

typedef struct xla_metadata {
    size_t size;
    xla_version version;
    uint32_t traits;
} xla_metadata;

/* How a handler is asked for its version, before it is ever run. */
typedef struct xla_metadata_extension {
    xla_extension base;
    xla_metadata *metadata;
} xla_metadata_extension;

#endif
