// Whether a mechanism in space is a planar one: all of its bodies hang on the ground by joints that
// turn about one direction n, or slide across it. Then they move across n whatever else holds them
// or acts on them. What a joint lets free are its steps (constraints/joint.h): a rule about the
// joints, which no position hides.

#include "constraints/joint.h"
#include "program/settings.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/// Directions as exact as a drawing of nine digits: by more a mechanism leaves its plane.
static const double parallel = 1e-9;

static double along(const double a[3], const double n[3])
{
    return fabs(a[0] * n[0] + a[1] * n[1] + a[2] * n[2]);
}

/// |a x n| of unit vectors.
static int is_parallel(const double a[3], const double n[3])
{
    const double x = a[1] * n[2] - a[2] * n[1], y = a[2] * n[0] - a[0] * n[2];
    return hypot(hypot(x, y), a[0] * n[1] - a[1] * n[0]) < parallel;
}

/// Whether all that a joint lets free is a motion across n.
static int stays(const trm_scene_joint *joint, const double n[3])
{
    const char *const dofs = joint->switched == TRM_SWITCH_ROWS ? NULL : joint->kind->dofs;
    int free = dofs == NULL;
    for (int i = 0; !free && dofs[i]; i++) {
        free = dofs[i] == 'P'   ? along(joint->axis, n) > parallel
               : dofs[i] == 'U' ? !is_parallel(joint->axis2, n)
               : dofs[i] == 'B' ? 1
                                : !is_parallel(joint->axis, n); // R, and X and Y across the axis
    }
    return !free;
}

/// The rotor of an armature turns about an axis of its own.
static int is_of_rotor(const trm_scene *scene, int joint)
{
    const int b = scene->joints[joint].body[1];
    return b != TRM_INDEX_GROUND && scene->bodies[b].rotor;
}

/// hangs[b] := 1 where a and b of a joint hang together. Returns whether one was added.
static int hang(const trm_scene *scene, const double n[3], char *hangs)
{
    int added = 0;
    for (int j = 0; j < scene->njoints; j++) {
        const int *const body = scene->joints[j].body;
        const int a = body[0] == TRM_INDEX_GROUND || hangs[body[0]];
        const int b = body[1] == TRM_INDEX_GROUND || hangs[body[1]];
        if (a != b && !is_of_rotor(scene, j) && stays(&scene->joints[j], n)) {
            hangs[body[a ? 1 : 0]] = 1;
            added = 1;
        }
    }
    return added;
}

int trm_scene_plane(const trm_scene *scene, double normal[3])
{
    int j = 0;
    while (j < scene->njoints &&
           (scene->joints[j].kind->freedom != TRM_FREEDOM_ANGLE || is_of_rotor(scene, j))) {
        j++;
    }
    char *const hangs = calloc((size_t)scene->nbodies + 1, 1);
    if (scene->dimension != 3 || scene->nbodies < 2 || j == scene->njoints || !hangs) {
        free(hangs);
        return 0;
    }
    memcpy(normal, scene->joints[j].axis, 3 * sizeof *normal);
    for (int b = 0; b < scene->nbodies; b++) {
        hangs[b] = scene->bodies[b].rotor != 0; // turns in itself
    }
    while (hang(scene, normal, hangs)) {
    }
    const int all = memchr(hangs, 0, (size_t)scene->nbodies) == NULL;
    free(hangs);
    return all;
}
