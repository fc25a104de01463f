/// The motion on the constraints as a vector field of p + d variables, and its derivatives.
///
///   y' = W P N(q) v,   w' = W a(t, q, v)       at the closed position next to q0 + N dx
///
///   D(h) = (F(h) - F(-h))/(2 h),   T_0 = D(h),
///   T_k(h/2) = T_{k-1}(h/2) + (T_{k-1}(h/2) - T_{k-1}(h))/(4^k - 1)
///
/// Of all T_k the one that differs least from its two neighbours is taken, and the difference is
/// the error (Ridders, Adv. Eng. Software 4, 1982).
#include "base/linear/sums.h"
#include "base/status.h"
#include "engine/multibody/measure.h"
#include "simulation/analysis/linear.h"
#include "trammel/trammel_equations.h"

#include <float.h>
#include <math.h>
#include <string.h>

// ----------------------------------------------------------------------------------------- field

/// row[nv] := axis . J of an output; returns axis . J' v.
static double output_row(trm_linear_work *work, const trm_output *o, const double *q,
                         const double *v, double *row)
{
    const int nv = work->query->conditioning.nv;
    double bias[3] = {0};
    const trm_jacobian wanted = {.linear = o->turn ? NULL : work->J,
                                 .angular = o->turn ? work->J : NULL,
                                 .linear_bias = o->turn ? NULL : bias,
                                 .angular_bias = o->turn ? bias : NULL};
    trm_model_jacobian(work->query->model, o->body, o->local, q, v, &wanted, NULL);
    for (int i = 0; i < nv; i++) {
        row[i] = o->axis[0] * work->J[i] + o->axis[1] * work->J[nv + i] +
                 o->axis[2] * work->J[2 * nv + i];
    }
    return trm_dot(3, o->axis, bias);
}

void trm_linear_output_row(trm_linear_work *work, const trm_output *output, double *row)
{
    output_row(work, output, work->q, work->v, row);
}

/// Outputs that are not linear in the displacement alone.
static void outputs_at(trm_linear_work *work, const double *q, const double *v, const double *a,
                       double *y)
{
    const int nv = work->query->conditioning.nv;
    double *const row = work->J + 3 * (size_t)nv;
    for (int k = 0; k < work->task.noutput; k++) {
        const trm_output *const o = &work->task.outputs[k];
        const double bias = output_row(work, o, q, v, row);
        y[k] = o->derivative == 0   ? 0
               : o->derivative == 1 ? trm_dot(nv, row, v)
                                    : trm_dot(nv, row, a) + bias;
    }
}

/// What the sensors read where query->a and lambda have been found.
static int sensors_at(trm_linear_work *work, const double *q, const double *v, double *y)
{
    trm_system *const system = work->query->conditioning.system;
    trm_sensor_state *const sensed = &work->sensed;
    if (work->task.nsensor == 0) {
        return 0;
    }
    sensed->state = (trm_state){
        .t = work->found.t, .q = q, .v = v, .a = work->query->a, .lambda = work->lambda};
    sensed->energy = trm_energy_of(system, v, 0);
    sensed->kinematics.pose = NULL;
    sensed->reaction_of = 0;
    return trm_sensors_read(work->task.nsensor, work->task.sensors, sensed, y);
}

int trm_linear_read(trm_linear_work *work, const double *q, const double *v, const double *force,
                    double *y)
{
    trm_query *const query = work->query;
    const trm_terms wanted = {.a = query->a, .lambda = work->lambda};
    const int code =
        trm_terms_at(query->conditioning.system, work->found.t, q, v, force, &wanted, &query->work);
    return code ? code : sensors_at(work, q, v, y);
}

/// Closing has changed v orthogonally to the motions allowed, in the mass metric; in another metric
/// this may change w. v := closed, with its w restored.
static int keep_w(trm_linear_work *work, const double *dv, double *q, double *v)
{
    const int d = work->found.d, nv = work->nv;
    double *const left = work->qdot, *const w = work->J; // both free here
    for (int i = 0; i < nv; i++) {
        left[i] = work->v[i] + (dv ? dv[i] : 0) - v[i];
    }
    trm_rows_multiply(d, nv, work->tangent.W, left, w);
    trm_rows_spread(d, nv, work->tangent.Z, w, left);
    for (int i = 0; i < nv; i++) {
        v[i] += left[i];
    }
    return trm_query_snap(work->query, work->found.t, q, v);
}

/// F[n + ny] = (y', w', outputs) at the state moved by dx and dv (NULL: not). Returns a system's
/// code, or 1 when the position does not close.
static int trm_field_at(trm_linear_work *work, const double *dx, const double *dv, double *F)
{
    trm_query *const query = work->query;
    trm_system *const system = query->conditioning.system;
    const int d = work->found.d, p = work->found.p, nq = system->nq, nv = system->nv;
    const double t = work->found.t;
    double *const q = query->q, *const v = query->v;
    int code = 0;
    memcpy(q, work->q, (size_t)nq * sizeof *q);
    for (int i = 0; i < nv; i++) {
        v[i] = work->v[i] + (dv ? dv[i] : 0);
    }
    if (dx) {
        trm_system_move(system, dx, q);
        trm_system_normalize(system, q);
        TRM_TRY(trm_query_snap(query, t, q, v));
        TRM_TRY(work->tangent.other_measure ? keep_w(work, dv, q, v) : 0);
    }
    const trm_terms wanted = {.a = query->a, .lambda = work->lambda};
    code = trm_terms_at(system, t, q, v, NULL, &wanted, &query->work);
    if (!code) {
        trm_system_rates(system, q, v, work->qdot);
        trm_rows_multiply(p, nq, work->WP, work->qdot, F);
        trm_rows_multiply(d, nv, work->tangent.W, query->a, F + p);
        outputs_at(work, q, v, query->a, F + p + d);
        code = sensors_at(work, q, v, F + p + d + work->task.noutput);
    }
    return code;
}

// ------------------------------------------------------------------------------------ derivatives

enum { LEVELS = 6, ATTEMPTS = 10, SHRINK = 24, BLOCKS = 3 };

/// One derivative of F[m] while it is extrapolated.
typedef struct extrapolation {
    int m;
    int begin[BLOCKS + 1]; ///< of y', w' and the outputs in F
    double *T[2][LEVELS];  ///< [m] the last two rows of the tableau
    double *plus, *minus;  ///< [m]
    double *now, *best;    ///< [m] by this tableau, of all
    double *far;           ///< [m] room for another best
    double of_now[BLOCKS]; ///< errors
    double error[BLOCKS];  ///< of best
    int known[BLOCKS];     ///< best is good enough
    double noise[BLOCKS];  ///< roundoff of T_0
} extrapolation;

static int take_extrapolation(extrapolation *e, const trm_linear *f, trm_pool *pool)
{
    const size_t m = (size_t)f->n + (size_t)f->ny;
    double *next = trm_pool_take(pool, (2 * LEVELS + 5) * m + 1, sizeof *next);
    if (!next) {
        return 0;
    }
    *e = (extrapolation){.m = (int)m, .begin = {0, f->p, f->n, f->n + f->ny}};
    for (int k = 0; k < 2 * LEVELS; k++, next += m) {
        e->T[k / LEVELS][k % LEVELS] = next;
    }
    e->plus = next;
    e->minus = next + m;
    e->now = next + 2 * m;
    e->best = next + 3 * m;
    e->far = next + 4 * m;
    return 1;
}

static double largest_difference(const double *x, const double *y, int from, int to)
{
    double most = 0;
    for (int i = from; i < to; i++) {
        const double difference = fabs(x[i] - y[i]);
        most = difference <= most ? most : difference;
    }
    return most;
}

/// T_k of this row against both neighbours; kept, block by block, where it is the best so far.
static void judge(extrapolation *e, int k)
{
    const double *const now = e->T[1][k], *const left = e->T[1][k - 1], *const up = e->T[0][k - 1];
    for (int b = 0; b < BLOCKS; b++) {
        const int from = e->begin[b], to = e->begin[b + 1];
        const double spread =
            fmax(largest_difference(now, left, from, to), largest_difference(now, up, from, to));
        const double error = fmax(spread, e->noise[b]); // the spread may vanish by chance
        if (error < e->of_now[b]) {
            e->of_now[b] = error;
            memcpy(e->now + from, now + from, (size_t)(to - from) * sizeof *now);
        }
    }
}

/// F is known to roundoff of itself; accelerations to that of the
/// forces they are the difference of.
static void note_noise(extrapolation *e, double force, double h)
{
    for (int b = 0; b < BLOCKS; b++) {
        double size = b == 1 ? force : 0;
        for (int i = e->begin[b]; i < e->begin[b + 1]; i++) {
            size = fmax(size, fmax(fabs(e->plus[i]), fabs(e->minus[i])));
        }
        e->noise[b] = DBL_EPSILON * size / h;
    }
}

/// Row `level` of the tableau from F(h) and F(-h).
static void add_row(extrapolation *e, int level, double h)
{
    for (int i = 0; i < e->m; i++) {
        e->T[1][0][i] = (e->plus[i] - e->minus[i]) / (2 * h);
    }
    double power = 4;
    for (int k = 1; k <= level; k++, power *= 4) {
        for (int i = 0; i < e->m; i++) {
            const double x = e->T[1][k - 1][i];
            e->T[1][k][i] = x + (x - e->T[0][k - 1][i]) / (power - 1);
        }
        judge(e, k);
    }
    for (int k = 0; k <= level; k++) {
        double *const above = e->T[0][k];
        e->T[0][k] = e->T[1][k];
        e->T[1][k] = above;
    }
}

/// What is moved: the position along a direction, the velocity along another, or an input.
typedef struct moved {
    const double *direction, *speed; ///< [nv] or NULL
    trm_input *input;                ///< with neither
    double value;
} moved;

/// F at the state moved by h.
static int field_of(trm_linear_work *work, const moved *what, double h, double *F)
{
    if (what->input) {
        trm_input_settle(what->input, what->value + h);
        const int code = trm_field_at(work, NULL, NULL, F);
        trm_input_settle(what->input, what->value);
        return code;
    }
    double *const dv = work->dx + work->nv;
    for (int i = 0; i < work->nv; i++) {
        work->dx[i] = what->direction ? h * what->direction[i] : 0;
        dv[i] = what->speed ? h * what->speed[i] : 0;
    }
    return trm_field_at(work, what->direction ? work->dx : NULL, what->speed ? dv : NULL, F);
}

/// One tableau from step h downwards. Returns the code of a point that cannot be reached.
static int extrapolate(trm_linear_work *work, extrapolation *e, const moved *what, double h)
{
    for (int level = 0; level < LEVELS; level++, h /= 2) {
        TRM_TRY(field_of(work, what, h, e->plus));
        TRM_TRY(field_of(work, what, -h, e->minus));
        note_noise(e, work->force, h);
        add_row(e, level, h);
    }
    return 0;
}

/// The error of block b of x, of its largest entry.
static double part_of(const extrapolation *e, int b, const double *x, double error)
{
    double most = 0;
    for (int i = e->begin[b]; i < e->begin[b + 1]; i++) {
        most = fmax(most, fabs(x[i]));
    }
    return most > 0 ? error / most : INFINITY;
}

/// Takes this tableau's blocks that are known better: in proportion where they are found at all, to
/// a tenth, as steps that are longer than a law is wide find little, and that to a little. Returns
/// nonzero where all are good enough, or smaller steps gain nothing: their noise is larger.
static int settle(extrapolation *e)
{
    int good = 1;
    for (int b = 0; b < BLOCKS; b++) {
        const int from = e->begin[b], n = e->begin[b + 1] - from;
        const double part = part_of(e, b, e->now, e->of_now[b]);
        const double before = part_of(e, b, e->best, e->error[b]), found = 0.1;
        const int better = fmin(part, before) < found ? part < before : e->of_now[b] < e->error[b];
        if (!e->known[b] && (better || isinf(e->error[b]))) {
            e->error[b] = e->of_now[b];
            e->known[b] = n == 0 || part <= 1e-9 || e->of_now[b] <= SHRINK * e->noise[b];
            memcpy(e->best + from, e->now + from, (size_t)n * sizeof *e->now);
        }
        good &= e->known[b];
    }
    return good;
}

/// Again from smaller steps while that may help. Returns nonzero when no tableau was finished.
static int differentiate(trm_linear_work *work, extrapolation *e, const moved *what, double h)
{
    int code = 1, done = 0;
    for (int b = 0; b < BLOCKS; b++) {
        e->error[b] = INFINITY;
        e->known[b] = 0;
    }
    for (int k = 0, good = 0; k < ATTEMPTS && !good; k++, h /= SHRINK) {
        for (int b = 0; b < BLOCKS; b++) {
            e->of_now[b] = INFINITY;
        }
        code = extrapolate(work, e, what, h);
        good = !code && settle(e);
        done |= !code;
    }
    return done ? 0 : code;
}

/// Along an input, from steps of a tenth of 1, or of its value where that is less. Where both agree
/// to their errors the better one counts. Else what is near, unless that is but noise.
static int differentiate_input(trm_linear_work *work, extrapolation *e, const moved *what)
{
    const double value = fabs(what->value);
    double far[BLOCKS];
    int code = differentiate(work, e, what, 0.1 * fmax(1, value));
    if (value == 0 || value >= 1) {
        return code;
    }
    for (int b = 0; b < BLOCKS; b++) {
        far[b] = code ? INFINITY : e->error[b];
    }
    memcpy(e->far, e->best, (size_t)e->m * sizeof *e->far);
    code = differentiate(work, e, what, 0.1 * value);
    for (int b = 0; b < BLOCKS; b++) {
        const int from = e->begin[b], to = e->begin[b + 1];
        const double near = code ? INFINITY : part_of(e, b, e->best, e->error[b]);
        const int agree =
            largest_difference(e->best, e->far, from, to) <= 2 * (e->error[b] + far[b]);
        if (isfinite(far[b]) && (agree || near > 1e-3) && far[b] < e->error[b]) {
            e->error[b] = far[b];
            memcpy(e->best + from, e->far + from, (size_t)(to - from) * sizeof *e->far);
        }
    }
    return isfinite(far[0]) ? 0 : code;
}

// -------------------------------------------------------------------------------------------- A, C

static void store_column(trm_linear_work *work, const extrapolation *e, int column)
{
    const int p = work->found.p, n = work->found.n, ny = work->found.ny;
    for (int i = 0; i < n; i++) {
        work->A[(size_t)i * (size_t)n + (size_t)column] = e->best[i];
        work->E[(size_t)i * (size_t)n + (size_t)column] = e->error[i >= p];
    }
    for (int k = 0; k < ny; k++) {
        work->C[(size_t)k * (size_t)n + (size_t)column] = e->best[n + k];
    }
}

/// The blocks that need no differences: d y'/dw = 1; displacements by J Z, velocities by J Z in w.
static void store_exact(trm_linear_work *work)
{
    const int d = work->found.d, p = work->found.p, n = work->found.n;
    const int nv = work->query->conditioning.nv;
    for (int i = 0; i < p; i++) {
        for (int j = 0; j < d; j++) {
            work->A[(size_t)i * (size_t)n + (size_t)(p + j)] = i == j;
            work->E[(size_t)i * (size_t)n + (size_t)(p + j)] = 0;
        }
    }
    double *const row = work->J + 3 * (size_t)nv;
    for (int k = 0; k < work->task.noutput; k++) {
        const trm_output *const o = &work->task.outputs[k];
        output_row(work, o, work->q, work->v, row);
        double *const c = work->C + (size_t)k * (size_t)n;
        if (o->derivative == 0) {
            memset(c, 0, (size_t)n * sizeof *c);
            trm_rows_multiply(p, nv, work->tangent.Z, row, c);
        } else if (o->derivative == 1) {
            trm_rows_multiply(d, nv, work->tangent.Z, row, c + p);
        }
    }
}

/// sqrt(kg) m/s^2: the acceleration that f alone would give, in the mass metric.
static double force_of(trm_linear_work *work)
{
    trm_query *const query = work->query;
    trm_system *const system = query->conditioning.system;
    double power, *const f = query->a, *const x = query->v;
    int code = trm_system_position(system, work->found.t, work->q);
    code = code ? code : trm_system_force(system, work->v, f, &power);
    if (code) {
        return 0;
    }
    memcpy(x, f, (size_t)system->nv * sizeof *x);
    trm_system_solve_M(system, x);
    return sqrt(fmax(0, trm_dot(system->nv, x, f)));
}

double trm_linear_speed(trm_linear_work *work)
{
    trm_query *const query = work->query;
    trm_system *const system = query->conditioning.system;
    const size_t p = (size_t)work->found.p, n = (size_t)work->found.n;
    double stiffness = 0;
    for (size_t i = p; i < n; i++) {
        for (size_t j = 0; j < p; j++) {
            stiffness = fmax(stiffness, fabs(work->A[i * n + j]));
        }
    }
    double power, *const x = query->a;
    const double own = trm_query_distance(query, work->v);
    int code = trm_system_position(system, work->found.t, work->q);
    code = code ? code : trm_system_force(system, work->v, x, &power);
    if (code) {
        return 0;
    }
    trm_system_solve_M(system, x);
    const double falling = sqrt(trm_query_distance(query, x) * query->conditioning.grain);
    const double speed = fmax(fmax(own, falling), sqrt(stiffness) * query->conditioning.grain);
    return speed > 0 ? speed : query->conditioning.grain;
}

/// The largest of |z_i|/max(1, |v_i|) over states of the scene.
static double part_of_states(const trm_linear_work *work, const double *z)
{
    double most = 0;
    for (int i = trm_system_motions(work->query->conditioning.system); i < work->nv; i++) {
        most = fmax(most, fabs(z[i]) / fmax(1, fabs(work->v[i])));
    }
    return most;
}

/// The derivative along z[nv], as far as `most` in the first step.
static int differentiate_along(trm_linear_work *work, extrapolation *e, const double *z,
                               int in_velocity, double most)
{
    const double part = 0.05;
    const moved what = {.direction = in_velocity ? NULL : z, .speed = in_velocity ? z : NULL};
    const double states = in_velocity ? part_of_states(work, z) : 0;
    if (states > 0) { // nothing moves
        return differentiate(work, e, &what, 0.1 / states);
    }
    return differentiate(work, e, &what, part * most / trm_query_distance(work->query, z));
}

int trm_linear_along(trm_linear_work *work, const double *direction, double *D, double *error)
{
    const trm_query *const query = work->query;
    const int p = work->found.p, d = work->found.d, n = work->found.n, nv = work->nv;
    double *const z = trm_pool_take(&work->pool, 2 * (size_t)nv + 1, sizeof *z);
    extrapolation e;
    if (!z || !take_extrapolation(&e, &work->found, &work->pool)) {
        return -1;
    }
    trm_rows_spread(p, nv, work->tangent.Z, direction, z);
    for (int i = 0; i < nv; i++) {
        z[i] /= work->omega;
    }
    trm_rows_spread(d, nv, work->tangent.Z, direction + p, z + nv);
    const double far = trm_query_distance(query, z) / query->conditioning.grain;
    const double fast = trm_query_distance(query, z + nv) / trm_linear_speed(work);
    const double moves = fmax(fmax(far, fast), part_of_states(work, z + nv));
    const moved what = {.direction = z, .speed = z + nv};
    const int failed = differentiate(work, &e, &what, 1 / moves);
    for (int i = 0; i < n; i++) {
        D[i] = e.best[i] * (i < p ? work->omega : 1);
    }
    *error = hypot(sqrt(p) * work->omega * e.error[0], sqrt(d) * e.error[1]);
    return failed != 0;
}

trm_status trm_linear_differences(trm_linear_work *work, trm_error *err)
{
    extrapolation e;
    const trm_query *const query = work->query;
    const int p = work->found.p, n = work->found.n;
    if (!take_extrapolation(&e, &work->found, &work->pool)) {
        return trm_query_no_memory(err);
    }
    double speed = 0;
    const int code = trm_field_at(work, NULL, NULL, e.plus);
    if (code) {
        return trm_query_fail(query, work->found.t, code, err);
    }
    memcpy(work->drift, e.plus, (size_t)n * sizeof(double));
    work->force = force_of(work);
    for (int j = 0; j < n; j++) {
        const int in_velocity = j >= p;
        speed = j == p ? trm_linear_speed(work) : speed;
        const int k = in_velocity ? j - p : j;
        const double *const z = work->tangent.Z + (size_t)k * (size_t)query->conditioning.nv;
        const double most = in_velocity ? speed : query->conditioning.grain;
        const int failed = differentiate_along(work, &e, z, in_velocity, most);
        if (failed) {
            return trm_query_fail(query, work->found.t, failed, err);
        }
        store_column(work, &e, j);
    }
    store_exact(work);
    return TRM_OK;
}

// -------------------------------------------------------------------------------------- inputs

/// An input in g moves the constraints themselves.
static trm_status check_input(trm_linear_work *work, int index, double h, trm_error *err)
{
    trm_query *const query = work->query;
    trm_system *const system = query->conditioning.system;
    trm_input *const input = &system->inputs[index];
    const double value = input->now.value;
    int code = trm_system_position(system, work->found.t, work->q);
    memcpy(query->c, system->g, (size_t)system->nc * sizeof(double));
    trm_input_settle(input, value + h);
    code = code ? code : trm_system_position(system, work->found.t, work->q);
    trm_input_settle(input, value);
    if (code) {
        return trm_query_fail(query, work->found.t, code, err);
    }
    for (int i = 0; i < system->nc; i++) {
        if (system->g[i] != query->c[i]) {
            const trm_row_info row = query->model->row_info[i];
            return TRM_FAIL(err, TRM_ERR_OPTIONS, row.where,
                            "'%s' moves the constraint '%s': its second derivative acts on the "
                            "motion, not its value",
                            query->model->input_info[index].name, row.name);
        }
    }
    return TRM_OK;
}

trm_status trm_linear_input_columns(trm_linear_work *work, trm_error *err)
{
    extrapolation e;
    const int n = work->found.n, p = work->found.p, nu = work->found.nu;
    if (!take_extrapolation(&e, &work->found, &work->pool)) {
        return trm_query_no_memory(err);
    }
    for (int k = 0; k < work->task.ninput; k++) {
        const int column = work->task.nforce + k;
        trm_input *const input = &work->query->conditioning.system->inputs[work->task.inputs[k]];
        const moved what = {.input = input, .value = input->now.value};
        const double h = 0.1 * fmax(1, fabs(what.value));
        TRM_TRY(check_input(work, work->task.inputs[k], h, err));
        const int code = differentiate_input(work, &e, &what);
        if (code) {
            return trm_query_fail(work->query, work->found.t, code, err);
        }
        for (int i = 0; i < n; i++) {
            work->B[(size_t)i * (size_t)nu + (size_t)column] = i < p ? 0 : e.best[i];
        }
        for (int i = 0; i < work->found.ny; i++) {
            work->D[(size_t)i * (size_t)nu + (size_t)column] =
                i >= work->task.noutput || work->task.outputs[i].derivative == 2 ? e.best[n + i]
                                                                                 : 0;
        }
    }
    return TRM_OK;
}
