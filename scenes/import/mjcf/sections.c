// The sections of an MJCF file beside the bodies: includes, settings, keyframes; and what is left.

#include "scenes/import/mjcf/mjcf.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// --------------------------------------------------------------------------------------- includes

/// The children of an included file take the place of the element.
static void splice(trm_mjcf *mj, trm_xml *node)
{
    const char *const name = trm_xml_value(node, "file"), *path = NULL;
    trm_xml *root = NULL;
    node->used = 1;
    if (!name) {
        TRM_REFUSE(mj->d, node, "expected file, the name of a file");
        return;
    }
    trm_error why = {0};
    trm_error *const err = mj->d->files->err;
    mj->d->files->err = &why;
    trm_status status = trm_xml_beside(mj->d->files, name, &path);
    status = status == TRM_OK ? trm_xml_open(mj->d->files, path, &root) : status;
    mj->d->files->err = err;
    if (status == TRM_ERR_SYNTAX) { // the place within the file says more
        mj->d->status = TRM_FAIL(err, status, why.where, "%s", why.message);
    } else if (status != TRM_OK) {
        TRM_REFUSE(mj->d, node, "include \"%.60s\": %.160s", name, why.message);
    } else {
        root->used = 1;
        root->up = node;
        node->child = node->last = root;
    }
}

/// Files included by included files too; each is read once.
static void read_includes(trm_mjcf *mj, trm_xml *node)
{
    for (trm_xml *child = node->child; child && mj->d->status == TRM_OK; child = child->next) {
        if (trm_xml_is(child, "include")) {
            splice(mj, child);
        }
        read_includes(mj, child);
    }
}

/// Lifts what was included to where the include stands.
static void lift(trm_xml *node)
{
    trm_xml **at = &node->child;
    while (*at) {
        trm_xml *const child = *at;
        if (!trm_xml_is(child, "include") || !child->child) {
            at = &child->next;
            continue;
        }
        trm_xml *first = child->child->child, *last = NULL;
        for (trm_xml *one = first; one; one = one->next) {
            one->up = node;
            last = one;
        }
        if (last) {
            last->next = child->next;
        }
        *at = last ? first : child->next;
    }
    for (trm_xml *child = node->child; child; child = child->next) {
        lift(child);
    }
}

static void trm_mjcf_include(trm_mjcf *mj, trm_xml *root)
{
    read_includes(mj, root);
    lift(root);
}

// --------------------------------------------------------------------------------------- settings

static void read_compiler(trm_mjcf *mj, trm_xml *node)
{
    static const char *const angles[] = {"radian", "degree", NULL};
    static const char *const flags[] = {"false", "true", "auto", NULL};
    static const char *const coordinates[] = {"local", "global", NULL};
    trm_mjcf_compiler *const c = &mj->compiler;
    const trm_mjcf_node e = trm_mjcf_node_of(mj, node, NULL, NULL);
    c->degrees = trm_mjcf_word(&e, "angle", angles, c->degrees);
    c->autolimits = trm_mjcf_word(&e, "autolimits", flags, c->autolimits);
    c->inertia_from_geoms = trm_mjcf_word(&e, "inertiafromgeom", flags, c->inertia_from_geoms);
    c->balance = trm_mjcf_word(&e, "balanceinertia", flags, c->balance);
    c->bound_mass = trm_mjcf_number(&e, "boundmass", c->bound_mass);
    c->bound_inertia = trm_mjcf_number(&e, "boundinertia", c->bound_inertia);
    c->total_mass = trm_mjcf_number(&e, "settotalmass", c->total_mass);
    trm_mjcf_vector(&e, "inertiagrouprange", 2, 2, c->group);
    if (trm_mjcf_word(&e, "coordinate", coordinates, 0) == 1) {
        TRM_REFUSE(mj->d, node, "global coordinates are of version 2.3 and before; expected local");
    }
    const char *const folder = trm_mjcf_value(&e, "meshdir");
    const char *const assets = trm_mjcf_value(&e, "assetdir");
    c->mesh_folder = folder ? folder : assets ? assets : c->mesh_folder;
    const char *const sequence = trm_mjcf_value(&e, "eulerseq");
    if (sequence && (strlen(sequence) != 3 || strspn(sequence, "xyzXYZ") != 3)) {
        TRM_REFUSE(mj->d, node, "eulerseq: expected three of the letters xyzXYZ, got \"%.20s\"",
                   sequence);
    } else if (sequence) {
        memcpy(c->sequence, sequence, 4);
    }
}

static void read_option(trm_mjcf *mj, trm_xml *node)
{
    const trm_mjcf_node e = trm_mjcf_node_of(mj, node, NULL, NULL);
    trm_mjcf_vector(&e, "gravity", 3, 3, mj->d->gravity);
    trm_xml *const flag = trm_xml_child(node, "flag");
    const char *const gravity = flag ? trm_xml_value(flag, "gravity") : NULL;
    const char *const contact = flag ? trm_xml_value(flag, "contact") : NULL;
    if (gravity && !strcmp(gravity, "disable")) {
        memset(mj->d->gravity, 0, sizeof mj->d->gravity);
    }
    mj->d->nothing_touches |= contact && !strcmp(contact, "disable");
}

static void trm_mjcf_settings(trm_mjcf *mj)
{
    memcpy(mj->d->gravity, (const double[3]){0, 0, -9.81}, sizeof mj->d->gravity);
    mj->compiler = (trm_mjcf_compiler){
        .degrees = 1, .autolimits = 1, .inertia_from_geoms = 2, .group = {0, 5}, .sequence = "xyz"};
    for (trm_xml *part = mj->root->child; part; part = part->next) {
        if (trm_xml_is(part, "compiler")) {
            read_compiler(mj, part);
        } else if (trm_xml_is(part, "option")) {
            read_option(mj, part);
        } else if (trm_xml_is(part, "default")) {
            part->used = 1;
            mj->defaults = mj->defaults ? mj->defaults : part;
        } else if (trm_xml_is(part, "asset")) {
            part->used = 1;
        }
    }
}

// --------------------------------------------------------------------------------------- keyframe

static const double *read_list(trm_mjcf *mj, trm_xml *key, const char *name, int *n)
{
    const char *const text = trm_xml_value(key, name);
    const int most = text ? (int)(strlen(text) < 2000000 ? strlen(text) / 2 + 1 : 1000000) : 0;
    double *const list = text ? trm_pool_take(mj->d->pool, (size_t)most, sizeof *list) : NULL;
    *n = list ? trm_xml_numbers(text, most, list) : 0;
    if (*n < 0) {
        TRM_REFUSE(mj->d, key, "%s: expected numbers", name);
        *n = 0;
    }
    return list;
}

/// The one that the user named. Others are poses to begin from, told as such.
static void trm_mjcf_keyframe(trm_mjcf *mj)
{
    int found = 0;
    const char *const wanted = mj->d->start;
    for (trm_xml *part = mj->root->child; part; part = part->next) {
        part->used |= trm_xml_is(part, "keyframe");
        for (trm_xml *key = trm_xml_is(part, "keyframe") ? part->child : NULL; key;
             key = key->next) {
            const char *const name = trm_xml_value(key, "name");
            if (!wanted || !name || strcmp(name, wanted) != 0 || found) {
                continue;
            }
            found = 1;
            key->used = 1;
            mj->qpos = read_list(mj, key, "qpos", &mj->nqpos);
            mj->qvel = read_list(mj, key, "qvel", &mj->nqvel);
            mj->ctrl = read_list(mj, key, "ctrl", &mj->nctrl);
        }
    }
    if (wanted && !found) {
        TRM_REFUSE(mj->d, mj->root, "there is no keyframe \"%.60s\"", wanted);
    }
}

// ------------------------------------------------------------------------------------ what is left

static const char soft[] = "contacts, limits and loops are rigid here";
static const char seen[] = "for eyes only";
static const char numerical[] = "of another solver: runs choose their own method and step";

static const trm_loss_word words[] = {
    {"option", "timestep", 0, numerical},
    {"option", "integrator", 0, numerical},
    {"option", "solver", 0, numerical},
    {"option", "iterations", 0, numerical},
    {"option", "tolerance", 0, numerical},
    {"option", "cone", 0, numerical},
    {"option", "jacobian", 0, numerical},
    {"option", "ls_iterations", 0, numerical},
    {"option", "ls_tolerance", 0, numerical},
    {"option", "impratio", 0, numerical},
    {"option", "density", 1, "bodies move in no medium"},
    {"option", "viscosity", 1, "bodies move in no medium"},
    {"option", "wind", 1, "bodies move in no medium"},
    {NULL, "solref", 1, soft},
    {NULL, "solimp", 1, soft},
    {NULL, "solreflimit", 1, soft},
    {NULL, "solimplimit", 1, soft},
    {NULL, "solreffriction", 1, soft},
    {NULL, "solimpfriction", 1, soft},
    {NULL, "margin", 1, soft},
    {NULL, "gap", 1, soft},
    {NULL, "solmix", 1, soft},
    {NULL, "rgba", 0, seen},
    {NULL, "material", 0, seen},
    {NULL, "group", 0, seen},
    {NULL, "size", 0, seen},
    {NULL, "user", 0, "numbers of the user have no meaning to the motion"},
    {NULL, "class", 0, "the class says nothing more"},
    {NULL, "mocap", 1, "a body moved by a program stands still"},
    {NULL, "gravcomp", 1, "its weight is not carried"},
    {NULL, "springdamper", 1, "give stiffness and damping"},
    {NULL, "actuatorfrcrange", 1, "the sum of the forces of its actuators has no bound"},
    {NULL, "actuatorfrclimited", 1, "the sum of the forces of its actuators has no bound"},
    {NULL, "shellinertia", 1, "its mass is in its volume"},
    {NULL, "fluidshape", 1, "bodies move in no medium"},
    {NULL, "model", 0, "the title of the scene"},
    {"compiler", NULL, 0, "not read"},
    {"compiler", "strippath", 1, "paths of files are kept"},
    {"compiler", "discardvisual", 0, "geoms for eyes are kept"},
    {"compiler", "fusestatic", 0, "bodies without joints are part of what they are fixed to"},
    {"compiler", "texturedir", 0, seen},
    {"compiler", "fitaabb", 0, "primitives are not fitted to meshes"},
    {"compiler", "usethread", 0, numerical},
    {"compiler", "alignfree", 0, "frames of bodies are kept"},
    {"default", NULL, 0, "no element is of this class"},
    {"geom", NULL, 1, "the rope goes straight past it"},
    {"pulley", NULL, 1, "the rope has one branch"},
    {"key", NULL, 0, "another start: --start NAME"},
    {"texture", NULL, 0, seen},
    {"material", NULL, 0, seen},
    {"mesh", NULL, 0, "no geom uses it"},
    {"visual", NULL, 0, seen},
    {"light", NULL, 0, seen},
    {"camera", NULL, 0, seen},
    {"statistic", NULL, 0, seen},
    {"size", NULL, 0, "sizes of the memory of another program"},
    {NULL, "noise", 0, "a sensor reads what is there"},
    {NULL, "cutoff", 0, "a sensor reads what is there"},
    {NULL, "delay", 0, "a sensor reads what is there"},
    {NULL, "interval", 0, "a sensor reads what is there"},
    {"custom", NULL, 0, "numbers of the user have no meaning to the motion"},
    {"flag", NULL, 1, "the flag has no effect"},
    {"composite", NULL, 1, "left out: its bodies are missing"},
    {"flexcomp", NULL, 1, "left out: its bodies are missing"},
    {"attach", NULL, 1, "left out: its bodies are missing"},
    {"plugin", NULL, 1, "left out: it has no effect"},
    {"extension", NULL, 1, "left out: it has no effect"},
    {"deformable", NULL, 1, "left out: bodies are rigid"},
    {NULL, NULL, 0, NULL},
};

void trm_mjcf_read(trm_description *d, trm_xml *root)
{
    trm_mjcf mj = {.d = d, .root = root};
    root->used = 1;
    d->title = trm_xml_value(root, "model");
    trm_mjcf_include(&mj, root);
    if (d->status != TRM_OK) {
        return;
    }
    trm_mjcf_settings(&mj);
    trm_mjcf_keyframe(&mj);
    trm_mjcf_bodies(&mj);
    trm_mjcf_tendons(&mj);
    trm_mjcf_equalities(&mj);
    trm_mjcf_actuators(&mj);
    trm_mjcf_sensors(&mj);
    trm_mjcf_contacts(&mj);
    trm_lose_unread(d, root, words);
}
