/// Bytes as a mechanism: bodies, joints between any two of them, loops and redundancy as they come,
/// motors, springs, forces, and up to three machines (machines.h). Joints that share a point with
/// both bodies are closed at the start, so most of these scenes are valid.
#pragma once

#include "tests/fuzz/machines.h"
#include "tests/fuzz/target.h"

#include <stdarg.h>

enum { MECHANISM_TEXT = 20000, MECHANISM_BODIES = 5, MECHANISM_JOINTS = 7, MECHANISM_MACHINES = 3 };

typedef struct scene_text {
    char text[MECHANISM_TEXT];
    size_t used;
} scene_text;

#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
static inline void
put(scene_text *s, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const int n = vsnprintf(s->text + s->used, sizeof s->text - s->used, format, args);
    va_end(args);
    s->used += (size_t)n;
    PROMISE(s->used < sizeof s->text);
}

static inline void put_vector(scene_text *s, bytes_left *b, const char *key, int dimension,
                              double size)
{
    put(s, "\"%s\":[", key);
    for (int i = 0; i < dimension; i++) {
        put(s, "%s%.6g", i > 0 ? "," : "", number(b, -size, size));
    }
    put(s, "]");
}

static inline void put_body(scene_text *s, bytes_left *b, int i, int dimension)
{
    put(s, "%s{\"name\":\"b%d\",\"mass\":%.6g,", i > 0 ? "," : "", i, number(b, 0.1, 5));
    switch (choose(b, 4)) {
    case 0:
        put(s, "\"shape\":{\"type\":\"sphere\",\"radius\":%.6g},", number(b, 0.05, 1));
        break;
    case 1:
        put(s, dimension == 2 ? "\"inertia\":%.6g," : "\"inertia\":[1.1,1.2,%.6g],",
            number(b, 0.5, 2));
        break;
    case 2:
        put(s, "\"shape\":{\"type\":\"disc\",\"radius\":%.6g,\"thickness\":0.1},",
            number(b, 0.1, 1));
        break;
    default:
        put(s, "\"shape\":{\"type\":\"box\",\"size\":[%s1,0.3]},", dimension == 3 ? "0.4," : "");
    }
    put_vector(s, b, "position", dimension, 1);
    if (choose(b, 3) == 0) {
        put(s, ",");
        put_vector(s, b, "velocity", dimension, 1);
    }
    put(s, "}");
}

static inline void put_joint(scene_text *s, bytes_left *b, int i, int bodies, int dimension)
{
    static const char *const plane[] = {"revolute", "prismatic", "weld", "rod", "pin_in_slot"};
    static const char *const space[] = {"revolute",      "prismatic",     "weld",        "rod",
                                        "spherical",     "universal",     "cylindrical", "planar",
                                        "point_on_line", "point_on_plane"};
    const char *const kind = dimension == 2 ? plane[choose(b, 5)] : space[choose(b, 10)];
    const int second = (int)choose(b, (unsigned)bodies);
    const int first = (int)choose(b, (unsigned)bodies + 1) - 1;
    const int ball = strcmp(kind, "spherical") == 0 || strcmp(kind, "weld") == 0;
    const int rod = strcmp(kind, "rod") == 0;
    char name[16] = "ground";
    if (first >= 0 && bodies > 1) {
        snprintf(name, sizeof name, "b%d", first == second ? (second + 1) % bodies : first);
    }
    put(s, "%s{\"name\":\"J%d\",\"type\":\"%s\",\"bodies\":[\"%s\",\"b%d\"],", i > 0 ? "," : "", i,
        kind, name, second);
    if (rod) {
        put(s, "\"at\":[[0,0%s],[%.6g,1%s]]", dimension == 3 ? ",0" : "", number(b, -1, 1),
            dimension == 3 ? ",0.5" : "");
    } else {
        put_vector(s, b, "at", dimension, 1);
    }
    if (strcmp(kind, "universal") == 0) {
        put(s, ",\"axis\":[1,0,0],\"axis2\":[0,1,0]");
    } else if (!rod && !ball && (dimension == 3 || strcmp(kind, "revolute") != 0)) {
        put(s, choose(b, 2) ? ",\"axis\":[1,0%s]" : ",\"axis\":[0,1%s]",
            dimension == 3 ? ",0" : "");
    }
    const int drives = strcmp(kind, "revolute") == 0 || strcmp(kind, "prismatic") == 0;
    if (drives && choose(b, 4) == 0) {
        put(s, ",\"motor\":\"%.6g*t^2\"", number(b, -2, 2));
    }
    put(s, "}");
}

static inline void put_forces(scene_text *part, bytes_left *b, int dimension)
{
    const char *const third = dimension == 3 ? ",0" : "";
    put(&part[MARKERS],
        "{\"name\":\"m\",\"body\":\"b0\",\"on\":[0.1,0.2%s]},{\"name\":\"g\",\"body\":"
        "\"ground\",\"at\":[0,2%s]}",
        third, third);
    put(&part[FORCES],
        "{\"name\":\"s\",\"type\":\"spring_damper\",\"markers\":[\"g\",\"m\"],\"stiffness\":%.6g,"
        "\"damping\":%.6g,\"rest_length\":%.6g}",
        number(b, 0, 100), number(b, 0, 5), number(b, 0, 2));
    if (choose(b, 2)) {
        put(&part[FORCES],
            ",{\"name\":\"f\",\"type\":\"force\",\"marker\":\"m\",\"value\":[\"sin(t)\",\"%.6g\"%s]"
            "}",
            number(b, -5, 5), third);
    }
}

/// A part of machine i (machines.h).
static inline void put_part(scene_text *s, bytes_left *b, const char *text, int i, int dimension)
{
    for (const char *at = text; *at; at++) {
        if (*at == '#') {
            put(s, "%d", i);
        } else if (*at == '$') {
            put(s, "%.6g", number(b, 0.1, 2));
        } else if (*at == '|') {
            put(s, "%s", dimension == 3 ? ",0" : "");
        } else if (*at == '@') {
            put(s, "%s", dimension == 3 ? ",\"axis\":[0,0,1]" : "");
        } else {
            put(s, "%c", *at == '\'' ? '"' : *at);
        }
    }
}

static inline void put_machine(scene_text *part, bytes_left *b, int i, int dimension)
{
    const machine *const m = &machines[choose(b, MACHINES)];
    for (int k = 0; k < SECTIONS && (m->dimension == 0 || m->dimension == dimension); k++) {
        const char *const text = m->part[k] ? m->part[k] : "";
        put_part(&part[k], b, part[k].used == 0 && *text ? text + 1 : text, i, dimension);
    }
}

static inline void clear(scene_text *part)
{
    for (int k = 0; k < SECTIONS; k++) {
        part[k].used = 0;
        part[k].text[0] = '\0';
    }
}

/// The scene of all parts, into `out`.
static inline void join(const scene_text *part, int dimension, const char *assemble,
                        scene_text *out)
{
    static const char *const names[] = {"parameters", "tables", "definitions", "bodies",
                                        "markers",    "joints", "constraints", "forces",
                                        "stops",      "events"};
    out->used = 0;
    put(out, "{\"dimension\":%d,\"gravity\":[0,-9.81%s]", dimension, dimension == 3 ? ",0" : "");
    for (int k = 0; k < SECTIONS; k++) {
        const char *const brackets = k <= DEFINITIONS ? "{}" : "[]";
        put(out, ",\"%s\":%c%s%c", names[k], brackets[0], part[k].text, brackets[1]);
    }
    put(out, ",\"assemble\":%s,\"simulation\":{\"end\":1}}", assemble);
}

/// Nothing is kept of what was in `out`.
static inline void make_mechanism(bytes_left *b, scene_text *out)
{
    static scene_text part[SECTIONS];
    const int dimension = 2 + (int)choose(b, 2);
    const int bodies = 1 + (int)choose(b, MECHANISM_BODIES);
    const int joints = (int)choose(b, MECHANISM_JOINTS + 1);
    clear(part);
    for (int i = 0; i < bodies; i++) {
        put_body(&part[BODIES], b, i, dimension);
    }
    for (int i = 0; i < joints && (bodies > 1 || i < 2); i++) {
        put_joint(&part[JOINTS], b, i, bodies, dimension);
    }
    put_forces(part, b, dimension);
    const char *const assemble = choose(b, 2) ? "true" : "false";
    const int nmachines = (int)choose(b, MECHANISM_MACHINES + 1);
    for (int i = 0; i < nmachines; i++) {
        put_machine(part, b, i, dimension);
    }
    join(part, dimension, assemble, out);
}

/// The model of a mechanism; NULL: its text or its numbers are refused. *scene: to be destroyed.
static inline trm_model *model_of_mechanism(bytes_left *b, trm_scene **scene)
{
    static scene_text text;
    trm_model *model = NULL;
    trm_error err = {.status = TRM_OK};
    make_mechanism(b, &text);
    if (trm_scene_parse(text.text, text.used, scene, &err) == TRM_OK) {
        (void)trm_model_build(*scene, &model, &err);
    }
    PROMISE(model != NULL || err.message[0] != '\0');
    return model;
}
