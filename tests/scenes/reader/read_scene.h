/// Scenes read for tests. The JSON texts are written with ' for ".
#ifndef TESTS_SCENES_READING_READ_SCENE_H
#define TESTS_SCENES_READING_READ_SCENE_H

#include "base/scene/scene.h"
#include "bodies/forces/force.h"
#include "constraints/joint.h"
#include "tests/claim.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

static inline trm_scene *parse(const char *json)
{
    char text[8000];
    size_t n = 0;
    for (; *json; json++) {
        text[n++] = (char)(*json == '\'' ? '"' : *json);
    }
    trm_scene *scene = NULL;
    trm_error err = {0};
    if (trm_scene_parse(text, n, &scene, &err) != TRM_OK) {
        fail_msg("%.*s\n%s: %s", (int)n, text, err.where, err.message);
    }
    return scene;
}

static inline void assert_near(double found, double wanted, double tolerance)
{
    if (!(fabs(found - wanted) <= tolerance * fmax(1, fabs(wanted)))) {
        fail_msg("%.17g, expected %.17g", found, wanted);
    }
}

static inline void assert_vector(int n, const double *found, const double *wanted)
{
    for (int i = 0; i < n; i++) {
        assert_near(found[i], wanted[i], 2e-15);
    }
}

/// The first body of a scene with one body and these keys.
static inline trm_scene *one_body(int dimension, const char *keys)
{
    char json[4000];
    snprintf(json, sizeof json, "{'dimension':%d,'bodies':[{'name':'a',%s}]}", dimension, keys);
    return parse(json);
}

/// R = Rz(yaw) Ry(pitch) Rx(roll), written out.
static inline void rpy_matrix(double roll, double pitch, double yaw, double R[9])
{
    const double cr = cos(roll), sr = sin(roll), cp = cos(pitch), sp = sin(pitch);
    const double cy = cos(yaw), sy = sin(yaw);
    const double entries[9] = {cy * cp,
                               cy * sp * sr - sy * cr,
                               cy * sp * cr + sy * sr,
                               sy * cp,
                               sy * sp * sr + cy * cr,
                               sy * sp * cr - cy * sr,
                               -sp,
                               cp * sr,
                               cp * cr};
    memcpy(R, entries, sizeof entries);
}

#endif
