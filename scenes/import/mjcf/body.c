// The tree of bodies, with frames and replicates.

#include "scenes/import/mjcf/mjcf.h"

#include "base/linear/dense.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void read_within(trm_mjcf *mj, trm_xml *node, const trm_mjcf_branch *in, trm_mass *sum);

static const char too_many[] = "replicates make more than 4000000 elements";

/// The branch in a frame that stands in it.
static trm_mjcf_branch enter(const trm_mjcf_branch *in, const trm_frame *own)
{
    trm_mjcf_branch inner = *in;
    inner.zero = trm_frame_in(&in->zero, own);
    inner.place = trm_frame_in(&in->place, own);
    inner.inner = trm_frame_in(&in->inner, own);
    return inner;
}

// ---------------------------------------------------------------------------------------- inertia

static void read_inertial(trm_mjcf *mj, trm_xml *node, trm_mass *out)
{
    const trm_mjcf_node e = trm_mjcf_node_of(mj, node, NULL, NULL);
    const trm_frame place = trm_mjcf_place(&e);
    double x[6];
    trm_mass own = {.mass = trm_mjcf_number(&e, "mass", 0)};
    if (!(own.mass >= 0)) {
        TRM_REFUSE(mj->d, node, "mass must be >= 0, got %g", own.mass);
    }
    if (trm_mjcf_vector(&e, "fullinertia", 6, 6, x)) {
        const double I[9] = {x[0], x[3], x[4], x[3], x[1], x[5], x[4], x[5], x[2]};
        memcpy(own.inertia, I, sizeof I);
    } else if (trm_mjcf_vector(&e, "diaginertia", 3, 3, x)) {
        own.inertia[0] = x[0];
        own.inertia[4] = x[1];
        own.inertia[8] = x[2];
    }
    *out = trm_mass_in(&place, &own);
}

/// balanceinertia, boundmass and boundinertia.
static void correct(const trm_mjcf *mj, trm_mass *mass)
{
    const trm_mjcf_compiler *const c = &mj->compiler;
    double axes[9], e[3];
    mass->mass = fmax(mass->mass, c->bound_mass);
    memcpy(axes, mass->inertia, sizeof axes);
    if (trm_eigen_symmetric(3, axes, e) != 0) {
        return;
    }
    for (int k = 0; k < 3; k++) {
        for (int i = 0; i < 9; i++) {
            const double missing = fmax(0, c->bound_inertia - e[k]);
            mass->inertia[i] += missing * axes[3 * k + i / 3] * axes[3 * k + i % 3];
        }
        e[k] = fmax(e[k], c->bound_inertia);
    }
    const double mean = (e[0] + e[1] + e[2]) / 3;
    if (c->balance && e[2] > e[0] + e[1]) {
        const double even[9] = {mean, 0, 0, 0, mean, 0, 0, 0, mean};
        memcpy(mass->inertia, even, sizeof even);
    }
}

static void weigh(trm_mjcf *mj, trm_xml *node, const trm_mjcf_branch *in)
{
    trm_xml *const inertial = trm_xml_child(node, "inertial");
    const int by_geoms = mj->compiler.inertia_from_geoms;
    trm_mass mass = {0}, given = {0};
    read_within(mj, node, in, by_geoms == 1 || (by_geoms == 2 && !inertial) ? &mass : NULL);
    if (inertial) {
        read_inertial(mj, inertial, &given);
        mass = by_geoms == 1 ? mass : given;
    }
    if (in->link < 0 || mj->d->status != TRM_OK) {
        return;
    }
    correct(mj, &mass);
    trm_link *const link = &mj->d->links[in->link];
    link->mass = trm_mass_in(&link->place, &mass);
}

// --------------------------------------------------------------------------------------- elements

static void read_site(trm_mjcf *mj, trm_xml *node, const trm_mjcf_branch *in)
{
    trm_mjcf_node e = trm_mjcf_node_of(mj, node, in->of_class, "site");
    e.suffix = in->suffix;
    const trm_frame own = trm_mjcf_place(&e);
    trm_link_point *const point = TRM_DESCRIBE(mj->d, points);
    if (point) {
        *point = (trm_link_point){.name = trm_mjcf_name(&e),
                                  .from = node,
                                  .link = in->link,
                                  .place = trm_frame_in(&in->place, &own)};
    }
}

static int has_joint(const trm_xml *node)
{
    for (const trm_xml *child = node->child; child; child = child->next) {
        if (trm_xml_is(child, "joint") || trm_xml_is(child, "freejoint")) {
            return 1;
        }
    }
    return 0;
}

static int is_free(const trm_mjcf_node *e)
{
    for (const trm_xml *child = e->node->child; child; child = child->next) {
        const char *const type = trm_xml_is(child, "joint") ? trm_xml_value(child, "type") : NULL;
        if (trm_xml_is(child, "freejoint") || (type && !strcmp(type, "free"))) {
            return 1;
        }
    }
    return 0;
}

/// The root as the user wants it: --root.
static int carrier_of(const trm_mjcf_node *e, int parent, int index)
{
    const trm_description *const d = e->mj->d;
    const int moves = has_joint(e->node);
    if (parent == TRM_LINK_GROUND && d->root == 1 && is_free(e)) {
        return TRM_LINK_GROUND;
    }
    if (parent == TRM_LINK_GROUND && d->root == 2 && !moves) {
        return index;
    }
    return moves ? index : trm_carrier(d, parent);
}

static void take_joints(trm_xml *node)
{
    for (trm_xml *child = node->child; child; child = child->next) {
        if (trm_xml_is(child, "joint") || trm_xml_is(child, "freejoint")) {
            trm_xml_take(child);
        }
    }
}

static void read_body(trm_mjcf *mj, trm_xml *node, const trm_mjcf_branch *outer)
{
    trm_description *const d = mj->d;
    trm_mjcf_node e = trm_mjcf_node_of(mj, node, outer->of_class, "body");
    e.suffix = outer->suffix;
    const trm_frame own = trm_mjcf_place(&e);
    trm_mjcf_branch in = enter(outer, &own);
    const char *const name = trm_mjcf_name(&e);
    const int parent = outer->link;
    trm_link *const link = TRM_DESCRIBE(d, links);
    in.link = d->nlinks - 1;
    in.inner = trm_frame_identity();
    in.of_class = trm_mjcf_class(mj, node, trm_xml_value(node, "childclass"), outer->of_class);
    mj->bodies++;
    if (!link) {
        return;
    }
    *link = (trm_link){.name = name ? name : trm_describe_text(d, "body%d", mj->bodies),
                       .from = node,
                       .carrier = carrier_of(&e, parent, in.link),
                       .zero = in.zero};
    if (parent >= 0) {
        memcpy(link->turn, d->links[parent].turn, sizeof link->turn);
        memcpy(link->drift, d->links[parent].drift, sizeof link->drift);
    }
    if (link->carrier == in.link) {
        trm_mjcf_joints(mj, node, &in, parent);
    } else {
        take_joints(node);
    }
    if (d->status == TRM_OK) {
        d->links[in.link].place = in.place;
        weigh(mj, node, &in);
    }
}

static void read_replicate(trm_mjcf *mj, trm_xml *node, const trm_mjcf_branch *outer, trm_mass *sum)
{
    const trm_mjcf_node e = trm_mjcf_node_of(mj, node, NULL, NULL);
    const double count = trm_mjcf_number(&e, "count", 0);
    double offset[3] = {0}, turn[3] = {0};
    const char *separator = trm_xml_value(node, "sep");
    trm_mjcf_vector(&e, "offset", 3, 3, offset);
    trm_mjcf_vector(&e, "euler", 3, 3, turn);
    if (!(count >= 1 && count <= 1e6) || count != floor(count)) {
        TRM_REFUSE(mj->d, node, "count must be a whole number from 1 to 1e6, got %g", count);
        return;
    }
    mj->d->files->nodes += (int)count; // empty ones take time too
    if (outer->copies * count > TRM_XML_NODES || mj->d->files->nodes > TRM_XML_NODES) {
        TRM_REFUSE(mj->d, node, "%s", too_many);
        return;
    }
    const trm_frame moved = trm_mjcf_place(&e); // its euler; a replicate has no pos
    const trm_frame step = {.p = {offset[0], offset[1], offset[2]},
                            .R = {moved.R[0], moved.R[1], moved.R[2], moved.R[3], moved.R[4],
                                  moved.R[5], moved.R[6], moved.R[7], moved.R[8]}};
    const int digits = snprintf(NULL, 0, "%d", (int)count - 1);
    trm_frame at = trm_frame_identity();
    for (int i = 0; i < (int)count && mj->d->status == TRM_OK; i++) {
        trm_mjcf_branch in = enter(outer, &at);
        in.copies = outer->copies * count;
        in.suffix = trm_describe_text(mj->d, "%s%0*d%s", separator ? separator : "", digits, i,
                                      outer->suffix); // that of the innermost comes first
        read_within(mj, node, &in, sum);
        at = trm_frame_in(&at, &step);
    }
}

static void read_frame(trm_mjcf *mj, trm_xml *node, const trm_mjcf_branch *outer, trm_mass *sum)
{
    const trm_mjcf_node e = trm_mjcf_node_of(mj, node, NULL, NULL);
    const trm_frame own = trm_mjcf_place(&e);
    trm_mjcf_branch in = enter(outer, &own);
    in.of_class = trm_mjcf_class(mj, node, trm_xml_value(node, "childclass"), outer->of_class);
    read_within(mj, node, &in, sum);
}

static void read_within(trm_mjcf *mj, trm_xml *node, const trm_mjcf_branch *in, trm_mass *sum)
{
    for (trm_xml *child = node->child; child && mj->d->status == TRM_OK; child = child->next) {
        if (++mj->d->files->nodes > TRM_XML_NODES) {
            TRM_REFUSE(mj->d, child, "%s", too_many);
        } else if (trm_xml_is(child, "body")) {
            read_body(mj, child, in);
        } else if (trm_xml_is(child, "geom")) {
            trm_mjcf_geom(mj, child, in, sum);
        } else if (trm_xml_is(child, "site")) {
            read_site(mj, child, in);
        } else if (trm_xml_is(child, "frame")) {
            read_frame(mj, child, in, sum);
        } else if (trm_xml_is(child, "replicate")) {
            read_replicate(mj, child, in, sum);
        }
    }
}

static void scale_to(trm_description *d, double total)
{
    double sum = 0;
    for (int i = 0; i < d->nlinks; i++) {
        sum += d->links[i].mass.mass;
    }
    for (int i = 0; total > 0 && sum > 0 && i < d->nlinks; i++) {
        trm_mass_scale(&d->links[i].mass, total / sum);
    }
}

void trm_mjcf_bodies(trm_mjcf *mj)
{
    trm_mjcf_branch world = {.link = TRM_LINK_GROUND,
                             .zero = trm_frame_identity(),
                             .place = trm_frame_identity(),
                             .inner = trm_frame_identity(),
                             .suffix = "",
                             .copies = 1};
    for (trm_xml *part = mj->root->child; part; part = part->next) {
        if (trm_xml_is(part, "worldbody")) {
            part->used = 1;
            read_within(mj, part, &world, NULL);
        }
    }
    scale_to(mj->d, mj->compiler.total_mass);
    trm_carry_masses(mj->d);
    trm_share_masses(mj->d);
}
