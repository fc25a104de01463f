/// Runs that sit side by side: who takes part in a round, and that their trials are found, so that
/// lanes are no idle claim (that nothing changes is tests/simulation/studies/test_lane_runs.c).
#include "tests/rig.h"

#include "integrators/lanes/lanes.h"
#include "integrators/trajectory/stabilization.h"
#include "simulation/run/simulation.h"

enum { MOST = 8 };

typedef struct table {
    rig r[MOST];
    trm_run *run[MOST];
    double t_limit[MOST];
    trm_lane_slots slots;
} table;

/// `width` slots, all empty.
static void lay(table *t, int width)
{
    memset(t, 0, sizeof *t);
    t->slots.ops = trm_lane_ops_of(width);
    assert_non_null(t->slots.ops);
    for (int l = 0; l < MOST; l++) {
        t->t_limit[l] = 1.0;
    }
}

static const char *slot(table *t, int l, const char *scene, trm_options options)
{
    t->r[l] = *scene == '{' ? rig_parse(scene) : rig_load(scene, NULL);
    rig_start(&t->r[l], options);
    t->run[l] = &t->r[l].sim->run;
    return trm_lane_slots_take(&t->slots, l, t->r[l].model, t->run[l]);
}

static void clear(table *t)
{
    trm_lane_slots_close(&t->slots);
    for (int l = 0; l < MOST; l++) {
        rig_close(&t->r[l]);
    }
}

static trm_options adaptive(trm_stabilization stabilization)
{
    return rig_adaptive(TRM_INTEGRATOR_DOP853, stabilization, 1e-8, 1e-8);
}

/// Nothing of the step that follows is known before.
static void look_ahead(table *t)
{
    for (int l = 0; l < t->slots.ops->width; l++) {
        if (t->run[l]) {
            trm_trial trial;
            t->run[l]->method_ops->trial(t->run[l], t->t_limit[l], &trial);
            *trial.handed = (trm_handed){0};
        }
    }
    trm_lane_rider rider[TRM_MOST_LANES] = {{NULL, 0, NULL}};
    for (int l = 0; l < t->slots.ops->width; l++) {
        rider[l] = (trm_lane_rider){t->run[l], t->t_limit[l], NULL};
    }
    trm_lane_slots_prepare(&t->slots, rider);
}

/// Whether all stages of the slot were found together with those of others, and its end.
static int found(const table *t, int l, int *end)
{
    trm_trial trial;
    t->run[l]->method_ops->trial(t->run[l], t->t_limit[l], &trial);
    const trm_handed *const handed = trial.handed;
    if (handed->stages == 0) {
        assert_int_equal(handed->end, 0);
        return 0;
    }
    *end = handed->end;
    assert_int_equal(handed->stages, trial.stages);
    assert_true(handed->h == trial.h);
    assert_int_equal(t->slots.slot[l].alone, 0);
    return 1;
}

static int found_all(const table *t, int l)
{
    int end = 1;
    const int stages = found(t, l, &end);
    assert_int_equal(end, 1);
    return stages;
}

CLAIM(the_widest_kernels_of_the_processor)
{
#ifdef __x86_64__
    const int avx2 = __builtin_cpu_supports("avx2") != 0;
    const int avx512 =
        __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") ? 1 : 0;
#else
    const int avx2 = 0, avx512 = 0;
#endif
    assert_null(trm_lane_ops_of(1));
    for (int width = 0; width <= 9; width++) {
        if (width != 1) {
            const int widest = avx512 && (width == 0 || width >= 8) ? 8
                               : avx2 && (width == 0 || width >= 4) ? 4
                                                                    : 2;
            assert_int_equal(trm_lane_ops_of(width)->width, widest);
        }
    }
}

/// Two bars with a torque, a force that each run finds by itself, and an input.
#define TURNED(value)                                                                              \
    "{\"dimension\":2,\"gravity\":[0,-9.81],\"parameters\":{\"u\":{\"value\":0,"                   \
    "\"input\":true,\"smooth\":0.35}},"                                                            \
    "\"bodies\":[{\"name\":\"a\",\"ends\":[[0,0],[1,0]],\"mass\":1},{\"name\":\"b\","              \
    "\"ends\":[[1,0],[1,1]],\"mass\":1}],\"joints\":[{\"name\":\"O\",\"type\":\"revolute\","       \
    "\"bodies\":[\"ground\",\"a\"],\"at\":[0,0]},{\"name\":\"P\",\"type\":\"revolute\","           \
    "\"bodies\":[\"a\",\"b\"],\"at\":[1,0]}],\"forces\":[{\"name\":\"s\",\"type\":\"torque\","     \
    "\"body\":\"b\",\"value\":\"" value "\"}]}"

static const char braked[] = TURNED("-7*P.rate"), steered[] = TURNED("u");

/// With the ends: also where the gap is roundoff and the correction damped, as with the spring.
CLAIM(trials_of_runs_of_one_structure_are_found)
{
    static const struct {
        const char *scene;
        trm_integrator integrator;
        trm_stabilization stabilization;
    } all[] = {{"four_bar", TRM_INTEGRATOR_DOP853, TRM_STABILIZATION_S_BOTH2},
               {"four_bar", TRM_INTEGRATOR_RK4, TRM_STABILIZATION_S_BOTH},
               {"four_bar", TRM_INTEGRATOR_DOPRI5, TRM_STABILIZATION_PLAIN},
               {"chain_10", TRM_INTEGRATOR_DOP853, TRM_STABILIZATION_S_BOTH2},
               {braked, TRM_INTEGRATOR_DOPRI5, TRM_STABILIZATION_PLAIN},
               {"andrews", TRM_INTEGRATOR_RK4, TRM_STABILIZATION_S_BOTH2}};
    for (int width = 2; width <= MOST; width *= 2) {
        for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
            table t;
            trm_options options = trm_default_options(all[i].integrator, all[i].stabilization);
            options.h = 1e-6;
            lay(&t, width);
            assert_null(slot(&t, 0, all[i].scene, options));
            look_ahead(&t);
            assert_false(found_all(&t, 0)); // alone
            assert_null(slot(&t, 1, all[i].scene, options));
            look_ahead(&t);
            assert_true(found_all(&t, 0) && found_all(&t, 1));
            clear(&t);
        }
    }
}

/// A step with what was found has the bits and the counts of a step without.
static void compare_steps(table *t, table *alone)
{
    for (int l = 0; l < 2; l++) {
        trm_error err;
        rig_ok(trm_sim_step(t->r[l].sim, &err), &err);
        rig_ok(trm_sim_step(alone->r[l].sim, &err), &err);
        const trm_run *const a = t->run[l], *const b = alone->run[l];
        assert_memory_equal(a->now.z, b->now.z, (size_t)a->n * sizeof(double));
        assert_memory_equal(a->now.dz, b->now.dz, (size_t)a->n * sizeof(double));
        assert_int_equal(a->system->force_evals, b->system->force_evals);
        assert_int_equal(a->system->factorizations, b->system->factorizations);
        assert_int_equal(a->system->jacobian_evals, b->system->jacobian_evals);
        assert_int_equal(a->system->solver.damped, b->system->solver.damped);
    }
}

static void steps_alike(table *t, table *alone)
{
    look_ahead(t);
    assert_true(found_all(t, 0) && found_all(t, 1));
    compare_steps(t, alone);
}

CLAIM(what_was_found_is_what_the_run_would_find)
{
    table t, alone;
    lay(&t, 2);
    lay(&alone, 2);
    for (int l = 0; l < 2; l++) {
        slot(&t, l, "four_bar", adaptive(TRM_STABILIZATION_S_BOTH2));
        slot(&alone, l, "four_bar", adaptive(TRM_STABILIZATION_S_BOTH2));
    }
    steps_alike(&t, &alone);
    clear(&t);
    clear(&alone);
}

/// A torque that follows an input on its way, as a function of the time: the only force of runs
/// that lanes ask at a time.
CLAIM(an_input_on_its_way_is_read_at_the_time_of_the_stage)
{
    const trm_options options = rig_fixed(TRM_INTEGRATOR_RK4, TRM_STABILIZATION_S_BOTH2, 0.1);
    table t, alone;
    lay(&t, 2);
    lay(&alone, 2);
    for (int l = 0; l < 2; l++) {
        trm_error err;
        assert_null(slot(&t, l, steered, options));
        assert_null(slot(&alone, l, steered, options));
        rig_ok(trm_sim_set_input(t.r[l].sim, 0, 3.0 + l, &err), &err);
        rig_ok(trm_sim_set_input(alone.r[l].sim, 0, 3.0 + l, &err), &err);
        rig_ok(trm_sim_step(t.r[l].sim, &err), &err); // the step that takes it up is found alone
        rig_ok(trm_sim_step(alone.r[l].sim, &err), &err);
    }
    steps_alike(&t, &alone);
    steps_alike(&t, &alone);
    for (int l = 0; l < 2; l++) { // damped so much that no lane judges it: stages are found alone
        t.run[l]->system->solver.delta = alone.run[l]->system->solver.delta = 1;
    }
    look_ahead(&t);
    assert_int_equal(t.slots.slot[0].alone, 3);
    assert_int_equal(t.slots.slot[1].alone, 3);
    compare_steps(&t, &alone);
    clear(&t);
    clear(&alone);
}

/// Two bars that turn away from a spring whose force is no number any more after two meters.
static const char torn[] =
    "{\"dimension\":2,\"bodies\":[{\"name\":\"a\",\"ends\":[[0,0],[1,0]],\"mass\":1,"
    "\"velocity\":[0,4.5],\"rate\":9},{\"name\":\"b\",\"ends\":[[1,0],[2,0]],\"mass\":1,"
    "\"velocity\":[0,9]}]"
    ","
    "\"joints\":[{\"name\":\"O\",\"type\":\"revolute\",\"bodies\":[\"ground\",\"a\"],\"at\":[0,0]},"
    "{\"name\":\"P\",\"type\":\"revolute\",\"bodies\":[\"a\",\"b\"],\"at\":[1,0]}],"
    "\"markers\":[{\"name\":\"g\",\"body\":\"ground\",\"at\":[3,0]},{\"name\":\"m\",\"body\":\"b\","
    "\"at\":[2,0]}],\"forces\":[{\"name\":\"s\",\"type\":\"spring_damper\",\"markers\":[\"g\","
    "\"m\"],"
    "\"stiffness\":1e308,\"rest_length\":1}]}";

/// A stage whose forces are no numbers is left to the run, which tells why.
CLAIM(forces_without_number_are_the_run_s_own)
{
    table t;
    lay(&t, 2);
    for (int l = 0; l < 2; l++) {
        assert_null(slot(&t, l, torn, rig_fixed(TRM_INTEGRATOR_RK4, TRM_STABILIZATION_PLAIN, 1.0)));
    }
    look_ahead(&t);
    for (int l = 0; l < 2; l++) {
        trm_trial trial;
        t.run[l]->method_ops->trial(t.run[l], t.t_limit[l], &trial);
        assert_int_equal(trial.handed->stages, 1);
        assert_int_equal(trial.handed->end, 0);
    }
    clear(&t);
}

/// The place, drift, gap, load and energies of the end come with it; the run need not ask again.
static void check_end(trm_run *run)
{
    enum { MOST_ROWS = 64 };
    trm_system *system = run->system;
    const trm_found found = system->found;
    const double *v = run->now.z + system->nq;
    double work[MOST_ROWS], g[MOST_ROWS], load = 0;
    assert_true(found.known && found.energies && system->nc <= MOST_ROWS);
    memcpy(g, system->g, (size_t)system->nc * sizeof(double));
    assert_true(found.kinetic == trm_system_kinetic(system, v));
    assert_true(found.potential == trm_system_potential(system));
    assert_int_equal(trm_system_position(system, run->now.t, run->now.z), 0);
    assert_false(system->found.known);
    assert_memory_equal(g, system->g, (size_t)system->nc * sizeof(double));
    assert_true(found.kinetic == trm_system_kinetic(system, v));
    assert_true(found.potential == trm_system_potential(system));
    const trm_residual r = trm_residual_of(system, v, work);
    assert_true(found.rate == trm_extents_gap(&run->extent, system->nc, work));
    assert_true(found.rate == fabs(work[found.rate_row]) / run->extent.g[found.rate_row]);
    assert_true(found.position == r.position && found.velocity == r.velocity);
    assert_int_equal(found.position_row, r.position_row);
    assert_true(found.gap == trm_extents_gap(&run->extent, system->nc, system->g));
    for (int i = 0; i < system->nc; i++) {
        load += fabs(run->now.lambda[i]) * run->extent.g[i];
    }
    assert_true(found.load == load);
}

CLAIM(what_is_measured_at_an_end_comes_with_it)
{
    static const struct {
        const char *scene;
        trm_integrator integrator;
        trm_stabilization stabilization;
    } all[] = {{"four_bar", TRM_INTEGRATOR_DOP853, TRM_STABILIZATION_S_BOTH2},
               {"chain_10", TRM_INTEGRATOR_DOP853, TRM_STABILIZATION_S_BOTH2},
               {"andrews", TRM_INTEGRATOR_RK4, TRM_STABILIZATION_S_BOTH2}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        table t;
        trm_options options = trm_default_options(all[i].integrator, all[i].stabilization);
        options.h = 1e-4;
        lay(&t, 2);
        assert_null(slot(&t, 0, all[i].scene, options));
        assert_null(slot(&t, 1, all[i].scene, options));
        look_ahead(&t);
        for (int l = 0; l < 2; l++) {
            trm_error err;
            assert_true(found_all(&t, l));
            rig_ok(t.run[l]->method_ops->step(t.run[l], 1.0, &err), &err);
            check_end(t.run[l]);
        }
        clear(&t);
    }
}

/// Only runs of the first one's method, with as many corrections, which nothing holds apart.
CLAIM(a_round_is_of_one_method)
{
    table t;
    lay(&t, MOST);
    if (t.slots.ops->width < 4) {
        skip();
    }
    const trm_options rk4 = rig_fixed(TRM_INTEGRATOR_RK4, TRM_STABILIZATION_S_BOTH2, 1e-3);
    assert_null(slot(&t, 0, "four_bar", adaptive(TRM_STABILIZATION_S_BOTH2)));
    assert_null(slot(&t, 1, "four_bar", rk4));
    look_ahead(&t);
    assert_false(found_all(&t, 0) || found_all(&t, 1));
    assert_null(slot(&t, 2, "four_bar", adaptive(TRM_STABILIZATION_S_BOTH)));
    look_ahead(&t);
    assert_false(found_all(&t, 0) || found_all(&t, 1) || found_all(&t, 2));
    assert_null(slot(&t, 3, "four_bar", adaptive(TRM_STABILIZATION_S_BOTH2)));
    look_ahead(&t);
    assert_true(found_all(&t, 0) && !found_all(&t, 1) && !found_all(&t, 2) && found_all(&t, 3));

    t.run[3]->system->solver.null.used.components = 1; // directions without mass
    look_ahead(&t);
    assert_false(found_all(&t, 0) || found_all(&t, 3));
    t.run[3]->system->solver.null.used.components = 0;
    t.slots.slot[3].stabilization = NULL; // the method has changed
    look_ahead(&t);
    assert_false(found_all(&t, 0) || found_all(&t, 3));
    t.run[3] = NULL; // nobody moves there
    look_ahead(&t);
    assert_false(found_all(&t, 0));
    clear(&t);
}

CLAIM(a_slot_is_taken_once)
{
    table t;
    lay(&t, 2);
    assert_null(slot(&t, 0, "four_bar", adaptive(TRM_STABILIZATION_S_BOTH2)));
    trm_lane_slot *const own = &t.slots.slot[0];
    own->known = 77;
    assert_null(trm_lane_slots_take(&t.slots, 0, t.r[0].model, t.run[0]));
    assert_int_equal(own->known, 77);
    t.run[0]->stabilization = &trm_s_both; // the method has changed
    assert_null(trm_lane_slots_take(&t.slots, 0, t.r[0].model, t.run[0]));
    assert_int_equal(own->known, 0);
    own->known = 77;
    t.r[1] = rig_load("four_bar", NULL);
    assert_null(trm_lane_slots_take(&t.slots, 0, t.r[1].model, t.run[0]));
    assert_true(own->known == 0 && own->model == t.r[1].model);
    assert_null(trm_lane_slots_take(&t.slots, 0, NULL, NULL));
    assert_null(own->model);
    clear(&t);
}

/// The clause of the refusal beside a four-bar linkage.
static void refuses(const char *scene, trm_options options, const char *because)
{
    table t;
    lay(&t, 2);
    assert_null(slot(&t, 0, "four_bar", adaptive(TRM_STABILIZATION_S_BOTH2)));
    const char *const said = slot(&t, 1, scene, options);
    assert_non_null(said);
    assert_string_equal(said, because);
    assert_null(t.slots.slot[1].model);
    clear(&t);
}

static int no_force(const trm_model *model, double t, const double *q, const double *v, double *f,
                    void *user)
{
    (void)model, (void)t, (void)q, (void)v, (void)f, (void)user;
    return 0;
}

#define BARS                                                                                       \
    "{\"dimension\":2,\"gravity\":[0,-9.81],\"bodies\":[{\"name\":\"a\",\"ends\":[[0,0],[1,0]],"   \
    "\"mass\":1},{\"name\":\"b\",\"ends\":[[1,0],[2,0]],\"mass\":1}%s],\"markers\":[{\"name\":"    \
    "\"m\",\"body\":\"a\",\"on\":[0,0]}]%s%s}"
#define PINS                                                                                       \
    ",\"joints\":[{\"name\":\"O\",\"type\":\"revolute\",\"bodies\":[\"ground\",\"a\"],\"at\":[0,"  \
    "0]},"                                                                                         \
    "{\"name\":\"P\",\"type\":\"revolute\",\"bodies\":[\"a\",\"b\"],\"at\":[1,0]}]"

/// Two bars with and without pins, another body and more, beside nobody: why they are alone, NULL
/// if they need not be.
static void two_bars(const char *body, const char *joints, const char *more, int forced,
                     const char *because)
{
    char text[1500];
    trm_error err = {.status = TRM_OK};
    const trm_force_def def = {.name = "f", .force = no_force};
    table t;
    lay(&t, 2);
    snprintf(text, sizeof text, BARS, body, joints, more);
    rig *const r = &t.r[0];
    rig_ok(trm_scene_parse(text, strlen(text), &r->scene, &err), &err);
    if (forced) {
        rig_ok(trm_scene_add_force(r->scene, &def, &err), &err);
    }
    rig_ok(trm_model_build(r->scene, &r->model, &err), &err);
    rig_start(r, adaptive(TRM_STABILIZATION_S_BOTH2));
    const char *const said = trm_lane_slots_take(&t.slots, 0, r->model, &r->sim->run);
    assert_true((said == NULL) == (because == NULL));
    if (said) {
        assert_string_equal(said, because);
    }
    clear(&t);
}

CLAIM(one_thing_too_much_is_enough)
{
    static const char other[] = "it is not a planar mechanism of pins alone";
    static const char changes[] = "it has contacts, events or formulas";
    two_bars("", PINS, "", 0, NULL);
    two_bars("", "", "", 0, "it has no joints");
    two_bars("", PINS, "", 1, "its forces are functions of a user");
    two_bars(",{\"name\":\"c\",\"shape\":{\"type\":\"point\"},\"mass\":1,\"position\":[5,5]}", PINS,
             "", 0, "it has point masses");
    two_bars("", PINS, ",\"events\":[{\"name\":\"e\",\"when\":\"m.y < -9\"}]", 0, changes);
    two_bars(
        "", PINS,
        ",\"forces\":[{\"name\":\"s\",\"type\":\"torque\",\"body\":\"b\",\"value\":\"sin(t)\"}]", 0,
        changes);
    two_bars("", PINS, ",\"constraints\":[{\"name\":\"c\",\"expression\":\"a.angle + b.angle\"}]",
             0, other);
}

CLAIM(what_has_no_kernels_is_told)
{
    static const char method[] =
        "its method is no explicit Runge-Kutta method with a correction after the step";
    static const char other[] = "it is not a planar mechanism of pins alone";
    refuses("four_bar_40", adaptive(TRM_STABILIZATION_S_BOTH2),
            "its structure is another one than that of the runs beside it");
    refuses("four_bar", adaptive(TRM_STABILIZATION_S_CONTINUOUS), method);
    refuses("four_bar", rig_fixed(TRM_INTEGRATOR_HEUN, TRM_STABILIZATION_ALF, 1e-3), method);
    refuses("bouncing_ball", adaptive(TRM_STABILIZATION_PLAIN),
            "it has contacts, events or formulas");
    refuses("heavy_top", adaptive(TRM_STABILIZATION_S_BOTH2), other);
    refuses("slider_crank_turn", adaptive(TRM_STABILIZATION_S_BOTH2), other);
}
