/// Long computations with flows: time, memory and iterations of large problems. Prints tables.
///
///     bench_flow step N             one step on N by N cells: time, memory, iterations
///     bench_flow decay N            Taylor-Green on N by N cells: methods and solvers beside each
///     other bench_flow cavity RE N [T]    the lid-driven cavity to its steady state, two methods
#include "validation/papers/flow/cavity.h"
#include "validation/papers/flow/taylor_green.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

static double cpu_now(void)
{
    return (double)clock() / CLOCKS_PER_SEC;
}

static double memory_mb(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)usage.ru_maxrss / 1024;
}

static int failed(trm_status status, const trm_error *err)
{
    if (status != TRM_OK) {
        fprintf(stderr, "error: %s (%s)\n", err->message, err->where);
    }
    return status != TRM_OK;
}

/// Sequential regularization with alpha1 = 1 and one iterate, or with epsilon = 0 exact projection.
static trm_dae_options options_of(double h, double epsilon)
{
    trm_dae_options options =
        trm_dae_default_options(epsilon > 0 ? TRM_DAE_METHOD_SRM : TRM_DAE_METHOD_BAUMGARTE);
    options.h = h;
    options.E = TRM_SRM_MATRIX_IDENTITY;
    options.epsilon = epsilon > 0 ? epsilon : 1;
    options.alpha1 = 1;
    options.alpha2 = epsilon > 0 ? 1 : 1 / h;
    options.iterations = 1;
    options.start = TRM_DAE_START_GIVEN;
    return options;
}

typedef struct flow {
    trm_paper_mac mac;
    trm_dae_sim *sim;
    double *x0;
} flow;

static int open_decay(flow *f, int n, double nu, int rows, const trm_dae_options *options,
                      trm_error *err)
{
    *f = (flow){0};
    if (failed(trm_paper_mac_open(&f->mac, n, nu, 0, 1, rows, err), err)) {
        return -1;
    }
    f->x0 = calloc((size_t)f->mac.problem.nx, sizeof *f->x0);
    if (f->x0 == NULL) {
        return -1;
    }
    trm_paper_taylor_green(&f->mac, 0, f->x0);
    return failed(trm_dae_sim_create(&f->mac.problem, options, 0, f->x0, &f->sim, err), err);
}

static void close_flow(flow *f)
{
    trm_dae_sim_destroy(f->sim);
    trm_paper_mac_close(&f->mac);
    free(f->x0);
}

// -------------------------------------------------------------------------------------------- step

static int one_step(const char *name, int n, int rows, double epsilon, double alpha1)
{
    flow f;
    trm_error err = {0};
    trm_dae_options options = options_of(0.2 / n, epsilon);
    options.alpha1 = alpha1;
    if (alpha1 == 0) {
        options.h = epsilon / (4.0 * n * n);
    }
    const double begin = cpu_now();
    int code = open_decay(&f, n, 0.001, rows, &options, &err);
    const double ready = cpu_now();
    const long before = f.sim ? trm_dae_sim_stats(f.sim).solve_iterations : 0;
    const long solves = f.sim ? trm_dae_sim_stats(f.sim).solves : 0;
    code = code || failed(trm_dae_sim_step(f.sim, &err), &err);
    if (!code) {
        const trm_dae_stats stats = trm_dae_sim_stats(f.sim);
        const long more = stats.solves - solves;
        printf("%-28s %8d %8d %9.2f %9.2f %8.0f %9.1f\n", name, f.mac.problem.nx, f.mac.problem.ny,
               ready - begin, cpu_now() - ready, memory_mb(),
               more > 0 ? (double)(stats.solve_iterations - before) / (double)more : 0.0);
    }
    close_flow(&f);
    return code;
}

static int step(int n)
{
    printf("%-28s %8s %8s %9s %9s %8s %9s\n", "one step of Heun", "nx", "ny", "start[s]", "step[s]",
           "MB", "CG/solve");
    return one_step("alpha1 = 0, products", n, 0, 0.5, 0) ||
           one_step("alpha1 = 1, multigrid and CG", n, 0, 1e-4, 1) ||
           one_step("alpha1 = 1, sparse factors", n, 1, 1e-4, 1);
}

// ------------------------------------------------------------------------------------------- decay

static int one_decay(const char *name, int n, int rows, double epsilon, double alpha1, double h)
{
    static const double t_end = 0.5;
    flow f;
    trm_error err = {0};
    trm_dae_options options = options_of(h, epsilon);
    options.alpha1 = epsilon > 0 ? alpha1 : 1;
    options.iterations = alpha1 == 0 ? 2 : 1;
    const double begin = cpu_now();
    int code = open_decay(&f, n, 0.001, rows, &options, &err) ||
               failed(trm_dae_sim_run(f.sim, t_end, &err), &err);
    if (!code) {
        const trm_dae_state state = trm_dae_sim_state(f.sim, 0);
        const trm_dae_stats stats = trm_dae_sim_stats(f.sim);
        printf("%-34s %9.2e %6ld %8ld %8.1f %10.3e %10.3e %10.2e %8.1f %6.0f\n", name, h,
               stats.steps, stats.solves,
               stats.solves ? (double)stats.solve_iterations / (double)stats.solves : 0.0,
               trm_paper_taylor_green_eu(&f.mac, t_end, state.x),
               trm_paper_taylor_green_ep(&f.mac, t_end, state.y), state.drift, cpu_now() - begin,
               memory_mb());
    }
    close_flow(&f);
    return code;
}

static int decay(int n)
{
    const double h = 0.32 / n;
    printf("%-34s %9s %6s %8s %8s %10s %10s %10s %8s %6s\n", "Taylor-Green, nu = 0.001, t = 0.5",
           "k", "steps", "solves", "CG/solve", "eu", "ep", "max div", "cpu[s]", "MB");
    return one_decay("projection, factors", n, 1, 0, 1, h) ||
           one_decay("projection, multigrid", n, 0, 0, 1, h) ||
           one_decay("alpha1 = 1, eps = 1e-4, factors", n, 1, 1e-4, 1, h) ||
           one_decay("alpha1 = 1, eps = 1e-4, multigrid", n, 0, 1e-4, 1, h) ||
           one_decay("alpha1 = 1, eps = 1e-8, factors", n, 1, 1e-8, 1, h) ||
           (n <= 64 &&
            one_decay("alpha1 = 0, eps = 0.05, m = 2", n, 0, 0.05, 0, 0.05 / (5.0 * n * n)));
}

// ------------------------------------------------------------------------------------------ cavity

static int one_cavity(const char *name, double Re, int n, double t_end, double epsilon)
{
    trm_paper_mac mac;
    trm_paper_cavity cavity;
    trm_error err = {0};
    // Heun bears k <= h in convection, where the lid moves with 1, and nu k/h^2 <= 1/4 in diffusion
    const double h = fmin(0.5 / n, 0.2 * Re / n / n);
    const trm_dae_options options = options_of(h, epsilon);
    const double begin = cpu_now();
    if (failed(trm_paper_mac_open(&mac, n, 1 / Re, 1, 0, 1, &err), &err)) {
        return -1;
    }
    const int code =
        failed(trm_paper_cavity_run(&mac, &options, t_end, 1e-7, &cavity, NULL, &err), &err);
    if (!code) {
        printf(
            "%-24s %6g %5d %8.4f (%.4f) %8.5f (%.4f) %8.5f (%.4f) %7.1f %8.1e %8ld %7.1f %6.0f\n",
            name, Re, n, cavity.u_min, cavity.y_min, cavity.v_max, cavity.x_max, cavity.v_min,
            cavity.x_min, cavity.t, cavity.rate, cavity.stats.steps, cpu_now() - begin,
            memory_mb());
        fflush(stdout);
    }
    trm_paper_mac_close(&mac);
    return code;
}

static int cavity(double Re, int n, double t_end)
{
    printf("%-24s %6s %5s %17s %17s %17s %7s %8s %8s %7s %6s\n", "cavity", "Re", "n", "u min (y)",
           "v max (x)", "v min (x)", "t", "|x'|", "steps", "cpu[s]", "MB");
    return one_cavity("projection", Re, n, t_end, 0) ||
           one_cavity("alpha1 = 1, eps = 1e-3", Re, n, t_end, 1e-3);
}

int main(int argc, char **argv)
{
    const int n = argc > 2 ? atoi(argv[argc > 3 ? 3 : 2]) : 0;
    if (n >= 8 && strcmp(argv[1], "step") == 0) {
        return step(n) != 0;
    }
    if (n >= 8 && strcmp(argv[1], "decay") == 0) {
        return decay(n) != 0;
    }
    if (n >= 8 && argc > 3 && strcmp(argv[1], "cavity") == 0) {
        return cavity(atof(argv[2]), n, argc > 4 ? atof(argv[4]) : 1000) != 0;
    }
    fputs("usage: bench_flow step N | decay N | cavity RE N [T]\n", stderr);
    return 2;
}
