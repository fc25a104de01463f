// Links: inertia and looks, and which are fixed to each other.

#include "scenes/import/sdf/sdf.h"

#include "bodies/vector.h"

#include <math.h>
#include <string.h>

/// A pose below a link, in the frame of the link.
static trm_frame place_in(trm_sdf *s, const trm_sdf_frame *link, const trm_xml *node)
{
    const trm_xml *const pose = trm_xml_child(node, "pose");
    const char *const relative = pose ? trm_xml_value(pose, "relative_to") : NULL;
    const trm_frame own = trm_sdf_pose(s->d, pose);
    if (!relative || !*relative) {
        return own;
    }
    const int base = trm_sdf_find(s, pose, link->model, relative);
    const trm_frame world = trm_frame_in(&s->frames[base].place, &own);
    return trm_frame_from(&link->place, &world);
}

// ------------------------------------------------------------------------------------------- mass

static void add_solid(trm_sdf *s, const trm_sdf_frame *link, const trm_xml *collision,
                      double density, trm_mass *sum)
{
    const trm_xml *const geometry = trm_xml_child(collision, "geometry");
    trm_look look = {.kind = TRM_LOOK_BOX};
    trm_mass solid = {0};
    double volume = 0;
    if (!geometry || !trm_describe_shape(s->d, geometry, &look)) {
        trm_lose(s->d, collision, NULL, 1, "its shape adds nothing to the inertia of the link");
        return;
    }
    if (look.kind == TRM_LOOK_MESH && look.file) {
        const trm_frame map = {.R = {[0] = look.size[0], [4] = look.size[1], [8] = look.size[2]}};
        trm_mesh_solid(s->d, collision, look.file, &map, 0, &solid, &volume);
    } else {
        solid = trm_solid(look.kind, look.size, &volume);
    }
    const trm_frame place = place_in(s, link, collision);
    trm_mass_scale(&solid, volume * trm_describe_field_number(s->d, collision, "density", density));
    const trm_mass placed = trm_mass_in(&place, &solid);
    trm_mass_add(sum, &placed);
}

/// <inertial auto="true">: of the solids of its collisions, scaled to a mass where it is given.
static trm_mass weigh_shapes(trm_sdf *s, const trm_sdf_frame *link, const trm_xml *inertial)
{
    const double density = trm_describe_field_number(s->d, inertial, "density", 1000);
    const double given = trm_describe_field_number(s->d, inertial, "mass", 0);
    trm_mass sum = {0};
    for (trm_xml *child = link->node->child; child; child = child->next) {
        if (trm_xml_is(child, "collision")) {
            add_solid(s, link, child, density, &sum);
        }
    }
    if (given > 0 && sum.mass > 0) {
        trm_mass_scale(&sum, given / sum.mass);
    }
    trm_xml *const pose = trm_xml_child(inertial, "pose");
    if (pose) {
        trm_lose(s->d, pose, NULL, 0, "the shapes say where the centre is");
    }
    return sum;
}

/// A link that says nothing has a mass of 1 and moments of 1.
static trm_mass weigh(trm_sdf *s, const trm_sdf_frame *link)
{
    const trm_xml *const inertial = trm_xml_child(link->node, "inertial");
    const char *const automatic = inertial ? trm_xml_value(inertial, "auto") : NULL;
    trm_mass own = {.mass = 1, .inertia = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
    if (!inertial) {
        return own;
    }
    if (automatic && (!strcmp(automatic, "true") || !strcmp(automatic, "1"))) {
        return weigh_shapes(s, link, inertial);
    }
    own.mass = trm_describe_field_number(s->d, inertial, "mass", 1);
    if (!(own.mass > 0)) {
        TRM_REFUSE(s->d, inertial, "mass must be > 0, got %g", own.mass);
    }
    trm_describe_inertia(s->d, trm_xml_child(inertial, "inertia"), &own);
    const trm_frame place = trm_sdf_pose(s->d, trm_xml_child(inertial, "pose"));
    return trm_mass_in(&place, &own);
}

// ------------------------------------------------------------------------------------------ looks

static void read_visual(trm_sdf *s, const trm_sdf_frame *link, trm_xml *visual)
{
    const trm_xml *const geometry = trm_xml_child(visual, "geometry");
    const trm_xml *const material = trm_xml_child(visual, "material");
    const trm_xml *const colour = material ? trm_xml_child(material, "diffuse") : NULL;
    const trm_frame own = place_in(s, link, visual);
    trm_look look = {.from = visual, .place = trm_frame_in(&link->place, &own)};
    trm_xml_take(visual);
    if (colour) {
        look.is_coloured = trm_describe_numbers(s->d, colour, NULL, 4, look.rgba);
    }
    if (geometry && trm_describe_shape(s->d, geometry, &look)) {
        trm_describe_look(s->d, link->link, &look);
    }
}

/// Friction and restitution of a <surface>, in the words of ODE.
static trm_touching read_surface(trm_sdf *s, const trm_xml *collision, int family)
{
    const trm_xml *const surface = trm_xml_child(collision, "surface");
    const trm_xml *const friction = surface ? trm_xml_child(surface, "friction") : NULL;
    const trm_xml *const ode = friction ? trm_xml_child(friction, "ode") : NULL;
    const trm_xml *const bounce = surface ? trm_xml_child(surface, "bounce") : NULL;
    return (trm_touching){
        .type = 1,
        .affinity = 1,
        .family = family,
        .directions = 3,
        .friction = {trm_describe_field_number(s->d, ode, "mu", 1)},
        .restitution = trm_describe_field_number(s->d, bounce, "restitution_coefficient", 0)};
}

/// Shapes of one model touch each other where it says so.
static int family_of(const trm_sdf *s, const trm_sdf_frame *link)
{
    int model = link->model, itself = trm_sdf_flag(link->node, "self_collide", 0);
    while (model > TRM_SDF_WORLD) {
        itself |= trm_sdf_flag(s->frames[model].node, "self_collide", 0);
        if (s->frames[model].model <= TRM_SDF_WORLD) {
            break;
        }
        model = s->frames[model].model;
    }
    return itself ? 0 : 1 + model;
}

static void read_collision(trm_sdf *s, const trm_sdf_frame *link, trm_xml *collision)
{
    static const double up[3] = {0, 0, 1};
    const trm_xml *const geometry = trm_xml_child(collision, "geometry");
    const trm_xml *const plane = geometry ? trm_xml_child(geometry, "plane") : NULL;
    const trm_frame own = place_in(s, link, collision);
    trm_look look = {.name = trm_xml_value(collision, "name"),
                     .from = collision,
                     .kind = TRM_LOOK_PLANE,
                     .is_hidden = 1,
                     .place = trm_frame_in(&link->place, &own)};
    collision->used = 1;
    if (plane) {
        double normal[3] = {0, 0, 1}, size[2], turn[3];
        trm_describe_field(s->d, plane, "normal", 3, normal);
        trm_describe_field(s->d, plane, "size", 2, size);
        const double c = dot(up, normal) / sqrt(dot(normal, normal));
        cross(up, normal, turn);
        trm_frame tilted = trm_frame_identity();
        if (dot(turn, turn) > 0 || c < 0) {
            trm_frame_turn(&tilted, (double[3]){0},
                           dot(turn, turn) > 0 ? turn : (double[3]){1, 0, 0}, acos(c));
        }
        look.place = trm_frame_in(&look.place, &tilted);
    } else if (!geometry || !trm_describe_shape(s->d, geometry, &look)) {
        trm_lose(s->d, collision, NULL, 1, "a shape of this kind touches nothing here");
        return;
    }
    look.touching = read_surface(s, collision, family_of(s, link));
    trm_describe_look(s->d, link->link, &look);
}

static void tell_flags(trm_sdf *s, const trm_xml *node)
{
    static const struct {
        const char *name;
        int usual;
        const char *consequence;
    } flags[] = {{"gravity", 1, "gravity acts on every body"},
                 {"kinematic", 0, "forces act on every body"},
                 {"enable_wind", 0, "bodies move in no medium"}};
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) {
        if (trm_sdf_flag(node, flags[i].name, flags[i].usual) != flags[i].usual) {
            trm_lose(s->d, trm_xml_child(node, flags[i].name), NULL, 1, flags[i].consequence);
        }
    }
}

static void read_link(trm_sdf *s, int i)
{
    trm_sdf_frame *const f = &s->frames[i];
    trm_link *const link = TRM_DESCRIBE(s->d, links);
    if (!link) {
        return;
    }
    f->link = s->d->nlinks - 1;
    *link = (trm_link){.name = trm_sdf_name(s, i),
                       .from = f->node,
                       .carrier = f->is_static ? TRM_LINK_GROUND : f->link,
                       .place = f->place,
                       .zero = f->place};
    if (!f->is_static) {
        const trm_mass own = weigh(s, f);
        link->mass = trm_mass_in(&f->place, &own);
        tell_flags(s, f->node);
    }
    for (trm_xml *child = f->node->child; child; child = child->next) {
        if (trm_xml_is(child, "visual")) {
            read_visual(s, f, child);
        } else if (trm_xml_is(child, "collision")) {
            read_collision(s, f, child);
        }
    }
}

// -------------------------------------------------------------------------------- fixed to others

/// The first of those that are fixed to each other, or the ground.
static int end_of(const trm_description *d, int link)
{
    while (link >= 0 && d->links[link].carrier != link) {
        link = d->links[link].carrier;
    }
    return link;
}

static void fix(trm_description *d, int one, int other)
{
    const int a = end_of(d, one), b = end_of(d, other);
    if (a != b) {
        d->links[a > b ? a : b].carrier = a > b ? b : a;
    }
}

static void fix_joint(trm_sdf *s, const trm_sdf_frame *joint)
{
    const char *const type = trm_xml_value(joint->node, "type");
    const trm_xml *const parent = trm_xml_child(joint->node, "parent");
    const char *const name = trm_describe_word(s->d, parent);
    const int in = trm_sdf_find(s, joint->node, joint->model, name);
    if (!name) {
        TRM_REFUSE(s->d, joint->node, "a joint has a parent and a child; there is no <parent>");
    } else if (type && !strcmp(type, "fixed") && !(in == TRM_SDF_WORLD && s->d->root == 2)) {
        fix(s->d, trm_sdf_link_of(s, joint->node, in),
            trm_sdf_link_of(s, joint->node, joint->attached));
    }
}

void trm_sdf_links(trm_sdf *s)
{
    trm_description *const d = s->d;
    for (int i = 1; i < s->nframes && d->status == TRM_OK; i++) {
        if (s->frames[i].kind == TRM_SDF_LINK) {
            read_link(s, i);
        }
    }
    d->has_least_friction = 1;
    if (d->status == TRM_OK && d->nlinks == 0) {
        TRM_REFUSE(d, s->frames[TRM_SDF_WORLD].node, "there is no link");
    }
    for (int i = 1; i < s->nframes && d->status == TRM_OK; i++) {
        const trm_sdf_frame *const f = &s->frames[i];
        if (f->kind == TRM_SDF_JOINT) {
            fix_joint(s, f);
        } else if (f->kind == TRM_SDF_MODEL && f->model == TRM_SDF_WORLD && d->root == 1) {
            fix(d, TRM_LINK_GROUND, trm_sdf_link_of(s, f->node, i));
        }
    }
    for (int i = 0; i < d->nlinks; i++) { // those before are carried by what moves
        const int up = d->links[i].carrier;
        d->links[i].carrier = up == i || up < 0 ? up : d->links[up].carrier;
    }
}
