/// Page: title and subtitle, the drawing, below it scale and names.
///
/// Bodies are drawn solid at the start and faintly at later times, each time after the point that
/// moves most has covered an equal length, up to about twice the size of the mechanism in all;
/// paths go on longer.
#include "tools/view/picture.h"

#include "program/view.h"
#include "tools/common/output.h"
#include "trammel/trammel_error.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 960, MARGIN = 64, TITLE_LINE = 23, TITLE_CHARACTERS = 88, NAMES = 8 };

static const double ghost_reach = 2, path_reach = 7; // in sizes of the mechanism

static const char css[] =
    "  .paper{fill:#fdfdfa;stroke:#dedfd8}\n"
    "  line,polyline,polygon{stroke-linecap:round;stroke-linejoin:round}\n"
    "  text{font-family:'DejaVu Sans',Verdana,Helvetica,sans-serif;fill:#2b3036}\n"
    "  .title{font-size:16px;font-weight:bold} .small{font-size:12px;fill:#5b636c}\n"
    "  .pin{fill:#fff;stroke:#22272d;stroke-width:1.5} .motor{fill:#d9482b;stroke:#22272d;"
    "stroke-width:1.5}\n"
    "  .ground,.leg,.hatch,.axis,.rod,.rope,.spring,.scale{stroke:#22272d;stroke-width:1.5;"
    "fill:none}\n"
    "  .leg{fill:#fdfdfa} .hatch{stroke-width:1;stroke:#5b636c}\n"
    "  .plane{stroke:#5b636c;stroke-width:1.2;fill:#5b636c;fill-opacity:.08}\n"
    "  .limit{stroke:#22272d;stroke-width:2.6;fill:none} .pointer{stroke-width:1.5}\n"
    "  .keep{stroke:#22272d;stroke-width:1.1;stroke-dasharray:3 3;fill:none} .dot{fill:#22272d}\n"
    "  .axis{stroke-width:1.1;stroke-dasharray:7 3 1 3} .rod{stroke-width:2.2}\n"
    "  .slot-edge{stroke:#22272d;stroke-width:7} .slot{stroke:#fdfdfa;stroke-width:4.5}\n"
    "  .name{font-size:12px;stroke:#fdfdfa;stroke-width:3;paint-order:stroke}\n"
    "  .marker{fill:#22272d} .force{stroke:#b3261e;stroke-width:2;fill:none}\n"
    "  .force-head{fill:#b3261e;stroke:#b3261e;stroke-width:1}\n"
    "  .path{fill:none;stroke-width:1.3}\n";

void trm_picture_point(const trm_picture *picture, int body, const double local[3], const double *q,
                       double x[3])
{
    if (body < 0) {
        memcpy(x, local, 3 * sizeof *x);
    } else {
        trm_model_point(picture->model, body, local, q, NULL, x, NULL);
    }
    if (picture->view.dimension == 2) {
        x[2] = 0;
    }
}

trm_page_point trm_picture_project(const trm_picture *picture, int body, const double local[3],
                                   const double *q)
{
    double x[3];
    trm_picture_point(picture, body, local, q, x);
    return trm_camera_project(&picture->camera, x);
}

// ----------------------------------------------------------------------- what is going to be seen

static void add_track(trm_picture *p, int body, const double local[3])
{
    if (body >= 0 && p->ntracks < TRM_TRACKS) {
        p->track[p->ntracks].body = body;
        memcpy(p->track[p->ntracks].local, local, sizeof p->track[0].local);
        p->ntracks++;
    }
}

/// Markers where the scene has some; else the centres of few bodies, or the far end of the last of
/// many.
static void choose_tracks(trm_picture *p)
{
    static const double center[3] = {0, 0, 0};
    const int n = p->view.nbodies;
    for (int i = 0; i < p->view.nmarkers; i++) {
        const trm_marker_info marker = trm_scene_marker_info(p->scene, i);
        add_track(p, marker.body, marker.local);
    }
    for (int i = 0; i < n && n <= TRM_TRACKS / 2 && p->view.nmarkers == 0; i++) {
        add_track(p, i, center);
    }
    if (p->ntracks == 0 && n > 0) {
        const trm_figure *const last = &p->figure[n - 1];
        add_track(p, n - 1, last->kind == TRM_FIGURE_BAR ? last->point[1] : center);
    }
}

/// The first state by which the track that moves most has covered `length` (m), or the last one;
/// *reached is what it has covered then.
static int state_of_length(const trm_picture *p, double length, double *reached)
{
    double covered[TRM_TRACKS] = {0};
    *reached = 0;
    for (int i = 1; i < p->motion->n; i++) {
        for (int k = 0; k < p->ntracks; k++) {
            double a[3], b[3];
            const trm_track *const track = &p->track[k];
            trm_picture_point(p, track->body, track->local, trm_motion_at(p->motion, i - 1), a);
            trm_picture_point(p, track->body, track->local, trm_motion_at(p->motion, i), b);
            covered[k] += sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) +
                               (a[2] - b[2]) * (a[2] - b[2]));
            *reached = fmax(*reached, covered[k]);
            if (covered[k] >= length) {
                return i;
            }
        }
    }
    return p->motion->n - 1;
}

static double diameter(const trm_camera *c)
{
    return hypot(c->high[0] - c->low[0], c->high[1] - c->low[1]);
}

static void choose_times(trm_picture *p)
{
    const int n = p->view.nbodies;
    const int few = p->view.dimension == 2 ? TRM_GHOSTS : 5;
    const int ghosts = n <= 10 ? few : n <= 60 ? 4 : 3;
    trm_picture_include_bodies(p, trm_motion_at(p->motion, 0));
    p->path_end = 0;
    trm_picture_include_joints(p);
    trm_picture_include_lines(p);
    p->size = fmax(diameter(&p->camera), 1e-6);
    double reach = 0, ignored = 0;
    const int last = state_of_length(p, ghost_reach * p->size, &reach);
    p->path_end = state_of_length(p, path_reach * p->size, &ignored);
    for (int i = 1; i <= ghosts && reach > 1e-6 * p->size; i++) {
        const int state = i < ghosts ? state_of_length(p, reach * i / ghosts, &ignored) : last;
        if (p->nghosts == 0 || state > p->ghost[p->nghosts - 1]) {
            p->ghost[p->nghosts++] = state;
        }
    }
}

static int by_number(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

/// The times asked for instead.
static trm_status take_times(trm_picture *p, int n, const double *phase, trm_error *err)
{
    const trm_motion *const m = p->motion;
    const double end = m->interval * (m->n - 1);
    p->nghosts = 0;
    for (int i = 0; i < n; i++) {
        if (!(phase[i] <= end + 0.5 * m->interval)) {
            return TRM_FAIL(err, TRM_ERR_OPTIONS, "--at", "%.6g s is after the end, %.6g s",
                            phase[i], end);
        }
        const int state = m->interval > 0 ? (int)fmin(rint(phase[i] / m->interval), m->n - 1) : 0;
        if (i == 0) {
            p->now = state;
        } else {
            p->ghost[p->nghosts++] = state;
        }
        p->path_end = state > p->path_end ? state : p->path_end;
    }
    qsort(p->ghost, (size_t)p->nghosts, sizeof *p->ghost, by_number);
    trm_picture_include_bodies(p, trm_motion_at(m, p->now));
    return TRM_OK;
}

static void include_all(trm_picture *p)
{
    for (int i = 0; i < p->nghosts; i++) {
        trm_picture_include_bodies(p, trm_motion_at(p->motion, p->ghost[i]));
    }
    for (int k = 0; k < p->ntracks; k++) {
        for (int i = 0; i <= p->path_end; i++) {
            double x[3];
            trm_picture_point(p, p->track[k].body, p->track[k].local, trm_motion_at(p->motion, i),
                              x);
            trm_camera_include(&p->camera, x, 0);
        }
    }
    p->size = diameter(&p->camera);
    trm_picture_include_joints(p);
    trm_picture_include_lines(p);
}

// ------------------------------------------------------------------------------------- the parts

/// Writes the title in lines of at most TITLE_CHARACTERS; returns their number. `out` may be NULL.
static int title_lines(FILE *out, const char *title)
{
    int lines = 0;
    while (*title != '\0') {
        size_t n = strlen(title);
        if (n > TITLE_CHARACTERS) {
            n = TITLE_CHARACTERS;
            while (n > 0 && title[n] != ' ') {
                n--;
            }
            n = n == 0 ? strcspn(title, " ") : n;
        }
        char line[4 * TITLE_CHARACTERS];
        snprintf(line, sizeof line, "%.*s", (int)n, title);
        if (out != NULL) {
            trm_svg_text(out, (trm_page_point){28, 36 + TITLE_LINE * lines}, line, "title");
        }
        lines++;
        title += n + strspn(title + n, " ");
    }
    return lines;
}

static void subtitle(const trm_picture *p, double y)
{
    char text[160];
    const double dt = p->motion->interval;
    const double ghosts = p->nghosts > 0 ? p->ghost[p->nghosts - 1] * dt : 0;
    if (p->animated) {
        return;
    }
    int n = snprintf(text, sizeof text, "solid at t = %.5g s", p->now * dt);
    n += snprintf(text + n, sizeof text - (size_t)n, "%s", p->nghosts > 0 ? ", faint " : "");
    if (p->chosen && p->nghosts > 0) {
        n += snprintf(text + n, sizeof text - (size_t)n, "at");
        for (int i = 0; i < p->nghosts && n < 110; i++) {
            n += snprintf(text + n, sizeof text - (size_t)n, "%s %.5g", i > 0 ? "," : "",
                          p->ghost[i] * dt);
        }
    } else if (p->nghosts > 0) {
        n += snprintf(text + n, sizeof text - (size_t)n, "up to %.3g", ghosts);
    }
    snprintf(text + n, sizeof text - (size_t)n, "%s, paths up to %.3g s%s",
             p->nghosts > 0 ? " s" : "", p->path_end * dt,
             p->motion->complete ? "" : "; the run failed after that");
    trm_svg_text(p->out, (trm_page_point){28, y}, text, "small");
}

/// Whether points from + 1 ... to - 1 lie within a third of a pixel of the chord.
static int is_straight(const trm_page_point *p, int from, int to)
{
    const double dx = p[to].x - p[from].x, dy = p[to].y - p[from].y;
    const double length = fmax(hypot(dx, dy), 1e-9);
    for (int i = from + 1; i < to; i++) {
        const double x = p[i].x - p[from].x, y = p[i].y - p[from].y;
        const double along = (x * dx + y * dy) / length;
        if (fabs(x * dy - y * dx) / length > 0.33 || along < -0.33 || along > length + 0.33) {
            return 0;
        }
    }
    return 1;
}

/// In place, leaves out what lies on chords; returns how many points stay.
static int simplify(int n, trm_page_point *p)
{
    enum { LONGEST = 64 }; // points of a chord at most: the work stays linear
    int kept = 0, from = 0;
    trm_page_point last = n > 0 ? p[0] : (trm_page_point){0, 0};
    for (int i = 1; i < n; i++) {
        if (i - from > LONGEST || !is_straight(p, from, i)) {
            p[kept++] = last;
            from = i - 1;
            last = p[from];
        }
    }
    p[kept++] = last;
    if (n > 1) {
        p[kept++] = p[n - 1];
    }
    return kept;
}

static void draw_path(const trm_picture *p, const trm_track *track, trm_page_point *page)
{
    int n = 0;
    for (int i = 0; i <= p->path_end; i++) {
        page[n] = trm_picture_project(p, track->body, track->local, trm_motion_at(p->motion, i));
        if (n == 0 || hypot(page[n].x - page[n - 1].x, page[n].y - page[n - 1].y) > 0.8) {
            n++;
        }
    }
    n = simplify(n, page);
    if (n > 1) {
        char style[64];
        snprintf(style, sizeof style, "fill:none;stroke-width:1.2;stroke:%s",
                 trm_picture_edge(p, track->body));
        trm_svg_polyline(p->out, n, page, 0, style);
    }
}

/// 1, 2 or 5 times a power of ten, at most x.
static double round_length(double x)
{
    const double power = pow(10, floor(log10(x)));
    const double digit = x / power;
    return power * (digit >= 5 ? 5 : digit >= 2 ? 2 : 1);
}

static void length_text(double length, char *out, size_t size)
{
    const int mm = length < 0.01, km = length >= 1000;
    snprintf(out, size, "%g %s",
             length * (mm   ? 1000
                       : km ? 0.001
                            : 1),
             mm   ? "mm"
             : km ? "km"
                  : "m");
}

static void scale_bar(const trm_picture *p, double y)
{
    char text[32];
    const double length = round_length(150 / p->camera.scale), w = length * p->camera.scale;
    const trm_page_point a = {30, y}, b = {30 + w, y};
    trm_svg_line(p->out, a, b, "scale");
    trm_svg_line(p->out, (trm_page_point){a.x, y - 4}, (trm_page_point){a.x, y + 4}, "scale");
    trm_svg_line(p->out, (trm_page_point){b.x, y - 4}, (trm_page_point){b.x, y + 4}, "scale");
    length_text(length, text, sizeof text);
    trm_svg_text(p->out, (trm_page_point){b.x + 8, y + 4}, text, "small");
}

/// In space: the three axes, each as long as the text says.
static void triad(const trm_picture *p, double y)
{
    static const char *const names[] = {"x", "y", "z"};
    const trm_camera *const c = &p->camera;
    const double length = round_length(70 / c->scale);
    const trm_page_point o = {72, y - 14};
    char number[24], text[32];
    for (int k = 0; k < 3; k++) {
        const double dx = length * c->scale * c->right[k], dy = -length * c->scale * c->up[k];
        const trm_page_point tip = {o.x + dx, o.y + dy};
        const trm_page_point label = {o.x + 1.22 * dx - 4, o.y + 1.22 * dy + 4};
        trm_svg_line(p->out, o, tip, "scale");
        trm_svg_text(p->out, label, names[k], "small");
    }
    length_text(length, number, sizeof number);
    snprintf(text, sizeof text, "axes %s", number);
    trm_svg_text(p->out, (trm_page_point){o.x + 62, y + 4}, text, "small");
}

/// Colours and names of the bodies, right-aligned.
static void legend(const trm_picture *p, double y)
{
    const int n = p->view.nbodies;
    double x = WIDTH - 28;
    for (int i = n - 1; i >= 0 && n <= NAMES; i--) {
        char style[96];
        const trm_body_view body = trm_view_body(p->scene, i);
        const char *const name = body.name;
        if (body.rotor) {
            continue;
        }
        x -= 7.6 * (double)strlen(name);
        trm_svg_text(p->out, (trm_page_point){x, y + 4}, name, "small");
        snprintf(style, sizeof style, "fill:%s;stroke:%s;stroke-width:1.4", trm_picture_fill(p, i),
                 trm_picture_edge(p, i));
        x -= 12;
        trm_svg_circle(p->out, (trm_page_point){x, y}, 5, style);
        x -= 18;
    }
}

static trm_status draw_motion(const trm_picture *p, trm_page_point *page, trm_error *err)
{
    trm_picture_faces(p);
    trm_picture_guides(p);
    for (int i = p->nghosts - 1; i >= 0; i--) {
        trm_picture_ghost(p, trm_motion_at(p->motion, p->ghost[i]), 0.24 - 0.02 * i);
    }
    for (int k = 0; k < p->ntracks; k++) {
        draw_path(p, &p->track[k], page);
    }
    TRM_TRY(trm_picture_bodies(p, trm_motion_at(p->motion, p->now), err));
    trm_picture_lines(p);
    trm_picture_struts(p);
    trm_picture_joints(p);
    trm_picture_forces(p);
    trm_picture_markers(p);
    return TRM_OK;
}

/// px, heights of the head, of the box of the drawing, and of the page.
typedef struct layout {
    double top, box, height;
} layout;

static layout lay_out(trm_picture *p)
{
    const trm_camera *const c = &p->camera;
    const int lines = title_lines(NULL, trm_scene_get_info(p->scene).title);
    const double width = WIDTH - 2 * MARGIN;
    const double wanted = width * (c->high[1] - c->low[1]) / fmax(c->high[0] - c->low[0], 1e-9);
    layout l = {.top = 36 + TITLE_LINE * lines + (p->animated ? 8 : 26)};
    l.box = fmin(fmax(wanted, 120), p->animated ? 440 : 560);
    l.height = l.top + l.box + (p->view.dimension == 3 ? 128 : 84);
    trm_camera_fit(&p->camera, (trm_page_point){MARGIN, l.top}, width, l.box);
    return l;
}

static trm_status draw_page(trm_picture *p, const layout *l, trm_page_point *page, trm_error *err)
{
    const char *const title = trm_scene_get_info(p->scene).title;
    trm_svg_begin(p->out, WIDTH, l->height, css, *title ? title : p->view.path);
    TRM_TRY(draw_motion(p, page, err));
    const int lines = title_lines(p->out, title);
    subtitle(p, 36 + TITLE_LINE * lines);
    if (p->view.dimension == 3) {
        triad(p, l->height - 30);
    } else {
        scale_bar(p, l->height - 30);
    }
    legend(p, l->height - 30);
    trm_svg_end(p->out);
    return TRM_OK;
}

/// What both kinds need; `page` has room for a path.
typedef struct easel {
    trm_figure *figure;
    trm_page_point *page;
    trm_picture picture;
} easel;

static void easel_destroy(easel *e)
{
    trm_lines_destroy(&e->picture.lines);
    free(e->figure);
    free(e->page);
}

static trm_status easel_create(const trm_scene *scene, const trm_model *model,
                               const trm_motion *motion, easel *e, trm_error *err)
{
    const int n = trm_view_scene(scene).nbodies;
    *e = (easel){0};
    int nfigures;
    e->figure = trm_figures_of(scene, &nfigures);
    e->page = calloc((size_t)motion->n + 1, sizeof *e->page);
    if (e->figure == NULL || e->page == NULL) {
        easel_destroy(e);
        return TRM_FAIL(err, TRM_ERR_MEMORY, "", "out of memory");
    }
    e->picture = (trm_picture){
        .scene = scene,
        .view = trm_view_scene(scene),
        .model = model,
        .motion = motion,
        .nfigures = nfigures,
        .figure = e->figure,
        .camera = trm_camera_create(scene),
        .stroke = fmax(4.8 * fmin(1, sqrt(12.0 / (n + 1))), 1.2),
    };
    choose_tracks(&e->picture);
    const trm_status status = trm_lines_of(scene, model, e->figure, &e->picture.lines, err);
    if (status != TRM_OK) {
        easel_destroy(e);
    }
    return status;
}

trm_status trm_picture_draw(FILE *out, const trm_scene *scene, const trm_model *model,
                            const trm_motion *motion, int nphases, const double *phase,
                            trm_error *err)
{
    easel e;
    TRM_TRY(easel_create(scene, model, motion, &e, err));
    trm_picture *const p = &e.picture;
    p->out = out;
    choose_times(p);
    p->chosen = nphases > 0;
    trm_status status = p->chosen ? take_times(p, nphases, phase, err) : TRM_OK;
    include_all(p);
    const layout l = lay_out(p);
    status = status == TRM_OK ? draw_page(p, &l, e.page, err) : status;
    easel_destroy(&e);
    return status;
}

// ----------------------------------------------------------------------------------------- moving

static int frame_state(const trm_picture *p, int frames, int k)
{
    return (int)((long)k * (p->motion->n - 1) / (frames > 1 ? frames - 1 : 1));
}

/// All states that are shown are in the picture.
static void include_frames(trm_picture *p, int frames)
{
    p->animated = 1;
    p->path_end = p->motion->n - 1;
    for (int k = 0; k < frames; k++) {
        trm_picture_include_bodies(p, trm_motion_at(p->motion, frame_state(p, frames, k)));
    }
    p->size = fmax(diameter(&p->camera), 1e-6);
    trm_picture_include_joints(p);
    trm_picture_include_lines(p);
}

static trm_status draw_frame(trm_picture *p, const layout *l, trm_page_point *page, char **text,
                             trm_error *err)
{
    size_t length = 0;
    p->out = trm_text_stream(text, &length);
    if (p->out == NULL) {
        return TRM_FAIL(err, TRM_ERR_MEMORY, "", "out of memory");
    }
    const trm_status status = draw_page(p, l, page, err);
    if (trm_stream_close(p->out) != 0 && status == TRM_OK) {
        return TRM_FAIL(err, TRM_ERR_MEMORY, "", "out of memory");
    }
    return status;
}

trm_status trm_picture_frames(const trm_scene *scene, const trm_model *model,
                              const trm_motion *motion, int frames, char **text, trm_camera *camera,
                              trm_error *err)
{
    easel e;
    trm_status status = easel_create(scene, model, motion, &e, err);
    if (status != TRM_OK) {
        return status;
    }
    e.picture.camera = camera ? *camera : e.picture.camera;
    include_frames(&e.picture, frames);
    const layout l = lay_out(&e.picture);
    if (camera) {
        *camera = e.picture.camera;
    }
    for (int k = 0; k < frames && status == TRM_OK; k++) {
        e.picture.now = frame_state(&e.picture, frames, k);
        status = draw_frame(&e.picture, &l, e.page, &text[k], err);
    }
    easel_destroy(&e);
    return status;
}
