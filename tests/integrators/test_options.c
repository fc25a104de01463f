/// Options of methods: what is out of range, not read by the method, or does not mix is refused by
/// name.
#include "program/run_details.h"
#include "tests/simulation/run/runs.h"

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

static void check_taken(const trm_model *model, const trm_options *options)
{
    trm_sim *sim = NULL;
    trm_error err = {.status = TRM_OK};
    rig_ok(trm_sim_create(model, options, &sim, &err), &err);
    trm_sim_destroy(sim);
}

/// 2 gamma and gamma^2 with gamma = 10 for Baumgarte's method; tolerances of an accuracy of 1e-6.
CLAIM(defaults)
{
    for (int adaptive = 0; adaptive < 2; adaptive++) {
        const trm_options o = trm_default_options(
            adaptive ? TRM_INTEGRATOR_DOP853 : TRM_INTEGRATOR_RK4, TRM_STABILIZATION_PLAIN);
        assert_true(o.h == (adaptive ? 0 : 1e-3) && o.max_step == 0);
        assert_true(o.rtol == 1e-8 && o.atol == 1e-8 && o.tolerance == 1e-8);
        assert_true(o.baumgarte.alpha1 == 20 && o.baumgarte.alpha0 == 100 && o.alf.alpha2 == 1);
        assert_true(o.srm.epsilon == 0 && o.srm.iterations == 2 &&
                    o.srm.E == TRM_SRM_MATRIX_IDENTITY);
        assert_true(o.post.alpha == 1 && o.post.gamma == 10 && o.damping == 1e-10);
        assert_true(o.state_space.tangent == 1 && o.mass_metric == 1);
    }
}

CLAIM(both_ends_of_a_range)
{
    rig r = rig_parse(spinning_pendulum);
    trm_options o = rig_fixed(TRM_INTEGRATOR_HEUN, TRM_STABILIZATION_BAUMGARTE, 1e-3);
    o.baumgarte.alpha1 = o.baumgarte.alpha0 = 0;
    check_taken(r.model, &o);
    o.post.alpha = 0.5; // neither alpha1 nor alpha0 is alpha
    check_refused(r.model, &o, "post.alpha");
    o = rig_fixed(TRM_INTEGRATOR_HEUN, TRM_STABILIZATION_ALF, 1e-3);
    o.alf.alpha2 = 0;
    check_taken(r.model, &o);
    o.alf.alpha2 = -1e-300;
    check_refused(r.model, &o, "alpha2");
    o = rig_fixed(TRM_INTEGRATOR_HEUN, TRM_STABILIZATION_SRM, 1e-3);
    for (int i = 1; i <= 1000; i += 999) {
        o.srm.iterations = i;
        check_taken(r.model, &o);
    }
    o = rig_fixed(TRM_INTEGRATOR_HEUN, TRM_STABILIZATION_S_CONTINUOUS, 1e-3);
    o.post.gamma = 0;
    check_taken(r.model, &o);
    o.post.gamma = -1e-300;
    check_refused(r.model, &o, "gamma");
    for (int implicit = 0; implicit < 2; implicit++) {
        o = rig_fixed(TRM_INTEGRATOR_HEUN,
                      implicit ? TRM_STABILIZATION_S_IMPLICIT : TRM_STABILIZATION_S_BOTH2, 1e-3);
        o.post.alpha = 1.999;
        check_taken(r.model, &o);
        o.post.alpha = 0;
        check_refused(r.model, &o, "alpha");
        o.post.alpha = 2;
        (implicit ? check_taken(r.model, &o) : check_refused(r.model, &o, "alpha"));
    }
    o = rig_fixed(TRM_INTEGRATOR_HEUN, TRM_STABILIZATION_SRM, 1e-3);
    for (int form = -1; form <= 2; form++) {
        o.srm.form = (trm_srm_carried)form;
        (form == 0 || form == 1 ? check_taken(r.model, &o) : check_refused(r.model, &o, "form"));
    }
    o.srm.form = TRM_SRM_LAMBDA_HAT;
    o.srm.E = TRM_SRM_MATRIX_GB_INVERSE;
    check_taken(r.model, &o);
    o.srm.E = TRM_SRM_MATRIX_GB_TRANSPOSED;
    check_refused(r.model, &o, "srm.E");
    rig_close(&r);
}

/// What the methods list as their parameters belongs to a family, and nothing else does.
CLAIM(parameters_belong_to_families)
{
    static const char *const some[][2] = {{"alpha", "post-stabilization"},
                                          {"alpha2", "alf"},
                                          {"gamma", "s-continuous"},
                                          {"form", "srm with heun"},
                                          {"control", "dopri5"}};
    for (size_t i = 0; i < sizeof some / sizeof *some; i++) {
        assert_string_equal(trm_parameter_family(some[i][0]), some[i][1]);
    }
    assert_null(trm_parameter_family("alph"));
    assert_null(trm_parameter_family(NULL));
    const trm_method *methods = NULL;
    const int n = trm_methods(&methods);
    for (int i = 0; i < n; i++) {
        char text[128], *rest = text;
        snprintf(text, sizeof text, "%s", methods[i].parameters);
        for (char *name; (name = strtok_r(rest, " ", &rest));) {
            assert_non_null(trm_parameter_family(name));
        }
        const char *const lists[] = {methods[i].parameters, methods[i].source};
        for (int k = 0; k < 2; k++) { // joined of two, of which either may be empty
            const size_t length = strlen(lists[k]);
            assert_true(!length || (!strchr("; ", lists[k][0]) && lists[k][length - 1] != ' '));
        }
    }
}

CLAIM(options_of_zero_are_refused)
{
    rig r = rig_parse(spinning_pendulum);
    trm_options zero, shorter = trm_default_options(TRM_INTEGRATOR_RK4, TRM_STABILIZATION_PLAIN);

    memset(&zero, 0, sizeof zero);
    check_refused(r.model, &zero, "trm_options");
    shorter.struct_size -= sizeof(double); // of an older version
    check_refused(r.model, &shorter, "trm_options");
    rig_close(&r);
}

CLAIM(values_out_of_range_are_refused_by_name)
{
    const trm_options rk4 = trm_default_options(TRM_INTEGRATOR_RK4, TRM_STABILIZATION_BAUMGARTE);
    const trm_options dop = trm_default_options(TRM_INTEGRATOR_DOPRI5, TRM_STABILIZATION_S_BOTH2);
    const trm_options srm = trm_default_options(TRM_INTEGRATOR_HEUN, TRM_STABILIZATION_SRM);
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
        {dop, offsetof(trm_options, misfit), "misfit", {-0.5, 0.021, 1, NAN, INFINITY}, 5},
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
    options.srm.E = (trm_srm_matrix)7;
    check_refused(r.model, &options, "E");
    rig_close(&r);
}

/// Each family's options with methods of other families: refused by name, and the family is named.
CLAIM(options_that_the_method_does_not_read_are_refused)
{
    const trm_options rk4 = trm_default_options(TRM_INTEGRATOR_RK4, TRM_STABILIZATION_PLAIN);
    trm_options o[12];
    for (int i = 0; i < 12; i++) {
        o[i] = rk4;
    }
    static const char *const names[] = {
        "baumgarte.alpha1", "baumgarte.alpha0", "alf.alpha2",
        "srm.epsilon",      "srm.iterations",   "srm.E",
        "srm.lambda0_zero", "post.alpha",       "post.gamma",
        "post.formula",     "srm.form",         "state_space.tangent"};
    o[0].baumgarte.alpha1 = 1;
    o[1].baumgarte.alpha0 = 1;
    o[2].alf.alpha2 = 2;
    o[3].srm.epsilon = 1e-3;
    o[4].srm.iterations = 3;
    o[5].srm.E = TRM_SRM_MATRIX_GB_INVERSE;
    o[6].srm.lambda0_zero = 1;
    o[7].post.alpha = 0.5;
    o[8].post.gamma = 1;
    o[9].post.formula = TRM_POST_FORMULA_PRINTED;
    o[10].srm.form = TRM_SRM_LAMBDA_HAT;
    o[11].state_space.tangent = 0;
    rig r = rig_parse(spinning_pendulum);
    for (int i = 0; i < 12; i++) {
        check_refused(r.model, &o[i], names[i]);
    }
    trm_options stage = trm_default_options(TRM_INTEGRATOR_HEUN,
                                            TRM_STABILIZATION_S_BOTH2); // has no stage at the end
    stage.h = 1e-3;
    stage.post.formula = TRM_POST_FORMULA_STAGE;
    check_refused(r.model, &stage, "post.formula");
    stage.post.formula = (trm_post_formula)3;
    check_refused(r.model, &stage, "formula");
    rig_close(&r);
}

CLAIM(pairs_that_do_not_mix_are_refused)
{
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
            if (i == TRM_INTEGRATOR_MOREAU && listed) {
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

CLAIM(an_accuracy_out_of_range_is_refused)
{
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
