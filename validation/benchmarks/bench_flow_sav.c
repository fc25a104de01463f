/// Sequential regularization with a scalar auxiliary variable (SR-SAV, after Wang & Lin,
/// arXiv:2603.26027, of which the abstract alone was at hand: the steps below are derived) beside
/// IMEX and projection, for the table of docs/validation/flows.md.
///
///     bench_flow_sav N NU T     Taylor-Green on N by N cells until T
///
/// q(t) = e^(-t/T) has the unknown twin r, and S = r/q is 1 along the exact flow. With N(u) = div(u
/// u) explicit and all else implicit, for iterates s = 1..m of a step, k' and u~ those of backward
/// Euler (k, u_n) or of BDF2 (2k/3, (4 u_n - u_(n-1))/3) and N of u_n or 2 u_n - u_(n-1):
///
///     (u_s - u~)/k' = nu Lap u_s - S N - grad p_s
///     p_s = p_(s-1) - (1/epsilon) (alpha1 div (u_s - u~)/k' + alpha2 div u_s),  p_0: last step's
///     (r - r~)/k' = -r/T + (N, u_s)/q
///
/// Times 2 u_s and 2 r the two N cancel: |u|^2 + r^2 does not grow, whatever k is. u_s = a + S b by
/// two solutions with one constant matrix, then r by a linear equation whose factor
/// 1/k' + 1/T - (N, b)/q^2 is positive, since (N, b) = -(N, K^-1 N).
#include "engine/system/dae_saddle.h"
#include "validation/papers/flow/taylor_green.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/// f = nu Lap u + c: what backward Euler of the library is for.
typedef struct flow {
    trm_paper_mac mac;
    trm_dae_problem problem;
    trm_dae_system system;
    trm_arena arena;
    int nx, ny;
    double *u, *last, *from, *a, *b, *N, *zero; ///< [nx]
    double *c;                                  ///< [nx] NULL: 0
    double *p, *div, *none;                     ///< [ny]
    long solves;
} flow;

static int force(double t, const double *x, double *out, void *user)
{
    const flow *f = user;
    (void)t, (void)x; // at x = 0, as the saddle asks
    for (int i = 0; i < f->nx; i++) {
        out[i] = f->c ? f->c[i] : 0;
    }
    return 0;
}

static int gap(double t, const double *x, double *out, void *user)
{
    const flow *f = user;
    return f->mac.problem.g(t, x, out, f->mac.problem.user);
}

/// out := div(u u), by a twin of the flow without viscosity.
static void convection(const flow *f, const double *u, double *out)
{
    trm_paper_mac inviscid = f->mac;
    inviscid.nu = 0;
    inviscid.problem.f(0, u, out, &inviscid);
    for (int i = 0; i < f->nx; i++) {
        out[i] = -out[i];
    }
}

static double inner(int n, const double *a, const double *b)
{
    double sum = 0;
    for (int i = 0; i < n; i++) {
        sum += a[i] * b[i];
    }
    return sum;
}

static void layout(flow *f, trm_arena *arena)
{
    double **const of_u[] = {&f->u, &f->last, &f->from, &f->a, &f->b, &f->N, &f->zero};
    for (int i = 0; i < 7; i++) {
        *of_u[i] = trm_arena_doubles(arena, f->nx);
    }
    f->p = trm_arena_doubles(arena, f->ny);
    f->div = trm_arena_doubles(arena, f->ny);
    f->none = trm_arena_doubles(arena, f->ny);
    trm_dae_system_layout(&f->system, &f->problem, 0, arena);
}

static trm_dae_options options_of(double k, double epsilon, trm_dae_integrator integrator)
{
    trm_dae_options o =
        trm_dae_default_options(epsilon > 0 ? TRM_DAE_METHOD_SRM : TRM_DAE_METHOD_BAUMGARTE);
    o.integrator = integrator;
    o.h = k;
    o.E = TRM_SRM_MATRIX_IDENTITY;
    o.epsilon = epsilon > 0 ? epsilon : 1;
    o.alpha1 = 1;
    o.alpha2 = epsilon > 0 ? 1 : 1 / k;
    o.iterations = 1;
    o.start = TRM_DAE_START_GIVEN;
    return o;
}

static int open_flow(flow *f, int n, double nu, trm_error *err)
{
    static trm_dae_large large; // values of rows do not ask the user
    *f = (flow){.nx = 2 * n * (n - 1), .ny = n * n};
    if (trm_paper_mac_open(&f->mac, n, nu, 0, 1, 1, err)) {
        return -1;
    }
    large = f->mac.large;
    f->problem = f->mac.problem;
    f->problem.f = force;
    f->problem.g = gap;
    f->problem.linear = 1;
    f->problem.large = &large;
    return 0;
}

/// out[nx] of x, p and the force c.
static int solve(flow *f, const trm_dae_saddle_step *step, const double *x, const double *p,
                 double *c, double *out)
{
    f->c = c;
    f->solves++;
    return trm_dae_at(&f->system, 0, f->zero, TRM_DAE_WITH_ALL) ||
           trm_dae_saddle_solve(&f->system, step, x, p, out);
}

/// One iterate: u_s into f->u with p_s; r is returned.
static double iterate(flow *f, const trm_dae_saddle_step *step, double q, double T, double r)
{
    const double cell = 1.0 / (f->mac.n * f->mac.n); // of the inner product
    if (solve(f, step, f->from, f->p, NULL, f->a)) {
        return NAN;
    }
    const double along_a = cell * inner(f->nx, f->N, f->a);
    const double along_b = cell * inner(f->nx, f->N, f->b);
    const double next = (r / step->h + along_a / q) / (1 / step->h + 1 / T - along_b / (q * q));
    for (int i = 0; i < f->nx; i++) {
        f->u[i] = f->a[i] + next / q * f->b[i];
        f->a[i] = step->alpha1 * (f->u[i] - f->from[i]) / step->h + step->alpha2 * f->u[i];
    }
    gap(0, f->a, f->div, f);
    for (int k = 0; k < f->ny; k++) {
        f->p[k] += f->div[k] / step->epsilon;
    }
    return next;
}

static void report(const char *name, double k, int steps, long solves, const flow *f, double t,
                   const double *u, const double *p, double seconds)
{
    double *const div = calloc((size_t)f->ny, sizeof *div), most = 0;
    gap(0, u, div, (void *)(size_t)f);
    for (int i = 0; i < f->ny; i++) {
        most = fmax(most, fabs(div[i]));
    }
    free(div);
    printf("%-28s %8.2e %6d %7ld %10.2e %10.2e %10.2e %8.2f\n", name, k, steps, solves,
           trm_paper_taylor_green_eu(&f->mac, t, u), trm_paper_taylor_green_ep(&f->mac, t, p), most,
           seconds);
}

static int run_sav(int n, double nu, double t_end, int steps, int order, int m, trm_error *err)
{
    static const double epsilon = 1e-4;
    flow f;
    const double k = t_end / steps;
    const clock_t begin = clock();
    if (open_flow(&f, n, nu, err)) {
        return -1;
    }
    layout(&f, &f.arena);
    if (!trm_arena_open(&f.arena)) {
        return -1;
    }
    layout(&f, &f.arena);
    const trm_dae_options o = options_of(k, epsilon, TRM_DAE_INTEGRATOR_BACKWARD_EULER);
    if (trm_dae_operators_create(&f.system, &o, err)) {
        return -1;
    }
    trm_paper_taylor_green(&f.mac, 0, f.u);
    trm_paper_taylor_green(&f.mac, -k, f.last);
    double r = 1, before = exp(k / t_end);
    for (int i = 1; i <= steps; i++) {
        const trm_dae_saddle_step step = {order == 2 ? 2 * k / 3 : k, epsilon, 1, 1};
        for (int j = 0; j < f.nx; j++) {
            const double now = f.u[j];
            f.from[j] = order == 2 ? (4 * now - f.last[j]) / 3 : now;
            f.a[j] = order == 2 ? 2 * now - f.last[j] : now;
            f.last[j] = now;
        }
        convection(&f, f.a, f.N);
        for (int j = 0; j < f.nx; j++) {
            f.a[j] = -f.N[j];
        }
        const double r_from = order == 2 ? (4 * r - before) / 3 : r;
        if (solve(&f, &step, f.zero, f.none, f.a, f.b)) {
            return -1;
        }
        before = r;
        for (int s = 0; s < m; s++) {
            r = iterate(&f, &step, exp(-i * k / t_end), t_end, r_from);
        }
    }
    char name[64];
    snprintf(name, sizeof name, "SR-SAV, order %d, m = %d", order, m);
    report(name, k, steps, f.solves, &f, t_end, f.u, f.p,
           (double)(clock() - begin) / CLOCKS_PER_SEC);
    trm_dae_operators_destroy(&f.system);
    trm_arena_close(&f.arena);
    trm_paper_mac_close(&f.mac);
    return 0;
}

static int run_ours(const char *name, int n, double nu, double t_end, int steps, double epsilon,
                    trm_dae_integrator integrator, trm_error *err)
{
    flow f;
    trm_dae_sim *sim = NULL;
    const clock_t begin = clock();
    if (open_flow(&f, n, nu, err)) {
        return -1;
    }
    double *const u = calloc((size_t)f.nx, sizeof *u);
    const trm_dae_options o = options_of(t_end / steps, epsilon, integrator);
    trm_paper_taylor_green(&f.mac, 0, u);
    if (trm_dae_sim_create(&f.mac.problem, &o, 0, u, &sim, err) ||
        trm_dae_sim_run(sim, t_end, err)) {
        printf("%-28s %8.2e %6d  %s\n", name, t_end / steps, steps, err->message);
    } else {
        const trm_dae_state state = trm_dae_sim_state(sim, 0);
        report(name, t_end / steps, steps, trm_dae_sim_stats(sim).solves, &f, t_end, state.x,
               state.y, (double)(clock() - begin) / CLOCKS_PER_SEC);
    }
    trm_dae_sim_destroy(sim);
    trm_paper_mac_close(&f.mac);
    free(u);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc != 4 || atoi(argv[1]) < 8) {
        fputs("usage: bench_flow_sav N NU T\n", stderr);
        return 2;
    }
    const int n = atoi(argv[1]);
    const double nu = atof(argv[2]), t_end = atof(argv[3]);
    trm_error err = {0};
    int failed = 0;
    printf("%-28s %8s %6s %7s %10s %10s %10s %8s\n", "method", "k", "steps", "solves", "error u",
           "error p", "max div", "CPU s");
    for (int steps = 8; steps <= 128 && !failed; steps *= 4) {
        for (int order = 1; order <= 2; order++) {
            for (int m = 1; m <= 2; m++) {
                failed = failed || run_sav(n, nu, t_end, steps, order, m, &err);
            }
        }
        failed = failed || run_ours("IMEX, alpha1 = 1", n, nu, t_end, steps, 1e-4,
                                    TRM_DAE_INTEGRATOR_IMEX, &err);
        failed = failed || run_ours("projection, Heun", n, nu, t_end, steps, 0,
                                    TRM_DAE_INTEGRATOR_HEUN, &err);
    }
    if (failed) {
        fprintf(stderr, "error: %s (%s)\n", err.message, err.where);
    }
    return failed != 0;
}
