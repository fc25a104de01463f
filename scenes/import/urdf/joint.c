// Joints: a tree of links, its places, and the laws of each joint.

#include "scenes/import/urdf/urdf.h"

#include "bodies/rotation.h"

#include <math.h>
#include <string.h>

static const char *const types[] = {"fixed",  "revolute", "continuous", "prismatic",
                                    "planar", "floating", "spherical",  NULL};
enum { FIXED, REVOLUTE, CONTINUOUS, PRISMATIC, PLANAR, FLOATING, SPHERICAL };

static int type_of(const trm_urdf_joint *joint)
{
    for (int i = 0; types[i]; i++) {
        if (joint->type && !strcmp(joint->type, types[i])) {
            return i;
        }
    }
    return -1;
}

int trm_urdf_link(trm_urdf *u, const trm_xml *node, const char *name)
{
    return trm_describe_named(u->d, node, NULL, &u->links, "link", name);
}

int trm_urdf_joint_of(trm_urdf *u, const trm_xml *node, const char *name)
{
    return trm_describe_named(u->d, node, NULL, &u->joints, "joint", name);
}

// ---------------------------------------------------------------------------------------- reading

static int read_end(trm_urdf *u, const trm_xml *node, const char *which)
{
    const trm_xml *const end = trm_xml_child(node, which);
    if (!end) {
        TRM_REFUSE(u->d, node, "a joint has a parent and a child; there is no <%s link=...>",
                   which);
        return -2;
    }
    return trm_urdf_link(u, end, trm_xml_value(end, "link"));
}

static void read_joint(trm_urdf *u, trm_xml *node, trm_urdf_joint *joint)
{
    trm_description *const d = u->d;
    node->used = 1;
    *joint = (trm_urdf_joint){.node = node,
                              .name = trm_xml_value(node, "name"),
                              .type = trm_xml_value(node, "type"),
                              .parent = read_end(u, node, "parent"),
                              .child = read_end(u, node, "child"),
                              .described = -1,
                              .origin = trm_urdf_origin(d, node),
                              .axis = {1, 0, 0}};
    const trm_xml *const axis = trm_xml_child(node, "axis");
    if (axis) {
        trm_describe_numbers(d, axis, "xyz", 3, joint->axis);
    }
    trm_name *const slot =
        joint->name ? trm_names_find(&u->joints, joint->name, strlen(joint->name)) : NULL;
    if (!slot || slot->text) {
        TRM_REFUSE(d, node, slot ? "there is another joint of this name" : "expected a name");
        return;
    }
    *slot = (trm_name){.text = joint->name, .index = (int)(joint - u->list)};
    if (type_of(joint) < 0) {
        TRM_REFUSE(d, node,
                   "type: \"%.40s\" is none of fixed, revolute, continuous, prismatic, "
                   "planar, floating",
                   joint->type ? joint->type : "");
    }
    if (!trm_unit_vector(3, joint->axis)) {
        TRM_REFUSE(d, node, "axis: expected a direction, got zeros");
    }
}

static void note_parent(trm_urdf *u, int j)
{
    const int child = u->list[j].child;
    if (u->d->status != TRM_OK) {
        return;
    }
    if (u->up[child] >= 0) {
        TRM_REFUSE(u->d, u->list[j].node,
                   "link \"%.40s\" is the child of joint \"%.40s\" already: URDF is a tree; write "
                   "a loop by --loops, or by frames closing_NAME_1 and closing_NAME_2",
                   u->d->links[child].name, u->list[u->up[child]].name);
        return;
    }
    u->up[child] = j;
}

// ------------------------------------------------------------------------------------------ places

/// Moves what is given in the frame of the link to the world.
static void settle(trm_link *link, const trm_frame *place)
{
    link->place = link->zero = *place;
    link->mass = trm_mass_in(place, &link->mass);
    for (trm_look *look = link->looks; look; look = look->next) {
        look->place = trm_frame_in(place, &look->place);
    }
}

static int has_mass(const trm_urdf *u, int link)
{
    return u->d->links[link].mass.mass > 0;
}

/// Whether a moving link may stand: with mass, or between two joints.
static int carrier_of(trm_urdf *u, int link, const int *children)
{
    trm_description *const d = u->d;
    trm_link *const of = &d->links[link];
    const trm_urdf_joint *const joint = &u->list[u->up[link]];
    const int type = type_of(joint), parent = trm_carrier(d, joint->parent);
    if (type == FIXED) {
        return parent;
    }
    if (has_mass(u, link) || children[link] > 1) {
        return link;
    }
    if (children[link] == 1) {
        of->between = 1;
        return link;
    }
    trm_lose(d, of->from, NULL, 1, "a link without mass that nothing follows is held fixed");
    return parent;
}

/// Of joints without one coordinate nothing but the motion is there.
static void tell_laws(trm_description *d, const trm_urdf_joint *joint)
{
    const trm_xml *const limit = trm_xml_child(joint->node, "limit");
    const trm_xml *const dynamics = trm_xml_child(joint->node, "dynamics");
    trm_link_joint laws;
    trm_describe_laws(d, limit, dynamics, 0, &laws);
    if (laws.limited) {
        trm_lose(d, limit, NULL, 1, "a joint without one coordinate has no limits: it moves on");
    }
    if (laws.damping != 0 || laws.friction != 0) {
        trm_lose(d, dynamics, NULL, 1, "a joint without one coordinate has none");
    }
}

static void describe(trm_urdf *u, int j)
{
    static const trm_link_type kinds[] = {[REVOLUTE] = TRM_LINK_HINGE,
                                          [CONTINUOUS] = TRM_LINK_HINGE,
                                          [PRISMATIC] = TRM_LINK_SLIDE,
                                          [PLANAR] = TRM_LINK_PLANAR,
                                          [SPHERICAL] = TRM_LINK_BALL};
    trm_description *const d = u->d;
    trm_urdf_joint *const joint = &u->list[j];
    const int type = type_of(joint);
    if (type == FLOATING || type == PLANAR || type == SPHERICAL) {
        tell_laws(d, joint);
    }
    if (type == FIXED || type == FLOATING || d->links[joint->child].carrier != joint->child) {
        return;
    }
    trm_link_joint *const out = TRM_DESCRIBE(d, joints);
    if (!out) {
        return;
    }
    *out = (trm_link_joint){.name = joint->name,
                            .from = joint->node,
                            .type = kinds[type],
                            .a = joint->parent,
                            .b = joint->child};
    const trm_frame *const place = &d->links[joint->child].place;
    memcpy(out->point[0], place->p, sizeof out->point[0]);
    memcpy(out->point[1], place->p, sizeof out->point[1]);
    trm_frame_vector(place, joint->axis, out->axis);
    if (type == REVOLUTE || type == CONTINUOUS || type == PRISMATIC) {
        joint->described = d->njoints - 1;
        const trm_xml *const limit = trm_xml_child(joint->node, "limit");
        const trm_xml *const dynamics = trm_xml_child(joint->node, "dynamics");
        trm_describe_laws(d, limit, dynamics, 0, out);
        out->limited &= type != CONTINUOUS;
    }
}

/// From the root outwards; a link that is not met hangs on a circle.
static void place_all(trm_urdf *u, int root, int *order, int *children)
{
    trm_description *const d = u->d;
    int n = 0, *const first = children + d->nlinks, *const next = first + d->nlinks;
    for (int i = 0; i < d->nlinks; i++) {
        first[i] = -1;
    }
    for (int j = u->n - 1; j >= 0; j--) { // lists of joints by their parent, in order
        next[j] = first[u->list[j].parent];
        first[u->list[j].parent] = j;
        children[u->list[j].parent]++;
    }
    const trm_frame origin = trm_frame_identity();
    order[n++] = root;
    settle(&d->links[root], &origin);
    d->links[root].carrier = d->root == 2 ? root : TRM_LINK_GROUND;
    for (int k = 0; k < n && d->status == TRM_OK; k++) {
        for (int j = first[order[k]]; j >= 0; j = next[j]) {
            const int child = u->list[j].child;
            const trm_frame place = trm_frame_in(&d->links[order[k]].place, &u->list[j].origin);
            settle(&d->links[child], &place);
            d->links[child].carrier = carrier_of(u, child, children);
            describe(u, j);
            order[n++] = child;
        }
    }
    for (int i = 0; n < d->nlinks && i < d->nlinks; i++) {
        if (i != root && d->links[i].place.R[0] == 0 && d->links[i].place.R[1] == 0 &&
            d->links[i].place.R[2] == 0) {
            TRM_REFUSE(d, d->links[i].from,
                       "its parents form a circle, which does not reach the root; break it, and "
                       "close it by --loops");
        }
    }
}

/// The link that no joint carries.
static int root_of(trm_urdf *u)
{
    int root = -1;
    for (int i = 0; i < u->d->nlinks; i++) {
        if (u->up[i] < 0 && root >= 0) {
            TRM_REFUSE(u->d, u->d->links[i].from,
                       "no joint carries it, nor \"%.60s\": a robot has one root",
                       u->d->links[root].name);
        }
        root = u->up[i] < 0 ? i : root;
    }
    if (root < 0) {
        TRM_REFUSE(u->d, u->root, "every link is the child of a joint: there is no root");
    }
    return root;
}

void trm_urdf_joints(trm_urdf *u)
{
    trm_description *const d = u->d;
    for (trm_xml *node = u->root->child; node && d->status == TRM_OK; node = node->next) {
        if (trm_xml_is(node, "joint")) {
            read_joint(u, node, &u->list[u->n++]);
        }
    }
    u->up = trm_pool_take(d->pool, (size_t)d->nlinks + 1, sizeof *u->up);
    int *const order = trm_pool_take(d->pool, (size_t)d->nlinks + 1, sizeof *order);
    int *const lists =
        trm_pool_take(d->pool, 2 * (size_t)d->nlinks + (size_t)u->n + 1, sizeof *lists);
    if (!u->up || !order || !lists) {
        trm_describe_no_memory(d);
        return;
    }
    for (int i = 0; i < d->nlinks; i++) {
        u->up[i] = -1;
    }
    for (int j = 0; j < u->n; j++) {
        note_parent(u, j);
    }
    const int root = d->status == TRM_OK ? root_of(u) : -1;
    if (d->status == TRM_OK) {
        place_all(u, root, order, lists);
    }
    if (d->status == TRM_OK && d->root == 0 && has_mass(u, root)) {
        trm_lose(d, d->links[root].from, NULL, 0,
                 "the root is held by the ground; --root free lets it float");
    }
}
