#ifndef HCR_H
#define HCR_H

#if HCR_CUDA
#include <stddef.h>
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef real hcr_real;

/* What became of a call. */
enum {
    HCR_INSIDE = 0,      /* strictly inside, where the input put it */
    HCR_FRONTIER = 1,    /* the frontier stopped it; check: inside or outside by less than rounding */
    HCR_AT_ORIGIN = 2,   /* the direction is 0 */
    HCR_OUTSIDE = 3,     /* check: not in the region */
    HCR_BAD_VALUE = 4,   /* a NaN or an infinity in the input: the result is the origin */
    HCR_NO_FRONTIER = 5, /* decode: nothing stops this direction: the result is the origin */
#if HCR_MAY_FAIL
    HCR_NO_ORIGIN = 8, /* no origin is inside for certain: the result is NaN */
#endif
    HCR_OUT_OF_RANGE = 7 /* a parameter is: the result is the origin for those held in range */
};

#if HCR_CUDA
/* All arrays are on the device, row by row, an outcome a row. One launch on the stream (a cudaStream_t) each; returns
 * what cudaGetLastError says of that. */
struct CUstream_st;

#if !defined(__CUDACC_RTC__)
#if HCR_MODEL
/* The model's predictions; inside the region, whatever the input, but for a model of the head simple. */
#if HCR_GIVEN
/* x are the region's parameters. */
#endif
int hcr_predict_rows(size_t rows, const hcr_real *input, HCR_GIVEN_X hcr_real *y, int *outcome,
                     struct CUstream_st *stream);
#endif

#if HCR_MAPS
#if HCR_PARAMETERS
/* x are the region's parameters. */
#endif
/* y = O + radius direction/gauge(direction), radius held in [0, 1]: a row of polar is a direction and a radius. */
int hcr_decode_rows(size_t rows, const hcr_real *polar, HCR_X hcr_real *y, int *outcome, struct CUstream_st *stream);

/* y = O + v/max(1, gauge(v)): the points O + v of the region stay where they are. */
int hcr_contract_rows(size_t rows, const hcr_real *v, HCR_X hcr_real *y, int *outcome, struct CUstream_st *stream);

/* y = O + v/(1 + gauge(v)). */
int hcr_soften_rows(size_t rows, const hcr_real *v, HCR_X hcr_real *y, int *outcome, struct CUstream_st *stream);

/* HCR_INSIDE when y satisfies every inequality for certain, HCR_OUTSIDE when it doesn't, HCR_FRONTIER when rounding
 * leaves it open. */
int hcr_check_rows(size_t rows, HCR_X const hcr_real *y, int *outcome, struct CUstream_st *stream);

/* O. */
int hcr_origin_rows(size_t rows, HCR_X hcr_real *y, struct CUstream_st *stream);
#endif

#if HCR_GRADIENT
/* The gradient of a scalar by the input from y_bar, that by y: what a map's derivative sends it to. */
#if HCR_PARAMETERS
/* x_bar: by the parameters; 0 where one is out of its range. */
#endif
int hcr_decode_gradient_rows(size_t rows, const hcr_real *polar, HCR_X const hcr_real *y_bar,
                             hcr_real *polar_bar HCR_X_BAR, struct CUstream_st *stream);
int hcr_contract_gradient_rows(size_t rows, const hcr_real *v, HCR_X const hcr_real *y_bar, hcr_real *v_bar HCR_X_BAR,
                               struct CUstream_st *stream);
int hcr_soften_gradient_rows(size_t rows, const hcr_real *v, HCR_X const hcr_real *y_bar, hcr_real *v_bar HCR_X_BAR,
                             struct CUstream_st *stream);

/* How a result changes when the input changes so. */
int hcr_decode_tangent_rows(size_t rows, const hcr_real *polar, HCR_X const hcr_real *polar_dot,
                            HCR_X_DOT hcr_real *y_dot, struct CUstream_st *stream);
int hcr_contract_tangent_rows(size_t rows, const hcr_real *v, HCR_X const hcr_real *v_dot, HCR_X_DOT hcr_real *y_dot,
                              struct CUstream_st *stream);
int hcr_soften_tangent_rows(size_t rows, const hcr_real *v, HCR_X const hcr_real *v_dot, HCR_X_DOT hcr_real *y_dot,
                            struct CUstream_st *stream);
#endif
#endif
#else
#if HCR_MODEL
/* The model's prediction; inside the region, whatever the input, but for a model of the head simple. */
#if HCR_GIVEN
/* x are the region's parameters. */
#endif
API int hcr_predict(const hcr_real *input, HCR_GIVEN_X hcr_real *y);
#endif

#if HCR_MAPS
#if HCR_PARAMETERS
/* x are the region's parameters. */
#endif
/* y = O + radius direction/gauge(direction), radius held in [0, 1]; the direction's length is of no matter. */
API int hcr_decode(const hcr_real *direction, hcr_real radius, HCR_X hcr_real *y);

/* y = O + v/max(1, gauge(v)): the points O + v of the region stay where they are. */
API int hcr_contract(const hcr_real *v, HCR_X hcr_real *y);

/* y = O + v/(1 + gauge(v)). */
API int hcr_soften(const hcr_real *v, HCR_X hcr_real *y);

/* HCR_INSIDE when y satisfies every inequality for certain, HCR_OUTSIDE when it doesn't, HCR_FRONTIER when rounding
 * leaves it open. */
API int hcr_check(HCR_X const hcr_real *y);

/* O. */
API void hcr_origin(HCR_X hcr_real *y);
#endif

#if HCR_GRADIENT
/* The gradient of a scalar by the input from y_bar, that by y: what a map's derivative sends it to. */
#if HCR_PARAMETERS
/* x_bar: by the parameters; 0 where one is out of its range. */
#endif
API void hcr_decode_gradient(const hcr_real *direction, hcr_real radius, HCR_X const hcr_real *y_bar,
                             hcr_real *direction_bar, hcr_real *radius_bar HCR_X_BAR);
API void hcr_contract_gradient(const hcr_real *v, HCR_X const hcr_real *y_bar, hcr_real *v_bar HCR_X_BAR);
API void hcr_soften_gradient(const hcr_real *v, HCR_X const hcr_real *y_bar, hcr_real *v_bar HCR_X_BAR);

/* How a result changes when the input changes so. */
API void hcr_decode_tangent(const hcr_real *direction, hcr_real radius, HCR_X const hcr_real *direction_dot,
                            hcr_real radius_dot, HCR_X_DOT hcr_real *y_dot);
API void hcr_contract_tangent(const hcr_real *v, HCR_X const hcr_real *v_dot, HCR_X_DOT hcr_real *y_dot);
API void hcr_soften_tangent(const hcr_real *v, HCR_X const hcr_real *v_dot, HCR_X_DOT hcr_real *y_dot);
#endif
#endif

#ifdef __cplusplus
}
#endif

#endif
