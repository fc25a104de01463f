/// What a scene is made of, for pictures and listings, and what one force of a scene exerts.

#include "program/view.h"
#include "base/status.h"
#include "bodies/forces/force.h"
#include "bodies/rotation.h"
#include "bodies/vector.h"
#include "constraints/joint.h"
#include "constraints/transmissions/relation.h"
#include "simulation/analysis/query.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

trm_scene_view trm_view_scene(const trm_scene *scene)
{
    if (!scene) {
        return (trm_scene_view){0};
    }
    trm_scene_view out = {.path = scene->path,
                          .dimension = scene->dimension,
                          .nbodies = scene->nbodies,
                          .nmarkers = scene->nmarkers,
                          .njoints = scene->njoints,
                          .nconstraints = scene->nconstraints,
                          .nforces = scene->first_state,
                          .ncontacts = scene->ncontacts,
                          .nlooks = scene->nlooks};
    memcpy(out.gravity, scene->gravity, sizeof out.gravity);
    return out;
}

trm_body_view trm_view_body(const trm_scene *scene, int body)
{
    if (!scene || body < 0 || body >= scene->nbodies) {
        return (trm_body_view){0};
    }
    const trm_scene_body *const b = &scene->bodies[body];
    trm_body_view out = {.name = b->name,
                         .mass = b->mass,
                         .point_mass = b->point_mass,
                         .rotor = b->rotor,
                         .shape = b->shape,
                         .nlooks = b->nlooks};
    memcpy(out.inertia, b->inertia, sizeof out.inertia);
    return out;
}

trm_look_view trm_view_look(const trm_scene *scene, int look)
{
    return scene && look >= 0 && look < scene->nlooks ? scene->looks[look] : (trm_look_view){0};
}

trm_joint_view trm_view_joint(const trm_scene *scene, int joint)
{
    if (!scene || joint < 0 || joint >= scene->njoints) {
        return (trm_joint_view){0};
    }
    const trm_scene_joint *const j = &scene->joints[joint];
    trm_joint_view out = {.name = j->name,
                          .type = j->kind->name,
                          .line = j->place.line,
                          .body = {j->body[0], j->body[1]},
                          .axis_given = j->axis_given,
                          .axis2_given = j->axis2_given,
                          .rotor =
                              j->part > 0 || (j->body[1] >= 0 && scene->bodies[j->body[1]].rotor),
                          .open = j->switched == TRM_SWITCH_ROWS && !j->on,
                          .symbol = j->kind->symbol};
    memcpy(out.local, j->local, sizeof out.local);
    memcpy(out.axis, j->axis, sizeof out.axis);
    memcpy(out.axis2, j->axis2, sizeof out.axis2);
    return out;
}

static void unit_of(const double x[3], double out[3])
{
    const double length = sqrt(dot(x, x));
    for (int k = 0; k < 3; k++) {
        out[k] = length > 0 ? x[k] / length : 0;
    }
}

/// Wheels that roll on a plane or on each other, and blades.
static void show_rolling(const trm_scene *scene, const trm_scene_constraint *c,
                         trm_constraint_view *out)
{
    if (c->curve || c->markers[0] < 0 ||
        (c->radii.n != 2 && !(dot(c->direction, c->direction) > 0))) {
        return;
    }
    memcpy(out->marker, c->markers, sizeof out->marker);
    unit_of(c->direction, out->normal);
    unit_of(c->normal, out->axis);
    for (int k = 0; k < 3; k++) {
        out->semi_axes[k] = c->radius > 0 ? c->radius : c->radius_of[k];
    }
    if (scene->dimension == 2 && c->radius > 0) {
        out->axis[2] = 1;
    }
    for (int k = 0; k < 2 && c->radii.n == 2; k++) {
        out->radius[k] = c->radii.item[k];
    }
}

trm_constraint_view trm_view_constraint(const trm_scene *scene, int constraint)
{
    if (!scene || constraint < 0 || constraint >= scene->nconstraints) {
        return (trm_constraint_view){0};
    }
    const trm_scene_constraint *const c = &scene->constraints[constraint];
    trm_constraint_view out = {.name = c->name,
                               .type = c->kind->name,
                               .line = c->place.line,
                               .expression = c->expression[0].text,
                               .joint = {TRM_INDEX_NONE, TRM_INDEX_NONE},
                               .marker = {TRM_INDEX_NONE, TRM_INDEX_NONE}};
    if (c->joints.n == 2 && (c->radii.n == 2 || c->radius != 0)) {
        for (int k = 0; k < 2; k++) {
            out.joint[k] = c->joints.item[k];
            out.radius[k] = c->radii.n == 2 ? c->radii.item[k] : k == 0 ? fabs(c->radius) : 0;
        }
        out.strand = c->kind->strands ? (c->crossed ? -1 : 1) : 0;
    }
    show_rolling(scene, c, &out);
    return out;
}

/// The body that a variable of a formula belongs to; TRM_INDEX_GROUND where it belongs to none.
static int body_of(const trm_scene *scene, const trm_variable *x)
{
    switch (x->kind) {
    case TRM_VARIABLE_POSITION:
        return scene->markers[x->index].body;
    case TRM_VARIABLE_ANGLE:
    case TRM_VARIABLE_ROTATION:
        return x->index;
    case TRM_VARIABLE_JOINT: {
        const int *const body = scene->joints[x->index].body;
        return body[1] != TRM_INDEX_GROUND ? body[1] : body[0];
    }
    case TRM_VARIABLE_GUIDE:
    case TRM_VARIABLE_TOUCH:
        return scene->markers[scene->constraints[x->index].markers[0]].body;
    default:
        return TRM_INDEX_GROUND;
    }
}

enum { ROOM = 4096 }; ///< doubles that the formula of a terrain may work in

static void show_touch(const trm_touch_pair *pair, trm_contact_view *out)
{
    const trm_touch_side *const side = &pair->side[1];
    const int plane = pair->kind == TRM_TOUCH_BALL_PLANE || pair->kind == TRM_TOUCH_RIM_PLANE ||
                      pair->kind == TRM_TOUCH_ELLIPSOID_PLANE;
    out->face = plane                                  ? TRM_FACE_PLANE
                : pair->kind == TRM_TOUCH_BALL_BOWL    ? TRM_FACE_BOWL
                : pair->kind == TRM_TOUCH_BALL_TERRAIN ? TRM_FACE_TERRAIN
                                                       : TRM_FACE_NONE;
    out->on = side->body;
    out->body = pair->side[0].body;
    out->radius = side->size[0];
    memcpy(out->at, side->center, sizeof out->at);
    memcpy(out->normal, side->axis, sizeof out->normal);
}

double trm_view_height(const trm_scene *scene, int contact, double x, double y)
{
    double room[ROOM] = {0};
    if (!scene || contact < 0 || contact >= scene->ncontacts || !scene->contacts[contact].touch ||
        !scene->contacts[contact].touch->height ||
        trm_expression_workspace(scene->contacts[contact].touch->height) > ROOM) {
        return NAN;
    }
    return trm_expression_value(scene->contacts[contact].touch->height, (const double[]){x, y},
                                room);
}

trm_contact_view trm_view_contact(const trm_scene *scene, int contact)
{
    if (!scene || contact < 0 || contact >= scene->ncontacts) {
        return (trm_contact_view){0};
    }
    const trm_scene_contact *const c = &scene->contacts[contact];
    trm_contact_view out = {.name = c->name,
                            .line = c->place.line,
                            .joint = c->joint,
                            .lo = c->limits[0],
                            .hi = c->limits[1],
                            .between = {TRM_INDEX_NONE, TRM_INDEX_NONE},
                            .apart = c->apart,
                            .body = TRM_INDEX_GROUND};
    if (c->faced) {
        const trm_scene_marker *const on = &scene->markers[c->on];
        out.face = TRM_FACE_PLANE;
        out.on = on->body;
        memcpy(out.at, on->local, sizeof out.at);
        memcpy(out.normal, c->face, sizeof out.normal);
    }
    if (c->touch) {
        show_touch(c->touch, &out);
    }
    for (int i = 0; i < c->x.nvariables; i++) {
        const trm_variable *const x = &c->x.variables[i];
        const int at = x->kind == TRM_VARIABLE_POSITION ? x->index : TRM_INDEX_NONE;
        out.body = out.body == TRM_INDEX_GROUND ? body_of(scene, x) : out.body;
        if (at != TRM_INDEX_NONE && at != out.between[0] && out.between[1] == TRM_INDEX_NONE) {
            out.between[out.between[0] != TRM_INDEX_NONE] = at;
        }
    }
    return out;
}

int trm_view_curve(const trm_scene *scene, int constraint, int n, double *place, int *body,
                   int *closed)
{
    if (!scene || constraint < 0 || constraint >= scene->nconstraints || n < 2 || !place || !body ||
        !closed || !scene->constraints[constraint].curve) {
        return 0;
    }
    const trm_scene_constraint *const def = &scene->constraints[constraint];
    const trm_scene_marker *const origin = &scene->markers[def->markers[1]];
    const trm_curve *const curve = def->curve;
    double *const work = calloc((size_t)trm_curve_workspace(curve) + 1, sizeof *work);
    for (int i = 0; work && i < n; i++) {
        double c[3][3];
        trm_curve_place(curve, curve->lo + (curve->hi - curve->lo) * i / (n - 1), work, c);
        for (int k = 0; k < 3; k++) {
            place[3 * i + k] = origin->local[k] + c[0][k];
        }
    }
    *body = origin->body;
    *closed = curve->closed;
    const int written = work ? n : 0;
    free(work);
    return written;
}

trm_force_view trm_view_force(const trm_scene *scene, int force)
{
    if (!scene || force < 0 || force >= scene->first_state) {
        return (trm_force_view){0};
    }
    const trm_scene_force *const f = &scene->forces[force];
    return (trm_force_view){.name = f->name,
                            .type = f->kind->name,
                            .body = {f->body[0], f->body[1]},
                            .marker = {f->marker[0], f->marker[1]},
                            .joint = f->joint,
                            .stiffness = f->stiffness,
                            .damping = f->damping,
                            .nmarkers = f->markers.n,
                            .markers = f->markers.item,
                            .pulleys = f->pulleys.item,
                            .axle = {f->axle[0], f->axle[1]}};
}

// --------------------------------------------------------------------------------------- markers

static int reads_marker(const trm_formula *formula, int marker)
{
    for (int i = 0; i < formula->nvariables; i++) {
        const trm_variable *const x = &formula->variables[i];
        if ((x->kind == TRM_VARIABLE_POSITION || x->kind == TRM_VARIABLE_VELOCITY) &&
            x->index == marker) {
            return 1;
        }
    }
    return 0;
}

int trm_view_marker_in_use(const trm_scene *scene, int marker)
{
    int used = 0;
    for (int i = 0; scene && i < scene->nforces && !used; i++) {
        const trm_scene_force *const f = &scene->forces[i];
        used = f->marker[0] == marker || f->marker[1] == marker;
        for (int k = 0; k < f->markers.n && !used; k++) {
            used = f->markers.item[k] == marker;
        }
        for (int k = 0; k < TRM_FORCE_VALUES && !used; k++) {
            used = reads_marker(&f->value[k], marker);
        }
    }
    for (int i = 0; scene && i < scene->nconstraints && !used; i++) {
        for (int r = 0; r < scene->constraints[i].nrows && !used; r++) {
            used = reads_marker(&scene->constraints[i].expression[r], marker);
        }
    }
    return used;
}

// ---------------------------------------------------------------------------------------- forces

/// Slots of a body -> force and moment in world axes.
static void to_wrench(const trm_kinematics *look, int body, const double *F, double out[6])
{
    const int planar = look->pose->width == 3;
    memset(out, 0, 6 * sizeof *out);
    memcpy(out, F, (planar ? 2 : 3) * sizeof *out);
    if (planar) {
        out[5] = F[2];
    } else {
        trm_to_world(look->pose, body, F + 3, out + 3);
    }
}

trm_status trm_query_force(trm_query *query, int force, double t, const double *q, const double *v,
                           double *F, trm_error *err)
{
    TRM_TRY(trm_query_check(query, t, q, v, err));
    const trm_model *const model = query->model;
    if (!v || !F) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS, v ? "F" : "v",
                        "expected velocities and a place for the forces, got NULL");
    }
    if (force < 0 || force >= model->nforces) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS, "force",
                        "expected the index of one of the %d forces of the scene, got %d",
                        model->nforces, force);
    }
    const trm_force_place at = model->force_at[force];
    const trm_force_group *const group = &model->groups[at.group];
    const char *const element =
        (const char *)group->elements + (size_t)at.element * group->kind->size;
    const trm_kinematics look = trm_assembler_kinematics(query->conditioning.system, t, q, v, v);
    const int width = look.pose->width;
    memset(query->slots, 0, (size_t)trm_bodies_slots(&model->bodies) * sizeof *query->slots);
    if (group->kind->apply(element, 1, look.pose, look.V, query->slots)) {
        return TRM_FAIL(err, TRM_ERR_CALLBACK, group->names[at.element],
                        "the force is no finite number at t = %g s", t);
    }
    for (int b = 0; b < model->sizes.nbody; b++) {
        to_wrench(&look, b, query->slots + width * b, F + 6 * b);
    }
    return TRM_OK;
}

// ------------------------------------------------------------------------------------------ ropes

/// The direction from circle a to b, the rope on the right of their centres by r.
static double direction(const double a[3], double ra, const double b[3], double rb)
{
    const double x = b[0] - a[0], y = b[1] - a[1], D = hypot(x, y);
    return atan2(y, x) - asin(D > 0 ? fmin(fmax((rb - ra) / D, -1), 1) : 0);
}

/// How far it turns about the second of three circles, to the side of that.
static double turn_about(double (*at)[3], const double *r)
{
    const double pi = acos(-1), side = r[1] > 0 ? 1 : -1;
    const double turn =
        side * (direction(at[1], r[1], at[2], r[2]) - direction(at[0], r[0], at[1], r[1])) + pi / 2;
    return turn - 2 * pi * floor(turn / (2 * pi)) - pi / 2;
}

/// Of n points the heights between the first and the last, in proportion to the way in the plane.
static void climb(int n, double (*x)[3])
{
    double way = 0, whole = 0;
    for (int k = 1; k < n; k++) {
        whole += hypot(x[k][0] - x[k - 1][0], x[k][1] - x[k - 1][1]);
    }
    for (int k = 1; k + 1 < n && whole > 0; k++) {
        way += hypot(x[k][0] - x[k - 1][0], x[k][1] - x[k - 1][1]);
        x[k][2] = x[0][2] + (x[n - 1][2] - x[0][2]) * way / whole;
    }
}

static int lay_rope(const trm_force_view *force, double (*x)[3])
{
    enum { ARC = 24 }; // parts of a turn
    double at[TRM_MOST_LISTED][3], r[TRM_MOST_LISTED];
    const int last = force->nmarkers - 1;
    int n = 0, m = 0, from = 0;
    for (int k = 0; k <= last; k++) {
        const double *const own = force->pulleys ? force->pulleys + k : NULL;
        const double alone[] = {0, own ? *own : 0, 0};
        const int off = own && k > 0 && k < last && *own != 0 && own[-1] == 0 && own[1] == 0 &&
                        turn_about(x + k - 1, alone) < 0;
        r[n] = alone[1];
        memcpy(at[n], x[k], sizeof *at);
        n += !off;
    }
    for (int k = 0; k < n; k++) {
        const int arc = r[k] != 0 ? ARC : 0;
        const double turn = arc ? turn_about(at + k - 1, r + k - 1) * (r[k] > 0 ? 1 : -1) : 0;
        const double before = arc ? direction(at[k - 1], r[k - 1], at[k], r[k]) : 0;
        for (int i = 0; i <= arc; i++) {
            const double t = before + turn * i / ARC;
            x[m][0] = at[k][0] + r[k] * sin(t);
            x[m][1] = at[k][1] - r[k] * cos(t);
            x[m++][2] = at[k][2];
        }
        if (arc == 0) {
            climb(m - from, x + from);
            from = m - 1;
        }
    }
    return m;
}

int trm_view_rope(const trm_force_view *force, const double *axis, double (*x)[3])
{
    double R[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, p[3]; // rows: two sides of the axis, and the axis
    if (axis) {
        scale(1 / sqrt(dot(axis, axis)), axis, R + 6);
        trm_frame_around(R + 6, R, R + 3);
    }
    for (int k = 0; k < force->nmarkers; k++) {
        trm_rotate(R, x[k], p);
        memcpy(x[k], p, sizeof p);
    }
    const int n = lay_rope(force, x);
    for (int k = 0; k < n; k++) {
        trm_rotate_back(R, x[k], p);
        memcpy(x[k], p, sizeof p);
    }
    return n;
}
