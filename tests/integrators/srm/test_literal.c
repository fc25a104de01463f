/// The printed iteration [AL95 (5.3)-(5.4)] with explicit pairs of higher order, all iterates at
/// the same stages as one system: what the theorem of docs/explanation/sequential_regularization.md
/// says of its order, its constants and its bounds. A pendulum of 1 m, E = (GB)^-1, lambda_0 = 0,
/// against its angle.
#include "integrators/rk/dormand_prince.h"
#include "tests/rig.h"

enum { MOST = 5, EACH = 4, N = MOST * EACH };

static const double weight = 9.81;

// clang-format off
static const trm_embedded classical = {
    .stages = 4, .c = {0, 1.0/2, 1.0/2, 1},
    .a = {[1] = {1.0/2}, [2] = {0, 1.0/2}, [3] = {0, 0, 1}, [4] = {1.0/6, 1.0/3, 1.0/3, 1.0/6}},
};
// clang-format on

/// q_s' = v_s - B E g/epsilon, v_s' = f - B lambda_s, lambda_s = lambda_(s-1) + E G v_s/epsilon
static void rates(int m, double epsilon, const double *y, double *dy)
{
    double lambda = 0;
    for (int s = 0; s < m; s++, y += EACH, dy += EACH) {
        const double GB = y[0] * y[0] + y[1] * y[1], g = (GB - 1) / 2;
        lambda += (y[0] * y[2] + y[1] * y[3]) / GB / epsilon;
        for (int i = 0; i < 2; i++) {
            dy[i] = y[2 + i] - y[i] * g / GB / epsilon;
            dy[2 + i] = (i == 1 ? -weight : 0) - y[i] * lambda;
        }
    }
}

/// Of the last of m iterates in n steps to 0.5 s, epsilon = h/z: the distance of q from where the
/// angle has it.
static double error_of(const trm_embedded *pair, int m, double z, int n)
{
    const double h = 0.5 / n;
    double y[N] = {0}, k[TRM_EMBEDDED_STAGES][N], stage[N];
    for (int s = 0; s < m; s++) {
        y[EACH * s] = 1;
    }
    for (int step = 0; step < n; step++) {
        for (int i = 0; i <= pair->stages; i++) {
            for (int j = 0; j < EACH * m; j++) {
                stage[j] = y[j];
                for (int l = 0; l < i; l++) {
                    stage[j] += h * pair->a[i][l] * k[l][j];
                }
            }
            rates(m, h / z, stage, k[i]);
        }
        memcpy(y, stage, sizeof y);
    }
    double angle = 0, rate = 0;
    const double part = 0.5 / 20000;
    for (int i = 0; i < 20000; i++) { // Stoermer and Verlet, to 1e-9
        rate -= part / 2 * weight * cos(angle);
        angle += part * rate;
        rate -= part / 2 * weight * cos(angle);
    }
    const double *const q = y + EACH * (m - 1);
    return hypot(q[0] - cos(angle), q[1] - sin(angle));
}

/// Order 2 in h with epsilon in proportion, whatever the pair and however many iterates.
CLAIM(the_order_is_two_with_every_pair)
{
    const double rk4 = error_of(&classical, 4, 1, 400) / error_of(&classical, 4, 1, 800);
    const double dopri5 =
        error_of(&trm_embedded_5, 4, 2, 400) / error_of(&trm_embedded_5, 4, 2, 800);
    near("order of rk4", log2(rk4), 2, 0.2);
    near("order of dopri5", log2(dopri5), 2, 0.2);
}

/// C1 epsilon^m, at the same step: seen with dop853, whose C2 is small.
CLAIM(an_iterate_gains_epsilon)
{
    for (int m = 1; m <= 3; m++) {
        const double gain =
            error_of(&trm_embedded_8, m, 1, 200) / error_of(&trm_embedded_8, m, 2, 200);
        near("gain", log2(gain), m, 0.15);
    }
}

/// C2 h^2, once iterates have taken the rest: 1e-2 for rk4 beside 4e-4 for dopri5 and 4e-8 for
/// dop853 at z = 1, and larger with z.
CLAIM(the_weight_of_the_defect_falls_with_the_order)
{
    const double rk4 = error_of(&classical, 5, 1, 400),
                 dopri5 = error_of(&trm_embedded_5, 5, 1, 400);
    near("rk4 over dopri5", rk4 / dopri5, 1e-2 / 4e-4, 5);
    below("dop853 over dopri5", error_of(&trm_embedded_8, 5, 1, 400) / dopri5, 0.05);
    near("power of z, rk4", log2(error_of(&classical, 5, 2, 800) / error_of(&classical, 5, 1, 800)),
         2, 0.5);
}

/// h/epsilon of one iterate is bounded by the real interval of the pair; more iterates magnify each
/// other's noise below it.
CLAIM(iterates_shrink_the_bound)
{
    static const struct {
        const trm_embedded *pair;
        double border;
    } all[] = {{&classical, 2.785}, {&trm_embedded_5, 3.307}, {&trm_embedded_8, 6.397}};
    for (int i = 0; i < 3; i++) {
        below("below the border", error_of(all[i].pair, 1, 0.97 * all[i].border, 200), 0.01);
        assert_false(error_of(all[i].pair, 1, 1.03 * all[i].border, 200) < 0.1);
    }
    below("one iterate", error_of(&trm_embedded_5, 1, 3, 200), 2e-3);
    assert_false(error_of(&trm_embedded_5, 5, 3, 200) < 0.1);
}
