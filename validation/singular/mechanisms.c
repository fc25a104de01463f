/// Mechanisms with singular positions, written as scenes.
#include "validation/singular/mechanisms.h"
#include "trammel/trammel_model.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

void stop(const trm_error *err)
{
    fprintf(stderr, "%s: %s\n", err->where, err->message);
    exit(1);
}

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

void four_bars(text *t, int space, int n, const crank *cranks)
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

/// Angles of coupler and rocker: the triangle over the line from the crank's tip to the rocker's
/// foot. Rates: the tips of coupler and rocker are one point, crank e1 w + coupler e2 r2 = rocker
/// e3 r3, e perpendicular to the bar.
void four_bar(text *t, int space, const linkage *b)
{
    const double foot[2] = {b->ground, 0}, origin[2] = {0, 0};
    const double tip[2] = {b->crank * cos(b->angle), b->crank * sin(b->angle)};
    const double way[2] = {foot[0] - tip[0], foot[1] - tip[1]}, d = hypot(way[0], way[1]);
    const double across =
        acos((d * d + b->coupler * b->coupler - b->rocker * b->rocker) / (2 * d * b->coupler));
    const double psi = atan2(way[1], way[0]) + across;
    const double top[2] = {tip[0] + b->coupler * cos(psi), tip[1] + b->coupler * sin(psi)};
    const double chi = atan2(top[1] - foot[1], top[0] - foot[0]);
    const double w = b->crank * b->rate;
    const double r3 = w * sin(b->angle - psi) / (b->rocker * sin(chi - psi));
    const double r2 = -w * sin(b->angle - chi) / (b->coupler * sin(psi - chi));
    const double vt[2] = {-w * sin(b->angle), w * cos(b->angle)};
    const double vr[2] = {-b->rocker * r3 * sin(chi), b->rocker * r3 * cos(chi)};
    const double half[2] = {vt[0] / 2, vt[1] / 2},
                 middle[2] = {(vt[0] + vr[0]) / 2, (vt[1] + vr[1]) / 2};
    const double half_rocker[2] = {vr[0] / 2, vr[1] / 2};
    t->used = 0;
    add(t, "{\"dimension\": %d, \"gravity\": [0, -9.81%s], \"assemble\": true, \"bodies\": [",
        space ? 3 : 2, space ? ", 0" : "");
    add_bar(t, space, "bar", 0, origin, tip, half, b->rate);
    add_bar(t, space, "bar", 1, tip, top, middle, r2);
    add_bar(t, space, "bar", 2, foot, top, half_rocker, r3);
    add(t, "], \"joints\": [");
    add_pin(t, space, "A", 0, "ground", "bar_0", origin);
    add_pin(t, space, "B", 0, "bar_0", "bar_1", tip);
    add_pin(t, space, "C", 0, "bar_1", "bar_2", top);
    add_pin(t, space, "D", 0, "ground", "bar_2", foot);
    add(t, "]}");
}

void slider_crank(text *t, double l2, double phi, double w)
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

trm_model *parse(const text *t)
{
    trm_error err = {0};
    trm_scene *scene = NULL;
    if (trm_scene_parse(t->at, t->used, &scene, &err)) {
        stop(&err);
    }
    return build(scene);
}

trm_model *load(const char *directory, const char *name)
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
