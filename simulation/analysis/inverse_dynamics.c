/// Which forces of given actuators realize a motion.
///
///   M a = f + B tau - G^T lambda + missing          Z^T: the constraint forces go
///   R tau = b,   R = Z^T B,   b = Z^T (M a - f)     d equations, nu unknowns
///
/// b is projected onto the columns of R that are independent, so that |missing| is least in the
/// metric of M^-1; of all tau that give the projection, the one of least sum of weight tau^2:
///
///   Q R = R where Q^T Q projects:   Y x = Q b,   Y = Q R V,   tau = V x,   V = diag(weight)^-1/2
///
/// Rank is decided on columns of R over the length that B has in the metric of M^-1, which is
/// what R would have without constraints.
#include "base/linear/dense.h"
#include "base/linear/sums.h"
#include "base/status.h"
#include "integrators/trajectory/integrator.h"
#include "simulation/analysis/query.h"
#include "trammel/trammel_check.h"
#include "trammel/trammel_equations.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct drive_work {
    trm_query *query;
    const trm_drive_task *task;
    const double *v;
    trm_tangent tangent;
    int nu;
    double *force; ///< [nv] f
    double *b;     ///< [d]
    double *R;     ///< [nu*d] column k of R is row k
    double *unit;  ///< [nu*d] the same, scaled for the rank; overwritten
    double *Y;     ///< [rank*nu]
    double *Qb;    ///< [rank]
    double *tau;   ///< [nu]
    double *x;     ///< [nv]
    double *z;     ///< [d]
    trm_row_basis basis;
    trm_pool pool;
} drive_work;

// ----------------------------------------------------------------------------------------- checks

static trm_status check_task(const trm_query *query, const double *v, const trm_drive_task *task,
                             const trm_drive_forces *out, trm_error *err)
{
    if (!v || !task || !task->a || !out || task->nu < 0 || (task->nu > 0 && !task->B)) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS,
                        !v      ? "v"
                        : !task ? "task"
                        : !out  ? "out"
                                : "task->B",
                        "expected velocities, a task with a, nu >= 0 and B, and a place for the "
                        "forces");
    }
    const int nv = query->conditioning.nv;
    const int finite = trm_all_finite(nv, task->a) && trm_all_finite(nv * task->nu, task->B);
    for (int k = 0; task->weight && k < task->nu; k++) {
        if (!(task->weight[k] > 0) || !isfinite(task->weight[k])) {
            return TRM_FAIL(err, TRM_ERR_OPTIONS, "task->weight",
                            "expected weights > 0, got %g for actuator %d", task->weight[k], k);
        }
    }
    return finite ? TRM_OK
                  : TRM_FAIL(err, TRM_ERR_OPTIONS, "task",
                             "expected finite numbers in a and B, got one that is not");
}

// --------------------------------------------------------------------------------------- equations

static int take_memory(drive_work *w)
{
    const size_t d = (size_t)w->tangent.d, nu = (size_t)w->nu,
                 nv = (size_t)w->query->conditioning.nv;
    const size_t most = d < nu ? d : nu;
    double *next = trm_pool_take(&w->pool,
                                 2 * nv + 2 * d + 2 * nu * d + most * nu + most + nu + nu * nu / 4 +
                                     nu + nu * d + 1,
                                 sizeof *next);
    w->basis.order = trm_pool_take(&w->pool, nu + 1, sizeof(int));
    if (!next || !w->basis.order) {
        return 0;
    }
    w->force = next, next += nv;
    w->x = next, next += nv;
    w->b = next, next += d;
    w->z = next, next += d;
    w->R = next, next += nu * d;
    w->unit = next, next += nu * d;
    w->Y = next, next += most * nu;
    w->Qb = next, next += most;
    w->tau = next, next += nu;
    w->basis.C = next, next += nu * nu / 4 + nu;
    w->basis.Q = next;
    return 1;
}

/// b, R, and R scaled for the rank.
static void form_equations(drive_work *w)
{
    trm_system *const system = w->query->conditioning.system;
    const int d = w->tangent.d, nv = system->nv;
    memcpy(w->x, w->task->a, (size_t)nv * sizeof *w->x);
    trm_system_multiply_M(system, w->x);
    for (int i = 0; i < nv; i++) {
        w->x[i] -= w->force[i];
    }
    trm_rows_multiply(d, nv, w->tangent.Z, w->x, w->b);
    double *const column = w->query->a;
    for (int k = 0; k < w->nu; k++) {
        double *const r = w->R + (size_t)k * (size_t)d, *const u = w->unit + (size_t)k * (size_t)d;
        for (int i = 0; i < nv; i++) {
            column[i] = w->x[i] = w->task->B[(size_t)i * (size_t)w->nu + (size_t)k];
        }
        trm_rows_multiply(d, nv, w->tangent.Z, column, r);
        trm_system_solve_M(system, w->x);
        const double length = sqrt(trm_dot(nv, w->x, column));
        for (int i = 0; i < d; i++) {
            u[i] = length > 0 ? r[i] / length : 0;
        }
    }
}

/// tau, and z := b - R tau.
static int solve(drive_work *w)
{
    const int d = w->tangent.d, rank = w->basis.rank;
    const double *const weight = w->task->weight;
    trm_rows_multiply(rank, d, w->basis.Q, w->b, w->Qb);
    for (int i = 0; i < rank; i++) {
        for (int k = 0; k < w->nu; k++) {
            const double *const r = w->R + (size_t)k * (size_t)d;
            w->Y[i * w->nu + k] =
                trm_dot(d, w->basis.Q + (size_t)i * (size_t)d, r) / (weight ? sqrt(weight[k]) : 1);
        }
    }
    if (w->nu > 0) {
        TRM_TRY(trm_least_norm(rank, w->nu, w->Y, w->Qb, w->tau));
    }
    for (int k = 0; k < w->nu; k++) {
        w->tau[k] = rank > 0 ? w->tau[k] / (weight ? sqrt(weight[k]) : 1) : 0;
    }
    memcpy(w->z, w->b, (size_t)d * sizeof *w->z);
    for (int k = 0; k < w->nu; k++) {
        for (int i = 0; i < d; i++) {
            w->z[i] -= w->R[(size_t)k * (size_t)d + (size_t)i] * w->tau[k];
        }
    }
    return 0;
}

// ----------------------------------------------------------------------------------------- results

/// tau_k is determined when no combination of columns that vanishes contains column k.
static void tell_unique(const drive_work *w, int *unique)
{
    const trm_row_basis *const basis = &w->basis;
    for (int k = 0; k < w->nu; k++) {
        unique[k] = 1;
    }
    for (int k = basis->rank; k < w->nu; k++) {
        const double *const C = basis->C + (size_t)(k - basis->rank) * (size_t)basis->rank;
        unique[basis->order[k]] = 0;
        for (int i = 0; i < basis->rank; i++) {
            if (fabs(C[i]) > TRM_DEPENDENT) {
                unique[basis->order[i]] = 0;
            }
        }
    }
}

/// G M^-1 G^T lambda = G M^-1 (f + B tau - M a): what is missing lies in M Z and drops out.
static int multipliers(drive_work *w, double *lambda)
{
    trm_system *const system = w->query->conditioning.system;
    const int nv = system->nv;
    const int code = system->nc > 0 ? trm_system_factor(system, TRM_METRIC_MASS) : 0;
    for (int i = 0; i < nv; i++) {
        w->x[i] = w->force[i];
        for (int k = 0; k < w->nu; k++) {
            w->x[i] += w->task->B[(size_t)i * (size_t)w->nu + (size_t)k] * w->tau[k];
        }
    }
    trm_system_solve_M(system, w->x);
    for (int i = 0; i < nv; i++) {
        w->x[i] -= w->task->a[i];
    }
    if (!code && system->nc > 0) {
        trm_system_multiply_G(system, w->x, lambda);
        trm_system_solve_S(system, lambda);
    }
    return code;
}

/// The missing forces are compared with the forces that act on the motion.
static void tell_shortfall(drive_work *w, trm_drive_forces *out)
{
    const int d = w->tangent.d, nv = w->query->conditioning.nv;
    const double wanted = sqrt(trm_dot(d, w->b, w->b));
    trm_rows_multiply(d, nv, w->tangent.Z, w->force, w->query->closing.dx);
    const double given = sqrt(trm_dot(d, w->query->closing.dx, w->query->closing.dx));
    const double rest = sqrt(trm_dot(d, w->z, w->z));
    out->realizable = rest <= 1e-9 * (wanted + given);
    out->shortfall = out->realizable || wanted == 0 ? 0 : rest / wanted;
    if (out->missing) {
        trm_rows_spread(d, nv, w->tangent.W, w->z, out->missing);
    }
}

static void tell_gap(drive_work *w, trm_drive_forces *out)
{
    trm_query *const query = w->query;
    out->gap = 0;
    out->gap_row = query->conditioning.nc > 0 ? 0 : -1;
    trm_system_multiply_G(query->conditioning.system, w->task->a, query->c);
    for (int i = 0; i < query->conditioning.nc; i++) {
        const double gap = fabs(query->c[i] - query->work.gamma[i]);
        if (gap > out->gap) {
            out->gap = gap;
            out->gap_row = i;
        }
    }
}

static trm_status answer(drive_work *w, double t, const double *q, trm_drive_forces *out,
                         trm_error *err)
{
    trm_query *const query = w->query;
    trm_system *const system = query->conditioning.system;
    double power;
    TRM_TRY(trm_query_needs_lapack(err));
    TRM_TRY(trm_query_at(query, t, q, err));
    TRM_TRY(trm_tangent_take(query, &w->pool, &w->tangent, err));
    if (!take_memory(w)) {
        return trm_query_no_memory(err);
    }
    int code = trm_system_force(system, w->v, w->force, &power);
    code = code || system->nc == 0 ? code : trm_system_gamma(system, w->v, query->work.gamma);
    if (code) {
        return trm_query_fail(query, t, code, err);
    }
    form_equations(w);
    if (!trm_row_rank(w->nu, w->tangent.d, w->unit, TRM_DEPENDENT, &w->basis)) {
        return trm_query_no_memory(err);
    }
    const int failed = solve(w);
    if (failed) {
        return failed < 0 ? trm_query_no_memory(err)
                          : TRM_FAIL(err, TRM_ERR_SINGULAR, NULL,
                                     "the forces of the actuators cannot be solved for");
    }
    code = out->lambda ? multipliers(w, out->lambda) : 0;
    if (code) {
        return trm_query_fail(query, t, code, err);
    }
    out->rank = w->basis.rank;
    if (out->tau && w->nu > 0) {
        memcpy(out->tau, w->tau, (size_t)w->nu * sizeof *w->tau);
    }
    if (out->unique) {
        tell_unique(w, out->unique);
    }
    tell_shortfall(w, out);
    tell_gap(w, out);
    return TRM_OK;
}

trm_status trm_query_inverse_dynamics(trm_query *query, double t, const double *q, const double *v,
                                      const trm_drive_task *task, trm_drive_forces *out,
                                      trm_error *err)
{
    TRM_TRY(trm_query_check(query, t, q, v, err));
    TRM_TRY(check_task(query, v, task, out, err));
    TRM_TRY(trm_query_check_held(query, "inverse dynamics cannot account for it", err));
    TRM_TRY(trm_query_check_friction(query, "inverse dynamics cannot account for it", err));
    TRM_TRY(trm_query_check_limits(query, t, q, 1, "inverse dynamics cannot account for its force",
                                   err));
    drive_work w = {.query = query, .task = task, .v = v, .nu = task->nu};
    const trm_status status = answer(&w, t, q, out, err);
    trm_pool_close(&w.pool);
    return status;
}

// ---------------------------------------------------------------------------------- motors, joints

trm_status trm_query_motor_forces(trm_query *query, double t, const double *q, const double *v,
                                  double *force, int *unique, trm_error *err)
{
    TRM_TRY(trm_query_check(query, t, q, v, err));
    if (!v || !force) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS, v ? "force" : "v",
                        "expected velocities and a place for the forces, got NULL");
    }
    const trm_model *const model = query->model;
    const trm_terms wanted = {.lambda = query->c};
    trm_pool pool = {NULL};
    TRM_TRY(trm_query_at(query, t, q, err));
    const int code = trm_terms_at(query->conditioning.system, t, q, v, NULL, &wanted, &query->work);
    if (code) {
        return trm_query_fail(query, t, code, err);
    }
    int *const rows =
        unique ? trm_pool_take(&pool, (size_t)model->sizes.nc + 1, sizeof *rows) : NULL;
    trm_status status = unique && !rows ? trm_query_no_memory(err) : TRM_OK;
    if (rows && status == TRM_OK) {
        status = trm_unique_multipliers(model, t, q, rows, err);
    }
    for (int j = 0; status == TRM_OK && j < model->sizes.njoint; j++) {
        const trm_joint_info *const joint = &model->joint_info[j];
        const int row = joint->row + joint->rows - 1; // the motor's is the last
        force[j] = joint->has_motor ? -query->c[row] : 0;
        if (unique) {
            unique[j] = joint->has_motor ? rows[row] : 1;
        }
    }
    trm_pool_close(&pool);
    return status;
}

trm_status trm_query_joint_direction(trm_query *query, int joint, const double *q, double *column,
                                     trm_error *err)
{
    TRM_TRY(trm_query_check(query, 0, q, NULL, err));
    const trm_model *const model = query->model;
    if (!column || joint < 0 || joint >= model->sizes.njoint) {
        return TRM_FAIL(
            err, TRM_ERR_OPTIONS, column ? "joint" : "column",
            "expected the index of one of the %d joints and a place for the column, got %d",
            model->sizes.njoint, joint);
    }
    const trm_joint_axis *const axis = &model->joint_axis[joint];
    if (axis->freedom == TRM_FREEDOM_NONE) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS, "joint",
                        "'%s' (%s) has no coordinate to be driven along",
                        model->joint_info[joint].name, model->joint_info[joint].type);
    }
    trm_joint_motion motion;
    memset(query->v, 0, (size_t)model->sizes.nv * sizeof(double));
    const trm_kinematics kinematics =
        trm_assembler_kinematics(query->conditioning.system, 0, q, query->v, query->v);
    trm_joint_measure(axis, kinematics.pose, NULL, &motion);
    const size_t slots = (size_t)trm_bodies_slots(&model->bodies);
    memset(query->slots, 0, slots * sizeof(double));
    trm_joint_drive(axis, kinematics.pose, &motion, 1, query->slots);
    trm_bodies_scatter(&model->bodies, query->slots, column);
    return TRM_OK;
}
