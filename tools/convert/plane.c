#include "tools/convert/plane.h"

#include "program/settings.h"
#include "program/view.h"
#include "tools/common/output.h"
#include "trammel/trammel_error.h"
#include "trammel/trammel_model.h"

#include <cjson/cJSON.h>
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// Lengths and directions that agree to nine digits of the mechanism count as equal, as in
/// trm_scene_plane.
static const double equal = 1e-9;

typedef struct plane {
    const trm_scene *scene;
    const trm_model *model;
    trm_scene_view view;
    double e[2][3], n[3]; ///< its axes, and across
    double *q, *v;        ///< of the start
    double size;          ///< m, of the mechanism
    const char *where;
    trm_error *err;
} plane;

static double dot3(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void cross3(const double a[3], const double b[3], double out[3])
{
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        out[i] = a[j] * b[k] - a[k] * b[j];
    }
}

/// out := a / |a|, axes of the world exactly.
static void normalize(const double a[3], double out[3])
{
    const double length = sqrt(dot3(a, a));
    for (int i = 0; i < 3; i++) {
        const double x = a[i] / length, whole = round(x);
        out[i] = fabs(x - whole) < 1e-15 ? whole : x;
    }
}

static trm_status refuse(const plane *p, const char *name, const char *why)
{
    return TRM_FAIL(p->err, TRM_ERR_SCENE, p->where, "%s cannot be carried to the plane: %s", name,
                    why);
}

static trm_status no_memory(const plane *p)
{
    return TRM_FAIL(p->err, TRM_ERR_MEMORY, p->where, "out of memory");
}

// ------------------------------------------------------------------------------------- the plane

/// y is up, or as near to the world's y or z axis as it may be; x goes to the right if it can.
static void choose_axes(plane *p)
{
    double up[3], x[3];
    for (int i = 0; i < 3; i++) {
        up[i] = -p->view.gravity[i];
    }
    normalize(p->n, p->n);
    for (int k = 1; k <= 2; k++) {
        const double along = dot3(up, p->n), length = sqrt(dot3(up, up));
        for (int i = 0; i < 3; i++) {
            up[i] -= along * p->n[i];
        }
        if (sqrt(dot3(up, up)) > 1e-6 * length) {
            break;
        }
        const double axis[3] = {0, fabs(p->n[1]) < 0.5, fabs(p->n[1]) >= 0.5};
        memcpy(up, axis, sizeof up);
    }
    normalize(up, p->e[1]);
    cross3(p->e[1], p->n, x);
    const double turn = x[0] + 0.5 * x[1] + 0.25 * x[2] < 0 ? -1 : 1;
    for (int i = 0; i < 3; i++) {
        p->n[i] *= turn;
        x[i] *= turn;
    }
    normalize(x, p->e[0]);
}

static void turned(const plane *p, int body, const double local[3], double out[3])
{
    const trm_body_info info = body >= 0 ? trm_model_body_info(p->model, body) : (trm_body_info){0};
    memcpy(out, local, 3 * sizeof *out);
    if (info.nq == 7) { // local + 2 w (u x local) + 2 u x (u x local)
        const double *const quaternion = p->q + info.q0 + 3;
        double once[3], twice[3];
        cross3(quaternion + 1, local, once);
        cross3(quaternion + 1, once, twice);
        for (int i = 0; i < 3; i++) {
            out[i] += 2 * (quaternion[0] * once[i] + twice[i]);
        }
    }
}

static void place_of(const plane *p, int body, const double local[3], double out[3])
{
    turned(p, body, local, out);
    for (int i = 0; i < 3 && body >= 0; i++) {
        out[i] += p->q[trm_model_body_info(p->model, body).q0 + i];
    }
}

static cJSON *pair(const plane *p, const double x[3])
{
    return cJSON_CreateDoubleArray((double[]){dot3(p->e[0], x) + 0, dot3(p->e[1], x) + 0}, 2);
}

// -------------------------------------------------------------------------------------- formulas

static int marker_named(const plane *p, const char *name, size_t length)
{
    for (int i = 0; i < p->view.nmarkers; i++) {
        const char *const known = trm_scene_marker_info(p->scene, i).name;
        if (strlen(known) == length && strncmp(known, name, length) == 0) {
            return i;
        }
    }
    return -1;
}

static double height_of(const plane *p, int marker)
{
    const trm_marker_info m = trm_scene_marker_info(p->scene, marker);
    double place[3];
    place_of(p, m.body, m.local, place);
    return dot3(p->n, place);
}

/// Whether it is a marker, or a body, which stands for its centre; and its height above the plane
/// through the origin.
static int is_point(const plane *p, const char *name, size_t length, double *height)
{
    const int marker = marker_named(p, name, length);
    int body = 0;
    if (marker >= 0) {
        *height = height_of(p, marker);
        return 1;
    }
    for (; body < p->view.nbodies; body++) {
        const trm_body_info info = trm_model_body_info(p->model, body);
        if (strlen(info.name) == length && strncmp(info.name, name, length) == 0) {
            *height = dot3(p->n, p->q + info.q0);
            return 1;
        }
    }
    return 0;
}

static trm_joint_view joint_named(const plane *p, const char *name, size_t length)
{
    int j = 0;
    const char *known = trm_view_joint(p->scene, 0).name;
    while (known && (strlen(known) != length || strncmp(known, name, length) != 0)) {
        known = trm_view_joint(p->scene, ++j).name;
    }
    return trm_view_joint(p->scene, j);
}

/// Of joints that turn or slide otherwise the coordinates mean something else in the plane.
static int has_one_freedom(const plane *p, const char *name, size_t length)
{
    const trm_joint_view j = joint_named(p, name, length);
    return !j.name || !strcmp(j.type, "revolute") || !strcmp(j.type, "prismatic");
}

/// What a name with a point stands for: a marker's component is that of its two in the plane.
static trm_status write_variable(const plane *p, const char *name, size_t length, const char *part,
                                 size_t part_length, FILE *out)
{
    static const char *const kept[] = {"angle",  "position", "slide",  "rate",
                                       "switch", "motor",    "effort", "current"};
    const int rate = part[0] == 'v';
    double height;
    const size_t axis = (size_t)(part[rate] - 'x');
    if (part_length == (size_t)rate + 1 && axis < 3 && is_point(p, name, length, &height)) {
        fputc('(', out);
        for (int k = 0; k < 2; k++) {
            if (p->e[k][axis] != 0) {
                fprintf(out, "%+.17g*%.*s.%s%c", p->e[k][axis], (int)length, name, rate ? "v" : "",
                        'x' + k);
            }
        }
        fprintf(out, "%+.17g)", rate ? 0 : p->n[axis] * height);
        return TRM_OK;
    }
    // angles and rates of a body of this name would come before those of the joint
    const int joint = has_one_freedom(p, name, length) && !is_point(p, name, length, &height);
    for (size_t i = 0; i < sizeof kept / sizeof *kept && joint; i++) {
        if (strlen(kept[i]) == part_length && strncmp(kept[i], part, part_length) == 0) {
            fprintf(out, "%.*s.%.*s", (int)length, name, (int)part_length, part);
            return TRM_OK;
        }
    }
    char whole[128];
    snprintf(whole, sizeof whole, "%.*s.%.*s", (int)length, name, (int)part_length, part);
    return refuse(p, whole, "it is not a coordinate of a marker or a joint");
}

static size_t word_at(const char *text)
{
    size_t n = 0;
    while (isalnum((unsigned char)text[n]) || text[n] == '_') {
        n++;
    }
    return n;
}

static trm_status write_formula(const plane *p, const char *text, FILE *out)
{
    while (*text) {
        const size_t n = word_at(text);
        const int is_name = n > 0 && !isdigit((unsigned char)*text);
        if (is_name && text[n] == '.' && word_at(text + n + 1) > 0) {
            const char *const part = text + n + 1;
            const size_t length = word_at(part);
            TRM_TRY(write_variable(p, text, n, part, length, out));
            text = part + length;
        } else {
            fprintf(out, "%.*s", n > 0 ? (int)n : 1, text);
            text += n > 0 ? n : 1;
        }
    }
    return TRM_OK;
}

/// A number or a formula, times `factor`, behind what stands there.
static trm_status write_value(const plane *p, double factor, const cJSON *item, FILE *out)
{
    fprintf(out, factor == 1 ? "+(" : "%+.17g*(", factor);
    if (cJSON_IsString(item)) {
        TRM_TRY(write_formula(p, item->valuestring, out));
    } else {
        fprintf(out, "%.17g", cJSON_GetNumberValue(item));
    }
    fputc(')', out);
    return TRM_OK;
}

/// The component of a vector of formulas along a direction.
static trm_status component(const plane *p, const cJSON *vector, const double along[3], cJSON **out)
{
    char *text = NULL;
    size_t length;
    FILE *const stream = trm_text_stream(&text, &length);
    if (!stream) {
        return no_memory(p);
    }
    trm_status status = TRM_OK;
    for (int i = 0; i < 3 && status == TRM_OK; i++) {
        if (along[i] != 0) {
            status = write_value(p, along[i], cJSON_GetArrayItem(vector, i), stream);
        }
    }
    const int lost = trm_stream_close(stream);
    *out = status == TRM_OK && !lost ? cJSON_CreateString(text) : NULL;
    free(text);
    return status ? status : *out ? TRM_OK : no_memory(p);
}

static trm_status rewrite(const plane *p, cJSON *item)
{
    char *text = NULL;
    size_t length;
    FILE *const stream = trm_text_stream(&text, &length);
    if (!stream) {
        return no_memory(p);
    }
    const trm_status status = write_formula(p, item->valuestring, stream);
    const int lost = trm_stream_close(stream) || !cJSON_SetValuestring(item, text);
    free(text);
    return status ? status : lost ? no_memory(p) : TRM_OK;
}

/// Every formula of an entry, names of elements apart.
static trm_status rewrite_all(const plane *p, cJSON *entry)
{
    static const char *const names[] = {"name",    "type",   "joint", "body",    "marker",
                                        "markers", "bodies", "lock",  "release", "joints",
                                        "on",      "switch", "unit",  "motion"};
    for (cJSON *item = entry->child; item; item = item->next) {
        int is_name = 0;
        for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
            is_name |= item->string && strcmp(item->string, names[i]) == 0;
        }
        if (!is_name && cJSON_IsString(item)) {
            TRM_TRY(rewrite(p, item));
        } else if (!is_name && (cJSON_IsObject(item) || cJSON_IsArray(item))) {
            TRM_TRY(rewrite_all(p, item));
        }
    }
    return TRM_OK;
}

// -------------------------------------------------------------------------------------- elements

static const char *name_of(const cJSON *entry)
{
    const char *const name = cJSON_GetStringValue(cJSON_GetObjectItem(entry, "name"));
    return name ? name : "an element";
}

static int is_of(const cJSON *entry, const char *type)
{
    const char *const given = cJSON_GetStringValue(cJSON_GetObjectItem(entry, "type"));
    return given && strcmp(given, type) == 0;
}

static void put(cJSON *entry, const char *key, cJSON *value)
{
    if (!cJSON_ReplaceItemInObject(entry, key, value)) {
        cJSON_AddItemToObject(entry, key, value);
    }
}

static void add_body(const plane *p, int body, cJSON *bodies)
{
    const trm_body_view view = trm_view_body(p->scene, body);
    const trm_body_info info = trm_model_body_info(p->model, body);
    if (view.rotor) {
        return;
    }
    cJSON *const entry = cJSON_CreateObject();
    cJSON_AddItemToArray(bodies, entry);
    cJSON_AddStringToObject(entry, "name", view.name);
    cJSON_AddNumberToObject(entry, "mass", view.mass);
    cJSON_AddItemToObject(entry, "position", pair(p, p->q + info.q0));
    cJSON_AddItemToObject(entry, "velocity", pair(p, p->v + info.v0));
    if (view.point_mass) {
        cJSON_AddStringToObject(cJSON_AddObjectToObject(entry, "shape"), "type", "point");
        return;
    }
    double inertia = 0, spin[3];
    for (int i = 0; i < 3; i++) { // n . R I R' n, the columns of R one by one
        double a[3], b[3];
        turned(p, body, (double[3]){i == 0, i == 1, i == 2}, a);
        for (int j = 0; j < 3; j++) {
            turned(p, body, (double[3]){j == 0, j == 1, j == 2}, b);
            inertia += dot3(p->n, a) * view.inertia[3 * i + j] * dot3(p->n, b);
        }
    }
    turned(p, body, p->v + info.v0 + 3, spin);
    cJSON_AddNumberToObject(entry, "inertia", inertia);
    cJSON_AddNumberToObject(entry, "rate", dot3(p->n, spin));
}

static void add_marker(const plane *p, int marker, cJSON *markers)
{
    const trm_marker_info m = trm_scene_marker_info(p->scene, marker);
    cJSON *const entry = cJSON_CreateObject();
    double place[3];
    place_of(p, m.body, m.local, place);
    cJSON_AddItemToArray(markers, entry);
    cJSON_AddStringToObject(entry, "name", m.name);
    cJSON_AddStringToObject(entry, "body",
                            m.body < 0 ? "ground" : trm_view_body(p->scene, m.body).name);
    cJSON_AddItemToObject(entry, "at", pair(p, place));
}

/// What a joint lets free in the plane; NULL: what is not carried over.
static const char *type_in_plane(const plane *p, const cJSON *entry, const trm_joint_view *j)
{
    const double along = fabs(dot3(j->axis, p->n)), along2 = fabs(dot3(j->axis2, p->n));
    const int turns = is_of(entry, "revolute") || is_of(entry, "cylindrical")
                          ? along > 1 - equal
                          : is_of(entry, "universal") && fmax(along, along2) > 1 - equal;
    return turns || is_of(entry, "spherical")                  ? "revolute"
           : is_of(entry, "prismatic") && along < equal        ? "prismatic"
           : is_of(entry, "weld") || is_of(entry, "universal") ? "weld"
                                                               : NULL;
}

static trm_status turn_joint(const plane *p, cJSON *entry)
{
    const char *const name = name_of(entry);
    const trm_joint_view j = joint_named(p, name, strlen(name));
    const char *const type = type_in_plane(p, entry, &j);
    const cJSON *const friction = cJSON_GetObjectItem(entry, "friction");
    if (!type) {
        return refuse(p, name,
                      "its type is none of the plane, or its axis is not across or along it");
    }
    if (cJSON_GetObjectItem(friction, "coefficient")) {
        return refuse(p, name, "its friction takes the reaction across the plane as well");
    }
    const int same = is_of(entry, type);
    if (!same && cJSON_GetObjectItem(entry, "friction")) {
        return refuse(p, name, "friction of several freedoms");
    }
    double at[2][3];
    cJSON *const points = cJSON_CreateArray();
    for (int i = 0; i < 2; i++) {
        place_of(p, j.body[i], j.local[i], at[i]);
        cJSON_AddItemToArray(points, pair(p, at[i]));
    }
    cJSON_DeleteItemFromObject(entry, "on");
    cJSON_DeleteItemFromObject(entry, "axis");
    cJSON_DeleteItemFromObject(entry, "axis2");
    put(entry, "type", cJSON_CreateString(type));
    put(entry, "at", points);
    if (strcmp(type, "prismatic") == 0) {
        cJSON_AddItemToObject(entry, "axis", pair(p, j.axis));
    } else if (strcmp(type, "revolute") == 0 && dot3(j.axis, p->n) < 0) {
        cJSON *const bodies = cJSON_GetObjectItem(entry, "bodies"); // the same angle about -n
        cJSON_AddItemToArray(bodies, cJSON_DetachItemFromArray(bodies, 0));
        cJSON_AddItemToArray(points, cJSON_DetachItemFromArray(points, 0));
    }
    return rewrite_all(p, entry);
}

/// Whether all of these markers lie at one height: then distances in the plane are those in space.
static int are_level(const plane *p, const cJSON *names)
{
    double least = INFINITY, most = -INFINITY;
    for (const cJSON *name = names->child; name; name = name->next) {
        const char *const text = cJSON_GetStringValue(name);
        const double height = height_of(p, marker_named(p, text, strlen(text)));
        least = fmin(least, height);
        most = fmax(most, height);
    }
    return most - least <= equal * p->size;
}

static trm_status turn_force(const plane *p, cJSON *entry)
{
    static const char *const of_joints[] = {"joint_spring_damper", "servo", "dc_motor",
                                            "joint_force"};
    const char *const name = name_of(entry);
    const cJSON *const value = cJSON_GetObjectItem(entry, "value");
    const cJSON *const axes = cJSON_GetObjectItem(entry, "axes");
    cJSON *x = NULL, *y = NULL;
    if (axes && strcmp(cJSON_GetStringValue(axes), "world") != 0) {
        return refuse(p, name, "its components are along axes of a body");
    }
    if (is_of(entry, "force")) {
        TRM_TRY(component(p, value, p->e[0], &x));
        TRM_TRY(component(p, value, p->e[1], &y));
        cJSON *const both = cJSON_CreateArray();
        cJSON_AddItemToArray(both, x);
        cJSON_AddItemToArray(both, y);
        put(entry, "value", both);
        return TRM_OK;
    }
    if (is_of(entry, "torque")) {
        TRM_TRY(component(p, value, p->n, &x));
        cJSON_DeleteItemFromObject(entry, "axes");
        put(entry, "value", x);
        return TRM_OK;
    }
    if (is_of(entry, "spring_damper") || is_of(entry, "tendon")) {
        return are_level(p, cJSON_GetObjectItem(entry, "markers"))
                   ? rewrite_all(p, entry)
                   : refuse(p, name, "its ends lie at different heights across the plane");
    }
    for (size_t i = 0; i < sizeof of_joints / sizeof *of_joints; i++) {
        if (is_of(entry, of_joints[i])) {
            return rewrite_all(p, entry);
        }
    }
    return refuse(p, name, "forces of its type are not");
}

static trm_status turn_constraint(const plane *p, cJSON *entry)
{
    const int plain = !cJSON_GetObjectItem(entry, "type") || is_of(entry, "expression") ||
                      is_of(entry, "coupling");
    return plain ? rewrite_all(p, entry)
                 : refuse(p, name_of(entry), "constraints of its type are not");
}

static trm_status turn_stop(const plane *p, cJSON *entry)
{
    const char *const name = name_of(entry);
    const cJSON *const on = cJSON_GetObjectItem(entry, "on");
    int c = 0;
    while (c < p->view.ncontacts && strcmp(trm_view_contact(p->scene, c).name, name) != 0) {
        c++;
    }
    const trm_contact_view view = trm_view_contact(p->scene, c);
    if (cJSON_GetObjectItem(entry, "distance")) {
        const char *const ends[] = {cJSON_GetStringValue(cJSON_GetObjectItem(entry, "marker")),
                                    cJSON_GetStringValue(on)};
        cJSON *const names = cJSON_CreateStringArray(ends, 2);
        const int level = are_level(p, names);
        cJSON_Delete(names);
        return level ? rewrite_all(p, entry)
                     : refuse(p, name, "its points lie at different heights");
    }
    if (on) {
        double normal[3];
        turned(p, view.on, view.normal, normal);
        if (fabs(dot3(normal, p->n)) > equal) {
            return refuse(p, name, "its plane is not upright");
        }
        put(entry, "normal", pair(p, normal));
    }
    return rewrite_all(p, entry);
}

// ------------------------------------------------------------------------------------- the scene

typedef trm_status turn_fn(const plane *p, cJSON *entry);

static trm_status turn_output(const plane *p, cJSON *entry)
{
    return cJSON_IsString(entry) ? rewrite(p, entry) : rewrite_all(p, entry);
}

/// How the members of a scene are carried over; without a function as they are.
static const struct {
    const char *key;
    turn_fn *turn;
} members[] = {{"$schema", NULL},
               {"format", NULL},
               {"title", NULL},
               {"dimension", NULL},
               {"gravity", NULL},
               {"parameters", NULL},
               {"tables", NULL},
               {"impact", NULL},
               {"simulation", NULL},
               {"bodies", NULL},
               {"markers", NULL},
               {"shapes", NULL},
               {"definitions", turn_output},
               {"joints", turn_joint},
               {"constraints", turn_constraint},
               {"forces", turn_force},
               {"stops", turn_stop},
               {"events", rewrite_all},
               {"states", turn_output},
               {"outputs", turn_output}};

static trm_status turn_member(plane *p, cJSON *member)
{
    const size_t n = sizeof members / sizeof *members;
    size_t i = 0;
    while (i < n && strcmp(members[i].key, member->string) != 0) {
        i++;
    }
    if (i == n) {
        return refuse(p, member->string, "it is none of the members that are");
    }
    for (cJSON *entry = member->child; entry && members[i].turn; entry = entry->next) {
        if (cJSON_GetObjectItem(entry, "repeat")) {
            return refuse(p, name_of(entry), "it stands for several (repeat)");
        }
        if (cJSON_IsArray(entry)) {
            return refuse(p, entry->string, "it is a vector in space");
        }
        TRM_TRY(members[i].turn(p, entry));
    }
    return TRM_OK;
}

static trm_status turn_scene(plane *p, cJSON *root)
{
    for (cJSON *member = root->child; member; member = member->next) {
        TRM_TRY(turn_member(p, member));
    }
    cJSON *const bodies = cJSON_CreateArray(), *const markers = cJSON_CreateArray();
    for (int i = 0; i < p->view.nbodies; i++) {
        add_body(p, i, bodies);
    }
    for (int i = 0; i < p->view.nmarkers; i++) {
        add_marker(p, i, markers);
    }
    put(root, "dimension", cJSON_CreateNumber(2));
    put(root, "gravity", pair(p, p->view.gravity));
    put(root, "bodies", bodies);
    put(root, "markers", markers);
    cJSON_DeleteItemFromObject(root, "shapes");
    cJSON_DeleteItemFromObject(root, "$schema");
    return TRM_OK;
}

/// Whether the program takes it, too: what this file does not know of is told there.
static trm_status read_again(const plane *p, const char *text)
{
    trm_scene *scene = NULL;
    trm_model *model = NULL;
    trm_error err = {.status = TRM_OK};
    const trm_status status =
        trm_scene_parse(text, strlen(text), &scene, &err) || trm_model_build(scene, &model, &err)
            ? refuse(p, "the scene", err.message)
            : TRM_OK;
    trm_model_destroy(model);
    trm_scene_destroy(scene);
    return status;
}

/// The size of the mechanism: the largest distance of a body from the first one, or 1.
static double size_of(const plane *p)
{
    double most = 0;
    for (int b = 1; b < p->view.nbodies; b++) {
        double d[3];
        for (int i = 0; i < 3; i++) {
            d[i] = p->q[trm_model_body_info(p->model, b).q0 + i] -
                   p->q[trm_model_body_info(p->model, 0).q0 + i];
        }
        most = fmax(most, sqrt(dot3(d, d)));
    }
    return most > 0 ? most : 1;
}

static trm_status turn(plane *p, const char *to)
{
    trm_model_initial_state(p->model, p->q, p->v);
    p->size = size_of(p);
    choose_axes(p);
    cJSON *const root = cJSON_Parse(trm_scene_get_info(p->scene).text);
    trm_status status = root ? turn_scene(p, root) : no_memory(p);
    char *const text = status == TRM_OK ? cJSON_Print(root) : NULL;
    status = status ? status : text ? read_again(p, text) : no_memory(p);
    status = status ? status
                    : trm_outfile_save(&(trm_outfile_wish){.path = to}, text, strlen(text), p->err);
    cJSON_free(text);
    cJSON_Delete(root);
    return status;
}

trm_status trm_plane_write(const char *from, const char *to, trm_error *err)
{
    trm_scene *scene = NULL;
    trm_model *model = NULL;
    trm_status status = trm_scene_load(from, &scene, err);
    plane p = {.scene = scene, .where = from, .err = err};
    if (status == TRM_OK && !trm_scene_plane(scene, p.n)) {
        status = TRM_FAIL(err, TRM_ERR_SCENE, from,
                          "is not planar in space: its bodies do not all hang on the ground by "
                          "joints that turn about one direction, or slide across it");
    }
    status = status ? status : trm_input_note_scene(scene, err);
    status = status ? status : trm_model_build(scene, &model, err);
    if (status == TRM_OK) {
        p.model = model;
        p.view = trm_view_scene(scene);
        p.q = calloc((size_t)trm_model_sizes(model).nq + 1, sizeof *p.q);
        p.v = calloc((size_t)trm_model_sizes(model).nv + 1, sizeof *p.v);
        status = p.q && p.v ? turn(&p, to) : no_memory(&p);
        free(p.q);
        free(p.v);
    }
    trm_model_destroy(model);
    trm_scene_destroy(scene);
    return status;
}
