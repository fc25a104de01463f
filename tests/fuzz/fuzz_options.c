/// Any bytes as options, then as calls on a run: steps, ends, shifts, samples, restarts.
#include "tests/fuzz/target.h"
#include "trammel/trammel_methods.h"

static const char scene_text[] =
    "{\"dimension\":2,\"gravity\":[0,-9.81],\"parameters\":{\"u\":{\"value\":1,\"input\":true}},"
    "\"bodies\":["
    "{\"name\":\"a\",\"mass\":1,\"ends\":[[0,0],[1,0]]},{\"name\":\"b\",\"mass\":1,\"ends\":[[1,0],"
    "[2,1]]},"
    "{\"name\":\"c\",\"mass\":1,\"ends\":[[2,1],[3,0]]}],\"joints\":["
    "{\"name\":\"A\",\"type\":\"revolute\",\"bodies\":[\"ground\",\"a\"],\"at\":[0,0]},"
    "{\"name\":\"B\",\"type\":\"revolute\",\"bodies\":[\"a\",\"b\"],\"at\":[1,0]},"
    "{\"name\":\"C\",\"type\":\"revolute\",\"bodies\":[\"b\",\"c\"],\"at\":[2,1]},"
    "{\"name\":\"D\",\"type\":\"revolute\",\"bodies\":[\"ground\",\"c\"],\"at\":[3,0]}],"
    "\"forces\":[{\"name\":\"f\",\"type\":\"joint_force\",\"joint\":\"A\",\"value\":\"u\"}]}";

/// Often ordinary, sometimes any bit pattern.
static double any_number(bytes_left *b, double usual)
{
    double x = usual;
    const unsigned kind = choose(b, 8);
    if (kind == 0 && b->left >= sizeof x) {
        memcpy(&x, b->at, sizeof x);
        b->at += sizeof x;
        b->left -= sizeof x;
    } else if (kind == 1) {
        static const double special[] = {0, -1, 1e-320, 1e-200, 1e200, INFINITY, -INFINITY, NAN};
        x = special[choose(b, 8)];
    } else if (kind == 2) {
        x = usual * pow(10, number(b, -12, 12));
    }
    return x;
}

/// One option of any kind; those of another family than the method's are refused.
static void change_option(trm_options *o, bytes_left *b)
{
    double *const numbers[] = {&o->h,
                               &o->rtol,
                               &o->atol,
                               &o->tolerance,
                               &o->damping,
                               &o->baumgarte.alpha1,
                               &o->baumgarte.alpha0,
                               &o->alf.alpha2,
                               &o->srm.epsilon,
                               &o->post.alpha,
                               &o->post.gamma};
    int *const words[] = {&o->mass_metric, &o->srm.iterations, &o->srm.lambda0_zero,
                          &o->state_space.tangent, &o->assemble};
    enum {
        NUMBERS = (int)(sizeof numbers / sizeof *numbers),
        WORDS = (int)(sizeof words / sizeof *words)
    };
    const unsigned which = choose(b, NUMBERS + WORDS + 4);
    if (which < NUMBERS) {
        *numbers[which] = any_number(b, *numbers[which]);
    } else if (which < NUMBERS + WORDS) {
        *words[which - NUMBERS] = (int)choose(b, 5) - (choose(b, 20) == 0 ? 2 : 0);
    } else if (which == NUMBERS + WORDS) {
        o->step_control = (trm_step_control)choose(b, 2);
    } else if (which == NUMBERS + WORDS + 1) {
        o->post.formula = (trm_post_formula)choose(b, 4);
    } else if (which == NUMBERS + WORDS + 2) {
        o->srm.form = (trm_srm_carried)choose(b, 3);
    } else {
        o->srm.E = (trm_srm_matrix)choose(b, 5);
    }
}

static trm_options any_options(bytes_left *b)
{
    const trm_method *methods = NULL;
    const int n = trm_methods(&methods);
    const trm_method *const m = &methods[choose(b, (unsigned)n)];
    trm_options o = trm_default_options(m->integrator, m->stabilization);
    o.h = m->adaptive ? o.h : 1e-3;
    for (unsigned k = choose(b, 4); k > 0; k--) {
        change_option(&o, b);
    }
    return o;
}

static int few(trm_sim *sim, void *user)
{
    (void)sim;
    return ++*(int *)user >= 20;
}

/// Returns zero when the run has no state to go on from.
static int call(trm_sim *sim, const trm_model *model, bytes_left *b)
{
    trm_error err = {.status = TRM_OK};
    trm_sample sample;
    double x[12];
    int steps = 0;
    for (int i = 0; i < 12; i++) {
        x[i] = 0;
    }
    switch (choose(b, 7)) {
    case 0:
        take_steps(sim, model, 3);
        break;
    case 1:
        trm_sim_run(sim, trm_sim_state(sim).t + any_number(b, 1e-2), few, &steps, &err);
        break;
    case 2:
        trm_sim_sample(sim, any_number(b, trm_sim_state(sim).t), &sample, &err);
        break;
    case 3:
        x[choose(b, 9)] = any_number(b, 1e-6);
        trm_sim_perturb(sim, x, NULL, &err);
        break;
    case 4:
        trm_sim_set_input(sim, (int)choose(b, 3) - 1, any_number(b, 2), &err);
        break;
    case 5:
        memcpy(x, trm_sim_state(sim).q, 9 * sizeof *x);
        x[choose(b, 9)] = any_number(b, 0.1);
        return trm_sim_set_state(sim, any_number(b, 0), x, trm_sim_state(sim).v, &err) == TRM_OK;
    default:
        trm_sim_singular_value(sim, trm_sim_state(sim).t, x, &err);
    }
    return 1;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    bytes_left b = {bytes, size};
    trm_error err = {.status = TRM_OK};
    trm_scene *scene = NULL;
    trm_model *model = NULL;
    trm_sim *sim = NULL;
    PROMISE(trm_scene_parse(scene_text, sizeof scene_text - 1, &scene, &err) == TRM_OK);
    PROMISE(trm_model_build(scene, &model, &err) == TRM_OK);
    const trm_options options = any_options(&b);
    if (trm_sim_create(model, &options, &sim, &err) != TRM_OK) {
        PROMISE(sim == NULL && err.message[0] != '\0');
    }
    int goes_on = sim != NULL;
    for (int k = 0; goes_on && k < 12 && b.left > 0; k++) {
        goes_on = call(sim, model, &b);
    }
    trm_sim_destroy(sim);
    trm_model_destroy(model);
    trm_scene_destroy(scene);
    return 0;
}
