// Attributes of MJCF elements, with the classes of defaults behind them.

#include "scenes/import/mjcf/mjcf.h"

#include "bodies/rotation.h"
#include "bodies/vector.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

static trm_xml *find_class(trm_xml *at, const char *name)
{
    const char *const own = trm_xml_value(at, "class");
    if (own && !strcmp(own, name)) {
        return at;
    }
    for (trm_xml *child = at->child; child; child = child->next) {
        trm_xml *const found = trm_xml_is(child, "default") ? find_class(child, name) : NULL;
        if (found) {
            return found;
        }
    }
    return NULL;
}

trm_xml *trm_mjcf_class(trm_mjcf *mj, const trm_xml *node, const char *name, trm_xml *of)
{
    trm_xml *const found = name && mj->defaults ? find_class(mj->defaults, name) : NULL;
    if (name && !found && strcmp(name, "main") != 0) {
        TRM_REFUSE(mj->d, node, "there is no class \"%.60s\" among the defaults", name);
    }
    return !name ? of : found ? found : mj->defaults;
}

trm_mjcf_node trm_mjcf_node_of(trm_mjcf *mj, trm_xml *node, trm_xml *of_class, const char *tag)
{
    trm_xml *const above = of_class ? of_class : mj->defaults;
    node->used = 1;
    return (trm_mjcf_node){.mj = mj,
                           .node = node,
                           .of_class =
                               trm_mjcf_class(mj, node, trm_xml_value(node, "class"), above),
                           .tag = tag ? tag : node->name,
                           .suffix = ""};
}

const char *trm_mjcf_value(const trm_mjcf_node *e, const char *name)
{
    const char *found = trm_xml_value(e->node, name);
    for (trm_xml *at = e->of_class; at && trm_xml_is(at, "default"); at = at->up) {
        at->used = 1;
        trm_xml *const of_tag = trm_xml_child(at, e->tag);
        found = !found && of_tag ? trm_xml_value(of_tag, name) : found;
    }
    return found;
}

int trm_mjcf_vector(const trm_mjcf_node *e, const char *name, int least, int most, double *out)
{
    const char *const text = trm_mjcf_value(e, name);
    if (!text) {
        return 0;
    }
    const int n = trm_xml_numbers(text, most, out);
    if (n < least) {
        TRM_REFUSE(e->mj->d, e->node, "%s: expected %d number%s, got \"%.60s\"", name, least,
                   least == 1 ? "" : "s", text);
        memset(out, 0, (size_t)most * sizeof *out);
        return 0;
    }
    return n;
}

double trm_mjcf_number(const trm_mjcf_node *e, const char *name, double otherwise)
{
    double x = otherwise;
    return trm_mjcf_vector(e, name, 1, 1, &x) ? x : otherwise;
}

int trm_mjcf_word(const trm_mjcf_node *e, const char *name, const char *const *words, int otherwise)
{
    const char *const text = trm_mjcf_value(e, name);
    if (!text) {
        return otherwise;
    }
    for (int i = 0; words[i]; i++) {
        if (!strcmp(words[i], text)) {
            return i;
        }
    }
    TRM_REFUSE(e->mj->d, e->node, "%s: \"%.60s\" is none of its words; the first is \"%s\"", name,
               text, words[0]);
    return otherwise;
}

double trm_mjcf_angle(const trm_mjcf *mj, double x)
{
    return mj->compiler.degrees ? x * TRM_PI / 180 : x;
}

const char *trm_mjcf_name(const trm_mjcf_node *e)
{
    const char *const name = trm_xml_value(e->node, "name");
    return name && e->suffix && *e->suffix ? trm_describe_text(e->mj->d, "%s%s", name, e->suffix)
                                           : name;
}

// ---------------------------------------------------------------------------------------- places

/// Small letters turn about axes that turn along, large ones about those of the parent.
static void from_euler(const trm_mjcf *mj, const double angles[3], double q[4])
{
    memcpy(q, (const double[4]){1}, 4 * sizeof *q);
    for (int i = 0; i < 3; i++) {
        const char letter = mj->compiler.sequence[i];
        double axis[3] = {0}, one[4];
        axis[tolower((unsigned char)letter) - 'x'] = 1;
        trm_quaternion_from_axis(axis, trm_mjcf_angle(mj, angles[i]), one);
        trm_quaternion_product(isupper((unsigned char)letter) ? one : q,
                               isupper((unsigned char)letter) ? q : one, q);
    }
}

/// x by its direction; of y the part across x.
static int from_axes(const double axes[6], double q[4])
{
    double R[9], x[3], y[3], z[3], distance;
    memcpy(x, axes, sizeof x);
    const int ok = trm_unit_vector(3, x);
    const double along = dot(x, axes + 3);
    for (int i = 0; i < 3; i++) {
        y[i] = axes[3 + i] - along * x[i];
    }
    if (!ok || !trm_unit_vector(3, y)) {
        return 0;
    }
    cross(x, y, z);
    for (int i = 0; i < 3; i++) {
        R[3 * i] = x[i];
        R[3 * i + 1] = y[i];
        R[3 * i + 2] = z[i];
    }
    return trm_quaternion_from_matrix(R, q, &distance);
}

/// The smallest rotation from the z axis.
static int from_z(const double axis[3], double q[4])
{
    double u[3] = {axis[0], axis[1], axis[2]};
    if (!trm_unit_vector(3, u)) {
        return 0;
    }
    const double across[3] = {-u[1], u[0], 0}, s = hypot(u[0], u[1]);
    trm_quaternion_from_axis(s > 0 ? across : (const double[3]){1, 0, 0}, atan2(s, u[2]), q);
    return 1;
}

static void read_orientation(const trm_mjcf_node *e, double q[4])
{
    double x[6];
    int ok = 1;
    memcpy(q, (const double[4]){1}, 4 * sizeof *q);
    if (trm_mjcf_vector(e, "quat", 4, 4, x)) {
        memcpy(q, x, 4 * sizeof *q);
        ok = trm_unit_vector(4, q);
    }
    if (trm_mjcf_vector(e, "axisangle", 4, 4, x)) {
        double axis[3] = {x[0], x[1], x[2]};
        ok = ok && trm_unit_vector(3, axis);
        trm_quaternion_from_axis(x, trm_mjcf_angle(e->mj, x[3]), q);
    }
    if (trm_mjcf_vector(e, "euler", 3, 3, x)) {
        from_euler(e->mj, x, q);
    }
    if (trm_mjcf_vector(e, "xyaxes", 6, 6, x)) {
        ok = ok && from_axes(x, q);
    }
    if (trm_mjcf_vector(e, "zaxis", 3, 3, x)) {
        ok = ok && from_z(x, q);
    }
    if (!ok) {
        TRM_REFUSE(e->mj->d, e->node, "its orientation has an axis or a quaternion of zeros");
        memcpy(q, (const double[4]){1}, 4 * sizeof *q);
    }
}

trm_frame trm_mjcf_place(const trm_mjcf_node *e)
{
    double p[3] = {0}, q[4], line[6];
    trm_mjcf_vector(e, "pos", 3, 3, p);
    read_orientation(e, q);
    if (!trm_xml_is(e->node, "body") && trm_mjcf_vector(e, "fromto", 6, 6, line)) {
        double along[3];
        subtract(line, line + 3, along);
        add(line, line + 3, p);
        scale(0.5, p, p);
        if (!from_z(along, q)) {
            TRM_REFUSE(e->mj->d, e->node, "fromto: both points are the same");
        }
    }
    return trm_frame_of(p, q);
}

int trm_mjcf_limited(const trm_mjcf_node *e, const char *flag, const char *range, double out[2])
{
    static const char *const words[] = {"false", "true", "auto", NULL};
    const int given = trm_mjcf_vector(e, range, 2, 2, out);
    const int limited = trm_mjcf_word(e, flag, words, 2);
    if (limited == 2 && given && !e->mj->compiler.autolimits) {
        TRM_REFUSE(e->mj->d, e->node, "%s without %s, and autolimits is false; give %s", range,
                   flag, flag);
    }
    if (limited == 1 && !given) {
        TRM_REFUSE(e->mj->d, e->node, "%s is true, and there is no %s", flag, range);
    }
    if (limited != 0 && given && !(out[0] < out[1])) {
        TRM_REFUSE(e->mj->d, e->node, "%s: the first number is below the second, got %g %g", range,
                   out[0], out[1]);
    }
    return given && limited != 0;
}

// ------------------------------------------------------------------------------------- by a name

/// Tables are made when the first name is asked for: by then the list is whole.
static int by_name(const trm_mjcf_node *e, const char *attribute, const char *what,
                   const void *list, int n, size_t size, trm_names *names)
{
    trm_description *const d = e->mj->d;
    const char *const name = trm_mjcf_value(e, attribute);
    if (!names->slots) {
        trm_describe_names(d, list, n, size, names);
    }
    return trm_describe_named(d, e->node, attribute, names, what, name);
}

#define NAMED(e, attribute, what, list)                                                            \
    by_name((e), (attribute), (what), (e)->mj->d->list, (e)->mj->d->n##list,                       \
            sizeof *(e)->mj->d->list, &(e)->mj->list)

int trm_mjcf_link(const trm_mjcf_node *e, const char *attribute)
{
    const char *const name = trm_mjcf_value(e, attribute);
    return !name || !strcmp(name, "world") ? TRM_LINK_GROUND : NAMED(e, attribute, "body", links);
}

int trm_mjcf_joint(const trm_mjcf_node *e, const char *attribute)
{
    const int found = NAMED(e, attribute, "joint", joints);
    if (found >= 0 && e->mj->d->joints[found].type != TRM_LINK_HINGE &&
        e->mj->d->joints[found].type != TRM_LINK_SLIDE) {
        return -1;
    }
    return found;
}

int trm_mjcf_site(const trm_mjcf_node *e, const char *attribute)
{
    return NAMED(e, attribute, "site", points);
}

int trm_mjcf_tendon(const trm_mjcf_node *e, const char *attribute)
{
    return NAMED(e, attribute, "tendon", tendons);
}
