// Joints of a body: each moves what follows it, and turns about its place in the body.

#include "scenes/import/mjcf/mjcf.h"

#include "bodies/rotation.h"
#include "bodies/vector.h"

#include <math.h>
#include <string.h>

static const char *const kinds[] = {"hinge", "slide", "ball", "free", NULL};
enum { HINGE, SLIDE, BALL, FREE };

static int kind_of(const trm_mjcf_node *e)
{
    return trm_xml_is(e->node, "freejoint") ? FREE : trm_mjcf_word(e, "type", kinds, HINGE);
}

/// n numbers of the keyframe; NULL: the model's zero.
static const double *next(const double *list, int length, int *at, int n)
{
    const double *const found = list && *at + n <= length ? list + *at : NULL;
    *at += n;
    return found;
}

/// A turn of angular velocity w about a point adds w x (x - point) to what is at x.
static void add_turn(trm_link *link, const double w[3], const double point[3])
{
    double drift[3];
    add(link->turn, w, link->turn);
    add(link->drift, cross(point, w, drift), link->drift);
}

static void read_laws(const trm_mjcf_node *e, trm_link_joint *joint)
{
    const int hinge = joint->type == TRM_LINK_HINGE;
    const double unit = hinge ? trm_mjcf_angle(e->mj, 1) : 1;
    joint->limited = trm_mjcf_limited(e, "limited", "range", joint->limits);
    joint->limits[0] *= unit;
    joint->limits[1] *= unit;
    joint->stiffness = trm_mjcf_number(e, "stiffness", 0);
    joint->damping = trm_mjcf_number(e, "damping", 0);
    joint->rest = unit * trm_mjcf_number(e, "springref", 0);
    joint->armature = trm_mjcf_number(e, "armature", 0);
    joint->friction = trm_mjcf_number(e, "frictionloss", 0);
}

/// Of a ball and a free joint nothing but the motion is there.
static void lose_laws(const trm_mjcf_node *e)
{
    static const char *const names[] = {"stiffness", "damping", "armature", "frictionloss", NULL};
    double range[2];
    for (int i = 0; names[i]; i++) {
        if (trm_mjcf_number(e, names[i], 0) != 0) {
            trm_lose(e->mj->d, e->node, names[i], 1,
                     "joints without one coordinate have none: the motion is without it");
        }
    }
    if (trm_mjcf_limited(e, "limited", "range", range)) {
        trm_lose(e->mj->d, e->node, "range", 1, "a ball joint has no limit: it turns further");
    }
}

static trm_link_joint *add_joint(const trm_mjcf_node *e, int kind, const trm_mjcf_branch *in, int a,
                                 int b)
{
    trm_description *const d = e->mj->d;
    trm_link_joint *const joint = TRM_DESCRIBE(d, joints);
    if (!joint) {
        return NULL;
    }
    const trm_link_type types[] = {TRM_LINK_HINGE, TRM_LINK_SLIDE, TRM_LINK_BALL};
    double at[3] = {0}, axis[3] = {0, 0, 1};
    *joint = (trm_link_joint){
        .name = trm_mjcf_name(e), .from = e->node, .type = types[kind], .a = a, .b = b};
    trm_mjcf_vector(e, "pos", 3, 3, at);
    trm_frame_point(&in->place, at, joint->point[0]);
    if (kind != BALL) {
        trm_mjcf_vector(e, "axis", 3, 3, axis);
        if (!trm_unit_vector(3, axis)) {
            TRM_REFUSE(d, e->node, "axis: expected a direction, got zeros");
        }
        read_laws(e, joint);
    } else {
        lose_laws(e);
    }
    trm_frame_vector(&in->place, axis, joint->axis);
    memcpy(joint->point[1], joint->point[0], sizeof joint->point[1]);
    return joint;
}

/// Moves the branch and the link along the joint by its coordinate and rate at the start.
static void move(const trm_mjcf_node *e, trm_link_joint *joint, trm_mjcf_branch *in, trm_link *link)
{
    trm_mjcf *const mj = e->mj;
    const int hinge = joint->type == TRM_LINK_HINGE;
    const double zero = trm_mjcf_number(e, "ref", 0) * (hinge ? trm_mjcf_angle(mj, 1) : 1);
    const double *const q = next(mj->qpos, mj->nqpos, &mj->q, 1);
    const double *const v = next(mj->qvel, mj->nqvel, &mj->v, 1);
    const double x = q ? *q - zero : 0;
    double w[3];
    joint->zero = zero;
    joint->start = q ? *q : zero;
    scale(v ? *v : 0, joint->axis, w);
    if (hinge) {
        trm_frame_turn(&in->place, joint->point[0], joint->axis, x);
        add_turn(link, w, joint->point[0]);
        return;
    }
    for (int i = 0; i < 3; i++) {
        in->place.p[i] += x * joint->axis[i];
        joint->point[0][i] += x * joint->axis[i];
    }
    memcpy(joint->point[1], joint->point[0], sizeof joint->point[1]);
    add(link->drift, w, link->drift);
}

static void move_ball(trm_mjcf *mj, const trm_link_joint *joint, trm_mjcf_branch *in,
                      trm_link *link)
{
    const double *const q = next(mj->qpos, mj->nqpos, &mj->q, 4);
    const double *const v = next(mj->qvel, mj->nqvel, &mj->v, 3);
    double w[3];
    if (q) { // the place turns within the body's frame
        const trm_frame turn = trm_frame_of((const double[3]){0}, q);
        const trm_frame about = {.p = {joint->point[0][0], joint->point[0][1], joint->point[0][2]},
                                 .R = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
        trm_frame base = in->place, turned;
        subtract(base.p, about.p, base.p);
        double arm[3];
        rotate_back(base.R, base.p, arm); // of the origin from the joint, in the body
        turned = trm_frame_in(&base, &turn);
        rotate(turned.R, arm, turned.p);
        add(turned.p, about.p, in->place.p);
        memcpy(in->place.R, turned.R, sizeof turned.R);
    }
    if (v) {
        trm_frame_vector(&in->place, v, w);
        add_turn(link, w, joint->point[0]);
    }
}

static void move_free(trm_mjcf *mj, trm_mjcf_branch *in, trm_link *link)
{
    const double *const q = next(mj->qpos, mj->nqpos, &mj->q, 7);
    const double *const v = next(mj->qvel, mj->nqvel, &mj->v, 6);
    double w[3];
    if (q) {
        in->place = trm_frame_of(q, q + 3);
    }
    if (v) {
        trm_frame_vector(&in->place, v + 3, w);
        add_turn(link, w, in->place.p);
        add(link->drift, v, link->drift);
    }
}

static trm_xml *next_joint(trm_xml *node)
{
    while (node && !trm_xml_is(node, "joint") && !trm_xml_is(node, "freejoint")) {
        node = node->next;
    }
    return node;
}

/// A link between two joints of a body, which follows its own in the list.
static int add_between(trm_mjcf *mj, const trm_mjcf_branch *in, const trm_xml *body,
                       const char *name, int count)
{
    trm_description *const d = mj->d;
    const trm_link own = d->links[in->link];
    trm_link *const link = TRM_DESCRIBE(d, links);
    if (!link) {
        return in->link;
    }
    const int index = d->nlinks - 1;
    *link = own; // the body moves up; its place in the list is taken by the link
    link->carrier = index;
    trm_link *const between = &d->links[index - 1];
    *between = (trm_link){.name = trm_describe_text(d, "%s_%d", name ? name : "body", count),
                          .from = body,
                          .carrier = index - 1,
                          .between = 1};
    return index;
}

int trm_mjcf_joints(trm_mjcf *mj, trm_xml *body, trm_mjcf_branch *in, int parent)
{
    trm_description *const d = mj->d;
    int count = 0, a = parent;
    for (trm_xml *node = next_joint(body->child); node && d->status == TRM_OK;
         node = next_joint(node->next), count++) {
        trm_mjcf_node e = trm_mjcf_node_of(mj, node, in->of_class, "joint");
        e.suffix = in->suffix;
        const int kind = kind_of(&e);
        const int last = !next_joint(node->next);
        if (kind == FREE) {
            if (parent != TRM_LINK_GROUND || !last || count > 0) {
                TRM_REFUSE(d, node, "a free joint is the only one of a body of the world");
            }
            if (!trm_xml_is(node, "freejoint")) {
                lose_laws(&e);
            }
            move_free(mj, in, &d->links[in->link]);
            return 1 + count;
        }
        const int b = in->link;
        if (!last) {
            in->link = add_between(mj, in, body, d->links[b].name, count + 1);
        }
        trm_link_joint *const joint = add_joint(&e, kind, in, a, last ? in->link : b);
        if (!joint) {
            break;
        }
        if (kind == BALL) {
            move_ball(mj, joint, in, &d->links[in->link]);
        } else {
            move(&e, joint, in, &d->links[in->link]);
        }
        if (!last) {
            trm_link *const between = &d->links[b];
            between->place = in->place;
            memcpy(between->turn, d->links[in->link].turn, sizeof between->turn);
            memcpy(between->drift, d->links[in->link].drift, sizeof between->drift);
            memcpy(between->place.p, joint->point[0], sizeof between->place.p);
            a = b;
        }
    }
    return count;
}
