/* Model files: the same bytes and the same predictions after a round trip; damage is refused. */
#include <jansson.h>
#include <locale.h>

#include "train/model.h"

#define N 3
#define INPUTS 4
#define ROWS 12

#include "fixture.h"

static const char *const path = "learn_test_model.safetensors", *const copy = "learn_test_model.copy";

static int remove_all(void **state) {
    remove(path);
    remove(copy);
    return teardown(state);
}

static const char *const text = "# Grenzwerte für y\nvar y[3]\n", *const names[INPUTS] = {"a", "b,\"c\"", "d e", "f\n"};

static hcr_model *make_model(hcr_encoder encoder, hcr_head head) {
    hcr_fit_options options = HCR_FIT_OPTIONS_INIT;
    options.encoder = encoder;
    options.head = head;
    options.hidden = 5;
    options.features = 2;
    options.epochs = 2;
    options.rate = 1.0 / 3;
    options.seed = UINT64_MAX;
    options.loss = head == HCR_HEAD_HCR ? HCR_LOSS_SQUARED : (hcr_loss)((head + 1) % 4);
    options.delta = 0.1;
    options.quantile = 0.3;
    hcr_model *model = NULL;
    assert_int_equal(hcr_fit(region, text, ROWS, INPUTS, X, names, NULL, Y, &options, &model, NULL, NULL), HCR_OK);
    return model;
}

static void check_same(const hcr_model *first, const hcr_model *second) {
    double a[ROWS * N], b[ROWS * N];
    assert_int_equal(hcr_predict(first, ROWS, X, NULL, a, NULL, NULL), HCR_OK);
    assert_int_equal(hcr_predict(second, ROWS, X, NULL, b, NULL, NULL), HCR_OK);
    assert_memory_equal(a, b, sizeof a);
}

/* C38: file → model → file gives the same bytes; predictions have the same bits; subnormal weights and −0 survive. */
static void test_round_trip(void **state) {
    (void)state;
    for (int encoder = 0; encoder <= 1; encoder++)
        for (int head = 0; head <= 5; head++) {
            hcr_model *model = make_model((hcr_encoder)encoder, (hcr_head)head), *loaded = NULL;
            model->weights[0] = 1e-45f;
            model->weights[1] = -0.0f;
            assert_int_equal(hcri_model_finish(model, NULL), HCR_OK);
            assert_int_equal(hcr_model_save(model, path, NULL), HCR_OK);
            assert_int_equal(hcr_model_load(path, &loaded, NULL), HCR_OK);
            assert_int_equal(hcr_model_save(loaded, copy, NULL), HCR_OK);
            size_t size, copied;
            char *bytes = read_file(path, &size), *again = read_file(copy, &copied);
            assert_int_equal(size, copied);
            assert_memory_equal(bytes, again, size);
            free(bytes);
            free(again);
            check_same(model, loaded);
            assert_memory_equal(model->weights, loaded->weights, model->net.weights * sizeof(float));
            assert_string_equal(hcr_model_region_text(loaded), text);
            assert_int_equal(hcr_model_inputs(loaded), INPUTS);
            for (size_t j = 0; j < INPUTS; j++)
                assert_string_equal(hcr_model_input_names(loaded)[j], names[j]);
            assert_string_equal(hcr_model_output_names(loaded)[2], "y[2]");
            assert_string_equal(hcr_model_summary(loaded), hcr_model_summary(model));
            assert_true(loaded->options.rate == 1.0 / 3 && loaded->options.seed == UINT64_MAX);
            assert_true(loaded->options.loss == model->options.loss);
            assert_true(loaded->options.loss != HCR_LOSS_HUBER || loaded->options.delta == 0.1);
            assert_true(loaded->options.loss != HCR_LOSS_PINBALL || loaded->levels[N - 1] == 0.3);
            assert_int_equal(hcr_region_dimension(hcr_model_region(loaded)), N);
            hcr_model_free(model);
            hcr_model_free(loaded);
        }
}

/* The layout that other readers of safetensors rely on: JSON within the length given, data without gaps, aligned. */
static void test_layout(void **state) {
    (void)state;
    hcr_model *model = make_model(HCR_ENCODER_LSTM, HCR_HEAD_HCR);
    assert_int_equal(hcr_model_save(model, path, NULL), HCR_OK);
    size_t size;
    char *bytes = read_file(path, &size);
    uint64_t length;
    memcpy(&length, bytes, sizeof length);
    assert_int_equal(length % 8, 0);
    json_t *header = json_loadb(bytes + 8, (size_t)length, 0, NULL), *entry;
    assert_non_null(header);
    const char *name;
    size_t data = 0, seen = 0;
    json_object_foreach(header, name, entry) {
        if (strcmp(name, "__metadata__") == 0) {
            const char *key;
            json_t *value;
            json_object_foreach(entry, key, value) assert_true(json_is_string(value));
            continue;
        }
        const size_t begin = (size_t)json_integer_value(json_array_get(json_object_get(entry, "data_offsets"), 0));
        const size_t end = (size_t)json_integer_value(json_array_get(json_object_get(entry, "data_offsets"), 1));
        const char *type = json_string_value(json_object_get(entry, "dtype"));
        assert_int_equal(begin % (type[0] == 'U' ? 1 : type[1] == '3' ? 4 : 8), 0);
        data += end - begin;
        seen++;
    }
    assert_int_equal(8 + length + data, size);
    assert_int_equal(seen, 10); /* five parameters, four scalings, the region */
    const json_t *shape = json_object_get(json_object_get(header, "encoder.weight_hh"), "shape");
    assert_int_equal(json_integer_value(json_array_get(shape, 0)), 20);
    assert_int_equal(json_integer_value(json_array_get(shape, 1)), 5);
    json_decref(header);
    free(bytes);
    hcr_model_free(model);
}

/* Any bit flipped, any length cut, anything added: refused, and no model. */
static void test_damage(void **state) {
    (void)state;
    hcr_model *model = make_model(HCR_ENCODER_DENSE, HCR_HEAD_CONTRACT), *loaded = NULL;
    assert_int_equal(hcr_model_save(model, path, NULL), HCR_OK);
    hcr_model_free(model);
    size_t size;
    char *bytes = read_file(path, &size);
    for (size_t k = 0; k < size; k += k < 2200 ? 1 : 7) {
        bytes[k] = (char)(bytes[k] ^ (1 << k % 8));
        write_file(copy, bytes, size);
        const hcr_status status = hcr_model_load(copy, &loaded, NULL);
        assert_true(status == HCR_ERROR_FORMAT || status == HCR_ERROR_VERSION);
        assert_null(loaded);
        bytes[k] = (char)(bytes[k] ^ (1 << k % 8));
    }
    for (size_t length = 0; length < size; length += 37) {
        write_file(copy, bytes, length);
        assert_int_equal(hcr_model_load(copy, &loaded, NULL), HCR_ERROR_FORMAT);
    }
    bytes[size] = 0;
    write_file(copy, bytes, size + 1);
    assert_int_equal(hcr_model_load(copy, &loaded, NULL), HCR_ERROR_FORMAT);
    assert_int_equal(hcr_model_load("nonexistent", &loaded, NULL), HCR_ERROR_FILE);
    free(bytes);
}

/* C39: headers that JSON readers have stumbled over. The file is the header alone, with no data after it. */
static void test_odd_headers(void **state) {
    (void)state;
    static char nested[20008];
    memset(nested, '[', 20000);
    const char *const headers[] = {
        "",
        "{}",
        "[]",
        "null",
        "{\"__metadata__\":{}}",
        "{\"__metadata__\":{\"format\":\"hcr-model\"}}",
        "{\"__metadata__\":{\"format\":1}}",
        "{\"__metadata__\":[]}",
        "{\"__metadata__\":{},\"a\":{\"dtype\":\"F32\",\"shape\":[NaN],\"data_offsets\":[0,0]}}",
        "{\"__metadata__\":{},\"a\":{\"dtype\":\"F32\",\"shape\":[1e999],\"data_offsets\":[0,4]}}",
        "{\"__metadata__\":{},\"a\":{\"dtype\":\"F32\",\"shape\":[-1],\"data_offsets\":[0,0]}}",
        "{\"__metadata__\":{},\"a\":{\"dtype\":\"F32\",\"shape\":[4611686018427387904,4],\"data_offsets\":[0,0]}}",
        "{\"__metadata__\":{},\"a\":{\"dtype\":\"F64\",\"shape\":[0],\"data_offsets\":[9223372036854775807,"
        "9223372036854775807]}}",
        "{\"__metadata__\":{},\"a\":{\"dtype\":\"I64\",\"shape\":[0],\"data_offsets\":[0,0]}}",
        "{\"__metadata__\":{},\"__metadata__\":{}}",
        "{\"__metadata__\":{\"digest\":\"0\"}}",
        nested};
    hcr_model *loaded = NULL;
    for (size_t i = 0; i < sizeof headers / sizeof *headers; i++) {
        const uint64_t length = strlen(headers[i]);
        char *bytes = malloc(8 + length);
        memcpy(bytes, &length, 8);
        memcpy(bytes + 8, headers[i], length);
        write_file(copy, bytes, 8 + length);
        free(bytes);
        assert_int_equal(hcr_model_load(copy, &loaded, NULL), HCR_ERROR_FORMAT);
        assert_null(loaded);
    }
    const uint64_t lengths[] = {UINT64_MAX, UINT64_MAX - 7, 1};
    for (size_t i = 0; i < 3; i++) {
        write_file(copy, (const char *)&lengths[i], 8);
        assert_int_equal(hcr_model_load(copy, &loaded, NULL), HCR_ERROR_FORMAT);
    }
}

/* C30: a locale with decimal commas changes nothing (where the machine has one). */
static void test_decimal_comma(void **state) {
    (void)state;
    hcr_model *model = make_model(HCR_ENCODER_DENSE, HCR_HEAD_SIMPLE), *loaded = NULL;
    assert_int_equal(hcr_model_save(model, path, NULL), HCR_OK);
    if (setlocale(LC_ALL, "de_DE.UTF-8") == NULL && setlocale(LC_ALL, "fr_FR.UTF-8") == NULL) {
        hcr_model_free(model);
        skip();
    }
    assert_int_equal(hcr_model_load(path, &loaded, NULL), HCR_OK);
    assert_int_equal(hcr_model_save(model, copy, NULL), HCR_OK);
    setlocale(LC_ALL, "C");
    size_t size, copied;
    char *bytes = read_file(path, &size), *again = read_file(copy, &copied);
    assert_int_equal(size, copied);
    assert_memory_equal(bytes, again, size);
    check_same(model, loaded);
    free(bytes);
    free(again);
    hcr_model_free(model);
    hcr_model_free(loaded);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip),  cmocka_unit_test(test_layout),        cmocka_unit_test(test_damage),
        cmocka_unit_test(test_odd_headers), cmocka_unit_test(test_decimal_comma),
    };
    return cmocka_run_group_tests(tests, setup, remove_all);
}
