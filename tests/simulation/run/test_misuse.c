/// What a program can get wrong and the library can see: a status and a sentence, and nothing
/// changes.
#include "simulation/studies/stiff_switching.h"
#include "tests/simulation/run/site.h"

#include "program/lanes.h"
#include "program/settings.h"
#include "program/texts.h"
#include "trammel/trammel_batch.h"
#include "trammel/trammel_methods.h"
#include "trammel/trammel_report.h"

static trm_status nothing(const trm_model *model, double t, const double *q, const double *v,
                          double *f, void *user)
{
    (void)model, (void)t, (void)q, (void)v, (void)f, (void)user;
    return TRM_OK;
}

static int no_force(const trm_model *model, double t, const double *q, const double *v, double *f,
                    void *user)
{
    return nothing(model, t, q, v, f, user);
}

static trm_scene *no_scene;
static trm_model *no_model;
static trm_sim *no_sim;
static trm_check *no_check;
static trm_diagnosis *no_diagnosis;
static trm_sample sample;
static trm_sensor no_sensor;
static int no_unique[8];
static char *no_text;
static trm_lanes *no_lanes;

// one line each: the call, and what it is told
#define CALL(name, expression)                                                                     \
    static trm_status name(site *s, trm_error *err)                                                \
    {                                                                                              \
        (void)s;                                                                                   \
        return expression;                                                                         \
    }

CALL(load_nothing, trm_scene_load(NULL, &no_scene, err))
CALL(load_nowhere, trm_scene_load("a.json", NULL, err))
CALL(parse_nothing, trm_scene_parse(NULL, 3, &no_scene, err))
CALL(parse_nowhere, trm_scene_parse("{}", 2, NULL, err))
CALL(constant_of_nothing, trm_constant(NULL, &(double){0}, err))
CALL(constant_nowhere, trm_constant("1", NULL, err))
CALL(set_of_no_scene, trm_scene_set(NULL, "u", "1", err))
CALL(set_nothing, trm_scene_set(s->scene, NULL, "1", err))
CALL(set_to_nothing, trm_scene_set(s->scene, "u", NULL, err))
CALL(no_force_def, trm_scene_add_force(s->scene, NULL, err))
CALL(force_of_no_scene,
     trm_scene_add_force(NULL, &(trm_force_def){.name = "f", .force = no_force}, err))
CALL(no_constraint_def, trm_scene_add_constraint(s->scene, NULL, err))
CALL(constraint_of_no_scene, trm_scene_add_constraint(NULL, &(trm_constraint_def){.rows = 1}, err))
CALL(text_nowhere, trm_text_create(TRM_TEXT_SCHEMA, NULL, err))
CALL(text_of_no_kind, trm_text_create((trm_text)17, &no_text, err))
CALL(model_of_nothing, trm_model_build(NULL, &no_model, err))
CALL(model_nowhere, trm_model_build(s->scene, NULL, err))
CALL(no_equations, trm_model_from_equations(NULL, &no_model, err))
CALL(empty_equations, trm_model_from_equations(&(trm_equations){.name = "e"}, &no_model, err))
CALL(options_of_nothing, trm_choose_options(NULL, 1e-6, &s->options, NULL, err))
CALL(options_nowhere, trm_choose_options(s->model, 1e-6, NULL, NULL, err))
CALL(accuracy_nan, trm_choose_options(s->model, NAN, &s->options, NULL, err))
CALL(sim_of_nothing, trm_sim_create(NULL, &s->options, &no_sim, err))
CALL(sim_without_options, trm_sim_create(s->model, NULL, &no_sim, err))
CALL(sim_nowhere, trm_sim_create(s->model, &s->options, NULL, err))
CALL(zeroed_options, trm_sim_create(s->model, &(trm_options){0}, &no_sim, err))
CALL(state_of_nothing, trm_sim_set_state(NULL, 0, s->q, s->v, err))
CALL(no_coordinates, trm_sim_set_state(s->sim, 0, NULL, s->v, err))
CALL(no_velocities, trm_sim_set_state(s->sim, 0, s->q, NULL, err))
CALL(shift_nothing, trm_sim_perturb(NULL, NULL, NULL, err))
CALL(step_nothing, trm_sim_step(NULL, err))
CALL(run_nothing, trm_sim_run(NULL, 1, NULL, NULL, err))
CALL(run_to_nan, trm_sim_run(s->sim, NAN, NULL, NULL, err))
CALL(step_to_nothing, trm_sim_step_to(NULL, 1, err))
CALL(step_back, trm_sim_step_to(s->sim, -0.5, err))
CALL(save_nothing, trm_sim_save(NULL, s->state, sizeof s->state, err))
CALL(save_nowhere, trm_sim_save(s->sim, NULL, 0, err))
CALL(restore_nothing, trm_sim_restore(NULL, s->state, sizeof s->state, err))
CALL(restore_from_nothing, trm_sim_restore(s->sim, NULL, 0, err))
CALL(restore_too_little, trm_sim_restore(s->sim, s->state, 10, err))
CALL(restore_rubbish, trm_sim_restore(s->sim, s->state, sizeof s->state, err))
CALL(sample_nothing, trm_sim_sample(NULL, 0, &sample, err))
CALL(sample_nowhere, trm_sim_sample(s->sim, 0, NULL, err))
CALL(sample_later, trm_sim_sample(s->sim, 9, &sample, err))
CALL(sigma_of_nothing, trm_sim_singular_value(NULL, 0, &s->q[0], err))
CALL(sigma_nowhere, trm_sim_singular_value(s->sim, 0, NULL, err))
CALL(sigma_later, trm_sim_singular_value(s->sim, 9, &s->q[0], err))
CALL(terms_of_nothing, trm_sim_terms(NULL, 0, s->q, s->v, NULL, &(trm_terms){0}, err))
CALL(terms_nowhere, trm_sim_terms(s->sim, 0, s->q, s->v, NULL, NULL, err))
CALL(terms_at_nan, trm_sim_terms(s->sim, NAN, s->q, s->v, NULL, &(trm_terms){0}, err))
CALL(check_of_nothing, trm_check_create(NULL, NULL, &no_check, err))
CALL(check_nowhere, trm_check_create(s->model, NULL, NULL, err))
CALL(diagnosis_of_nothing, trm_diagnosis_create(s->scene, NULL, NULL, 1, &no_diagnosis, err))
CALL(diagnosis_nowhere, trm_diagnosis_create(s->scene, s->model, NULL, 1, NULL, err))
CALL(diagnosis_forever,
     trm_diagnosis_create(s->scene, s->model, NULL, INFINITY, &no_diagnosis, err))
CALL(diagnosis_to_nan, trm_diagnosis_create(s->scene, s->model, NULL, NAN, &no_diagnosis, err))
CALL(unique_of_nothing, trm_unique_multipliers(NULL, 0, s->q, no_unique, err))
CALL(unique_of_no_position, trm_unique_multipliers(s->model, 0, NULL, no_unique, err))
CALL(unique_nowhere, trm_unique_multipliers(s->model, 0, s->q, NULL, err))
CALL(unique_at_nan, trm_unique_multipliers(s->model, NAN, s->q, no_unique, err))
CALL(read_of_no_sample,
     trm_sim_read_sample(s->sim, &(trm_sample){.rcond = 1}, 1, &no_sensor, s->q, err))
CALL(go_on_from_nothing, trm_sim_create_from(NULL, &s->options, &no_sim, err))
CALL(go_on_without_options, trm_sim_create_from(s->sim, NULL, &no_sim, err))
CALL(go_on_nowhere, trm_sim_create_from(s->sim, &s->options, NULL, err))

/// What a call of trm_simulate returns, whose result is destroyed.
static trm_status simulate(const trm_model *model, double end, double accuracy,
                           const trm_simulate_options *options, trm_error *err)
{
    trm_result *result = NULL;
    const trm_status status = trm_simulate(model, end, accuracy, options, &result, err);
    assert_null(trm_result_sim(result));
    trm_result_destroy(result);
    return status;
}

static trm_simulate_options each_nan(void)
{
    trm_simulate_options options = trm_default_simulate_options();
    options.every = NAN;
    return options;
}

CALL(simulate_nothing, simulate(NULL, 1, 1e-6, NULL, err))
CALL(simulate_nowhere, trm_simulate(s->model, 1, 1e-6, NULL, NULL, err))
CALL(simulate_no_accuracy, simulate(s->model, 1, 2, NULL, err))
CALL(simulate_endless, simulate(s->model, INFINITY, 1e-6, NULL, err))
CALL(simulate_backwards, simulate(s->model, -1, 1e-6, NULL, err))
CALL(simulate_by_other_options,
     simulate(s->model, 1, 1e-6, &(trm_simulate_options){.verify = 1}, err))
CALL(simulate_every_nan, simulate(s->model, 1, 1e-6, (trm_simulate_options[]){each_nan()}, err))
CALL(lanes_nowhere, trm_lanes_create(4, NULL, err))
CALL(lanes_of_negative_width, trm_lanes_create(-2, &no_lanes, err))

#undef CALL

static trm_status diagnosis_of_another_scene(site *s, trm_error *err)
{
    static const char two[] =
        "{\"dimension\": 2, \"bodies\": [{\"name\": \"a\", \"mass\": 1, \"inertia\": 1},"
        "{\"name\": \"b\", \"mass\": 1, \"inertia\": 1}]}";
    rig r = rig_parse(two);
    const trm_status status = trm_diagnosis_create(r.scene, s->model, NULL, 1, &no_diagnosis, err);
    rig_close(&r);
    return status;
}

typedef trm_status call_fn(site *s, trm_error *err);

typedef struct misuse {
    const char *name;
    call_fn *call;
    const char *sentence;
} misuse;

static const char pair[] = "this integrator and this stabilization do not go together; trm_methods "
                           "lists the pairs that do";

static trm_status ill_paired(site *s, trm_error *err)
{
    trm_options options = trm_default_options((trm_integrator)77, TRM_STABILIZATION_PLAIN);
    return trm_sim_create(s->model, &options, &no_sim, err);
}

static trm_status of_another_version(site *s, trm_error *err)
{
    trm_options options = s->options;
    options.struct_size -= 8;
    return trm_sim_create(s->model, &options, &no_sim, err);
}

static const char unique[] = "expected a model, a position and a place for the answers, got NULL";
static const char run[] = "expected a run, got NULL";
static const char new_run[] = "expected a run, options and a place for the new run, got NULL";
static const char whole[] = "expected a model and a place for the result, got NULL";
static const char old[] = "the options do not come from trm_default_options of this version";

static const misuse list[] = {
    {"load", load_nothing, "expected a path or a text, got neither"},
    {"load", load_nowhere, "expected a source and a place for the scene, got NULL"},
    {"parse", parse_nothing, "expected a path or a text, got neither"},
    {"parse", parse_nowhere, "expected a source and a place for the scene, got NULL"},
    {"constant", constant_of_nothing, "expected an expression and a place, got NULL"},
    {"constant", constant_nowhere, "expected an expression and a place, got NULL"},
    {"set", set_of_no_scene, "expected a scene, the name of a parameter and a value, got NULL"},
    {"set", set_nothing, "expected a scene, the name of a parameter and a value, got NULL"},
    {"set", set_to_nothing, "expected a scene, the name of a parameter and a value, got NULL"},
    {"add", no_force_def, "expected a scene and a force, got NULL"},
    {"add", force_of_no_scene, "expected a scene and a force, got NULL"},
    {"add", no_constraint_def, "expected a scene and a constraint, got NULL"},
    {"add", constraint_of_no_scene, "expected a scene and a constraint, got NULL"},
    {"text", text_nowhere, "expected one of trm_text and a place for it, got NULL"},
    {"text", text_of_no_kind, "expected one of trm_text and a place for it, got another number"},
    {"build", model_of_nothing, "expected a scene and a place for the model, got NULL"},
    {"build", model_nowhere, "expected a scene and a place for the model, got NULL"},
    {"equations", no_equations, "expected equations and a place for the model, got NULL"},
    {"equations", empty_equations,
     "expected nq >= nv >= 1 and nc >= 0, got nq = 0, nv = 0, nc = 0"},
    {"choose", options_of_nothing, "expected a model and a place for the options, got NULL"},
    {"choose", options_nowhere, "expected a model and a place for the options, got NULL"},
    {"choose", accuracy_nan, "accuracy must be between 0 and 1, got nan"},
    {"create", sim_of_nothing, "expected a model and a place for the run, got NULL"},
    {"create", sim_nowhere, "expected a model and a place for the run, got NULL"},
    {"create", sim_without_options, "expected options, got NULL"},
    {"create", zeroed_options, old},
    {"create", of_another_version, old},
    {"create", ill_paired, pair},
    {"set_state", state_of_nothing, run},
    {"set_state", no_coordinates, "expected coordinates and velocities, got NULL"},
    {"set_state", no_velocities, "expected coordinates and velocities, got NULL"},
    {"shift", shift_nothing, run},
    {"step", step_nothing, run},
    {"run", run_nothing, run},
    {"run", run_to_nan, "expected an end at or after t = 0.25, got nan"},
    {"step_to", step_to_nothing, run},
    {"step_to", step_back, "expected an end at or after t = 0.25, got -0.5"},
    {"save", save_nothing, run},
    {"restore", restore_nothing, run},
    {"restore", restore_from_nothing, "expected a saved state, got NULL"},
    {"restore", restore_too_little, "expected a saved state, got 10 bytes"},
    {"restore", restore_rubbish, "expected a state saved by version 0.1.0 of the library"},
    {"sample", sample_nothing, run},
    {"sample", sample_nowhere, "expected a place for the sample, got NULL"},
    {"sample", sample_later, "expected a time within the last step, 0.249 to 0.25, got 9"},
    {"singular_value", sigma_of_nothing, run},
    {"singular_value", sigma_nowhere, "expected a place for the number, got NULL"},
    {"singular_value", sigma_later, "expected a time within the last step, 0.249 to 0.25, got 9"},
    {"terms", terms_of_nothing, run},
    {"terms", terms_nowhere, "expected a state and a place for the terms, got NULL"},
    {"terms", terms_at_nan, "expected finite numbers in t, q, v and force, got one that is not"},
    {"check", check_of_nothing, "expected a model and a place for the check, got NULL"},
    {"check", check_nowhere, "expected a model and a place for the check, got NULL"},
    {"diagnosis", diagnosis_of_nothing, "expected a model and a place for the diagnosis, got NULL"},
    {"diagnosis", diagnosis_nowhere, "expected a model and a place for the diagnosis, got NULL"},
    {"diagnosis", diagnosis_of_another_scene,
     "expected the scene that the model was built from, got another one"},
    {"diagnosis", diagnosis_forever, "expected a time to follow drives to, got inf"},
    {"diagnosis", diagnosis_to_nan, "expected a time to follow drives to, got nan"},
    {"unique", unique_of_nothing, unique},
    {"unique", unique_of_no_position, unique},
    {"unique", unique_nowhere, unique},
    {"unique", unique_at_nan, "expected finite numbers in t and q, got one that is not"},
    {"read_sample", read_of_no_sample,
     "expected a run, a sample of it, n >= 0 sensors and room for their numbers, got NULL or a "
     "negative number"},
    {"go_on", go_on_from_nothing, new_run},
    {"go_on", go_on_without_options, new_run},
    {"go_on", go_on_nowhere, new_run},
    {"simulate", simulate_nothing, whole},
    {"simulate", simulate_nowhere, whole},
    {"simulate", simulate_no_accuracy, "accuracy must be between 0 and 1, got 2"},
    {"simulate", simulate_endless, "expected a finite end >= 0, got inf"},
    {"simulate", simulate_backwards, "expected a finite end >= 0, got -1"},
    {"simulate", simulate_by_other_options,
     "the options do not come from trm_default_simulate_options of this version"},
    {"simulate", simulate_every_nan, "expected a finite time >= 0, got nan"},
    {"lanes", lanes_nowhere, "expected a width >= 0 and a place for the lanes, got 4"},
    {"lanes", lanes_of_negative_width, "expected a width >= 0 and a place for the lanes, got -2"},
};

CLAIM(every_misuse_gets_a_sentence_and_changes_nothing)
{
    site s = open_site();
    const double angle = trm_sim_state(s.sim).q[2];
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        trm_error err = {.status = TRM_OK};
        if (list[i].call(&s, &err) != TRM_ERR_OPTIONS || strcmp(err.message, list[i].sentence)) {
            fail_msg("%s (%zu): %s: %s\nexpected %s", list[i].name, i, trm_status_name(err.status),
                     err.message, list[i].sentence);
        }
        assert_int_equal(list[i].call(&s, NULL), TRM_ERR_OPTIONS); // no place for the error
        assert_true(trm_sim_state(s.sim).t == 0.25 && trm_sim_state(s.sim).q[2] == angle);
    }
    trm_error err = {.status = TRM_OK};
    assert_int_equal(save_nowhere(&s, &err), TRM_ERR_OPTIONS);
    assert_non_null(strstr(err.message, "bytes, got NULL and 0"));
    assert_int_equal(trm_sim_export(s.sim, s.state, 1, &err), TRM_ERR_OPTIONS);
    assert_non_null(strstr(err.message, "expected room for"));
    assert_int_equal(trm_sim_export(s.sim, NULL, 0, &err), TRM_ERR_OPTIONS);
    rig_ok(trm_sim_step_to(s.sim, 0.5, &err), &err);
    close_site(&s);
}

CLAIM(what_has_no_status_gives_nothing)
{
    site s = open_site();
    const double local[3] = {0, 0, 0}, F[3] = {1, 1, 1};
    double x[3] = {1, 1, 1}, u[3] = {1, 1, 1}, f[3] = {0, 0, 0};
    trm_crossing crossing;
    trm_contact_state contact;
    trm_scene_destroy(NULL);
    trm_model_destroy(NULL);
    trm_sim_destroy(NULL);
    trm_check_destroy(NULL);
    trm_diagnosis_destroy(NULL);
    trm_text_destroy(NULL);
    assert_string_equal(trm_scene_get_info(NULL).title, "");
    assert_true(trm_scene_simulation(NULL).end == 0);
    assert_int_equal(trm_scene_get_info(NULL).dimension, 0);
    assert_null(trm_scene_marker_info(NULL, 0).name);
    assert_null(trm_scene_parameter_info(NULL, 0).name);
    assert_null(trm_scene_parameter_info(s.scene, 1).name);
    assert_int_equal(trm_model_sizes(NULL).nq, 0);
    assert_int_equal(trm_model_find(NULL, TRM_ELEMENT_BODY, "bar"), -1);
    assert_int_equal(trm_model_find(s.model, TRM_ELEMENT_BODY, NULL), -1);
    assert_int_equal(trm_model_find(NULL, TRM_ELEMENT_JOINT, "O"), -1);
    assert_int_equal(trm_model_find(NULL, TRM_ELEMENT_MARKER, "O"), -1);
    assert_null(trm_model_body_info(s.model, 1).name);
    assert_null(trm_model_row_info(s.model, -1).name);
    assert_null(trm_model_joint_info(s.model, 1).name);
    assert_null(trm_model_marker_info(s.model, 0).name);
    assert_null(trm_model_input_info(NULL, 0).name);
    trm_model_initial_state(NULL, x, u);
    trm_model_initial_state(s.model, NULL, NULL);
    assert_true(x[0] == 1);
    trm_model_point(s.model, 1, local, s.q, s.v, x, u);
    assert_true(isnan(x[0]) && isnan(u[2]));
    trm_model_point(NULL, 0, local, s.q, s.v, x, NULL);
    assert_true(isnan(x[0]));
    trm_model_point(s.model, 0, local, NULL, s.v, u, x);
    assert_true(isnan(x[0]) && isnan(u[0]));
    trm_model_point(s.model, 0, local, s.q, s.v, NULL, x);
    assert_true(isfinite(x[0]));
    trm_model_push(s.model, 1, local, F, s.q, f);
    trm_model_push(NULL, 0, local, F, s.q, f);
    trm_model_push(s.model, 0, local, NULL, s.q, f);
    trm_model_push(s.model, 0, local, F, s.q, NULL);
    assert_true(f[0] == 0 && f[2] == 0);
    assert_true(trm_methods(NULL) > 50);
    assert_null(trm_sim_state(NULL).q);
    assert_true(isnan(trm_sim_drift(NULL).position) && isnan(trm_sim_energy(NULL).kinetic));
    assert_int_equal(trm_sim_stats(NULL).steps, 0);
    assert_int_equal(trm_sim_report(NULL).worst_row, -1);
    assert_int_equal(trm_sim_crossing(NULL, 0, &crossing), 0);
    assert_int_equal(trm_sim_crossing(s.sim, 0, NULL), 0);
    assert_int_equal(trm_sim_state_size(NULL), 0);
    assert_int_equal(trm_sim_contact(s.sim, 0, &contact), 0);
    assert_int_equal(trm_sim_contact(NULL, 0, &contact), 0);
    assert_true(isnan(trm_sim_hand_over(NULL).t));
    trm_model_start_at(s.model, 0, 3, 7); // there are three coordinates
    trm_model_start_at(s.model, 1, -1, 7);
    trm_model_start_at(NULL, 0, 0, 7);
    trm_model_initial_state(s.model, f, u);
    assert_true(memcmp(f, s.q, sizeof f) == 0 && memcmp(u, s.v, sizeof u) == 0);
    assert_string_equal(trm_status_name((trm_status)99), "unknown status");
    close_site(&s);
}

/// A lane takes one run, and a run in it is stepped alone where its kind has no lanes.
CLAIM(a_lane_that_is_not_there_is_told)
{
    site s = open_site();
    trm_error err = {.status = TRM_OK};
    trm_lanes *one = NULL, *two = NULL;
    const double t_end = 1;
    rig_ok(trm_lanes_create(1, &one, &err), &err);
    rig_ok(trm_lanes_create(2, &two, &err), &err);
    assert_int_equal(trm_lanes_width(one), 1);
    assert_string_equal(trm_lanes_take_slot(one, 0, s.sim), "there is one lane");
    assert_string_equal(trm_lanes_take_slot(NULL, 0, s.sim), "there is one lane");
    if (trm_lanes_width(two) == 2) {
        assert_string_equal(trm_lanes_take_slot(two, 2, s.sim), "there is no such lane");
        assert_string_equal(trm_lanes_take_slot(two, -1, s.sim), "there is no such lane");
    }
    trm_lanes_prepare(one, &s.sim, &t_end);
    trm_lanes_prepare(NULL, &s.sim, &t_end);
    assert_true(trm_sim_state(s.sim).t == 0.25);
    trm_lanes_destroy(one);
    trm_lanes_destroy(two);
    close_site(&s);
}

/// *out is NULL after every failure, even of another argument.
CLAIM(out_is_null_after_every_failure)
{
    static char marked;
    site s = open_site();
    const trm_options no_options = {0};
#define NULL_AFTER(type, call)                                                                     \
    do {                                                                                           \
        type *out = (type *)(void *)&marked;                                                       \
        assert_int_not_equal(call, TRM_OK);                                                        \
        assert_null(out);                                                                          \
    } while (0)
    NULL_AFTER(trm_scene, trm_scene_load(NULL, &out, NULL));
    NULL_AFTER(trm_scene, trm_scene_load("no/such/file", &out, NULL));
    NULL_AFTER(trm_scene, trm_scene_parse(NULL, 3, &out, NULL));
    NULL_AFTER(trm_scene, trm_scene_parse("{", 1, &out, NULL));
    NULL_AFTER(char, trm_text_create((trm_text)17, &out, NULL));
    NULL_AFTER(trm_model, trm_model_build(NULL, &out, NULL));
    NULL_AFTER(trm_model, trm_model_from_equations(NULL, &out, NULL));
    NULL_AFTER(trm_model, trm_model_from_equations(&(trm_equations){.name = "e"}, &out, NULL));
    NULL_AFTER(trm_sim, trm_sim_create(NULL, &s.options, &out, NULL));
    NULL_AFTER(trm_sim, trm_sim_create(s.model, NULL, &out, NULL));
    NULL_AFTER(trm_sim, trm_sim_create(s.model, &no_options, &out, NULL));
    NULL_AFTER(trm_check, trm_check_create(NULL, NULL, &out, NULL));
    NULL_AFTER(trm_check, trm_check_create(s.model, &no_options, &out, NULL));
    NULL_AFTER(trm_diagnosis, trm_diagnosis_create(NULL, NULL, NULL, 1, &out, NULL));
    NULL_AFTER(trm_diagnosis, trm_diagnosis_create(NULL, s.model, NULL, NAN, &out, NULL));
    NULL_AFTER(trm_query, trm_query_create(NULL, &out, NULL));
    NULL_AFTER(trm_linear, trm_query_linearize(NULL, 0, NULL, NULL, NULL, &out, NULL));
    NULL_AFTER(trm_dae_sim, trm_dae_sim_create(NULL, NULL, 0, NULL, &out, NULL));
    NULL_AFTER(trm_dae_sim, trm_dae_sim_create(NULL, NULL, 0, s.q, &out, NULL));
#undef NULL_AFTER
    close_site(&s);
}

/// A caller made with other headers: of a shorter report no byte behind it is touched, of a longer
/// one what this version does not know is zero.
CLAIM(a_report_has_the_size_of_its_caller)
{
    struct {
        trm_report report;
        char behind[64];
    } longer, shorter;
    const size_t known = offsetof(trm_report, worst_row);

    memset(&longer, 0x5a, sizeof longer);
    memset(&shorter, 0x5a, sizeof shorter);
    trm_sim_get_report(NULL, &longer.report, sizeof longer);
    trm_sim_get_report(NULL, &shorter.report, known + sizeof(int));
    assert_int_equal(longer.report.worst_row, -1);
    assert_int_equal(shorter.report.worst_row, -1);
    for (size_t i = sizeof(trm_report); i < sizeof longer; i++) {
        assert_int_equal(((char *)&longer)[i], 0);
    }
    for (size_t i = known + sizeof(int); i < sizeof shorter; i++) {
        assert_int_equal(((char *)&shorter)[i], 0x5a);
    }
    trm_sim_get_report(NULL, NULL, 0);
}

CLAIM(the_version_is_checked)
{
    char text[32];
    trm_error err = {.status = TRM_OK};
    snprintf(text, sizeof text, "%d.%d.%d", TRM_VERSION_MAJOR, TRM_VERSION_MINOR,
             TRM_VERSION_PATCH);
    assert_string_equal(text, TRM_VERSION);
    assert_int_equal(TRM_VERSION_CHECK(&err), TRM_OK);
    assert_int_equal(trm_version_check(TRM_VERSION_MAJOR + 1, 0, &err), TRM_ERR_OPTIONS);
    assert_int_equal(trm_version_check(TRM_VERSION_MAJOR, TRM_VERSION_MINOR + 1, &err),
                     TRM_ERR_OPTIONS);
    snprintf(text, sizeof text, "version %d.%d ", TRM_VERSION_MAJOR, TRM_VERSION_MINOR + 1);
    assert_non_null(strstr(err.message, text));
    assert_non_null(strstr(err.message, trm_version()));
}
