/* The maps as custom calls of XLA's: what JAX runs on the CPU, without Python. Three handlers, for the maps and for
 * their derivatives in reverse and forwards; each call names its map and its region by attributes. Regions are known by
 * their digest rather than by an address, so that a program that was exported finds its region again, or is refused;
 * for nearest points the digest is of the metric, too. */
#define _POSIX_C_SOURCE 200809L
#include "abi.h"

#include <hcr/hcr_build.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DIGEST = 64, BUCKETS = 256 };

/* A workspace, or for nearest points a projector, that nobody uses at the moment. */
typedef struct idle_workspace {
    struct idle_workspace *next;
    hcr_workspace *workspace;
    hcr_projector *projector;
    size_t threads;
    hcr_bad_value bad; /* of the projector */
} idle_workspace;

/* A region that programs may name; it is never given up, since compiled programs don't say when they are gone. */
typedef struct known_region {
    struct known_region *next;
    char digest[DIGEST];
    const hcr_region *region;
    size_t n, p;
    const hcr_projector_options *nearest; /* NULL: the maps */
    size_t kept;                          /* bytes that a row keeps for the derivatives */
    size_t few;                           /* fewer rows aren't worth a second thread */
    const atomic_size_t *threads;
    pthread_mutex_t lock; /* of what is idle */
    idle_workspace *idle;
} known_region;

static known_region *_Atomic buckets[BUCKETS];

static size_t bucket(const char *digest) {
    return (16 * (size_t)(unsigned char)digest[0] + (size_t)(unsigned char)digest[1]) % BUCKETS;
}

static known_region *find(const char *digest) {
    known_region *region = atomic_load_explicit(&buckets[bucket(digest)], memory_order_acquire);
    while (region != NULL && memcmp(region->digest, digest, DIGEST) != 0)
        region = region->next;
    return region;
}

/* Makes a region known under its digest, 64 hexadecimal digits; or, with options, its nearest points. The region,
 * `threads`, which is read at every call, and the options must live as long as the process. 0 when there is no memory.
 * Not for two callers at once. */
HCR_API int hcr_xla_know(const char *digest, const hcr_region *region, const hcr_projector_options *nearest, size_t few,
                         const atomic_size_t *threads);

int hcr_xla_know(const char *digest, const hcr_region *region, const hcr_projector_options *nearest, size_t few,
                 const atomic_size_t *threads) {
    if (find(digest) != NULL)
        return 1;
    known_region *known = calloc(1, sizeof *known);
    if (known == NULL || pthread_mutex_init(&known->lock, NULL) != 0) {
        free(known);
        return 0;
    }
    memcpy(known->digest, digest, DIGEST);
    known->region = region;
    known->n = hcr_region_dimension(region);
    known->p = hcr_region_parameters(region);
    known->nearest = nearest;
    known->kept = nearest == NULL ? sizeof(hcr_ray) : known->n * sizeof(hcr_contact);
    known->few = few;
    known->threads = threads;
    known_region *_Atomic *first = &buckets[bucket(digest)];
    known->next = atomic_load_explicit(first, memory_order_relaxed);
    atomic_store_explicit(first, known, memory_order_release);
    return 1;
}

/* ------------------------------------------------------------------------------------------------------ workspaces */

static hcr_status make(const known_region *known, idle_workspace *made, hcr_error *error) {
    if (known->nearest == NULL)
        return hcr_workspace_create(known->region, made->threads, &made->workspace, error);
    hcr_projector_options options = *known->nearest;
    options.threads = made->threads;
    options.bad_value = made->bad;
    return hcr_projector_create(known->region, &options, &made->projector, error);
}

static idle_workspace *take(known_region *known, size_t threads, hcr_bad_value bad, hcr_error *error) {
    pthread_mutex_lock(&known->lock);
    idle_workspace **place = &known->idle;
    while (*place != NULL && ((*place)->threads != threads || (known->nearest != NULL && (*place)->bad != bad)))
        place = &(*place)->next;
    idle_workspace *found = *place;
    if (found != NULL)
        *place = found->next;
    pthread_mutex_unlock(&known->lock);
    if (found != NULL)
        return found;
    found = calloc(1, sizeof *found);
    if (found == NULL) {
        snprintf(error->text, sizeof error->text, "there is no memory for a workspace");
        return NULL;
    }
    found->threads = threads;
    found->bad = bad;
    if (make(known, found, error) != HCR_OK) {
        free(found);
        return NULL;
    }
    return found;
}

static void give_back(known_region *known, idle_workspace *used) {
    pthread_mutex_lock(&known->lock);
    used->next = known->idle;
    known->idle = used;
    pthread_mutex_unlock(&known->lock);
}

/* -------------------------------------------------------------------------------------------------- reading a call */

typedef hcr_status map_f64(const hcr_region *, hcr_workspace *, size_t, const double *, const double *, double *,
                           hcr_ray *, hcr_error *);
typedef hcr_status map_f32(const hcr_region *, hcr_workspace *, size_t, const float *, const float *, float *,
                           hcr_ray *, hcr_error *);
typedef hcr_status vjp_f64(const hcr_region *, hcr_workspace *, size_t, const double *, const double *, const hcr_ray *,
                           const double *, double *, double *, hcr_error *);
typedef hcr_status vjp_f32(const hcr_region *, hcr_workspace *, size_t, const float *, const float *, const hcr_ray *,
                           const float *, float *, float *, hcr_error *);

typedef hcr_status jvp_f64(const hcr_region *, hcr_workspace *, size_t, const double *, const double *, const hcr_ray *,
                           const double *, const double *, double *, hcr_error *);
typedef hcr_status jvp_f32(const hcr_region *, hcr_workspace *, size_t, const float *, const float *, const hcr_ray *,
                           const float *, const float *, float *, hcr_error *);

enum { GAUGE, ENCODE, DECODE, MAPS = 5, NEAREST = MAPS }; /* contract and soften, too: in the order of the tables */
static map_f64 *const maps_f64[MAPS] = {hcr_gauge, hcr_encode, hcr_decode, hcr_contract, hcr_soften};
static map_f32 *const maps_f32[MAPS] = {hcr_gauge_f32, hcr_encode_f32, hcr_decode_f32, hcr_contract_f32,
                                        hcr_soften_f32};
static vjp_f64 *const vjps_f64[MAPS] = {hcr_gauge_vjp, hcr_encode_vjp, hcr_decode_vjp, hcr_contract_vjp,
                                        hcr_soften_vjp};
static vjp_f32 *const vjps_f32[MAPS] = {hcr_gauge_vjp_f32, hcr_encode_vjp_f32, hcr_decode_vjp_f32, hcr_contract_vjp_f32,
                                        hcr_soften_vjp_f32};

static jvp_f64 *const jvps_f64[MAPS] = {hcr_gauge_jvp, hcr_encode_jvp, hcr_decode_jvp, hcr_contract_jvp,
                                        hcr_soften_jvp};
static jvp_f32 *const jvps_f32[MAPS] = {hcr_gauge_jvp_f32, hcr_encode_jvp_f32, hcr_decode_jvp_f32, hcr_contract_jvp_f32,
                                        hcr_soften_jvp_f32};

typedef struct map_call {
    known_region *known;
    size_t map;
    hcr_bad_value bad;
    size_t rows;
    int type;
    size_t width, result_width; /* of the map: 0 stands for a result that is one number a row */
} map_call;

static xla_error *failed(const xla_frame *frame, int code, const char *text) {
    char message[1700];
    snprintf(message, sizeof message, "hcr: %s", text);
    return frame->api->create_error(&(xla_new_error){sizeof(xla_new_error), NULL, message, code});
}

/* Answers the question for this handler's version. It says that of the runtime, when its layouts are those of abi.h, so
 * that an older one takes it too; else its own, which the runtime refuses. The oldest don't show theirs. */
static void describe(const xla_frame *frame) {
    xla_metadata *metadata = ((xla_metadata_extension *)(void *)frame->extensions)->metadata;
    const xla_version oldest = {.major = XLA_MAJOR, .minor = XLA_OLDEST_MINOR};
    const xla_version *theirs = frame->api != NULL ? &frame->api->version : &oldest;
    metadata->version.major = XLA_MAJOR;
    metadata->version.minor = theirs->major == XLA_MAJOR ? theirs->minor : XLA_OLDEST_MINOR;
    metadata->traits = 0;
}

static const void *attribute(const xla_frame *frame, const char *name, int kind) {
    const xla_attributes *all = &frame->attributes;
    for (int64_t i = 0; i < all->count; i++)
        if (all->kinds[i] == kind && all->names[i]->length == strlen(name) &&
            memcmp(all->names[i]->bytes, name, strlen(name)) == 0)
            return all->values[i];
    return NULL;
}

/* Whether a buffer has `rows` rows of `width` numbers of a type; of one number each, without an axis for it, for 0. */
static int is(const xla_buffer *buffer, int type, size_t rows, size_t width) {
    if (buffer->type != type || buffer->rank < (width != 0))
        return 0;
    size_t count = 1;
    for (int64_t i = 0; i < buffer->rank; i++)
        count *= (size_t)buffer->dimensions[i];
    return count == rows * (width != 0 ? width : 1) &&
           (width == 0 || (size_t)buffer->dimensions[buffer->rank - 1] == width);
}

/* The parameters' buffer of a region without any has no columns. */
static int are_parameters(const xla_buffer *buffer, const map_call *call) {
    if (call->known->p != 0)
        return is(buffer, call->type, call->rows, call->known->p);
    return buffer->rank >= 1 && buffer->dimensions[buffer->rank - 1] == 0;
}

/* What a call is for; NULL when that is clear. */
static xla_error *read_call(const xla_frame *frame, map_call *call) {
    const xla_span *digest = attribute(frame, "region", XLA_ATTRIBUTE_STRING);
    const xla_scalar *map = attribute(frame, "map", XLA_ATTRIBUTE_SCALAR);
    if (digest == NULL || digest->length != DIGEST || map == NULL || map->type != XLA_TYPE_S64 ||
        *(const uint64_t *)map->value > NEAREST)
        return failed(frame, XLA_INVALID_ARGUMENT, "a call must have the attributes \"map\" and \"region\"");
    call->map = (size_t) * (const uint64_t *)map->value;
    const xla_scalar *bad = attribute(frame, "bad", XLA_ATTRIBUTE_SCALAR); /* programs of before have none */
    call->bad = HCR_BAD_NAN;
    if (bad != NULL && bad->type == XLA_TYPE_S64 && *(const int64_t *)bad->value == HCR_BAD_ORIGIN)
        call->bad = HCR_BAD_ORIGIN;
    call->known = find(digest->bytes);
    if (call->known == NULL) {
        char text[160];
        snprintf(text, sizeof text,
                 "the program needs the region %.12s…, which this process hasn't seen: load it, and pass it to "
                 "hcr.jax.know",
                 digest->bytes);
        return failed(frame, XLA_NOT_FOUND, text);
    }
    if ((call->map == NEAREST) != (call->known->nearest != NULL))
        return failed(frame, XLA_INVALID_ARGUMENT, "the attribute \"map\" isn't one of its region's");
    const xla_buffer *values = frame->arguments.buffers[0];
    const size_t n = call->known->n;
    call->type = values->type;
    call->width = n + (call->map == DECODE);
    call->result_width = call->map == GAUGE ? 0 : n + (call->map == ENCODE);
    call->rows = 1;
    for (int64_t i = 0; i + 1 < values->rank; i++)
        call->rows *= (size_t)values->dimensions[i];
    if ((call->type != XLA_TYPE_F32 && call->type != XLA_TYPE_F64) ||
        !is(values, call->type, call->rows, call->width) || !are_parameters(frame->arguments.buffers[1], call))
        return failed(frame, XLA_INVALID_ARGUMENT, "the values or the parameters have the wrong type or shape");
    return NULL;
}

/* A workspace for that many rows. */
static idle_workspace *workspace_for(const map_call *call, hcr_error *error) {
    size_t threads = atomic_load_explicit(call->known->threads, memory_order_relaxed);
    if (threads < 1 || call->rows < call->known->few)
        threads = 1;
    idle_workspace *taken = take(call->known, threads, call->bad, error);
    if (taken != NULL && taken->workspace != NULL)
        (void)!hcr_workspace_set_bad_value(taken->workspace, call->bad, NULL); /* both exist */
    return taken;
}

/* Whether a call is to be answered already: with what is in *answer. */
static int is_answered(const xla_frame *frame, int64_t arguments, xla_error **answer) {
    *answer = NULL;
    if (frame->extensions != NULL && frame->extensions->type == XLA_EXTENSION_METADATA) {
        describe(frame);
        return 1;
    }
    if (frame->stage != XLA_STAGE_EXECUTE)
        return 1;
    if (frame->size < sizeof *frame || frame->arguments.count != arguments || frame->results.count < 1 ||
        frame->results.count > 2) {
        *answer = failed(frame, XLA_INVALID_ARGUMENT, "a call has the wrong number of arguments or results");
        return 1;
    }
    return 0;
}

/* What a call's arrays are, in its type; those of parameters are NULL without any. */
typedef struct call_arrays {
    const void *x, *values, *kept; /* kept: rays or contacts */
    const void *factor, *x_factor;
    void *result, *x_result, *to_keep;
} call_arrays;

static hcr_status run_map(const map_call *call, const idle_workspace *used, const call_arrays *a, hcr_error *error) {
    const hcr_region *region = call->known->region;
    const int is_double = call->type == XLA_TYPE_F64;
    if (call->map == NEAREST)
        return is_double
                   ? hcr_project(used->projector, call->rows, a->x, a->values, a->result, NULL, a->to_keep, error)
                   : hcr_project_f32(used->projector, call->rows, a->x, a->values, a->result, NULL, a->to_keep, error);
    return is_double
               ? maps_f64[call->map](region, used->workspace, call->rows, a->x, a->values, a->result, a->to_keep, error)
               : maps_f32[call->map](region, used->workspace, call->rows, a->x, a->values, a->result, a->to_keep,
                                     error);
}

static hcr_status run_vjp(const map_call *call, const idle_workspace *used, const call_arrays *a, hcr_error *error) {
    const hcr_region *region = call->known->region;
    const int is_double = call->type == XLA_TYPE_F64;
    if (call->map == NEAREST)
        return is_double ? hcr_project_vjp(used->projector, call->rows, a->x, a->values, a->kept, a->factor, a->result,
                                           a->x_result, error)
                         : hcr_project_vjp_f32(used->projector, call->rows, a->x, a->values, a->kept, a->factor,
                                               a->result, a->x_result, error);
    return is_double ? vjps_f64[call->map](region, used->workspace, call->rows, a->x, a->values, a->kept, a->factor,
                                           a->result, a->x_result, error)
                     : vjps_f32[call->map](region, used->workspace, call->rows, a->x, a->values, a->kept, a->factor,
                                           a->result, a->x_result, error);
}

static hcr_status run_jvp(const map_call *call, const idle_workspace *used, const call_arrays *a, hcr_error *error) {
    const hcr_region *region = call->known->region;
    const int is_double = call->type == XLA_TYPE_F64;
    if (call->map == NEAREST)
        return is_double ? hcr_project_jvp(used->projector, call->rows, a->x, a->values, a->kept, a->factor,
                                           a->x_factor, a->result, error)
                         : hcr_project_jvp_f32(used->projector, call->rows, a->x, a->values, a->kept, a->factor,
                                               a->x_factor, a->result, error);
    return is_double ? jvps_f64[call->map](region, used->workspace, call->rows, a->x, a->values, a->kept, a->factor,
                                           a->x_factor, a->result, error)
                     : jvps_f32[call->map](region, used->workspace, call->rows, a->x, a->values, a->kept, a->factor,
                                           a->x_factor, a->result, error);
}

typedef hcr_status run_function(const map_call *call, const idle_workspace *used, const call_arrays *a,
                                hcr_error *error);

static xla_error *run(const xla_frame *frame, const map_call *call, run_function *function, call_arrays arrays) {
    hcr_error error = {0};
    idle_workspace *used = workspace_for(call, &error);
    if (used == NULL)
        return failed(frame, XLA_RESOURCE_EXHAUSTED, error.text);
    if (call->known->p == 0)
        arrays.x = arrays.x_factor = arrays.x_result = NULL;
    const hcr_status status = function(call, used, &arrays, &error);
    give_back(call->known, used);
    return status == HCR_OK ? NULL : failed(frame, XLA_INTERNAL, error.text);
}

/* -------------------------------------------------------------------------------------------------------- handlers */

/* (values, x) to the map's result and, when there is a second result, the rays: rows × 16 bytes; of nearest points the
 * contacts, rows × 24 n. */
HCR_API xla_error *hcr_xla_map(xla_frame *frame);

xla_error *hcr_xla_map(xla_frame *frame) {
    xla_error *answer;
    map_call call;
    if (is_answered(frame, 2, &answer) || (answer = read_call(frame, &call)) != NULL)
        return answer;
    const xla_buffer *values = frame->arguments.buffers[0], *x = frame->arguments.buffers[1];
    const xla_buffer *result = frame->results.buffers[0];
    const xla_buffer *rays = frame->results.count > 1 ? frame->results.buffers[1] : NULL;
    if (!is(result, call.type, call.rows, call.result_width) ||
        (rays != NULL && !is(rays, XLA_TYPE_U8, call.rows, call.known->kept)))
        return failed(frame, XLA_INVALID_ARGUMENT, "the result has the wrong type or shape");
    return run(
        frame, &call, run_map,
        (call_arrays){
            .x = x->data, .values = values->data, .result = result->data, .to_keep = rays != NULL ? rays->data : NULL});
}

/* (values, x, rays, the gradient by the result) to the gradients by the values and by x. */
HCR_API xla_error *hcr_xla_vjp(xla_frame *frame);

xla_error *hcr_xla_vjp(xla_frame *frame) {
    xla_error *answer;
    map_call call;
    if (is_answered(frame, 4, &answer) || (answer = read_call(frame, &call)) != NULL)
        return answer;
    const xla_buffer *values = frame->arguments.buffers[0], *x = frame->arguments.buffers[1];
    const xla_buffer *rays = frame->arguments.buffers[2], *bar = frame->arguments.buffers[3];
    const xla_buffer *by_values = frame->results.buffers[0], *by_x = frame->results.buffers[frame->results.count - 1];
    if (!is(rays, XLA_TYPE_U8, call.rows, call.known->kept) || !is(bar, call.type, call.rows, call.result_width) ||
        !is(by_values, call.type, call.rows, call.width) || !are_parameters(by_x, &call))
        return failed(frame, XLA_INVALID_ARGUMENT, "the gradients have the wrong type or shape");
    return run(frame, &call, run_vjp,
               (call_arrays){.x = x->data,
                             .values = values->data,
                             .kept = rays->data,
                             .factor = bar->data,
                             .result = by_values->data,
                             .x_result = by_x->data});
}

/* (values, x, rays, how the values change, how x does) to how the result changes. */
HCR_API xla_error *hcr_xla_jvp(xla_frame *frame);

xla_error *hcr_xla_jvp(xla_frame *frame) {
    xla_error *answer;
    map_call call;
    if (is_answered(frame, 5, &answer) || (answer = read_call(frame, &call)) != NULL)
        return answer;
    const xla_buffer *values = frame->arguments.buffers[0], *x = frame->arguments.buffers[1];
    const xla_buffer *rays = frame->arguments.buffers[2], *dot = frame->arguments.buffers[3];
    const xla_buffer *x_dot = frame->arguments.buffers[4], *result = frame->results.buffers[0];
    if (!is(rays, XLA_TYPE_U8, call.rows, call.known->kept) || !is(dot, call.type, call.rows, call.width) ||
        !are_parameters(x_dot, &call) || !is(result, call.type, call.rows, call.result_width))
        return failed(frame, XLA_INVALID_ARGUMENT, "the changes have the wrong type or shape");
    return run(frame, &call, run_jvp,
               (call_arrays){.x = x->data,
                             .values = values->data,
                             .kept = rays->data,
                             .factor = dot->data,
                             .x_factor = x_dot->data,
                             .result = result->data});
}
