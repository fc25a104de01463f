// One mechanism near the origin and far from it, in millimetres and kilometres, grams and tonnes:
// the same steps, crossings and verdicts.

#include "program/run_details.h"
#include "tests/rig.h"

/// A mechanism of length 1 about (X, 0), scaled by l and m.
typedef struct place {
    double l, m, X;
} place;

/// The slider-crank of equal bars, its crank at f with w rad/s. Times stay as they are when gravity
/// scales with the length.
static rig slider_crank(place p, double f, double w)
{
    static const char *const format =
        "{\"dimension\": 2, \"gravity\": [0, \"-9.81*l\"], \"parameters\": {\"l\": %.17g, \"m\": "
        "%.17g,"
        " \"X\": %.17g, \"f\": %.17g, \"w\": %.17g, \"c\": \"l*cos(f)\", \"s\": \"l*sin(f)\"},"
        " \"bodies\": ["
        "{\"name\": \"crank\", \"mass\": \"m\", \"ends\": [[\"X\", 0], [\"X + 2*c\", \"2*s\"]],"
        " \"rate\": \"w\", \"velocity\": [\"-w*s\", \"w*c\"]},"
        "{\"name\": \"rod\", \"mass\": \"m\", \"ends\": [[\"X + 2*c\", \"2*s\"], [\"X + 4*c\", 0]],"
        " \"rate\": \"-w\", \"velocity\": [\"-3*w*s\", \"w*c\"]}],"
        "\"joints\": ["
        "{\"name\": \"O\", \"type\": \"revolute\", \"bodies\": [\"ground\", \"crank\"], \"at\": "
        "[\"X\", 0]},"
        "{\"name\": \"P\", \"type\": \"revolute\", \"bodies\": [\"crank\", \"rod\"],"
        " \"at\": [\"X + 2*c\", \"2*s\"]},"
        "{\"name\": \"S\", \"type\": \"pin_in_slot\", \"bodies\": [\"ground\", \"rod\"],"
        " \"at\": [\"X + 4*c\", 0], \"axis\": [1, 0]}]}";
    char json[2048];
    snprintf(json, sizeof json, format, p.l, p.m, p.X, f, w);
    return rig_parse(json);
}

typedef struct outcome {
    trm_stats stats;
    trm_report report;
    int rank;
} outcome;

/// Tolerances in metres go with the length.
static outcome run_at(place p, double f, double w, trm_options options, double t_end)
{
    rig r = slider_crank(p, f, w);
    options.atol *= p.l;
    options.tolerance *= p.l;
    rig_start(&r, options);
    rig_run(&r, t_end);
    const outcome o = {trm_sim_stats(r.sim), trm_sim_report(r.sim), trm_sim_rank(r.sim)};
    rig_close(&r);
    return o;
}

/// `apart`: what two counts of steps may differ by, of the steps.
static void same(place p, const outcome *one, const outcome *other, double apart)
{
    const double steps = (double)labs(one->stats.steps - other->stats.steps);
    const trm_report *const a = &one->report, *const b = &other->report;
    if (steps > apart * (double)one->stats.steps ||
        (apart == 0 && one->stats.rejected != other->stats.rejected) || one->rank != other->rank ||
        a->crossings != b->crossings || a->resolved != b->resolved ||
        a->branch_changes != b->branch_changes || a->bifurcations != b->bifurcations) {
        fail_msg(
            "at l = %g, m = %g, X = %g: %ld steps (%ld refused), rank %d, %ld crossings, %ld "
            "resolved, %ld changes of branch, %ld bifurcations became %ld (%ld), %d, %ld, %ld, "
            "%ld, %ld",
            p.l, p.m, p.X, one->stats.steps, one->stats.rejected, one->rank, a->crossings,
            a->resolved, a->branch_changes, a->bifurcations, other->stats.steps,
            other->stats.rejected, other->rank, b->crossings, b->resolved, b->branch_changes,
            b->bifurcations);
    }
}

static const double quarter = 0.78539816339744831, fast = 2.8284271247461903;

/// Steps of finer tolerances depend on roundoff near the singular positions.
static double apart_at(double tolerance)
{
    return tolerance > 1e-6 ? 0 : 0.02;
}

/// An error relative to a coordinate depends on where that is measured from, an absolute one does
/// not.
CLAIM(a_shift_changes_no_step)
{
    const double shifts[] = {1000, -1000, 1e5};
    const double tolerances[] = {1e-3, 1e-4, 1e-5, 1e-8};
    for (int k = 0; k < 4; k++) {
        const trm_options options =
            rig_adaptive(TRM_INTEGRATOR_DOPRI5, TRM_STABILIZATION_S_BOTH2, 1e-14, tolerances[k]);
        const place at_origin = {1, 1, 0};
        const outcome here = run_at(at_origin, quarter, fast, options, 10);
        assert_int_equal(here.report.crossings, 11);
        for (int i = 0; i < 3; i++) {
            const place p = {1, 1, shifts[i]};
            const outcome there = run_at(p, quarter, fast, options, 10);
            same(p, &here, &there, apart_at(tolerances[k]));
        }
    }
}

/// Metres to millimetres and kilometres, kilograms to grams and tonnes.
static const place scaled[] = {
    {1e-3, 1e-3, 0}, {1e3, 1e3, 0}, {1e-3, 1e3, 0}, {1e3, 1e-3, 0}, {0.02, 7, 0}};
enum { SCALED = sizeof scaled / sizeof *scaled };

CLAIM(a_scale_changes_no_step)
{
    const double tolerances[] = {1e-3, 1e-4, 1e-5, 1e-8};
    for (int k = 0; k < 4; k++) {
        const trm_options options =
            rig_adaptive(TRM_INTEGRATOR_DOPRI5, TRM_STABILIZATION_S_BOTH2, tolerances[k], 1e-14);
        const place unit = {1, 1, 0};
        const outcome here = run_at(unit, quarter, fast, options, 10);
        for (int i = 0; i < SCALED; i++) {
            const outcome there = run_at(scaled[i], quarter, fast, options, 10);
            same(scaled[i], &here, &there, apart_at(tolerances[k]));
        }
    }
}

/// Fixed steps, and a start at rest in the singular position, from where several motions continue.
CLAIM(verdicts_are_the_same)
{
    const place unit = {1, 1, 0}, far = {1, 1, 1000};
    const trm_options fixed = rig_fixed(TRM_INTEGRATOR_RK4, TRM_STABILIZATION_S_BOTH2, 2e-3);
    const trm_options adaptive =
        rig_adaptive(TRM_INTEGRATOR_DOPRI5, TRM_STABILIZATION_S_BOTH2, 1e-6, 1e-9);
    const outcome turns = run_at(unit, quarter, fast, fixed, 3);
    const outcome rests = run_at(unit, 2 * quarter, 0, adaptive, 0.1);
    assert_true(turns.report.crossings > 2);
    assert_int_equal(rests.report.bifurcations, 1);
    for (int i = 0; i <= SCALED; i++) {
        const place p = i < SCALED ? scaled[i] : far;
        const outcome turning = run_at(p, quarter, fast, fixed, 3);
        const outcome resting = run_at(p, 2 * quarter, 0, adaptive, 0.1);
        same(p, &turns, &turning, 0);
        same(p, &rests, &resting, 1);
    }
}

/// A method that drifts opens the joints of a mechanism of a kilometre as far as of a millimetre,
/// relative to their size.
CLAIM(a_gap_is_told_against_the_size)
{
    const place unit = {1, 1, 0}, far = {1, 1, 1000};
    const trm_options drifting = rig_fixed(TRM_INTEGRATOR_RK4, TRM_STABILIZATION_PLAIN, 0.05);
    const trm_report here = run_at(unit, quarter, fast, drifting, 0.3).report;
    below("nothing", 1e-8, here.position_drift);
    for (int i = 0; i <= SCALED; i++) {
        const place p = i < SCALED ? scaled[i] : far;
        const trm_report there = run_at(p, quarter, fast, drifting, 0.3).report;
        near("gap", there.position_drift / (p.l * here.position_drift), 1, 1e-4);
        near("against the size", there.position_drift_relative / here.position_drift_relative, 1,
             1e-4);
    }
}
