#include "tools/view/live.h"

#include "tools/common/output.h"
#include "tools/view/live_page.h"
#include "tools/view/picture.h"
#include "trammel/trammel_error.h"
#include "trammel/trammel_methods.h"
#include "trammel/trammel_simulation.h"

#include <arpa/inet.h>
#include <dlfcn.h>
#include <errno.h>
#include <math.h>
#include <microhttpd.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/// Loaded when a page is asked for: it brings libraries along whose relocations take ten times the
/// instructions of a short command.
static struct {
    __typeof__(&MHD_start_daemon) start_daemon;
    __typeof__(&MHD_stop_daemon) stop_daemon;
    __typeof__(&MHD_get_daemon_info) get_daemon_info;
    __typeof__(&MHD_lookup_connection_value) lookup_connection_value;
    __typeof__(&MHD_create_response_from_buffer) create_response_from_buffer;
    __typeof__(&MHD_add_response_header) add_response_header;
    __typeof__(&MHD_queue_response) queue_response;
    __typeof__(&MHD_destroy_response) destroy_response;
} mhd;

enum { NONE = -1 };

/// s: what a picture makes up for at most, and how long it waits for the run; and how long nobody
/// has looked where the run has stood still. A page asks 20 times a second.
static const double most_due = 0.25, most_work = 0.25, unseen = 2;

/// All of it belongs to the one thread of the server.
typedef struct live {
    const trm_scene *scene;
    const trm_model *model;
    trm_sim *sim;
    trm_options options;
    trm_camera camera;
    double clock, work_end; // s, of the last picture; when the run is to give way
    double pace;            // of the run against the clock, 1: it keeps up
    int over, late, port;
    int body; // that is pushed, or NONE
    double target[3];
    char told[256];
} live;

static volatile sig_atomic_t stopped;

static void on_signal(int signal)
{
    (void)signal;
    stopped = 1;
}

static double clock_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// -------------------------------------------------------------------------------------- the run

/// The pointer pulls the centre of mass by a spring on which the body alone would swing twice a
/// second, damped critically.
static int pull(const trm_model *model, double t, const double *q, const double *v, double *f,
                void *user)
{
    const live *const l = user;
    (void)t;
    if (l->body != NONE) {
        const trm_body_info body = trm_model_body_info(model, l->body);
        const double mass = trm_view_body(l->scene, l->body).mass, w = 4 * acos(-1);
        for (int i = 0; i < trm_scene_get_info(l->scene).dimension; i++) {
            f[body.v0 + i] += mass * w * (w * (l->target[i] - q[body.q0 + i]) - 2 * v[body.v0 + i]);
        }
    }
    return 0;
}

static void begin(live *l)
{
    trm_error err = {.t = NAN};
    trm_sim_destroy(l->sim);
    l->over = trm_sim_create(l->model, &l->options, &l->sim, &err) != TRM_OK;
    snprintf(l->told, sizeof l->told, "%s", l->over ? err.message : "");
    l->clock = clock_now();
    l->pace = 1;
}

static int is_late(trm_sim *sim, void *user)
{
    live *const l = user;
    (void)sim;
    l->late = clock_now() > l->work_end;
    return l->late;
}

/// As far as the clock has gone since the last picture, or as the run comes in its time.
static void advance(live *l, int paused)
{
    const double now = clock_now(), due = now - l->clock;
    l->clock = now;
    if (paused || l->over || !(due > 0) || due > unseen) {
        return;
    }
    trm_error err = {.t = NAN};
    const double t = trm_sim_state(l->sim).t;
    l->work_end = now + most_work;
    l->late = 0;
    const trm_status status = trm_sim_run(l->sim, t + fmin(due, most_due), is_late, l, &err);
    l->over = status < 0 || (status == TRM_STOPPED && !l->late);
    if (l->over) {
        snprintf(l->told, sizeof l->told, "%s",
                 status < 0 ? err.message : "an event ended the run");
    }
    l->pace += 0.1 * ((trm_sim_state(l->sim).t - t) / due - l->pace); // over half a second or so
}

// ---------------------------------------------------------------------------------- the pointer

/// The body whose centre is nearest to the place of the page, and where the pointer is in the
/// plane through it.
static void grasp(live *l, double x, double y, int anew)
{
    const trm_camera *const c = &l->camera;
    const double *const q = trm_sim_state(l->sim).q;
    double best = INFINITY;
    for (int i = 0; anew && i < trm_model_sizes(l->model).nbody; i++) {
        double centre[3] = {0, 0, 0};
        static const double origin[3] = {0, 0, 0};
        trm_model_point(l->model, i, origin, q, NULL, centre, NULL);
        const trm_page_point at = trm_camera_project(c, centre);
        const double away = hypot(at.x - x, at.y - y);
        if (away < best && !trm_view_body(l->scene, i).rotor) {
            best = away;
            l->body = i;
        }
    }
    if (l->body != NONE) {
        const trm_body_info body = trm_model_body_info(l->model, l->body);
        double centre[3] = {0, 0, 0};
        memcpy(centre, q + body.q0,
               (size_t)trm_scene_get_info(l->scene).dimension * sizeof *centre);
        const trm_page_point at = trm_camera_project(c, centre);
        for (int i = 0; i < 3; i++) {
            l->target[i] =
                centre[i] + ((x - at.x) * c->right[i] - (y - at.y) * c->up[i]) / c->scale;
        }
    }
}

// ----------------------------------------------------------------------------------- the server

static double number_of(struct MHD_Connection *connection, const char *name, double otherwise)
{
    const char *const text = mhd.lookup_connection_value(connection, MHD_GET_ARGUMENT_KIND, name);
    char *end = NULL;
    const double x = text ? strtod(text, &end) : otherwise;
    return text && *text && *end == '\0' && isfinite(x) ? x : otherwise;
}

static void take_wishes(live *l, struct MHD_Connection *connection)
{
    if (number_of(connection, "reset", 0) != 0) {
        begin(l);
    }
    for (int i = 0; i < trm_model_sizes(l->model).ninput && !l->over; i++) {
        char name[16];
        trm_error err;
        snprintf(name, sizeof name, "i%d", i);
        const double x = number_of(connection, name, NAN);
        if (isfinite(x)) {
            (void)trm_sim_set_input(l->sim, i, x, &err);
        }
    }
    const int down = number_of(connection, "down", 0) != 0;
    if (down && !l->over) {
        grasp(l, number_of(connection, "x", 0), number_of(connection, "y", 0), l->body == NONE);
    } else {
        l->body = NONE;
    }
}

/// "V 0.0012 m^3, P 30 W"
static void write_outputs(const live *l, FILE *out)
{
    for (int i = 0; i < trm_model_sizes(l->model).noutput; i++) {
        const trm_output_info output = trm_model_output_info(l->model, i);
        trm_sensor sensor;
        double value = NAN;
        trm_error err;
        if (trm_model_sensor(l->model, output.name, &sensor, &err) == TRM_OK) {
            (void)trm_sim_read(l->sim, &sensor, &value, &err);
        }
        fprintf(out, "%s%s %.6g %s", i ? ", " : "", output.name, value, output.unit);
    }
}

/// A line "time pace message", a line of outputs, then the picture.
static char *picture(live *l, size_t *length)
{
    const trm_sizes n = trm_model_sizes(l->model);
    const trm_state state = trm_sim_state(l->sim);
    trm_error err;
    trm_motion motion = {.n = 1, .nq = n.nq, .q = malloc((size_t)n.nq * sizeof *motion.q)};
    char *svg = NULL, *text = NULL;
    FILE *const out = motion.q ? trm_text_stream(&text, length) : NULL;
    if (out) {
        memcpy(motion.q, state.q, (size_t)n.nq * sizeof *motion.q);
        (void)trm_picture_frames(l->scene, l->model, &motion, 1, &svg, &l->camera, &err);
        fprintf(out, "%.6f %.3f %s\n", state.t, l->pace, l->told);
        write_outputs(l, out);
        fprintf(out, "\n%s", svg ? svg : "");
        fclose(out);
    }
    free(motion.q);
    free(svg);
    return text;
}

static char *page(const live *l, size_t *length)
{
    char *text = NULL;
    FILE *const out = trm_text_stream(&text, length);
    if (!out) {
        return NULL;
    }
    for (int i = 0; trm_live_page_head[i]; i++) {
        fputs(trm_live_page_head[i], out);
    }
    fputc('[', out);
    for (int i = 0; i < trm_model_sizes(l->model).ninput; i++) { // names are plain
        const trm_input_info input = trm_model_input_info(l->model, i);
        fprintf(out, "%s{\"name\":\"%s\",\"value\":%.17g}", i ? "," : "", input.name, input.value);
    }
    fputc(']', out);
    for (int i = 0; trm_live_page_tail[i]; i++) {
        fputs(trm_live_page_tail[i], out);
    }
    fclose(out);
    return text;
}

/// Pages of others may send requests here by another name of this address; they are refused.
static int is_ours(const live *l, struct MHD_Connection *connection)
{
    char address[32], name[32];
    const char *const asked = mhd.lookup_connection_value(connection, MHD_HEADER_KIND, "Host");
    const char *const site =
        mhd.lookup_connection_value(connection, MHD_HEADER_KIND, "Sec-Fetch-Site");
    snprintf(address, sizeof address, "127.0.0.1:%d", l->port);
    snprintf(name, sizeof name, "localhost:%d", l->port);
    return asked && (!strcmp(asked, address) || !strcmp(asked, name)) &&
           (!site || (strcmp(site, "cross-site") != 0 && strcmp(site, "same-site") != 0));
}

static enum MHD_Result answer(void *user, struct MHD_Connection *connection, const char *url,
                              const char *method, const char *version, const char *sent,
                              size_t *nsent, void **seen)
{
    live *const l = user;
    size_t length = 0;
    char *text = NULL;
    const int frame = !strcmp(url, "/frame"), known = frame || !strcmp(url, "/");
    (void)version, (void)sent, (void)nsent, (void)seen;
    const unsigned code = !is_ours(l, connection)      ? MHD_HTTP_FORBIDDEN
                          : strcmp(method, "GET") != 0 ? MHD_HTTP_METHOD_NOT_ALLOWED
                          : known                      ? MHD_HTTP_OK
                                                       : MHD_HTTP_NOT_FOUND;
    if (code == MHD_HTTP_OK && frame) {
        take_wishes(l, connection);
        advance(l, number_of(connection, "pause", 0) != 0);
        text = picture(l, &length);
    } else if (code == MHD_HTTP_OK) {
        text = page(l, &length);
    }
    struct MHD_Response *const response = mhd.create_response_from_buffer(
        text ? length : 0, text ? text : "", text ? MHD_RESPMEM_MUST_FREE : MHD_RESPMEM_PERSISTENT);
    mhd.add_response_header(response, "Content-Type",
                            frame ? "text/plain; charset=utf-8" : "text/html; charset=utf-8");
    mhd.add_response_header(response, "Cache-Control", "no-store");
    const enum MHD_Result done = mhd.queue_response(connection, code, response);
    mhd.destroy_response(response);
    return done;
}

static trm_status load_server(trm_error *err)
{
    // in the order of the struct
    static const char *const names[] = {"MHD_start_daemon",
                                        "MHD_stop_daemon",
                                        "MHD_get_daemon_info",
                                        "MHD_lookup_connection_value",
                                        "MHD_create_response_from_buffer",
                                        "MHD_add_response_header",
                                        "MHD_queue_response",
                                        "MHD_destroy_response"};
    void *const library = dlopen("libmicrohttpd.so.12", RTLD_NOW | RTLD_LOCAL);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        void *const found = library ? dlsym(library, names[i]) : NULL;
        if (!found) {
            return TRM_FAIL(err, TRM_ERR_OPTIONS, "--live",
                            "it needs libmicrohttpd (Debian: libmicrohttpd12): %s", dlerror());
        }
        memcpy((char *)&mhd + i * sizeof found, &found, sizeof found);
    }
    return TRM_OK;
}

static trm_status serve(live *l, int port, trm_error *err)
{
    TRM_TRY(load_server(err));
    if (port < 0 || port > UINT16_MAX) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS, "--port", "expected 0 to %d, got %d", UINT16_MAX,
                        port);
    }
    const struct sockaddr_in address = {.sin_family = AF_INET,
                                        .sin_port = htons((uint16_t)port),
                                        .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    struct MHD_Daemon *const server = mhd.start_daemon(
        MHD_USE_INTERNAL_POLLING_THREAD, (uint16_t)port, NULL, NULL, answer, l,
        MHD_OPTION_SOCK_ADDR, &address, MHD_OPTION_CONNECTION_TIMEOUT, 30U, MHD_OPTION_END);
    if (!server) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS, "--port", "%d cannot be opened: %s", port,
                        strerror(errno));
    }
    const union MHD_DaemonInfo *const info = mhd.get_daemon_info(server, MHD_DAEMON_INFO_BIND_PORT);
    l->port = info ? info->port : port;
    printf("http://127.0.0.1:%d shows it; Ctrl-C ends\n", l->port);
    fflush(stdout);
    while (!stopped) {
        nanosleep(&(struct timespec){.tv_nsec = 100000000}, NULL);
    }
    mhd.stop_daemon(server);
    return TRM_OK;
}

trm_status trm_live_serve(trm_scene *scene, const trm_options *options, int port, trm_error *err)
{
    live l = {
        .scene = scene, .options = *options, .body = NONE, .camera = trm_camera_create(scene)};
    // no name of a scene has a space
    const trm_force_def pointer = {.name = "the pointer", .force = pull, .user = &l};
    trm_model *model = NULL;
    trm_status status = trm_scene_add_force(scene, &pointer, err);
    status = status ? status : trm_model_build(scene, &model, err);
    l.model = model;
    status = status ? status : trm_sim_create(model, options, &l.sim, err);
    if (status == TRM_OK) {
        sigaction(SIGINT, &(struct sigaction){.sa_handler = on_signal}, NULL);
        sigaction(SIGTERM, &(struct sigaction){.sa_handler = on_signal}, NULL);
        begin(&l);
        status = serve(&l, port, err);
    }
    trm_sim_destroy(l.sim);
    trm_model_destroy(model);
    return status;
}
