/// Models from equations of the user: missing functions are refused.
#include "tests/rig.h"
#include "validation/papers/problems/problems_arm.h"

// ------------------------------------------------------------------------- models from equations

CLAIM(equations_that_lack_something_are_refused)
{
    trm_equations bad[10];
    trm_model *model = NULL;
    trm_error err = {.status = TRM_OK};

    for (int k = 0; k < 10; k++) {
        bad[k] = sine_arm;
    }
    bad[0].M = NULL;
    bad[1].f = NULL;
    bad[2].g = NULL;
    bad[3].G = NULL;
    bad[4].gamma = NULL;
    bad[5].nq = 3; // and no N
    bad[6].nv = 0;
    bad[7].nc = -1;
    bad[8].nq = 1;
    bad[9].nq = 0;
    for (int k = 0; k < 10; k++) {
        model = (trm_model *)(void *)bad;
        assert_int_equal(trm_model_from_equations(&bad[k], &model, &err), TRM_ERR_OPTIONS);
        assert_null(model);
        assert_string_equal(err.where, sine_arm.name);
    }
    trm_equations nameless = sine_arm; // a name, initial values, g_t and N may be absent
    nameless.name = NULL;
    nameless.q0 = NULL;
    nameless.g_t = NULL;
    rig_ok(trm_model_from_equations(&nameless, &model, &err), &err);
    trm_model_destroy(model);
}

static int no_mass(const trm_model *model, double t, const double *q, double *M, void *user)
{
    (void)model, (void)t, (void)q;
    const double m = *(const double *)user;
    M[0] = 1.0;
    M[1] = M[2] = 0.0;
    M[3] = m;
    return 0;
}

/// M not positive definite: said at the start, naming the equations.
CLAIM(a_mass_matrix_that_is_none_is_refused)
{
    const double masses[] = {0.0, -1.0, NAN};

    for (int k = 0; k < 3; k++) {
        double m = masses[k];
        trm_equations eq = sine_arm;
        trm_error err = {.status = TRM_OK};
        eq.M = no_mass;
        eq.user = &m;
        rig r = rig_equations(&eq);
        const trm_options options =
            trm_default_options(TRM_INTEGRATOR_RK4, TRM_STABILIZATION_PLAIN);
        assert_int_equal(trm_sim_create(r.model, &options, &r.sim, &err), TRM_ERR_CALLBACK);
        assert_non_null(strstr(err.where, sine_arm.name));
        rig_close(&r);
    }
}
