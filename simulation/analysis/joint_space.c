/// Joint-space dynamics: M and h of the spanning tree, reduced to the joints asked for.
///
///   H u' + c = T^T tau,    R (u', theta'') = gamma
///
/// Columns are the velocities u of the tree, and theta' of a joint that is no single dof of it.
/// Rows are those of the cuts, and J u - theta' = 0 of these joints. Gauss-Jordan elimination,
/// pivots first among the columns that nobody asks for, leaves independent velocities: F, free, and
/// theta'. Elimination of F in V^T H V leaves the motion E of theta' in which F moves as it does
/// by itself, E^T H F = 0, so that
///
///   M = E^T H E,    h = E^T (c + H e),    e: a solution of R e = gamma
///
/// Without forces c and e are quadratic in u, and Christoffel's symbols follow exactly:
///
///   C column k = (h(u + E_k) - h(u - E_k))/4
///
/// Columns are scaled by the diagonal of H, rows to length 1.
#include "base/linear/sums.h"
#include "base/status.h"
#include "bodies/joint_freedom.h"
#include "engine/joint_coordinates/joint_tree.h"
#include "simulation/analysis/query.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/// A row that depends on others to half of the digits of a double decides nothing.
static const double regular = 1e-8;

typedef struct reduction {
    const trm_joint_room *room;
    const trm_joint_space *out;
    double t;
    int nu, N, nrows, nfree; ///< dofs, columns, rows; independent columns that are free
    int *column;             ///< [n] of the joints asked for
    int *asked;              ///< [N] nonzero: such a column, in the end also one of `pivot`
    int *column_of;          ///< [N] of independent motions
    int *pivot;              ///< [nrows] column, -1: none
    double *s, *u;           ///< [nq], [nv]
    double *H, *scale;       ///< [N*N], [N]
    double *A;               ///< [nrows*(N + nrows)] R, and what gamma is multiplied by
    double *V;               ///< [N*N] independent motions, in rows: F, then E
    double *K;               ///< [N*N] V^T H V
    double *e, *x, *gamma;   ///< [N + nv], [nv], [nrows]
    double *slots, *q, *v;   ///< of bodies
} reduction;

// ------------------------------------------------------------------------------------------ model

/// The query's own model in joint coordinates, made once.
static trm_status open_room(trm_query *query, const trm_scene *scene, trm_error *err)
{
    trm_joint_room *const room = &query->joints;
    if (room->system) {
        return TRM_OK;
    }
    if (!query->model->in_joints && !room->built && scene) {
        TRM_TRY(trm_model_build_in_joints(scene, &room->built, err));
    }
    room->model = room->built ? room->built->in_joints : query->model->in_joints;
    if (!room->model) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS, "scene",
                        "expected a model in joint coordinates, or its scene, got neither");
    }
    (void)trm_joint_system_layout(room->model, 0, &room->arena);
    if (!trm_arena_open(&room->arena)) {
        return trm_query_no_memory(err);
    }
    room->system = trm_joint_system_layout(room->model, 0, &room->arena);
    return TRM_OK;
}

/// Inputs and turns are those of the query.
static void take_over(const trm_query *query)
{
    trm_system *const system = query->joints.system, *const from = query->conditioning.system;
    trm_system_take_winding(system, from);
    for (int i = 0; i < query->model->sizes.ninput; i++) {
        system->inputs[i] = from->inputs[i];
    }
}

// ------------------------------------------------------------------------------------------- rows

/// The dof that joint j is, -1: none alone.
static int dof_of(const trm_joint_tree *tree, int j)
{
    for (int i = 0; i < tree->n; i++) {
        if (tree->links[i].joint == j && tree->links[i].n == 1) {
            return tree->links[i].first;
        }
    }
    return -1;
}

static void layout(reduction *r, const trm_query *query, trm_arena *arena)
{
    const trm_sizes bodies = query->model->sizes, own = r->room->model->sizes;
    TRM_ARENA_INTS(arena, r->N, &r->asked, &r->column_of);
    r->pivot = trm_arena_ints(arena, r->nrows);
    TRM_ARENA_DOUBLES(arena, own.nq + own.nv, &r->s, &r->u, &r->x);
    r->e = trm_arena_doubles(arena, r->N + own.nv);
    r->scale = trm_arena_doubles(arena, r->N);
    r->H = trm_arena_matrix(arena, r->N, r->N);
    r->V = trm_arena_matrix(arena, r->N, r->N);
    r->K = trm_arena_matrix(arena, r->N + 2, r->N);
    r->A = trm_arena_matrix(arena, r->nrows, r->N + r->nrows);
    r->gamma = trm_arena_doubles(arena, r->nrows);
    r->slots = trm_arena_doubles(arena, 6 * (bodies.nbody + 1) + query->model->bodies.states);
    TRM_ARENA_DOUBLES(arena, bodies.nq + bodies.nv, &r->q, &r->v);
}

/// row[nv] := J of joint j at u. Returns what of theta'' is free of u'.
static double joint_row(const reduction *r, int j, const double *u, double *row)
{
    trm_system *const system = r->room->system;
    const trm_model *const model = r->room->model;
    const trm_joint_axis *const axis = &model->joint_axis[j];
    const trm_kinematics look = trm_assembler_kinematics(system, r->t, r->s, u, u);
    trm_joint_motion motion;
    double x[3];
    trm_joint_measure(axis, look.pose, NULL, &motion);
    trm_joint_jet(axis, look.pose, look.V, x);
    memset(r->slots, 0, (size_t)trm_bodies_slots(&model->bodies) * sizeof(double));
    trm_joint_drive(axis, look.pose, &motion, 1, r->slots);
    return x[2] + trm_assembler_row(system, r->slots, row);
}

/// R, scaled, and the identity beside it. At the position of the cuts.
static void fill_rows(reduction *r)
{
    trm_system *const system = r->room->system;
    const int nc = system->nc, width = r->N + r->nrows;
    for (int k = 0; k < r->N; k++) {
        r->scale[k] = k < r->nu ? 1 / sqrt(r->H[(r->N + 1) * k]) : 1;
    }
    for (int k = 0; k < r->nu && nc > 0; k++) {
        memset(r->e, 0, (size_t)system->nv * sizeof *r->e);
        r->e[k] = 1;
        trm_system_multiply_G(system, r->e, r->gamma);
        for (int i = 0; i < nc; i++) {
            r->A[i * width + k] = r->gamma[i];
        }
    }
    for (int k = 0, i = nc; k < r->out->n; k++) {
        if (r->column[k] >= r->nu) {
            joint_row(r, r->out->joints[k], r->u, r->x);
            memcpy(r->A + i * width, r->x, (size_t)r->nu * sizeof *r->x);
            r->A[i++ * width + r->column[k]] = -1;
        }
    }
    for (int i = 0; i < r->nrows; i++) {
        double *const row = r->A + i * width;
        for (int k = 0; k < r->nu; k++) {
            row[k] *= r->scale[k];
        }
        const double length = sqrt(trm_dot(r->nu, row, row)), by = length > 0 ? 1 / length : 0;
        for (int k = 0; k < r->N; k++) {
            row[k] *= k < r->nu || by == 0 ? by : 1;
            r->scale[k] = k >= r->nu && row[k] != 0 && by > 0 ? length : r->scale[k];
        }
        row[r->N + i] = by;
    }
}

/// The largest entry of rows without a pivot, in columns that are asked for or not.
static double find_pivot(const reduction *r, int asked, int *row, int *column)
{
    double most = 0;
    for (int i = 0; i < r->nrows; i++) {
        for (int k = 0; k < r->N && r->pivot[i] < 0; k++) {
            const double size = fabs(r->A[i * (r->N + r->nrows) + k]);
            if (r->asked[k] == asked && size > most) {
                most = size, *row = i, *column = k;
            }
        }
    }
    return most;
}

/// Pivots among columns that are asked for, or not. Returns how many; *last is the last column.
static int eliminate(reduction *r, int asked, int *last)
{
    const int width = r->N + r->nrows;
    int n = 0, row = 0, column = 0;
    for (; n < r->nrows && find_pivot(r, asked, &row, &column) > regular; n++) {
        double *const from = r->A + row * width;
        const double by = 1 / from[column];
        for (int k = 0; k < width; k++) {
            from[k] *= by;
        }
        for (int i = 0; i < r->nrows; i++) {
            double *const to = r->A + i * width;
            const double factor = i == row ? 0 : to[column];
            for (int k = 0; k < width && factor != 0; k++) {
                to[k] -= factor * from[k];
            }
        }
        r->pivot[row] = *last = column;
    }
    return n;
}

// -------------------------------------------------------------------------------------- reduction

/// V of the independent columns, free ones first.
static int fill_motions(reduction *r)
{
    const int N = r->N, width = N + r->nrows;
    int m = 0;
    for (int i = 0; i < r->nrows; i++) {
        if (r->pivot[i] >= 0) {
            r->asked[r->pivot[i]] = 1;
        }
    }
    for (int k = 0; k < N + r->out->n; k++) {
        const int column = k < N ? k : r->column[k - N];
        if (k < N && r->asked[k]) {
            continue;
        }
        r->nfree += k < N;
        r->column_of[m] = column;
        double *const motion = r->V + N * m++;
        motion[column] = 1;
        for (int i = 0; i < r->nrows; i++) {
            const int d = r->pivot[i];
            if (d >= 0) {
                motion[d] = -r->A[i * width + column] * r->scale[d] / r->scale[column];
            }
        }
    }
    return m;
}

/// K = V H V^T of m motions.
static void fill_mass(reduction *r, int m)
{
    const int N = r->N;
    for (int i = 0; i < m; i++) { // without rows V are columns of the unit matrix
        const double *HV = r->H + N * r->column_of[i];
        if (r->nrows > 0) {
            trm_rows_multiply(N, N, r->H, r->V + N * i, r->e);
            HV = r->e;
        }
        for (int j = 0; j <= i; j++) {
            r->K[N * i + j] = r->K[N * j + i] =
                r->nrows > 0 ? trm_dot(N, r->V + N * j, HV) : HV[r->column_of[j]];
        }
    }
}

/// Free motions leave the others: V, and K by Cholesky's steps without roots.
static void release_free(reduction *r)
{
    const int N = r->N, m = r->nfree + r->out->n;
    for (int p = 0; p < r->nfree; p++) {
        const double *const from = r->K + N * p, inverse = 1 / from[p];
        for (int i = p + 1; i < m; i++) {
            const double factor = from[i] * inverse;
            for (int k = 0; k < N && factor != 0; k++) {
                r->V[N * i + k] -= factor * r->V[N * p + k];
            }
            for (int k = p + 1; k < m && factor != 0; k++) {
                r->K[N * i + k] -= from[i] * from[k] * inverse;
            }
        }
    }
}

/// h[n] = E^T (c + H e) at u, with `forces` of the scene or without.
static int find_bias(reduction *r, const double *u, int forces, double *h)
{
    trm_system *const system = r->room->system;
    const int N = r->N, width = N + r->nrows;
    double power, *const c = r->x, *const e = r->e;
    TRM_TRY(trm_system_acceleration_residual(system, u, NULL, r->gamma));
    for (int k = 0, i = system->nc; k < r->out->n; k++) {
        if (r->column[k] >= r->nu) {
            r->gamma[i++] = joint_row(r, r->out->joints[k], u, r->x);
        }
    }
    if (forces) {
        TRM_TRY(trm_system_force(system, u, c, &power));
    } else {
        trm_joint_system_inertial(system, u, c);
    }
    memset(e, 0, (size_t)N * sizeof *e);
    for (int i = 0; i < r->nrows; i++) {
        if (r->pivot[i] >= 0) { // -gamma is what stands there
            e[r->pivot[i]] =
                -r->scale[r->pivot[i]] * trm_dot(r->nrows, r->A + i * width + N, r->gamma);
        }
    }
    for (int k = 0; k < r->out->n; k++) {
        const double *const E = r->V + N * (r->nfree + k);
        h[k] = (forces ? -1 : 1) * trm_dot(r->nu, E, c);
        for (int i = 0; i < N && r->nrows > 0; i++) {
            h[k] += E[i] * trm_dot(N, r->H + N * i, e);
        }
    }
    return 0;
}

/// C[n*n], by differences in which nothing cancels but what does not belong to it.
static int find_coriolis(reduction *r, double *C)
{
    const int n = r->out->n, N = r->N;
    const double speed = trm_max_norm(r->nu, r->u);
    double *const h = r->K; // M has left it
    for (int k = 0; k < n; k++) {
        const double *const E = r->V + N * (r->nfree + k);
        const double by = speed > 0 ? speed / trm_max_norm(r->nu, E) : 1;
        for (int side = 0; side < 2; side++) {
            memcpy(r->v, r->u, (size_t)r->room->system->nv * sizeof *r->v);
            for (int i = 0; i < r->nu; i++) {
                r->v[i] += (side ? -by : by) * E[i];
            }
            TRM_TRY(find_bias(r, r->v, 0, h + n * side));
        }
        for (int i = 0; i < n; i++) {
            C[n * i + k] = (h[i] - h[n + i]) / (4 * by);
        }
    }
    return 0;
}

/// S[nv*n], of bodies.
static void show_motions(reduction *r, int nv, double *S)
{
    const int n = r->out->n;
    for (int k = 0; k < n; k++) {
        memset(r->x, 0, (size_t)r->room->system->nv * sizeof *r->x);
        memcpy(r->x, r->V + r->N * (r->nfree + k), (size_t)r->nu * sizeof *r->x);
        trm_joint_system_bodies(r->room->system, r->s, r->x, r->q, r->v);
        for (int i = 0; i < nv; i++) {
            S[n * i + k] = r->v[i];
        }
    }
}

// ------------------------------------------------------------------------------------- the answer

static trm_status find_columns(reduction *r, trm_error *err)
{
    const trm_model *const model = r->room->model;
    const int n = r->out->n;
    r->nu = r->N = model->joints->ndofs;
    for (int k = 0; k < n; k++) {
        const int j = r->out->joints[k];
        if (j < 0 || j >= model->sizes.njoint || model->joint_axis[j].freedom == TRM_FREEDOM_NONE) {
            return TRM_FAIL(err, TRM_ERR_OPTIONS, "joints",
                            "expected joints with a coordinate, got %s",
                            j < 0 || j >= model->sizes.njoint ? "one that does not exist"
                                                              : model->joint_info[j].name);
        }
        r->column[k] = dof_of(model->joints, j);
        for (int i = 0; i < k; i++) { // named twice
            r->column[k] = r->column[i] == r->column[k] ? -1 : r->column[k];
        }
        r->column[k] = r->column[k] < 0 ? r->N++ : r->column[k];
    }
    r->nrows = model->sizes.nc + r->N - r->nu;
    return TRM_OK;
}

/// Errors where the joints asked for do not move on their own.
static trm_status check_independent(reduction *r, trm_error *err)
{
    int last = 0;
    const int rank = eliminate(r, 0, &last), decided = eliminate(r, 1, &last);
    const int d = r->N - rank - decided, n = r->out->n;
    for (int k = 0; decided > 0 && k < n; k++) {
        last = r->column[k] == last ? -1 - r->out->joints[k] : last;
    }
    return n > d         ? TRM_FAIL(err, TRM_ERR_OPTIONS, "joints",
                                    "expected as many joints as the mechanism has freedoms, "
                                            "%d, or fewer, got %d",
                                    d, n)
           : decided > 0 ? TRM_FAIL(err, TRM_ERR_SINGULAR, "joints",
                                    "the coordinates asked for do not determine the motion here: "
                                    "that of '%s' follows from the others or from constraints",
                                    r->room->model->joint_info[-1 - last].name)
                         : TRM_OK;
}

static trm_status reduce(reduction *r, const trm_query *query, const double *q, const double *v,
                         trm_error *err)
{
    trm_system *const system = r->room->system;
    const trm_joint_space *const out = r->out;
    const int n = out->n;
    trm_joint_system_find(system, r->t, q, v, r->room->model->q0, r->s, r->u);
    int code = trm_system_position(system, r->t, r->s);
    if (code) {
        return trm_terms_fail(system, "at", r->t, code, err);
    }
    trm_joint_system_mass(system, r->N, r->H);
    for (int k = 0; k < n; k++) {
        r->asked[r->column[k]] = 1;
    }
    for (int i = 0; i < r->nrows; i++) {
        r->pivot[i] = -1;
    }
    fill_rows(r);
    TRM_TRY(check_independent(r, err));
    fill_mass(r, fill_motions(r));
    release_free(r);
    for (int k = 0; out->M && k < n; k++) {
        memcpy(out->M + n * k, r->K + r->N * (r->nfree + k) + r->nfree, (size_t)n * sizeof *out->M);
    }
    code = out->h ? find_bias(r, r->u, 1, out->h) : 0;
    code = !code && out->C ? find_coriolis(r, out->C) : code;
    if (out->S) {
        show_motions(r, query->model->sizes.nv, out->S);
    }
    return code ? trm_terms_fail(system, "at", r->t, code, err) : TRM_OK;
}

trm_status trm_query_joint_space(trm_query *query, double t, const double *q, const double *v,
                                 const trm_joint_space *out, trm_error *err)
{
    TRM_TRY(trm_query_check(query, t, q, v, err));
    if (!v || !out || out->n < 0 || (out->n > 0 && !out->joints)) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS, v ? "out" : "v",
                        "expected velocities, joints and a place for the answer");
    }
    const char without[] = "joint space cannot account for it";
    TRM_TRY(trm_query_check_held(query, without, err));
    TRM_TRY(trm_query_check_open(query, without, err));
    TRM_TRY(open_room(query, out->scene, err));
    take_over(query);
    trm_arena arena = {0};
    reduction r = {.room = &query->joints, .out = out, .t = t};
    r.column = malloc(((size_t)out->n + 1) * sizeof *r.column);
    trm_status status = r.column ? find_columns(&r, err) : trm_query_no_memory(err);
    if (status == TRM_OK) {
        layout(&r, query, &arena);
        status = trm_arena_open(&arena) ? TRM_OK : trm_query_no_memory(err);
    }
    if (status == TRM_OK) {
        layout(&r, query, &arena);
        status = reduce(&r, query, q, v, err);
    }
    trm_arena_close(&arena);
    free(r.column);
    return status;
}
