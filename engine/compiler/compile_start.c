/// "start": named coordinates x_k of joints and their rates, held while the rest is assembled.
///
/// Goes from the drawn pose in steps to the x_k wanted, so that the branch stays that of the
/// drawing. In each, with C_k = M^-1 (G_k^T - G^T L_k) and W_kj = G_k C_j (engine/contact),
///
///     close g,    W p = x_wanted - x,    q := q + sum p_k C_k
///
/// Closing changes x_k by the second order, so that this is Newton's method. Velocities are linear:
/// the nearest to those given that fit the joints, then the nearest of these with the rates named.
#include "base/linear/sums.h"
#include "base/rank_numbers.h"
#include "base/status.h"
#include "engine/compiler/compile.h"
#include "engine/contact/complementarity.h"
#include "engine/multibody/consistency.h"

#include <float.h>
#include <math.h>
#include <string.h>

/// The part of a radian, or of the size, that a step goes: Newton's method then begins with an
/// error of its square, a hundredth, and does not leave its branch.
static const double step = 0.1;

typedef struct start {
    const trm_model *model;
    const trm_scene *scene;
    trm_system *system;
    trm_closing closing;
    trm_complementarity room;
    double *q, *v, *drawn; ///< drawn[n]: x in the drawn pose
    double *slots, *C, *L, *G, *W, *p;
    double size;  ///< m
    double whole; ///< the response of the last one listed, by bodies alone
    int n;        ///< named
    int *list;    ///< [n] of those that are solved for
} start;

static void layout(start *s, trm_arena *arena)
{
    const trm_sizes m = s->model->sizes;
    const int n = s->n;
    s->system = trm_assembler_layout(s->model, s->model->may_lose_rank ? TRM_DAMPING : 0, arena);
    const trm_system sizes = {.nq = m.nq, .nv = m.nv, .nc = m.nc};
    trm_closing_layout(&s->closing, s->system ? s->system : &sizes, arena);
    trm_complementarity_layout(&s->room, n, arena);
    s->q = trm_arena_doubles(arena, m.nq);
    s->v = trm_arena_doubles(arena, m.nv);
    TRM_ARENA_DOUBLES(arena, n, &s->drawn, &s->p);
    s->slots = trm_arena_doubles(arena, trm_bodies_slots(&s->model->bodies));
    TRM_ARENA_DOUBLES(arena, n * m.nv, &s->C, &s->G);
    s->L = trm_arena_doubles(arena, m.nc);
    s->W = trm_arena_doubles(arena, n * n);
    s->list = trm_arena_ints(arena, n);
}

static const trm_joint_axis *axis_of(const start *s, int k)
{
    return &s->model->joint_axis[s->scene->starts[k].joint];
}

static double unit_of(const start *s, int k)
{
    return trm_turns(axis_of(s, k)->freedom) ? 1 : s->size;
}

/// x or x' of the one named as number k.
static double measure(start *s, int k)
{
    const trm_kinematics look = trm_assembler_kinematics(s->system, 0, s->q, s->v, s->v);
    trm_joint_motion motion;
    trm_joint_measure(axis_of(s, k), look.pose, look.V, &motion);
    return s->scene->starts[k].is_rate ? motion.rate : motion.x;
}

static double along(const start *s, const double *G, const double *C)
{
    double sum = 0;
    for (int l = 0; l < s->system->nv; l++) {
        sum += G[l] * C[l];
    }
    return sum;
}

/// G, C and W of those in s->list, of which there are m, at the current point; 0 of one of which
/// the joints of the model leave roundoff.
static void respond(start *s, int m)
{
    const int nv = s->system->nv, width = s->model->bodies.width;
    const trm_kinematics look = trm_assembler_kinematics(s->system, 0, s->q, s->v, s->v);
    for (int i = 0; i < m; i++) {
        const trm_joint_axis *const axis = axis_of(s, s->list[i]);
        double *const C = s->C + i * nv, *const G = s->G + i * nv;
        trm_joint_motion motion;
        memset(s->slots, 0, (size_t)trm_bodies_slots(&s->model->bodies) * sizeof *s->slots);
        trm_joint_measure(axis, look.pose, look.V, &motion);
        trm_joint_gradient(axis, look.pose, &motion, s->slots + axis->a * width,
                           s->slots + axis->b * width);
        trm_bodies_scatter(&s->model->bodies, s->slots, G);
        memcpy(C, G, (size_t)nv * sizeof *C);
        trm_system_solve_M(s->system, C);
        s->whole = along(s, G, C);
        memcpy(C, G, (size_t)nv * sizeof *C);
        trm_system_respond(s->system, C, s->L);
        if (!(along(s, G, C) > TRM_LEAST_SCALE * s->whole)) {
            memset(G, 0, (size_t)nv * sizeof *G);
            memset(C, 0, (size_t)nv * sizeof *C);
        }
    }
    for (int i = 0; i < m; i++) {
        for (int j = 0; j < m; j++) {
            s->W[i * m + j] = along(s, s->G + i * nv, s->C + j * nv);
        }
    }
}

/// dx no longer than a step: near the end of what a coordinate reaches W vanishes, and Newton's
/// step would leave the branch.
static void shorten(const start *s, double *dx)
{
    double most = step;
    for (int b = 0; b < s->model->sizes.nbody; b++) {
        const trm_body_info *const info = &s->model->body_info[b];
        for (int k = 0; k < info->nv; k++) {
            const double unit = trm_model_v_turns(s->model, info, k) ? 1 : s->size;
            most = fmax(fabs(dx[info->v0 + k]) / unit, most);
        }
    }
    for (int i = 0; i < s->system->nv; i++) {
        dx[i] *= step / most;
    }
}

/// x += sum p_i C_i with W p = p.
static int follow(start *s, int m, double *x)
{
    const int code = trm_semidefinite_solve(&s->room, m, NULL, s->W, m, INFINITY, s->p);
    for (int i = 0; i < m && !code; i++) {
        for (int l = 0; l < s->system->nv; l++) {
            x[l] += s->p[i] * s->C[i * s->system->nv + l];
        }
    }
    return code;
}

/// Those of which coordinates, or rates, are named, into s->list. Returns how many.
static int list_named(start *s, int rates)
{
    int m = 0;
    for (int k = 0; k < s->n; k++) {
        s->list[m] = k;
        m += s->scene->starts[k].is_rate == rates;
    }
    return m;
}

/// Of those listed the one that is farthest from what it should be, at the part `way` of the way
/// from the drawing, over its unit. p := what is missing.
static int find_worst(start *s, int m, double way, double *most)
{
    int worst = 0;
    *most = 0;
    for (int i = 0; i < m; i++) {
        const int k = s->list[i];
        const double wanted = s->drawn[k] + way * (s->scene->starts[k].value - s->drawn[k]);
        s->p[i] = wanted - measure(s, k);
        const double off = fabs(s->p[i]) / unit_of(s, k);
        if (!(off <= *most)) {
            *most = off;
            worst = k;
        }
    }
    return worst;
}

/// The part of the response of joint k that the joints of the model leave is roundoff.
static int is_fixed(start *s, int k)
{
    s->list[0] = k;
    respond(s, 1);
    return !(s->W[0] > TRM_DEPENDENT * s->whole);
}

static trm_status refuse(start *s, int k, int m, trm_error *err)
{
    char where[512];
    const trm_scene_start *const named = &s->scene->starts[k];
    const double x = measure(s, k);
    const char *const unit = trm_turns(axis_of(s, k)->freedom) ? "rad" : "m";
    const char *const per = named->is_rate ? "/s" : "";
    trm_scene_where(s->scene, named->place, where, sizeof where);
    const int alone = m == 1 || is_fixed(s, k);
    return TRM_FAIL(err, TRM_ERR_INCONSISTENT, where,
                    "joint '%s' cannot start %s %.6g %s%s%s: it comes to %.6g",
                    s->scene->joints[named->joint].name, named->is_rate ? "with" : "at",
                    named->value, unit, per,
                    alone ? ", which the other joints do not let it reach"
                          : ", which contradicts what else is named",
                    x);
}

/// Nonzero: the mechanism does not close there.
static int close_at(start *s, double way, int m)
{
    enum { TRIES = 30 };
    const double enough = 1e-13; // of a unit
    double most = INFINITY;
    for (int k = 0; k < TRIES; k++) {
        double *const dx = s->closing.dx;
        if (trm_close_positions(s->system, &s->closing, 0, s->q, 0)) {
            return 1;
        }
        (void)find_worst(s, m, way, &most);
        if (!(most > enough) || trm_system_position(s->system, 0, s->q) ||
            trm_system_factor(s->system, TRM_METRIC_MASS)) {
            break;
        }
        memset(dx, 0, (size_t)s->system->nv * sizeof *dx);
        respond(s, m);
        if (follow(s, m, dx)) {
            return 1;
        }
        shorten(s, dx);
        trm_system_move(s->system, dx, s->q);
    }
    trm_system_wind(s->system, NULL);
    return 0;
}

static trm_status find_position(start *s, trm_error *err)
{
    enum { MOST = 10000 };
    const double near = 1e-9; // of a unit: what digits of a file leave
    const int m = list_named(s, 0);
    double farthest = 0, most = 0;
    for (int i = 0; i < m; i++) {
        const int k = s->list[i];
        s->drawn[k] = measure(s, k);
        farthest = fmax(fabs(s->scene->starts[k].value - s->drawn[k]) / unit_of(s, k), farthest);
    }
    const int steps = (int)fmin(ceil(farthest / step), MOST);
    for (int i = 1; i <= steps; i++) {
        if (close_at(s, (double)i / steps, m)) {
            break;
        }
        const int worst = find_worst(s, m, (double)i / steps, &most);
        if (m == 1 && !(most <= near)) { // several may fit at the end, and not on the way
            return refuse(s, worst, m, err);
        }
    }
    (void)list_named(s, 0);
    const int worst = m > 0 ? find_worst(s, m, 1, &most) : 0;
    return most <= near ? TRM_OK : refuse(s, worst, m, err);
}

static trm_status find_velocity(start *s, trm_error *err)
{
    const double near = 1e-9; // of the largest rate named: digits that are printed
    const int m = list_named(s, 1);
    double most = 0, fastest = 0;
    int code = trm_close(s->system, &s->closing, 0, s->q, s->v);
    code = code ? code : trm_system_position(s->system, 0, s->q);
    code = code ? code : trm_system_factor(s->system, TRM_METRIC_MASS);
    for (int pass = 0; pass < 2 && !code; pass++) { // twice: the solve is damped
        respond(s, m);
        (void)find_worst(s, m, 1, &most);
        code = follow(s, m, s->v);
    }
    for (int i = 0; i < m; i++) {
        fastest = fmax(fabs(s->scene->starts[s->list[i]].value) / unit_of(s, s->list[i]), fastest);
    }
    const int worst = m > 0 ? find_worst(s, m, 1, &most) : 0;
    // a rate is a sum of some of the bodies, of lengths or over the size
    const double rounding =
        16 * DBL_EPSILON * trm_max_norm(s->system->nv, s->v) * fmax(1, 1 / s->size);
    return !code && most <= near * fastest + rounding ? TRM_OK : refuse(s, worst, m, err);
}

trm_status trm_compile_start(trm_model *model, const trm_scene *scene, trm_error *err)
{
    trm_arena arena = {0};
    start s = {.model = model, .scene = scene, .n = scene->nstarts};
    if (s.n == 0 && (model->ndrives == 0 || model->bodies.dimension == 2)) {
        return TRM_OK;
    }
    layout(&s, &arena);
    if (!trm_arena_open(&arena)) {
        return TRM_FAIL(err, TRM_ERR_MEMORY, scene->path, "not enough memory for a start");
    }
    layout(&s, &arena);
    memcpy(s.q, model->q0, (size_t)model->sizes.nq * sizeof *s.q);
    memcpy(s.v, model->v0, (size_t)model->sizes.nv * sizeof *s.v);
    s.size = trm_model_size(model, s.q);
    s.size = s.size > 0 ? s.size : 1;
    int code = trm_system_position(s.system, 0, s.q);
    code = code || model->sizes.nc == 0 ? code : trm_system_factor(s.system, TRM_METRIC_MASS);
    trm_solver_note_scale(&s.system->solver, TRM_METRIC_MASS, &s.system->solver);
    if (!code) {
        trm_system_wind(s.system, NULL); // motors have turns of their own
    }
    trm_status status = find_position(&s, err);
    status = s.n > 0 && status == TRM_OK ? find_velocity(&s, err) : status;
    if (status == TRM_OK) {
        memcpy(model->q0, s.q, (size_t)model->sizes.nq * sizeof *s.q);
        memcpy(model->v0, s.v, (size_t)model->sizes.nv * sizeof *s.v);
        const trm_turn *const turns = trm_assembler_pose(s.system)->turn;
        for (int j = 0; turns && j < model->sizes.njoint; j++) {
            model->turns[j].x = turns[j].x;
        }
    }
    trm_arena_close(&arena);
    return status;
}
