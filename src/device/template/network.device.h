/* A network in single precision: standardised inputs, one dense layer or one LSTM layer, a linear layer, and what that
 * gives to the map, points = point_scale o + point_shift, and a radius where there is one. Tables: input_mean,
 * input_scale, encoder_weight, encoder_bias, head_weight, head_bias, point_scale, point_shift. With parameters:
 * HCR_GIVEN, they are apart from the inputs, else the table parameter_inputs says which inputs they are; HCR_MOVES,
 * points are taken from the sample's origin. */

typedef struct exponential {
    float power;
    float p;
} exponential;

FN float hold(float x, float bound) {
    const float low = (x > -bound) ? x : -bound;
    return (low < bound) ? low : bound;
}

/* exp(x) = power (1 + p), from the nearest power of 2; x is held in +-87. Without libm. */
FN exponential exponential_of(float x) {
    exponential result = {0.0f, 0.0f};
    const float scaled = x * 0x1.715476p0f;
    const int32_t k = (int32_t)((scaled < 0.0f) ? (scaled - 0.5f) : (scaled + 0.5f));
    const float r = (x - ((float)k * 0x1.62e4p-1f)) - ((float)k * 0x1.7f7d1cp-20f);
    const float square = r * r;
    const float low = 0x1.fffffep-2f + (0x1.5554bp-3f * r);
    const float high = 0x1.555674p-5f + (0x1.122768p-7f * r);
    const float q = low + (square * (high + (0x1.6bec0cp-10f * square)));
    const uint32_t bits = (uint32_t)(k + 127) << 23;
    (void)memcpy(&result.power, &bits, sizeof bits);
    result.p = r + (square * q);
    return result;
}

FN float logistic(float x) {
    const exponential e = exponential_of(-hold(x, 87.0f));
    return 1.0f / (1.0f + (e.power + (e.power * e.p)));
}

FN float hyperbolic_tangent(float x) {
    const exponential twice = exponential_of(2.0f * hold(x, 9.02f));
    const float e = (twice.power - 1.0f) + (twice.power * twice.p);
    return e / (e + 2.0f);
}

/* sum + weight x. */
INLINE float layer_sum(const float *weight, const float *x, uint32_t count, float sum) {
    for (uint32_t j = 0u; j < count; j++) { sum += weight[j] * x[j]; }
    return sum;
}

#if HCR_LSTM
/* Gates input, forget, cell, output; the state after the last step. */
FN void encode(const float *x, float *state) {
    float cell[HCR_HIDDEN];
    float gates[4u * HCR_HIDDEN];
    for (uint32_t i = 0u; i < HCR_HIDDEN; i++) {
        cell[i] = 0.0f;
        state[i] = 0.0f;
    }
    for (uint32_t step = 0u; step < HCR_STEPS; step++) {
        for (uint32_t i = 0u; i < (4u * HCR_HIDDEN); i++) {
            const float *weight = &encoder_weight[i * (HCR_FEATURES + HCR_HIDDEN)];
            const float sum = layer_sum(weight, &x[step * HCR_FEATURES], HCR_FEATURES, encoder_bias[i]);
            gates[i] = layer_sum(&weight[HCR_FEATURES], state, HCR_HIDDEN, sum);
        }
        for (uint32_t i = 0u; i < HCR_HIDDEN; i++) {
            cell[i] = (logistic(gates[HCR_HIDDEN + i]) * cell[i]) +
                      (logistic(gates[i]) * hyperbolic_tangent(gates[(2u * HCR_HIDDEN) + i]));
            state[i] = logistic(gates[(3u * HCR_HIDDEN) + i]) * hyperbolic_tangent(cell[i]);
        }
    }
}
#else
FN void encode(const float *x, float *state) {
    for (uint32_t i = 0u; i < HCR_HIDDEN; i++) {
        const float sum = layer_sum(&encoder_weight[i * HCR_INPUTS], x, HCR_INPUTS, encoder_bias[i]);
#if HCR_LINEAR
        state[i] = sum;
#else
        state[i] = (sum > 0.0f) ? sum : 0.0f;
#endif
    }
}
#endif

/* 0 where an input is no number, or too far from its mean. */
FN int network(const hcr_real *input, real *points) {
    float x[HCR_INPUTS];
    float state[HCR_HIDDEN];
    int sound = 1;
    for (uint32_t j = 0u; j < HCR_INPUTS; j++) {
        const real far = (input[j] - input_mean[j % HCR_FEATURES]) * input_scale[j % HCR_FEATURES];
        const int near_enough =
            (input[j] >= -LARGEST) && (input[j] <= LARGEST) && (far >= R(-1e15)) && (far <= R(1e15));
        sound = (near_enough != 0) ? sound : 0;
        x[j] = (near_enough != 0) ? (float)far : 0.0f;
    }
    encode(x, state);
    for (uint32_t j = 0u; j < HCR_POINTS; j++) {
        const float sum = layer_sum(&head_weight[j * HCR_HIDDEN], state, HCR_HIDDEN, head_bias[j]);
#if HCR_RADIUS
        points[j] = (j < HCR_OUTPUTS) ? ((point_scale[j] * (real)sum) + point_shift[j]) : (real)logistic(sum);
#else
        points[j] = (point_scale[j] * (real)sum) + point_shift[j];
#endif
    }
    return sound;
}

#if HCR_MOVES
/* From where points are to steps from the sample's origin; of soften times 1/(1 - gauge(point_shift - O)), at most 10.
 */
FN void step_from_origin(const hcr_real *x, real *points) {
    real stretch = R(1.0);
    sample here;
    (void)begin(x, &here);
#if HCR_MAY_FAIL
    (void)locate(&here);
#endif
#if HCR_SOFTENED
    {
        journey j;
        real mean[HCR_OUTPUTS];
        for (uint32_t k = 0u; k < HCR_OUTPUTS; k++) { mean[k] = point_shift[k] - here.origin[k]; }
        if (set_out(mean, DAMP_NOTHING, x, &j) == HCR_INSIDE) {
            const real gauge = j.gauge / j.scale;
            stretch = R(1.0) / (R(1.0) - ((gauge < R(0.9)) ? gauge : R(0.9)));
        }
    }
#endif
    for (uint32_t k = 0u; k < HCR_OUTPUTS; k++) { points[k] = stretch * (points[k] - here.origin[k]); }
}
#endif

API int hcr_predict(const hcr_real *input, HCR_GIVEN_X hcr_real *y) {
    real points[HCR_POINTS];
    int outcome = HCR_BAD_VALUE;
#if HCR_AMONG
    real x[HCR_PARAMETERS];
    for (uint32_t k = 0u; k < HCR_PARAMETERS; k++) { x[k] = input[parameter_inputs[k]]; }
#endif
#if HCR_SIMPLE
    const int sound = network(input, points);
    for (uint32_t j = 0u; j < HCR_OUTPUTS; j++) { y[j] = (sound != 0) ? points[j] : centre[j]; }
    outcome = (sound != 0) ? HCR_INSIDE : HCR_BAD_VALUE;
#else
    if (network(input, points) != 0) {
#if HCR_MOVES
        step_from_origin(x, points);
#endif
#if HCR_RADIUS
        outcome = hcr_decode(points, points[HCR_OUTPUTS], HCR_PASS_X y);
#else
#if HCR_SOFTENED
        outcome = hcr_soften(points, HCR_PASS_X y);
#else
        outcome = hcr_contract(points, HCR_PASS_X y);
#endif
#endif
    } else {
        hcr_origin(HCR_PASS_X y);
    }
#endif
    return outcome;
}
