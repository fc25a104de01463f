/// x' = drift + A x + B u around a state on the constraints: the parts put together.
#include "base/linear/dense.h"
#include "base/linear/sums.h"
#include "base/status.h"
#include "integrators/trajectory/integrator.h"
#include "simulation/analysis/linear.h"
#include "simulation/run/simulation.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// ----------------------------------------------------------------------------------------- checks

static trm_status check_outputs(const trm_query *query, const trm_linear_task *task, trm_error *err)
{
    if (task->noutput < 0 || (task->noutput > 0 && !task->outputs)) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS, "task->outputs",
                        "expected noutput >= 0 outputs, got %s",
                        task->outputs ? "a negative number" : "NULL");
    }
    if (task->noutput > 0 && query->model->from_equations) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS, "task->outputs",
                        "a model from equations has no bodies to observe");
    }
    if (task->nsensor < 0 || (task->nsensor > 0 && !task->sensors)) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS, "task->sensors",
                        "expected nsensor >= 0 sensors, got NULL or a negative number");
    }
    for (int k = 0; k < task->nsensor; k++) {
        if (task->sensors[k].model != query->given) {
            return TRM_FAIL(err, TRM_ERR_OPTIONS, "task->sensors",
                            "sensor %d belongs to another model", k);
        }
    }
    for (int k = 0; k < task->noutput; k++) {
        const trm_output *const o = &task->outputs[k];
        if (o->body >= query->model->sizes.nbody || o->derivative < 0 || o->derivative > 2 ||
            !trm_all_finite(3, o->local) || !trm_all_finite(3, o->axis)) {
            return TRM_FAIL(err, TRM_ERR_OPTIONS, "task->outputs",
                            "output %d: expected one of the %d bodies, a derivative 0, 1 or 2 and "
                            "finite vectors",
                            k, query->model->sizes.nbody);
        }
    }
    return TRM_OK;
}

static trm_status check_inputs(const trm_query *query, const trm_linear_task *task, trm_error *err)
{
    if (task->nforce < 0 || (task->nforce > 0 && !task->forces) || task->ninput < 0 ||
        (task->ninput > 0 && !task->inputs)) {
        return TRM_FAIL(
            err, TRM_ERR_OPTIONS, task->forces ? "task->inputs" : "task->forces",
            "expected nforce >= 0 force directions and ninput >= 0 inputs, got NULL or a "
            "negative number");
    }
    if (!trm_all_finite(query->conditioning.nv * task->nforce, task->forces)) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS, "task->forces",
                        "expected finite force directions, got one that is not");
    }
    for (int k = 0; k < task->ninput; k++) {
        TRM_TRY(trm_check_input(query->model, "task->inputs", task->inputs[k], 0, err));
    }
    return TRM_OK;
}

static trm_status check_question(trm_query *query, double t, const double *q, const double *v,
                                 const trm_linear_task *task, trm_error *err)
{
    TRM_TRY(trm_query_check(query, t, q, v, err));
    if (!v) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS, "v", "expected velocities, got NULL");
    }
    TRM_TRY(check_inputs(query, task, err));
    TRM_TRY(trm_query_check_friction(query, "a linearization cannot account for it", err));
    TRM_TRY(trm_query_check_limits(query, t, q, 1, "a linearization holds on one side of it only",
                                   err));
    return check_outputs(query, task, err);
}

/// The state must lie on the constraints. Between two moves of its motors a mechanism has no speed
/// but rounding: velocities count against what its forces alone would make of it.
static trm_status check_closed(trm_linear_work *work, trm_error *err)
{
    int row, speed_row;
    trm_query *const query = work->query;
    const trm_conditioning *const p = &query->conditioning;
    const trm_row_info *const info = query->model->row_info;
    const double gap = trm_query_gap(query, &row);
    if (!(gap <= 1e-8 * p->size)) {
        return TRM_FAIL(
            err, TRM_ERR_INCONSISTENT, info ? info[row].where : NULL,
            "the position is not closed: '%s' is open by %.3g m; trm_query_close closes it",
            info ? info[row].name : "g", gap);
    }
    double speed;
    const double speed_gap = trm_query_speed_gap(query, work->v, &speed, &speed_row);
    if (!(speed_gap <= 1e-6 * fmax(speed, trm_linear_speed(work)))) {
        return TRM_FAIL(err, TRM_ERR_INCONSISTENT, info ? info[speed_row].where : NULL,
                        "the velocities violate '%s' by %.3g m/s; trm_query_close makes them fit",
                        info ? info[speed_row].name : "g", speed_gap);
    }
    return TRM_OK;
}

// ----------------------------------------------------------------------------------------- memory

static double *take(trm_pool *pool, size_t rows, size_t columns)
{
    return trm_pool_take(pool, rows * columns + 1, sizeof(double));
}

/// A copy of the state, quaternions of unit length; sensors of the model that the query has.
static int take_state(trm_linear_work *work, const double *q, const double *v)
{
    const size_t n = (size_t)work->task.nsensor;
    trm_sensor *const sensors = trm_pool_take(&work->pool, n + 1, sizeof *sensors);
    for (size_t k = 0; sensors && k < n; k++) {
        sensors[k] = work->task.sensors[k];
        sensors[k].model = work->query->model;
    }
    work->task.sensors = sensors;
    work->q = take(&work->kept, (size_t)work->nq, 1);
    work->v = take(&work->kept, (size_t)work->nv, 1);
    work->found.q = work->q;
    work->found.v = work->v;
    if (!sensors || !work->q || !work->v) {
        return 0;
    }
    memcpy(work->q, q, (size_t)work->nq * sizeof *q);
    memcpy(work->v, v, (size_t)work->nv * sizeof *v);
    trm_system_normalize(work->query->conditioning.system, work->q);
    return 1;
}

static int take_memory(trm_linear_work *work)
{
    trm_linear *const f = &work->found;
    const trm_sizes sizes = work->query->model->sizes;
    const size_t nq = (size_t)sizes.nq, nv = (size_t)sizes.nv;
    const size_t p = (size_t)f->p, n = (size_t)f->n, nu = (size_t)f->nu, ny = (size_t)f->ny;
    const size_t m = (size_t)(f->d > f->p ? f->d : f->p);
    const size_t outputs = (size_t)work->query->model->output_room;
    double *const Z = take(&work->kept, nv, m), *const W = take(&work->kept, m, nv);
    work->A = take(&work->kept, n, n);
    work->B = take(&work->kept, n, nu);
    work->C = take(&work->kept, ny, n);
    work->D = take(&work->kept, ny, nu);
    work->drift = take(&work->kept, n, 1);
    work->WP = take(&work->kept, p, nq);
    work->turned = trm_pool_take(&work->kept, (size_t)sizes.nbody + 1, sizeof(int));
    work->E = take(&work->pool, n, n);
    work->dx = take(&work->pool, 2 * nv, 1);
    work->qdot = take(&work->pool, nq, 1);
    work->J = take(&work->pool, 6, nv);
    work->lambda = take(&work->pool, (size_t)sizes.nc, 1);
    double *const room = take(&work->pool, nv + (size_t)sizes.nc, 1);
    work->sensed = (trm_sensor_state){.system = work->query->conditioning.system,
                                      .work_v = room,
                                      .work_c = room + nv,
                                      .room = take(&work->pool, outputs, 1)};
    f->Z = Z, f->W = W, f->drift = work->drift;
    f->A = work->A, f->B = work->B, f->C = work->C, f->D = work->D;
    if (!Z || !W || !work->A || !work->B || !work->C || !work->D || !work->drift || !work->WP ||
        !work->turned || !work->lambda || !room || !work->sensed.room || !work->E || !work->dx ||
        !work->qdot || !work->J) {
        return 0;
    }
    memcpy(W, work->tangent.W, m * nv * sizeof *W);
    for (size_t k = 0; k < m; k++) {
        for (size_t i = 0; i < nv; i++) {
            Z[i * m + k] = work->tangent.Z[k * nv + i];
        }
    }
    return 1;
}

// -------------------------------------------------------------------------------------- the chart

/// N^T N := U^T U. Returns nonzero where the columns of N depend on each other: U_ii^2 is what
/// column i has beside those before it, known to the rounding of nv products of its square.
/// square[nv] is for use.
static int factor_columns(int nv, double *NN, double *square)
{
    for (int i = 0; i < nv; i++) {
        square[i] = NN[i * nv + i];
    }
    int dependent = trm_cholesky(nv, NN);
    for (int i = 0; !dependent && i < nv; i++) {
        const double pivot = NN[i * nv + i];
        dependent = pivot * pivot <= nv * DBL_EPSILON * square[i];
    }
    return dependent;
}

/// WP = W (N^T N)^-1 N^T, row by row: x = (N^T N)^-1 W_k, then N x; N of the bodies, since a state
/// has no coordinate.
static trm_status form_WP(trm_linear_work *work, trm_error *err)
{
    trm_query *const query = work->query;
    trm_system *const system = query->conditioning.system;
    const int own = trm_system_motions(system);
    const size_t nq = (size_t)system->nq, nv = (size_t)system->nv, n = (size_t)own;
    double *const N = trm_pool_take(&work->pool, nv * nq + nv * nv + nv, sizeof *N);
    if (!N) {
        return trm_query_no_memory(err);
    }
    double *const NN = N + nv * nq, *const x = NN + nv * nv;
    for (size_t j = 0; j < n; j++) { // N^T, row by row
        memset(x, 0, nv * sizeof *x);
        x[j] = 1;
        trm_system_rates(system, work->q, x, N + j * nq);
    }
    for (size_t i = 0; i < n; i++) {
        trm_rows_multiply(own, system->nq, N, N + i * nq, NN + i * n);
    }
    if (factor_columns(own, NN, x)) {
        return TRM_FAIL(err, TRM_ERR_SINGULAR, NULL,
                        "q' = N v does not determine v: the columns of N depend on each other");
    }
    for (size_t k = 0; k < (size_t)work->found.p; k++) {
        memcpy(x, work->tangent.W + k * nv, nv * sizeof *x);
        trm_cholesky_solve(own, NN, x);
        trm_rows_spread(own, system->nq, N, x, work->WP + k * nq);
    }
    return TRM_OK;
}

static void note_quaternions(trm_linear_work *work)
{
    const trm_model *const model = work->query->model;
    for (int b = 0; !model->from_equations && b < model->sizes.nbody; b++) {
        if (model->body_info[b].nq == 7) {
            work->turned[work->nturned++] = model->body_info[b].q0 + 3;
        }
    }
}

trm_status trm_linear_deviation(const trm_linear *linear, const double *q, const double *v,
                                double *x, trm_error *err)
{
    if (!linear || !q || !v || !x) {
        return TRM_FAIL(
            err, TRM_ERR_OPTIONS,
            !linear ? "linear"
            : !q    ? "q"
            : !v    ? "v"
                    : "x",
            "expected a linearization, a state and a place for the deviation, got NULL");
    }
    const trm_linear_work *const work = (const trm_linear_work *)linear;
    const size_t d = (size_t)linear->d, p = (size_t)linear->p;
    const size_t nq = (size_t)work->nq, nv = (size_t)work->nv;
    memset(x, 0, (p + d) * sizeof *x);
    const int *turned = work->turned, *const end = turned + work->nturned;
    for (size_t i = 0; i < nq;) {
        const size_t width = turned < end && (size_t)*turned == i ? 4 : 1;
        double cosine = 1; // a quaternion and its negative are one rotation
        if (width == 4) {
            cosine = trm_dot(4, q + i, linear->q + i);
            turned++;
        }
        for (const size_t last = i + width; i < last; i++) {
            const double moved = (cosine < 0 ? -q[i] : q[i]) - linear->q[i];
            for (size_t k = 0; k < p; k++) {
                x[k] += work->WP[k * nq + i] * moved;
            }
        }
    }
    for (size_t k = 0; k < d; k++) {
        for (size_t i = 0; i < nv; i++) {
            x[p + k] += linear->W[k * nv + i] * (v[i] - linear->v[i]);
        }
    }
    return TRM_OK;
}

// ---------------------------------------------------------------------------------------- B and D

/// D of sensors by forces: accelerations and multipliers are affine in them.
static int store_sensed_forces(trm_linear_work *work)
{
    const int first = work->task.noutput, n = work->found.ny - first, nforce = work->task.nforce;
    const size_t nu = (size_t)work->found.nu;
    double *const f = take(&work->pool, (size_t)work->nv + 2 * (size_t)n, 1);
    double *const without = f + work->nv, *const with = without + n;
    int code = f ? 0 : -1;
    for (int u = -1; !code && n > 0 && u < nforce; u++) {
        for (int i = 0; i < work->nv; i++) {
            f[i] = u < 0 ? 0 : work->task.forces[(size_t)i * (size_t)nforce + (size_t)u];
        }
        code = trm_linear_read(work, work->q, work->v, f, u < 0 ? without : with);
        for (int k = 0; u >= 0 && k < n; k++) {
            work->D[(size_t)(first + k) * nu + (size_t)u] = with[k] - without[k];
        }
    }
    return code;
}

/// Forces give the acceleration a = Z0 Z0^T B_force, Z0 the motions allowed with Z0^T M Z0 = 1: B =
/// (0, W a), and outputs of accelerations feel them at once, D = axis . J a.
static int store_forces(trm_linear_work *work)
{
    const size_t d = (size_t)work->found.d, p = (size_t)work->found.p;
    const size_t nu = (size_t)work->found.nu, nforce = (size_t)work->task.nforce;
    const int nv = work->nv;
    double *const row = trm_pool_take(&work->pool, 2 * (size_t)nv + d + 1, sizeof *row);
    if (!row) {
        return 0;
    }
    double *const a = row + nv, *const z = a + nv;
    for (size_t u = 0; u < nforce; u++) {
        for (int i = 0; i < nv; i++) {
            row[i] = work->task.forces[(size_t)i * nforce + u];
        }
        trm_rows_multiply((int)d, nv, work->free.Z, row, z);
        memset(a, 0, (size_t)nv * sizeof *a);
        trm_rows_spread((int)d, nv, work->free.Z, z, a);
        trm_rows_multiply((int)d, nv, work->tangent.W, a, z);
        for (size_t k = 0; k < d; k++) {
            work->B[(p + k) * nu + u] = z[k];
        }
        for (int o = 0; o < work->task.noutput; o++) {
            if (work->task.outputs[o].derivative == 2) {
                trm_linear_output_row(work, &work->task.outputs[o], row);
                work->D[(size_t)o * nu + u] = trm_dot(nv, row, a);
            }
        }
    }
    return 1;
}

// ------------------------------------------------------------------------------------- what it is

static double largest_of(const trm_linear_work *work, const double *A, int lower, int right)
{
    const size_t p = (size_t)work->found.p, n = (size_t)work->found.n;
    double most = 0;
    for (size_t i = lower ? p : 0; i < (lower ? n : p); i++) {
        for (size_t j = right ? p : 0; j < (right ? n : p); j++) {
            most = fmax(most, fabs(A[i * n + j]));
        }
    }
    return most;
}

/// The fastest rate, and the error against it: rates over it, stiffness over its square. omega is
/// that of the stiffness: over a strong damper's rate, A21 of what is slow drowns in roundoff.
static void weigh(trm_linear_work *work)
{
    const double rate = fmax(largest_of(work, work->A, 0, 0), largest_of(work, work->A, 1, 1));
    const double natural = sqrt(largest_of(work, work->A, 1, 0)), fastest = fmax(rate, natural);
    const double rate_error =
        fmax(largest_of(work, work->E, 0, 0), largest_of(work, work->E, 1, 1));
    work->fastest = fastest > 0 ? fastest : 1;
    work->omega = natural > 0 ? natural : work->fastest;
    work->found.error = fmax(rate_error / work->fastest,
                             largest_of(work, work->E, 1, 0) / (work->fastest * work->fastest));
}

/// Nothing moves, and the acceleration is small against that of f alone and against the stiffness.
/// Not against the rates of dampers: where one decays in 1 ns, other bodies fall freely for long.
static int is_at_rest(trm_linear_work *work)
{
    const trm_query *const query = work->query;
    trm_linear *const found = &work->found;
    const double small = 1e-7, grain = query->conditioning.grain;
    double mass = 0;
    for (int k = 0; k < found->d - query->conditioning.system->states; k++) {
        const double moves =
            trm_query_distance(query, work->tangent.Z + (size_t)k * (size_t)work->nv);
        mass = fmax(mass, 1 / moves); // sqrt(kg)
    }
    const double load = fmax(work->force, largest_of(work, work->A, 1, 0) * grain * mass);
    const double rate = load > 0 ? sqrt(load / (grain * mass)) : work->omega;
    found->acceleration = sqrt(trm_dot(found->d, work->drift + found->p, work->drift + found->p));
    return trm_query_distance(query, work->v) <= small * rate * grain &&
           found->acceleration <= small * load;
}

// ------------------------------------------------------------------------------------------ public

static trm_status linearize(trm_linear_work *work, trm_error *err)
{
    trm_query *const query = work->query;
    const double t = work->found.t;
    TRM_TRY(trm_query_at(query, t, work->q, err));
    TRM_TRY(check_closed(work, err));
    TRM_TRY(trm_tangent_take(query, &work->pool, &work->tangent, err));
    TRM_TRY(trm_query_check_regular(query, t, work->q, &work->tangent, err));
    TRM_TRY(trm_query_at(query, t, work->q, err));
    work->free = work->tangent;
    TRM_TRY(trm_tangent_of_state(query, &work->pool, work->v, &work->tangent, err));
    work->found.d = work->tangent.d;
    work->found.p = work->tangent.p;
    work->found.n = work->tangent.p + work->tangent.d;
    if (!take_memory(work)) {
        return trm_query_no_memory(err);
    }
    TRM_TRY(trm_query_at(query, t, work->q, err));
    note_quaternions(work);
    TRM_TRY(form_WP(work, err));
    TRM_TRY(trm_linear_differences(work, err));
    weigh(work);
    work->found.at_rest = is_at_rest(work);
    if (!store_forces(work)) {
        return trm_query_no_memory(err);
    }
    const int code = store_sensed_forces(work);
    if (code) {
        return code < 0 ? trm_query_no_memory(err) : trm_query_fail(query, t, code, err);
    }
    TRM_TRY(trm_linear_input_columns(work, err));
    TRM_TRY(trm_linear_modes(work, err));
    return trm_linear_zeros(work, err);
}

trm_status trm_query_linearize(trm_query *query, double t, const double *q, const double *v,
                               const trm_linear_task *task, trm_linear **out, trm_error *err)
{
    const trm_linear_task nothing = {.nforce = 0};
    TRM_CLEAR(out);
    if (!out) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS, "out", "expected a place for the result, got NULL");
    }
    task = task ? task : &nothing;
    TRM_TRY(check_question(query, t, q, v, task, err));
    TRM_TRY(trm_query_needs_lapack(err));
    trm_linear_work *const work = calloc(1, sizeof *work);
    if (!work) {
        return trm_query_no_memory(err);
    }
    work->query = query;
    work->task = *task;
    work->nq = query->conditioning.nq;
    work->nv = query->conditioning.nv;
    work->found = (trm_linear){.t = t, .nu = task->nforce + task->ninput, .ny = task->noutput};
    for (int k = 0; k < task->nsensor; k++) {
        work->found.ny += task->sensors[k].size;
    }
    trm_status status = take_state(work, q, v) ? TRM_OK : trm_query_no_memory(err);
    status = status ? status : linearize(work, err);
    trm_pool_close(&work->pool);
    work->query = NULL; // borrowed for this call only
    work->task = nothing;
    if (status != TRM_OK) {
        trm_linear_destroy(&work->found);
        return status;
    }
    *out = &work->found;
    return TRM_OK;
}

void trm_linear_destroy(trm_linear *linear)
{
    if (linear) {
        trm_linear_work *const work = (trm_linear_work *)linear;
        trm_pool_close(&work->kept);
        free(work);
    }
}
