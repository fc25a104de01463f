/// Options of methods: what is out of range, not read by the method, or does not mix is refused by
/// name.
#include "tests/engine/run/runs.h"

// ---------------------------------------------------------------------------------------- options

static void check_refused(const trm_model *model, const trm_options *options, const char *name)
{
    trm_sim *sim = (void *)&model;
    trm_error err = {.status = TRM_OK};
    assert_int_equal(trm_sim_create(model, options, &sim, &err), TRM_ERR_OPTIONS);
    assert_null(sim);
    if (strcmp(err.where, name) != 0 || !strlen(err.message)) {
        fail_msg("expected %s to be named, got %s: %s", name, err.where, err.message);
    }
}

static void options_of_zero_are_refused(void **state)
{
    (void)state;
    rig r = rig_parse(spinning_pendulum);
    trm_options zero, shorter = trm_default_options(TRM_RK4, TRM_PLAIN);

    memset(&zero, 0, sizeof zero);
    check_refused(r.model, &zero, "trm_options");
    shorter.struct_size -= sizeof(double); // of an older version
    check_refused(r.model, &shorter, "trm_options");
    rig_close(&r);
}

static void values_out_of_range_are_refused_by_name(void **state)
{
    (void)state;
    const trm_options rk4 = trm_default_options(TRM_RK4, TRM_BAUMGARTE);
    const trm_options dop = trm_default_options(TRM_DOPRI5, TRM_S_BOTH2);
    const trm_options srm = trm_default_options(TRM_HEUN, TRM_SRM);
    const struct {
        trm_options from;
        size_t offset;
        const char *name;
        double bad[5];
        int count;
    } rows[] = {
        {rk4, offsetof(trm_options, h), "h", {0, -1, NAN, INFINITY, -INFINITY}, 5},
        {dop, offsetof(trm_options, h), "h", {-1e-300, NAN, INFINITY, -INFINITY}, 4},
        {dop, offsetof(trm_options, rtol), "rtol", {-1e-9, NAN, INFINITY}, 3},
        {dop, offsetof(trm_options, atol), "atol", {0, -1e-9, NAN, INFINITY}, 4},
        {rk4, offsetof(trm_options, baumgarte.alpha1), "alpha1", {-1, NAN, INFINITY}, 3},
        {rk4, offsetof(trm_options, baumgarte.alpha0), "alpha0", {-1, NAN, INFINITY}, 3},
        {srm, offsetof(trm_options, srm.epsilon), "epsilon", {-1, NAN, INFINITY}, 3},
        {dop, offsetof(trm_options, tolerance), "tolerance", {0, -1, NAN, INFINITY}, 4},
        {dop, offsetof(trm_options, damping), "damping", {0, -1e-10, 0.01, NAN, INFINITY}, 5},
    };
    rig r = rig_parse(spinning_pendulum);

    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        for (int i = 0; i < rows[k].count; i++) {
            trm_options options = rows[k].from;
            memcpy((char *)&options + rows[k].offset, &rows[k].bad[i], sizeof(double));
            check_refused(r.model, &options, rows[k].name);
        }
    }
    const int counts[] = {0, -1, 1001, 2147483647};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        trm_options options = srm;
        options.srm.iterations = counts[i];
        check_refused(r.model, &options, "iterations");
    }
    trm_options options = srm;
    options.srm.E = (trm_E)7;
    check_refused(r.model, &options, "E");
    rig_close(&r);
}

/// Each family's options with methods of other families: refused by name, and the family is named.
static void options_that_the_method_does_not_read_are_refused(void **state)
{
    (void)state;
    const trm_options rk4 = trm_default_options(TRM_RK4, TRM_PLAIN);
    trm_options o[13];
    for (int i = 0; i < 13; i++) {
        o[i] = rk4;
    }
    static const char *const names[] = {"baumgarte.alpha1",   "baumgarte.alpha0", "alf.alpha2",
                                        "srm.epsilon",        "srm.iterations",   "srm.E",
                                        "srm.lambda0_zero",   "post.alpha",       "post.gamma",
                                        "post.formula",       "srm_p.passes",     "srm_p.degree",
                                        "state_space.tangent"};
    o[0].baumgarte.alpha1 = 1;
    o[1].baumgarte.alpha0 = 1;
    o[2].alf.alpha2 = 2;
    o[3].srm.epsilon = 1e-3;
    o[4].srm.iterations = 3;
    o[5].srm.E = TRM_E_GB_INVERSE;
    o[6].srm.lambda0_zero = 1;
    o[7].post.alpha = 0.5;
    o[8].post.gamma = 1;
    o[9].post.formula = TRM_FORMULA_PRINTED;
    o[10].srm_p.passes = 2;
    o[11].srm_p.degree = 1;
    o[12].state_space.tangent = 0;
    rig r = rig_parse(spinning_pendulum);
    for (int i = 0; i < 13; i++) {
        check_refused(r.model, &o[i], names[i]);
    }
    trm_options stage = trm_default_options(TRM_HEUN, TRM_S_BOTH2); // has no stage at the end
    stage.h = 1e-3;
    stage.post.formula = TRM_FORMULA_STAGE;
    check_refused(r.model, &stage, "post.formula");
    stage.post.formula = (trm_post_formula)3;
    check_refused(r.model, &stage, "formula");
    rig_close(&r);
}

static void pairs_that_do_not_mix_are_refused(void **state)
{
    (void)state;
    const trm_method *methods = NULL;
    const int n = trm_methods(&methods);
    rig r = rig_parse(spinning_pendulum);

    for (int i = -1; i < 40; i++) {
        for (int s = -1; s < 40; s++) {
            int listed = 0;
            for (int k = 0; k < n; k++) {
                listed |= (int)methods[k].integrator == i && (int)methods[k].stabilization == s;
            }
            const trm_options options =
                trm_default_options((trm_integrator)i, (trm_stabilization)s);
            if (i == TRM_MOREAU && listed) {
                continue; // there are no contacts
            }
            if (!listed) {
                check_refused(r.model, &options, "trm_options");
            } else {
                rig_start(&r, options); // what trm_default_options says is acceptable
            }
        }
    }
    rig_close(&r);
}

static void an_accuracy_out_of_range_is_refused(void **state)
{
    (void)state;
    const double bad[] = {0, -1e-6, 1, 2, NAN, INFINITY};
    rig r = rig_parse(spinning_pendulum);
    trm_options options;
    trm_error err = {.status = TRM_OK};

    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        assert_int_equal(trm_choose_options(r.model, bad[k], &options, NULL, &err),
                         TRM_ERR_OPTIONS);
        assert_string_equal(err.where, "accuracy");
    }
    rig_ok(trm_choose_options(r.model, 1e-6, &options, NULL, &err), &err);
    rig_close(&r);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(options_of_zero_are_refused),
        cmocka_unit_test(values_out_of_range_are_refused_by_name),
        cmocka_unit_test(options_that_the_method_does_not_read_are_refused),
        cmocka_unit_test(pairs_that_do_not_mix_are_refused),
        cmocka_unit_test(an_accuracy_out_of_range_is_refused),
    };
    if (argc > 1) {
        cmocka_set_test_filter(argv[1]); // by name, with * and ?
    }
    return cmocka_run_group_tests_name("options", tests, NULL, NULL);
}
