// Armatures: the inertia J that turns (or, along a slider, moves) with the coordinate x of a joint.
//
//   T = J x'^2/2: a body of inertia J on a hinge of the ground, with the coupling 0 = phi - (x -
//   x_0)
//
// This is the term of rank one, J grad x grad x^T, in the equations of the joint's bodies, exactly;
// the multiplier of the coupling is the torque that the rotor takes, -J x''. Rotor, hinge and
// coupling stand behind all others, so that no index changes.

#include "bodies/vector.h"
#include "constraints/transmissions/relation.h"
#include "engine/base/status.h"
#include "scenes/reading/reader.h"

#include <string.h>

extern const trm_joint_kind trm_joint_revolute;

/// Velocity of the world point p of a body, and its rate, in the world.
static void motion_of(const trm_scene *scene, int body, const double p[3], double u[3], double w[3])
{
    set3(u, 0.0, 0.0, 0.0);
    set3(w, 0.0, 0.0, 0.0);
    if (body == TRM_GROUND) {
        return;
    }
    double R[9], d[3], turning[3];
    const trm_scene_body *b = &scene->bodies[body];
    trm_body_axes(scene, body, R);
    rotate(R, b->rate, w);
    cross(w, subtract(p, b->position, d), turning);
    add(b->velocity, turning, u);
}

/// x' at the start.
static double initial_rate(const trm_scene *scene, const trm_scene_joint *joint)
{
    static const double z[3] = {0.0, 0.0, 1.0};
    double p[3], u[2][3], w[2][3], difference[3];
    const int turns = joint->kind->freedom == TRM_FREEDOM_ANGLE;
    trm_to_world_frame(scene, joint->body[1], joint->local[1], p);
    for (int i = 0; i < 2; i++) {
        motion_of(scene, joint->body[i], p, u[i], w[i]);
    }
    subtract(turns ? w[1] : u[1], turns ? w[0] : u[0], difference);
    return dot(joint->axis_given ? joint->axis : z, difference);
}

static void make_body(const trm_scene *scene, const trm_scene_joint *joint, const char *name,
                      trm_scene_body *out)
{
    const double J = joint->armature;
    *out = (trm_scene_body){.name = name,
                            .place = joint->place,
                            .mass = J,
                            .inertia = {J, 0, 0, 0, J, 0, 0, 0, J},
                            .quaternion = {1, 0, 0, 0},
                            .rate = {0, 0, initial_rate(scene, joint)}};
    trm_to_world_frame(scene, joint->body[0], joint->local[0], out->position);
}

static void make_hinge(const trm_scene *scene, const trm_scene_body *rotor, trm_scene_joint *out)
{
    *out = (trm_scene_joint){.name = rotor->name,
                             .place = rotor->place,
                             .kind = &trm_joint_revolute,
                             .body = {TRM_GROUND, (int)(rotor - scene->bodies)},
                             .axis = {0, 0, 1},
                             .axis_given = scene->dimension == 3};
    memcpy(out->local[0], rotor->position, sizeof out->local[0]);
}

/// No name of the file has a dot in it.
static trm_status name_after(trm_reader *reader, const trm_scene_joint *joint, const char *what,
                             char **out)
{
    const size_t length = strlen(joint->name), more = strlen(what);
    TRM_TRY(trm_reader_take(reader, length + more + 1, 1, out));
    memcpy(*out, joint->name, length);
    memcpy(*out + length, what, more);
    return TRM_OK;
}

/// 0 = phi - x + x_0
static trm_status make_coupling(trm_reader *reader, int rotor, int joint, trm_scene_constraint *out)
{
    const trm_scene *scene = reader->scene;
    const trm_scene_joint *j = &scene->joints[joint];
    char *name = NULL;
    TRM_TRY(name_after(reader, j, ".armature", &name));
    *out = (trm_scene_constraint){.name = name,
                                  .place = j->place,
                                  .kind = &trm_relation_coupling,
                                  .unit = "rad",
                                  .joint = TRM_NONE,
                                  .marker = TRM_NONE,
                                  .markers = {TRM_NONE, TRM_NONE},
                                  .joints = {.n = 2, .item = {rotor, joint}},
                                  .coefficients = {.n = 2, .item = {1, -1}}};
    return trm_write_relation(reader, reader->document->nodes, out);
}

/// A copy of the array with `more` entries behind it.
static trm_status grow(trm_reader *reader, void *array, int n, int more, size_t size)
{
    void *old, *grown = NULL;
    memcpy(&old, array, sizeof old);
    TRM_TRY(trm_reader_take(reader, (size_t)(n + more), size, &grown));
    if (n > 0) {
        memcpy(grown, old, (size_t)n * size);
    }
    memcpy(array, &grown, sizeof grown);
    return TRM_OK;
}

static trm_status add_rotor(trm_reader *reader, int joint)
{
    trm_scene *scene = reader->scene;
    const trm_scene_joint *j = &scene->joints[joint];
    char *name = NULL;
    TRM_TRY(name_after(reader, j, ".rotor", &name));
    trm_scene_body *body = &scene->bodies[scene->nbodies++];
    make_body(scene, j, name, body);
    make_hinge(scene, body, &scene->joints[scene->njoints++]);
    return make_coupling(reader, scene->njoints - 1, joint,
                         &scene->constraints[scene->nconstraints++]);
}

trm_status trm_add_rotors(trm_reader *reader)
{
    trm_scene *scene = reader->scene;
    const int n = scene->njoints;
    int rotors = 0;
    for (int j = 0; j < n; j++) {
        rotors += scene->joints[j].armature > 0;
    }
    if (rotors == 0) {
        return TRM_OK;
    }
    TRM_TRY(grow(reader, &scene->bodies, scene->nbodies, rotors, sizeof *scene->bodies));
    TRM_TRY(grow(reader, &scene->joints, n, rotors, sizeof *scene->joints));
    TRM_TRY(
        grow(reader, &scene->constraints, scene->nconstraints, rotors, sizeof *scene->constraints));
    for (int j = 0; j < n; j++) {
        if (scene->joints[j].armature > 0) {
            TRM_TRY(add_rotor(reader, j));
        }
    }
    return TRM_OK;
}
