// Frames: names in the model that they stand in, poses relative to others, and what they move with.

#include "scenes/import/sdf/sdf.h"

#include "bodies/rotation.h"

#include <string.h>

static const double degree = TRM_PI / 180;

int trm_sdf_flag(const trm_xml *node, const char *name, int otherwise)
{
    const trm_xml *const child = trm_xml_child(node, name);
    return child ? strstr(child->text, "true") || strchr(child->text, '1') : otherwise;
}

trm_frame trm_sdf_pose(trm_description *d, const trm_xml *pose)
{
    double x[7] = {0};
    const char *const format = pose ? trm_xml_value(pose, "rotation_format") : NULL;
    const char *const unit = pose ? trm_xml_value(pose, "degrees") : NULL;
    if (pose && format && !strcmp(format, "quat_xyzw")) {
        double q[4] = {1, 0, 0, 0};
        if (trm_describe_numbers(d, pose, NULL, 7, x)) {
            memcpy(q, (const double[4]){x[6], x[3], x[4], x[5]}, sizeof q);
        }
        if (!trm_unit_vector(4, q)) {
            TRM_REFUSE(d, pose, "its quaternion is zero");
            return trm_frame_identity();
        }
        return trm_frame_of(x, q);
    }
    if (format && strcmp(format, "euler_rpy") != 0) {
        TRM_REFUSE(d, pose, "rotation_format: expected euler_rpy or quat_xyzw, got \"%.40s\"",
                   format);
    }
    if (pose) {
        trm_describe_numbers(d, pose, NULL, 6, x);
    }
    for (int i = 3; i < 6 && unit && (!strcmp(unit, "true") || !strcmp(unit, "1")); i++) {
        x[i] *= degree;
    }
    return trm_frame_of_rpy(x, x + 3);
}

int trm_sdf_find(trm_sdf *s, const trm_xml *node, int in, const char *name)
{
    if (!name || !strcmp(name, "__model__")) {
        return in;
    }
    if (!strcmp(name, "world") || !strcmp(name, "__root__")) {
        return TRM_SDF_WORLD;
    }
    const char *const full = trm_describe_text(s->d, "%s%s", s->frames[in].prefix, name);
    const int found = trm_describe_named(s->d, node, NULL, &s->names, "frame", full);
    return found < 0 ? TRM_SDF_WORLD : found;
}

static const char *word_of(trm_sdf *s, const trm_xml *node, const char *child)
{
    return trm_describe_word(s->d, trm_xml_child(node, child));
}

const char *trm_sdf_name(const trm_sdf *s, int frame)
{
    return s->frames[frame].name + (frame > 1 ? s->skip : 0);
}

/// Frames stand in the model where nothing else is said, joints in their child.
static void find_base(trm_sdf *s, int i)
{
    trm_sdf_frame *const f = &s->frames[i];
    const char *const relative = f->pose ? trm_xml_value(f->pose, "relative_to") : NULL;
    f->attached = f->kind == TRM_SDF_LINK ? i : f->model;
    if (f->kind == TRM_SDF_JOINT) {
        const char *const child = word_of(s, f->node, "child");
        if (!child || !strcmp(child, "world")) {
            TRM_REFUSE(s->d, f->node,
                       child ? "the child of a joint moves; the world does not"
                             : "a joint has a parent and a child; there is no "
                               "<child>");
            return;
        }
        f->attached = trm_sdf_find(s, f->node, f->model, child);
    } else if (f->kind == TRM_SDF_FRAME) {
        const char *const to = trm_xml_value(f->node, "attached_to");
        f->attached = trm_sdf_find(s, f->node, f->model, to && *to ? to : NULL);
    }
    f->base = f->kind == TRM_SDF_JOINT || f->kind == TRM_SDF_FRAME ? f->attached : f->model;
    if (relative && *relative) {
        f->base = trm_sdf_find(s, f->pose, f->model, relative);
    }
    f->local = trm_sdf_pose(s->d, f->pose);
}

/// The pose of a model is that of its placement frame: local := pose (frame within the model)^-1.
/// Models within come later in the table, so that theirs are found when this runs backwards.
static void shift(trm_sdf *s, int model)
{
    trm_sdf_frame *const f = &s->frames[model];
    const trm_frame origin = trm_frame_identity();
    trm_frame within = origin;
    int at = f->placement ? trm_sdf_find(s, f->node, model, f->placement) : model, steps = 0;
    while (at != model && at != TRM_SDF_WORLD && steps++ <= s->nframes) {
        within = trm_frame_in(&s->frames[at].local, &within);
        at = s->frames[at].base;
    }
    if (at != model) {
        TRM_REFUSE(s->d, f->node, "the frame \"%.60s\" that places it does not stand in it",
                   f->placement);
        return;
    }
    const trm_frame back = trm_frame_from(&within, &origin);
    f->local = trm_frame_in(&f->local, &back);
}

/// Down the chain of bases to one that is known, then back up it.
static void place(trm_sdf *s, int i, int *chain)
{
    int n = 0;
    for (; s->frames[i].state != 2; i = s->frames[i].base) {
        if (s->frames[i].state == 1) {
            TRM_REFUSE(s->d, s->frames[i].node, "its pose is relative to itself, by way of others");
            return;
        }
        s->frames[i].state = 1;
        chain[n++] = i;
    }
    while (n-- > 0) {
        trm_sdf_frame *const f = &s->frames[chain[n]];
        f->place = trm_frame_in(&s->frames[f->base].place, &f->local);
        f->state = 2;
    }
}

/// The first link of a model or of those in it, or the one that it names.
static int canonical(trm_sdf *s, int model)
{
    const trm_sdf_frame *const f = &s->frames[model];
    const char *const name = trm_xml_value(f->node, "canonical_link");
    if (name && *name) {
        return trm_sdf_find(s, f->node, model, name);
    }
    const size_t n = strlen(f->prefix);
    for (int i = model + 1; i < s->nframes; i++) {
        if (strncmp(s->frames[i].name, f->prefix, n) != 0) {
            break;
        }
        if (s->frames[i].kind == TRM_SDF_LINK) {
            return i;
        }
    }
    return TRM_SDF_WORLD;
}

int trm_sdf_link_of(trm_sdf *s, const trm_xml *node, int frame)
{
    for (int steps = 0; steps <= s->nframes; steps++) {
        const trm_sdf_frame *const f = &s->frames[frame];
        if (frame == TRM_SDF_WORLD) {
            return TRM_LINK_GROUND;
        }
        if (f->kind == TRM_SDF_LINK) {
            return f->link;
        }
        frame = f->kind == TRM_SDF_MODEL ? canonical(s, frame) : f->attached;
    }
    TRM_REFUSE(s->d, node, "a frame is attached to itself, by way of others");
    return TRM_LINK_GROUND;
}

void trm_sdf_places(trm_sdf *s)
{
    int *const chain = trm_pool_take(s->d->pool, (size_t)s->nframes, sizeof *chain);
    if (!chain) {
        trm_describe_no_memory(s->d);
        return;
    }
    for (int i = 1; i < s->nframes && s->d->status == TRM_OK; i++) {
        find_base(s, i);
    }
    for (int i = s->nframes - 1; i > 0 && s->d->status == TRM_OK; i--) {
        if (s->frames[i].kind == TRM_SDF_MODEL && s->frames[i].placement) {
            shift(s, i);
        }
    }
    for (int i = 1; i < s->nframes && s->d->status == TRM_OK; i++) {
        place(s, i, chain);
    }
}
