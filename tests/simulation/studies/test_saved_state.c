/// Rollouts: a run that was saved, moved and restored goes on as if it had never stopped, to the
/// last bit of all that it remembers.
#include "base/arena_zones.h"
#include "simulation/run/simulation.h"
#include "tests/rig.h"
#include "validation/papers/problems/problems_arm.h"

enum { BEFORE = 23, AFTER = 40, ELSEWHERE = 7 };

typedef struct saved {
    char *bytes;
    size_t size;
} saved;

static saved save(trm_sim *sim)
{
    trm_error err = {.status = TRM_OK};
    saved s = {NULL, trm_sim_state_size(sim)};
    s.bytes = calloc(s.size + 1, 1); // bytes behind the state are not touched
    assert_non_null(s.bytes);
    s.bytes[s.size] = 'e';
    rig_ok(trm_sim_save(sim, s.bytes, s.size, &err), &err);
    assert_int_equal(s.bytes[s.size], 'e');
    return s;
}

/// What a state leaves out must not matter: every number there becomes NaN, an int of it far out of
/// range.
static void spoil_idle(trm_sim *sim)
{
    const uint64_t nonsense = UINT64_C(0x7ff87ff87ff87ff8);
    const trm_state_blocks blocks = trm_sim_blocks(sim);
    const trm_pointer_map *const map = blocks.map;
    unsigned char *is_pointer = calloc(blocks.arena->used / sizeof nonsense + 1, 1);
    assert_non_null(is_pointer);
    for (size_t k = 0; k < map->narena; k++) {
        is_pointer[map->at[map->nhead + k] / sizeof nonsense] = 1;
    }
    trm_arena_zones_open(blocks.arena);
    for (int i = 0; i < TRM_IDLE_RANGES; i++) {
        for (size_t at = blocks.idle[i].from; at < blocks.idle[i].to; at += sizeof nonsense) {
            if (!is_pointer[at / sizeof nonsense]) {
                memcpy(blocks.arena->base + at, &nonsense, sizeof nonsense);
            }
        }
    }
    trm_arena_zones_close(blocks.arena);
    free(is_pointer);
}

static void restore(trm_sim *sim, const saved *s)
{
    trm_error err = {.status = TRM_OK};
    spoil_idle(sim);
    rig_ok(trm_sim_restore(sim, s->bytes, s->size, &err), &err);
    spoil_idle(sim);
}

static void check_equal(const char *what, const saved *a, const saved *b)
{
    assert_int_equal(a->size, b->size);
    for (size_t i = 0; i < a->size; i++) {
        if (a->bytes[i] != b->bytes[i]) {
            fail_msg("%s: byte %zu of %zu differs", what, i, a->size);
        }
    }
}

static void steps(trm_sim *sim, int n)
{
    trm_error err = {.status = TRM_OK};
    for (int i = 0; i < n; i++) {
        rig_ok(trm_sim_step(sim, &err), &err);
        trm_sample sample; // the coefficients of the dense output belong to the state as well
        const double t = trm_sim_state(sim).t - 0.3 * trm_sim_stats(sim).h;
        if (i % 3 == 0) {
            rig_ok(trm_sim_sample(sim, t, &sample, &err), &err);
        }
    }
}

static void add(saved *seen, int n, const double *x)
{
    const size_t bytes = x ? (size_t)n * sizeof(double) : 0;
    seen->bytes = realloc(seen->bytes, seen->size + bytes + 1);
    assert_non_null(seen->bytes);
    if (bytes > 0) {
        memcpy(seen->bytes + seen->size, x, bytes);
    }
    seen->size += bytes;
}

static void add_state(saved *seen, const rig *r, trm_state s)
{
    const trm_sizes n = trm_model_sizes(r->model);
    add(seen, 1, &s.t);
    add(seen, n.nq, s.q);
    add(seen, n.nv, s.v);
    add(seen, n.nv, s.a);
    add(seen, n.nc, s.lambda);
}

/// What a run shows of its last step: at its end, and within.
static saved look(const rig *r, trm_sim *sim)
{
    saved seen = {NULL, 0};
    trm_error err = {.status = TRM_OK};
    trm_sample sample;
    const trm_energy energy = trm_sim_energy(sim);
    add_state(&seen, r, trm_sim_state(sim));
    add(&seen, 1, &energy.kinetic);
    add(&seen, 1, &energy.potential);
    add(&seen, 1, &energy.work);
    const double h = trm_sim_stats(sim).h;
    rig_ok(trm_sim_sample(sim, trm_sim_state(sim).t - 0.6 * h, &sample, &err), &err);
    add_state(&seen, r, sample.state);
    add(&seen, 1, &sample.drift.position);
    add(&seen, 1, &sample.energy.kinetic);
    return seen;
}

static trm_sim *start(const rig *r, const trm_options *options)
{
    trm_error err = {.status = TRM_OK};
    trm_sim *sim = NULL;
    rig_ok(trm_sim_create(r->model, options, &sim, &err), &err);
    return sim;
}

/// Of all methods IDA alone cannot be copied, and says so.
static int refuses(const rig *r, const trm_method *method, const trm_options *options)
{
    if (!rig_fits(r, method)) {
        return 1;
    }
    if (strcmp(method->integrator_name, "ida") != 0) {
        return 0;
    }
    trm_sim *sim = start(r, options);
    trm_error err = {.status = TRM_OK};
    char bytes[1000] = {0};
    assert_int_equal(trm_sim_state_size(sim), 0);
    assert_int_equal(trm_sim_save(sim, bytes, sizeof bytes, &err), TRM_ERR_OPTIONS);
    assert_non_null(strstr(err.message, "'ida'"));
    assert_int_equal(trm_sim_restore(sim, bytes, sizeof bytes, &err), TRM_ERR_OPTIONS);
    assert_non_null(strstr(err.message, "'ida'"));
    trm_sim_destroy(sim);
    return 1;
}

/// From here on: what it shows, and where it is AFTER steps.
static void go_on(const rig *r, trm_sim *sim, saved found[2])
{
    found[0] = look(r, sim);
    steps(sim, AFTER);
    found[1] = save(sim);
}

/// Saved after BEFORE steps; the same run goes on, then goes on again from the saved state, and so
/// does another run, which had gone elsewhere and was destroyed in between: all three show the
/// same, and end alike.
static void roll_out(const char *what, const rig *r, const trm_options *options)
{
    saved once[2], again[2], too[2];
    trm_sim *sim = start(r, options);
    steps(sim, BEFORE);
    const saved here = save(sim);
    go_on(r, sim, once);
    restore(sim, &here);
    const saved here_again = save(sim);
    check_equal(what, &here, &here_again);
    go_on(r, sim, again);

    trm_sim *other = start(r, options);
    steps(other, ELSEWHERE);
    trm_sim_destroy(sim);
    restore(other, &here);
    go_on(r, other, too);
    trm_sim_destroy(other);
    for (int i = 0; i < 2; i++) {
        check_equal(what, &once[i], &again[i]);
        check_equal(what, &once[i], &too[i]);
        free(once[i].bytes);
        free(again[i].bytes);
        free(too[i].bytes);
    }
    free(here.bytes);
    free(here_again.bytes);
}

static trm_options options_of(const trm_method *method, double h)
{
    trm_options options = trm_default_options(method->integrator, method->stabilization);
    options.h = h;
    options.rtol = options.atol = 1e-7;
    if (strstr(method->parameters, "iterations")) {
        options.srm.iterations = 3;
    }
    return options;
}

static const struct {
    const char *name;
    double h; ///< s
} scenes[] = {{"four_bar", 2e-3},     {"spatial_slider_crank", 2e-3}, {"chain_10", 1e-3},
              {"arm_parabola", 2e-3}, {"double_four_bar", 2e-3},      {"andrews", 1e-5}};

/// The first three have each kind of memory, which is what sanitizers look at.
static int is_tried(size_t k)
{
    return k < (getenv("TRAMMEL_SANITIZED") != NULL ? 3 : sizeof scenes / sizeof *scenes);
}

CLAIM(every_method_goes_on_from_a_saved_state)
{
    const trm_method *methods = NULL;
    const int n = trm_methods(&methods);
    for (size_t k = 0; is_tried(k); k++) {
        rig r = rig_load(scenes[k].name, NULL);
        for (int i = 0; i < n; i++) {
            if (methods[i].integrator == TRM_INTEGRATOR_IDA) {
                continue; // trm_sim_save refuses it: SUNDIALS keeps its history to itself
            }
            char what[128];
            snprintf(what, sizeof what, "%s: %s %s", scenes[k].name, methods[i].integrator_name,
                     methods[i].stabilization_name);
            const trm_options options = options_of(&methods[i], scenes[k].h);
            if (!refuses(&r, &methods[i], &options)) {
                roll_out(what, &r, &options);
            }
        }
        rig_close(&r);
    }
}

/// Forms of a method that keep memory of their own.
CLAIM(every_form_goes_on_from_a_saved_state)
{
    rig r = rig_load("four_bar", NULL);
    trm_options options = trm_default_options(TRM_INTEGRATOR_RK4, TRM_STABILIZATION_STATE_SPACE);
    options.state_space.tangent = 0;
    roll_out("partitioning", &r, &options);
    options = trm_default_options(TRM_INTEGRATOR_ADAMS, TRM_STABILIZATION_SRM);
    roll_out("the past", &r, &options);
    options = trm_default_options(TRM_INTEGRATOR_HEUN, TRM_STABILIZATION_SRM);
    options.srm.E = TRM_SRM_MATRIX_GB_INVERSE;
    roll_out("E = inv(GB)", &r, &options);
    rig_close(&r);
}

/// Models from equations have memory of another kind.
CLAIM(equations_go_on_from_a_saved_state)
{
    const trm_method *methods = NULL;
    const int n = trm_methods(&methods);
    rig r = rig_equations(&parabola_arm);
    for (int i = 0; i < n; i++) {
        const trm_options options = options_of(&methods[i], 2e-3);
        if (!refuses(&r, &methods[i], &options)) {
            roll_out(methods[i].stabilization_name, &r, &options);
        }
    }
    rig_close(&r);
}

/// The monitor's record of a singular position is part of the state.
CLAIM(crossings_are_remembered)
{
    rig r = rig_load("four_bar", NULL);
    const trm_options options = rig_choose(&r, 1e-6);
    rig_start(&r, options);
    rig_run(&r, 3);
    const long crossings = trm_sim_report(r.sim).crossings;
    assert_true(crossings > 0);
    const saved here = save(r.sim);
    rig_run(&r, 6);
    const saved there = save(r.sim);
    rig_start(&r, options);
    restore(r.sim, &here);
    assert_int_equal(trm_sim_report(r.sim).crossings, crossings);
    rig_run(&r, 6);
    const saved there_too = save(r.sim);
    check_equal("crossings", &there, &there_too);
    rig_close(&r);
    free(here.bytes);
    free(there.bytes);
    free(there_too.bytes);
}

// ------------------------------------------------------------------------------ to another process

static saved export(trm_sim *sim)
{
    trm_error err = {.status = TRM_OK};
    saved s = {NULL, trm_sim_state_size(sim)};
    s.bytes = malloc(s.size + 1);
    assert_non_null(s.bytes);
    rig_ok(trm_sim_export(sim, s.bytes, s.size, &err), &err);
    return s;
}

/// A run of another model of the same scene, which lies elsewhere, goes on from what a run
/// exported: both end alike.
static void carry(const char *what, const rig *r, const rig *elsewhere, const trm_options *options)
{
    trm_error err = {.status = TRM_OK};
    trm_sim *sim = start(r, options), *other = start(elsewhere, options);
    steps(sim, BEFORE);
    const saved here = export(sim);
    steps(other, ELSEWHERE);
    rig_ok(trm_sim_import(other, here.bytes, here.size, &err), &err);
    const saved here_too = export(other);
    check_equal(what, &here, &here_too);
    steps(sim, AFTER);
    steps(other, AFTER);
    const saved there = export(sim), there_too = export(other);
    check_equal(what, &there, &there_too);
    trm_sim_destroy(sim);
    trm_sim_destroy(other);
    free(here.bytes);
    free(here_too.bytes);
    free(there.bytes);
    free(there_too.bytes);
}

CLAIM(every_method_is_carried_to_another_model)
{
    const trm_method *methods = NULL;
    const int n = trm_methods(&methods);
    for (size_t k = 0; is_tried(k); k++) {
        rig r = rig_load(scenes[k].name, NULL), elsewhere = rig_load(scenes[k].name, NULL);
        for (int i = 0; i < n; i++) {
            char what[128];
            snprintf(what, sizeof what, "%s: %s %s", scenes[k].name, methods[i].integrator_name,
                     methods[i].stabilization_name);
            const trm_options options = options_of(&methods[i], scenes[k].h);
            if (methods[i].integrator != TRM_INTEGRATOR_IDA && rig_fits(&r, &methods[i])) {
                carry(what, &r, &elsewhere, &options);
            }
        }
        rig_close(&r);
        rig_close(&elsewhere);
    }
}

static void refused_import(trm_sim *sim, const char *bytes, size_t size, const char *sentence)
{
    trm_error err = {.status = TRM_OK};
    const saved before = save(sim);
    assert_int_equal(trm_sim_import(sim, bytes, size, &err), TRM_ERR_OPTIONS);
    if (!strstr(err.message, sentence)) {
        fail_msg("\"%s\" does not say \"%s\"", err.message, sentence);
    }
    const saved after = save(sim);
    check_equal("refused", &before, &after);
    free(before.bytes);
    free(after.bytes);
}

CLAIM(what_is_no_export_for_this_run_is_refused)
{
    rig r = rig_load("four_bar", NULL), other = rig_load("spatial_slider_crank", NULL);
    trm_options options = trm_default_options(TRM_INTEGRATOR_RK4, TRM_STABILIZATION_S_BOTH2);
    rig_start(&r, options);
    rig_start(&other, options);
    steps(r.sim, 5);
    saved s = export(r.sim);
    const saved same_process = save(r.sim);
    refused_import(other.sim, s.bytes, s.size, "another model");
    refused_import(r.sim, s.bytes, 10, "exported");
    refused_import(r.sim, s.bytes, s.size - 1, "cut off");
    refused_import(r.sim, NULL, s.size, "NULL");
    refused_import(r.sim, same_process.bytes, same_process.size, "exported");
    options.h = 2e-3;
    rig_start(&r, options);
    refused_import(r.sim, s.bytes, s.size, "other options");
    options.h = 1e-3;
    rig_start(&r, options);
    for (size_t i = 0; i < s.size; i += 97) {
        s.bytes[i] ^= 16;
        assert_int_equal(trm_sim_import(r.sim, s.bytes, s.size, NULL), TRM_ERR_OPTIONS);
        s.bytes[i] ^= 16;
    }
    trm_error err = {.status = TRM_OK};
    rig_ok(trm_sim_import(r.sim, s.bytes, s.size, &err), &err);
    free(s.bytes);
    free(same_process.bytes);
    rig_close(&r);
    rig_close(&other);
}

static void refused(trm_sim *sim, const char *bytes, size_t size, const char *sentence)
{
    trm_error err = {.status = TRM_OK};
    const saved before = save(sim);
    assert_int_equal(trm_sim_restore(sim, bytes, size, &err), TRM_ERR_OPTIONS);
    if (!strstr(err.message, sentence)) {
        fail_msg("\"%s\" does not say \"%s\"", err.message, sentence);
    }
    const saved after = save(sim);
    check_equal("refused", &before, &after);
    free(before.bytes);
    free(after.bytes);
}

/// Bytes that the state takes of its room: the others stay as they were.
static size_t used_by(trm_sim *sim, size_t size)
{
    trm_error err = {.status = TRM_OK};
    char *const a = malloc(size), *const b = malloc(size);
    assert_true(a && b);
    memset(a, 0x5a, size);
    memset(b, 0xa5, size);
    rig_ok(trm_sim_save(sim, a, size, &err), &err);
    rig_ok(trm_sim_save(sim, b, size, &err), &err);
    while (a[size - 1] != b[size - 1]) {
        size--;
    }
    assert_memory_equal(a, b, size);
    free(a);
    free(b);
    return size;
}

CLAIM(what_is_no_state_of_this_run_is_refused)
{
    trm_error err = {.status = TRM_OK};
    rig r = rig_load("four_bar", NULL), other = rig_load("four_bar", NULL);
    trm_options options = trm_default_options(TRM_INTEGRATOR_RK4, TRM_STABILIZATION_S_BOTH2);
    rig_start(&r, options);
    rig_start(&other, options);
    steps(r.sim, BEFORE);
    saved s = save(r.sim);
    refused(other.sim, s.bytes, s.size, "another model");
    refused(r.sim, s.bytes, 10, "10 bytes");
    refused(r.sim, s.bytes, s.size - 1, "cut off");
    refused(r.sim, NULL, s.size, "NULL");
    assert_int_equal(trm_sim_save(r.sim, s.bytes, s.size - 1, &err), TRM_ERR_OPTIONS);
    assert_int_equal(trm_sim_save(r.sim, NULL, s.size, &err), TRM_ERR_OPTIONS);
    const size_t used = used_by(r.sim, s.size);
    assert_true(used > 10000 && used < s.size);
    for (size_t i = 0; i < used; i += i < 300 ? 1 : 97) {
        s.bytes[i] ^= 16;
        assert_int_equal(trm_sim_restore(r.sim, s.bytes, s.size, &err), TRM_ERR_OPTIONS);
        s.bytes[i] ^= 16;
    }
    restore(r.sim, &s);
    trm_sim *heun = NULL;
    options = trm_default_options(TRM_INTEGRATOR_HEUN, TRM_STABILIZATION_S_BOTH2);
    rig_ok(trm_sim_create(r.model, &options, &heun, &err), &err);
    refused(heun, s.bytes, s.size, "another method");
    trm_sim_destroy(heun);
    free(s.bytes);
    rig_close(&r);
    rig_close(&other);
}

/// The same scene compiled again, perhaps where the old model was, or not: refused, or right.
CLAIM(a_model_built_again_is_safe)
{
    trm_error err = {.status = TRM_OK};
    rig r = rig_load("four_bar", NULL);
    const trm_options options = trm_default_options(TRM_INTEGRATOR_RK4, TRM_STABILIZATION_S_BOTH2);
    rig_start(&r, options);
    steps(r.sim, BEFORE);
    saved s = save(r.sim);
    rig_close(&r);
    void *hole = malloc(300); // so that not all of it comes to lie where it was
    r = rig_load("four_bar", NULL);
    rig_start(&r, options);
    if (trm_sim_restore(r.sim, s.bytes, s.size, &err) == TRM_OK) {
        near("t", trm_sim_state(r.sim).t, BEFORE * options.h, 1e-12);
    }
    steps(r.sim, AFTER);
    free(hole);
    free(s.bytes);
    rig_close(&r);
}

/// A refused restart leaves nothing to save; a saved state brings the run back.
CLAIM(a_refused_restart_is_recovered_from)
{
    trm_error err = {.status = TRM_OK};
    rig r = rig_load("four_bar", NULL);
    rig_start(&r, trm_default_options(TRM_INTEGRATOR_RK4, TRM_STABILIZATION_S_BOTH2));
    steps(r.sim, 1);
    const saved s = save(r.sim);
    const trm_sizes n = trm_model_sizes(r.model);
    double *q = calloc((size_t)n.nq, sizeof *q), *v = calloc((size_t)n.nv, sizeof *v);
    assert_non_null(q);
    assert_non_null(v);
    assert_int_equal(trm_sim_set_state(r.sim, 0, q, v, &err), TRM_ERR_INCONSISTENT);
    char *bytes = malloc(s.size);
    assert_non_null(bytes);
    assert_int_equal(trm_sim_save(r.sim, bytes, s.size, &err), TRM_ERR_INCONSISTENT);
    restore(r.sim, &s);
    steps(r.sim, 1);
    free(bytes);
    free(q);
    free(v);
    free(s.bytes);
    rig_close(&r);
}

/// A restored run goes on with the step it was saved with.
CLAIM(options_travel_with_the_state)
{
    rig r = rig_load("four_bar", NULL);
    rig_start(&r, rig_fixed(TRM_INTEGRATOR_RK4, TRM_STABILIZATION_S_BOTH2, 1e-3));
    const saved s = save(r.sim);
    rig_start(&r, rig_fixed(TRM_INTEGRATOR_RK4, TRM_STABILIZATION_S_BOTH2, 1e-2));
    restore(r.sim, &s);
    steps(r.sim, 5);
    near("t", trm_sim_state(r.sim).t, 5e-3, 1e-15);
    free(s.bytes);
    rig_close(&r);
}
