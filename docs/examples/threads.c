/// Many threads, one model: a double pendulum under 64 different torques, first one after another,
/// then on eight threads. The model is only read; each run is a thread's own. Same bits either way.
///
///     cc threads.c $(pkg-config --cflags --libs trammel) -lpthread -o threads
#include <trammel/trammel.h>

#include <pthread.h>
#include <stdio.h>
#include <string.h>

enum { RUNS = 64, THREADS = 8 };

static const char scene_text[] =
    "{\"dimension\": 2, \"gravity\": [0, -9.81],"
    " \"parameters\": {\"torque\": {\"value\": 0, \"input\": true}},"
    " \"bodies\": [{\"name\": \"upper\", \"mass\": 1, \"ends\": [[0, 0], [1, 0]]},"
    "            {\"name\": \"lower\", \"mass\": 1, \"ends\": [[1, 0], [2, 0]]}],"
    " \"joints\": [{\"name\": \"shoulder\", \"type\": \"revolute\", \"bodies\": [\"ground\", "
    "\"upper\"],"
    "             \"at\": [0, 0]},"
    "            {\"name\": \"elbow\", \"type\": \"revolute\", \"bodies\": [\"upper\", \"lower\"],"
    "             \"at\": [1, 0]}],"
    " \"forces\": [{\"name\": \"drive\", \"type\": \"joint_force\", \"joint\": \"shoulder\","
    "             \"value\": \"torque\"}]}";

/// The angle of the lower bar after three seconds, in which this motion has become chaotic.
static trm_status one_run(const trm_model *model, double torque, double *angle, trm_error *err)
{
    trm_sim *sim = NULL;
    trm_sensor sensor;
    trm_options options = trm_default_options(TRM_INTEGRATOR_DOPRI5, TRM_STABILIZATION_S_BOTH2);
    options.rtol = options.atol = 1e-8;
    trm_status status = trm_sim_create(model, &options, &sim, err);
    status = status ? status
                    : trm_sim_set_input(sim, trm_model_find(model, TRM_ELEMENT_INPUT, "torque"),
                                        torque, err);
    status = status ? status : trm_sim_step_to(sim, 3, err);
    status = status ? status : trm_model_sensor(model, "lower.angle", &sensor, err);
    status = status ? status : trm_sim_read(sim, &sensor, angle, err);
    trm_sim_destroy(sim);
    return status;
}

/// What one thread does: runs first, first + stride, ...
typedef struct share {
    const trm_model *model;
    int first, stride;
    double *angle; ///< [RUNS], of which a share writes its own entries
    trm_status status;
    trm_error err;
} share;

static void *work(void *user)
{
    share *s = user;
    s->status = TRM_OK;
    for (int i = s->first; i < RUNS && !s->status; i += s->stride) {
        s->status = one_run(s->model, 0.05 * i, &s->angle[i], &s->err);
    }
    return NULL;
}

static int on_threads(const trm_model *model, double *angle)
{
    pthread_t thread[THREADS];
    share shares[THREADS];
    int started = 0, failed = 0;
    for (; started < THREADS; started++) {
        shares[started] =
            (share){.model = model, .first = started, .stride = THREADS, .angle = angle};
        if (pthread_create(&thread[started], NULL, work, &shares[started])) {
            failed = 1;
            break;
        }
    }
    for (int i = 0; i < started; i++) {
        pthread_join(thread[i], NULL);
        if (shares[i].status) {
            fprintf(stderr, "%s\n", shares[i].err.message);
            failed = 1;
        }
    }
    return failed;
}

int main(void)
{
    trm_scene *scene = NULL;
    trm_model *model = NULL;
    trm_error err;
    double serial[RUNS], parallel[RUNS];
    if (trm_scene_parse(scene_text, strlen(scene_text), &scene, &err) ||
        trm_model_build(scene, &model, &err)) {
        fprintf(stderr, "%s: %s\n", err.where, err.message);
        trm_scene_destroy(scene);
        return 1;
    }
    share all = {.model = model, .first = 0, .stride = 1, .angle = serial};
    work(&all);
    int failed = all.status != TRM_OK || on_threads(model, parallel);
    if (!failed) {
        const int same = memcmp(serial, parallel, sizeof serial) == 0;
        printf("lower bar at %.6f rad without a torque, at %.6f rad with %.2f N m\n", serial[0],
               serial[RUNS - 1], 0.05 * (RUNS - 1));
        printf("%d runs on %d threads: %s\n", RUNS, THREADS,
               same ? "the same to the last bit" : "not the same");
        failed = !same;
    }
    trm_model_destroy(model);
    trm_scene_destroy(scene);
    return failed;
}
