// Geoms: what a body weighs, and what it looks like.

#include "scenes/import/mjcf/mjcf.h"

#include "bodies/vector.h"

#include <limits.h>
#include <math.h>
#include <string.h>

static const char *const kinds[] = {"sphere", "box",   "cylinder", "capsule", "ellipsoid",
                                    "mesh",   "plane", "hfield",   "sdf",     NULL};

/// Numbers of `size` that a kind needs; one less with `fromto`.
static int sizes_of(int kind)
{
    return kind == TRM_LOOK_SPHERE                                 ? 1
           : kind == TRM_LOOK_CYLINDER || kind == TRM_LOOK_CAPSULE ? 2
           : kind == TRM_LOOK_BOX || kind == TRM_LOOK_ELLIPSOID    ? 3
                                                                   : 0;
}

/// MJCF gives halves of edges and lengths; with `fromto` the length is that of the line.
static void read_size(const trm_mjcf_node *e, int kind, double size[3])
{
    double given[3] = {0}, line[6];
    const int from_to = trm_mjcf_vector(e, "fromto", 6, 6, line);
    const int n = trm_mjcf_vector(e, "size", 1, 3, given), wanted = sizes_of(kind);
    const int last = wanted - 1;
    if (from_to && wanted > 1) {
        double along[3];
        subtract(line + 3, line, along);
        given[last] = sqrt(dot(along, along)) / 2;
        if (wanted == 3 && n < 2) {
            given[1] = given[0];
        }
    } else if (n < wanted) {
        TRM_REFUSE(e->mj->d, e->node, "size: expected %d number%s of a %s, got %d", wanted,
                   wanted > 1 ? "s" : "", kinds[kind], n);
    }
    for (int i = 0; i < wanted; i++) {
        if (!(given[i] > 0)) {
            TRM_REFUSE(e->mj->d, e->node, "size: numbers must be > 0, got %g", given[i]);
            given[i] = 1;
        }
    }
    const int is_box = kind == TRM_LOOK_BOX;
    const int is_round = kind == TRM_LOOK_CYLINDER || kind == TRM_LOOK_CAPSULE;
    size[0] = is_box ? 2 * given[0] : given[0];
    size[1] = is_box || is_round ? 2 * given[1] : given[1];
    size[2] = is_box ? 2 * given[2] : given[2];
}

// ---------------------------------------------------------------------------------------- meshes

/// A mesh or a material; a mesh without a name has that of its file.
static trm_xml *find_asset(trm_mjcf *mj, const char *tag, const char *name)
{
    for (trm_xml *part = mj->root->child; part; part = part->next) {
        for (trm_xml *one = trm_xml_is(part, "asset") ? part->child : NULL; one; one = one->next) {
            const int is_one = trm_xml_is(one, tag);
            const char *const own = is_one ? trm_xml_value(one, "name") : NULL;
            const char *const file = is_one && !own ? trm_xml_value(one, "file") : NULL;
            const char *const base = file && strrchr(file, '/') ? strrchr(file, '/') + 1 : file;
            const size_t stem = base ? strcspn(base, ".") : 0;
            if (own ? !strcmp(own, name)
                    : base && stem == strlen(name) && !strncmp(base, name, stem)) {
                part->used = 1;
                one->used = 1;
                return one;
            }
        }
    }
    return NULL;
}

/// What the asset does to corners, scale after refquat^-1 (x - refpos), as map and, where a scene
/// can say it, as a place and a scale; else the look loses its file.
static void read_map(const trm_mjcf_node *of, trm_look *look, trm_frame *map)
{
    double p[3] = {0}, q[4] = {1, 0, 0, 0}, *const s = look->size;
    const trm_frame origin = trm_frame_identity();
    memcpy(s, (const double[3]){1, 1, 1}, sizeof look->size);
    trm_mjcf_vector(of, "scale", 3, 3, s);
    trm_mjcf_vector(of, "refpos", 3, 3, p);
    const int turned = trm_mjcf_vector(of, "refquat", 4, 4, q) > 0;
    const trm_frame reference = trm_frame_of(p, q);
    *map = trm_frame_from(&reference, &origin);
    trm_frame place = *map;
    for (int i = 0; i < 9; i++) {
        map->R[i] *= s[i / 3];
        map->p[i / 3] *= i % 3 == 0 ? s[i / 3] : 1;
    }
    memcpy(place.p, map->p, sizeof place.p);
    look->place = trm_frame_in(&look->place, &place);
    if (turned && (s[0] != s[1] || s[1] != s[2])) {
        trm_lose(of->mj->d, of->node, NULL, 0, "not drawn: it is turned and then scaled unevenly");
        look->is_hidden = 1;
    }
}

/// The solid of a mesh in the frame of the geom.
static void read_mesh(const trm_mjcf_node *e, trm_look *look, trm_mass *mass, double *volume)
{
    enum { CONVEX = 2, SHELL };
    static const char *const ways[] = {"exact", "legacy", "convex", "shell", NULL};
    const char *const name = trm_mjcf_value(e, "mesh");
    trm_mjcf *const mj = e->mj;
    trm_xml *const asset = name ? find_asset(mj, "mesh", name) : NULL;
    const char *const file = asset ? trm_xml_value(asset, "file") : NULL;
    trm_frame map;
    if (!file) {
        TRM_REFUSE(mj->d, e->node,
                   asset  ? "mesh: \"%.60s\" has no file; vertices in the model are not read"
                   : name ? "mesh: there is no mesh \"%.60s\" among the assets"
                          : "mesh: expected the name of a mesh",
                   name);
        return;
    }
    const trm_mjcf_node of = trm_mjcf_node_of(mj, asset, NULL, "mesh");
    read_map(&of, look, &map);
    const int way = trm_mjcf_word(&of, "inertia", ways, 1);
    if (way == SHELL) {
        trm_lose(mj->d, asset, "inertia", 1, "inertia is that of the solid within the mesh");
    }
    look->file = mj->compiler.mesh_folder && file[0] != '/'
                     ? trm_describe_text(mj->d, "%s/%s", mj->compiler.mesh_folder, file)
                     : file;
    if (mass && look->file) {
        trm_mesh_solid(mj->d, e->node, look->file, &map, way == CONVEX, mass, volume);
    }
}

/// Its own colour, or that of its material. Groups beyond 2 are not shown, as in MuJoCo.
static void read_colour(const trm_mjcf_node *e, trm_look *look)
{
    const char *const name = trm_mjcf_value(e, "material");
    trm_xml *const material = name ? find_asset(e->mj, "material", name) : NULL;
    look->is_hidden = trm_mjcf_number(e, "group", 0) > 2;
    look->is_coloured = trm_mjcf_vector(e, "rgba", 4, 4, look->rgba) > 0;
    if (material && !look->is_coloured) {
        const trm_mjcf_node of = trm_mjcf_node_of(e->mj, material, NULL, "material");
        look->is_coloured = trm_mjcf_vector(&of, "rgba", 4, 4, look->rgba) > 0;
    }
}

// ------------------------------------------------------------------------------------ mass, look

static void add_mass(const trm_mjcf_node *e, const trm_frame *place, trm_mass solid, double volume,
                     trm_mass *sum)
{
    const double density = trm_mjcf_number(e, "density", 1000);
    const double mass = trm_mjcf_number(e, "mass", -1);
    const double group = trm_mjcf_number(e, "group", 0);
    const double *const range = e->mj->compiler.group;
    if (mass < 0 && trm_xml_value(e->node, "mass")) {
        TRM_REFUSE(e->mj->d, e->node, "mass must be >= 0, got %g", mass);
    }
    const double m = mass >= 0 ? mass : density * volume;
    if (m > 0 && group >= range[0] && group <= range[1]) {
        trm_mass_scale(&solid, m);
        const trm_mass placed = trm_mass_in(place, &solid);
        trm_mass_add(sum, &placed);
    }
}

/// A whole number from 0 to `most`.
static unsigned read_whole(const trm_mjcf_node *e, const char *name, double otherwise, double most)
{
    const double x = trm_mjcf_number(e, name, otherwise);
    const int is_whole = x >= 0 && x <= most && x == floor(x);
    if (!is_whole) {
        TRM_REFUSE(e->mj->d, e->node, "%s: expected a whole number from 0 to %.0f, got %g", name,
                   most, x);
    }
    return is_whole ? (unsigned)x : 0;
}

static void check_friction(const trm_mjcf_node *e, int n, const double *mu)
{
    for (int i = 0; i < n; i++) {
        if (!(mu[i] >= 0)) {
            TRM_REFUSE(e->mj->d, e->node, "friction must be >= 0, got %g", mu[i]);
        }
    }
}

static trm_touching read_touching(const trm_mjcf_node *e)
{
    trm_touching out = {.friction = {1, 0.005, 0.0001}};
    out.type = read_whole(e, "contype", 1, UINT_MAX);
    out.affinity = read_whole(e, "conaffinity", 1, UINT_MAX);
    out.directions = (int)read_whole(e, "condim", 3, 6);
    out.priority = trm_mjcf_number(e, "priority", 0);
    trm_mjcf_vector(e, "friction", 1, 3, out.friction);
    check_friction(e, 3, out.friction);
    return out;
}

void trm_mjcf_geom(trm_mjcf *mj, trm_xml *node, const trm_mjcf_branch *in, trm_mass *sum)
{
    trm_mjcf_node e = trm_mjcf_node_of(mj, node, in->of_class, "geom");
    e.suffix = in->suffix;
    const int kind = trm_mjcf_word(&e, "type", kinds, TRM_LOOK_SPHERE);
    trm_look look = {.name = trm_mjcf_name(&e), .from = node};
    const trm_frame own = trm_mjcf_place(&e);
    trm_mass solid = {0};
    double volume = 0;
    read_colour(&e, &look);
    look.touching = read_touching(&e);
    look.kind = (trm_look_kind)kind;
    look.place = trm_frame_in(&in->place, &own);
    if (kind >= TRM_LOOK_PLANE) {
        trm_mjcf_vector(&e, "size", 1, 3, (double[3]){0});
        if (kind == TRM_LOOK_PLANE) {
            trm_describe_look(mj->d, in->link, &look);
        } else {
            trm_lose(mj->d, node, "type", 1, "height fields and distance fields are left out");
        }
        return;
    }
    if (kind == TRM_LOOK_MESH) {
        read_mesh(&e, &look, sum ? &solid : NULL, &volume);
    } else {
        if (trm_mjcf_value(&e, "mesh")) {
            trm_lose(mj->d, node, "mesh", 1, "a primitive is not fitted to the mesh");
        }
        read_size(&e, kind, look.size);
        solid = trm_solid(look.kind, look.size, &volume);
    }
    const trm_frame within = trm_frame_in(&in->inner, &own);
    if (sum) {
        add_mass(&e, &within, solid, volume, sum);
    } else {
        trm_mjcf_number(&e, "mass", 0);
        trm_mjcf_number(&e, "density", 0);
    }
    trm_describe_look(mj->d, in->link, &look);
}

/// Its numbers are its own: geoms say nothing of them.
static void read_pair(trm_mjcf *mj, trm_xml *node)
{
    const trm_mjcf_node e = trm_mjcf_node_of(mj, node, NULL, "pair");
    double mu[5] = {1, 1, 0.005, 0.0001, 0.0001};
    trm_mjcf_vector(&e, "friction", 1, 5, mu);
    check_friction(&e, 5, mu);
    if (mu[0] != mu[1] || mu[3] != mu[4]) {
        trm_lose(mj->d, node, "friction", 1, "it is the same across: the first number counts");
    }
    trm_link_pair pair = {.from = node, .friction = {mu[0], mu[2], mu[3]}};
    trm_touching_cut((int)read_whole(&e, "condim", 3, 6), pair.friction);
    trm_xml_value(node, "name");
    for (int side = 0; side < 2; side++) {
        pair.name[side] = trm_mjcf_value(&e, side ? "geom2" : "geom1");
        if (!pair.name[side]) {
            TRM_REFUSE(mj->d, node, "expected geom1 and geom2, names of geoms");
            return;
        }
    }
    trm_link_pair *const out = TRM_DESCRIBE(mj->d, pairs);
    if (out) {
        *out = pair;
    }
}

static void read_exclude(trm_mjcf *mj, trm_xml *node)
{
    const trm_mjcf_node e = trm_mjcf_node_of(mj, node, NULL, NULL);
    trm_link_apart *const apart = TRM_DESCRIBE(mj->d, aparts);
    trm_mjcf_value(&e, "name");
    if (apart) {
        apart->link[0] = trm_mjcf_link(&e, "body1");
        apart->link[1] = trm_mjcf_link(&e, "body2");
    }
}

void trm_mjcf_contacts(trm_mjcf *mj)
{
    for (trm_xml *part = mj->root->child; part; part = part->next) {
        part->used |= trm_xml_is(part, "contact");
        for (trm_xml *one = trm_xml_is(part, "contact") ? part->child : NULL; one;
             one = one->next) {
            if (trm_xml_is(one, "exclude")) {
                read_exclude(mj, one);
            } else if (trm_xml_is(one, "pair")) {
                read_pair(mj, one);
            }
        }
    }
}
