/// A model, a query and a state on its constraints, for the tests of trammel_query.h.
#pragma once

#include "tests/rig.h"

#include "trammel/trammel_query.h"

static const double gravity = 9.81;

#define ROD(name, x0, y0, x1, y1)                                                                  \
    "{\"name\": \"" name "\", \"mass\": 3, \"ends\": [[" #x0 ", " #y0 "], [" #x1 ", " #y1 "]]}"
#define PIN(name, a, b, x, y)                                                                      \
    "{\"name\": \"" name "\", \"type\": \"revolute\", \"bodies\": [\"" a "\", \"" b                \
    "\"], \"at\": [" #x ", " #y "]}"
#define PLANE "{\"dimension\": 2, \"gravity\": [0, -9.81], "

#define FOUR_BAR                                                                                   \
    "{\"dimension\": 2, \"gravity\": [0, -9.81], \"bodies\": ["                                    \
    "{\"name\": \"crank\", \"mass\": 1.5, \"ends\": [[0, 0], [0.3, 0.4]]},"                        \
    "{\"name\": \"coupler\", \"mass\": 2, \"ends\": [[0.3, 0.4], [1.4, 0.9]]},"                    \
    "{\"name\": \"rocker\", \"mass\": 1, \"ends\": [[1.2, 0], [1.4, 0.9]]}], \"joints\": ["        \
    "{\"name\": \"O\", \"type\": \"revolute\", \"bodies\": [\"ground\", \"crank\"], \"at\": [0, "  \
    "0]},"                                                                                         \
    "{\"name\": \"A\", \"type\": \"revolute\", \"bodies\": [\"crank\", \"coupler\"],"              \
    " \"at\": [0.3, 0.4]},"                                                                        \
    "{\"name\": \"B\", \"type\": \"revolute\", \"bodies\": [\"coupler\", \"rocker\"],"             \
    " \"at\": [1.4, 0.9]},"                                                                        \
    "{\"name\": \"C\", \"type\": \"revolute\", \"bodies\": [\"ground\", \"rocker\"],"              \
    " \"at\": [1.2, 0]}]}"

/// Uniform in [-1, 1], the same in every run.
static inline double chance(void)
{
    static unsigned long long x = 88172645463325252ULL;
    x ^= x << 13, x ^= x >> 7, x ^= x << 17;
    return (double)(x >> 11) / 4503599627370496.0 - 1;
}

static inline double *doubles(int n)
{
    double *const x = calloc((size_t)n + 1, sizeof *x);
    assert_non_null(x);
    return x;
}

/// A model, a query and a state on the constraints.
typedef struct bench {
    rig r;
    trm_query *query;
    trm_sizes n;
    double t, *q, *v, *a, *N;
} bench;

static inline bench open_bench(rig r)
{
    trm_error err = {.status = TRM_OK};
    bench b = {.r = r, .n = trm_model_sizes(r.model)};
    b.q = doubles(b.n.nq), b.v = doubles(b.n.nv), b.a = doubles(b.n.nv);
    b.N = doubles(b.n.nq * b.n.nv);
    rig_ok(trm_query_create(r.model, &b.query, &err), &err);
    trm_model_initial_state(r.model, b.q, b.v);
    return b;
}

static inline bench parse(const char *json)
{
    return open_bench(rig_parse(json));
}

static inline void close_bench(bench *b)
{
    trm_query_destroy(b->query);
    free(b->q), free(b->v), free(b->a), free(b->N);
    rig_close(&b->r);
}

/// S[nv*n] at b->q: velocities of bodies by those of joints.
static inline trm_status transmit(bench *b, int n, const int *joints, double *S, trm_error *err)
{
    return trm_query_joint_space(
        b->query, b->t, b->q, b->v,
        &(trm_joint_space){.scene = b->r.scene, .n = n, .joints = joints, .S = S}, err);
}

/// Closed at b->t, from wherever it is.
static inline void shut(bench *b)
{
    trm_error err = {.status = TRM_OK};
    rig_ok(trm_query_close(b->query, b->t, b->q, b->v, &err), &err);
}

/// A state of its motion, away from the start and from singular positions.
static inline bench load(const char *name)
{
    bench b = open_bench(rig_load(name, NULL));
    trm_options options = rig_choose(&b.r, 1e-9);
    options.assemble = 1;
    rig_start(&b.r, options);
    rig_run(&b.r, 0.037);
    const trm_state s = trm_sim_state(b.r.sim);
    b.t = s.t;
    memcpy(b.q, s.q, (size_t)b.n.nq * sizeof(double));
    memcpy(b.v, s.v, (size_t)b.n.nv * sizeof(double));
    shut(&b);
    return b;
}

/// N and a at (t, q, v).
static inline void take(bench *b, const double *q, const double *v, const double *force)
{
    trm_error err = {.status = TRM_OK};
    const trm_terms wanted = {.N = b->N, .a = b->a};
    if (!b->r.sim) {
        trm_options options = trm_default_options(TRM_INTEGRATOR_RK4, TRM_STABILIZATION_S_BOTH2);
        options.assemble = 1;
        rig_start(&b->r, options);
    }
    rig_ok(trm_sim_terms(b->r.sim, b->t, q, v, force, &wanted, &err), &err);
}

/// out = q + h N x, N as taken last.
static inline void moved(const bench *b, const double *q, const double *x, double h, double *out)
{
    for (int i = 0; i < b->n.nq; i++) {
        out[i] = q[i];
        for (int j = 0; j < b->n.nv; j++) {
            out[i] += h * b->N[i * b->n.nv + j] * x[j];
        }
    }
}

static inline trm_linear *linearize(bench *b, int ny, const trm_output *outputs)
{
    trm_error err = {.status = TRM_OK};
    trm_linear *linear = NULL;
    const trm_linear_task task = {.outputs = outputs, .noutput = ny};
    rig_ok(trm_query_linearize(b->query, b->t, b->q, b->v, &task, &linear, &err), &err);
    return linear;
}
