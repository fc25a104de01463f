// The scene: its head, bodies, markers, joints and couplings.

#include "scenes/import/writer/writer.h"

#include "bodies/rotation.h"
#include "bodies/vector.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void group(trm_writer *w, const char *name)
{
    trm_putf(w->out, ",\n  \"%s\": [", name);
    w->first = 1;
}

static void end_group(trm_writer *w)
{
    trm_put(w->out, w->first ? "]" : "\n  ]");
}

// ----------------------------------------------------------------------------------------- bodies

static void put_inertia(trm_text_buffer *out, const double I[9])
{
    const double diagonal[3] = {I[0], I[4], I[8]};
    const double off = fabs(I[1]) + fabs(I[2]) + fabs(I[5]);
    trm_put(out, ", \"inertia\": ");
    if (off < 1e-15 * (I[0] + I[4] + I[8])) {
        trm_put_vector(out, 3, diagonal);
        return;
    }
    for (int i = 0; i < 3; i++) {
        trm_put(out, i > 0 ? ", " : "[");
        trm_put_vector(out, 3, I + 3 * i);
    }
    trm_put(out, "]");
}

static void put_orientation(trm_text_buffer *out, const double R[9])
{
    double q[4], distance;
    trm_quaternion_from_matrix(R, q, &distance);
    const double side = fabs(q[1]) + fabs(q[2]) + fabs(q[3]);
    if (side > 1e-16) {
        trm_put_key_vector(out, "quat_wxyz", 4, q);
    }
}

static void put_velocity(trm_text_buffer *out, const trm_link *link)
{
    double v[3];
    add(link->drift, cross(link->turn, link->mass.centre, v), v);
    if (dot(v, v) > 0) {
        trm_put_key_vector(out, "velocity", 3, v);
    }
    if (dot(link->turn, link->turn) > 0) {
        trm_put_key_vector(out, "rate_world", 3, link->turn);
    }
}

// ------------------------------------------------------------------------------------------ looks

/// Those of links that are fixed to others, or to the ground, with theirs; in the order of the
/// file.
static void gather_looks(trm_description *d)
{
    trm_look *left = d->ground_looks, *next;
    d->ground_looks = NULL;
    for (int i = -1; i < d->nlinks; left = ++i < d->nlinks ? d->links[i].looks : NULL) {
        const int on = trm_carrier(d, i);
        trm_look **const to = on < 0 ? &d->ground_looks : &d->links[on].looks;
        if (on == i && i >= 0) {
            *to = NULL;
        }
        for (; left; left = next) {
            next = left->next;
            left->next = *to;
            *to = left;
        }
    }
}

/// Why a scene does not show it; "": it does.
static const char *why_hidden(trm_description *d, const trm_look *look)
{
    const int numbers = look->kind == TRM_LOOK_SPHERE                                       ? 1
                        : look->kind == TRM_LOOK_CYLINDER || look->kind == TRM_LOOK_CAPSULE ? 2
                                                                                            : 3;
    for (int i = 0; i < numbers; i++) {
        if (!(look->size[i] > 0) && !(look->kind == TRM_LOOK_MESH && look->size[i] < 0)) {
            return "it is not drawn: its size is not above 0";
        }
    }
    return look->kind != TRM_LOOK_MESH ? ""
           : look->file                ? trm_mesh_wrong(d, look->file)
                                       : "it is not drawn: it names no file";
}

static int is_shown(trm_description *d, const trm_look *look)
{
    const int none = look->is_hidden || look->kind == TRM_LOOK_PLANE;
    const char *const why = none ? "" : why_hidden(d, look);
    if (why[0]) {
        trm_lose(d, look->from, NULL, 0, why);
    }
    return !none && !why[0];
}

static void put_shape(trm_text_buffer *out, const trm_look *look)
{
    static const char *const sizes[] = {"radius", "size", "radius", "radius", "semi_axes", "scale"};
    const trm_look_kind kind = look->kind;
    if (kind == TRM_LOOK_MESH) {
        trm_put(out, ", \"file\": ");
        trm_put_quoted(out, look->file);
    }
    if (kind == TRM_LOOK_BOX || kind == TRM_LOOK_ELLIPSOID || kind == TRM_LOOK_MESH) {
        trm_put_key_vector(out, sizes[kind], 3, look->size);
    } else {
        trm_put_key_number(out, sizes[kind], look->size[0]);
    }
    if (kind == TRM_LOOK_CYLINDER || kind == TRM_LOOK_CAPSULE) {
        trm_put_key_number(out, "length", look->size[1]);
    }
}

static void put_looks(trm_writer *w, const trm_look *look, const trm_frame *body)
{
    static const char *const types[] = {"sphere",  "box",       "cylinder",
                                        "capsule", "ellipsoid", "mesh"};
    int n = 0;
    for (; look; look = look->next) {
        if (is_shown(w->d, look)) {
            const trm_frame place = trm_frame_from(body, &look->place);
            trm_putf(w->out, "%s{\"type\": \"%s\"", n++ ? ", " : ", \"shapes\": [",
                     types[look->kind]);
            put_shape(w->out, look);
            trm_put_key_vector(w->out, "on", 3, place.p);
            put_orientation(w->out, place.R);
            if (look->is_coloured) {
                double rgba[4];
                for (int i = 0; i < 4; i++) {
                    rgba[i] = fmin(1, fmax(0, look->rgba[i]));
                }
                trm_put_key_vector(w->out, "rgba", 4, rgba);
            }
            trm_put(w->out, "}");
        }
    }
    trm_put(w->out, n ? "]" : "");
}

static void write_body(trm_writer *w, int i)
{
    trm_description *const d = w->d;
    const trm_link *const link = &d->links[i];
    const trm_frame origin = trm_frame_identity();
    trm_frame turn = link->place;
    memset(turn.p, 0, sizeof turn.p);
    const trm_frame back = trm_frame_from(&turn, &origin);
    const trm_mass own = trm_mass_in(&back, &link->mass);
    const char *const wrong = trm_mass_judge(&link->mass);
    if (wrong) {
        TRM_REFUSE(d, link->from, "%s", wrong);
        return;
    }
    trm_writer_entry(w, w->links[i]);
    trm_put_key_number(w->out, "mass", own.mass);
    trm_put_key_vector(w->out, "position", 3, link->mass.centre);
    put_orientation(w->out, link->place.R);
    put_inertia(w->out, own.inertia);
    put_velocity(w->out, link);
    memcpy(turn.p, link->mass.centre, sizeof turn.p);
    put_looks(w, link->looks, &turn);
    trm_put(w->out, "}");
}

/// Points of the model, and the frames of links that are part of others.
static void write_markers(trm_writer *w)
{
    const trm_description *const d = w->d;
    for (int i = 0; i < d->nlinks; i++) {
        if (d->links[i].carrier != i) {
            trm_writer_entry(w, w->links[i]);
            trm_putf(w->out, ", \"body\": \"%s\"", trm_writer_link(w, i));
            trm_put_key_vector(w->out, "at", 3, d->links[i].place.p);
            trm_put(w->out, "}");
        }
    }
    for (int i = 0; i < d->npoints; i++) {
        trm_writer_entry(w, w->marks[i]);
        trm_putf(w->out, ", \"body\": \"%s\"", trm_writer_link(w, d->points[i].link));
        trm_put_key_vector(w->out, "at", 3, d->points[i].place.p);
        trm_put(w->out, "}");
    }
}

// ----------------------------------------------------------------------------------------- joints

static const char *type_of(trm_link_type type)
{
    static const char *const names[] = {
        [TRM_LINK_HINGE] = "revolute", [TRM_LINK_SLIDE] = "prismatic",
        [TRM_LINK_BALL] = "spherical", [TRM_LINK_WELD] = "weld",
        [TRM_LINK_PLANAR] = "planar",  [TRM_LINK_UNIVERSAL] = "universal"};
    return names[type];
}

static int coincide(const double a[3], const double b[3])
{
    double d[3];
    subtract(a, b, d);
    return dot(d, d) <= 1e-24 * (1 + dot(a, a));
}

static void put_points(trm_writer *w, const trm_link_joint *joint)
{
    trm_put(w->out, ", \"at\": ");
    if (coincide(joint->point[0], joint->point[1])) {
        trm_put_vector(w->out, 3, joint->point[0]);
        return;
    }
    w->d->assemble = 1;
    trm_put(w->out, "[");
    trm_put_vector(w->out, 3, joint->point[0]);
    trm_put(w->out, ", ");
    trm_put_vector(w->out, 3, joint->point[1]);
    trm_put(w->out, "]");
}

static void put_laws(trm_writer *w, const trm_link_joint *joint)
{
    if (joint->limited) {
        const double limits[2] = {joint->limits[0] - joint->start, joint->limits[1] - joint->start};
        if (limits[0] <= 0 && limits[1] >= 0) {
            for (int end = 0; end < 2; end++) {
                trm_put(w->out, end ? ", " : ", \"limits\": [");
                if (fabs(joint->limits[end]) < TRM_NO_LIMIT) {
                    trm_put_number(w->out, limits[end]);
                } else {
                    trm_put(w->out, "null");
                }
            }
            trm_put(w->out, "]");
        } else {
            trm_lose(w->d, joint->from, "range", 1,
                     "left out, since the start lies outside; start from a pose within");
        }
    }
    if (joint->friction > 0) {
        trm_put_key_number(w->out, "friction", joint->friction);
    }
    if (joint->armature > 0) {
        trm_put_key_number(w->out, "armature", joint->armature);
    }
}

static void trm_write_joints(trm_writer *w)
{
    for (int i = 0; i < w->d->njoints; i++) {
        const trm_link_joint *const joint = &w->d->joints[i];
        const int has_axis = joint->type != TRM_LINK_BALL && joint->type != TRM_LINK_WELD;
        trm_writer_entry(w, w->joints[i]);
        trm_putf(w->out, ", \"type\": \"%s\", \"bodies\": [\"%s\", \"%s\"]", type_of(joint->type),
                 trm_writer_link(w, joint->a), trm_writer_link(w, joint->b));
        put_points(w, joint);
        if (has_axis) {
            trm_put_key_vector(w->out, "axis", 3, joint->axis);
        }
        if (joint->type == TRM_LINK_UNIVERSAL) {
            trm_put_key_vector(w->out, "axis2", 3, joint->axis2);
        }
        put_laws(w, joint);
        trm_put(w->out, "}");
    }
}

// -------------------------------------------------------------------------------------- couplings

/// b of y = sum b_k x^k, where (y + sy) = sum a_k (x + sx)^k: Horner's scheme on polynomials.
static void shift(const double a[TRM_POLYNOMIAL], double sx, double sy, double b[TRM_POLYNOMIAL])
{
    memset(b, 0, TRM_POLYNOMIAL * sizeof *b);
    for (int k = TRM_POLYNOMIAL - 1; k >= 0; k--) {
        for (int i = TRM_POLYNOMIAL - 1; i >= 0; i--) { // b := b (x + sx) + a_k
            b[i] = b[i] * sx + (i > 0 ? b[i - 1] : a[k]);
        }
    }
    b[0] -= sy;
}

static void put_sum(trm_writer *w, int n, const double *coefficients, double constant)
{
    trm_put_key_vector(w->out, "coefficients", n, coefficients);
    trm_put_key_number(w->out, "constant", constant);
    w->d->assemble |= fabs(constant) > 1e-12;
}

static void put_relation(trm_writer *w, const trm_link_coupling *one)
{
    const trm_link_joint *const joints = w->d->joints;
    double moved[TRM_TENDON_POINTS] = {0}, constant = one->constant, b[TRM_POLYNOMIAL];
    for (int i = 0; i < one->n; i++) {
        moved[i] = joints[one->joints[i]].start - joints[one->joints[i]].zero;
        constant -= one->coefficients[i] * moved[i];
    }
    if (!one->is_polynomial) {
        put_sum(w, one->n, one->coefficients, constant);
        return;
    }
    shift(one->polynomial, one->n > 1 ? moved[1] : 0, moved[0], b);
    if (one->n == 1) {
        put_sum(w, 1, (const double[]){1}, one->polynomial[0] - moved[0]);
        return;
    }
    int n = TRM_POLYNOMIAL;
    while (n > 2 && b[n - 1] == 0) {
        n--;
    }
    trm_put_key_vector(w->out, "polynomial", n, b);
    w->d->assemble |= fabs(b[0]) > 1e-12;
}

static void trm_write_couplings(trm_writer *w)
{
    for (int i = 0; i < w->d->ncouplings; i++) {
        const trm_link_coupling *const one = &w->d->couplings[i];
        trm_writer_entry(w, w->couplings[i]);
        trm_put(w->out, ", \"type\": \"coupling\", \"joints\": [");
        for (int k = 0; k < one->n; k++) {
            trm_putf(w->out, "%s\"%s\"", k > 0 ? ", " : "", w->joints[one->joints[k]]);
        }
        trm_put(w->out, "]");
        put_relation(w, one);
        trm_put(w->out, "}");
    }
}

// --------------------------------------------------------------------------------------- contacts

static void write_shape(trm_writer *w, const trm_look *shape, int point)
{
    static const char *const types[] = {"sphere",    "box", "cylinder", "rod",
                                        "ellipsoid", NULL,  "plane"};
    const double *const R = shape->place.R, *const size = shape->size;
    const double along_x[9] = {R[2], R[0], R[1], R[5], R[3], R[4], R[8], R[6], R[7]};
    const int is_long = shape->kind == TRM_LOOK_CYLINDER || shape->kind == TRM_LOOK_CAPSULE;
    trm_putf(w->out, "{\"type\": \"%s\", \"at\": \"%s\"", types[shape->kind], w->marks[point]);
    if (shape->kind == TRM_LOOK_PLANE) {
        trm_put_key_vector(w->out, "normal", 3, (const double[]){R[2], R[5], R[8]});
    } else if (shape->kind == TRM_LOOK_BOX || shape->kind == TRM_LOOK_ELLIPSOID) {
        trm_put_key_vector(w->out, shape->kind == TRM_LOOK_BOX ? "size" : "semi_axes", 3, size);
    } else {
        trm_put_key_number(w->out, "radius", size[0]);
    }
    if (is_long) {
        trm_put_key_number(w->out, "length", size[1]);
    }
    if (shape->kind != TRM_LOOK_PLANE && shape->kind != TRM_LOOK_SPHERE) {
        double q[4], distance;
        trm_quaternion_from_matrix(shape->kind == TRM_LOOK_CAPSULE ? along_x : R, q, &distance);
        trm_put_key_vector(w->out, "quat_wxyz", 4, q); // of the world: the body may be turned
    }
    trm_put(w->out, "}");
}

static const char *name_of_shape(const trm_writer *w, const trm_link_touch *of, int side)
{
    const char *const own = of->shape[side]->name;
    return own ? own : trm_writer_link(w, of->link[side]);
}

static void write_contacts(trm_writer *w)
{
    for (int i = 0; i < w->d->ntouches; i++) {
        const trm_link_touch *const one = &w->d->touches[i];
        char under[80];
        snprintf(under, sizeof under, "_%.60s", name_of_shape(w, one, 1));
        trm_writer_entry(w, trm_writer_element(w, name_of_shape(w, one, 0), under));
        trm_putf(w->out, ", \"bodies\": [\"%s\", \"%s\"], \"shapes\": [",
                 trm_writer_link(w, one->link[0]), trm_writer_link(w, one->link[1]));
        write_shape(w, one->shape[0], one->point[0]);
        trm_put(w->out, ", ");
        write_shape(w, one->shape[1], one->point[1]);
        trm_put(w->out, "]");
        const struct {
            const char *key;
            double value;
        } laws[] = {{"friction", one->friction},
                    {"spinning", one->spinning},
                    {"rolling", one->rolling},
                    {"restitution", one->restitution}};
        for (size_t k = 0; k < sizeof laws / sizeof *laws; k++) {
            if (laws[k].value > 0) {
                trm_put_key_number(w->out, laws[k].key, laws[k].value);
            }
        }
        trm_put(w->out, "}");
    }
}

// --------------------------------------------------------------------------------------- the scene

static void write_groups(trm_writer *w)
{
    static const struct {
        const char *name;
        void (*write)(trm_writer *w);
    } groups[] = {{"markers", write_markers},           {"joints", trm_write_joints},
                  {"constraints", trm_write_couplings}, {"forces", trm_write_forces},
                  {"stops", trm_write_stops},           {"contacts", write_contacts}};
    group(w, "bodies");
    for (int i = 0; i < w->d->nlinks && w->d->status == TRM_OK; i++) {
        if (w->d->links[i].carrier == i) {
            write_body(w, i);
        }
    }
    end_group(w);
    for (size_t i = 0; i < sizeof groups / sizeof *groups; i++) {
        const size_t before = w->out->used;
        group(w, groups[i].name);
        groups[i].write(w);
        if (w->first && !w->out->failed) { // an empty group says nothing
            w->out->used = before;
            w->out->data[before] = '\0';
        } else {
            end_group(w);
        }
    }
}

void trm_write_scene(trm_description *d, trm_text_buffer *out)
{
    trm_writer w = {.d = d, .out = out};
    const trm_frame origin = trm_frame_identity();
    if (d->status == TRM_OK) {
        trm_describe_touches(d);
        gather_looks(d);
        trm_hint_masses(d);
    }
    if (d->status == TRM_OK) {
        trm_writer_names(&w);
    }
    if (d->status != TRM_OK) {
        return;
    }
    trm_put(out, "{\n  \"$schema\": \"scene.schema.json\",\n  \"title\": ");
    trm_put_quoted(out, d->title ? d->title : "");
    trm_put(out, ",\n  \"dimension\": 3");
    trm_write_inputs(&w);
    trm_write_definitions(&w);
    trm_put(out, ",\n  \"gravity\": ");
    trm_put_vector(out, 3, d->gravity);
    put_looks(&w, d->ground_looks, &origin);
    write_groups(&w);
    trm_write_outputs(&w);
    if (d->assemble) {
        trm_put(out, ",\n  \"assemble\": true");
    }
    trm_put(out, ",\n  \"simulation\": {\"end\": 10, \"every\": 0.02}\n}\n");
    if (out->failed) {
        trm_describe_no_memory(d);
    }
}
