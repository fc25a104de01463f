/// A mechanism made of the bytes, run on and on until a signal sets its flag, at any instant: in a
/// step, among the changes of one time, in the search for an event. It ends within a second of CPU.
#include "tests/fuzz/mechanism.h"
#include "trammel/trammel_methods.h"

#include <signal.h>
#include <sys/time.h>
#include <time.h>

static volatile sig_atomic_t flag;
static volatile double rang;

static double cpu(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void ring(int number)
{
    (void)number;
    rang = cpu();
    flag = 1;
}

/// us of CPU from now; 0: never.
static void set_timer(unsigned us)
{
    const struct itimerval timer = {.it_value = {.tv_usec = (suseconds_t)us}};
    setitimer(ITIMER_VIRTUAL, &timer, NULL);
}

static void run(const trm_model *model, const trm_method *method, unsigned us)
{
    trm_error err = {.status = TRM_OK};
    trm_sim *sim = NULL;
    trm_options o = trm_default_options(method->integrator, method->stabilization);
    o.h = method->adaptive ? 0 : 1e-3;
    o.assemble = 1;
    if (trm_sim_create(model, &o, &sim, &err) != TRM_OK) {
        return;
    }
    flag = 0;
    trm_sim_set_interrupt(sim, &flag);
    signal(SIGVTALRM, ring);
    set_timer(us);
    trm_status status = TRM_STOPPED;
    double before = -1;
    while (status == TRM_STOPPED && !flag && trm_sim_state(sim).t > before) { // past its own events
        before = trm_sim_state(sim).t;
        status = trm_sim_run(sim, 1e9, NULL, NULL, &err);
    }
    const double late = flag ? cpu() - rang : 0;
    set_timer(0);
    PROMISE(late < 1);
    trm_sim_destroy(sim);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    bytes_left b = {bytes, size};
    trm_scene *scene = NULL;
    const trm_method *methods = NULL;
    const int n = trm_methods(&methods);
    const unsigned us = 100 + 100 * choose(&b, 200);
    const int method = (int)choose(&b, (unsigned)n);
    trm_model *const model = model_of_mechanism(&b, &scene);
    if (model && trm_method_fits(&methods[method], model, NULL) == TRM_OK) {
        run(model, &methods[method], us);
    }
    trm_model_destroy(model);
    trm_scene_destroy(scene);
    return 0;
}
