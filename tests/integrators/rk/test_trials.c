/// Stages that other hands compute: a step that finds them known is the step it would have been, to
/// the last bit and the last counter, and asks for no force twice.
#include "integrators/rk/trial.h"
#include "tests/bare_run.h"
#include "tests/integrators/one_step.h"

static long calls; ///< of f

static int counted_f(const trm_model *model, double t, const double *q, const double *v, double *f,
                     void *user)
{
    calls++;
    return bent_f(model, t, q, v, f, user);
}

static void open_both(bare_run b[2], const trm_model *model, trm_integrator integrator)
{
    for (int i = 0; i < 2; i++) {
        trm_options o = rig_adaptive(integrator, TRM_STABILIZATION_PLAIN, 1e-4, 1e-4);
        o.h = 0.01;
        open_run(&b[i], model, o);
    }
}

static void close_both(bare_run b[2])
{
    for (int i = 0; i < 2; i++) {
        trm_arena_close(&b[i].arena);
    }
}

/// All stages but the last of the next step. Counters stay as they are.
static double try_stages(bare_run *b)
{
    trm_trial trial;
    trm_system *system = b->run.system;
    const long before[] = {system->force_evals, system->jacobian_evals, system->factorizations};
    b->run.method_ops->trial(&b->run, INFINITY, &trial);
    for (int s = 1; s < trial.stages; s++) {
        trm_stage_sum(&trial.row[s], 0, trial.n, trial.y, trial.h, trial.k, trial.argument);
        assert_int_equal(
            trial.rates(&b->run, trial.t + trial.c[s] * trial.h, trial.argument, trial.k[s]), 0);
    }
    *trial.handed =
        (trm_handed){.h = trial.h,
                     .stages = trial.stages,
                     .evals = {system->force_evals - before[0], system->jacobian_evals - before[1],
                               system->factorizations - before[2]}};
    system->force_evals = before[0];
    system->jacobian_evals = before[1];
    system->factorizations = before[2];
    return trial.h;
}

static long step(bare_run *b)
{
    trm_error err = {.status = TRM_OK};
    const long before = calls;
    rig_ok(b->run.method_ops->step(&b->run, INFINITY, &err), &err);
    return calls - before;
}

static void check_equal(const bare_run b[2])
{
    assert_memory_equal(b[0].run.now.z, b[1].run.now.z, NZ * sizeof(double));
    assert_memory_equal(b[0].run.now.dz, b[1].run.now.dz, NZ * sizeof(double));
    assert_true(b[0].run.now.t == b[1].run.now.t && b[0].run.h_next == b[1].run.h_next);
    assert_int_equal(b[0].run.system->force_evals, b[1].run.system->force_evals);
    assert_int_equal(b[0].run.system->jacobian_evals, b[1].run.system->jacobian_evals);
    assert_int_equal(b[0].run.system->factorizations, b[1].run.system->factorizations);
}

CLAIM(known_stages_are_taken_once)
{
    static const trm_integrator pairs[] = {TRM_INTEGRATOR_DOPRI5, TRM_INTEGRATOR_DOP853,
                                           TRM_INTEGRATOR_RK4};
    for (int k = 0; k < 3; k++) {
        rig scene = open_bent_with(counted_f);
        bare_run b[2];
        open_both(b, scene.model, pairs[k]);
        for (int n = 0; n < 3; n++) {
            const long before = calls;
            const double h = try_stages(&b[1]);
            const long tried = calls - before, rest = step(&b[1]), whole = step(&b[0]);
            assert_int_equal(tried + rest, whole);
            check_equal(b);
            b[0].run.h_next = b[1].run.h_next = h; // the same size again, and nothing known
            assert_int_equal(step(&b[1]), step(&b[0]));
            check_equal(b);
        }
        close_both(b);
        rig_close(&scene);
    }
}

/// Neither for a step of another size nor after a restart.
CLAIM(known_stages_are_of_one_step)
{
    rig scene = open_bent_with(counted_f);
    bare_run b[2];
    trm_error err;
    open_both(b, scene.model, TRM_INTEGRATOR_DOPRI5);
    try_stages(&b[1]);
    b[0].run.h_next = b[1].run.h_next = 0.02;
    assert_int_equal(step(&b[1]), step(&b[0]));
    check_equal(b);
    const double h = try_stages(&b[1]);
    for (int i = 0; i < 2; i++) {
        rig_ok(b[i].run.method_ops->start(&b[i].run, &err), &err);
        b[i].run.h_next = h;
    }
    assert_int_equal(step(&b[1]), step(&b[0]));
    check_equal(b);
    close_both(b);
    rig_close(&scene);
}
