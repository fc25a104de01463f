/// What becomes of a run of ida when memory is short, and when SUNDIALS answers with what it seldom
/// answers: steps without headway, a state that is no number, no state between two steps.
///
/// The functions below take the places of what makes objects of SUNDIALS and of what steps.
#include "tests/counted_requests.h"
#include "tests/integrators/one_step.h"

#include "integrators/bdf/sundials_compat.h"

#include <unistd.h>

// ------------------------------------------------------------------------- the k-th request fails

#if SUNDIALS_VERSION_MAJOR >= 7
typedef SUNComm communicator;
#else
typedef void *communicator;
#endif
static struct trm_sundials_functions own; ///< theirs

/// As the real function, which leaves a context that must not be freed when it fails.
static int failing_SUNContext_Create(communicator world, SUNContext *context)
{
    static char garbage[1];
    *context = (SUNContext)(void *)garbage;
    return fails() ? -1 : own.SUNContext_Create(world, context);
}

static void *failing_IDACreate(SUNContext context)
{
    return fails() ? NULL : own.IDACreate(context);
}

static N_Vector failing_N_VNew_Serial(sunindextype n, SUNContext context)
{
    return fails() ? NULL : own.N_VNew_Serial(n, context);
}

static SUNLinearSolver failing_SUNLinSolNewEmpty(SUNContext context)
{
    return fails() ? NULL : own.SUNLinSolNewEmpty(context);
}

static int answer_IDASolve(void *solver, sunrealtype end, sunrealtype *t, N_Vector y, N_Vector dy,
                           int task);

static void take_their_places(void)
{
    assert_int_equal(sundials_load(), 1);
    if (!own.IDACreate) {
        own = trm_sundials;
        trm_sundials.SUNContext_Create = failing_SUNContext_Create;
        trm_sundials.IDACreate = failing_IDACreate;
        trm_sundials.N_VNew_Serial = failing_N_VNew_Serial;
        trm_sundials.SUNLinSolNewEmpty = failing_SUNLinSolNewEmpty;
        trm_sundials.IDASolve = answer_IDASolve;
    }
}

/// Each request that creates a run of ida in turn: TRM_ERR_MEMORY and a sentence that
/// says so, no run, nothing kept, nothing printed. Those of
/// SUNDIALS within its own functions are not among them.
CLAIM(every_failed_request_is_told)
{
    static const trm_stabilization forms[] = {TRM_STABILIZATION_GGL, TRM_STABILIZATION_PLAIN,
                                              TRM_STABILIZATION_BAUMGARTE};
    take_their_places();
    rig r = open_bent();
    FILE *const printed = tmpfile();
    const int usual = dup(STDERR_FILENO);
    assert_true(printed && dup2(fileno(printed), STDERR_FILENO) >= 0);
    for (int k = 0; k < 3; k++) {
        const trm_options options = rig_adaptive(TRM_INTEGRATOR_IDA, forms[k], 1e-6, 1e-6);
        long made;
        fail_at = 0;
        do {
            trm_error err = {.status = TRM_OK};
            const long blocks = alive;
            trm_sim *sim = (trm_sim *)&err;
            requests = 0;
            fail_at++;
            const trm_status status = trm_sim_create(r.model, &options, &sim, &err);
            made = requests;
            if (made >= fail_at) {
                assert_int_equal(status, TRM_ERR_MEMORY);
                assert_null(sim);
                if (!strstr(err.message, "memory")) {
                    fail_msg("request %ld: %s", fail_at, err.message);
                }
            } else {
                rig_ok(status, &err);
                rig_ok(trm_sim_step(sim, &err), &err);
            }
            trm_sim_destroy(sim);
            assert_int_equal(alive, blocks);
        } while (made >= fail_at);
        assert_true(fail_at > 20);
    }
    fail_at = 0;
    fflush(stderr);
    assert_true(dup2(usual, STDERR_FILENO) >= 0);
    assert_true(lseek(fileno(printed), 0, SEEK_END) == 0);
    close(usual);
    fclose(printed);
    rig_close(&r);
}

// ------------------------------------------------------------------------------ answers of
// SUNDIALS

typedef enum answer { ITS_OWN, NO_HEADWAY, NO_TIME, NO_NUMBER, TOO_FAST } answer;

static answer answers;
static double reached; ///< s, of a step that is made up

static int answer_IDASolve(void *solver, sunrealtype end, sunrealtype *t, N_Vector y, N_Vector dy,
                           int task)
{
    if (answers == ITS_OWN) {
        return own.IDASolve(solver, end, t, y, dy, task);
    }
    reached += answers == NO_TIME ? 0.0 : 1e-10;
    *t = reached;
    if (answers == NO_NUMBER) {
        own.N_VGetArrayPointer(y)[0] = NAN;
    }
    if (answers == TOO_FAST) {
        own.N_VConst(1e200, y);
    }
    return IDA_SUCCESS;
}

static int no_f(const trm_model *model, double t, const double *q, const double *v, double *f,
                void *user)
{
    (void)model, (void)t, (void)q, (void)v, (void)user;
    f[0] = 0.0;
    return 0;
}

/// A particle on a line, at t = 1 s with the speed v.
static rig particle(double v)
{
    const double q = 0.0;
    trm_error err = {.status = TRM_OK};
    take_their_places();
    rig r = rig_equations(
        &(trm_equations){.name = "particle", .nq = 1, .nv = 1, .M = rig_unit_M, .f = no_f});
    rig_start(&r, rig_adaptive(TRM_INTEGRATOR_IDA, TRM_STABILIZATION_PLAIN, 1e-6, 1e-6));
    rig_ok(trm_sim_set_state(r.sim, 1.0, &q, &v, &err), &err);
    return r;
}

/// The error of a run to t = 2 s in which SUNDIALS answers like this.
static trm_error error_of(rig *r, answer given)
{
    trm_error err = {.status = TRM_OK};
    answers = given;
    reached = 1.0;
    const trm_status status = trm_sim_run(r->sim, 2.0, NULL, NULL, &err);
    answers = ITS_OWN;
    assert_int_equal(status, TRM_ERR_DIVERGED);
    return err;
}

/// 100000 steps of 1e-10 s, each less than 1e-9 of the way, end a run: at rest without headway, in
/// fast motion as too far, with the size of the steps.
CLAIM(a_run_without_headway_ends)
{
    rig r = particle(0.0);
    trm_error err = error_of(&r, NO_HEADWAY);
    assert_non_null(strstr(err.message, "100000 steps in a row made no headway"));
    err = error_of(&r, NO_TIME);
    assert_non_null(strstr(err.message, "the step size went to zero"));
    rig_close(&r);
    r = particle(1e6);
    err = error_of(&r, NO_HEADWAY);
    assert_non_null(strstr(err.message, "too far"));
    assert_non_null(strstr(err.message, "steps of 1e-10 s away"));
    rig_close(&r);
}

/// A state or a rate that is no finite number is told in whole words, no element is blamed, and the
/// run goes on from the last good point.
CLAIM(what_is_no_number_is_told)
{
    rig r = particle(0.0);
    trm_error err = error_of(&r, NO_NUMBER);
    assert_non_null(strstr(err.message, "the state is not finite after the step"));
    rig_run(&r, 2.0);
    rig_close(&r);
    // a force of 1e200 N times a speed of 1e200 m/s: a power beyond the largest number
    r = rig_parse("{\"dimension\": 2, \"bodies\": [{\"name\": \"b\", \"mass\": 1e200, \"shape\": "
                  "{\"type\": \"point\"}, \"position\": [0, 0]}], \"markers\": [{\"name\": \"m\", "
                  "\"body\": \"b\", \"on\": [0, 0]}], \"forces\": [{\"name\": \"f\", \"type\": "
                  "\"force\", \"marker\": \"m\", \"value\": [1e200, 0]}]}");
    rig_start(&r, rig_adaptive(TRM_INTEGRATOR_IDA, TRM_STABILIZATION_PLAIN, 1e-6, 1e-6));
    err = error_of(&r, TOO_FAST);
    assert_non_null(strstr(err.message, "the state is not finite after the step"));
    rig_close(&r);
}

// ---------------------------------------------------------------------------------- counts and
// ends

static int stiff_f(const trm_model *model, double t, const double *q, const double *v, double *f,
                   void *user)
{
    (void)model, (void)t, (void)v, (void)user;
    f[0] = -1e4 * q[0];
    return 0;
}

/// Of an oscillation of 2 pi/100 s: a first step of 1 s cannot be taken.
CLAIM(a_rejected_first_step_is_counted)
{
    static const double q0[1] = {1.0}, v0[1] = {0.0};
    take_their_places();
    rig r = rig_equations(&(trm_equations){
        .name = "fast", .nq = 1, .nv = 1, .q0 = q0, .v0 = v0, .M = rig_unit_M, .f = stiff_f});
    trm_options options = rig_adaptive(TRM_INTEGRATOR_IDA, TRM_STABILIZATION_PLAIN, 1e-6, 1e-6);
    trm_error err = {.status = TRM_OK};
    options.h = 1.0;
    rig_start(&r, options);
    rig_ok(trm_sim_step(r.sim, &err), &err);
    assert_true(trm_sim_stats(r.sim).rejected > 0);
    assert_true(trm_sim_state(r.sim).t < 0.1);
    rig_close(&r);
}

/// An end one number later is reached, where SUNDIALS would refuse to start.
CLAIM(the_next_number_is_reached)
{
    rig r = particle(1.0);
    rig_run(&r, nextafter(1.0, 2.0));
    rig_run(&r, 2.0);
    assert_true(fabs(trm_sim_state(r.sim).q[0] - 1.0) < 1e-6);
    rig_close(&r);
}
