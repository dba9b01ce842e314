/* Which of several origins sees a point best. */
#include "maps/maps.h"

/* The gauges of `rows` points, at most a chunk, from origin number k; NaN where it isn't inside, nor another. */
static hcr_status measure(const hcr_region *region, hcr_workspace *workspace, size_t rows, hcri_call call, size_t k,
                          void *gauge, hcr_error *error) {
    static const hcri_map *const point_gauge = &hcri_map_point_gauge;
    call.map = point_gauge;
    call.origin = k + 1;
    call.out = gauge;
    return hcri_map_run(region, workspace, rows, &call, error);
}

static hcr_status choose(const hcr_region *region, hcr_workspace *workspace, size_t rows, const hcri_call *call,
                         hcr_error *error) {
    const size_t n = region == NULL ? 0 : region->set.outputs, p = region == NULL ? 0 : region->origin_map.parameters;
    const size_t size = call->precision == HCR_SINGLE ? sizeof(float) : sizeof(double);
    HCRI_FAIL_IF(rows != 0 && call->out == NULL, HCR_ERROR_ARGUMENT, "an array is NULL where there are rows");
    for (size_t first = 0; first < rows; first += HCRI_CHUNK) {
        const size_t count = rows - first < HCRI_CHUNK ? rows - first : HCRI_CHUNK;
        hcri_call part = *call;
        double least[HCRI_CHUNK], gauge[HCRI_CHUNK];
        part.in = call->in == NULL ? NULL : (const char *)call->in + first * n * size;
        part.factor = part.in;
        part.x = call->x == NULL ? NULL : (const char *)call->x + first * p * size;
        for (size_t s = 0; s < count; s++)
            least[s] = INFINITY;
        for (size_t k = 0; k == 0 || k < region->origins; k++) {
            HCRI_TRY(measure(region, workspace, count, part, k, gauge, error));
            for (size_t s = 0; s < count; s++) {
                const double own =
                    call->precision == HCR_SINGLE ? (double)((const float *)(const void *)gauge)[s] : gauge[s];
                if (k != 0 && !(own < least[s]))
                    continue;
                least[s] = isnan(own) ? INFINITY : own;
                if (call->precision == HCR_SINGLE)
                    ((float *)call->out)[first + s] = (float)k;
                else
                    ((double *)call->out)[first + s] = (double)k;
            }
        }
    }
    return HCR_OK;
}

hcr_status hcr_choose_origins(const hcr_region *region, hcr_workspace *workspace, size_t rows, const double *parameters,
                              const double *y, double *chosen, hcr_error *error) {
    return choose(region, workspace, rows,
                  &(hcri_call){.precision = HCR_DOUBLE, .x = parameters, .in = y, .out = chosen}, error);
}

hcr_status hcr_choose_origins_f32(const hcr_region *region, hcr_workspace *workspace, size_t rows,
                                  const float *parameters, const float *y, float *chosen, hcr_error *error) {
    return choose(region, workspace, rows,
                  &(hcri_call){.precision = HCR_SINGLE, .x = parameters, .in = y, .out = chosen}, error);
}
