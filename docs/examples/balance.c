/// Balance: a bar stands on a cart. Where it stands is searched for, the motion around it
/// linearized, and the linear-quadratic regulator of that linearization keeps the true mechanism up
/// at 100 Hz.
///
///     cc balance.c $(pkg-config --cflags --libs trammel) -lm -o balance && ./balance cart.json
#include <trammel/trammel.h>
#include <trammel/trammel_query.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { STATES = 4 }; // two freedoms and their rates

/// K = B^T P/r, where 0 = A^T P + P A - P B B^T P/r + I: the Riccati equation, followed to its
/// rest.
static void regulator(const trm_linear *linear, double r, double K[STATES])
{
    const double *const A = linear->A, *const B = linear->B, step = 5e-5;
    double P[STATES][STATES] = {{0}}, next[STATES][STATES];
    for (int k = 0; k < 200000; k++) { // 10 s
        for (int i = 0; i < STATES; i++) {
            K[i] = 0;
            for (int j = 0; j < STATES; j++) {
                K[i] += B[j] * P[j][i] / r;
            }
        }
        for (int i = 0; i < STATES; i++) {
            for (int j = 0; j < STATES; j++) {
                double rate = (i == j) - K[i] * r * K[j];
                for (int l = 0; l < STATES; l++) {
                    rate += A[l * STATES + i] * P[l][j] + P[i][l] * A[l * STATES + j];
                }
                next[i][j] = P[i][j] + step * rate;
            }
        }
        memcpy(P, next, sizeof P);
    }
}

int main(int argc, char **argv)
{
    trm_scene *scene = NULL;
    trm_model *model = NULL;
    trm_query *query = NULL;
    trm_sim *sim = NULL;
    trm_linear *linear = NULL;
    trm_options options;
    trm_equilibrium found;
    trm_equilibrium_options nearest = trm_default_equilibrium_options();
    trm_error err = {.message = ""};
    double q[6], v[6], zero[6] = {0}, x[STATES], K[STATES];
    const int force = 0; // the only input
    const trm_linear_task task = {.inputs = &force, .ninput = 1};

    nearest.stable = 0; // upright, not hanging
    if (trm_scene_load(argc > 1 ? argv[1] : "cart.json", &scene, &err) ||
        trm_scene_set(scene, "x", "0.2", &err) || trm_scene_set(scene, "y", "0.6", &err) ||
        trm_model_build(scene, &model, &err) || trm_query_create(model, &query, &err)) {
        return fprintf(stderr, "%s: %s\n", err.where, err.message) > 0;
    }
    trm_model_initial_state(model, q, v);
    if (trm_query_equilibrium(query, &nearest, q, NULL, &found, &err) ||
        trm_query_linearize(query, 0, q, zero, &task, &linear, &err) ||
        trm_choose_options(model, 1e-6, &options, NULL, &err) ||
        trm_sim_create(model, &options, &sim, &err)) {
        return fprintf(stderr, "%s: %s\n", err.where, err.message) > 0;
    }
    printf("left alone the bar falls by e in %.2f s\n", 1 / found.growth);
    regulator(linear, 1, K);
    for (int k = 1; k <= 800; k++) {
        const trm_state state = trm_sim_state(sim);
        double u = 0;
        trm_linear_deviation(linear, state.q, state.v, x, NULL);
        for (int i = 0; i < STATES; i++) {
            u -= K[i] * x[i];
        }
        if (trm_sim_set_input(sim, force, u, &err) || trm_sim_step_to(sim, 0.01 * k, &err)) {
            return fprintf(stderr, "%s: %s\n", err.where, err.message) > 0;
        }
        if (k % 100 == 0) {
            const double *const now = trm_sim_state(sim).q;
            printf("t = %.0f s: %.4f deg from upright\n", 0.01 * k,
                   atan2(now[3] - now[0], now[4] - now[1]) * 180 / acos(-1));
        }
    }
    trm_linear_destroy(linear);
    trm_query_destroy(query);
    trm_sim_destroy(sim);
    trm_model_destroy(model);
    trm_scene_destroy(scene);
}
