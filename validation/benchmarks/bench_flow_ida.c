/// IDA (SUNDIALS) on the same semi-discrete flow, at equal error; for the table of
/// docs/validation/flows.md.
///
///     bench_flow_ida N NU T     Taylor-Green on N by N cells until T
///
/// IDA gets the flow as an ordinary differential equation, x' = f - B y with y eliminated exactly,
/// and solves its linear systems by GMRES without a matrix. Every evaluation, IDA's and those of
/// its GMRES, costs one solution with GB, as a stage of Heun's method does.
#include "validation/papers/flow/taylor_green.h"

#include <idas/idas.h>
#include <math.h>
#include <nvector/nvector_serial.h>
#include <stdio.h>
#include <stdlib.h>
#include <sundials/sundials_config.h>
#include <sunlinsol/sunlinsol_spgmr.h>
#include <time.h>

#if SUNDIALS_VERSION_MAJOR < 7
#define SUN_COMM_NULL NULL
#endif

/// The pressure of a velocity: x = f(u) + c u - B y, 0 = g(x), so
/// that g' = -c g along u' = x - c u.
typedef struct pressure {
    trm_paper_mac mac;
    trm_dae_problem problem;
    trm_dae_static *solver;
    const double *u;
    double c;
    long evaluations;
} pressure;

static int field(double t, const double *x, double *out, void *user)
{
    (void)x;
    pressure *p = user;
    const int code = p->mac.problem.f(t, p->u, out, p->mac.problem.user);
    for (int i = 0; i < p->problem.nx; i++) {
        out[i] += p->c * p->u[i];
    }
    return code;
}

static int gap(double t, const double *x, double *out, void *user)
{
    pressure *p = user;
    return p->mac.problem.g(t, x, out, p->mac.problem.user);
}

static int rows_of_G(double t, const double *x, double *out, void *user)
{
    pressure *p = user;
    return p->mac.problem.large->G_rows.values(t, x, out, p->mac.problem.user);
}

static int rows_of_B(double t, const double *x, double *out, void *user)
{
    pressure *p = user;
    return p->mac.problem.large->B_rows.values(t, x, out, p->mac.problem.user);
}

/// Residual u' - (x - c u).
static int residual(double t, N_Vector u, N_Vector du, N_Vector r, void *user)
{
    pressure *p = user;
    trm_error err;
    p->u = N_VGetArrayPointer(u);
    p->evaluations++;
    // y of the method forgets the iterate before: epsilon is far below roundoff against GB
    if (trm_dae_static_renew(p->solver, t, &err) || trm_dae_static_iterate(p->solver, &err)) {
        return -1;
    }
    const double *x = trm_dae_static_state(p->solver).x;
    const double *rate = N_VGetArrayPointer(du);
    double *out = N_VGetArrayPointer(r);
    for (int i = 0; i < p->problem.nx; i++) {
        out[i] = rate[i] - (x[i] - p->c * p->u[i]);
    }
    return 0;
}

static int open_pressure(pressure *p, int n, double nu, const double *u, trm_error *err)
{
    static trm_dae_large large;
    large = *p->mac.problem.large;
    large.G_rows.values = rows_of_G;
    large.B_rows.values = rows_of_B;
    large.L_rows = (trm_dae_rows){0};
    p->problem = (trm_dae_problem){.name = "pressure",
                                   .nx = 2 * n * (n - 1),
                                   .ny = n * n,
                                   .f = field,
                                   .g = gap,
                                   .user = p,
                                   .large = &large};
    trm_dae_options options = trm_dae_default_options(TRM_DAE_METHOD_SRM);
    options.E = TRM_SRM_MATRIX_GB_INVERSE;
    options.epsilon = 1e-15;
    p->u = u;
    p->c = 1;
    (void)nu;
    return trm_dae_static_create(&p->problem, &options, 0, &p->solver, err) != TRM_OK;
}

/// One run with a tolerance; prints a line.
static int run(pressure *p, double t_end, double tolerance, SUNContext context)
{
    const int nx = p->problem.nx;
    N_Vector u = N_VNew_Serial(nx, context), du = N_VNew_Serial(nx, context);
    void *ida = IDACreate(context);
    SUNLinearSolver gmres = SUNLinSol_SPGMR(u, SUN_PREC_NONE, 30, context);
    const clock_t begin = clock();
    p->evaluations = 0;
    trm_paper_taylor_green(&p->mac, 0, N_VGetArrayPointer(u));
    N_VConst(0, du);
    residual(0, u, du, du, p); // du := -rates, then its negative
    N_VScale(-1, du, du);
    double t = 0;
    const int failed = IDAInit(ida, residual, 0, u, du) || IDASStolerances(ida, 0, tolerance) ||
                       IDASetUserData(ida, p) || IDASetLinearSolver(ida, gmres, NULL) ||
                       IDASetMaxNumSteps(ida, 100000) || IDASetStopTime(ida, t_end) ||
                       IDASolve(ida, t_end, &t, u, du, IDA_NORMAL) < 0;
    if (!failed) {
        long steps = 0, gmres_its = 0;
        IDAGetNumSteps(ida, &steps);
        IDAGetNumLinIters(ida, &gmres_its);
        printf("IDA, atol = %-7.0e %8ld steps %8ld solves %8ld gmres   eu %9.2e %8.2f s\n",
               tolerance, steps, p->evaluations, gmres_its,
               trm_paper_taylor_green_eu(&p->mac, t, N_VGetArrayPointer(u)),
               (double)(clock() - begin) / CLOCKS_PER_SEC);
    }
    IDAFree(&ida);
    SUNLinSolFree(gmres);
    N_VDestroy(u);
    N_VDestroy(du);
    return failed;
}

/// The same flow by Trammel's own integrators.
static int ours(pressure *p, const char *name, trm_dae_integrator integrator, double h,
                double t_end, double *u, trm_error *err)
{
    trm_dae_options options = trm_dae_default_options(TRM_DAE_METHOD_SRM);
    options.integrator = integrator;
    options.h = h;
    options.E = TRM_SRM_MATRIX_IDENTITY;
    options.epsilon = 1e-8;
    options.iterations = 1;
    options.alpha1 = 1;
    options.start = TRM_DAE_START_GIVEN;
    trm_dae_sim *sim = NULL;
    const clock_t begin = clock();
    trm_paper_taylor_green(&p->mac, 0, u);
    const int failed = trm_dae_sim_create(&p->mac.problem, &options, 0, u, &sim, err) ||
                       trm_dae_sim_run(sim, t_end, err);
    if (!failed) {
        const trm_dae_stats stats = trm_dae_sim_stats(sim);
        printf("%-12s k = %-7.1e %6ld steps %8ld solves %14s eu %9.2e %8.2f s\n", name, h,
               stats.steps, stats.solves, "",
               trm_paper_taylor_green_eu(&p->mac, t_end, trm_dae_sim_state(sim, 0).x),
               (double)(clock() - begin) / CLOCKS_PER_SEC);
    } else {
        fprintf(stderr, "%s: %s\n", name, err->message);
    }
    trm_dae_sim_destroy(sim);
    return failed;
}

int main(int argc, char **argv)
{
    if (argc != 4 || atoi(argv[1]) < 8) {
        fputs("usage: bench_flow_ida N NU T\n", stderr);
        return 2;
    }
    const int n = atoi(argv[1]);
    const double nu = atof(argv[2]), t_end = atof(argv[3]);
    pressure p = {.evaluations = 0};
    SUNContext context = NULL;
    trm_error err = {0};
    double *u = calloc((size_t)(2 * n * (n - 1)), sizeof *u);
    int failed = u == NULL || SUNContext_Create(SUN_COMM_NULL, &context) ||
                 trm_paper_mac_open(&p.mac, n, nu, 0, 1, 1, &err) ||
                 open_pressure(&p, n, nu, u, &err);
    const double explicit_step = fmin(0.32 / n, 0.2 / (nu * n * n));
    if (!failed) {
        ours(&p, "Heun", TRM_DAE_INTEGRATOR_HEUN, explicit_step, t_end, u, &err);
        for (int k = 1; k <= 16; k *= 4) {
            ours(&p, "IMEX", TRM_DAE_INTEGRATOR_IMEX, 0.32 / n / k, t_end, u, &err);
        }
        for (double tolerance = 1e-4; tolerance > 1e-8; tolerance /= 10) {
            failed |= run(&p, t_end, tolerance, context);
        }
    }
    trm_dae_static_destroy(p.solver);
    trm_paper_mac_close(&p.mac);
    SUNContext_Free(&context);
    free(u);
    return failed != 0;
}
