/// The same run gives the same bits: again, restarted, sampled or not, on one thread or on four.
#include "tests/simulation/run/runs.h"

#include <pthread.h>

/// `t`, or a time before srm with E = I opens the spatial slider-crank by half its size.
static double end_of(const char *scene, const trm_method *method, double t)
{
    const int tears = method->stabilization == TRM_STABILIZATION_SRM &&
                      strcmp(scene, "spatial_slider_crank") == 0;
    return tears ? fmin(t, 0.12) : t;
}

// ------------------------------------------------------------------------------------- same bits

static void run_and_take(rig *r, trm_options options, double t_end, record *out)
{
    rig_start(r, options);
    rig_run(r, t_end);
    take(r->sim, r->model, out);
}

static const char *const scenes[] = {"slider_crank_turn", "arm_sine", "spatial_slider_crank"};
enum { SCENES = sizeof scenes / sizeof *scenes };

CLAIM(two_runs_give_the_same_bits)
{
    const trm_method *methods = NULL;
    const int n = trm_methods(&methods);

    for (int k = 0; k < SCENES; k++) {
        rig r = rig_load(scenes[k], NULL), other = rig_load(scenes[k], NULL);
        for (int i = 0; i < n; i++) {
            if (!rig_fits(&r, &methods[i])) {
                continue;
            }
            record a, b;
            run_and_take(&r, loose(&methods[i]), 0.1, &a);
            run_and_take(&other, loose(&methods[i]), 0.1, &b);
            check_same(name_of(&methods[i]), &a, &b, 1);
        }
        rig_close(&r);
        rig_close(&other);
    }
}

/// A run, then set_state to the start, is a fresh run: nothing of the first run remains.
CLAIM(a_restart_is_a_fresh_run)
{
    const trm_method *methods = NULL;
    const int n = trm_methods(&methods);

    for (int k = 0; k < SCENES; k++) {
        rig r = rig_load(scenes[k], NULL);
        for (int i = 0; i < n; i++) {
            if (!rig_fits(&r, &methods[i])) {
                continue;
            }
            record fresh, again;
            double q[MAX_Q], v[MAX_V];
            trm_error err = {.status = TRM_OK};
            run_and_take(&r, loose(&methods[i]), 0.1, &fresh);
            rig_run(&r, end_of(scenes[k], &methods[i], 0.45));
            trm_model_initial_state(r.model, q, v);
            rig_ok(trm_sim_set_state(r.sim, 0.0, q, v, &err), &err);
            assert_int_equal(trm_sim_stats(r.sim).steps, 0);
            rig_run(&r, 0.1);
            take(r.sim, r.model, &again);
            check_same(name_of(&methods[i]), &fresh, &again, 1);
        }
        rig_close(&r);
    }
}

static int sample_often(trm_sim *sim, void *user)
{
    double *before = user;
    const double now = trm_sim_state(sim).t;
    for (int k = 1; k <= 3; k++) {
        trm_sample sample;
        trm_error err = {.status = TRM_OK};
        rig_ok(trm_sim_sample(sim, *before + k / 3.5 * (now - *before), &sample, &err), &err);
    }
    *before = now;
    return 0;
}

/// Recording must not change what is recorded: the crank runs through its dead points here.
CLAIM(samples_leave_no_trace)
{
    const trm_method *methods = NULL;
    const int n = trm_methods(&methods);

    for (int k = 0; k < SCENES; k++) {
        rig r = rig_load(scenes[k], NULL);
        for (int i = 0; i < n; i++) {
            if (!rig_fits(&r, &methods[i])) {
                continue;
            }
            record plain, sampled;
            double before = 0.0;
            const double end = end_of(scenes[k], &methods[i], 0.5);
            run_and_take(&r, loose(&methods[i]), end, &plain);
            rig_start(&r, loose(&methods[i]));
            rig_observe(&r, end, sample_often, &before);
            take(r.sim, r.model, &sampled);
            check_same(name_of(&methods[i]), &plain, &sampled, 0);
        }
        rig_close(&r);
    }
}

typedef struct job {
    const trm_model *model;
    trm_options options;
    record end;
    trm_status status;
} job;

static void *run_job(void *user)
{
    job *j = user;
    trm_sim *sim = NULL;
    j->status = trm_sim_create(j->model, &j->options, &sim, NULL);
    if (j->status == TRM_OK) {
        j->status = trm_sim_run(sim, 1.0, NULL, NULL, NULL);
        take(sim, j->model, &j->end);
    }
    trm_sim_destroy(sim);
    return NULL;
}

CLAIM(four_threads_share_one_model)
{
    enum { THREADS = 4 };
    const char *const shared[] = {"slider_crank_turn", "bricard", "arm_sine"};

    for (size_t k = 0; k < sizeof shared / sizeof *shared; k++) {
        rig r = rig_load(shared[k], NULL);
        job alone = {.model = r.model, .options = rig_choose(&r, 1e-6)}, jobs[THREADS];
        pthread_t threads[THREADS];
        run_job(&alone);
        assert_int_equal(alone.status, TRM_OK);
        for (int i = 0; i < THREADS; i++) {
            jobs[i] = (job){.model = r.model, .options = alone.options};
            assert_int_equal(pthread_create(&threads[i], NULL, run_job, &jobs[i]), 0);
        }
        for (int i = 0; i < THREADS; i++) {
            assert_int_equal(pthread_join(threads[i], NULL), 0);
            assert_int_equal(jobs[i].status, TRM_OK);
            check_same(shared[k], &alone.end, &jobs[i].end, 1);
        }
        rig_close(&r);
    }
}
