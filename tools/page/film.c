/// Precision. A picture is at most some 1000 px large. Poses are kept to 1/8192 of its size, and
/// thinned while the cubic through four kept rows stays within 1/4096 of it: 0.06 + 0.25 px, under
/// a pixel. Numbers for plots have 7 digits; their rows are thinned to 1/4096 of their range. Where
/// more than SMOOTH rows would be left (noise), the lowest and the highest of each of BINS
/// intervals are kept.
#include "tools/page/film.h"
#include "trammel/trammel_query.h"

#include "program/view.h"
#include "tools/recording/csv_out.h"
#include "trammel/trammel_error.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    PRECISION = 8192,
    TOLERANCE = 4096,
    ARROWS = 512,
    SMOOTH = 1024,
    BINS = 96,
    MOST_STRIDE = 4096
};

static trm_status memory(trm_error *err)
{
    return TRM_FAIL(err, TRM_ERR_MEMORY, "", "out of memory");
}

// ----------------------------------------------------------------------------- states in the tape

/// The columns of q and v in the tape, in the order of trm_recording_state_columns, t first; -1:
/// not there. *missing is the first name that is not there.
static int find_columns(const trm_tape *tape, char *names, int *place, const char **missing)
{
    int n = 0, found = 0, hint = 0;
    *missing = NULL;
    for (char *at = names; at != NULL; n++) {
        char *const comma = strchr(at, ',');
        if (comma != NULL) {
            *comma = '\0';
        }
        place[n] = trm_tape_column(tape, at, hint);
        hint = place[n] >= 0 ? place[n] + 1 : hint;
        found += place[n] > 0;
        *missing = place[n] < 0 && *missing == NULL ? at : *missing;
        at = comma != NULL ? comma + 1 : NULL;
    }
    return found;
}

/// Row i of the tape into q and v, which alternate body by body; returns whether q is finite.
static int take_row(trm_film *f, long i, const int *place, const double *q0)
{
    const trm_sizes n = trm_model_sizes(f->model);
    const double *const x = f->tape->x + i * f->tape->columns;
    int at = 1, good = 1;
    for (int b = 0; b < n.nbody; b++) {
        const trm_body_info body = trm_model_body_info(f->model, b);
        for (int k = 0; k < body.nq; k++, at++) {
            double *const q = &f->q[i * n.nq + body.q0 + k];
            *q = place[at] >= 0 ? x[place[at]] : q0[body.q0 + k];
            good &= isfinite(*q) != 0;
        }
        for (int k = 0; k < body.nv; k++, at++) {
            const double v = place[at] >= 0 ? x[place[at]] : 0;
            f->v[i * n.nv + body.v0 + k] = isfinite(v) ? v : 0;
        }
    }
    return good;
}

static trm_status take_rows(trm_film *f, const int *place, trm_error *err)
{
    const trm_sizes n = trm_model_sizes(f->model);
    double *const start = calloc((size_t)(n.nq + n.nv) + 1, sizeof *start);
    if (start == NULL) {
        return memory(err);
    }
    trm_model_initial_state(f->model, start, start + n.nq);
    while (f->rows < f->tape->rows && take_row(f, f->rows, place, start)) {
        f->rows++;
    }
    free(start);
    if (f->rows < f->tape->rows) {
        trm_tape_note(f->tape,
                      "From t = %.6g s on positions are not finite; nothing moves after that.",
                      f->tape->x[f->rows * f->tape->columns]);
    }
    return f->rows > 0 ? TRM_OK
                       : TRM_FAIL(err, TRM_ERR_OPTIONS, f->tape->label,
                                  "it has no line in which every position is finite");
}

static trm_status find_states(trm_film *f, char *names, int *place, trm_error *err)
{
    const char *missing;
    const int nbody = trm_model_sizes(f->model).nbody;
    if (find_columns(f->tape, names, place, &missing) == 0 && nbody > 0) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS, f->tape->label,
                        "it does not belong to this scene: it has no column \"%.80s\"", missing);
    }
    if (missing != NULL) {
        trm_tape_note(
            f->tape,
            "The recording does not belong to this scene as it is: it has no column \"%.60s\". "
            "What it lacks stays where the scene puts it.",
            missing);
    }
    return take_rows(f, place, err);
}

static void include(trm_film *f, const double x[3], double radius)
{
    for (int k = 0; k < 3; k++) {
        f->low[k] = fmin(f->low[k], x[k] - radius);
        f->high[k] = fmax(f->high[k], x[k] + radius);
    }
}

static void measure(trm_film *f)
{
    const int nq = trm_model_sizes(f->model).nq;
    const int planar = f->view.dimension == 2;
    for (int k = 0; k < 3; k++) {
        f->low[k] = INFINITY;
        f->high[k] = -INFINITY;
    }
    for (long i = 0; i < f->rows; i++) {
        for (int b = 0; b < f->nfigures; b++) {
            const trm_figure *const figure = &f->figure[b];
            for (int k = 0; k < figure->n; k++) {
                double x[3];
                memcpy(x, figure->point[k], sizeof x);
                if (figure->body >= 0) {
                    trm_model_point(f->model, figure->body, figure->point[k], f->q + i * nq, NULL,
                                    x, NULL);
                }
                x[2] = planar ? 0 : x[2];
                include(f, x, figure->radius);
            }
        }
    }
}

trm_status trm_film_begin(const trm_scene *scene, const trm_model *model, int nfigures,
                          const trm_figure *figure, trm_tape *tape, trm_film *out, trm_error *err)
{
    const trm_sizes n = trm_model_sizes(model);
    *out = (trm_film){.scene = scene,
                      .view = trm_view_scene(scene),
                      .model = model,
                      .tape = tape,
                      .nfigures = nfigures,
                      .figure = figure};
    out->q = calloc((size_t)tape->rows * (size_t)n.nq + 1, sizeof *out->q);
    out->v = calloc((size_t)tape->rows * (size_t)n.nv + 1, sizeof *out->v);
    char *const names = trm_recording_state_columns(scene, model);
    int *const place = calloc((size_t)(n.nq + n.nv) + 2, sizeof *place);
    const trm_status status = out->q != NULL && out->v != NULL && names != NULL && place != NULL
                                  ? find_states(out, names, place, err)
                                  : memory(err);
    free(place);
    free(names);
    if (status == TRM_OK) {
        measure(out);
    }
    return status;
}

void trm_film_end(trm_film *film)
{
    free(film->q);
    free(film->v);
    *film = (trm_film){0};
}

// ------------------------------------------------------------------------------------------ clocks

/// Rows that belong together: their indices, and room for the numbers of one channel.
typedef struct clock {
    long n;
    long *row;
    double *x;
} clock;

static int clock_create(clock *c, long most)
{
    *c = (clock){0};
    c->row = calloc((size_t)most + 1, sizeof *c->row);
    c->x = calloc((size_t)most + 1, sizeof *c->x);
    return c->row != NULL && c->x != NULL;
}

static void clock_destroy(clock *c)
{
    free(c->row);
    free(c->x);
}

static void clock_every(clock *c, long rows, long stride)
{
    c->n = 0;
    for (long i = 0; i < rows; i += stride) {
        c->row[c->n++] = i;
    }
    if (rows > 0 && c->row[c->n - 1] != rows - 1) {
        c->row[c->n++] = rows - 1;
    }
}

/// s, from row to row of a tape whose rows (but the last) are even; else 0.
static double even_interval(const trm_tape *tape)
{
    const long n = tape->rows;
    const double *const t = tape->x;
    const double dt = n > 2 ? (t[(n - 2) * tape->columns] - t[0]) / (double)(n - 2) : 0;
    for (long i = 1; i + 1 < n; i++) {
        if (fabs(t[i * tape->columns] - t[0] - (double)i * dt) > 1e-6 * dt) {
            return 0;
        }
    }
    return dt;
}

/// The channel of its times. Where those of the tape are even, the quantum divides their interval
/// (is it, where the last one is even too), so that differences are small or vanish.
static int clock_channel(clock *c, const trm_tape *tape, trm_channels *channels)
{
    for (long i = 0; i < c->n; i++) {
        c->x[i] = tape->x[c->row[i] * tape->columns];
    }
    const double dt = even_interval(tape), length = c->n > 0 ? c->x[c->n - 1] - c->x[0] : 0;
    double quantum = fmax(length / (1 << 26), 1e-300);
    if (dt > 0) {
        const double last = length / dt - rint(length / dt);
        quantum = fabs(last) < 1e-6 ? dt : dt / exp2(floor(log2((1 << 25) / (length / dt))));
    }
    return trm_channels_add(channels, c->n, c->x, 1, quantum);
}

static int channel_of(clock *c, const double *x, long step, double quantum, trm_channels *channels)
{
    for (long i = 0; i < c->n; i++) {
        c->x[i] = x[c->row[i] * step];
    }
    return trm_channels_add(channels, c->n, c->x, 1, quantum);
}

// ------------------------------------------------------------------------------------------- poses

/// What a unit of coordinate k moves at most, m: 1 for lengths, the reach of the body for its
/// angle, twice that for its quaternion.
static double lever(const trm_film *f, int body, int k)
{
    const int planar = f->view.dimension == 2;
    const double reach = f->figure[body].reach;
    return k < f->view.dimension ? 1 : planar ? reach : 2 * reach;
}

static long pose_stride(const trm_film *f, double size)
{
    const trm_tape *const tape = f->tape;
    const int nq = trm_model_sizes(f->model).nq;
    long stride = MOST_STRIDE;
    for (int b = 0; b < f->view.nbodies; b++) {
        const trm_body_info body = trm_model_body_info(f->model, b);
        for (int k = 0; k < body.nq && stride > 1; k++) {
            const double error = size / TOLERANCE / fmax(lever(f, b, k), 1e-3 * size);
            stride = trm_channels_stride(f->rows, tape->x, tape->columns, f->q + body.q0 + k, nq,
                                         error, stride);
        }
    }
    return stride;
}

static void write_poses(trm_film *f, double size, clock *c, trm_json *json, trm_channels *channels)
{
    const int nq = trm_model_sizes(f->model).nq;
    clock_every(c, f->rows, pose_stride(f, size));
    trm_json_key(json, "poses");
    trm_json_object(json);
    trm_json_key_integer(json, "clock", clock_channel(c, f->tape, channels));
    trm_json_key_integer(json, "first", channels->n);
    for (int b = 0; b < f->view.nbodies; b++) {
        const trm_body_info body = trm_model_body_info(f->model, b);
        for (int k = 0; k < body.nq; k++) {
            const double quantum = size / PRECISION / fmax(lever(f, b, k), 1e-3 * size);
            channel_of(c, f->q + body.q0 + k, nq, quantum, channels);
        }
    }
    trm_json_end(json);
}

// -------------------------------------------------------------------------------------- forces

/// The largest component of forces and of moments among n numbers, which alternate by threes; what
/// is not finite becomes 0.
static void largest_of(double *F, long n, double largest[2])
{
    largest[0] = largest[1] = 0;
    for (long i = 0; i < n; i++) {
        F[i] = isfinite(F[i]) ? F[i] : 0;
        largest[i % 6 / 3] = fmax(largest[i % 6 / 3], fabs(F[i]));
    }
}

/// The channels of column group k = 0 ... step/6 - 1: force and moment to 1/512 of the largest.
static void six_channels(const trm_film *f, long rows, const double *F, long step, long k,
                         const double largest[2], trm_channels *channels)
{
    for (int i = 0; i < 6; i++) {
        const int absent = f->view.dimension == 2 && (i == 2 || i == 3 || i == 4);
        if (!absent) {
            trm_channels_add(channels, rows, F + 6 * k + i, step,
                             fmax(largest[i / 3], 1e-300) / ARROWS);
        }
    }
}

// --------------------------------------------------------------------------------------- reactions

static void write_gaps(const trm_film *f, const double *gap, double size, trm_json *json)
{
    int worst = -1;
    const int n = trm_model_sizes(f->model).njoint;
    for (int i = 0; i < n; i++) {
        worst = gap[i] > 0 && (worst < 0 || gap[i] > gap[worst]) ? i : worst;
    }
    if (worst >= 0 && gap[worst] > 1e-3 * size) {
        trm_tape_note(
            f->tape,
            "Joint %.60s is open by up to %.3g m or rad: the run lost it, or the recording "
            "belongs to another scene or other --set.",
            trm_model_joint_info(f->model, worst).name, gap[worst]);
    }
    trm_json_key_integer(json, "worst", worst);
    trm_json_key_vector(json, "gaps", n, gap);
}

/// Forces of all joints to 1/512 of the largest of them, which is a sixth of the stage long;
/// moments likewise.
static void reaction_channels(const trm_film *f, double size, clock *c, double *F, trm_json *json,
                              trm_channels *channels)
{
    const long nj = trm_model_sizes(f->model).njoint, step = 6 * nj, n = c->n * step;
    double largest[2];
    largest_of(F, n, largest);
    if (largest[1] <= 1e-9 * size * largest[0]) { // roundoff of joints that bear none
        for (long i = 0; i < n; i++) {
            F[i] = i % 6 < 3 ? F[i] : 0;
        }
        largest[1] = 0;
    }
    trm_json_key_number(json, "largest_force", largest[0]);
    trm_json_key_number(json, "largest_moment", largest[1]);
    trm_json_key_integer(json, "clock", clock_channel(c, f->tape, channels));
    trm_json_key_integer(json, "first", channels->n);
    for (long k = 0; k < nj; k++) {
        six_channels(f, c->n, F, step, k, largest, channels);
    }
}

static trm_status write_reactions(trm_film *f, double size, clock *c, trm_json *json,
                                  trm_channels *channels, trm_error *err)
{
    const double most_work = 2e8; // numbers of G in all
    const trm_sizes n = trm_model_sizes(f->model);
    const size_t step = 6 * (size_t)n.njoint;
    if (n.njoint == 0 || (double)n.nc * n.nv * (double)c->n > most_work) {
        return TRM_OK;
    }
    double *const F = calloc((size_t)c->n * step + 1, sizeof *F);
    double *const gap = calloc((size_t)n.njoint + 1, sizeof *gap);
    trm_error why = {0};
    const trm_status status =
        F != NULL && gap != NULL ? trm_film_reactions(f, c->n, c->row, F, gap, &why) : memory(err);
    if (status == TRM_OK) {
        trm_json_key(json, "reactions");
        trm_json_object(json);
        write_gaps(f, gap, size, json);
        reaction_channels(f, size, c, F, json, channels);
        trm_json_end(json);
    } else if (status != TRM_ERR_MEMORY) {
        trm_tape_note(f->tape, "No reaction forces: %.200s", why.message);
    }
    free(F);
    free(gap);
    return status == TRM_ERR_MEMORY ? memory(err) : TRM_OK;
}

/// Of bodies on which there are any.
static void force_channels(const trm_film *f, clock *c, double *F, trm_json *json,
                           trm_channels *channels)
{
    const long nb = f->view.nbodies, step = 6 * nb;
    double largest[2];
    largest_of(F, c->n * step, largest);
    trm_json_key_number(json, "largest_force", largest[0]);
    trm_json_key_number(json, "largest_moment", largest[1]);
    trm_json_key_integer(json, "clock", clock_channel(c, f->tape, channels));
    trm_json_key_integer(json, "first", channels->n);
    trm_json_key(json, "bodies");
    trm_json_array(json);
    for (long b = 0; b < nb; b++) {
        double own = 0;
        for (long i = 0; i < c->n; i++) {
            for (int k = 0; k < 6; k++) {
                own = fmax(own, fabs(F[i * step + 6 * b + k]));
            }
        }
        if (own > 0) {
            trm_json_integer(json, b);
            six_channels(f, c->n, F, step, b, largest, channels);
        }
    }
    trm_json_end(json);
}

/// What springs, dampers, servos, forces and contacts do to the bodies; nothing without any. They
/// jump: their lines, which *c becomes, are as close as the page can take.
static trm_status write_forces(const trm_film *f, clock *c, trm_json *json, trm_channels *channels,
                               trm_error *err)
{
    const double most_numbers = 4e6, most_lines = 4000; // lines of all bodies together
    const double stride = (double)f->rows * f->view.nbodies / most_lines;
    clock_every(c, f->rows, (long)fmax(1, ceil(fmin(stride, (double)f->rows / 60))));
    const double numbers = 6.0 * f->view.nbodies * (double)c->n;
    if (f->view.nforces + f->view.ncontacts == 0 || numbers > most_numbers) {
        return TRM_OK;
    }
    double *const F = calloc((size_t)numbers + 1, sizeof *F);
    trm_error why = {0};
    const trm_status status = F != NULL ? trm_film_forces(f, c->n, c->row, F, &why) : memory(err);
    if (status == TRM_OK) {
        trm_json_key(json, "forces");
        trm_json_object(json);
        force_channels(f, c, F, json, channels);
        trm_json_end(json);
    } else if (status != TRM_ERR_MEMORY) {
        trm_tape_note(f->tape, "No forces on bodies: %.200s", why.message);
    }
    free(F);
    return status == TRM_ERR_MEMORY ? memory(err) : TRM_OK;
}

// ----------------------------------------------------------------------------------------- columns

static int owns(const char *owner, const char *column, size_t length)
{
    return strlen(owner) == length && strncmp(owner, column, length) == 0;
}

/// Place or velocity of a body or marker that is drawn: the page has it, to the precision of the
/// picture.
static int is_pose(const trm_film *f, const char *name)
{
    const size_t owner = strcspn(name, ".");
    static const char *const whats[] = {".x[m]",      ".y[m]",      ".z[m]",     ".angle[rad]",
                                        ".qw",        ".qx",        ".qy",       ".qz",
                                        ".vx[m/s]",   ".vy[m/s]",   ".vz[m/s]",  ".rate[rad/s]",
                                        ".wx[rad/s]", ".wy[rad/s]", ".wz[rad/s]"};
    int drawn = 0;
    for (size_t i = 0; i < sizeof whats / sizeof *whats; i++) {
        const size_t length = strlen(name), tail = strlen(whats[i]);
        drawn |= length > tail && strcmp(name + length - tail, whats[i]) == 0;
    }
    for (int i = 0; i < f->view.nbodies && drawn; i++) {
        if (owns(trm_view_body(f->scene, i).name, name, owner)) {
            return 1;
        }
    }
    for (int i = 0; i < f->view.nmarkers && drawn; i++) {
        if (owns(trm_scene_marker_info(f->scene, i).name, name, owner)) {
            return 1;
        }
    }
    return 0;
}

static void range_of(const double *x, long rows, long step, double *low, double *high)
{
    *low = INFINITY;
    *high = -INFINITY;
    for (long i = 0; i < rows; i++) {
        *low = fmin(*low, x[i * step]);
        *high = fmax(*high, x[i * step]);
    }
}

/// The rows of the lowest and the highest number of each interval, in order of time, first and last
/// too.
static void choose_extremes(clock *c, const double *x, long rows, long step)
{
    c->n = 0;
    for (long bin = 0; bin < BINS; bin++) {
        const long from = bin * rows / BINS, to = (bin + 1) * rows / BINS;
        long low = from, high = from;
        for (long i = from; i < to; i++) {
            low = x[i * step] < x[low * step] ? i : low;
            high = x[i * step] > x[high * step] ? i : high;
        }
        const long first = low < high ? low : high, second = low < high ? high : low;
        if (bin == 0 && first > 0) {
            c->row[c->n++] = 0;
        }
        c->row[c->n++] = first;
        if (second > first) {
            c->row[c->n++] = second;
        }
    }
    if (c->row[c->n - 1] != rows - 1) {
        c->row[c->n++] = rows - 1;
    }
}

/// Returns whether the rows are a clock of their own; else it is that of every stride-th row.
static int choose_rows(const trm_film *f, clock *c, const double *x, long step, long *stride)
{
    const trm_tape *const tape = f->tape;
    double low, high;
    range_of(x, tape->rows, step, &low, &high);
    const double error = (high - low) / TOLERANCE + 1e-7 * fmax(fabs(low), fabs(high));
    *stride = trm_channels_stride(tape->rows, tape->x, tape->columns, x, step, error, MOST_STRIDE);
    if (tape->rows / *stride > SMOOTH) {
        choose_extremes(c, x, tape->rows, step);
        return 1;
    }
    clock_every(c, tape->rows, *stride);
    return 0;
}

/// Where numbers are missing, the last one is held, and [from, to] (s) is told.
static void write_holes(const trm_tape *tape, trm_json *json, double *x, long step)
{
    int open = 0;
    double last = 0;
    trm_json_key(json, "holes");
    trm_json_array(json);
    for (long i = 0; i < tape->rows; i++) {
        const int hole = !isfinite(x[i * step]);
        if (hole != open) {
            trm_json_number(json, tape->x[(hole ? i : i - 1) * tape->columns]);
            open = hole;
        }
        x[i * step] = hole ? last : x[i * step];
        last = x[i * step];
    }
    if (open) {
        trm_json_number(json, tape->x[(tape->rows - 1) * tape->columns]);
    }
    trm_json_end(json);
}

static void name_and_unit(trm_json *json, const trm_model *model, const char *column)
{
    char text[512];
    snprintf(text, sizeof text, "%s", column);
    char *const unit = strchr(text, '[');
    if (unit != NULL) {
        *unit = '\0';
        unit[1 + strcspn(unit + 1, "]")] = '\0';
    }
    trm_json_key_string(json, "name", text);
    trm_json_key_string(json, "unit", unit != NULL ? unit + 1 : "");
    const int input = trm_model_find(model, TRM_ELEMENT_INPUT, text);
    trm_json_key_boolean(json, "held",
                         input >= 0 && trm_model_input_info(model, input).smooth == 0);
}

typedef struct plots {
    clock clock;
    int shared[32]; // the clock channel of stride 1, 2, 4, ...; -1: none yet
} plots;

static void write_column(trm_film *f, plots *p, const char *name, double *x, long step,
                         trm_json *json, trm_channels *channels)
{
    long stride = 1;
    trm_json_object(json);
    name_and_unit(json, f->model, name);
    write_holes(f->tape, json, x, step);
    const int own = choose_rows(f, &p->clock, x, step, &stride);
    int *const shared = &p->shared[(int)log2((double)stride)];
    int time = own ? -1 : *shared;
    if (time < 0) {
        time = clock_channel(&p->clock, f->tape, channels);
    }
    if (!own) {
        *shared = time;
    }
    trm_json_key_integer(json, "clock", time);
    trm_json_key_integer(json, "channel", channel_of(&p->clock, x, step, 0, channels));
    trm_json_end(json);
}

/// kinetic + potential - work, less what it was at the start: the error of the run, in full
/// precision.
static int energy_error(const trm_tape *tape, double *out)
{
    const int T = trm_tape_column(tape, "energy.kinetic[J]", -1);
    const int V = trm_tape_column(tape, "energy.potential[J]", T);
    const int W = trm_tape_column(tape, "energy.work[J]", V);
    if (T < 0 || V < 0 || W < 0) {
        return 0;
    }
    for (long i = 0; i < tape->rows; i++) {
        const double *const x = tape->x + i * tape->columns, *const x0 = tape->x;
        out[i] = x[T] + x[V] - x[W] - (x0[T] + x0[V] - x0[W]);
    }
    return 1;
}

/// All columns while the whole stays small; of large recordings the checks and the first others.
static trm_status write_columns(trm_film *f, trm_json *json, trm_channels *channels, trm_error *err)
{
    enum { MOST_COLUMNS = 96, CHECKS = 10 };
    trm_tape *const tape = f->tape;
    plots p;
    memset(p.shared, -1, sizeof p.shared);
    double *const energy = calloc((size_t)tape->rows + 1, sizeof *energy);
    if (!clock_create(&p.clock, tape->rows + 2 * BINS) || energy == NULL) {
        clock_destroy(&p.clock);
        free(energy);
        return memory(err);
    }
    int left_out = 0, written = 0;
    trm_json_key(json, "columns");
    trm_json_list(json);
    if (energy_error(tape, energy)) {
        write_column(f, &p, "energy.error[J]", energy, 1, json, channels);
    }
    for (int i = tape->columns - 1; i > 0; i--) {
        if (is_pose(f, tape->name[i])) {
            continue;
        }
        if (written++ >= MOST_COLUMNS) {
            left_out++;
            continue;
        }
        write_column(f, &p, tape->name[i], tape->x + i, tape->columns, json, channels);
    }
    trm_json_end(json);
    trm_json_key_integer(json, "left_out", left_out);
    clock_destroy(&p.clock);
    free(energy);
    return TRM_OK;
}

// -------------------------------------------------------------------------------------- the rest

static void write_events(const trm_tape *tape, trm_json *json)
{
    static const char *const kinds[] = {"crossing", "near",   "bifurcation", "branch", "rejected",
                                        "event",    "impact", "mode",        "end"};
    trm_json_key(json, "events");
    trm_json_list(json);
    for (int i = 0; i < tape->nevents; i++) {
        const trm_page_event *const e = &tape->event[i];
        trm_json_object(json);
        trm_json_key_string(json, "kind", kinds[e->kind]);
        trm_json_key_number(json, "t", e->t);
        trm_json_key_string(json, "text", e->text);
        trm_json_key_integers(json, "joints", e->njoints, e->joints);
        trm_json_end(json);
    }
    trm_json_end(json);
}

trm_status trm_film_write(trm_film *f, double size, trm_json *json, trm_channels *channels,
                          trm_error *err)
{
    clock poses;
    if (!clock_create(&poses, f->tape->rows)) {
        clock_destroy(&poses);
        return memory(err);
    }
    trm_json_object(json);
    trm_json_key_string(json, "label", f->tape->label);
    trm_json_key_integer(json, "rows", f->rows);
    trm_json_key_string(json, "verdict", f->tape->verdict);
    write_poses(f, size, &poses, json, channels);
    trm_status status = write_reactions(f, size, &poses, json, channels, err);
    status = status == TRM_OK ? write_forces(f, &poses, json, channels, err) : status;
    clock_destroy(&poses);
    if (status == TRM_OK) {
        status = write_columns(f, json, channels, err);
    }
    write_events(f->tape, json);
    trm_json_key(json, "notes");
    trm_json_list(json);
    for (int i = 0; i < f->tape->nnotes; i++) {
        trm_json_string(json, f->tape->note[i]);
    }
    trm_json_end(json);
    trm_json_end(json);
    return status;
}
