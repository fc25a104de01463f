/// The tables of docs/singular.md.
///
///     singular_tables DIRECTORY [TABLE ...]
///
/// DIRECTORY holds the scenes; TABLE is one of crossings, unequal, start, steps, tolerances, large, noise;
/// without one all are printed, as Markdown.
#include "engine/trammel.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const double pi = 3.14159265358979323846;

static void stop(const trm_error *err)
{
    fprintf(stderr, "%s: %s\n", err->where, err->message);
    exit(1);
}

// -------------------------------------------------------------------------------------- scenes

enum { TEXT = 20000 };

typedef struct text {
    char at[TEXT];
    size_t used;
} text;

#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
static void
add(text *t, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const int n = vsnprintf(t->at + t->used, TEXT - t->used, format, args);
    va_end(args);
    t->used += n > 0 && (size_t)n < TEXT - t->used ? (size_t)n : 0;
}

/// A crank on the ground at (x, 0).
typedef struct crank {
    double x, length, angle;
} crank;

static void add_bar(text *t, int space, const char *name, int i, const double p[2],
                    const double q[2], const double speed[2], double rate)
{
    const char *zero = space ? ", 0" : "";
    add(t,
        "%s{\"name\": \"%s_%d\", \"ends\": [[%.17g, %.17g%s], [%.17g, %.17g%s]], \"mass\": 1, "
        "\"velocity\": [%.17g, %.17g%s]",
        t->at[t->used - 1] == '[' ? "" : ", ", name, i, p[0], p[1], zero, q[0], q[1], zero,
        speed[0], speed[1], zero);
    if (space) {
        const double l = hypot(q[0] - p[0], q[1] - p[1]);
        add(t, ", \"shape\": {\"type\": \"rod\", \"length\": %.17g, \"radius\": 0.02}", l);
        add(t, ", \"rate_world\": [0, 0, %.17g]}", rate);
    } else {
        add(t, ", \"rate\": %.17g}", rate);
    }
}

static void add_pin(text *t, int space, const char *name, int i, const char *a, const char *b,
                    const double p[2])
{
    add(t,
        "%s{\"name\": \"%s_%d\", \"type\": \"revolute\", \"bodies\": [\"%s\", \"%s\"], "
        "\"at\": [%.17g, %.17g%s]%s}",
        t->at[t->used - 1] == '[' ? "" : ", ", name, i, a, b, p[0], p[1], space ? ", 0" : "",
        space ? ", \"axis\": [0, 0, 1]" : "");
}

/// n cranks, their tops joined by couplers; the tops start at 1 m/s, square to the first crank.
static void four_bars(text *t, int space, int n, const crank *cranks)
{
    double foot[8][2], top[8][2];
    const double v[2] = {sin(cranks[0].angle), -cos(cranks[0].angle)};
    const double half[2] = {v[0] / 2, v[1] / 2};
    t->used = 0;
    add(t, "{\"dimension\": %d, \"gravity\": [0, -9.81%s], \"assemble\": true, \"bodies\": [",
        space ? 3 : 2, space ? ", 0" : "");
    for (int i = 0; i < n; i++) {
        foot[i][0] = cranks[i].x;
        foot[i][1] = 0;
        top[i][0] = cranks[i].x + cranks[i].length * cos(cranks[i].angle);
        top[i][1] = cranks[i].length * sin(cranks[i].angle);
        add_bar(t, space, "crank", i, foot[i], top[i], half, -1);
    }
    for (int i = 0; i + 1 < n; i++) {
        add_bar(t, space, "coupler", i, top[i], top[i + 1], v, 0);
    }
    add(t, "], \"joints\": [");
    for (int i = 0; i < n; i++) {
        char bar[32], left[32], right[32];
        snprintf(bar, sizeof bar, "crank_%d", i);
        snprintf(left, sizeof left, "coupler_%d", i - 1);
        snprintf(right, sizeof right, "coupler_%d", i);
        add_pin(t, space, "A", i, "ground", bar, foot[i]);
        if (i > 0) {
            add_pin(t, space, "B", i, left, bar, top[i]);
        }
        if (i + 1 < n) {
            add_pin(t, space, "C", i, bar, right, top[i]);
        }
    }
    add(t, "]}");
}

/// Crank of length 2 and rod of length l2 from the crank angle phi with rate w, the pin of the rod on y = 0.
static void slider_crank(text *t, double l2, double phi, double w)
{
    const double psi = -asin(2 * sin(phi) / l2);
    const double rate = cos(psi) > 1e-12 ? -2 * cos(phi) * w / (l2 * cos(psi)) : -w;
    const double pin[2] = {2 * cos(phi), 2 * sin(phi)};
    const double end[2] = {pin[0] + l2 * cos(psi), pin[1] + l2 * sin(psi)};
    t->used = 0;
    add(t, "{\"dimension\": 2, \"gravity\": [0, -9.81], \"assemble\": true, \"bodies\": [");
    add(t,
        "{\"name\": \"crank\", \"ends\": [[0, 0], [%.17g, %.17g]], \"mass\": 1, "
        "\"velocity\": [%.17g, %.17g], \"rate\": %.17g}, ",
        pin[0], pin[1], -sin(phi) * w, cos(phi) * w, w);
    add(t,
        "{\"name\": \"rod\", \"ends\": [[%.17g, %.17g], [%.17g, %.17g]], \"mass\": 1, "
        "\"velocity\": [%.17g, %.17g], \"rate\": %.17g}], ",
        pin[0], pin[1], end[0], end[1], -2 * sin(phi) * w - l2 / 2 * sin(psi) * rate,
        2 * cos(phi) * w + l2 / 2 * cos(psi) * rate, rate);
    add(t,
        "\"joints\": [{\"name\": \"O\", \"type\": \"revolute\", \"bodies\": [\"ground\", "
        "\"crank\"], "
        "\"at\": [0, 0]}, {\"name\": \"P\", \"type\": \"revolute\", \"bodies\": [\"crank\", "
        "\"rod\"], "
        "\"at\": [%.17g, %.17g]}, {\"name\": \"S\", \"type\": \"pin_in_slot\", \"bodies\": "
        "[\"ground\", \"rod\"], \"at\": [%.17g, %.17g], \"axis\": [1, 0]}]}",
        pin[0], pin[1], end[0], end[1]);
}

static trm_model *build(trm_scene *scene)
{
    trm_error err = {0};
    trm_model *model = NULL;
    if (trm_model_build(scene, &model, &err)) {
        stop(&err);
    }
    trm_scene_destroy(scene);
    return model;
}

static trm_model *parse(const text *t)
{
    trm_error err = {0};
    trm_scene *scene = NULL;
    if (trm_scene_parse(t->at, t->used, &scene, &err)) {
        stop(&err);
    }
    return build(scene);
}

static trm_model *load(const char *directory, const char *name)
{
    char path[1024];
    trm_error err = {0};
    trm_scene *scene = NULL;
    snprintf(path, sizeof path, "%s/%s.json", directory, name);
    if (trm_scene_load(path, &scene, &err)) {
        stop(&err);
    }
    return build(scene);
}

// ---------------------------------------------------------------------------------------- runs

typedef struct result {
    trm_status status;
    trm_report report;
    trm_stats stats;
    double t, cpu, angle, x_end; ///< of the first body; where the last body has its end
} result;

static double now_s(void)
{
    return (double)clock() / CLOCKS_PER_SEC;
}

static trm_options chosen(const trm_model *model, double accuracy)
{
    trm_error err = {0};
    trm_options options;
    if (trm_choose_options(model, accuracy, &options, NULL, &err)) {
        stop(&err);
    }
    options.assemble = 1;
    return options;
}

static trm_options adaptive(trm_integrator integrator, double rtol)
{
    trm_options options = trm_default_options(integrator, TRM_S_BOTH2);
    options.rtol = options.atol = rtol;
    options.assemble = 1;
    return options;
}

static trm_options fixed(trm_integrator integrator, trm_stabilization stabilization, double h)
{
    trm_options options = trm_default_options(integrator, stabilization);
    options.h = h;
    options.assemble = 1;
    return options;
}

typedef struct crossings_wanted {
    long count;
} crossings_wanted;

static int enough(trm_sim *sim, void *user)
{
    const crossings_wanted *wanted = user;
    return wanted->count > 0 && trm_sim_report(sim).crossings >= wanted->count;
}

/// To t_end, or until so many singular positions were passed (0: to t_end).
static result run(const trm_model *model, const trm_options *options, double t_end, long crossings)
{
    trm_error err = {0};
    trm_sim *sim = NULL;
    crossings_wanted wanted = {crossings};
    result r = {.status = trm_sim_create(model, options, &sim, &err)};
    if (r.status) {
        return r;
    }
    const double before = now_s();
    r.status = trm_sim_run(sim, t_end, enough, &wanted, &err);
    r.status = r.status == TRM_STOPPED ? TRM_OK : r.status;
    r.cpu = now_s() - before;
    r.report = trm_sim_report(sim);
    r.stats = trm_sim_stats(sim);
    r.t = trm_sim_state(sim).t;
    r.angle = trm_sim_state(sim).q[2];
    trm_sim_destroy(sim);
    return r;
}

static const char *verdict(const result *r)
{
    return r->status                         ? trm_status_name(r->status)
           : r->report.branch_changes > 0    ? "CHANGED"
           : r->report.position_drift > 1e-6 ? "OPEN"
                                             : "kept";
}

static void head(const char *columns, int n)
{
    printf("| %s |\n|", columns);
    for (int i = 0; i < n; i++) {
        printf("---|");
    }
    putchar('\n');
}

// -------------------------------------------------------------------------------------- tables

static const crank equal[] = {
    {0, 1, 1.57079632679489662}, {1, 1, 1.57079632679489662}, {2, 1, 1.57079632679489662}};
/// The ground is the shortest link of both loops: all cranks turn, and never come into line.
static const crank never_aligned[] = {
    {0, 1, 1.5707963267948966}, {0.5, 1, 1.0471975511965976}, {1, 1, 0.52359877559829882}};

static void crossings_row(const char *name, const trm_model *model, double far)
{
    const trm_options options = chosen(model, 1e-6);
    const result r = run(model, &options, 5000, 1000);
    const double cost = 1e6 * r.cpu / r.t;
    printf("| %s | %ld | %.1f | %s | %.1e | %.1e | %.1e | %.1f | %.1f | %.2f |\n", name,
           r.report.crossings, r.t, verdict(&r), r.report.energy_error_relative,
           r.report.position_drift, r.report.velocity_drift, (double)r.stats.steps / r.t, cost,
           cost / far);
}

static double cost_far(const trm_model *model, const char *name, double t_end)
{
    const trm_options options = chosen(model, 1e-6);
    const result r = run(model, &options, t_end, 0);
    printf("| %s | %ld | %.1f | %s | %.1e | %.1e | %.1e | %.1f | %.1f | 1 |\n", name,
           r.report.crossings, r.t, verdict(&r), r.report.energy_error_relative,
           r.report.position_drift, r.report.velocity_drift, (double)r.stats.steps / r.t,
           1e6 * r.cpu / r.t);
    return 1e6 * r.cpu / r.t;
}

static void crossings(const char *scenes)
{
    text t;
    puts("\n## A thousand crossings\n");
    head("mechanism | crossings | t (s) | branch | energy | gap (m) | gap (m/s) | steps/s | us/s | "
         "to far",
         10);
    four_bars(&t, 0, 3, never_aligned);
    trm_model *far = parse(&t);
    double cost = cost_far(far, "double four-bar that never aligns", 1000);
    trm_model_destroy(far);
    trm_model *model = load(scenes, "double_four_bar");
    crossings_row("double_four_bar", model, cost);
    trm_model_destroy(model);
    slider_crank(&t, 3, pi / 4, 2 * sqrt(2));
    far = parse(&t);
    cost = cost_far(far, "slider-crank, rod of 1.5 cranks", 1000);
    trm_model_destroy(far);
    model = load(scenes, "slider_crank_turn");
    crossings_row("slider_crank_turn", model, cost);
    trm_model_destroy(model);
}

/// The crank angle of the slider-crank with l1 = 2, l2 > 2 by the energy integral in one angle:
///
///     w = sqrt((E - V)/(I/2)),   I = dK/d(w^2/2),   psi = -asin(2 sin phi/l2)
///
/// Simpson's rule for t = int dphi/w over pieces of equal psi' weight: phi = phi0 + int. The integrand is
/// smooth on the scale of c = sqrt(l2^2 - 4 sin^2 phi), which is what phi is advanced by.
static double inertia(double l2, double phi)
{
    const double s = sin(phi), c = cos(phi);
    if (l2 == 2) {
        return 8.0 / 3 + 8 * s * s; // psi = -phi, straight through
    }
    const double root = sqrt(l2 * l2 - 4 * s * s); // l2 cos psi
    const double b = -2 * c / root;                // psi'/phi'
    const double sin_psi = -2 * s / l2, cos_psi = root / l2;
    const double vx = -2 * s - l2 / 2 * sin_psi * b;
    const double vy = 2 * c + l2 / 2 * cos_psi * b;
    return 1 + 1.0 / 3 + vx * vx + vy * vy + l2 * l2 / 12 * b * b;
}

static double slowness(double l2, double phi, double E)
{
    const double V = 9.81 * (sin(phi) + sin(phi)); // both centres at height sin phi
    return sqrt(inertia(l2, phi) / (2 * (E - V)));
}

static double reduced_angle(double l2, double phi, double w, double t_end)
{
    const double E = inertia(l2, phi) / 2 * w * w + 2 * 9.81 * sin(phi);
    double t = 0;
    for (;;) {
        const double s = sin(phi);
        const double d = l2 == 2 ? 1e-4 : 1e-3 * sqrt(l2 * l2 - 4 * s * s);
        const double dt =
            d / 6 *
            (slowness(l2, phi, E) + 4 * slowness(l2, phi + d / 2, E) + slowness(l2, phi + d, E));
        if (t + dt >= t_end) {
            return phi + d * (t_end - t) / dt;
        }
        t += dt;
        phi += d;
    }
}

/// A four-bar of ground, coupler and right crank of length 1 and a left crank of length a < 1: the shortest
/// link turns, and the loop keeps its side. With r from the right foot to the left top, d = |r|,
///
///     e(phi) = r/2 - h r_perp/d,    h^2 = 1 - d^2/4,    e(psi) = e(phi) - r,    sin(phi - psi) = h d,
///
/// psi the angle of the coupler, phi that of the right crank; the derivatives by the angle theta of the left
/// crank from a e(theta) + e(psi) = (1, 0) + e(phi).
typedef struct loop {
    double psi, phi, psi_rate, phi_rate;
    double room; ///< sin(phi - psi): zero where the bars are in line
} loop;

static loop close_loop(double a, double theta)
{
    const double s = sin(theta / 2), c = cos(theta / 2);
    const double x = a * cos(theta) - 1, y = a * sin(theta);
    const double d = sqrt((1 - a) * (1 - a) + 4 * a * s * s);
    const double h = sqrt((1 - a) * (3 + a) + 4 * a * c * c) / 2;
    const double qx = x / 2 + h * y / d, qy = y / 2 - h * x / d;
    loop l = {.phi = atan2(qy, qx), .psi = atan2(qy - y, qx - x), .room = h * d};
    l.psi_rate = -a * sin(l.phi - theta) / l.room;
    l.phi_rate = -a * sin(l.psi - theta) / l.room;
    return l;
}

/// T = I theta'^2/2.
static double loop_inertia(double a, double theta)
{
    const loop l = close_loop(a, theta);
    const double vx = -a * sin(theta) - sin(l.psi) * l.psi_rate / 2;
    const double vy = a * cos(theta) + cos(l.psi) * l.psi_rate / 2;
    return a * a / 3 + vx * vx + vy * vy + l.psi_rate * l.psi_rate / 12 +
           l.phi_rate * l.phi_rate / 3;
}

static double loop_potential(double a, double theta)
{
    const loop l = close_loop(a, theta);
    return 9.81 * (1.5 * a * sin(theta) + sin(l.psi) / 2 + sin(l.phi) / 2);
}

/// From theta = pi/2 with the rate w < 0.
static double loop_angle(double a, double w, double t_end)
{
    const double E = loop_inertia(a, pi / 2) * w * w / 2 + loop_potential(a, pi / 2);
    double t = 0, theta = pi / 2;
    for (;;) {
        const double d = 1e-3 * close_loop(a, theta).room;
        double weighed = 0;
        for (int k = 0; k < 3; k++) {
            const double x = theta - k * d / 2;
            const double slow = sqrt(loop_inertia(a, x) / (2 * (E - loop_potential(a, x))));
            weighed += k == 1 ? 4 * slow : slow;
        }
        const double dt = d / 6 * weighed;
        if (t + dt >= t_end) {
            return theta - d * (t_end - t) / dt;
        }
        t += dt;
        theta -= d;
    }
}

/// A mechanism that comes near to singular positions.
typedef struct near_miss {
    const char *name;
    void (*write)(text *t, double d);
    double (*exact)(double d, double w, double t_end); ///< the angle of its first body
} near_miss;

static void longer_rod(text *t, double d)
{
    slider_crank(t, 2 * (1 + d), pi / 4, 2 * sqrt(2));
}

static double longer_rod_angle(double d, double w, double t_end)
{
    return reduced_angle(2 * (1 + d), pi / 4, w, t_end);
}

static void shorter_crank(text *t, double d)
{
    const crank cranks[] = {{0, 1 - d, pi / 2}, {1, 1, close_loop(1 - d, pi / 2).phi}};
    four_bars(t, 0, 2, cranks);
}

static double shorter_crank_angle(double d, double w, double t_end)
{
    return loop_angle(1 - d, w, t_end);
}

static const near_miss near_misses[] = {
    {"slider-crank, rod longer", longer_rod, longer_rod_angle},
    {"four-bar, crank shorter", shorter_crank, shorter_crank_angle},
};

/// The rate of the first body at the start, assembled.
static double start_rate(const trm_model *model)
{
    trm_error err = {0};
    trm_sim *sim = NULL;
    const trm_options options = chosen(model, 1e-6);
    if (trm_sim_create(model, &options, &sim, &err)) {
        stop(&err);
    }
    const double w = trm_sim_state(sim).v[2];
    trm_sim_destroy(sim);
    return w;
}

static const char *const near_miss_columns =
    "mechanism | d | method | passages | resolved | branch | energy | gap (m) | steps | angle of "
    "the first body | exact";

/// The first `methods` of default, dop853 and dopri5 with tight tolerances.
static void near_miss_rows(const near_miss *m, double d, int methods, double t_end)
{
    text t;
    m->write(&t, d);
    trm_model *model = parse(&t);
    const trm_options o[] = {chosen(model, 1e-6), adaptive(TRM_DOP853, 1e-12),
                             adaptive(TRM_DOPRI5, 1e-10)};
    const char *name[] = {"default", "dop853 1e-12", "dopri5 1e-10"};
    const int known = d > 1e-13; // below, the integral is roundoff
    const double exact = known ? m->exact(d, start_rate(model), t_end) : NAN;
    for (int k = 0; k < methods; k++) {
        const result r = run(model, &o[k], t_end, 0);
        printf("| %s | %g | %s | %ld | %ld | %s | %.1e | %.1e | %ld | %.6f | ", m->name, d, name[k],
               r.report.crossings, r.report.resolved, verdict(&r), r.report.energy_error_relative,
               r.report.position_drift, r.stats.steps, r.angle);
        printf(known ? "%.6f |\n" : "- |\n", exact);
    }
    trm_model_destroy(model);
}

static void unequal(const char *scenes)
{
    (void)scenes;
    const double off[] = {0, 1e-14, 1e-12, 1e-11, 1e-10, 1e-9, 1e-7, 1e-5, 1e-3};
    puts("\n## Bars that are not quite equal, t = 5 s\n");
    head(near_miss_columns, 11);
    for (int k = 0; k < 2; k++) {
        for (int i = 0; i < 9; i++) {
            near_miss_rows(&near_misses[k], off[i], off[i] < 1e-9 ? 1 : 3, 5);
        }
    }
    puts("\n## The same for a thousand passages, t = 930 s\n");
    head(near_miss_columns, 11);
    for (int k = 0; k < 2; k++) {
        for (int i = 5; i < 8; i++) {
            near_miss_rows(&near_misses[k], off[i], 1, 930);
        }
    }
}

static void run_row(const char *first, const char *second, const trm_model *model,
                    const trm_options *options, double t_end)
{
    const result r = run(model, options, t_end, 0);
    printf("| %s | %s | %ld | %s | %.1e | %.1e | %ld | %ld | %.8f |\n", first, second,
           r.report.crossings, verdict(&r), r.report.energy_error_relative, r.report.position_drift,
           r.stats.steps, r.stats.rejected, r.angle);
}

static const char *const run_columns = "mechanism | method | crossings | branch | energy | gap | "
                                       "steps | rejected | angle of the first body";

static void start(const char *scenes)
{
    (void)scenes;
    const crank in_line[] = {{0, 1, 0}, {1, 1, 0}, {2, 1, 0}};
    text t;
    puts("\n## Starting in the singular position, to t = 10 s\n");
    head(run_columns, 9);
    slider_crank(&t, 2, pi / 2, 2 * sqrt(2));
    trm_model *crank_model = parse(&t);
    four_bars(&t, 0, 3, in_line);
    trm_model *bars = parse(&t);
    const trm_options o[] = {chosen(bars, 1e-6), fixed(TRM_RK4, TRM_S_BOTH2, 1e-2),
                             fixed(TRM_RK4, TRM_S_BOTH2, 1e-3)};
    const char *name[] = {"default", "rk4, h = 0.01", "rk4, h = 0.001"};
    for (int k = 0; k < 3; k++) {
        run_row("slider-crank, upright", name[k], crank_model, &o[k], 10);
    }
    for (int k = 0; k < 3; k++) {
        run_row("double four-bar, in line", name[k], bars, &o[k], 10);
    }
    trm_model_destroy(crank_model);
    trm_model_destroy(bars);
}

/// Time of the first crossing.
static double first_crossing(const trm_model *model)
{
    trm_error err = {0};
    trm_sim *sim = NULL;
    trm_crossing crossing = {0};
    const trm_options options = adaptive(TRM_DOP853, 1e-13);
    crossings_wanted wanted = {1};
    if (trm_sim_create(model, &options, &sim, &err) ||
        trm_sim_run(sim, 10, enough, &wanted, &err) != TRM_STOPPED) {
        stop(&err);
    }
    trm_sim_crossing(sim, 0, &crossing);
    trm_sim_destroy(sim);
    return crossing.t;
}

/// The default method made to stop at t_star exactly, and to go on from there.
static void stop_there(const char *mechanism, const trm_model *model, double t_star)
{
    trm_error err = {0};
    trm_sim *sim = NULL;
    const trm_options options = chosen(model, 1e-6);
    if (trm_sim_create(model, &options, &sim, &err)) {
        stop(&err);
    }
    result r = {.status = trm_sim_run(sim, t_star, NULL, NULL, &err)};
    r.status = r.status ? r.status : trm_sim_run(sim, 10, NULL, NULL, &err);
    r.report = trm_sim_report(sim);
    r.stats = trm_sim_stats(sim);
    printf("| %s | default, lands on it | %ld | %s | %.1e | %.1e | %ld | %ld | %.8f |\n", mechanism,
           r.report.crossings, verdict(&r), r.report.energy_error_relative, r.report.position_drift,
           r.stats.steps, r.stats.rejected, trm_sim_state(sim).q[2]);
    trm_sim_destroy(sim);
}

static void steps(const char *scenes)
{
    const char *names[] = {"double_four_bar", "slider_crank_turn"};
    puts(
        "\n## Fixed steps, also such that a mesh point falls on the singular position; t = 10 s\n");
    head(run_columns, 9);
    for (int i = 0; i < 2; i++) {
        trm_model *model = load(scenes, names[i]);
        const double t_star = first_crossing(model);
        for (int k = 0; k < 6; k++) {
            const double h = k < 3 ? pow(10, -2 - k) : t_star / round(t_star * pow(10, k - 1));
            char name[64];
            snprintf(name, sizeof name, "rk4, h = %.6g%s", h, k < 3 ? "" : " (hits)");
            const trm_options options = fixed(TRM_RK4, TRM_S_BOTH2, h);
            run_row(names[i], name, model, &options, 10);
            if (k >= 3) {
                const trm_options predicted = fixed(TRM_RK4, TRM_SRM_P, h);
                run_row(names[i], "rk4 with srm-p, the same", model, &predicted, 10);
            }
        }
        stop_there(names[i], model, t_star);
        trm_model_destroy(model);
    }
}

static void tolerances(const char *scenes)
{
    const char *names[] = {"double_four_bar", "slider_crank_turn", "four_bar_40"};
    puts("\n## Tolerances: tighter is never worse; t = 10 s\n");
    head(run_columns, 9);
    for (int i = 0; i < 3; i++) {
        trm_model *model = load(scenes, names[i]);
        for (int pair = 0; pair < (i < 2 ? 2 : 1); pair++) {
            for (int k = 4; k <= 12; k++) {
                char name[64];
                snprintf(name, sizeof name, "%s, rtol 1e-%02d", pair ? "dopri5" : "dop853", k);
                const trm_options options = adaptive(pair ? TRM_DOPRI5 : TRM_DOP853, pow(10, -k));
                run_row(names[i], name, model, &options, 10);
            }
        }
        trm_model_destroy(model);
    }
}

static void large(const char *scenes)
{
    text t;
    puts("\n## Many at once, always redundant, both; default method, t = 10 s\n");
    head(run_columns, 9);
    const char *names[] = {"four_bar_40", "bricard"};
    for (int i = 0; i < 2; i++) {
        trm_model *model = load(scenes, names[i]);
        const trm_options options = chosen(model, 1e-6);
        run_row(names[i], "default", model, &options, 10);
        trm_model_destroy(model);
    }
    for (int n = 2; n <= 3; n++) {
        four_bars(&t, 1, n, equal);
        trm_model *model = parse(&t);
        const trm_options options = chosen(model, 1e-6);
        run_row(n == 2 ? "four-bar of spatial hinges" : "double four-bar of spatial hinges",
                "default", model, &options, 10);
        trm_model_destroy(model);
    }
}

// --------------------------------------------------------------------------------------- noise

/// A 64-bit linear congruential generator; uniform in (-1, 1).
static double uniform(unsigned long long *seed)
{
    *seed = *seed * 6364136223846793005ULL + 1442695040888963407ULL;
    return (double)(long long)(*seed >> 11) / 4503599627370496.0 - 1;
}

/// Whether a run with every coordinate disturbed after every step keeps energy, branch and joints.
static int survives(const trm_model *model, const trm_options *options, double noise, int seed,
                    double t_end)
{
    double dq[64] = {0};
    unsigned long long state = (unsigned long long)seed * 7919 + 1;
    trm_error err = {0};
    trm_sim *sim = NULL;
    const int nq = trm_model_sizes(model).nq;
    int ok = trm_sim_create(model, options, &sim, &err) == TRM_OK;
    while (ok && trm_sim_state(sim).t < t_end) {
        ok = trm_sim_step(sim, &err) == TRM_OK && trm_sim_stats(sim).steps < 200000;
        for (int i = 0; i < nq; i++) {
            dq[i] = noise * uniform(&state);
        }
        ok = ok && trm_sim_shift(sim, dq, NULL, &err) == TRM_OK;
    }
    if (ok) {
        const trm_report report = trm_sim_report(sim);
        ok = report.branch_changes == 0 && report.energy_error_relative < 0.05;
    }
    trm_sim_destroy(sim);
    return ok;
}

static void noise(const char *scenes)
{
    enum { SEEDS = 12 };
    const double size[] = {1e-10, 1e-7, 1e-5};
    trm_options o[] = {fixed(TRM_RK4, TRM_PLAIN, 2e-3),
                       fixed(TRM_RK4, TRM_BAUMGARTE, 2e-3),
                       fixed(TRM_RK4, TRM_S_BOTH2, 2e-3),
                       fixed(TRM_RK4, TRM_PROJECTION, 2e-3),
                       fixed(TRM_HEM3, TRM_PROJECTION, 2e-3),
                       fixed(TRM_RK4, TRM_SRM_P, 2e-3),
                       adaptive(TRM_DOP853, 1e-10)};
    const char *name[] = {"rk4, plain",
                          "rk4, baumgarte (100, 2500)",
                          "rk4, s-both2",
                          "rk4, projection",
                          "hem3, projection",
                          "rk4, srm-p",
                          "dop853, s-both2, rtol 1e-10"};
    o[1].alpha1 = 100;
    o[1].alpha0 = 2500;
    puts("\n## Noise: slider_crank_turn, T = 30 s, h = 0.002 s, right answers out of 12 seeds\n");
    head("method | 1e-10 | 1e-7 | 1e-5", 4);
    trm_model *model = load(scenes, "slider_crank_turn");
    for (int k = 0; k < 7; k++) {
        printf("| %s |", name[k]);
        for (int i = 0; i < 3; i++) {
            int right = 0;
            for (int seed = 1; seed <= SEEDS; seed++) {
                right += survives(model, &o[k], size[i], seed, 30);
            }
            printf(" %d |", right);
            fflush(stdout);
        }
        putchar('\n');
    }
    trm_model_destroy(model);
}

typedef struct table {
    const char *name;
    void (*print)(const char *scenes);
} table;

static const table tables[] = {
    {"crossings", crossings},   {"unequal", unequal}, {"start", start}, {"steps", steps},
    {"tolerances", tolerances}, {"large", large},     {"noise", noise}};

int main(int argc, char **argv)
{
    if (argc < 2) {
        fputs("usage: singular_tables SCENES [TABLE ...]\n", stderr);
        return 2;
    }
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        int wanted = argc == 2;
        for (int a = 2; a < argc; a++) {
            wanted |= strcmp(argv[a], tables[i].name) == 0;
        }
        if (wanted) {
            tables[i].print(argv[1]);
        }
    }
    return 0;
}
