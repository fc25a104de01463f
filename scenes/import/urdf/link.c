// Links: inertia and looks.

#include "scenes/import/urdf/urdf.h"

#include <string.h>

trm_frame trm_urdf_origin(trm_description *d, const trm_xml *node)
{
    const trm_xml *const origin = trm_xml_child(node, "origin");
    double xyz[3] = {0}, rpy[3] = {0};
    if (origin) {
        trm_describe_numbers(d, origin, "xyz", 3, xyz);
        trm_describe_numbers(d, origin, "rpy", 3, rpy);
    }
    return trm_frame_of_rpy(xyz, rpy);
}

/// In the frame of the link.
static void read_inertial(trm_description *d, const trm_xml *node, trm_mass *out)
{
    const trm_xml *const mass = trm_xml_child(node, "mass");
    const trm_xml *const inertia = trm_xml_child(node, "inertia");
    trm_mass own = {.mass = trm_describe_number(d, mass, "value", 0)};
    if (!(own.mass >= 0)) {
        TRM_REFUSE(d, mass, "mass must be >= 0, got %g", own.mass);
    }
    trm_describe_inertia(d, inertia, &own);
    const trm_frame origin = trm_urdf_origin(d, node);
    *out = trm_mass_in(&origin, &own);
}

static void read_colour(trm_urdf *u, const trm_xml *visual, trm_look *look)
{
    const trm_xml *const material = trm_xml_child(visual, "material");
    const char *const name = material ? trm_xml_value(material, "name") : NULL;
    const trm_xml *colour = material ? trm_xml_child(material, "color") : NULL;
    for (trm_xml *at = u->root->child; at && name && !colour; at = at->next) {
        const char *const own = trm_xml_is(at, "material") ? trm_xml_value(at, "name") : NULL;
        if (own && !strcmp(own, name)) {
            at->used = 1;
            colour = trm_xml_child(at, "color");
        }
    }
    if (colour) {
        look->is_coloured = trm_describe_numbers(u->d, colour, "rgba", 4, look->rgba);
    }
}

static void read_visual(trm_urdf *u, trm_xml *visual, int link)
{
    const trm_xml *const geometry = trm_xml_child(visual, "geometry");
    trm_look look = {.from = visual, .place = trm_urdf_origin(u->d, visual)};
    visual->used = 1;
    read_colour(u, visual, &look);
    if (geometry && trm_describe_shape(u->d, geometry, &look)) {
        trm_describe_look(u->d, link, &look);
    }
}

static void read_link(trm_urdf *u, trm_xml *node)
{
    trm_description *const d = u->d;
    const char *const name = trm_xml_value(node, "name");
    trm_name *const slot = name ? trm_names_find(&u->links, name, strlen(name)) : NULL;
    trm_link *const link = TRM_DESCRIBE(d, links);
    node->used = 1;
    if (!slot || slot->text) {
        TRM_REFUSE(d, node, slot ? "there is another link of this name" : "expected a name");
        return;
    }
    *slot = (trm_name){.text = name, .index = d->nlinks - 1};
    if (!link) {
        return;
    }
    const trm_xml *const inertial = trm_xml_child(node, "inertial");
    *link = (trm_link){.name = name, .from = node, .carrier = d->nlinks - 1};
    if (inertial) {
        read_inertial(d, inertial, &link->mass);
    }
    for (trm_xml *child = node->child; child; child = child->next) {
        if (trm_xml_is(child, "visual")) {
            read_visual(u, child, d->nlinks - 1);
        }
    }
}

void trm_urdf_links(trm_urdf *u)
{
    for (trm_xml *node = u->root->child; node && u->d->status == TRM_OK; node = node->next) {
        if (trm_xml_is(node, "link")) {
            read_link(u, node);
        }
    }
    if (u->d->nlinks == 0) {
        TRM_REFUSE(u->d, u->root, "there is no link");
    }
}
