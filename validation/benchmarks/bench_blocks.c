/// bench_blocks: what solves with S = G M^-1 G^T cost without a factorization.
///
///     bench_blocks SCENE [END]
///
/// At POINTS points of the run of `trammel run`, S lambda = G M^-1 f is solved by conjugate
/// gradients to TOLERANCE in the norm of the residual that the preconditioner gives: by E = I, by E
/// = the inverse of the joints' blocks, by (GB)^T (S S y = b, lambda = S y), and by S^-1 of a
/// factorization. Prints a line of JSON: rows, median condition of S E over the points (by the
/// eigenvalues of the tridiagonal matrix of the iteration), products with S at most, and the median
/// of the shortest CPU times in us of a factorization with its solve, and of blocks with theirs.
#include "integrators/srm/srm_heun.h"
#include "simulation/run/simulation.h"
#include "validation/benchmarks/cpu_clock.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { POINTS = 15, MOST = 5000, ROUNDS = 5, KINDS = 3 };
static const double tolerance = 1e-10;

typedef enum kind { OF_ONE, OF_BLOCKS, OF_TRANSPOSE } kind;

typedef struct iteration {
    int products, converged;
    double condition;
} iteration;

typedef struct figures {
    double condition[KINDS][POINTS], factored[POINTS], blocks[POINTS];
    int products[KINDS], converged[KINDS], points;
} figures;

/// How many eigenvalues of the tridiagonal matrix are below x: of Sturm's sequence.
static int below_of(int n, const double *diagonal, const double *square, double x)
{
    int count = 0;
    double d = 1;
    for (int i = 0; i < n; i++) {
        d = diagonal[i] - x - (i > 0 ? square[i - 1] / d : 0);
        d = d == 0 ? 1e-300 : d;
        count += d < 0;
    }
    return count;
}

/// Eigenvalue k from below, of a positive matrix.
static double eigenvalue(int n, const double *diagonal, const double *square, int k)
{
    double lo = 0, hi = 0;
    for (int i = 0; i < n; i++) {
        hi = fmax(hi, diagonal[i] + sqrt(i > 0 ? square[i - 1] : 0) + sqrt(square[i]));
    }
    for (int i = 0; i < 100; i++) {
        const double middle = (lo + hi) / 2;
        if (below_of(n, diagonal, square, middle) > k) {
            hi = middle;
        } else {
            lo = middle;
        }
    }
    return hi;
}

static double product(int n, const double *a, const double *b)
{
    double sum = 0;
    for (int i = 0; i < n; i++) {
        sum += a[i] * b[i];
    }
    return sum;
}

static void multiply_S(trm_system *system, const double *y, double *x, double *out)
{
    trm_system_spread(system, TRM_METRIC_MASS, y, x);
    trm_system_multiply_G(system, x, out);
}

/// lambda of S lambda = b by E of the kind; blocks are formed. work[4 nc + nv].
static iteration solve(trm_system *system, kind E, const double *b, double *work)
{
    static double diagonal[MOST], square[MOST];
    const int n = system->nc;
    double *const r = work, *const z = r + n, *const p = z + n, *const Sp = p + n;
    double *const x = Sp + n;
    iteration out = {0};
    double rz, first = 0, alpha_before = 1, beta = 0;
    int k = 0;
    memcpy(r, b, (size_t)n * sizeof *r);
    memcpy(z, r, (size_t)n * sizeof *r);
    if (E == OF_BLOCKS) {
        trm_srm_solve_blocks(system, z);
    }
    memcpy(p, z, (size_t)n * sizeof *r);
    first = rz = product(n, r, z);
    for (; k < MOST && rz > tolerance * tolerance * first; k++) {
        multiply_S(system, p, x, Sp);
        out.products++;
        if (E == OF_TRANSPOSE) {
            memcpy(z, Sp, (size_t)n * sizeof *z);
            multiply_S(system, z, x, Sp);
            out.products++;
        }
        const double alpha = rz / product(n, p, Sp), before = rz;
        diagonal[k] = 1 / alpha + (k > 0 ? beta / alpha_before : 0);
        for (int i = 0; i < n; i++) {
            r[i] -= alpha * Sp[i];
            z[i] = r[i];
        }
        if (E == OF_BLOCKS) {
            trm_srm_solve_blocks(system, z);
        }
        rz = product(n, r, z);
        beta = rz / before;
        square[k] = beta / (alpha * alpha);
        alpha_before = alpha;
        for (int i = 0; i < n; i++) {
            p[i] = z[i] + beta * p[i];
        }
    }
    out.converged = rz <= tolerance * tolerance * first;
    if (k > 0) {
        square[k - 1] = 0;
        out.condition = eigenvalue(k, diagonal, square, k - 1) / eigenvalue(k, diagonal, square, 0);
    }
    return out;
}

/// At (t, z) of the run.
static int measure(trm_system *system, const trm_point_of_run *now_at, figures *all, double *b,
                   double *work)
{
    const double *const v = now_at->z + system->nq;
    double *const a = work, *const y = work + system->nv;
    double power;
    const int at = all->points++;
    int code = trm_system_free_acceleration(system, v, a, &power);
    trm_system_multiply_G(system, a, b);
    all->factored[at] = all->blocks[at] = INFINITY;
    for (int i = 0; i < ROUNDS && !code; i++) {
        memcpy(y, b, (size_t)system->nc * sizeof *b);
        code = trm_system_position(system, now_at->t, now_at->z); // or it is factored already
        const double began = 1e6 * cpu_clock();
        code = code || trm_system_factor_damped(system, TRM_METRIC_MASS, system->solver.delta, y);
        all->factored[at] = fmin(all->factored[at], 1e6 * cpu_clock() - began);
    }
    for (int i = 0; i < ROUNDS && !code; i++) {
        const double began = 1e6 * cpu_clock();
        trm_srm_form_blocks(system);
        (void)solve(system, OF_BLOCKS, b, work);
        all->blocks[at] = fmin(all->blocks[at], 1e6 * cpu_clock() - began);
    }
    for (int E = 0; E < KINDS && !code; E++) {
        const iteration found = solve(system, (kind)E, b, work);
        all->condition[E][at] = found.condition;
        all->converged[E] += found.converged;
        all->products[E] = all->products[E] > found.products ? all->products[E] : found.products;
    }
    return code;
}

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(int n, double *x)
{
    qsort(x, (size_t)n, sizeof *x, by_size);
    return n > 0 ? x[n / 2] : NAN;
}

static void print(int nc, figures *all)
{
    const int n = all->points;
    printf("{\"rows\": %d", nc);
    for (int E = 0; E < KINDS; E++) {
        const char *const name = E == OF_ONE ? "I" : E == OF_BLOCKS ? "blocks" : "transpose";
        printf(", \"%s\": {\"condition\": %.3g, \"products\": %d, \"converged\": %s}", name,
               median(n, all->condition[E]), all->products[E],
               all->converged[E] == n ? "true" : "false");
    }
    printf(", \"us\": {\"factored\": %.3g, \"blocks\": %.3g}}\n", median(n, all->factored),
           median(n, all->blocks));
}

int main(int argc, char **argv)
{
    trm_error err = {.status = TRM_OK};
    trm_scene *scene = NULL;
    trm_model *model = NULL;
    trm_sim *sim = NULL;
    trm_options options;
    static figures all;
    if (argc < 2) {
        fputs("usage: bench_blocks SCENE [END]\n", stderr);
        return 2;
    }
    trm_status status = trm_scene_load(argv[1], &scene, &err);
    status = status ? status : trm_model_build(scene, &model, &err);
    status = status ? status : trm_choose_options(model, 1e-6, &options, NULL, &err);
    status = status ? status : trm_sim_create(model, &options, &sim, &err);
    const double end = argc > 2 ? strtod(argv[2], NULL) : trm_scene_simulation(scene).end;
    const trm_sizes sizes = model ? trm_model_sizes(model) : (trm_sizes){0};
    double *const work = calloc((size_t)(5 * sizes.nc + sizes.nv + 8), sizeof *work);
    for (int i = 0; i < POINTS && !status && work; i++) {
        const trm_point_of_run *const at = &sim->run.now;
        trm_system *const system = sim->run.system; // another after a hand-over
        if (measure(system, at, &all, work + 4 * system->nc + system->nv, work)) {
            all.points--;
        }
        (void)trm_system_position(system, at->t, at->z);
        (void)trm_system_factor(system, TRM_METRIC_MASS);
        status = trm_sim_run(sim, end * (i + 1) / POINTS, NULL, NULL, &err);
    }
    if (status || !work) {
        fprintf(stderr, "%s: %s\n", argv[1], err.message);
    } else {
        print(sizes.nc, &all);
    }
    free(work);
    trm_sim_destroy(sim);
    trm_model_destroy(model);
    trm_scene_destroy(scene);
    return status != TRM_OK;
}
