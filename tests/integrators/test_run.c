/// What all methods share, on runs that are made by hand: the mesh of fixed steps, headway,
/// interpolation, and the sentences of failures.
#include "tests/near.h"

#include "integrators/trajectory/stabilization.h"
#include "trammel/trammel_methods.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { NQ = 2, NZ = 5 }; // q, v, work

/// Two coordinates, two rows, nothing behind them.
typedef struct bare {
    trm_run run;
    trm_system system;
    trm_method method;
    trm_row_info rows[3];
    double z[NZ + 2], dz[NZ + 2], z0[NZ], dz0[NZ], extent[NQ + 3], g[3];
} bare;

static void open(bare *b, int adaptive)
{
    memset(b, 0, sizeof *b);
    b->method =
        (trm_method){.integrator_name = "i", .stabilization_name = "s", .adaptive = adaptive};
    b->system = (trm_system){.nq = NQ, .nv = NQ, .nc = 3, .g = b->g};
    b->rows[0] = (trm_row_info){.name = "A", .where = "/joints/0"};
    b->rows[1] = (trm_row_info){.name = "B", .where = "/constraints/0"};
    b->rows[2] = (trm_row_info){.name = "C", .where = "/joints/1"};
    b->run = (trm_run){.system = &b->system,
                       .pair = &b->method,
                       .row_info = b->rows,
                       .n = NZ,
                       .extent = {.q = b->extent, .g = b->extent + NQ},
                       .now = {.z = b->z, .dz = b->dz},
                       .before = {.z = b->z0, .dz = b->dz0},
                       .weak_row = -1};
    memcpy(b->extent, (double[]){2, 2, 1, 1, 1}, sizeof b->extent);
}

// -------------------------------------------------------------------------------------------- mesh

/// Two steps of 1/8 s behind t0: the next one, to a limit.
static void next_is(double limit, double expected, double expected_h)
{
    static const double t0 = 1;
    bare b;
    double h = 0;
    open(&b, 0);
    b.run.options.h = 0.125;
    b.run.t_origin = t0;
    b.run.count = 2;
    b.run.now.t = t0 + 0.25;
    assert_true(trm_run_next(&b.run, limit, &h) == expected);
    assert_true(h == expected_h);
}

CLAIM(a_step_ends_on_the_mesh_or_at_the_limit)
{
    const double point = 1.375, beside = 0.5e-9 * 0.125;
    next_is(10, point, 0.125);
    next_is(point, point, 0.125);
    next_is(point + beside, point + beside, 0.125);
    next_is(point - beside, point - beside, 0.125);
    next_is(1.3125, 1.3125, 0.0625);
}

/// Of the same run, where it lands: the mesh it has then.
static void lands(double t, double origin, long count)
{
    bare b;
    open(&b, 0);
    b.run.options.h = 0.125;
    b.run.t_origin = 1;
    b.run.count = 2;
    b.run.before.t = 1.25;
    trm_run_land(&b.run, t);
    assert_true(b.run.t_origin == origin);
    assert_int_equal(b.run.count, count);
    assert_int_equal(b.run.stats.steps, 1);
    assert_true(b.run.now.t == t && b.run.stats.h == t - 1.25);
}

CLAIM(a_step_that_is_shortened_begins_a_mesh)
{
    const double beside = 0.5e-9 * 0.125;
    lands(1.375, 1, 3);
    lands(1.375 + beside, 1, 3);
    lands(1.375 - beside, 1, 3);
    lands(1.3125, 1.3125, 0);
}

/// Before the first step both points are one, and what is now counts.
CLAIM(between_one_point_is_this_point)
{
    bare b;
    double z[NZ];
    open(&b, 0);
    for (int i = 0; i < NZ; i++) {
        b.z[i] = i + 1;
        b.z0[i] = -7;
    }
    assert_int_equal(trm_run_hermite(&b.run, 0, z), 0);
    assert_memory_equal(z, b.z, sizeof z);
}

// ----------------------------------------------------------------------------------------- headway

/// Whether a step of h is tiny on the way from 3 s to `limit` at speeds of dz.
static int is_tiny(double limit, double h, double dz)
{
    bare b;
    int tiny = 5;
    open(&b, 1);
    b.run.options.atol = 1e-6;
    b.run.options.rtol = 1e-3;
    b.run.now.t = 3;
    b.dz[1] = dz;
    assert_int_equal(trm_run_is_zeno(&b.run, limit, h, &tiny), 0);
    assert_true(tiny == 0 || tiny == 6);
    return tiny == 6;
}

/// Tiny: below a billionth of the 10 s that are left, or below a millionth where a hundred thousand
/// such steps move nothing by more than its tolerance, 1e-6 + 1e-3 * 2.
CLAIM(tiny_steps_are_a_billionth_or_move_nothing)
{
    const double fast = 1e6;
    assert_int_equal(is_tiny(13, 0.9e-8, fast), 1);
    assert_int_equal(is_tiny(13, 1.1e-8, fast), 0);
    assert_int_equal(is_tiny(INFINITY, 1e-8, 0), 0);
    assert_int_equal(is_tiny(13, 0.9e-5, 0), 1);
    assert_int_equal(is_tiny(13, 1.1e-5, 0), 0);
    assert_int_equal(is_tiny(13, 0.9e-5, 0.0020005 / 0.9), 1);
    assert_int_equal(is_tiny(13, 0.9e-5, 0.0020015 / 0.9), 0);
    assert_int_equal(is_tiny(13, 0.9e-5, -0.0020015 / 0.9), 0);
}

CLAIM(patience_ends_after_a_hundred_thousand)
{
    bare b;
    open(&b, 1);
    for (int before = 99999; before <= 100000; before++) {
        int tiny = before;
        assert_int_equal(trm_run_is_zeno(&b.run, 1, 1e-12, &tiny), before == 100000);
        assert_int_equal(tiny, before + 1);
    }
}

// --------------------------------------------------------------------------------------- sentences

static void says(trm_status status, trm_status expected, const trm_error *err, const char *where,
                 const char *message)
{
    assert_int_equal(status, expected);
    assert_string_equal(err->where, where);
    assert_string_equal(err->message, message);
}

CLAIM(a_failure_names_its_place)
{
    bare b;
    trm_error err = {0};
    open(&b, 1);
    static const struct {
        double g[3];
        const char *where;
    } gaps[] = {
        {{1e-7, -9e-7, 2e-7}, "method 'i' with 's'"},
        {{2e-6, 0, 0}, "joint 'A'"},
        {{-5e-6, 3e-6, 0}, "joint 'A'"},
        {{1e-7, 3e-6, -5e-6}, "joint 'C'"},
        {{1, 3, 2}, "constraint 'B'"},
        {{1, NAN, 0}, "constraint 'B'"},
    };
    b.run.now.t = 0.5;
    for (size_t i = 0; i < sizeof gaps / sizeof *gaps; i++) {
        memcpy(b.g, gaps[i].g, sizeof b.g);
        says(trm_run_fail(&b.run, TRM_ERR_DIVERGED, "why", &err), TRM_ERR_DIVERGED, &err,
             gaps[i].where, "at t = 0.5 s: why");
        assert_true(err.t == 0.5);
    }
    b.system.g = NULL;
    b.run.stats.steps = 1;
    says(trm_run_fail(&b.run, TRM_ERR_DIVERGED, "why", &err), TRM_ERR_DIVERGED, &err,
         "method 'i' with 's'", "stopped at t = 0.5 s: why");
    b.run.weak_row = 0;
    b.run.weak_sigma = 2e-9;
    says(trm_run_fail(&b.run, TRM_ERR_SINGULAR, "why", &err), TRM_ERR_SINGULAR, &err, "joint 'A'",
         "stopped at t = 0.5 s: why; the mechanism may be locked: joint 'A' is nearly singular "
         "(sigma 2.0e-09)");
    assert_int_equal(trm_run_is_adaptive(&b.run), 1);
    b.method.adaptive = 0;
    assert_int_equal(trm_run_is_adaptive(&b.run), 0);
    b.run.pair = NULL;
    assert_int_equal(trm_run_is_adaptive(&b.run), 0);
}

/// A hundred thousand steps of 1e-6 s at the speed dz[1], in sizes of 2 m.
CLAIM(no_headway_is_too_far_or_no_motion)
{
    bare b;
    trm_error err = {0};
    open(&b, 1);
    b.run.now.t = 2;
    for (int far = 0; far < 2; far++) {
        b.dz[1] = far ? -30 : 10; // 1.5 or 0.5 sizes
        const trm_status status = trm_run_fail_zeno(&b.run, 12, 1e-6, ", so", &err);
        says(status, TRM_ERR_DIVERGED, &err, "method 'i' with 's'",
             far ? "at t = 2 s: the end at 12 s is too far: 1.0e+07 steps of 1e-06 s away, as long "
                   "as the motion allows"
                 : "at t = 2 s: 100000 steps in a row made no headway, so");
    }
}

/// eps times the largest of (q, v), 2, is 4.44e-16; the work and what lies behind do not count.
CLAIM(tolerances_below_roundoff_are_told)
{
    bare b;
    trm_error err = {0};
    trm_contact contact = {.problem.determinant = 0.5}; // no load has lost its solution
    open(&b, 1);
    b.z[0] = 1;
    b.z[3] = -2;
    b.z[4] = b.z[5] = b.z[6] = 1e9;
    b.run.contact = &contact;
    for (int enough = 0; enough < 2; enough++) {
        b.run.options.atol = enough ? 3e-16 : 2e-16;
        b.run.options.rtol = 1e-16;
        says(trm_run_fail_step_size(&b.run, &err), TRM_ERR_DIVERGED, &err, "method 'i' with 's'",
             enough ? "at t = 0 s: the step size went to zero"
                    : "at t = 0 s: the step size went to zero: rtol and atol ask for more than "
                      "double precision holds");
    }
    b.z[0] = b.z[3] = 0.25; // eps times this is 0.6e-16
    b.run.options.atol = 1e-16;
    b.run.options.rtol = 0;
    says(trm_run_fail_step_size(&b.run, &err), TRM_ERR_DIVERGED, &err, "method 'i' with 's'",
         "at t = 0 s: the step size went to zero");
}

/// A function f that fails with z[3] or dz[3] of this size and a step of 0.1 s.
static void blames(int adaptive, double z, double dz, long steps, trm_status expected,
                   const char *message)
{
    bare b;
    trm_error err = {0};
    open(&b, adaptive);
    b.system.failed = "f";
    b.run.options.h = 0.1;
    b.run.stats.steps = steps;
    b.run.now.t = 1;
    b.z[3] = -z;
    b.dz[3] = -dz;
    b.z[4] = b.z[5] = b.z[6] = b.dz[4] = b.dz[5] = b.dz[6] = 1e40;
    says(trm_run_fail_code(&b.run, 3, &err), expected, &err,
         expected == TRM_ERR_DIVERGED ? "method 'i' with 's'" : "'f'", message);
    assert_true(err.t == 1);
}

/// A fixed step outside its stability, or a force beyond bounds: not the function is to blame.
CLAIM(absurd_states_are_told_from_failing_functions)
{
    static const char fails[] = "the value of 'f' is not a finite number, or its function failed "
                                "(3), in the step after t = 1";
    const trm_status callback = TRM_ERR_CALLBACK, grown = TRM_ERR_DIVERGED;
    blames(0, 1.1e8, 0, 0, grown,
           "at t = 1 s: the state has grown to 1.1e+08; the step of 0.1 s is too large");
    blames(0, 1.1e8, 0, 1, grown,
           "stopped at t = 1 s: the state has grown to 1.1e+08; the step of 0.1 s is too large");
    blames(0, 0.9e8, 0, 1, callback, fails);
    blames(1, 1.1e8, 0, 1, callback, fails);
    blames(0, 5, 1.1e9, 0, grown,
           "at t = 1 s: the accelerations reach 1.1e+09; a force or an input is beyond what a "
           "step can follow");
    blames(0, 5, 0.9e9, 1, callback, fails);
    blames(1, 5, 1.1e9, 1, callback, fails);
    blames(1, 5, 1.1e30, 1, grown,
           "stopped at t = 1 s: the accelerations reach 1.1e+30; a force or an input is beyond "
           "what a step can follow");
    blames(1, 5, 0.9e30, 1, callback, fails);
}
