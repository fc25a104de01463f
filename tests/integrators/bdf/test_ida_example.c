// The slider-crank shipped with SUNDIALS: its printed table, digit by digit.
//
// The table is that of a run at rtol = atol = 1e-6, so its last digits are those of that run. Two
// claims divide the proof: what ida solves, handed to SUNDIALS with all settings as SUNDIALS'
// authors left them, prints every digit of the table; and with the settings of this integrator, at
// a tight tolerance, it prints every digit of the table that belongs to the solution of the
// equations, as dop853, which shares no code with it, has it.

#include "tests/bare_run.h"

/// y = (q crank angle, x slider, p rod angle); a = 1/2, J1 = 1, m2 = 1, J2 = 2, F = k = c = l0 = 1.
static int crank_M(const trm_model *model, double t, const double *y, double *M, void *user)
{
    (void)model, (void)t, (void)y, (void)user;
    memcpy(M, (const double[]){1, 0, 0, 0, 1, 0, 0, 0, 2}, 9 * sizeof(double));
    return 0;
}

/// A spring and damper from (a/2)(cos q, sin q) to (x - cos p/2, -sin p/2), and a constant force.
static int crank_f(const trm_model *model, double t, const double *y, const double *v, double *f,
                   void *user)
{
    (void)model, (void)t, (void)user;
    const double a = 0.5;
    const double dx = y[1] - cos(y[2]) / 2 - a / 2 * cos(y[0]);
    const double dy = -sin(y[2]) / 2 - a / 2 * sin(y[0]);
    const double l = sqrt(dx * dx + dy * dy);
    const double gradient[3] = {(dx * a / 2 * sin(y[0]) - dy * a / 2 * cos(y[0])) / l, dx / l,
                                (dx * sin(y[2]) / 2 - dy * cos(y[2]) / 2) / l};
    const double rate = gradient[0] * v[0] + gradient[1] * v[1] + gradient[2] * v[2];
    const double tension = l - 1 + rate;
    f[0] = -tension * gradient[0];
    f[1] = -tension * gradient[1] + 1;
    f[2] = -tension * gradient[2] - sin(y[2]);
    return 0;
}

static int crank_g(const trm_model *model, double t, const double *y, double *g, void *user)
{
    (void)model, (void)t, (void)user;
    g[0] = y[1] - cos(y[2]) - 0.5 * cos(y[0]);
    g[1] = -sin(y[2]) - 0.5 * sin(y[0]);
    return 0;
}

static int crank_G(const trm_model *model, double t, const double *y, double *G, void *user)
{
    (void)model, (void)t, (void)user;
    const double rows[6] = {0.5 * sin(y[0]), 1, sin(y[2]), -0.5 * cos(y[0]), 0, -cos(y[2])};
    memcpy(G, rows, sizeof rows);
    return 0;
}

static int crank_gamma(const trm_model *model, double t, const double *y, const double *v,
                       double *gamma, void *user)
{
    (void)model, (void)t, (void)user;
    gamma[0] = -(0.5 * cos(y[0]) * v[0] * v[0] + cos(y[2]) * v[2] * v[2]);
    gamma[1] = -(0.5 * sin(y[0]) * v[0] * v[0] + sin(y[2]) * v[2] * v[2]);
    return 0;
}

/// t, q, x, p as SUNDIALS 7.5 prints them in the example idaSlCrank_dns, rtol = atol = 1e-6.
static const double printed[][4] = {
    {0.0, 1.5708, 0.86603, -0.5236},   {0.25, 1.5548, 0.87406, -0.52352},
    {0.5, 1.5069, 0.89855, -0.52242},  {0.75, 1.427, 0.94063, -0.51765},
    {1.0, 1.3154, 1.0015, -0.50497},   {1.25, 1.1731, 1.0811, -0.47909},
    {1.5, 1.0016, 1.1765, -0.43472},   {1.75, 0.80288, 1.2804, -0.36792},
    {2.0, 0.57904, 1.3803, -0.27715},  {2.25, 0.33326, 1.459, -0.1643},
    {2.5, 0.072238, 1.498, -0.036096}, {2.75, -0.19245, 1.4862, 0.095777},
    {3.0, -0.44711, 1.4272, 0.2179},   {3.25, -0.6809, 1.3377, 0.32019},
    {3.5, -0.8875, 1.2374, 0.39819},   {3.75, -1.0634, 1.1424, 0.45228},
    {4.0, -1.2064, 1.0623, 0.48609},   {4.25, -1.315, 1.0017, 0.50491},
    {4.5, -1.3883, 0.96149, 0.51404},  {4.75, -1.4265, 0.94088, 0.51761},
    {5.0, -1.43, 0.93903, 0.5179},     {5.25, -1.3992, 0.9556, 0.51514},
    {5.5, -1.3346, 0.99087, 0.50765},  {5.75, -1.2371, 1.0451, 0.49204},
    {6.0, -1.108, 1.1176, 0.46386},    {6.25, -0.94916, 1.2048, 0.41858},
    {6.5, -0.76277, 1.2999, 0.35273},  {6.75, -0.55125, 1.391, 0.26497},
    {7.0, -0.31828, 1.4626, 0.15711},  {7.25, -0.070713, 1.4981, 0.035334},
    {7.5, 0.18041, 1.4879, -0.089839}, {7.75, 0.42223, 1.4349, -0.20636},
    {8.0, 0.64422, 1.3536, -0.305},    {8.25, 0.83984, 1.2619, -0.38145},
    {8.5, 1.0053, 1.1745, -0.43582},   {8.75, 1.138, 1.1008, -0.47113},
    {9.0, 1.2363, 1.0456, -0.49189},   {9.25, 1.2992, 1.0105, -0.50257},
    {9.5, 1.3266, 0.99533, -0.50655},  {9.75, 1.3185, 0.99977, -0.50542},
    {10.0, 1.2757, 1.0236, -0.49881},
};

static void set_start(double *y)
{
    y[0] = pi / 2;
    y[2] = asin(-0.5);
    y[1] = cos(y[2]);
}

static rig open_crank(void)
{
    static double start[3];
    set_start(start);
    const trm_equations equations = {.name = "slider-crank",
                                     .nq = 3,
                                     .nv = 3,
                                     .nc = 2,
                                     .q0 = start,
                                     .M = crank_M,
                                     .f = crank_f,
                                     .g = crank_g,
                                     .G = crank_G,
                                     .gamma = crank_gamma};
    return rig_equations(&equations);
}

enum { ROWS = sizeof printed / sizeof *printed };

static int same_digits(double x, double expected)
{
    char a[40], b[40];
    snprintf(a, sizeof a, "%.5g", x);
    snprintf(b, sizeof b, "%.5g", expected);
    return strcmp(a, b) == 0;
}

// -------------------------------------------------------------------------- as SUNDIALS has it

static int residual(sunrealtype t, N_Vector y, N_Vector dy, N_Vector r, void *user)
{
    trm_run *run = user;
    const trm_ida *ida = run->method;
    return ida->form->residual(run, t, N_VGetArrayPointer(y), N_VGetArrayPointer(dy),
                               N_VGetArrayPointer(r));
}

static int matrix(sunrealtype t, sunrealtype c, N_Vector y, N_Vector dy, N_Vector r, SUNMatrix J,
                  void *user, N_Vector spare1, N_Vector spare2, N_Vector spare3)
{
    (void)r, (void)spare1, (void)spare2, (void)spare3;
    trm_run *run = user;
    const trm_ida *ida = run->method;
    const trm_newton_matrix *m = &ida->newton;
    const int code = trm_ida_newton(run, t, c, N_VGetArrayPointer(y), N_VGetArrayPointer(dy));
    for (int j = 0; j < m->n; j++) {
        for (int p = m->column[j]; p < m->column[j + 1]; p++) {
            SUNDenseMatrix_Column(J, j)[m->row[p]] = m->values[p];
        }
    }
    return code;
}

/// A second solver for the equations of a run: tolerances, nothing else.
typedef struct plain_solver {
    SUNContext context;
    sundials_message message;
    void *ida;
    N_Vector y, dy, id;
    SUNMatrix J;
    SUNLinearSolver linear;
} plain_solver;

/// At rest, with the accelerations that there would be without the constraints, and no multipliers.
static void start_as_the_example(double *y, double *dy)
{
    double M[9];
    set_start(y);
    crank_M(NULL, 0, y, M, NULL);
    crank_f(NULL, 0, y, y + 3, dy + 3, NULL);
    for (int i = 0; i < 3; i++) {
        dy[3 + i] /= M[4 * i];
    }
}

static void open_solver(plain_solver *s, bare_run *b)
{
    const trm_ida *own = b->run.method;
    const int differential = b->run.n - 1;
    assert_int_equal(sundials_open(&s->context, &s->message), 0);
    s->ida = IDACreate(s->context);
    s->y = N_VNew_Serial(own->full, s->context);
    s->dy = N_VClone(s->y);
    s->id = N_VClone(s->y);
    N_VConst(0, s->y);
    N_VConst(0, s->dy);
    start_as_the_example(N_VGetArrayPointer(s->y), N_VGetArrayPointer(s->dy));
    for (int i = 0; i < own->full; i++) {
        N_VGetArrayPointer(s->id)[i] = i < differential;
    }
    s->J = SUNDenseMatrix(own->full, own->full, s->context);
    s->linear = SUNLinSol_Dense(s->y, s->J, s->context);
    assert_int_equal(IDAInit(s->ida, residual, 0, s->y, s->dy), 0);
    assert_int_equal(IDASStolerances(s->ida, 1e-6, 1e-6), 0);
    assert_int_equal(IDASetUserData(s->ida, &b->run), 0);
    assert_int_equal(IDASetId(s->ida, s->id), 0);
    assert_int_equal(IDASetSuppressAlg(s->ida, 1), 0);
    assert_int_equal(IDASetLinearSolver(s->ida, s->linear, s->J), 0);
    assert_int_equal(IDASetJacFn(s->ida, matrix), 0);
}

static void close_solver(plain_solver *s)
{
    IDAFree(&s->ida);
    SUNLinSolFree(s->linear);
    SUNMatDestroy(s->J);
    N_VDestroy(s->y);
    N_VDestroy(s->dy);
    N_VDestroy(s->id);
    SUNContext_Free(&s->context);
}

CLAIM(with_the_settings_of_sundials_every_digit_is_the_printed_one)
{
    rig r = open_crank();
    bare_run b;
    plain_solver s;
    trm_options options = rig_adaptive(TRM_INTEGRATOR_IDA, TRM_STABILIZATION_GGL, 1e-6, 1e-6);
    options.mass_metric = 0; // q' = v - G^T mu
    open_run(&b, r.model, options);
    open_solver(&s, &b);
    for (int i = 1; i < ROWS; i++) {
        double t;
        assert_int_equal(IDASolve(s.ida, printed[i][0], &t, s.y, s.dy, IDA_NORMAL), 0);
        for (int j = 0; j < 3; j++) {
            const double x = N_VGetArrayPointer(s.y)[j], expected = printed[i][1 + j];
            if (!same_digits(x, expected)) {
                fail_msg("t = %g, column %d: %.5g, printed %.5g", t, j, x, expected);
            }
        }
    }
    close_solver(&s);
    close_run(&b);
    rig_close(&r);
}

// ----------------------------------------------------------------------- as this integrator has it

/// What the example's tolerance of 1e-6 costs it beyond half a unit of the last printed digit.
static const double example_error = 7e-6;

CLAIM(the_digits_that_belong_to_the_solution_are_printed)
{
    const trm_stabilization forms[] = {TRM_STABILIZATION_GGL, TRM_STABILIZATION_BAUMGARTE,
                                       TRM_STABILIZATION_PLAIN};
    for (int k = 0; k < 3; k++) {
        rig r = open_crank(), other = open_crank();
        int same = 0;
        rig_start(&r, rig_adaptive(TRM_INTEGRATOR_IDA, forms[k], 1e-10, 1e-10));
        rig_start(&other,
                  rig_adaptive(TRM_INTEGRATOR_DOP853, TRM_STABILIZATION_S_BOTH2, 1e-13, 1e-13));
        for (int i = 1; i < ROWS; i++) {
            rig_run(&r, printed[i][0]);
            rig_run(&other, printed[i][0]);
            for (int j = 0; j < 3; j++) {
                const double expected = printed[i][1 + j];
                const double exact = trm_sim_state(other.sim).q[j];
                const double x = trm_sim_state(r.sim).q[j];
                const double half_a_unit = 0.5 * pow(10, floor(log10(fabs(expected))) - 4);
                near("the solution", x, exact, 1e-7);
                near("printed", x, expected, half_a_unit + example_error);
                same += same_digits(exact, expected);
                if (same_digits(exact, expected) && !same_digits(x, expected)) {
                    fail_msg("t = %g, column %d: %.5g, printed %.5g", printed[i][0], j, x,
                             expected);
                }
            }
        }
        assert_int_equal(same, 99); // of 120
        rig_close(&other);
        rig_close(&r);
    }
}
