/// Pulses at random times, of random lengths, in every place where a formula of
/// the time can stand: is one missed?
///
/// usage: pulses [RUNS [SEED]]
///
/// A cart of 1 kg on a slide, in the plane or in space. What a pulse
/// does to it is known in closed form:
///
///     force, table, input   impulse J = 1 N s:                v = J
///     servo                 target of area S, k = m w^2:      x = w S sin(w (T - t0)) as the
///                           pulse gets short, exactly: cos(w (T - t1)) - cos(w (T - t0)) times the
///                           height
///     motor, constraint     a driven cart, spring to a second cart: x = w times the integral of
///                           u(t) sin(w (T - t)); of a bump u = a exp(-((t - t0)/b)^2) it is
///                           a b sqrt(pi) exp(-(w b/2)^2) sin(w (T - t0)), of a pulse with quintic
///                           flanks it is taken by Gauss' rule on the flanks
///
/// Lengths are 1e-6 to 1e-1 of the run of 10 s (b of a bump to 1e-2), accuracies A 1e-2 to 1e-11.
/// The error counts in parts of what the pulse does, of a driven cart also of its height. The ends
/// of a pulse are rounded to the precision of t: an error of eps T/length, which no method can
/// avoid; where it is above the tolerance of a motor, a run may say so and stop. For each place:
/// runs, pulses missed (an error above one half of what it does, and above A), runs that stopped,
/// the largest error over A plus that rounding, steps on the average. Returns nonzero when a pulse
/// was missed or an error was above 1 (3 of a driven cart).
#include "trammel/trammel_methods.h"
#include "trammel/trammel_simulation.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const double pi = 3.14159265358979323846;
static const double run_end = 10; // s
static const double omega = 3;    // rad/s, of the spring

/// One pulse: from t0 on, of this length (or width b), in a run of accuracy A.
typedef struct pulse {
    double t0, length, A;
    int spatial;
} pulse;

typedef struct place {
    const char *name;
    /// The scene's elements behind the cart.
    void (*write)(const pulse *p, char *out, size_t size);
    /// x or v at the end, and what counts as 1.
    double (*exact)(const pulse *p, double *scale);
    int velocity; ///< nonzero: v is compared
    int smooth;   ///< nonzero: a bump that needs room on both sides
    int drives;   ///< nonzero: a motor or a constraint, two carts
} place;

static const char *zeros(const pulse *p)
{
    return p->spatial ? ",0,0" : ",0";
}

static void write_force(const pulse *p, const char *formula, char *out, size_t size)
{
    snprintf(
        out, size,
        "\"forces\":[{\"name\":\"f\",\"type\":\"force\",\"marker\":\"p\",\"value\":[\"%s\"%s]}]",
        formula, zeros(p));
}

/// With flanks of a tenth of its length.
static void write_trapezoid(const pulse *p, char *out, size_t size)
{
    char formula[300];
    const double flank = p->length / 10, height = 1 / (p->length - flank);
    snprintf(formula, sizeof formula, "%.17g*max(0, min(1, (t-%.17g)/%.17g, (%.17g-t)/%.17g))",
             height, p->t0, flank, p->t0 + p->length, flank);
    write_force(p, formula, out, size);
}

static void write_jump(const pulse *p, char *out, size_t size)
{
    char formula[300];
    snprintf(formula, sizeof formula, "if(t >= %.17g and t < %.17g, %.17g, 0)", p->t0,
             p->t0 + p->length, 1 / p->length);
    write_force(p, formula, out, size);
}

static void write_bell(const pulse *p, char *out, size_t size)
{
    char formula[300];
    snprintf(formula, sizeof formula, "%.17g*exp(-((t-%.17g)/%.17g)^2)", 1 / (p->length * sqrt(pi)),
             p->t0, p->length);
    write_force(p, formula, out, size);
}

static void write_table(const pulse *p, char *out, size_t size)
{
    char force[400];
    write_force(p, "table(F, t)", force, sizeof force);
    snprintf(out, size,
             "\"tables\":{\"F\":{\"points\":[[0,0],[%.17g,0],[%.17g,%.17g],[%.17g,0],[11,0]]}},%s",
             p->t0, p->t0 + p->length / 2, 2 / p->length, p->t0 + p->length, force);
}

static void write_input(const pulse *p, char *out, size_t size)
{
    char formula[300], force[600];
    snprintf(formula, sizeof formula, "u*pulse(t, %.17g, %.17g)", p->t0, p->t0 + p->length);
    write_force(p, formula, force, sizeof force);
    snprintf(out, size, "\"parameters\":{\"u\":{\"input\":true,\"value\":%.17g}},%s", 1 / p->length,
             force);
}

static double unit_impulse(const pulse *p, double *scale)
{
    (void)p;
    *scale = 1;
    return 1;
}

/// Target 1/length over the pulse, without damping.
static void write_servo(const pulse *p, char *out, size_t size)
{
    snprintf(out, size,
             "\"forces\":[{\"name\":\"s\",\"type\":\"servo\",\"joint\":\"P\",\"kp\":%.17g,"
             "\"target\":\"if(t >= %.17g and t < %.17g, %.17g, 0)\"}]",
             omega * omega, p->t0, p->t0 + p->length, 1 / p->length);
}

static double servo_exact(const pulse *p, double *scale)
{
    // the difference of two cosines, by their product
    const double middle = run_end - p->t0 - p->length / 2;
    *scale = omega;
    return 2 / p->length * sin(omega * middle) * sin(omega * p->length / 2);
}

/// 1 m, higher where it is so short that its area would be less than 1 mm s: 100 m at most, a tenth
/// of the spring.
static double height_of(const pulse *p)
{
    return fmax(1e-3 / p->length, 1);
}

/// The second cart on the same line, tied to the first by a spring that begins unstretched.
static void write_spring(const pulse *p, const char *more, char *out, size_t size)
{
    const char *const rest = zeros(p);
    snprintf(out, size,
             "\"forces\":[{\"name\":\"k\",\"type\":\"spring_damper\",\"markers\":[\"p\",\"q\"],"
             "\"stiffness\":%.17g,\"rest_length\":1000}],"
             "\"bodies\":[{\"name\":\"a\",\"mass\":1,\"inertia\":%s,\"position\":[0%s]},"
             "{\"name\":\"b\",\"mass\":1,\"inertia\":%s,\"position\":[1000%s]}],"
             "\"markers\":[{\"name\":\"p\",\"body\":\"a\",\"at\":[0%s]},"
             "{\"name\":\"q\",\"body\":\"b\",\"at\":[1000%s]}],%s",
             omega * omega, p->spatial ? "[1,1,1]" : "1", rest, p->spatial ? "[1,1,1]" : "1", rest,
             rest, rest, more);
}

static void write_driven(const pulse *p, int motor, const char *bump, char *out, size_t size)
{
    char more[1200], drive[500] = "";
    const char *const axis = p->spatial ? "[1,0,0]" : "[1,0]";
    const char *const rest = zeros(p);
    if (motor) {
        snprintf(drive, sizeof drive, ",\"motor\":\"%s\"", bump);
    }
    char constraint[500] = "";
    if (!motor) {
        snprintf(constraint, sizeof constraint,
                 ",\"constraints\":[{\"name\":\"c\",\"expression\":\"p.x - (%s)\"}]", bump);
    }
    snprintf(more, sizeof more,
             "\"joints\":[{\"name\":\"P\",\"type\":\"prismatic\",\"bodies\":[\"ground\",\"a\"],"
             "\"at\":[0%s],\"axis\":%s%s},{\"name\":\"Q\",\"type\":\"prismatic\","
             "\"bodies\":[\"ground\",\"b\"],\"at\":[1000%s],\"axis\":%s}]%s",
             rest, axis, drive, rest, axis, constraint);
    write_spring(p, more, out, size);
}

static void write_bump(const pulse *p, char *out, size_t size)
{
    snprintf(out, size, "%.17g*exp(-((t-%.17g)/%.17g)^2)", height_of(p), p->t0, p->length);
}

static double flank_of(const pulse *p)
{
    return p->length / 4;
}

/// Between two quintic flanks of a quarter of its length.
static void write_flanks(const pulse *p, char *out, size_t size)
{
    snprintf(out, size, "step(t,%.17g,0,%.17g,%.17g) - step(t,%.17g,0,%.17g,%.17g)", p->t0,
             p->t0 + flank_of(p), height_of(p), p->t0 + 3 * flank_of(p), p->t0 + p->length,
             height_of(p));
}

static void write_motor(const pulse *p, char *out, size_t size)
{
    char bump[200];
    write_bump(p, bump, sizeof bump);
    write_driven(p, 1, bump, out, size);
}

static void write_constraint(const pulse *p, char *out, size_t size)
{
    char bump[200];
    write_bump(p, bump, sizeof bump);
    write_driven(p, 0, bump, out, size);
}

static void write_motor_flanks(const pulse *p, char *out, size_t size)
{
    char bump[400];
    write_flanks(p, bump, sizeof bump);
    write_driven(p, 1, bump, out, size);
}

static void write_constraint_flanks(const pulse *p, char *out, size_t size)
{
    char bump[400];
    write_flanks(p, bump, sizeof bump);
    write_driven(p, 0, bump, out, size);
}

/// The integral of S sin(w (T - t)) over a flank, S rising from 0 to 1:
/// Gauss' rule of 5 points on 8 parts.
static double flank_integral(double from, double length, int falls)
{
    static const double x[5] = {-0.90617984593866399, -0.53846931010568309, 0, 0.53846931010568309,
                                0.90617984593866399};
    static const double w[5] = {0.23692688505618909, 0.47862867049936647, 0.56888888888888889,
                                0.47862867049936647, 0.23692688505618909};
    double sum = 0;
    for (int part = 0; part < 8; part++) {
        for (int k = 0; k < 5; k++) {
            const double s = (part + 0.5 + 0.5 * x[k]) / 8;
            const double S = s * s * s * (10 - 15 * s + 6 * s * s);
            sum += w[k] / 16 * length * (falls ? 1 - S : S) *
                   sin(omega * (run_end - from - s * length));
        }
    }
    return sum;
}

static double flanks_exact(const pulse *p, double *scale)
{
    const double flank = flank_of(p), t1 = p->t0 + flank, t2 = p->t0 + 3 * flank;
    // the difference of two cosines, by their product
    const double top = 2 / omega * sin(omega * (run_end - (t1 + t2) / 2)) * sin(omega * flank);
    const double all = flank_integral(p->t0, flank, 0) + top + flank_integral(t2, flank, 1);
    *scale = omega * height_of(p) * 0.75 * p->length;
    return omega * height_of(p) * all;
}

static double bump_exact(const pulse *p, double *scale)
{
    const double x = omega * p->length / 2;
    *scale = omega * height_of(p) * p->length * sqrt(pi) * exp(-x * x);
    return *scale * sin(omega * (run_end - p->t0));
}

static const place places[] = {
    {"force, flanks", write_trapezoid, unit_impulse, 1, 0, 0},
    {"force, jumps", write_jump, unit_impulse, 1, 0, 0},
    {"force, bell", write_bell, unit_impulse, 1, 1, 0},
    {"table", write_table, unit_impulse, 1, 0, 0},
    {"input", write_input, unit_impulse, 1, 0, 0},
    {"servo target", write_servo, servo_exact, 0, 0, 0},
    {"motor, bump", write_motor, bump_exact, 0, 1, 1},
    {"motor, flanks", write_motor_flanks, flanks_exact, 0, 0, 1},
    {"constraint, bump", write_constraint, bump_exact, 0, 1, 1},
    {"constraint, flanks", write_constraint_flanks, flanks_exact, 0, 0, 1},
};
enum { PLACES = sizeof places / sizeof *places };

static void write_scene(const place *at, const pulse *p, char *out, size_t size)
{
    char elements[3000];
    const char *const axis = p->spatial ? "[1,0,0]" : "[1,0]", *const rest = zeros(p);
    at->write(p, elements, sizeof elements);
    if (at->drives) {
        snprintf(out, size, "{\"dimension\":%d,%s}", 2 + p->spatial, elements);
        return;
    }
    snprintf(out, size,
             "{\"dimension\":%d,\"bodies\":[{\"name\":\"a\",\"mass\":1,\"inertia\":%s,"
             "\"position\":[0%s]}],\"markers\":[{\"name\":\"p\",\"body\":\"a\",\"at\":[0%s]}],"
             "\"joints\":[{\"name\":\"P\",\"type\":\"prismatic\",\"bodies\":[\"ground\",\"a\"],"
             "\"at\":[0%s],\"axis\":%s}],%s}",
             2 + p->spatial, p->spatial ? "[1,1,1]" : "1", rest, rest, rest, axis, elements);
}

/// x or v of the last body at the end; NAN when the run failed.
static double result_of(const place *at, const pulse *p, long *steps)
{
    char text[5000], reason[256];
    trm_error err = {0};
    trm_scene *scene = NULL;
    trm_model *model = NULL;
    trm_sim *sim = NULL;
    trm_options options;
    double result = NAN;
    write_scene(at, p, text, sizeof text);
    size_t length = 0;
    while (text[length]) {
        length++;
    }
    trm_status status = trm_scene_parse(text, length, &scene, &err);
    status = status == TRM_OK ? trm_model_build(scene, &model, &err) : status;
    status = status == TRM_OK ? trm_choose_options(model, p->A, &options, reason, &err) : status;
    status = status == TRM_OK ? trm_sim_create(model, &options, &sim, &err) : status;
    status = status == TRM_OK ? trm_sim_run(sim, run_end, NULL, NULL, &err) : status;
    if (status == TRM_OK) {
        const trm_sizes n = trm_model_sizes(model);
        const trm_body_info body = trm_model_body_info(model, n.nbody - 1);
        const trm_state state = trm_sim_state(sim);
        result = at->velocity ? state.v[body.v0] : state.q[body.q0] - (n.nbody > 1 ? 1000 : 0);
        *steps += trm_sim_stats(sim).steps;
    } else {
        fprintf(stderr, "%s: %s (%s)\n", at->name, err.message, err.where);
    }
    trm_sim_destroy(sim);
    trm_model_destroy(model);
    trm_scene_destroy(scene);
    return result;
}

static double between(double from, double to)
{
    return from + (to - from) * rand() / RAND_MAX;
}

static pulse draw(const place *at, int spatial)
{
    pulse p = {.spatial = spatial};
    p.A = pow(10, -(2 + rand() % 10));
    p.length = run_end * pow(10, between(-6, at->smooth ? -2 : -1));
    const double room = at->smooth ? 7 * p.length : 0; // exp(-49) is rounding
    p.t0 = between(0.01 + room, run_end - 0.01 - room - (at->smooth ? 0 : p.length));
    return p;
}

/// What the rounding of t makes of a pulse, in parts of it.
static double rounding_of(const pulse *p)
{
    return 16 * DBL_EPSILON * run_end / p->length + 1e-12;
}

/// Whether a run may say that it cannot: the motor's own rounding is
/// above the tolerance of a step, A/100.
static int may_refuse(const place *at, const pulse *p)
{
    return at->drives && rounding_of(p) * height_of(p) > p->A / 100;
}

/// Returns nonzero where pulses were missed, or wrong.
static int try_place(const place *at, int runs)
{
    // behind a bump the spring swings to the end of the run: errors of these steps are added
    const double allowed = at->drives ? 3 : 1;
    int missed = 0, refused = 0;
    double worst = 0;
    long steps = 0;
    for (int i = 0; i < runs; i++) {
        const pulse p = draw(at, i % 2);
        double scale;
        const double exact = at->exact(&p, &scale);
        const double error = fabs(result_of(at, &p, &steps) - exact) / scale;
        if (isnan(error) && may_refuse(at, &p)) {
            refused++;
            continue;
        }
        const double size = at->drives ? 1 + height_of(&p) / scale : 1;
        missed += !(error < fmax(0.5, size * p.A));
        const double relative = error / (size * (p.A + rounding_of(&p)));
        if (!(relative <= allowed)) {
            fprintf(stderr, "%s: t0 %.17g, length %g, A %g, %d-D: error %g\n", at->name, p.t0,
                    p.length, p.A, 2 + p.spatial, error);
        }
        worst = relative > worst || isnan(relative) ? relative : worst;
    }
    printf("%-18s %6d %7d %8d %14.3g %8.1f\n", at->name, runs, missed, refused, worst,
           (double)steps / runs);
    return missed > 0 || !(worst <= allowed);
}

int main(int argc, char **argv)
{
    const int runs = argc > 1 ? atoi(argv[1]) : 1000;
    int wrong = 0;
    srand(argc > 2 ? (unsigned)atoi(argv[2]) : 1);
    printf("%-18s %6s %7s %8s %14s %8s\n", "place", "runs", "missed", "refused", "worst error/A",
           "steps");
    for (int i = 0; i < PLACES; i++) {
        wrong |= try_place(&places[i], (runs + PLACES - 1) / PLACES);
    }
    return wrong;
}
