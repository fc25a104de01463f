/// Methods from outside (trammel/trammel_register.h): the run as they see it, and their functions
/// as those of a stabilization and of an integrator. What they return is checked once, here.
#include "base/status.h"
#include "integrators/registry.h"
#include "trammel/trammel_register.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

enum { NAME = 40, TEXT = 80, FIRST = 1000 }; // FIRST: enumerators of those from outside

typedef struct own_texts {
    char name[NAME], doc[TEXT], source[TEXT];
} own_texts;

typedef struct own_stabilization {
    trm_stabilization_ops ops; ///< first: run->stabilization is its address
    trm_own_stabilization own;
    own_texts texts;
} own_stabilization;

typedef struct own_integrator {
    trm_method_ops ops; ///< first: run->method_ops is its address
    trm_own_integrator own;
    own_texts texts, texts_of_partner;
    trm_stabilization_ops partner;
    const trm_stabilization_ops *partners[2];
} own_integrator;

static struct {
    pthread_mutex_t lock;
    int nstabilizations, nintegrators;
    own_stabilization stabilizations[TRM_MOST_OWN];
    own_integrator integrators[TRM_MOST_OWN];
} all = {.lock = PTHREAD_MUTEX_INITIALIZER};

// ------------------------------------------------------------------------- the run, from outside

static trm_system *system_of(const trm_mechanism *p)
{
    return ((trm_run *)p->run)->system;
}

static int position(const trm_mechanism *p, double t, const double *q, double *g)
{
    trm_system *system = system_of(p);
    const int code = trm_system_position(system, t, q);
    memcpy(g, system->g, (size_t)system->nc * sizeof *g);
    return code;
}

static void velocity_residual(const trm_mechanism *p, const double *v, double *r)
{
    trm_system_velocity_residual(system_of(p), v, r);
}

static int acceleration_residual(const trm_mechanism *p, const double *v, const double *a,
                                 double *r)
{
    return trm_system_acceleration_residual(system_of(p), v, a, r);
}

static int force(const trm_mechanism *p, const double *v, double *f)
{
    double power;
    return trm_system_force(system_of(p), v, f, &power);
}

static void multiply_M(const trm_mechanism *p, double *x)
{
    trm_system_multiply_M(system_of(p), x);
}

static void solve_M(const trm_mechanism *p, double *x)
{
    trm_system_solve_M(system_of(p), x);
}

static void multiply_G(const trm_mechanism *p, const double *x, double *y)
{
    trm_system_multiply_G(system_of(p), x, y);
}

static void multiply_GT(const trm_mechanism *p, const double *y, double *x)
{
    trm_system_multiply_GT(system_of(p), y, x);
}

static void spread(const trm_mechanism *p, const double *y, double *x)
{
    trm_system_spread(system_of(p), TRM_METRIC_MASS, y, x);
}

static int factor(const trm_mechanism *p)
{
    return p->nc > 0 ? trm_system_factor(system_of(p), TRM_METRIC_MASS) : 0;
}

static void solve(const trm_mechanism *p, double *y)
{
    if (p->nc > 0) {
        trm_system_solve_S(system_of(p), y);
    }
}

static void rates_of_q(const trm_mechanism *p, const double *q, const double *v, double *qdot)
{
    trm_system_rates(system_of(p), q, v, qdot);
}

static void move(const trm_mechanism *p, const double *x, double *q)
{
    trm_system_move(system_of(p), x, q);
}

typedef int rates_fn(trm_run *run, double t, const double *z, double *dz, double *lambda);

/// By way of z and dz [run->n], which q and v need not be parts of.
static int accelerate_by(trm_run *run, rates_fn *rates, double *z, double t, const double *q,
                         const double *v, double *a, double *lambda)
{
    const size_t nq = (size_t)run->system->nq, nv = (size_t)run->system->nv;
    double *const dz = z + run->n;
    memcpy(z, q, nq * sizeof *z);
    memcpy(z + nq, v, nv * sizeof *z);
    z[run->n - 1] = 0;
    const int code = rates(run, t, z, dz, lambda);
    memcpy(a, dz + nq, nv * sizeof *a);
    return code;
}

static int accelerate_by_acc(const trm_mechanism *p, double t, const double *q, const double *v,
                             double *a, double *lambda)
{
    trm_run *run = p->run;
    return accelerate_by(run, trm_index1_rates, run->stabilization_memory, t, q, v, a, lambda);
}

static trm_mechanism point_of(trm_run *run)
{
    const trm_system *system = run->system;
    return (trm_mechanism){.nq = system->nq,
                           .nv = system->nv,
                           .nc = system->nc,
                           .position = position,
                           .velocity_residual = velocity_residual,
                           .acceleration_residual = acceleration_residual,
                           .force = force,
                           .multiply_M = multiply_M,
                           .solve_M = solve_M,
                           .multiply_G = multiply_G,
                           .multiply_GT = multiply_GT,
                           .spread = spread,
                           .factor = factor,
                           .solve = solve,
                           .rates = rates_of_q,
                           .move = move,
                           .accelerate = accelerate_by_acc,
                           .run = run};
}

/// Of a function of the method: its code, and whether what it wrote is finite.
static int check(trm_run *run, const char *name, int code, int n, const double *x, int m,
                 const double *y)
{
    trm_system *system = run->system;
    if (code && !system->failed) {
        system->failed = name;
    }
    code = code ? code : trm_system_check_finite(system, name, n, x);
    return code ? code : trm_system_check_finite(system, name, m, y);
}

// ------------------------------------------------------------------------------- stabilizations

static void layout_stabilization(trm_run *run, trm_arena *arena)
{
    const own_stabilization *of = (const own_stabilization *)run->stabilization;
    run->stabilization_memory = trm_arena_doubles(arena, 2 * run->n);
    run->unfactored |= of->own.rates != NULL;
}

static int rates(trm_run *run, double t, const double *z, double *dz, double *lambda)
{
    const own_stabilization *of = (const own_stabilization *)run->stabilization;
    trm_system *system = run->system;
    const trm_mechanism p = point_of(run);
    const double *v = z + system->nq;
    double *a = dz + system->nq;
    int code = of->own.rates(&p, t, z, v, a, lambda, of->own.user);
    code = check(run, of->texts.name, code, system->nv, a, system->nc, lambda);
    TRM_TRY(code ? code : trm_system_position(system, t, z));
    trm_system_rates(system, z, v, dz);
    code = trm_system_force(system, v, run->work_v, &dz[run->n - 1]);
    for (int i = 0; system->moving && i < system->nc; i++) {
        dz[run->n - 1] += lambda[i] * system->g_t[i];
    }
    return code;
}

static int correct(trm_run *run, double t, double *z)
{
    const own_stabilization *of = (const own_stabilization *)run->stabilization;
    trm_system *system = run->system;
    const trm_mechanism p = point_of(run);
    double *v = z + system->nq;
    const int code = of->own.correct(&p, t, z, v, of->own.user);
    return check(run, of->texts.name, code, system->nq, z, system->nv, v);
}

// ---------------------------------------------------------------------------------- integrators

typedef struct own_memory {
    double *work;       ///< [2*n]
    double *end;        ///< [numbers] at run->now
    double *before;     ///< [numbers] at the start of the last step, which may be taken back
    double t, t_before; ///< s, of both; t NAN: none is known
    int numbers;
} own_memory;

static const own_integrator *integrator_of(const trm_run *run)
{
    return (const own_integrator *)run->method_ops;
}

static int accelerate_by_run(const trm_mechanism *p, double t, const double *q, const double *v,
                             double *a, double *lambda)
{
    trm_run *run = p->run;
    const own_memory *memory = run->method;
    return accelerate_by(run, trm_run_rates, memory->work, t, q, v, a, lambda);
}

static trm_mechanism point_of_integrator(trm_run *run)
{
    trm_mechanism p = point_of(run);
    p.accelerate = accelerate_by_run;
    return p;
}

static void layout(trm_run *run, trm_arena *arena)
{
    own_memory counted, *memory = trm_arena_struct(arena, sizeof counted, &counted, &run->method);
    const trm_own_integrator *own = &integrator_of(run)->own;
    const trm_system *system = run->system;
    const long numbers =
        own->memory ? own->memory(system->nq, system->nv, system->nc, own->user) : 0;
    memory->numbers = (int)(numbers > 0 ? numbers : 0);
    memory->work = trm_arena_doubles(arena, 2 * run->n);
    TRM_ARENA_DOUBLES(arena, memory->numbers, &memory->end, &memory->before);
    memory->t = memory->t_before = NAN;
    run->unfactored = 1;
}

/// Its memory anew, from run->now.
static int begin(trm_run *run)
{
    const own_integrator *of = integrator_of(run);
    own_memory *memory = run->method;
    const trm_mechanism p = point_of_integrator(run);
    memset(memory->end, 0, (size_t)memory->numbers * sizeof(double));
    memory->t = run->now.t;
    const int code = of->own.start ? of->own.start(&p, run->now.t, run->now.z, run->now.z + p.nq,
                                                   memory->end, of->own.user)
                                   : 0;
    return check(run, of->texts.name, code, memory->numbers, memory->end, 0, NULL);
}

static trm_status start(trm_run *run, trm_error *err)
{
    trm_point_of_run *now = &run->now;
    own_memory *const memory = run->method;
    memory->t = memory->t_before = NAN;
    const int code = trm_run_rates(run, now->t, now->z, now->dz, now->lambda);
    return code ? trm_run_fail_code(run, code, err) : TRM_OK;
}

/// The memory at run->now: the last step's, or that before it, where an event has taken it back.
static int recall(trm_run *run)
{
    own_memory *memory = run->method;
    const size_t bytes = (size_t)memory->numbers * sizeof(double);
    const int jumped = run->shifted || run->rates_changed;
    run->shifted = 0;
    if (jumped || (run->now.t != memory->t && run->now.t != memory->t_before)) {
        const int code = begin(run);
        memory->t_before = memory->t;
        memcpy(memory->before, memory->end, bytes);
        return code;
    }
    if (run->now.t == memory->t) {
        memcpy(memory->before, memory->end, bytes);
        memory->t_before = memory->t;
    } else {
        memcpy(memory->end, memory->before, bytes);
    }
    return 0;
}

/// The work of the step that has just ended by Simpson's rule, where forces without potential act.
static int add_work(trm_run *run)
{
    own_memory *memory = run->method;
    const int last = run->n - 1;
    const trm_point_of_run *a = &run->before, *b = &run->now;
    double *middle = memory->work;
    if (a->dz[last] == 0 && b->dz[last] == 0) {
        return 0;
    }
    const double t = a->t + (b->t - a->t) / 2;
    int code = trm_run_hermite(run, t, middle);
    code = code ? code : trm_run_rates(run, t, middle, middle + run->n, run->work_c2);
    const double power = middle[run->n + last];
    b->z[last] = a->z[last] + (b->t - a->t) / 6 * (a->dz[last] + 4 * power + b->dz[last]);
    return code ? code : trm_system_position(run->system, b->t, b->z);
}

static trm_status step(trm_run *run, double t_limit, trm_error *err)
{
    const own_integrator *of = integrator_of(run);
    own_memory *memory = run->method;
    const trm_mechanism p = point_of_integrator(run);
    double h, *z = run->before.z;
    const double t_next = trm_run_next(run, t_limit, &h);
    int code = recall(run);
    memcpy(z, run->now.z, (size_t)run->n * sizeof *z);
    code = code ? code : of->own.step(&p, run->now.t, h, z, z + p.nq, memory->end, of->own.user);
    code = check(run, of->texts.name, code, run->n, z, memory->numbers, memory->end);
    if (code) {
        return trm_run_fail_code(run, code, err);
    }
    TRM_TRY(trm_run_close_step(run, t_next, err));
    trm_run_advance(run);
    run->now.t = memory->t = t_next;
    code = add_work(run);
    trm_run_land(run, t_next);
    return code ? trm_run_fail_code(run, code, err) : TRM_OK;
}

// ------------------------------------------------------------------------------------ to register

static trm_status take_texts(own_texts *out, const char *name, const char *doc, const char *source,
                             trm_error *err)
{
    static const char letters[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_";
    if (!name || !*name || strlen(name) >= NAME || name[strspn(name, letters)] != '\0') {
        return TRM_FAIL(err, TRM_ERR_OPTIONS, "name",
                        "a method needs a name of letters, digits, - and _, below %d of them",
                        NAME);
    }
    snprintf(out->name, NAME, "%s", name);
    snprintf(out->doc, TEXT, "%s", doc ? doc : "registered");
    snprintf(out->source, TEXT, "%s", source ? source : "");
    return TRM_OK;
}

static trm_status check_version(int version, trm_error *err)
{
    return version == TRM_REGISTER_VERSION
               ? TRM_OK
               : TRM_FAIL(err, TRM_ERR_OPTIONS, "version",
                          "the method is made for version %d of trammel_register.h, this is %d",
                          version, TRM_REGISTER_VERSION);
}

static trm_status check_room(int n, trm_error *err)
{
    return n < TRM_MOST_OWN ? TRM_OK
                            : TRM_FAIL(err, TRM_ERR_OPTIONS, "name",
                                       "%d methods are registered already, no more fit", n);
}

static trm_status add_stabilization(const trm_own_stabilization *own, trm_error *err)
{
    TRM_TRY(check_version(own->version, err));
    TRM_TRY(check_room(all.nstabilizations, err));
    if (!own->rates && !own->correct) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS, "rates", "neither `rates` nor `correct` is given");
    }
    own_stabilization *const of = &all.stabilizations[all.nstabilizations];
    TRM_TRY(take_texts(&of->texts, own->name, own->doc, own->source, err));
    of->own = *own;
    of->ops = (trm_stabilization_ops){.id = (trm_stabilization)(FIRST + all.nstabilizations),
                                      .name = of->texts.name,
                                      .doc = of->texts.doc,
                                      .source = of->texts.source,
                                      .parameters = "",
                                      .layout = layout_stabilization,
                                      .rates = own->rates ? rates : trm_index1_rates,
                                      .correct = own->correct ? correct : NULL};
    TRM_TRY(trm_registry_add_stabilization(&of->ops, err));
    all.nstabilizations++;
    return TRM_OK;
}

static trm_status add_integrator(const trm_own_integrator *own, trm_error *err)
{
    TRM_TRY(check_version(own->version, err));
    TRM_TRY(check_room(all.nintegrators, err));
    if (!own->step || own->order < 1) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS, own->step ? "order" : "step",
                        "an integrator needs `step` and an order of at least 1");
    }
    own_integrator *const of = &all.integrators[all.nintegrators];
    const trm_stabilization partner = (trm_stabilization)(FIRST + TRM_MOST_OWN + all.nintegrators);
    TRM_TRY(take_texts(&of->texts, own->name, own->doc, own->source, err));
    if (own->stabilization) {
        TRM_TRY(take_texts(&of->texts_of_partner, own->stabilization, own->doc, NULL, err));
    }
    of->own = *own;
    of->partner = (trm_stabilization_ops){.id = partner,
                                          .name = of->texts_of_partner.name,
                                          .doc = of->texts_of_partner.doc,
                                          .source = "",
                                          .parameters = "",
                                          .rates = trm_index1_rates};
    of->partners[0] = &of->partner;
    of->ops = (trm_method_ops){.integrator = (trm_integrator)(FIRST + all.nintegrators),
                               .name = of->texts.name,
                               .doc = of->texts.doc,
                               .source = of->texts.source,
                               .order = own->order,
                               .partners = own->stabilization ? of->partners : NULL,
                               .layout = layout,
                               .start = start,
                               .step = step,
                               .dense = trm_run_hermite};
    TRM_TRY(trm_registry_add_integrator(&of->ops, err));
    all.nintegrators++;
    return TRM_OK;
}

trm_status trm_register_stabilization(const trm_own_stabilization *own, trm_stabilization *out,
                                      trm_error *err)
{
    if (!own) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS, "own", "expected a stabilization, got NULL");
    }
    pthread_mutex_lock(&all.lock);
    const trm_status status = add_stabilization(own, err);
    if (status == TRM_OK && out) {
        *out = all.stabilizations[all.nstabilizations - 1].ops.id;
    }
    pthread_mutex_unlock(&all.lock);
    return status;
}

trm_status trm_register_integrator(const trm_own_integrator *own, trm_integrator *out,
                                   trm_stabilization *its_own, trm_error *err)
{
    if (!own) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS, "own", "expected an integrator, got NULL");
    }
    pthread_mutex_lock(&all.lock);
    const trm_status status = add_integrator(own, err);
    const own_integrator *const last =
        &all.integrators[all.nintegrators > 0 ? all.nintegrators - 1 : 0];
    if (status == TRM_OK && out) {
        *out = last->ops.integrator;
    }
    if (status == TRM_OK && its_own) {
        *its_own = last->ops.partners ? last->partner.id : TRM_STABILIZATION_PLAIN;
    }
    pthread_mutex_unlock(&all.lock);
    return status;
}
