// Joints: two links, a place, one or two axes, and what couples them to others.

#include "scenes/import/sdf/sdf.h"

#include "bodies/rotation.h"
#include "bodies/vector.h"

#include <math.h>
#include <string.h>

static const char *const types[] = {"fixed", "continuous", "revolute",  "prismatic", "ball",
                                    "screw", "universal",  "revolute2", "gearbox",   NULL};
enum { FIXED, CONTINUOUS, REVOLUTE, PRISMATIC, BALL, SCREW, UNIVERSAL, REVOLUTE2, GEARBOX };

/// What is read of one joint.
typedef struct reading {
    trm_sdf *s;
    trm_sdf_frame *frame;
    int type, a, b;
    const trm_xml *axes[2]; ///< NULL: there is none
    double along[2][3];     ///< in the world
} reading;

static int type_of(trm_sdf *s, const trm_xml *node)
{
    const char *const type = trm_xml_value(node, "type");
    for (int i = 0; types[i]; i++) {
        if (type && !strcmp(type, types[i])) {
            return i;
        }
    }
    TRM_REFUSE(s->d, node,
               "type: \"%.40s\" is none of continuous, revolute, prismatic, ball, screw, "
               "universal, revolute2, gearbox, fixed",
               type ? type : "");
    return FIXED;
}

static void read_axis(reading *j, int k)
{
    static const char *const names[] = {"axis", "axis2"};
    trm_sdf *const s = j->s;
    const trm_xml *const axis = trm_xml_child(j->frame->node, names[k]);
    const trm_xml *const xyz = axis ? trm_xml_child(axis, "xyz") : NULL;
    const char *in = xyz ? trm_xml_value(xyz, "expressed_in") : NULL;
    const trm_frame *place = &j->frame->place;
    double own[3] = {0, 0, 1};
    j->axes[k] = axis;
    if (axis && trm_sdf_flag(axis, "use_parent_model_frame", 0)) {
        in = "__model__";
    }
    if (xyz) {
        trm_describe_numbers(s->d, xyz, NULL, 3, own);
    }
    if (!trm_unit_vector(3, own)) {
        TRM_REFUSE(s->d, axis, "xyz: expected a direction, got zeros");
    }
    if (in && *in) {
        place = &s->frames[trm_sdf_find(s, xyz ? xyz : axis, j->frame->model, in)].place;
    }
    trm_frame_vector(place, own, j->along[k]);
}

static trm_link_joint *add_joint(reading *j, trm_link_type type, int a, int b, int axis,
                                 const char *suffix)
{
    trm_description *const d = j->s->d;
    const char *const name = trm_sdf_name(j->s, (int)(j->frame - j->s->frames));
    trm_link_joint *const out = TRM_DESCRIBE(d, joints);
    if (!out) {
        return NULL;
    }
    *out = (trm_link_joint){.name = *suffix ? trm_describe_text(d, "%s%s", name, suffix) : name,
                            .from = j->frame->node,
                            .type = type,
                            .a = a,
                            .b = b};
    memcpy(out->point[0], j->frame->place.p, sizeof out->point[0]);
    memcpy(out->point[1], j->frame->place.p, sizeof out->point[1]);
    memcpy(out->axis, j->along[axis], sizeof out->axis);
    return out;
}

/// Limits, damping, friction and spring of an axis.
static void read_laws(reading *j, int axis, trm_link_joint *out)
{
    const trm_xml *const of = j->axes[axis];
    const trm_xml *const dynamics = of ? trm_xml_child(of, "dynamics") : NULL;
    const trm_xml *const limit = of ? trm_xml_child(of, "limit") : NULL;
    if (!out) {
        return;
    }
    trm_describe_laws(j->s->d, limit, dynamics, TRM_NO_LIMIT, out);
    out->limited &= j->type != CONTINUOUS;
    out->stiffness = trm_describe_field_number(j->s->d, dynamics, "spring_stiffness", 0);
    out->rest = trm_describe_field_number(j->s->d, dynamics, "spring_reference", 0);
}

/// A link between two joints in series.
static int add_between(reading *j)
{
    trm_description *const d = j->s->d;
    const char *const name = trm_sdf_name(j->s, (int)(j->frame - j->s->frames));
    trm_link *const link = TRM_DESCRIBE(d, links);
    if (link) {
        *link = (trm_link){.name = trm_describe_text(d, "%s_between", name),
                           .from = j->frame->node,
                           .place = j->frame->place,
                           .zero = j->frame->place,
                           .carrier = d->nlinks - 1,
                           .between = 1};
    }
    return d->nlinks - 1;
}

/// Metres a turn of a right-handed thread; thread_pitch is rad/m of a left-handed one.
static double lead_of(reading *j)
{
    const trm_xml *const node = j->frame->node;
    const double old = trm_describe_field_number(j->s->d, node, "thread_pitch", 1);
    const double lead = trm_describe_field_number(j->s->d, node, "screw_thread_pitch",
                                                  old != 0 ? -2 * TRM_PI / old : 0);
    if (lead == 0) {
        TRM_REFUSE(j->s->d, node, "thread pitch: expected a number other than 0");
    }
    return lead;
}

static void describe_screw(reading *j)
{
    const int between = add_between(j), first = j->s->d->njoints;
    read_laws(j, 0, add_joint(j, TRM_LINK_HINGE, j->a, between, 0, ""));
    add_joint(j, TRM_LINK_SLIDE, between, j->b, 0, "_slide");
    const char *const name = trm_sdf_name(j->s, (int)(j->frame - j->s->frames));
    trm_describe_couple(j->s->d, j->frame->node, trm_describe_text(j->s->d, "%s_thread", name),
                        first + 1, first, (const double[2]){0, lead_of(j) / (2 * TRM_PI)});
}

/// Axes that meet square and do nothing are a universal joint; others are two hinges.
static void describe_two(reading *j)
{
    trm_description *const d = j->s->d;
    trm_link_joint laws[2] = {{0}};
    int bare = fabs(dot(j->along[0], j->along[1])) < 1e-12;
    for (int k = 0; k < 2; k++) {
        read_laws(j, k, &laws[k]);
        bare &= !laws[k].limited && laws[k].damping == 0 && laws[k].friction == 0 &&
                laws[k].stiffness == 0 && (!j->axes[k] || !trm_xml_child(j->axes[k], "mimic"));
    }
    if (bare) {
        trm_link_joint *const out = add_joint(j, TRM_LINK_UNIVERSAL, j->a, j->b, 0, "");
        if (out) {
            memcpy(out->axis2, j->along[1], sizeof out->axis2);
        }
        return;
    }
    const int between = add_between(j);
    j->frame->joint = d->njoints;
    read_laws(j, 0, add_joint(j, TRM_LINK_HINGE, j->a, between, 0, ""));
    read_laws(j, 1, add_joint(j, TRM_LINK_HINGE, between, j->b, 1, "_2"));
}

static void read_joint(trm_sdf *s, trm_sdf_frame *frame)
{
    const trm_xml *const node = frame->node;
    const char *const parent = trm_describe_word(s->d, trm_xml_child(node, "parent"));
    reading j = {.s = s, .frame = frame, .type = type_of(s, node)};
    j.a = trm_sdf_link_of(s, node, trm_sdf_find(s, node, frame->model, parent));
    j.b = trm_sdf_link_of(s, node, frame->attached);
    if (j.type == FIXED || j.type == GEARBOX || s->d->status != TRM_OK) {
        return;
    }
    if (trm_carrier(s->d, j.a) == trm_carrier(s->d, j.b)) {
        trm_lose(s->d, node, NULL, 0, "both links are fixed to each other already");
        return;
    }
    for (int k = 0; k < 2 && j.type != BALL; k++) {
        if (k == 0 || j.type == UNIVERSAL || j.type == REVOLUTE2) {
            read_axis(&j, k);
        }
    }
    if (j.type == SCREW) {
        describe_screw(&j);
    } else if (j.type == UNIVERSAL || j.type == REVOLUTE2) {
        describe_two(&j);
    } else if (j.type == BALL) {
        add_joint(&j, TRM_LINK_BALL, j.a, j.b, 0, "");
    } else {
        frame->joint = s->d->njoints;
        read_laws(
            &j, 0,
            add_joint(&j, j.type == PRISMATIC ? TRM_LINK_SLIDE : TRM_LINK_HINGE, j.a, j.b, 0, ""));
    }
}

// ------------------------------------------------------------------------------------- couplings

/// follower = multiplier (leader - reference) + offset. The second axis of a joint has its own
/// number, one more.
static void read_mimic(trm_sdf *s, int i, int axis, int *of)
{
    static const char *const names[] = {"axis", "axis2"};
    const trm_sdf_frame *const f = &s->frames[i];
    trm_description *const d = s->d;
    const trm_xml *const own = trm_xml_child(f->node, names[axis]);
    const trm_xml *const mimic = own ? trm_xml_child(own, "mimic") : NULL;
    if (!mimic) {
        return;
    }
    const char *const joint = trm_xml_value(mimic, "joint"), *const of_axis =
                                                                 trm_xml_value(mimic, "axis");
    const int second = of_axis && !strcmp(of_axis, "axis2");
    const int x = joint ? s->frames[trm_sdf_find(s, mimic, f->model, joint)].joint : -1;
    if (!joint || f->joint < 0 || x < 0) {
        trm_lose(d, mimic, NULL, 1, "joints without a coordinate of the axis are not coupled");
        return;
    }
    const double m = trm_describe_field_number(d, mimic, "multiplier", 1);
    const double line[2] = {trm_describe_field_number(d, mimic, "offset", 0) -
                                m * trm_describe_field_number(d, mimic, "reference", 0),
                            m};
    of[f->joint + axis] = x + second;
    trm_describe_couple(d, mimic, trm_describe_text(d, "%s_mimic", d->joints[f->joint + axis].name),
                        f->joint + axis, x + second, line);
}

/// The hinge between two links along an axis: its number, and 1 or -1 in `sign`; -1: there is none.
static int hinge_between(const trm_description *d, int a, int b, const double axis[3], double *sign)
{
    a = trm_carrier(d, a);
    b = trm_carrier(d, b);
    for (int i = 0; i < d->njoints; i++) {
        const trm_link_joint *const one = &d->joints[i];
        const int from = trm_carrier(d, one->a), to = trm_carrier(d, one->b);
        const double along = dot(one->axis, axis);
        if (one->type == TRM_LINK_HINGE && fabs(along) > 1 - 1e-9 &&
            ((from == a && to == b) || (from == b && to == a))) {
            *sign = (from == a ? 1 : -1) * (along > 0 ? 1 : -1);
            return i;
        }
    }
    return -1;
}

/// theta_2 = -ratio theta_1, the angles of child and parent to the body of reference.
static void read_gearbox(trm_sdf *s, trm_sdf_frame *frame)
{
    trm_description *const d = s->d;
    const trm_xml *const node = frame->node;
    reading j = {.s = s, .frame = frame};
    const char *const parent = trm_describe_word(d, trm_xml_child(node, "parent"));
    const char *const body = trm_describe_word(d, trm_xml_child(node, "gearbox_reference_body"));
    const double ratio = trm_describe_field_number(d, node, "gearbox_ratio", 1);
    const int ends[2] = {trm_sdf_link_of(s, node, trm_sdf_find(s, node, frame->model, parent)),
                         trm_sdf_link_of(s, node, frame->attached)};
    if (!body) {
        TRM_REFUSE(d, node, "expected <gearbox_reference_body>, a link");
        return;
    }
    const int reference = trm_sdf_link_of(s, node, trm_sdf_find(s, node, frame->model, body));
    int hinges[2];
    double signs[2] = {1, 1};
    for (int k = 0; k < 2; k++) {
        read_axis(&j, k);
        hinges[k] = hinge_between(d, reference, ends[k], j.along[k], &signs[k]);
    }
    if (hinges[0] < 0 || hinges[1] < 0) {
        trm_lose(
            d, node, NULL, 1,
            "no hinges of its axes join its links to the body of reference: nothing is geared");
        return;
    }
    trm_link_coupling *const one = TRM_DESCRIBE(d, couplings);
    if (one) {
        *one = (trm_link_coupling){.name = trm_sdf_name(s, (int)(frame - s->frames)),
                                   .from = node,
                                   .n = 2,
                                   .joints = {hinges[1], hinges[0]},
                                   .coefficients = {signs[1], ratio * signs[0]}};
    }
}

void trm_sdf_joints(trm_sdf *s)
{
    trm_description *const d = s->d;
    for (int i = 1; i < s->nframes && d->status == TRM_OK; i++) {
        if (s->frames[i].kind == TRM_SDF_JOINT) {
            read_joint(s, &s->frames[i]);
        }
    }
    int *const of = trm_pool_take(d->pool, (size_t)d->njoints + 1, sizeof *of);
    if (!of) {
        trm_describe_no_memory(d);
        return;
    }
    for (int i = 0; i < d->njoints; i++) {
        of[i] = -1;
    }
    for (int i = 1; i < s->nframes && d->status == TRM_OK; i++) {
        trm_sdf_frame *const f = &s->frames[i];
        if (f->kind == TRM_SDF_JOINT) {
            const int two = f->joint >= 0 && trm_xml_child(f->node, "axis2");
            for (int axis = 0; axis <= two; axis++) {
                read_mimic(s, i, axis, of);
            }
            if (type_of(s, f->node) == GEARBOX) {
                read_gearbox(s, f);
            }
        }
    }
    for (int i = 0; i < d->njoints && d->status == TRM_OK; i++) {
        if (trm_mimics_itself(d->njoints, of, i)) {
            TRM_REFUSE(d, d->joints[i].from,
                       "mimic: it follows itself by way of other joints; let one of them be free");
        }
    }
}
