/// Backward differentiation formulas of order 1 to 5 with variable steps: IDA of SUNDIALS.
///
///     0 = F(t, y, y'),     y'_n = c (y_n - history),   Newton's method for y_n
///
/// The forms: ggl.c (index 2, lambda and mu among the unknowns), and for plain and baumgarte
/// ida_eliminated.c, where y = (q, v). Newton's matrix is sparse in both, ida_newton.c. The work is
/// a quadrature beside them.
///
/// Errors are measured over q and v: algebraic variables are left out of the error test and of
/// the test of Newton's method, which sees their effect on q and v. For ggl that test is tighter
/// than IDA's own, 0.01 for 0.33 of the error allowed: with the multipliers free, this takes
/// half to two thirds of the steps at the same error; it stops at the roundoff that Newton's
/// method meets near singular positions. Without multipliers the tighter test would cost half as
/// many iterations again without a gain.
///
/// Memory: the first start allocates all memory of IDA for any order, the restart of a run nothing;
/// SUNDIALS itself allocates a little within steps.
///
/// After a step that failed, the next one starts anew from the last accepted point, with order 1.
#include "integrators/bdf/ida.h"
#include "base/status.h"
#include "trammel/trammel_methods.h"

#include <float.h>
#include <math.h>
#include <string.h>

// ------------------------------------------------------------------------- callbacks of IDA

/// Remember the last failure within a step, the reason when IDA gives up.
static int note(trm_run *run, int code)
{
    trm_ida *ida = run->method;
    if (code) {
        ida->code = code;
        ida->failed = run->system->failed;
    }
    return code;
}

static int residual(sunrealtype t, N_Vector y, N_Vector dy, N_Vector r, void *user)
{
    trm_run *run = user;
    const trm_ida *ida = run->method;
    double *out = trm_sundials.N_VGetArrayPointer(r);
    trm_ida_residual *F = ida->form->eliminates ? trm_ida_eliminated : ida->form->residual;
    const int code = note(run, F(run, t, trm_sundials.N_VGetArrayPointer(y),
                                 trm_sundials.N_VGetArrayPointer(dy), out));
    for (int i = 0; run->contact && i < ida->n; i++) {
        out[i] /= ida->row_unit[i];
    }
    return code ? code : !trm_all_finite(ida->n, out);
}

/// work' = power + lambda^T g_t: reactions of moving constraints work. A quadrature, as nothing
/// depends on it.
static int power(sunrealtype t, N_Vector y, N_Vector dy, N_Vector rate, void *user)
{
    trm_run *run = user;
    trm_ida *ida = run->method;
    trm_system *system = run->system;
    const double *q = trm_sundials.N_VGetArrayPointer(y), *v = q + system->nq,
                 *lambda = v + system->nv;
    double *p = trm_sundials.N_VGetArrayPointer(rate);
    int code;
    if (ida->form->eliminates && (system->moving || run->contact)) {
        code = trm_ida_eliminated(run, t, q, trm_sundials.N_VGetArrayPointer(dy), ida->r0);
        *p = ida->dz[ida->n];
    } else {
        code = trm_system_position(system, t, q);
        code = code ? code : trm_system_force(system, v, ida->x, p);
        for (int i = 0; system->moving && i < system->nc; i++) {
            *p += lambda[i] * system->g_t[i];
        }
    }
    return note(run, code);
}

/// The entry p of column j, in units.
static double entry(const trm_ida *ida, int p, int j)
{
    const trm_newton_matrix *const J = &ida->newton;
    return J->values[p] / ida->row_unit[J->row[p]] * ida->column_unit[j];
}

static void copy_sparse(const trm_ida *ida, SUNMatrix J)
{
    const trm_newton_matrix *const from = &ida->newton;
    sunindextype *column = trm_sundials.SUNSparseMatrix_IndexPointers(J);
    sunindextype *row = trm_sundials.SUNSparseMatrix_IndexValues(J);
    for (int j = 0; j <= from->n; j++) {
        column[j] = from->column[j];
    }
    for (int j = 0; j < from->n; j++) {
        for (int p = from->column[j]; p < from->column[j + 1]; p++) {
            row[p] = from->row[p];
            trm_sundials.SUNSparseMatrix_Data(J)[p] = entry(ida, p, j);
        }
    }
}

static void copy_dense(const trm_ida *ida, SUNMatrix J)
{
    const trm_newton_matrix *const from = &ida->newton;
    for (int j = 0; j < from->n; j++) {
        double *column = trm_sundials.SUNDenseMatrix_Column(J, j);
        for (int p = from->column[j]; p < from->column[j + 1]; p++) {
            column[from->row[p]] = entry(ida, p, j);
        }
    }
}

/// J := dF/dy + c, F = y' - ...; dF/dy anew where a step asks again, since Newton's method failed.
static int full_jacobian(trm_run *run, double t, double c, double *y, const double *dy, SUNMatrix J)
{
    trm_ida *const ida = run->method;
    const int anew = ida->asked < 0 || ida->asked == run->stats.steps;
    ida->asked = -1;
    if (anew) {
        TRM_TRY(trm_ida_differences(run, t, c, y, dy));
    }
    ida->asked = run->stats.steps;
    for (int j = 0; j < ida->n; j++) {
        double *const column = trm_sundials.SUNDenseMatrix_Column(J, j);
        const double *const slope = trm_sundials.SUNDenseMatrix_Column(ida->slopes, j);
        for (int i = 0; i < ida->n; i++) {
            column[i] = (slope[i] + (i == j) * c) / ida->row_unit[i];
        }
    }
    return 0;
}

static int jacobian(sunrealtype t, sunrealtype c, N_Vector y, N_Vector dy, N_Vector r, SUNMatrix J,
                    void *user, N_Vector spare1, N_Vector spare2, N_Vector spare3)
{
    (void)r, (void)spare1, (void)spare2, (void)spare3;
    trm_run *run = user;
    const trm_ida *ida = run->method;
    double *u = trm_sundials.N_VGetArrayPointer(y);
    const double *du = trm_sundials.N_VGetArrayPointer(dy);
    if (run->contact) {
        return note(run, full_jacobian(run, t, c, u, du, J));
    }
    const int code = note(run, ida->form->eliminates ? trm_ida_bordered(run, t, c, u, du)
                                                     : trm_ida_newton(run, t, c, u, du));
    trm_ida_measure_units(run, c);
    if (trm_sundials.SUNMatGetID(J) == SUNMATRIX_SPARSE) {
        copy_sparse(ida, J);
    } else {
        copy_dense(ida, J); // IDA has set J to zero
    }
    return code;
}

/// IDA's part of a tolerance that Newton's method may leave open.
static const double own = 0.33;

/// Of y: roundoff of Newton's method with multipliers among the unknowns, near singular positions.
static const double near_singular = 1e-12;

/// s: from rest, what order 1 errs by in this step is the roundoff of positions.
static double invisible_step(const trm_run *run)
{
    const int nq = run->system->nq;
    const double *const dz = run->now.dz;
    const double rate = trm_extents_rate(&run->extent, nq, run->system->nv, dz, dz + nq);
    return rate > 0 ? sqrt(run->range.least) / rate : trm_run_little_while(run);
}

/// The tolerances of (q, v) at x: of the motion so far, or as they are given.
static void find_units(trm_run *run, const double *x)
{
    trm_ida *ida = run->method;
    const trm_options *o = &run->options;
    for (int i = 0; i < run->n - 1; i++) {
        ida->unit[i] = o->rtol * fabs(x[i]) + o->atol;
    }
    if (o->by_motion) {
        double h = 0;
        (void)trm_sundials.IDAGetCurrentStep(ida->solver, &h); // the first one is not known here
        h = h > 0 ? h : run->stats.h > 0 ? run->stats.h : invisible_step(run);
        // Newton's method brings positions no nearer than roundoff. A velocity that moves by one
        // rounding in a step is none: of more, the short steps of BDF would not see narrow laws.
        // A coarser run that checks leaves both more, as the pair does: else the two differ by
        // nothing where roundoff bounds their steps. A finer one cannot leave less.
        trm_motion_range reach = run->range;
        const double coarser = fmax(reach.least / reach.usual, 1);
        const double nearest = coarser * 4 * DBL_EPSILON / trm_ida_newton_part(run);
        reach.rough |= reach.least > 4 * DBL_EPSILON; // rows of loops have roundoff of their own
        reach.least = coarser * DBL_EPSILON;
        trm_motion_range_units(&reach, &run->extent, o->rtol, h, x, ida->unit);
        run->range.allowed = fmax(run->range.allowed, nearest);
        for (int i = 0; i < run->system->nq; i++) {
            ida->unit[i] = fmax(ida->unit[i], nearest * (run->extent.q[i] + fabs(x[i])));
        }
    }
}

/// One over the tolerance of each unknown.
static int weights(N_Vector y, N_Vector weight, void *user)
{
    static const double multipliers = 1e12;
    trm_run *run = user;
    const trm_ida *ida = run->method;
    const trm_options *o = &run->options;
    const double *x = trm_sundials.N_VGetArrayPointer(y);
    double *w = trm_sundials.N_VGetArrayPointer(weight);
    find_units(run, x);
    for (int i = 0; i < ida->n; i++) {
        w[i] = 1 / (i < run->n - 1 ? ida->unit[i] : (o->rtol * fabs(x[i]) + o->atol) * multipliers);
    }
    return 0;
}

// ------------------------------------------------------------------------------ memory and start

static void layout(trm_run *run, const trm_ida_form *form, trm_arena *arena)
{
    const trm_system *system = run->system;
    trm_ida counted, *ida = trm_arena_struct(arena, sizeof counted, &counted, &run->method);
    ida->form = form;
    ida->full = run->n - 1 + form->multipliers * system->nc;
    ida->n = form->eliminates ? run->n - 1 : ida->full;
    TRM_ARENA_DOUBLES(arena, ida->full, &ida->r0, &ida->r1, &ida->kept, &ida->shift, &ida->row_unit,
                      &ida->column_unit);
    ida->moved = trm_arena_doubles(arena, system->nq + system->nv);
    ida->z = trm_arena_doubles(arena, ida->full + 1); // and the power
    ida->dz = trm_arena_doubles(arena, ida->full + 1);
    TRM_ARENA_DOUBLES(arena, system->nv, &ida->x, &ida->x2);
    ida->unit = trm_arena_doubles(arena, ida->full);
    ida->unit_q = trm_arena_doubles(arena, system->nq);
    ida->e = trm_arena_doubles(arena, system->nc);
    TRM_ARENA_DOUBLES(arena, run->n - 1, &ida->closed[0], &ida->closed[1]);
}

static void layout_index1(trm_run *run, trm_arena *arena)
{
    layout(run, &trm_ida_index1_form, arena);
}

static void layout_ggl(trm_run *run, trm_arena *arena)
{
    layout(run, &trm_ida_ggl_form, arena);
}

static void finish(trm_run *run)
{
    trm_ida *ida = run->method;
    if (ida->solver) {
        trm_sundials.IDAFree(&ida->solver);
    }
    if (ida->nonlinear) {
        trm_sundials.SUNNonlinSolFree(ida->nonlinear);
    }
    if (ida->linear) {
        trm_sundials.SUNLinSolFree(ida->linear);
    }
    SUNMatrix matrices[] = {ida->J, ida->slopes};
    for (size_t i = 0; i < sizeof matrices / sizeof *matrices; i++) {
        if (matrices[i]) {
            trm_sundials.SUNMatDestroy(matrices[i]);
        }
    }
    N_Vector vectors[] = {ida->y,    ida->dy,     ida->id,    ida->interpolated,
                          ida->work, ida->full_y, ida->full_r};
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) {
        if (vectors[i]) {
            trm_sundials.N_VDestroy(vectors[i]);
        }
    }
    trm_newton_matrix_close(&ida->newton);
    if (ida->context) {
        trm_sundials.SUNContext_Free(&ida->context);
    }
}

/// Newton's matrix and its solver. Returns zero when memory is short.
static int take_matrix(trm_run *run)
{
    trm_ida *ida = run->method;
    if (run->contact) {
        sundials_take_solver(ida->y, ida->n * ida->n, ida->context, &ida->J, &ida->linear);
        ida->slopes = trm_sundials.SUNDenseMatrix(ida->n, ida->n, ida->context);
        return ida->linear && ida->slopes;
    }
    const trm_newton_shape shape = {.structure = run->system->structure,
                                    .nc = run->system->nc,
                                    .multipliers = ida->form->multipliers,
                                    .quadratic = ida->form->index == 1};
    if (!trm_newton_matrix_open(&ida->newton, &shape)) {
        return 0;
    }
    ida->full_y = trm_sundials.N_VNew_Serial(ida->full, ida->context);
    ida->full_r = trm_sundials.N_VNew_Serial(ida->full, ida->context);
    if (!ida->full_y || !ida->full_r) {
        return 0;
    }
    sundials_take_solver(ida->full_y, ida->newton.entries, ida->context, &ida->J, &ida->linear);
    if (ida->linear) {
        SUNLinearSolver inner = ida->linear;
        ida->linear = trm_ida_bordered_solver(run, inner);
    }
    return ida->linear != NULL;
}

/// Whether corrections are no more than what rounding leaves of q and v.
static int is_rounding(const trm_run *run, N_Vector delta)
{
    const trm_ida *const ida = run->method;
    const int nq = run->system->nq, nv = run->system->nv;
    const double *const y = trm_sundials.N_VGetArrayPointer(ida->y),
                        *const d = trm_sundials.N_VGetArrayPointer(delta);
    const double speed = trm_extents_speed(&run->extent, nv, y + nq);
    const double part = ida->form->index == 1 ? 4 * DBL_EPSILON : near_singular;
    int ok = 1;
    for (int i = 0; i < nq + nv; i++) {
        const double size = i < nq ? run->extent.q[i] : speed * run->extent.v[i - nq];
        ok &= fabs(d[i]) <= part * (size + fabs(y[i]));
    }
    return ok;
}

/// IDA's test, with two changes. Corrections within rounding have converged. A first correction
/// never tells whether they shrink, however small it is: beside a law narrower than the tolerance
/// it may lead from one side to the other, and the next one back.
static int has_converged(SUNNonlinearSolver solver, N_Vector y, N_Vector delta,
                         sunrealtype tolerance, N_Vector weight, void *user)
{
    const trm_run *const run = user;
    const trm_ida *const ida = run->method;
    const int code = ida->test(solver, y, delta, tolerance, weight, ida->test_data);
    int tries = 0;
    trm_sundials.SUNNonlinSolGetCurIter(solver, &tries);
    return is_rounding(run, delta) ? 0 : code == 0 && tries == 0 ? SUN_NLS_CONTINUE : code;
}

/// Newton's method of SUNDIALS with that test.
static int take_newton(trm_run *run)
{
    trm_ida *const ida = run->method;
    const SUNNonlinearSolverContent_Newton newton = ida->nonlinear->content;
    const int code = trm_sundials.IDASetNonlinearSolver(ida->solver, ida->nonlinear);
    ida->test = newton->CTest;
    ida->test_data = newton->ctest_data;
    return code ? code : trm_sundials.SUNNonlinSolSetConvTestFn(ida->nonlinear, has_converged, run);
}

/// The objects of SUNDIALS. Returns zero when memory is short.
static int take_objects(trm_run *run)
{
    trm_ida *ida = run->method;
    if (sundials_open(&ida->context, &ida->message)) {
        return 0;
    }
    ida->solver = trm_sundials.IDACreate(ida->context);
    ida->y = trm_sundials.N_VNew_Serial(ida->n, ida->context);
    ida->dy = trm_sundials.N_VNew_Serial(ida->n, ida->context);
    ida->id = trm_sundials.N_VNew_Serial(ida->n, ida->context);
    ida->interpolated = trm_sundials.N_VNew_Serial(ida->n, ida->context);
    ida->work = trm_sundials.N_VNew_Serial(1, ida->context);
    ida->nonlinear = ida->y ? trm_sundials.SUNNonlinSol_Newton(ida->y, ida->context) : NULL;
    const int ok = ida->nonlinear && ida->solver && ida->y && ida->dy && ida->id &&
                   ida->interpolated && ida->work;
    return ok && take_matrix(run);
}

double trm_ida_newton_part(const trm_run *run)
{
    static const double tight = 0.01;
    const trm_ida *ida = run->method;
    const double index2 = fmin(own, fmax(tight, near_singular / fmax(run->options.rtol, 1e-16)));
    return ida->form->index == 1 ? own : index2;
}

/// The settings for all restarts. Returns IDA's code, 0 for success.
static int configure(trm_run *run)
{
    enum { FAILURES = 60 }; // down to the last digit before a domain ends
    trm_ida *ida = run->method;
    double *id = trm_sundials.N_VGetArrayPointer(ida->id);
    for (int i = 0; i < ida->n; i++) {
        id[i] = i < run->n - 1; // q and v
    }
    const int codes[] = {
        sundials_listen(ida->solver, &ida->message),
        trm_sundials.IDAInit(ida->solver, residual, run->now.t, ida->y, ida->dy),
        trm_sundials.IDAQuadInit(ida->solver, power, ida->work),
        trm_sundials.IDAWFtolerances(ida->solver, weights),
        trm_sundials.IDASetUserData(ida->solver, run),
        trm_sundials.IDASetId(ida->solver, ida->id),
        trm_sundials.IDASetSuppressAlg(ida->solver, SUNTRUE),
        take_newton(run),
        trm_sundials.IDASetLinearSolver(ida->solver, ida->linear, ida->J),
        trm_sundials.IDASetJacFn(ida->solver, jacobian),
        trm_sundials.IDASetMaxConvFails(ida->solver, FAILURES),
        trm_sundials.IDASetMaxErrTestFails(ida->solver, FAILURES),
        trm_sundials.IDASetNonlinConvCoef(ida->solver, trm_ida_newton_part(run)),
    };
    int code = 0;
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++) {
        code = code ? code : codes[i];
    }
    return code;
}

/// A first step in which y' would change q and v by half their tolerances: 1 ms at most where these
/// are given, and 0 where nothing moves: IDA takes 0.001 of the time to the limit.
static double first_step(const trm_run *run)
{
    const trm_options *o = &run->options;
    const trm_ida *ida = run->method;
    double sum = 0;
    for (int i = 0; i < run->n - 1; i++) {
        const double scaled = run->now.dz[i] / ida->unit[i];
        sum += scaled * scaled;
    }
    const double h = 0.5 / sqrt(sum / (run->n - 1));
    return o->h > 0 ? o->h : !o->by_motion ? fmin(1e-3, h) : sum > 0 ? h : 0;
}

/// The callbacks of the solver get the run at its new place.
static void moved(trm_run *run)
{
    trm_ida *const ida = run->method;
    if (ida->solver) {
        trm_sundials.IDASetUserData(ida->solver, run);
        trm_sundials.SUNNonlinSolSetConvTestFn(ida->nonlinear, has_converged, run);
    }
}

static long rejections(const trm_ida *ida)
{
    long errors = 0;
    trm_sundials.IDAGetNumErrTestFails(ida->solver, &errors);
    return errors + sundials_unsolved_steps(ida->solver);
}

static trm_status fail_setup(const trm_run *run, trm_error *err)
{
    const trm_ida *ida = run->method;
    if (!sundials_load()) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS, "options.integrator",
                        "ida needs SUNDIALS, and " TRM_SUNDIALS_FILES
                        " cannot be loaded: install the package libsundials-dev (or sundials)");
    }
    return TRM_FAIL(err, TRM_ERR_MEMORY, NULL, "SUNDIALS refused to start: %s",
                    *ida->message.text ? ida->message.text : "not enough memory");
}

/// IDA at run->now, whose z, dz and lambda agree; mu = 0.
static trm_status restart(trm_run *run, trm_error *err)
{
    trm_ida *ida = run->method;
    const trm_point_of_run *now = &run->now;
    double *y = trm_sundials.N_VGetArrayPointer(ida->y),
           *dy = trm_sundials.N_VGetArrayPointer(ida->dy);
    trm_sundials.N_VConst(0, ida->y);
    trm_sundials.N_VConst(0, ida->dy);
    const int w = run->n - 1;
    memcpy(y, now->z, (size_t)w * sizeof(double));
    memcpy(dy, now->dz, (size_t)w * sizeof(double));
    if (ida->n > w) {
        memcpy(y + w, now->lambda, (size_t)run->system->nc * sizeof(double));
    }
    *trm_sundials.N_VGetArrayPointer(ida->work) = now->z[w];
    ida->gained[0] = ida->gained[1] = 0;
    memset(ida->closed[1], 0, (size_t)w * sizeof(double));
    ida->rejected += rejections(ida);
    ida->stale = 0;
    ida->asked = -1;
    trm_ida_note_rate(run);
    ida->per_rate = trm_ida_period(run);
    const int nq = run->system->nq; // the full matrix has the same pivots at every size
    for (int i = 0; run->contact && i < w; i++) {
        ida->row_unit[i] = i < nq ? run->extent.q[i] : run->extent.v[i - nq] / ida->per_rate;
    }
    run->shifted = 0;
    int code = trm_sundials.IDAReInit(ida->solver, now->t, ida->y, ida->dy);
    code = code ? code : trm_sundials.IDAQuadReInit(ida->solver, ida->work);
    find_units(run, now->z);
    return code || trm_sundials.IDASetInitStep(ida->solver, first_step(run)) ? fail_setup(run, err)
                                                                             : TRM_OK;
}

static trm_status start(trm_run *run, trm_error *err)
{
    trm_ida *ida = run->method;
    trm_point_of_run *now = &run->now;
    const int code = trm_run_rates(run, now->t, now->z, now->dz, now->lambda);
    if (code) {
        return trm_run_fail_code(run, code, err);
    }
    if (!ida->solver) {
        run->finish = finish;
        if (!take_objects(run) || configure(run)) {
            return fail_setup(run, err);
        }
    }
    TRM_TRY(restart(run, err));
    ida->rejected = 0;
    ida->tiny_steps = 0;
    return TRM_OK;
}

// ------------------------------------------------------------------------------------------ step

static trm_status give_up(trm_run *run, const char *why, trm_error *err)
{
    trm_ida *ida = run->method;
    ida->stale = 1;
    run->stats.rejected = ida->rejected + rejections(ida);
    if (ida->code) {
        run->system->failed = ida->failed;
        return trm_run_fail_code(run, ida->code, err);
    }
    run->step_vanished = run->solver_failed = 1;
    char what[200];
    snprintf(what, sizeof what, "%s", why);
    what[strcspn(what, "\n")] = '\0';
    const size_t length = strlen(what);
    if (length > 0 && what[length - 1] == '.') {
        what[length - 1] = '\0';
    }
    return trm_run_fail(run, TRM_ERR_DIVERGED, what, err);
}

/// The accepted point in run->before becomes now.
static void accept(trm_run *run, double t)
{
    trm_ida *ida = run->method;
    if (run->options.by_motion) {
        trm_motion_range_accept(&run->range, run->before.z);
    }
    trm_run_advance(run);
    run->now.t = t;
    trm_ida_note_rate(run);
    run->stats.steps++;
    run->stats.h = t - run->before.t;
    run->stats.rejected = ida->rejected + rejections(ida);
    ida->gained[0] = ida->gained[1];
}

/// The end z of a step closes to rounding, as contacts must find it. What that moves it by is added
/// to what IDA knows of the past as well, in trm_ida_eliminated: differences of its values stay,
/// and so do the order and the step.
static int close_end(trm_run *run, double t, double *z)
{
    trm_ida *ida = run->method;
    const double *const y = trm_sundials.N_VGetArrayPointer(ida->y);
    double *const moved = ida->closed[0];
    ida->closed[0] = ida->closed[1];
    ida->closed[1] = moved;
    for (int i = 0; i < run->n - 1; i++) {
        z[i] = y[i] + ida->closed[0][i];
    }
    trm_system_normalize(run->system, z);
    int code = trm_projection.correct(run, t, z);
    code = code ? code : trm_run_correct(run, t, z);
    for (int i = 0; i < run->n - 1; i++) {
        moved[i] = z[i] - y[i];
    }
    return code;
}

/// z, dz and lambda where IDA is, in run->before.
static trm_status take_point(trm_run *run, double t, trm_error *err)
{
    trm_ida *ida = run->method;
    trm_point_of_run *end = &run->before;
    double reached;
    if (trm_sundials.IDAGetQuad(ida->solver, &reached, ida->work)) {
        return give_up(run, "the work is not known", err);
    }
    memcpy(end->z, trm_sundials.N_VGetArrayPointer(ida->y), (size_t)(run->n - 1) * sizeof(double));
    end->z[run->n - 1] = *trm_sundials.N_VGetArrayPointer(ida->work) + ida->gained[1];
    trm_system_normalize(run->system, end->z);
    if (!trm_all_finite(run->n, end->z)) {
        return give_up(run, "the state is not finite after the step", err);
    }
    ida->code = 0;
    if (run->contact && note(run, close_end(run, t, end->z))) {
        return give_up(run, "", err);
    }
    if (note(run, trm_run_rates(run, t, end->z, end->dz, end->lambda))) {
        return give_up(run, "", err);
    }
    return trm_all_finite(run->n, end->dz)
               ? TRM_OK
               : give_up(run, "the state is not finite after the step", err);
}

/// A step too short for IDA, whose square is nothing.
static void take_euler_step(trm_run *run, double h)
{
    trm_ida *ida = run->method;
    double *const y = trm_sundials.N_VGetArrayPointer(ida->y);
    const double *const dy = trm_sundials.N_VGetArrayPointer(ida->dy);
    for (int i = 0; i < run->n - 1; i++) {
        y[i] += h * dy[i];
    }
}

static trm_status step(trm_run *run, double t_limit, trm_error *err)
{
    static const double never = 1e300; // s
    trm_ida *ida = run->method;
    const double t = run->now.t;
    const double least = 32 * DBL_EPSILON * fabs(t);
    if (!ida->stale) {
        ida->code = 0; // else the failure of the last try would stay
    }
    if (ida->stale || run->shifted) {
        TRM_TRY(restart(run, err));
    }
    ida->message.text[0] = '\0';
    run->solver_failed = 0;
    double t_next = t_limit;
    if (t_limit - t > 8 * least) {
        trm_sundials.IDASetStopTime(ida->solver, fmin(t_limit, never));
        trm_sundials.IDASetMinStep(ida->solver, least);
        const int code = trm_sundials.IDASolve(ida->solver, isfinite(t_limit) ? t_limit : t + 1,
                                               &t_next, ida->y, ida->dy, IDA_ONE_STEP);
        if (code < 0) {
            return give_up(run, ida->message.text, err);
        }
        t_next = code == IDA_TSTOP_RETURN ? t_limit : t_next;
        if (t_next <= t) { // IDA may stand a little before a stop that it has reported
            return give_up(run, "the step size went to zero", err);
        }
    } else {
        take_euler_step(run, t_limit - t);
    }
    if (trm_run_is_zeno(run, t_limit, t_next - t, &ida->tiny_steps)) {
        ida->stale = 1;
        return trm_run_fail_zeno(run, t_limit, t_next - t, "", err);
    }
    TRM_TRY(take_point(run, t_next, err));
    accept(run, t_next);
    return TRM_OK;
}

static int dense(trm_run *run, double t, double *z)
{
    trm_ida *ida = run->method;
    if (trm_sundials.IDAGetDky(ida->solver, t, 0, ida->interpolated) ||
        trm_sundials.IDAGetQuadDky(ida->solver, t, 0, ida->work)) {
        return -1;
    }
    memcpy(z, trm_sundials.N_VGetArrayPointer(ida->interpolated),
           (size_t)(run->n - 1) * sizeof(double));
    const double part = (t - run->before.t) / (run->now.t - run->before.t);
    const double gained = ida->gained[0] + part * (ida->gained[1] - ida->gained[0]);
    z[run->n - 1] = *trm_sundials.N_VGetArrayPointer(ida->work) + gained;
    for (int i = 0; run->contact && i < run->n - 1; i++) {
        z[i] += (1 - part) * ida->closed[0][i] + part * ida->closed[1][i];
    }
    trm_system_normalize(run->system, z);
    return 0;
}

/// The power is integrated along with the motion, without a look at its error.
static void take_work(trm_run *run, double W)
{
    trm_ida *ida = run->method;
    ida->gained[1] += W - run->now.z[run->n - 1];
    run->now.z[run->n - 1] = W;
}

static const trm_stabilization_ops *const index1_partners[] = {&trm_baumgarte, &trm_plain, NULL};
static const trm_stabilization_ops *const ggl_partners[] = {&trm_ggl, NULL};

#define IDA(method, its_partners, contacts, its_layout)                                            \
    const trm_method_ops method = {                                                                \
        .integrator = TRM_INTEGRATOR_IDA,                                                          \
        .name = "ida",                                                                             \
        .doc = "backward differentiation of order 1 to 5, implicit: SUNDIALS",                     \
        .order = 5,                                                                                \
        .adaptive = 1,                                                                             \
        .takes_contacts = contacts,                                                                \
        .partners = its_partners,                                                                  \
        .layout = its_layout,                                                                      \
        .start = start,                                                                            \
        .step = step,                                                                              \
        .dense = dense,                                                                            \
        .take_work = take_work,                                                                    \
        .moved = moved,                                                                            \
    }

IDA(trm_ida_index1, index1_partners, 1, layout_index1);
IDA(trm_ida_ggl, ggl_partners, 0, layout_ggl);
