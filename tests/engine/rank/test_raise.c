// A run begins by the rank of its own motion, which may be less than that of positions nearby. The
// rank rises where the motion leaves them, pushed later: rows that were left out hold from there
// on.

#include "tests/rig.h"

// ------------------------------------------------------------------------------ a loop on a cart

/// When both cranks have turned by `angle`. Along the rail 7 x' - 2 sin(a) a' stays, so that
/// (5/3 - 4/7 sin^2(a)) a'^2/2 = 2 a; with a = u^2 the time is the integral of a smooth function,
/// by Simpson's rule.
static double time_of(double angle)
{
    enum { PIECES = 200 };
    double sum = 0;
    for (int k = 0; k <= PIECES; k++) {
        const double u = sqrt(angle) * k / PIECES, s = sin(u * u);
        const int weight = k == 0 || k == PIECES ? 1 : k % 2 == 1 ? 4 : 2;
        sum += weight * sqrt(5.0 / 3 - 4.0 / 7 * s * s);
    }
    return 0.5 + sum * sqrt(angle) / (3 * PIECES);
}

static void check_cart(rig *r, trm_options options, double allowed)
{
    const double angle = 1, t = time_of(angle);
    rig_start(r, options);
    rig_run(r, t);
    const double *q = trm_sim_state(r->sim).q;
    below("crank a", fabs(q[5] - angle), allowed);
    below("crank c", fabs(q[11] - angle), allowed);
    below("cart", fabs(q[0] - t - 2.0 / 7 * (1 - cos(angle))), allowed);
    below("gap", trm_sim_report(r->sim).position_drift, 1e-6);
    below("steps", (double)trm_sim_stats(r->sim).steps, 2000);
}

CLAIM(a_loop_on_a_cart_is_pushed)
{
    static const double accuracies[] = {1e-2, 1e-3, 1e-6, 1e-9};
    rig r = rig_load("../tests/scenes/loop_on_a_cart", NULL);
    for (int k = 0; k < 4; k++) {
        check_cart(&r, rig_choose(&r, accuracies[k]), 10 * accuracies[k]);
    }
    check_cart(&r, rig_adaptive(TRM_INTEGRATOR_DOPRI5, TRM_STABILIZATION_PROJECTION, 1e-8, 1e-8),
               1e-5);
    check_cart(&r, rig_fixed(TRM_INTEGRATOR_RK4, TRM_STABILIZATION_S_BOTH2, 1e-3), 1e-6);
    rig_close(&r);
}

// ---------------------------------------------------------------------------- on a turntable

/// All is one body, whose forces are along the bars.
CLAIM(bars_in_line_turn_with_their_table)
{
    static const double accuracies[] = {1e-2, 1e-3, 1e-6, 1e-9};
    rig r = rig_load("../tests/scenes/bars_on_a_table", NULL);
    for (int k = 0; k < 4; k++) {
        rig_start(&r, rig_choose(&r, accuracies[k]));
        rig_run(&r, 3);
        const double *q = trm_sim_state(r.sim).q;
        for (int body = 0; body < 4; body++) {
            below("angle", fabs(q[3 * body + 2] - 3), 10 * accuracies[k]);
        }
        below("steps", (double)trm_sim_stats(r.sim).steps, 50);
    }
    rig_close(&r);
}

// ------------------------------------------------------------------------------ a twisted plate

/// The rank is 3 while the plate turns, all rods being lines of one surface; from t = 0.5 s on it
/// is pushed along a diagonal of the square of the upper ends, by 10 N/s. With d from the middle of
/// the upper circle to that of the plate and R its turn, the four rods say R^T d = d, so that R
/// turns by an angle b about d; |d|^2 + r^2 (2 - R_11 - R_22) = L^2; and R_11 = R_22: d = |d|
/// (sin(p)/sqrt(2), sin(p)/sqrt(2), -cos(p)), or the same with one sign turned, two sets of two
/// freedoms that meet in p = 0. The numbers are those of Lagrange's equations in p and b, by
/// extrapolation of the midpoint rule (Gragg, Bulirsch, Stoer) to 13 digits, a program of its own.
CLAIM(a_plate_is_pushed_aside)
{
    static const double accuracies[] = {1e-2, 1e-3, 1e-6, 1e-9};
    const double x = 0.345603647864931, vx = 0.965613926740250;
    const double z = 0.223490795323325, vz = 0.576945993564660;
    rig r = rig_load("../tests/scenes/pushed_plate", NULL);
    for (int k = 0; k < 4; k++) {
        const double allowed = 10 * accuracies[k];
        rig_start(&r, rig_choose(&r, accuracies[k]));
        rig_run(&r, 1.5);
        const trm_state now = trm_sim_state(r.sim);
        below("aside", fmax(fabs(now.q[0] - x), fabs(now.q[1] - x)), allowed);
        below("height", fabs(now.q[2] - z), allowed);
        below("speed", fmax(fabs(now.v[0] - vx), fabs(now.v[1] - vx)), allowed);
        below("rise", fabs(now.v[2] - vz), allowed);
        below("gap", trm_sim_report(r.sim).position_drift, 1e-7);
        below("steps", (double)trm_sim_stats(r.sim).steps, 200);
    }
    rig_close(&r);
}

// ---------------------------------------------------------------------------------- two rows

/// Two rows hold x of body b, the second with a part of the place of body p, which `force` pushes.
static const char *const rows =
    "{\"dimension\": 2, \"gravity\": [0, 0], \"bodies\": ["
    "{\"name\": \"p\", \"mass\": 1, \"inertia\": 1, \"position\": [0, 0], \"velocity\": [%s, 0]},"
    "{\"name\": \"b\", \"mass\": 1, \"inertia\": 1, \"position\": [0, 0], \"velocity\": [0, 1]}],"
    " \"markers\": [{\"name\": \"c\", \"body\": \"p\", \"at\": [0, 0]},"
    " {\"name\": \"d\", \"body\": \"b\", \"at\": [0, 0]}], \"forces\": [{\"name\": \"push\","
    " \"type\": \"force\", \"marker\": \"c\", \"value\": [\"%s\", \"%s\"]}],"
    " \"constraints\": [{\"name\": \"one\", \"expression\": \"d.x\"},"
    " {\"name\": \"two\", \"expression\": \"d.x + %s\"}], \"simulation\": {\"end\": 3}}";

static rig two_rows(const char *speed, const char *fx, const char *fy, const char *part)
{
    char text[1200];
    assert_true((size_t)snprintf(text, sizeof text, rows, speed, fx, fy, part) < sizeof text);
    return rig_parse(text);
}

/// Behind x = 1 the second row holds y, which is pushed at x = 1.5.
CLAIM(a_row_that_begins_to_hold_holds)
{
    static const double accuracies[] = {1e-2, 1e-6, 1e-9};
    rig r = two_rows("1", "0", "t >= 1.5", "step(c.x, 1, 2)*c.y");
    for (int k = 0; k < 3; k++) {
        rig_start(&r, rig_choose(&r, accuracies[k]));
        rig_run(&r, 3);
        const trm_state now = trm_sim_state(r.sim);
        below("x", fabs(now.q[0] - 3), 1e-12);
        below("y", fabs(now.q[1]), 1e-12);
        below("b", fabs(now.q[3]), 1e-12);
    }
    rig_close(&r);
}

static void check_told(rig *r, double accuracy)
{
    trm_error err = {.status = TRM_OK};
    rig_start(r, rig_choose(r, accuracy));
    assert_int_equal(trm_sim_run(r->sim, 3, NULL, NULL, &err), TRM_ERR_DIVERGED);
    if (strstr(err.message, "pushed off the positions of rank 1 of its start since t") == NULL) {
        fail_msg("%s", err.message);
    }
}

/// y^2 = 0 is held by no force; of the motions of x y = 0 a push along both tells none.
CLAIM(what_no_motion_continues_is_told)
{
    static const double accuracies[] = {1e-3, 1e-6, 1e-9};
    for (int k = 0; k < 3; k++) {
        rig r = two_rows("0", "0", "t >= 0.5", "c.y^2");
        check_told(&r, accuracies[k]);
        rig_close(&r);
        r = two_rows("0", "t >= 0.5", "0.3*(t >= 0.5)", "c.x*c.y");
        check_told(&r, accuracies[k]);
        rig_close(&r);
    }
}

/// A run that is saved behind the place where its rank has risen goes on from there.
CLAIM(the_rank_is_saved)
{
    rig r = rig_load("../tests/scenes/loop_on_a_cart", NULL);
    rig other = {.model = r.model};
    rig_start(&r, rig_choose(&r, 1e-6));
    rig_start(&other, rig_choose(&r, 1e-6));
    rig_run(&r, 1);
    char *saved = rig_save(&r);
    rig_restore(&other, saved);
    rig_run(&r, 2);
    rig_run(&other, 2);
    const size_t n = (size_t)trm_model_sizes(r.model).nq * sizeof(double);
    assert_memory_equal(trm_sim_state(r.sim).q, trm_sim_state(other.sim).q, n);
    free(saved);
    trm_sim_destroy(other.sim);
    rig_close(&r);
}
