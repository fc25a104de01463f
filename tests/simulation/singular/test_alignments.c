// Linkages whose bars come into line without a symmetry that holds errors of stages along the
// motion: there open stages have accelerations of e/s^2 (integrators/rk/stage_closing.h), and steps
// shrink with the distance s.

#include "tests/simulation/singular/singular.h"

#include <float.h>

#define pi 3.14159265358979323846

/// A four-bar of these lengths, its crank at 1 rad.
typedef struct bars {
    const char *name;
    double ground, crank, coupler, rocker;
    double first, period; ///< rad, where the bars are in line: crank at first + k period
    long open_steps;      ///< that runs with open stages take to A = 1e-8 (47a947e)
} bars;

static const bars all[] = {
    {"kite", 2, 1, 1, 2, 0, pi, 2360},
    {"linkage", 4, 1, 3, 2, pi, 2 * pi, 1732},
    {"parallelogram", 2.5, 0.5, 2.5, 0.5, 0, pi, 737},
};
enum { ALL = sizeof all / sizeof *all };

static rig turning(const bars *b, double rate)
{
    char json[2048];
    snprintf(json, sizeof json,
             "{\"dimension\": 2, \"gravity\": [0, -9.81], \"parameters\": {\"w\": %.17g,"
             "\"g\": %.17g, \"a\": %.17g, \"b\": %.17g, \"c\": %.17g, \"x\": \"a*cos(1)\", \"y\": "
             "\"a*sin(1)\","
             "\"d\": \"sqrt((g-x)^2 + y^2)\","
             "\"psi\": \"atan2(-y, g-x) + acos((d^2 + b^2 - c^2)/(2*d*b))\","
             "\"u\": \"x + b*cos(psi)\", \"v\": \"y + b*sin(psi)\"}, \"bodies\": ["
             "{\"name\": \"crank\", \"mass\": 1, \"ends\": [[0, 0], [\"x\", \"y\"]],"
             "\"velocity\": [\"-w/2*y\", \"w/2*x\"], \"rate\": \"w\"},"
             "{\"name\": \"coupler\", \"mass\": 1, \"ends\": [[\"x\", \"y\"], [\"u\", \"v\"]],"
             "\"velocity\": [\"-w*y\", \"w*x\"]},"
             "{\"name\": \"rocker\", \"mass\": 1, \"ends\": [[\"g\", 0], [\"u\", \"v\"]]}],"
             "\"joints\": [{\"name\": \"A\", \"type\": \"revolute\", \"bodies\": [\"ground\","
             "\"crank\"], \"at\": [0, 0]}, {\"name\": \"B\", \"type\": \"revolute\", \"bodies\": ["
             "\"crank\", \"coupler\"], \"at\": [\"x\", \"y\"]}, {\"name\": \"C\", \"type\":"
             "\"revolute\", \"bodies\": [\"coupler\", \"rocker\"], \"at\": [\"u\", \"v\"]},"
             "{\"name\": \"D\", \"type\": \"revolute\", \"bodies\": [\"ground\", \"rocker\"],"
             "\"at\": [\"g\", 0]}]}",
             rate, b->ground, b->crank, b->coupler, b->rocker);
    return rig_parse(json);
}

static rig four_bar(const bars *b)
{
    return turning(b, 8);
}

/// How often the crank has come to where the bars are in line.
static long passages(const bars *b, double from, double to)
{
    return labs(lround(floor((to - b->first) / b->period) - floor((from - b->first) / b->period)));
}

/// What the angle of the crank, followed from step to step, says of the positions passed.
typedef struct turns {
    const bars *of;
    double angle;
    long passed;
} turns;

/// Energy and angle to the accuracy asked for, all positions counted, no other branch.
CLAIM(accuracy_is_kept)
{
    for (int i = 0; i < ALL; i++) {
        rig r = four_bar(&all[i]);
        run_to(&r, rig_choose(&r, 1e-10), 5);
        const double exact = trm_sim_state(r.sim).q[2];
        for (int k = 2; k <= 16; k++) {
            const double accuracy = pow(10, -k / 2.0);
            rig_start(&r, assembling(rig_choose(&r, accuracy)));
            const double from = trm_sim_state(r.sim).q[2];
            rig_run(&r, 5);
            const trm_report report = trm_sim_report(r.sim);
            const double angle = trm_sim_state(r.sim).q[2];
            check_kept(all[i].name, report, passages(&all[i], from, angle), accuracy);
            near(all[i].name, angle, exact, 10 * accuracy * fabs(exact));
        }
        rig_close(&r);
    }
}

/// Roundoff of closed stages leaves some of its velocity along the motion, which no second estimate
/// makes smaller: as an error of eighth order it counted a thousandth, and the energy was off by
/// up to 10 A.
CLAIM(roundoff_along_the_motion_counts)
{
    rig_figures();
    for (int i = 0; i < ALL; i++) {
        rig r = four_bar(&all[i]);
        for (int k = 108; k <= 130; k++) { // 5.3e-9 to 3e-10
            const double accuracy = 0.3 * pow(1e-11, k / 159.0);
            rig_start(&r, assembling(rig_choose(&r, accuracy)));
            rig_run(&r, 10);
            below(all[i].name, trm_sim_report(r.sim).energy_error_relative, accuracy);
        }
        rig_close(&r);
    }
}

static int take_turn(trm_sim *sim, void *user)
{
    turns *const at = user;
    const double angle = trm_sim_state(sim).q[2];
    at->passed += passages(at->of, at->angle, angle);
    at->angle = angle;
    return 0;
}

/// At loose accuracies as well, where stages of the dense output may lie at a position, open: in
/// one of these runs it is off by 0.1 rad there.
CLAIM(all_are_counted)
{
    rig_figures();
    for (int i = 0; i < ALL; i++) {
        rig r = four_bar(&all[i]);
        for (int k = 0; k < 300; k++) {
            trm_error err;
            rig_start(&r, assembling(rig_choose(&r, 0.3 * pow(0.99, k))));
            turns at = {&all[i], trm_sim_state(r.sim).q[2], 0};
            rig_ok(trm_sim_run(r.sim, 10, take_turn, &at, &err), &err);
            assert_int_equal(trm_sim_report(r.sim).crossings, at.passed);
        }
        rig_close(&r);
    }
}

enum { PLACES = 1000 };

/// The crank at k/200 s, and by how much it is farther off there than at both ends of the step.
typedef struct places {
    const double *exact; ///< NULL: none is known yet
    double angle[PLACES];
    double off; ///< rad, at the last end
    double most;
    int n;
} places;

static int take_places(trm_sim *sim, void *user)
{
    places *const at = user;
    const double t = trm_sim_state(sim).t;
    const int first = at->n;
    double most = 0;
    for (; at->n < PLACES && at->n / 200.0 <= t; at->n++) {
        trm_sample sample;
        trm_error err;
        rig_ok(trm_sim_sample(sim, at->n / 200.0, &sample, &err), &err);
        at->angle[at->n] = sample.state.q[2];
        most = at->exact ? fmax(most, fabs(at->angle[at->n] - at->exact[at->n])) : 0;
    }
    const int last = at->n - 1;
    const double off = at->exact ? fabs(at->angle[last] - at->exact[last]) : 0;
    at->most = at->n > first ? fmax(at->most, most - fmax(off, at->off)) : at->most;
    at->off = off;
    return 0;
}

/// Samples inside steps are as good as their ends, in steps over a position as well, whose dense
/// output has stages that lie at it: in one of these runs these were off by 200 A.
CLAIM(samples_are_as_good_as_steps)
{
    rig_figures();
    static places exact, at;
    for (int i = 0; i < 4; i++) {
        trm_error err;
        rig r = turning(&all[1], 7 + 9 * i / 16.0);
        exact = (places){.exact = NULL};
        rig_start(&r, assembling(rig_choose(&r, 1e-10)));
        rig_ok(trm_sim_run(r.sim, 5, take_places, &exact, &err), &err);
        for (int k = 0; k < 80; k++) {
            const double accuracy = 0.1 * pow(10, -k / 20.0);
            at = (places){.exact = exact.angle};
            rig_start(&r, assembling(rig_choose(&r, accuracy)));
            rig_ok(trm_sim_run(r.sim, 5, take_places, &at, &err), &err);
            below("inside a step", at.most, 3 * accuracy);
        }
        rig_close(&r);
    }
}

/// Steps do not shrink towards a position: a run takes little more than half of those that runs
/// with open stages take, where these shrink.
CLAIM(steps_stay_long)
{
    for (int i = 0; i < ALL; i++) {
        rig r = four_bar(&all[i]);
        run_to(&r, rig_choose(&r, 1e-8), 10);
        const long steps = trm_sim_stats(r.sim).steps;
        print_message("%s: %ld steps\n", all[i].name, steps);
        assert_true(4 * steps < 3 * all[i].open_steps);
        rig_close(&r);
    }
}

static int take_slip(trm_sim *sim, void *user)
{
    double *const worst = user;
    *worst = fmax(*worst, trm_sim_drift(sim).velocity);
    return 0;
}

/// Velocities at the ends of closed steps fit to roundoff, 500 eps of the 9 m/s of the coupler: the
/// damping of their correction is that of the gaps in the step's own stages, which are small.
CLAIM(velocities_fit_to_roundoff)
{
    for (int i = 0; i < ALL; i++) {
        rig r = four_bar(&all[i]);
        for (int k = 14; k <= 18; k++) {
            trm_error err;
            double worst = 0;
            const double tolerance = pow(10, -k / 2.0) / 100;
            rig_start(&r, assembling(rig_adaptive(TRM_INTEGRATOR_DOP853, TRM_STABILIZATION_S_BOTH2,
                                                  tolerance, tolerance)));
            rig_ok(trm_sim_run(r.sim, 5, take_slip, &worst, &err), &err);
            below(all[i].name, worst, 500 * DBL_EPSILON * 9);
        }
        rig_close(&r);
    }
}

/// A crank-rocker of these masses, its rocker 1: nowhere singular, bars are never
/// in line, 2 + 1 < 3 + 2 and 3 + 1 < 2 + 2.5.
static rig light_loop(double crank, double mass, const char *motor)
{
    char json[2048];
    snprintf(
        json, sizeof json,
        "{\"dimension\": 2, \"gravity\": [0, -9.81], \"assemble\": true, \"parameters\": {"
        "\"x\": \"cos(1)\", \"y\": \"sin(1)\", \"u\": 3.3180984933210507,"
        "\"v\": 1.9745413007954218}, \"bodies\": ["
        "{\"name\": \"crank\", \"mass\": %g, \"ends\": [[0, 0], [\"x\", \"y\"]],"
        "\"velocity\": [\"-3*y/2\", \"3*x/2\"], \"rate\": 3},"
        "{\"name\": \"coupler\", \"mass\": %g, \"ends\": [[\"x\", \"y\"], [\"u\", \"v\"]]},"
        "{\"name\": \"rocker\", \"mass\": 1, \"ends\": [[3, 0], [\"u\", \"v\"]]}],"
        "\"joints\": [{\"name\": \"O\", \"type\": \"revolute\", \"bodies\": [\"ground\","
        "\"crank\"], \"at\": [0, 0]%s}, {\"name\": \"A\", \"type\": \"revolute\", \"bodies\": ["
        "\"crank\", \"coupler\"], \"at\": [\"x\", \"y\"]}, {\"name\": \"B\", \"type\":"
        "\"revolute\", \"bodies\": [\"coupler\", \"rocker\"], \"at\": [\"u\", \"v\"]},"
        "{\"name\": \"C\", \"type\": \"revolute\", \"bodies\": [\"ground\", \"rocker\"],"
        "\"at\": [3, 0]}]}",
        crank, mass, motor);
    return rig_parse(json);
}

static rig light_coupler(double mass)
{
    return light_loop(1, mass, "");
}

/// sigma of the rows of a light coupler is about the root of its mass, everywhere. That is no
/// singular position: its gaps are closed. Velocities are 9 m/s at most, and what remains of them
/// is less than the accuracy allows.
CLAIM(light_couplers_are_closed)
{
    for (int k = 4; k <= 10; k++) {
        rig r = light_coupler(pow(10, -k));
        for (int j = 2; j <= 8; j++) {
            trm_error err;
            double worst = 0;
            const double accuracy = pow(10, -j / 2.0 - 1);
            rig_start(&r, assembling(rig_choose(&r, accuracy)));
            rig_ok(trm_sim_run(r.sim, 3, take_slip, &worst, &err), &err);
            const trm_report report = trm_sim_report(r.sim);
            print_message("mass 1e-%d, A %.1e: %ld steps, open by %.1e m/s\n", k, accuracy,
                          trm_sim_stats(r.sim).steps, worst);
            assert_int_equal(report.crossings, 0);
            below("energy", report.energy_error_relative, accuracy);
            below("velocity", worst, 9 * accuracy);
        }
        rig_close(&r);
    }
}

/// Solves of the first step are damped by what sigma is there: with the damping of a crossing,
/// 1e-10, the reactions of its motor were off by 1e-5.
CLAIM(first_steps_do_work_of_light_links)
{
    for (int k = 4; k <= 10; k++) {
        const double accuracy = pow(10, -k);
        rig r = light_loop(1e-8, 1e-8, ", \"motor\": \"3*t\"");
        const trm_report report = run_to(&r, rig_choose(&r, accuracy), 2);
        below("energy", report.energy_error_relative, accuracy);
        rig_close(&r);
    }
}

/// Its first step is damped no more than others are, and no limit of singular positions is taken.
CLAIM(the_first_step_is_damped_as_others_are)
{
    for (int k = 6; k <= 10; k++) {
        rig r = light_loop(1, pow(10, -k), "");
        for (int j = 5; j <= 9; j++) {
            const double accuracy = pow(10, -j);
            rig_start(&r, assembling(rig_choose(&r, accuracy)));
            rig_run(&r, 0.5);
            const trm_report report = trm_sim_report(r.sim);
            assert_int_equal(trm_sim_stats(r.sim).closed_steps, 0);
            below("energy", report.energy_error_relative, accuracy / 10);
        }
        rig_close(&r);
    }
}

enum { PAIRS = 5 };

/// Five pairs of equal bars, crossed at their middles and joined at their ends, the middle of the
/// first a pin on the ground, that of the last in a guide. `phi`: half the angle of a pair.
static rig tongs(double phi)
{
    const double c = cos(phi) / 2, s = sin(phi) / 2, w = 2.5;
    char json[8192];
    int n = snprintf(json, sizeof json, "{\"dimension\": 2, \"gravity\": [0, 0], \"bodies\": [");
    for (int k = 0; k < 2 * PAIRS; k++) {
        const double x = 2 * c * (k / 2), y = k % 2 ? -s : s;
        n += snprintf(json + n, sizeof json - (size_t)n,
                      "%s{\"name\": \"%c%d\", \"mass\": 1, \"ends\": [[%.17g, %.17g], [%.17g,"
                      "%.17g]], \"rate\": %.17g, \"velocity\": [%.17g, 0]}",
                      k > 0 ? "," : "", k % 2 ? 'f' : 'r', k / 2, x - c, -y, x + c, y,
                      k % 2 ? w : -w, 2 * s * w * (k / 2));
    }
    n += snprintf(json + n, sizeof json - (size_t)n, "], \"joints\": [");
    for (int k = 0; k < PAIRS; k++) {
        const char *pin = "{\"name\": \"%c%d\", \"type\": \"revolute\", \"bodies\": [\"%c%d\","
                          "\"%c%d\"], \"at\": [%.17g, %.17g]},";
        n += snprintf(json + n, sizeof json - (size_t)n, pin, 'M', k, 'r', k, 'f', k, 2 * c * k,
                      0.0);
        for (int side = 1; k > 0 && side >= -1; side -= 2) {
            n += snprintf(json + n, sizeof json - (size_t)n, pin, side > 0 ? 'U' : 'L', k,
                          side > 0 ? 'r' : 'f', k - 1, side > 0 ? 'f' : 'r', k, 2 * c * k - c,
                          side * s);
        }
    }
    snprintf(json + n, sizeof json - (size_t)n,
             "{\"name\": \"G\", \"type\": \"revolute\", \"bodies\": [\"ground\", \"r0\"],"
             "\"at\": [0, 0]}, {\"name\": \"S\", \"type\": \"pin_in_slot\", \"bodies\":"
             "[\"ground\", \"r%d\"], \"at\": [%.17g, 0], \"axis\": [1, 0]}]}",
             PAIRS - 1, 2 * c * (PAIRS - 1));
    return rig_parse(json);
}

/// Four loops are flat at the same moment. What closed stages err by there lies across the motion,
/// and the end of the step takes it out; counted as an error of the motion it made steps shrink
/// towards the position, which lost up to 53 times the accuracy.
CLAIM(tongs_pass_their_flat_position)
{
    for (int k = 12; k <= 22; k++) {
        for (int j = 0; j < 2; j++) {
            const double accuracy = pow(10, -k / 2.0);
            rig r = tongs(j == 0 ? 0.3 : 0.45);
            const trm_report report = run_to(&r, rig_choose(&r, accuracy), 0.5);
            print_message("A %.1e: %ld steps, energy %.1e A\n", accuracy,
                          trm_sim_stats(r.sim).steps, report.energy_error_relative / accuracy);
            assert_int_equal(report.crossings, 1);
            assert_int_equal(report.branch_changes + report.undecided, 0);
            below("energy", report.energy_error_relative, accuracy);
            near("fall", rig_q(&r, "f4", 2), -rig_q(&r, "r4", 2), accuracy);
            rig_close(&r);
        }
    }
}

/// A bar of this mass on the ground, a bar of 1 kg on it, motors at both hinges.
static rig light_arm(double mass)
{
    char json[2048];
    snprintf(json, sizeof json,
             "{\"dimension\": 2, \"gravity\": [0, -9.81], \"bodies\": ["
             "{\"name\": \"near\", \"mass\": %g, \"ends\": [[0, 0], [1, 0]]},"
             "{\"name\": \"far\", \"mass\": 1, \"ends\": [[1, 0], [2, 0]],"
             "\"velocity\": [0, 1.05], \"rate\": 2.1}], \"joints\": ["
             "{\"name\": \"A\", \"type\": \"revolute\", \"bodies\": [\"ground\", \"near\"],"
             "\"at\": [0, 0], \"motor\": \"(1 - cos(2*t))/2\"},"
             "{\"name\": \"B\", \"type\": \"revolute\", \"bodies\": [\"near\", \"far\"],"
             "\"at\": [1, 0], \"motor\": \"0.7*sin(3*t)\"}]}",
             mass);
    return rig_parse(json);
}

/// Motors tell all angles, so that G is square and regular, and no mass can matter: not for what
/// gaps are closed to, nor for the noise of accelerations. sigma is the root of the mass. No loop
/// asks here for what watches singular positions.
CLAIM(light_links_are_driven)
{
    for (int j = 2; j <= 9; j++) {
        const double accuracy = pow(10, -j), one = (1 - cos(6)) / 2, both = one + 0.7 * sin(9);
        long steps = 0;
        for (int k = 0; k <= 8; k += 2) {
            rig r = light_arm(pow(10, -k));
            rig_start(&r, rig_choose(&r, accuracy));
            rig_run(&r, 3);
            steps = k == 0 ? trm_sim_stats(r.sim).steps : steps;
            below("x", fabs(rig_q(&r, "far", 0) - cos(one) - cos(both) / 2), accuracy);
            below("y", fabs(rig_q(&r, "far", 1) - sin(one) - sin(both) / 2), accuracy);
            assert_in_range(trm_sim_stats(r.sim).steps, 1, 2 * steps);
            rig_close(&r);
        }
    }
}

/// The bars of the linkage are in line exactly: no motion goes round a corner there. Runs that
/// drift do, which their gap explains (sigma^2 is some e): it is not called a corner of the bars,
/// that the steps have resolved, and the branch not good. All of these leave theirs.
CLAIM(a_corner_of_the_gap_is_no_corner_of_the_bars)
{
    for (int k = 0; k < 8; k++) {
        rig r = four_bar(&all[1]);
        const double rtol = 1e-5 * pow(10, -k / 4.0);
        rig_start(&r, assembling(rig_adaptive(TRM_INTEGRATOR_DOPRI5, TRM_STABILIZATION_BAUMGARTE,
                                              rtol, rtol)));
        rig_run(&r, 3);
        const trm_report report = trm_sim_report(r.sim);
        assert_true(report.crossings > 0);
        assert_int_equal(report.resolved, 0);
        assert_true(report.branch_changes + report.undecided > 0);
        rig_close(&r);
    }
}

/// Two parallelograms on one crank, whose pins stand a right angle apart: they are flat in turn.
/// The crank is so heavy that it turns evenly.
static rig two_on_one_crank(double phi)
{
    const double c = cos(phi), s = sin(phi);
    char json[4096];
    snprintf(json, sizeof json,
             "{\"dimension\": 2, \"gravity\": [0, 0], \"bodies\": ["
             "{\"name\": \"crank\", \"mass\": 1e8, \"inertia\": 1e8, \"rate\": 1},"
             "{\"name\": \"b1\", \"mass\": 1, \"ends\": [[%.17g, %.17g], [%.17g, %.17g]],"
             " \"velocity\": [%.17g, %.17g]},"
             "{\"name\": \"c1\", \"mass\": 1, \"ends\": [[3, 0], [%.17g, %.17g]],"
             " \"velocity\": [%.17g, %.17g], \"rate\": 1},"
             "{\"name\": \"b2\", \"mass\": 1, \"ends\": [[%.17g, %.17g], [%.17g, %.17g]],"
             " \"velocity\": [%.17g, %.17g]},"
             "{\"name\": \"c2\", \"mass\": 1, \"ends\": [[-3, 0], [%.17g, %.17g]],"
             " \"velocity\": [%.17g, %.17g], \"rate\": 1}], \"joints\": ["
             "{\"name\": \"O\", \"type\": \"revolute\", \"bodies\": [\"ground\", \"crank\"],"
             " \"at\": [0, 0]},"
             "{\"name\": \"P1\", \"type\": \"revolute\", \"bodies\": [\"crank\", \"b1\"],"
             " \"at\": [%.17g, %.17g]},"
             "{\"name\": \"Q1\", \"type\": \"revolute\", \"bodies\": [\"b1\", \"c1\"],"
             " \"at\": [%.17g, %.17g]},"
             "{\"name\": \"R1\", \"type\": \"revolute\", \"bodies\": [\"c1\", \"ground\"],"
             " \"at\": [3, 0]},"
             "{\"name\": \"P2\", \"type\": \"revolute\", \"bodies\": [\"crank\", \"b2\"],"
             " \"at\": [%.17g, %.17g]},"
             "{\"name\": \"Q2\", \"type\": \"revolute\", \"bodies\": [\"b2\", \"c2\"],"
             " \"at\": [%.17g, %.17g]},"
             "{\"name\": \"R2\", \"type\": \"revolute\", \"bodies\": [\"c2\", \"ground\"],"
             " \"at\": [-3, 0]}]}",
             c, s, 3 + c, s, -s, c, 3 + c, s, -s / 2, c / 2, -s, c, -3 - s, c, -c, -s, -3 - s, c,
             -c / 2, -s / 2, c, s, 3 + c, s, -s, c, -3 - s, c);
    return rig_parse(json);
}

/// A step may pass both of two loops that are in line in turn, of which one direction is followed.
CLAIM(loops_in_line_in_turn_count_each)
{
    rig_figures();
    for (int i = 0; i < 12; i++) {
        const double phi = 0.05 + 0.13 * i, quarter = acos(-1.0) / 2;
        const double h[] = {0.9, 0.7, 0.5, 0.3};
        rig r = two_on_one_crank(phi);
        for (int k = 0; k < 4; k++) {
            const int steps = (int)(12 / h[k]);
            const trm_report report = run_to(
                &r, rig_fixed(TRM_INTEGRATOR_RK4, TRM_STABILIZATION_S_BOTH2, h[k]), steps * h[k]);
            const double angle = phi + steps * h[k];
            assert_int_equal(report.crossings, floor(angle / quarter) - floor(phi / quarter));
            assert_int_equal(report.branch_changes + report.undecided, 0);
        }
        rig_close(&r);
    }
}
