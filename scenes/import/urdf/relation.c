// Relations of joints: mimic, transmissions, and the loops and couplings of URDF+.

#include "scenes/import/urdf/urdf.h"

#include <stdlib.h>
#include <string.h>

static void read_mimic(trm_urdf *u, int j, int *of)
{
    trm_xml *const mimic = trm_xml_child(u->list[j].node, "mimic");
    of[j] = mimic ? trm_urdf_joint_of(u, mimic, trm_xml_value(mimic, "joint")) : -1;
    if (!mimic || of[j] < 0) {
        return;
    }
    const int y = u->list[j].described, x = u->list[of[j]].described;
    const double law[2] = {trm_describe_number(u->d, mimic, "offset", 0),
                           trm_describe_number(u->d, mimic, "multiplier", 1)};
    if (y < 0 || x < 0) {
        trm_lose(u->d, mimic, NULL, 1, "joints without one coordinate are not coupled");
        return;
    }
    trm_describe_couple(u->d, mimic, trm_describe_text(u->d, "%s_mimic", u->list[j].name), y, x,
                        law);
}

static void read_transmission(trm_urdf *u, trm_xml *node)
{
    for (trm_xml *of = node->child; of; of = of->next) {
        if (!trm_xml_is(of, "joint")) {
            continue;
        }
        const int j = trm_urdf_joint_of(u, of, trm_xml_value(of, "name"));
        const int described = j >= 0 ? u->list[j].described : -1;
        trm_drive *const drive = described >= 0 ? TRM_DESCRIBE(u->d, drives) : NULL;
        of->used = 1;
        if (j >= 0 && described < 0) {
            trm_lose(u->d, of, NULL, 1, "a joint without one coordinate is not driven");
        }
        if (!drive) {
            continue;
        }
        const trm_xml *const limit = trm_xml_child(u->list[j].node, "limit");
        const double effort = trm_describe_number(u->d, limit, "effort", 0);
        *drive = (trm_drive){.name = trm_xml_value(node, "name"),
                             .from = node,
                             .joint = described,
                             .tendon = -1,
                             .point = -1,
                             .gear = {1},
                             .gain = 1,
                             .force_limited = effort > 0,
                             .force = {-effort, effort}};
    }
    node->used = 1;
}

// ----------------------------------------------------------------------------------------- URDF+

/// A joint between two frames, the axis along that of the second.
static void close_loop(trm_urdf *u, const trm_xml *from, const char *name, trm_link_type type,
                       const int link[2], const trm_frame frame[2], const double axis[3])
{
    trm_description *const d = u->d;
    if (d->status != TRM_OK) {
        return;
    }
    if (trm_carrier(d, link[0]) == trm_carrier(d, link[1])) {
        trm_lose(d, from, NULL, 0, "both links are fixed to each other already");
        return;
    }
    trm_link_joint *const joint = TRM_DESCRIBE(d, joints);
    if (!joint) {
        return;
    }
    *joint = (trm_link_joint){.name = name, .from = from, .type = type, .a = link[0], .b = link[1]};
    memcpy(joint->point[0], frame[0].p, sizeof joint->point[0]);
    memcpy(joint->point[1], frame[1].p, sizeof joint->point[1]);
    trm_frame_vector(&frame[1], axis, joint->axis);
}

static void read_loop(trm_urdf *u, trm_xml *node)
{
    static const char *const ends[] = {"predecessor", "successor"};
    static const char *const types[] = {"revolute", "continuous", "prismatic", "spherical",
                                        "fixed"};
    static const trm_link_type kinds[] = {TRM_LINK_HINGE, TRM_LINK_HINGE, TRM_LINK_SLIDE,
                                          TRM_LINK_BALL, TRM_LINK_WELD};
    trm_description *const d = u->d;
    const char *const type = trm_xml_value(node, "type");
    int link[2], kind = -1;
    trm_frame frame[2];
    double axis[3] = {1, 0, 0};
    node->used = 1;
    for (int i = 0; i < 2; i++) {
        const trm_xml *const end = trm_xml_child(node, ends[i]);
        link[i] = trm_urdf_link(u, end ? end : node, end ? trm_xml_value(end, "link") : NULL);
        if (link[i] < 0) {
            return;
        }
        const trm_frame origin = trm_urdf_origin(d, end);
        frame[i] = trm_frame_in(&d->links[link[i]].place, &origin);
    }
    for (int i = 0; type && i < 5; i++) {
        kind = !strcmp(type, types[i]) ? i : kind;
    }
    if (kind < 0) {
        TRM_REFUSE(d, node,
                   "type: \"%.40s\" is none of revolute, continuous, prismatic, spherical, fixed",
                   type ? type : "");
        return;
    }
    const trm_xml *const of = trm_xml_child(node, "axis");
    if (of) {
        trm_describe_numbers(d, of, "xyz", 3, axis);
    }
    close_loop(u, node, trm_xml_value(node, "name"), kinds[kind], link, frame, axis);
}

/// The joint of the successor turns by ratio times that of the predecessor.
static void read_coupling(trm_urdf *u, trm_xml *node)
{
    static const char *const ends[] = {"predecessor", "successor"};
    int described[2] = {-1, -1};
    node->used = 1;
    for (int i = 0; i < 2; i++) {
        const trm_xml *const end = trm_xml_child(node, ends[i]);
        const int link =
            trm_urdf_link(u, end ? end : node, end ? trm_xml_value(end, "link") : NULL);
        const int up = link >= 0 ? u->up[link] : -1;
        described[i] = up >= 0 ? u->list[up].described : -1;
    }
    const trm_xml *const ratio = trm_xml_child(node, "ratio");
    const double law[2] = {0, trm_describe_number(u->d, ratio, "value", 1)};
    if (described[0] < 0 || described[1] < 0) {
        trm_lose(u->d, node, NULL, 1,
                 "links without a hinge or slide of their own are not coupled");
        return;
    }
    trm_describe_couple(u->d, node, trm_xml_value(node, "name"), described[1], described[0], law);
}

void trm_urdf_relations(trm_urdf *u)
{
    trm_description *const d = u->d;
    int *const of = trm_pool_take(d->pool, (size_t)u->n + 1, sizeof *of);
    if (!of) {
        trm_describe_no_memory(d);
        return;
    }
    for (int j = 0; j < u->n && d->status == TRM_OK; j++) {
        read_mimic(u, j, of);
    }
    for (int j = 0; j < u->n && d->status == TRM_OK; j++) {
        if (trm_mimics_itself(u->n, of, j)) {
            TRM_REFUSE(d, u->list[j].node,
                       "mimic: it follows itself by way of other joints; let one of them be free");
        }
    }
    for (trm_xml *node = u->root->child; node && d->status == TRM_OK; node = node->next) {
        if (trm_xml_is(node, "transmission")) {
            read_transmission(u, node);
        } else if (trm_xml_is(node, "loop")) {
            read_loop(u, node);
        } else if (trm_xml_is(node, "coupling")) {
            read_coupling(u, node);
        }
    }
}
