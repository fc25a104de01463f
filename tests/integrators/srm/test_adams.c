/// Predicted sequential regularization: polynomials of the past, orders, steps that are cut or
/// taken back, jumps, redundant rows, contacts.
#include "integrators/srm/past.h"
#include "tests/integrators/on_the_arm.h"

// ------------------------------------------------------------------------------------ polynomials

/// Uneven points of the past, the latest first.
static const double uneven[] = {0, -0.4, -1.3, -1.9, -3.2, -4.4, -4.9, -6.1, -7.2, -8};

/// A power of x integrates to its own.
CLAIM(weights_of_values_integrate_powers)
{
    for (int n = 1; n <= TRM_PAST_MOST; n++) {
        double w[TRM_PAST_MOST];
        trm_past_integral(n, uneven, 0.2, 1.1, w);
        for (int p = 0; p < n; p++) {
            double sum = 0, size = 0;
            for (int i = 0; i < n; i++) {
                sum += w[i] * pow(uneven[i], p);
                size += fabs(w[i] * pow(uneven[i], p));
            }
            const double exact = (pow(1.1, p + 1) - pow(0.2, p + 1)) / (p + 1);
            near("integral of a power", sum, exact, 1e-14 * size);
        }
    }
}

/// The corrector through n - less points and the end integrates the powers that it has points for.
CLAIM(correctors_integrate_powers)
{
    for (int n = 2; n < TRM_PAST_MOST; n++) {
        trm_past_adams weights;
        trm_past_adams_find(n, uneven, &weights);
        for (int less = 0; less < 2; less++) {
            double w[TRM_PAST_MOST];
            trm_past_integral(n - less, uneven, 0, 1, w);
            for (int p = 0; p <= n - less; p++) {
                double sum = weights.end[less], size = sum;
                for (int i = 0; i < n - less; i++) {
                    const double of = w[i] - weights.end[less] * weights.last[less][i];
                    sum += of * pow(uneven[i], p);
                    size += fabs(of * pow(uneven[i], p));
                }
                near("integral of a power", sum, 1.0 / (p + 1), 1e-14 * size);
            }
        }
    }
}

/// The means of a power give its values, also outside.
CLAIM(weights_of_means_give_powers)
{
    for (int n = 1; n <= TRM_PAST_MOST; n++) {
        for (double x = -2; x <= 1; x += 0.75) {
            double w[TRM_PAST_MOST];
            trm_past_by_means(n, uneven, x, w);
            for (int p = 0; p < n; p++) {
                double sum = 0, size = 0;
                for (int i = 0; i < n; i++) {
                    const double a = uneven[i + 1], b = uneven[i];
                    const double mean = (pow(b, p + 1) - pow(a, p + 1)) / ((p + 1) * (b - a));
                    sum += w[i] * mean;
                    size += fabs(w[i] * mean);
                }
                near("power by its means", sum, pow(x, p), 1e-12 * size);
            }
        }
    }
}

// ----------------------------------------------------------------------------------------- orders

static trm_options of_order(int k, double tolerance)
{
    trm_options options =
        rig_adaptive(TRM_INTEGRATOR_ADAMS, TRM_STABILIZATION_SRM, tolerance, tolerance);
    options.srm.order = k;
    return options;
}

/// The number of steps of a run to `end`, and how far q is from `exact` at most, at TIMES of it: at
/// a single time the error may change its sign.
typedef struct outcome {
    double steps, error;
} outcome;

enum { MOST_Q = 16, TIMES = 8 };

static outcome run_to(rig *r, const trm_options *options, double end, double exact[TIMES][MOST_Q],
                      int is_exact)
{
    outcome out = {0, 0};
    rig_start(r, *options);
    for (int k = 0; k < TIMES; k++) {
        rig_run(r, end * (k + 1) / TIMES);
        const trm_state s = trm_sim_state(r->sim);
        for (int i = 0; i < trm_model_sizes(r->model).nq; i++) {
            exact[k][i] = is_exact ? s.q[i] : exact[k][i];
            out.error = fmax(out.error, fabs(s.q[i] - exact[k][i]));
        }
    }
    out.steps = (double)trm_sim_stats(r->sim).steps;
    return out;
}

/// The slope of log error over log steps, by least squares over tolerances.
static double order_of(rig *r, int k, double end, double exact[TIMES][MOST_Q])
{
    double n = 0, x = 0, y = 0, xx = 0, xy = 0;
    for (double tolerance = 1e-5; tolerance > 1e-12; tolerance /= sqrt(10.0)) {
        const trm_options options = of_order(k, tolerance);
        const outcome o = run_to(r, &options, end, exact, 0);
        if (o.error > 2e-11 && o.error < 1e-3) { // above the reference's own, and resolved
            const double a = log(o.steps), b = log(o.error);
            n++, x += a, y += b, xx += a * a, xy += a * b;
        }
    }
    assert_true(n >= 6);
    return -(n * xy - x * y) / (n * xx - x * x);
}

/// k steps of the past give order k + 1, on a smooth motion and through seven singular positions.
/// (Order and tolerance share the constant, so that slopes are a little off.)
CLAIM(orders_are_those_of_the_past)
{
    static const struct {
        const char *scene;
        double end;
    } motions[] = {{"pendulum", 5}, {"slider_crank_turn", 6}};
    for (size_t m = 0; m < sizeof motions / sizeof *motions; m++) {
        rig r = rig_load(motions[m].scene, NULL);
        double exact[TIMES][MOST_Q];
        const trm_options tight =
            rig_adaptive(TRM_INTEGRATOR_DOP853, TRM_STABILIZATION_S_BOTH2, 1e-13, 1e-13);
        assert_true(trm_model_sizes(r.model).nq <= MOST_Q);
        (void)run_to(&r, &tight, motions[m].end, exact, 1);
        for (int k = 3; k <= 7; k++) {
            below("order expected over order seen", k + 1 - 0.5,
                  order_of(&r, k, motions[m].end, exact));
        }
        rig_close(&r);
    }
}

/// Through 32 singular positions at every tolerance, exactly symmetric and disturbed by 1e-9.
CLAIM(singular_positions_are_passed)
{
    for (int disturbed = 0; disturbed < 2; disturbed++) {
        for (double tolerance = 1e-5; tolerance > 1e-10; tolerance /= 100.0) {
            rig r = rig_load("slider_crank_swing",
                             (const char *const[]){"disturb", disturbed ? "1e-9" : "0", NULL});
            rig_start(&r, of_order(8, tolerance));
            rig_run(&r, 70.0);
            near("crank angle", rig_q(&r, "crank", 2), swing_angle_70, 200.0 * tolerance + 1e-8);
            assert_int_equal(trm_sim_report(r.sim).branch_changes, 0);
            rig_close(&r);
        }
    }
}

// ------------------------------------------------------------------------- steps of others' choice

/// Steps cut short wherever the caller likes.
CLAIM(a_past_of_tiny_steps_keeps_the_error)
{
    rig r = rig_equations(&prescribed_arm);
    rig_start(&r, of_order(8, 1e-9));
    for (int k = 1; k <= 200; k++) {
        rig_run(&r, k / 100.0);
        rig_run(&r, k / 100.0 + 1e-5);
        rig_run(&r, k / 100.0 + 2e-5);
    }
    const trm_state s = trm_sim_state(r.sim);
    near("angle", s.q[0], sin(s.t), 1e-7);
    near("other angle", s.q[1], -2 * sin(s.t), 1e-7);
    near("rate", s.v[0], cos(s.t), 1e-6);
    rig_close(&r);
}

/// A ball of restitution 0.8 from 1 m: its impacts come at t_1, and then after 2 v_k/g each.
CLAIM(impacts_begin_the_past_anew)
{
    rig r = rig_load("bouncing_ball", NULL);
    const double g = 9.81, end = 2.5; // between the fourth impact and the fifth
    double t = sqrt(2 / g), v = 0.8 * g * t;
    while (t + 2 * v / g < end) {
        t += 2 * v / g;
        v *= 0.8;
    }
    rig_start(&r, of_order(8, 1e-9));
    rig_run(&r, end);
    near("height", rig_q(&r, "ball", 1) - 0.1, (end - t) * (v - g / 2 * (end - t)), 1e-10);
    rig_close(&r);
}

/// Redundant rows (Bricard's linkage, of rank 29), and the dense output everywhere.
CLAIM(redundant_rows_and_dense_output_fit)
{
    rig exact = rig_load("bricard", NULL), r = rig_load("bricard", NULL);
    const int nq = trm_model_sizes(r.model).nq;
    rig_start(&exact, rig_adaptive(TRM_INTEGRATOR_DOP853, TRM_STABILIZATION_S_BOTH2, 1e-12, 1e-12));
    rig_start(&r, of_order(8, 1e-9));
    for (int k = 1; k <= 20; k++) {
        trm_error err = {.status = TRM_OK};
        trm_sample sample;
        while (trm_sim_state(r.sim).t < 0.1 * k) {
            rig_ok(trm_sim_step(r.sim, &err), &err);
        }
        rig_run(&exact, 0.1 * k);
        rig_ok(trm_sim_sample(r.sim, 0.1 * k, &sample, &err), &err);
        for (int i = 0; i < nq; i++) {
            near("coordinate", sample.state.q[i], trm_sim_state(exact.sim).q[i], 1e-6);
        }
    }
    rig_close(&exact);
    rig_close(&r);
}

/// A force that jumps: a spring that is tight on one side, against the same by dop853.
CLAIM(a_force_that_jumps_begins_the_past_anew)
{
    rig r = rig_load("stick_slip", NULL);
    const double end = 4;
    double exact[TIMES][MOST_Q];
    const trm_options tight =
        rig_adaptive(TRM_INTEGRATOR_DOP853, TRM_STABILIZATION_S_BOTH2, 1e-12, 1e-12);
    const trm_options options = of_order(8, 1e-9);
    (void)run_to(&r, &tight, end, exact, 1);
    below("error", run_to(&r, &options, end, exact, 0).error, 1e-6);
    rig_close(&r);
}
