/* Teams of processes, played by threads of this one: any number of them trains the model of one process with as many
 * shares, and what fails in one is told by all. */
#define _POSIX_C_SOURCE 200809L
#include <pthread.h>

#include "cases.h"
#include "learn/team.h"

enum { RANKS = 5, ROWS = 67, INPUTS = 3, N = 4 };

/* A message that waits for its receiver; one at a time from each to each. */
typedef struct slot {
    const void *bytes;
    size_t size;
    int full;
} slot;

typedef struct network {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    slot slots[RANKS][RANKS];
} network;

typedef struct place {
    network *net;
    size_t own, ranks;
} place;

static void send(void *context, size_t to, const void *bytes, size_t size) {
    const place *p = context;
    slot *s = &p->net->slots[p->own][to];
    pthread_mutex_lock(&p->net->lock);
    *s = (slot){bytes, size, 1};
    pthread_cond_broadcast(&p->net->changed);
    while (s->full)
        pthread_cond_wait(&p->net->changed, &p->net->lock);
    pthread_mutex_unlock(&p->net->lock);
}

static void receive(void *context, size_t from, void *bytes, size_t size) {
    const place *p = context;
    slot *s = &p->net->slots[from][p->own];
    pthread_mutex_lock(&p->net->lock);
    while (!s->full)
        pthread_cond_wait(&p->net->changed, &p->net->lock);
    if (s->size != size)
        abort(); /* the processes don't agree on what they do */
    memcpy(bytes, s->bytes, size);
    s->full = 0;
    pthread_cond_broadcast(&p->net->changed);
    pthread_mutex_unlock(&p->net->lock);
}

static void broadcast(void *context, size_t from, void *bytes, size_t size) {
    const place *p = context;
    if (p->own != from) {
        receive(context, from, bytes, size);
        return;
    }
    for (size_t to = 0; to < p->ranks; to++)
        if (to != from)
            send(context, to, bytes, size);
}

static void gather(void *context, const void *bytes, size_t size, void *all) {
    const place *p = context;
    memcpy((char *)all + p->own * size, bytes, size);
    for (size_t from = 0; from < p->ranks; from++)
        broadcast(context, from, (char *)all + from * size, size);
}

typedef struct member {
    place place;
    hcr_team team;
    pthread_t thread;
    hcr_status status;
    hcr_error error;
    hcr_fit_report report;
    hcr_model *model;
    size_t answer;
} member;

static hcr_region *region;
static double X[ROWS * INPUTS], Y[ROWS * N];
static hcr_fit_options options;

static void *fit(void *argument) {
    member *m = argument;
    m->status = hcr_fit_team(&m->team, region, NULL, ROWS, INPUTS, X, NULL, NULL, Y, &options, &m->model, &m->report,
                             &m->error);
    return NULL;
}

static void play(size_t ranks, size_t shares, void *(*part)(void *), member *members) {
    network net = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};
    for (size_t i = 0; i < ranks; i++) {
        members[i] = (member){.place = {&net, i, ranks}};
        members[i].team = (hcr_team){ranks, i, shares, send, receive, broadcast, gather, &members[i].place};
    }
    for (size_t i = 0; i < ranks; i++)
        assert_int_equal(pthread_create(&members[i].thread, NULL, part, &members[i]), 0);
    for (size_t i = 0; i < ranks; i++)
        pthread_join(members[i].thread, NULL);
}

static int setup(void **state) {
    (void)state;
    region = make_region(N);
    make_data(ROWS, INPUTS, N, X, Y);
    for (size_t k = 0; k < ROWS * N; k += 5)
        Y[k] += 1; /* outside, to be projected */
    return 0;
}

static int teardown(void **state) {
    (void)state;
    hcr_region_free(region);
    return 0;
}

static double *predict(const hcr_model *model) {
    static double y[2][ROWS * N];
    static int next;
    next = !next;
    assert_int_equal(hcr_predict(model, ROWS, X, NULL, y[next], NULL, NULL), HCR_OK);
    return y[next];
}

static const hcr_fit_options cases[] = {
    {.epochs = 5, .hidden = 6},
    {.epochs = 4, .hidden = 6, .encoder = HCR_ENCODER_LSTM, .head = HCR_HEAD_CONTRACT, .batch = 11, .clip = 0.2},
    {.epochs = 6, .hidden = 6, .head = HCR_HEAD_DIRECT, .batch = 3, .validation = 0.3, .patience = 2},
    {.epochs = 4, .hidden = 6, .head = HCR_HEAD_SIMPLE, .ascent = 5, .validation = 0.1, .weight_decay = 0.1},
    {.epochs = 3, .hidden = 6, .head = HCR_HEAD_SOFTEN, .batch = 1000},
};
enum { CASES = sizeof cases / sizeof *cases };

static void test_any_number(void **state) {
    (void)state;
    member members[RANKS];
    for (size_t k = 0; k < CASES; k++)
        for (size_t shares = 5; shares <= 8; shares += 3) {
            options = cases[k];
            member alone;
            play(1, shares, fit, &alone);
            assert_int_equal(alone.status, HCR_OK);
            const double *wanted = predict(alone.model);
            for (size_t ranks = 2; ranks <= RANKS; ranks++) {
                play(ranks, shares, fit, members);
                for (size_t i = 0; i < ranks; i++) {
                    assert_int_equal(members[i].status, HCR_OK);
                    assert_memory_equal(predict(members[i].model), wanted, sizeof Y);
                    members[i].report.seconds = alone.report.seconds;
                    assert_memory_equal(&members[i].report, &alone.report, sizeof alone.report);
                    hcr_model_free(members[i].model);
                }
            }
            hcr_model_free(alone.model);
        }
}

/* One share is hcr_fit, to the bit. Several are another order of the same sums: after a few steps single precision's
 * rounding, which Adam's division can raise to the size of its steps where a gradient is nearly 0, is all that differs.
 */
static void test_shares(void **state) {
    (void)state;
    for (size_t k = 0; k < CASES; k++) {
        options = cases[k];
        options.epochs = 1;
        hcr_model *model;
        assert_int_equal(hcr_fit(region, NULL, ROWS, INPUTS, X, NULL, NULL, Y, &options, &model, NULL, NULL), HCR_OK);
        const double *wanted = predict(model);
        member one;
        play(1, 1, fit, &one);
        assert_memory_equal(predict(one.model), wanted, sizeof Y);
        hcr_model_free(one.model);
        play(1, 7, fit, &one);
        const double *got = predict(one.model);
        for (size_t i = 0; i < ROWS * N; i++)
            assert_true(fabs(got[i] - wanted[i]) < 1e-4);
        hcr_model_free(one.model);
        hcr_model_free(model);
    }
}

static void test_failures(void **state) {
    (void)state;
    member members[RANKS];
    options = (hcr_fit_options){.head = HCR_HEAD_SIMPLE, .rate = 1e30, .epochs = 20};
    play(3, 4, fit, members);
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(members[i].status, HCR_ERROR_DATA);
        assert_string_equal(members[i].error.text, members[0].error.text);
        assert_null(members[i].model);
    }
    options = (hcr_fit_options){.epochs = 2, .checkpoint = "/nowhere/checkpoint"};
    play(4, 4, fit, members);
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(members[i].status, HCR_ERROR_FILE);
        assert_string_equal(members[i].error.text, members[0].error.text);
    }
}

static int stop_after_two(void *context, const hcr_progress *progress) {
    (void)context;
    return progress->epoch >= 2;
}

static void test_interrupted(void **state) {
    (void)state;
    member members[RANKS];
    options = (hcr_fit_options){.epochs = 9, .progress = stop_after_two};
    play(3, 3, fit, members);
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(members[i].status, HCR_ERROR_INTERRUPTED);
        assert_int_equal(members[i].report.epochs, 2);
        assert_memory_equal(predict(members[i].model), predict(members[0].model), sizeof Y);
    }
    for (size_t i = 0; i < 3; i++)
        hcr_model_free(members[i].model);
}

/* Ranks 2 and 3 fail, each in its way: all say what rank 2 says. */
static void *disagree(void *argument) {
    member *m = argument;
    hcr_status status = HCR_OK;
    if (m->team.own == 2 || m->team.own == 3) {
        status = m->team.own == 2 ? HCR_ERROR_SHAPE : HCR_ERROR_DATA;
        m->error.code = status;
        snprintf(m->error.text, sizeof m->error.text, "rank %zu", m->team.own);
    }
    m->status = hcri_team_agree(&m->team, status, &m->error);
    m->answer = m->team.own + 1;
    if (hcri_team_add(&m->team, &m->answer, NULL) != HCR_OK)
        m->answer = 0;
    return NULL;
}

static void test_agreement(void **state) {
    (void)state;
    member members[RANKS];
    play(RANKS, RANKS, disagree, members);
    for (size_t i = 0; i < RANKS; i++) {
        assert_int_equal(members[i].status, HCR_ERROR_SHAPE);
        assert_string_equal(members[i].error.text, "rank 2");
        assert_int_equal(members[i].answer, 15);
    }
}

/* Ranges follow one another, differ by one at most, and say who has what. */
static void test_ranges(void **state) {
    (void)state;
    for (size_t ranks = 1; ranks <= 9; ranks++)
        for (size_t count = 0; count <= 30; count++) {
            const hcr_team team = {.ranks = ranks, .shares = ranks};
            assert_int_equal(hcri_team_begin(&team, count, 0), 0);
            assert_int_equal(hcri_team_begin(&team, count, ranks), count);
            for (size_t rank = 0; rank < ranks; rank++) {
                const size_t begin = hcri_team_begin(&team, count, rank), end = hcri_team_begin(&team, count, rank + 1);
                assert_true(end >= begin && end - begin >= count / ranks && end - begin <= count / ranks + 1);
                for (size_t i = begin; i < end; i++)
                    assert_int_equal(hcri_team_rank(&team, count, i), rank);
            }
        }
}

static void test_refused(void **state) {
    (void)state;
    const hcr_team wrong[] = {
        {.ranks = 0, .shares = 1},
        {.ranks = 1, .own = 1, .shares = 1},
        {.ranks = 1, .shares = 0},
        {.ranks = 2, .shares = 1, .send = send, .receive = receive, .broadcast = broadcast, .gather = gather},
        {.ranks = 2, .shares = 2, .send = send, .receive = receive, .broadcast = broadcast},
    };
    options = (hcr_fit_options){.epochs = 1};
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        hcr_model *model;
        assert_int_equal(
            hcr_fit_team(&wrong[k], region, NULL, ROWS, INPUTS, X, NULL, NULL, Y, &options, &model, NULL, NULL),
            HCR_ERROR_ARGUMENT);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_any_number),  cmocka_unit_test(test_shares),    cmocka_unit_test(test_failures),
        cmocka_unit_test(test_interrupted), cmocka_unit_test(test_agreement), cmocka_unit_test(test_ranges),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
