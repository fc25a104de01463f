/// The rows of a scene against differences: G, gamma and rows of velocity, at random states off the
/// constraints.
#pragma once

#include "tests/rig.h"

#include "engine/multibody/model.h"

// ---------------------------------------------------------------- a model without a run around it

enum { LARGEST = 64 };

typedef struct bare {
    rig r;
    trm_arena arena;
    trm_system *system;
} bare;

static inline void open_bare(const char *json, bare *b)
{
    *b = (bare){.r = rig_parse(json)};
    trm_model_system(b->r.model, 1e-12, &b->arena);
    assert_true(trm_arena_open(&b->arena));
    b->system = trm_model_system(b->r.model, 1e-12, &b->arena);
    assert_non_null(b->system);
    assert_true(b->system->nq < LARGEST && b->system->nc < LARGEST);
}

static inline void close_bare(bare *b)
{
    trm_arena_close(&b->arena);
    rig_close(&b->r);
}

static inline double uniform(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(*seed >> 11) / 4503599627370496.0 - 1.0; // -1 to 1
}

typedef struct point {
    double q[LARGEST], v[LARGEST];
} point;

/// Anywhere: off the constraints, turned by up to half a radian, at any velocities.
static inline point random_point(const bare *b, uint64_t seed)
{
    point p;
    double dx[LARGEST];
    for (int i = 0; i < b->system->nv; i++) {
        dx[i] = 0.5 * uniform(&seed);
        p.v[i] = uniform(&seed);
    }
    trm_model_initial_state(b->r.model, p.q, dx + b->system->nv);
    trm_system_move(b->system, dx, p.q);
    trm_system_normalize(b->system, p.q);
    return p;
}

/// q + e N x.
static inline void moved(const bare *b, const double *q, const double *x, double e, double *out)
{
    trm_system_rates(b->system, q, x, out);
    for (int i = 0; i < b->system->nq; i++) {
        out[i] = q[i] + e * out[i];
    }
}

static const double five[4] = {-2, -1, 1, 2}, weight[4] = {1, -8, 8, -1};
static double little = 1e-3; ///< step of the differences, m, rad or s
static const double t0 = 0.3;

static inline void at(const bare *b, double t, const double *q)
{
    assert_int_equal(trm_system_position(b->system, t, q), 0);
}

/// Rows of velocity: G v + g_t against the formula itself, which is linear in v, at these
/// velocities and three others.
static inline void check_speeds(const bare *b, const point *p)
{
    const trm_model *model = b->r.model;
    for (int sample = 0; sample < 4; sample++) {
        double v[LARGEST], rate[LARGEST];
        for (int i = 0; i < b->system->nv; i++) {
            v[i] = sample ? sin(7.0 * i + sample) : p->v[i];
        }
        at(b, t0, p->q);
        trm_system_velocity_residual(b->system, v, rate);
        const trm_kinematics kinematics = trm_assembler_kinematics(b->system, t0, p->q, v, v);
        for (int k = 0; k < model->nexpressions; k++) {
            const trm_expression_row *row = &model->expressions[k];
            const int i = model->blocks[row->block].row + row->r;
            if (row->of_velocity) {
                const double e = trm_function_value(&row->e, kinematics.pose, kinematics.V);
                near("G v + g_t", rate[i], e, 1e-12 * (1 + fabs(e)));
                assert_true(b->system->g[i] == 0 && b->system->speed[i]);
            }
        }
    }
}

/// G e_j against the derivative of g.
static inline void check_column(const bare *b, const point *p, int j)
{
    double e[LARGEST] = {0}, q[LARGEST], column[LARGEST], difference[LARGEST] = {0};
    e[j] = 1;
    for (int k = 0; k < 4; k++) {
        moved(b, p->q, e, five[k] * little, q);
        at(b, t0, q);
        for (int i = 0; i < b->system->nc; i++) {
            difference[i] += weight[k] * b->system->g[i] / (12 * little);
        }
    }
    at(b, t0, p->q);
    trm_system_multiply_G(b->system, e, column);
    for (int i = 0; i < b->system->nc; i++) {
        if (b->system->speed && b->system->speed[i]) {
            continue; // see check_speeds
        }
        near("G", column[i], difference[i], 1e-8 * (1 + fabs(difference[i])));
    }
}

/// gamma against -(d/dt)(G v + g_t) along q' = N v, v held.
static inline void check_gamma(const bare *b, const point *p)
{
    double q[LARGEST], rate[LARGEST], gamma[LARGEST], difference[LARGEST] = {0};
    for (int k = 0; k < 4; k++) {
        moved(b, p->q, p->v, five[k] * little, q);
        at(b, t0 + five[k] * little, q);
        trm_system_velocity_residual(b->system, p->v, rate);
        for (int i = 0; i < b->system->nc; i++) {
            difference[i] -= weight[k] * rate[i] / (12 * little);
        }
    }
    at(b, t0, p->q);
    assert_int_equal(trm_system_gamma(b->system, p->v, gamma), 0);
    for (int i = 0; i < b->system->nc; i++) {
        near("gamma", gamma[i], difference[i], 1e-8 * (1 + fabs(difference[i])));
    }
}

/// Row by row: the power of a reaction lambda is lambda (G v), so none at velocities that the row
/// allows. G^T is computed by a function of its own.
static inline void check_power(const bare *b, const point *p)
{
    double e[LARGEST] = {0}, reaction[LARGEST], rate[LARGEST];
    at(b, t0, p->q);
    trm_system_multiply_G(b->system, p->v, rate);
    for (int i = 0; i < b->system->nc; i++) {
        double power = 0, size = 1;
        e[i] = 1;
        trm_system_multiply_GT(b->system, e, reaction);
        e[i] = 0;
        for (int k = 0; k < b->system->nv; k++) {
            power += reaction[k] * p->v[k];
            size += fabs(reaction[k] * p->v[k]);
        }
        near("power", power, rate[i], 1e-14 * size);
    }
}

static inline void check_scene(const char *json)
{
    bare b;
    open_bare(json, &b);
    for (uint64_t seed = 1; seed <= 10; seed++) {
        const point p = random_point(&b, seed);
        for (int j = 0; j < b.system->nv; j++) {
            check_column(&b, &p, j);
        }
        check_gamma(&b, &p);
        check_power(&b, &p);
        check_speeds(&b, &p);
    }
    close_bare(&b);
}
