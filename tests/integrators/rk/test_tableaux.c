// The Dormand-Prince pairs: every order condition, from the rooted trees themselves, for the
// solution, the embedded estimates and the dense output; then the orders that a run shows.
//
// A tree t of n vertices stands for one elementary differential. With phi_i(leaf) = 1 and
//
//     phi_i(t) = prod over subtrees u of the root: sum_j a_ij phi_j(u),
//     gamma(t) = n prod gamma(u),
//
// weights b have order p when sum_i b_i phi_i(t) = 1/gamma(t) for all trees of up to p vertices,
// and b(theta) has it as an interpolant when the sum is theta^n / gamma(t).

#include "integrators/rk/dormand_prince.h"
#include "integrators/rk/stage_sum.h"
#include "tests/near.h"
#include "tests/rig.h"

#include <string.h>

enum { MAX_ORDER = 9, STAGES = TRM_EMBEDDED_STAGES };

// ----------------------------------------------------------------------------------- rooted trees

/// A rooted tree as the levels of its vertices in preorder, the root at 0.
typedef struct tree {
    int n;
    int level[MAX_ORDER];
} tree;

/// The tree after `t` among those with as many vertices [Beyer & Hedetniemi]; 0 behind the last.
static int next_tree(tree *t)
{
    int p = t->n - 1;
    while (p > 0 && t->level[p] == 1) {
        p--;
    }
    if (p <= 0) {
        return 0;
    }
    int q = p - 1;
    while (t->level[q] != t->level[p] - 1) {
        q--;
    }
    for (int i = p; i < t->n; i++) {
        t->level[i] = t->level[i - (p - q)];
    }
    return 1;
}

static tree first_tree(int n)
{
    tree t = {.n = n};
    for (int i = 0; i < n; i++) {
        t.level[i] = i;
    }
    return t;
}

/// End of the subtree that begins at vertex `at`.
static int subtree_end(const tree *t, int at)
{
    int end = at + 1;
    while (end < t->n && t->level[end] > t->level[at]) {
        end++;
    }
    return end;
}

static double gamma_of(const tree *t, int at)
{
    const int end = subtree_end(t, at);
    double product = end - at;
    for (int child = at + 1; child < end; child = subtree_end(t, child)) {
        product *= gamma_of(t, child);
    }
    return product;
}

/// phi[s] of the subtree at vertex `at`.
static void weights_of(const trm_embedded *pair, const tree *t, int at, double phi[STAGES])
{
    const int end = subtree_end(t, at);
    for (int i = 0; i < pair->extended; i++) {
        phi[i] = 1.0;
    }
    for (int child = at + 1; child < end; child = subtree_end(t, child)) {
        double below[STAGES];
        weights_of(pair, t, child, below);
        for (int i = 0; i < pair->extended; i++) {
            double sum = 0;
            for (int j = 0; j < pair->extended; j++) {
                sum += pair->a[i][j] * below[j];
            }
            phi[i] *= sum;
        }
    }
}

/// The largest |sum_i b_i phi_i(t) - x^n weight/gamma(t)| over all trees t of n vertices.
static double defect(const trm_embedded *pair, const double b[STAGES], int n, double x,
                     double weight)
{
    double largest = 0;
    tree t = first_tree(n);
    do {
        double phi[STAGES], sum = 0;
        weights_of(pair, &t, 0, phi);
        for (int i = 0; i < pair->extended; i++) {
            sum += b[i] * phi[i];
        }
        largest = fmax(largest, fabs(sum - weight * pow(x, n) / gamma_of(&t, 0)));
    } while (next_tree(&t));
    return largest;
}

/// `b` has order p and not p + 1; weight 0 for differences of weights.
static void check_order(const trm_embedded *pair, const double b[STAGES], int p, double x,
                        double weight)
{
    for (int n = 1; n <= p; n++) {
        assert_near(defect(pair, b, n, x, weight), 0.0, 2e-13);
    }
    assert_true(defect(pair, b, p + 1, x, weight) > 1e-7);
}

CLAIM(there_are_as_many_trees_as_there_should_be)
{
    const int expected[MAX_ORDER + 1] = {0, 1, 1, 2, 4, 9, 20, 48, 115, 286};

    for (int n = 1; n <= MAX_ORDER; n++) {
        int count = 0;
        tree t = first_tree(n);
        do {
            count++;
        } while (next_tree(&t));
        assert_int_equal(count, expected[n]);
    }
}

// --------------------------------------------------------------------------------------- tableaux

static const trm_embedded *const pairs[] = {&trm_embedded_3, &trm_embedded_5, &trm_embedded_8};
enum { PAIRS = sizeof pairs / sizeof *pairs };

CLAIM(rows_sum_to_c_and_are_explicit)
{
    for (int k = 0; k < PAIRS; k++) {
        for (int i = 0; i < pairs[k]->extended; i++) {
            double sum = 0;
            for (int j = 0; j < STAGES; j++) {
                sum += pairs[k]->a[i][j];
                assert_true(j < i || pairs[k]->a[i][j] == 0.0);
            }
            assert_near(sum, pairs[k]->c[i], 3e-14); // entries of size 30
        }
        assert_true(pairs[k]->c[pairs[k]->stages] == 1.0); // the last stage is the end of the step
    }
}

CLAIM(solutions_have_their_order)
{
    check_order(&trm_embedded_3, trm_embedded_3.a[trm_embedded_3.stages], 3, 1.0, 1.0);
    check_order(&trm_embedded_5, trm_embedded_5.a[trm_embedded_5.stages], 5, 1.0, 1.0);
    check_order(&trm_embedded_8, trm_embedded_8.a[trm_embedded_8.stages], 8, 1.0, 1.0);
}

/// e is the difference of two solutions: it vanishes for the trees that both satisfy.
CLAIM(error_estimates_have_their_order)
{
    double less[STAGES];
    const double *b8 = trm_embedded_8.a[trm_embedded_8.stages];

    check_order(&trm_embedded_3, trm_embedded_3.e, 2, 1.0, 0.0);
    check_order(&trm_embedded_5, trm_embedded_5.e, 4, 1.0, 0.0);
    check_order(&trm_embedded_8, trm_embedded_8.e, 5, 1.0, 0.0);
    check_order(&trm_embedded_8, trm_embedded_8.b3, 3, 1.0, 1.0);
    for (int i = 0; i < STAGES; i++) {
        less[i] = b8[i] - trm_embedded_8.b3[i];
    }
    check_order(&trm_embedded_8, less, 3, 1.0, 0.0);
}

/// Of the pair 3(2), by its own stages and by those of 8(5,3): the weights of 1, c and c^2.
CLAIM(two_estimates_of_one_pair_have_one_first_term)
{
    for (int power = 0; power < 3; power++) {
        double own = 0.0, lower = 0.0;
        for (int i = 0; i < STAGES; i++) {
            own += trm_embedded_3.e[i] * pow(trm_embedded_3.c[i], power);
            lower += trm_embedded_8.lower[i] * pow(trm_embedded_8.c[i], power);
        }
        assert_near(own, power == 2 ? -1.0 / 24 : 0.0, 1e-15);
        assert_near(lower, own, 1e-15);
    }
}

/// b(theta) of z = z0 + theta (F0 + (1-theta) (F1 + theta (F2 + (1-theta) (F3 + ...)))).
static void dense_weights(const trm_embedded *pair, double theta, double b[STAGES])
{
    const double *end = pair->a[pair->stages];
    for (int i = 0; i < STAGES; i++) {
        const double first = i == 0, last = i == pair->stages;
        double rows[7] = {end[i], first - end[i], 2.0 * end[i] - first - last};
        b[i] = 0.0;
        for (int r = 0; r < pair->interpolants; r++) {
            rows[3 + r] = pair->d[r][i];
        }
        for (int r = 2 + pair->interpolants; r >= 0; r--) {
            b[i] = (b[i] + rows[r]) * (r % 2 == 0 ? theta : 1.0 - theta);
        }
    }
}

/// The dense output near the border of stability: without its last stage.
static trm_embedded without_last(void)
{
    trm_embedded pair = trm_embedded_8;
    for (int r = 0, last = pair.extended - 1; r < pair.interpolants; r++) {
        for (int i = 0; i <= last; i++) {
            pair.d[r][i] -= trm_embedded_8.d[r][last] / pair.d[3][last] * trm_embedded_8.d[3][i];
        }
    }
    return pair;
}

CLAIM(dense_outputs_have_their_order)
{
    const double thetas[] = {0.1, 0.25, 0.6, 0.9};
    double b[STAGES];
    const trm_embedded without = without_last();

    for (size_t k = 0; k < sizeof thetas / sizeof *thetas; k++) {
        dense_weights(&trm_embedded_3, thetas[k], b);
        check_order(&trm_embedded_3, b, 3, thetas[k], 1.0);
        dense_weights(&trm_embedded_5, thetas[k], b);
        check_order(&trm_embedded_5, b, 4, thetas[k], 1.0);
        dense_weights(&trm_embedded_8, thetas[k], b);
        check_order(&trm_embedded_8, b, 7, thetas[k], 1.0);
        dense_weights(&without, thetas[k], b);
        check_order(&trm_embedded_8, b, 6, thetas[k], 1.0);
    }
    for (int k = 0; k < PAIRS; k++) {
        dense_weights(pairs[k], 1.0, b);
        for (int i = 0; i < STAGES; i++) {
            assert_near(b[i], pairs[k]->a[pairs[k]->stages][i], 1e-14);
        }
    }
}

/// The tables name no more stages than they have.
CLAIM(nothing_stands_behind_the_last_stage)
{
    for (int k = 0; k < PAIRS; k++) {
        assert_in_range(pairs[k]->stages, 1, pairs[k]->extended - 1);
        assert_in_range(pairs[k]->extended, 1, STAGES);
        for (int i = 0; i < STAGES; i++) {
            const int unused = i >= pairs[k]->extended;
            assert_true(!unused || pairs[k]->c[i] == 0.0);
            assert_true(i <= pairs[k]->stages || pairs[k]->e[i] == 0.0);
            for (int r = 0; r < 4; r++) {
                assert_true((!unused && r < pairs[k]->interpolants) || pairs[k]->d[r][i] == 0.0);
            }
        }
    }
}

/// z + h sum_j w_j k_j of the entries from `first` on; stages without a weight are not looked at.
CLAIM(sums_of_stages_are_sums)
{
    enum { ROOM = 20, COUNT = 8, FIRST = 8 };
    static const double row[7] = {0.5, 0.0, 1.0, -2.0, 0.0, 3.0, 0.25};
    _Alignas(64) double numbers[7][ROOM], z[COUNT], out[COUNT];
    double *k[7] = {NULL};
    trm_stage_weights weights;

    memset(&weights, 0x7f, sizeof weights);
    trm_stage_weights_set(&weights, 7, row);
    assert_int_equal(weights.count, 8); // five, filled up to whole fours
    for (int j = 0; j < 7; j++) {
        for (int i = 0; i < ROOM; i++) {
            numbers[j][i] = sin(1.0 + 7.0 * i + j);
        }
        k[j] = row[j] != 0.0 ? numbers[j] : NULL;
    }
    for (int i = 0; i < COUNT; i++) {
        z[i] = cos(i);
    }
    trm_stage_sum(&weights, FIRST, COUNT, z, 0.1, k, out);
    for (int i = 0; i < COUNT; i++) {
        double sum = z[i];
        for (int j = 0; j < 7; j++) {
            sum += 0.1 * row[j] * numbers[j][FIRST + i];
        }
        assert_near(out[i], sum, 1e-15);
    }
    memset(&weights, 0x7f, sizeof weights);
    trm_stage_weights_set(&weights, 1, row);
    k[1] = k[2] = k[3] = NULL;
    trm_stage_sum(&weights, 0, COUNT, z, 1.0, k, out);
    for (int i = 0; i < COUNT; i++) {
        assert_near(out[i], z[i] + 0.5 * numbers[0][i], 1e-15);
    }
}

// ----------------------------------------------------------------------------------------- in runs

/// Kepler's problem r'' = -r/|r|^3 of eccentricity 0.4, from the perihelion: no constraint.
static const double eccentricity = 0.4;

static int attraction(const trm_model *model, double t, const double *q, const double *v, double *f,
                      void *user)
{
    (void)model, (void)t, (void)v, (void)user;
    const double r = hypot(q[0], q[1]);
    f[0] = -q[0] / (r * r * r);
    f[1] = -q[1] / (r * r * r);
    return 0;
}

static rig open_kepler(void)
{
    const double q0[2] = {1.0 - eccentricity, 0.0};
    const double v0[2] = {0.0, sqrt((1.0 + eccentricity) / (1.0 - eccentricity))};
    return rig_equations(&(trm_equations){
        .name = "Kepler", .nq = 2, .nv = 2, .q0 = q0, .v0 = v0, .M = rig_unit_M, .f = attraction});
}

/// Position at t by Kepler's equation E - e sin E = t.
static void orbit(double t, double q[2])
{
    double E = t;
    for (int k = 0; k < 50; k++) {
        E -= (E - eccentricity * sin(E) - t) / (1.0 - eccentricity * cos(E));
    }
    q[0] = cos(E) - eccentricity;
    q[1] = sqrt(1.0 - eccentricity * eccentricity) * sin(E);
}

static double distance(const trm_state *s)
{
    double q[2];
    orbit(s->t, q);
    return hypot(s->q[0] - q[0], s->q[1] - q[1]);
}

/// Largest error at the ends of n equal steps to t = 3, and of samples inside of them.
static void errors_of(trm_integrator integrator, int n, double *at_ends, double *inside)
{
    rig r = open_kepler();
    trm_options options = rig_adaptive(integrator, TRM_STABILIZATION_PLAIN, 1.0, 1.0);
    trm_error err;

    options.h = 3.0 / n;
    rig_start(&r, options);
    *at_ends = *inside = 0.0;
    for (int i = 1; i <= n; i++) {
        const double before = trm_sim_state(r.sim).t;
        rig_run(&r, 3.0 * i / n);
        const trm_state s = trm_sim_state(r.sim);
        *at_ends = fmax(*at_ends, distance(&s));
        for (int k = 1; k < 8; k++) {
            trm_sample sample;
            rig_ok(trm_sim_sample(r.sim, before + k / 8.0 * (s.t - before), &sample, &err), &err);
            *inside = fmax(*inside, distance(&sample.state));
        }
    }
    assert_int_equal(trm_sim_stats(r.sim).steps, n);
    rig_close(&r);
}

/// One step of the interpolant is off by h^(4+1) and h^(7+1): as much as a run at its mesh points.
CLAIM(runs_show_order_5_and_8_at_the_ends_and_inside)
{
    const int steps[2] = {96, 16};
    const trm_integrator integrators[2] = {TRM_INTEGRATOR_DOPRI5, TRM_INTEGRATOR_DOP853};

    for (int k = 0; k < 2; k++) {
        double ends[2], inside[2];
        errors_of(integrators[k], steps[k], &ends[0], &inside[0]);
        errors_of(integrators[k], 2 * steps[k], &ends[1], &inside[1]);
        near("order at the ends", log2(ends[0] / ends[1]), pairs[k + 1]->order, 0.4);
        near("order inside", log2(inside[0] / inside[1]), pairs[k + 1]->order, 0.6);
        below("error inside against the ends", inside[1], 4.0 * ends[1]);
    }
}

/// The step-size control keeps the error near the tolerance over eight decades.
CLAIM(errors_follow_the_tolerance)
{
    const trm_integrator integrators[2] = {TRM_INTEGRATOR_DOPRI5, TRM_INTEGRATOR_DOP853};

    for (int k = 0; k < 2; k++) {
        long before = 0;
        for (double tolerance = 1e-4; tolerance > 0.5e-12; tolerance /= 100.0) {
            rig r = open_kepler();
            rig_start(&r,
                      rig_adaptive(integrators[k], TRM_STABILIZATION_PLAIN, tolerance, tolerance));
            rig_run(&r, 6.0);
            const trm_state s = trm_sim_state(r.sim);
            below("error over the tolerance", distance(&s) / tolerance, 100.0);
            const long steps = trm_sim_stats(r.sim).steps;
            assert_true(steps > before);
            before = steps;
            rig_close(&r);
        }
    }
}
