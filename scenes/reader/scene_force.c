// Forces.

#include "base/status.h"
#include "bodies/forces/joint_force.h"
#include "constraints/joint.h"
#include "program/view.h"
#include "scenes/reader/reader.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const trm_key trm_force_keys[] = {
    TRM_KEY("name", TEXT, trm_scene_force, name,
            "Its name; no other joint, constraint or force may have it.", .required = 1,
            .schema = "{\"$ref\":\"#/$defs/name\"}"),
    TRM_KEY_OWN("type", "Kind of force.", .required = 1),
    TRM_REPEAT_KEY,
    {.name = NULL},
};

// ------------------------------------------------------------------------------------------ forces

/// Kinds with keys; gravity has none and is no entry of "forces".
static trm_status read_kind(trm_reader *reader, const trm_node *node, const trm_force_kind **out)
{
    enum { MOST = 32 };
    const trm_force_kind *kinds[MOST];
    const char *word = NULL, *names[MOST];
    int n = 0, index = 0;
    TRM_TRY(trm_read_word(reader, node, "type", &word));
    for (int i = 0; trm_force_kinds[i] && n < MOST; i++) {
        if (trm_force_kinds[i]->keys) {
            kinds[n] = trm_force_kinds[i];
            names[n++] = trm_force_kinds[i]->name;
        }
    }
    const trm_node *type = trm_node_find(node, "type");
    TRM_TRY(trm_read_choice(reader, type, "force type", names, n, &index));
    *out = kinds[index];
    if ((*out)->dimension && (*out)->dimension != reader->scene->dimension) {
        return TRM_REFUSE(reader, type, "force type \"%s\" is for scenes of dimension %d only",
                          (*out)->name, (*out)->dimension);
    }
    return TRM_OK;
}

/// A servo moves nothing where a motor says how a joint moves.
static trm_status check_servo(trm_reader *reader, const trm_node *node,
                              const trm_scene_force *force)
{
    const int drives = force->kind == &trm_force_servo || force->kind == &trm_force_dc_motor;
    if (!drives || !reader->scene->joints[force->joint].motor.text) {
        return TRM_OK;
    }
    return TRM_REFUSE(reader, trm_node_find(node, "joint"),
                      "a %s has no effect on \"%.60s\": its \"motor\" says how it moves",
                      force->kind->name, reader->scene->joints[force->joint].name);
}

/// A torque needs a body that turns.
static trm_status check_bodies(trm_reader *reader, const trm_node *node,
                               const trm_scene_force *force)
{
    static const char *const keys[2] = {"body", "reaction"};
    for (int i = 0; i < 2; i++) {
        const int body = force->body[i];
        const trm_node *where = trm_node_find(node, keys[i]);
        if (body >= 0 && reader->scene->bodies[body].point_mass) {
            return TRM_REFUSE(reader, where ? where : node,
                              "\"%s\" is a point mass; no torque can act on it",
                              reader->scene->bodies[body].name);
        }
        if (i == 0 && body == TRM_INDEX_GROUND) {
            return TRM_REFUSE(reader, where ? where : node,
                              "expected a moving body, got \"ground\"");
        }
    }
    if (force->body[0] != TRM_INDEX_NONE && force->body[0] == force->body[1]) {
        const trm_node *where = trm_node_find(node, keys[1]);
        return TRM_REFUSE(reader, where ? where : node, "the reaction must act on another body");
    }
    return TRM_OK;
}

/// What acts along the line between points of one body moves nothing, nor does what acts on the
/// ground. (Opposite forces of a formula on two points of a body are a torque.)
static trm_status check_span(trm_reader *reader, const trm_node *node, const trm_scene_force *force)
{
    const trm_scene_marker *const markers = reader->scene->markers;
    const trm_node *list = trm_node_find(node, "markers"), *one = trm_node_find(node, "marker");
    const int *const ends = force->markers.n > 0 ? force->markers.item : force->marker;
    const int n = force->markers.n > 0 ? force->markers.n : 2;
    if ((!list && !one) || force->markers.n == 1 || force->kind == &trm_force_point_gravity) {
        return TRM_OK;
    }
    const int body = markers[ends[0]].body;
    int moves = one && body != TRM_INDEX_GROUND;
    for (int i = 1; !moves && i < n && ends[i] != TRM_INDEX_NONE; i++) {
        moves = markers[ends[i]].body != body;
    }
    return moves
               ? TRM_OK
               : TRM_REFUSE(reader, list ? list : one,
                            "%s \"%.60s\" moves nothing: it acts on \"%.60s\" alone",
                            force->kind->name, force->name,
                            body == TRM_INDEX_GROUND ? "ground" : reader->scene->bodies[body].name);
}

// --------------------------------------- tendons: length, its rate and the tension as formulas

static const char axes[] = "xyz";

/// Component k of the difference of two markers; `soon`: 1e-200 s from now.
static void put_component(const char *a, const char *b, int k, int soon, trm_text_buffer *out)
{
    const char x = axes[k];
    if (soon) {
        trm_putf(out, "(%s.%c-%s.%c+1e-200*(%s.v%c-%s.v%c))", b, x, a, x, b, x, a, x);
    } else {
        trm_putf(out, "(%s.%c-%s.%c)", b, x, a, x);
    }
}

/// Their distance.
static void put_span(const trm_scene *scene, const char *a, const char *b, trm_text_buffer *out)
{
    trm_put(out, scene->dimension == 3 ? "hypot(hypot(" : "hypot(");
    for (int k = 0; k < scene->dimension; k++) {
        trm_put(out, k == 2 ? ")," : k == 1 ? "," : "");
        put_component(a, b, k, 0, out);
    }
    trm_put(out, ")");
}

/// d/|d| . d' over the span, d where it will be 1e-200 s from now: where the markers meet, the rate
/// is that behind the meeting, |d'|, and zero where they stay together. Elsewhere d is not changed.
/// Direction cosines are at most 1 whatever is known of d, so that intervals bound the rate.
static void put_rate(const trm_scene *scene, const char *a, const char *b, trm_text_buffer *out)
{
    const int n = scene->dimension;
    for (int k = 0; k < n; k++) {
        trm_put(out, k ? "+dircos(" : "dircos(");
        put_component(a, b, k, 1, out);
        trm_put(out, n == 3 ? ",hypot(" : ",");
        put_component(a, b, (k + 1) % n, 1, out);
        if (n == 3) {
            trm_put(out, ",");
            put_component(a, b, (k + 2) % n, 1, out);
            trm_put(out, ")");
        }
        trm_putf(out, ")*(%s.v%c-%s.v%c)", b, axes[k], a, axes[k]);
    }
}

// ------------------------------------------------------------ ropes about pulleys, in the plane
//
// A rope travels from node to node, each a circle of signed radius r about its marker, on its left
// where r > 0; a point has r = 0. Between two of them, D from centre to centre and d = r_2 - r_1,
// it is straight: D = t e + d n, n to the left of e, so that
//
//   t = sqrt(D.D - d^2),    e ~ t D - d (-D_y, D_x),
//
// and about each it turns from one e to the next, by 0 to a whole turn.

/// The square of the straight length from node i to the next.
static void put_straight_square(const char *const name[2], const double r[2], trm_text_buffer *out)
{
    trm_putf(out, "((%s.x-%s.x)^2+(%s.y-%s.y)^2-(%.17g)^2)", name[1], name[0], name[1], name[0],
             r[1] - r[0]);
}

/// Component k of its direction, of any length.
static void put_direction(const char *const name[2], const double r[2], int k, trm_text_buffer *out)
{
    trm_put(out, "(sqrt");
    put_straight_square(name, r, out);
    trm_putf(out, "*(%s.%c-%s.%c)%c(%.17g)*(%s.%c-%s.%c))", name[1], axes[k], name[0], axes[k],
             k == 0 ? '+' : '-', r[1] - r[0], name[1], axes[1 - k], name[0], axes[1 - k]);
}

/// a_0 b_s0 + sign a_1 b_s1, a and b the directions to the node in the middle and from there; s0,
/// s1 the same axes or (across) the other ones.
static void put_product(const char *const name[3], const double r[3], int across, double sign,
                        trm_text_buffer *out)
{
    for (int k = 0; k < 2; k++) {
        trm_putf(out, k == 0 ? "(" : "%+g*", sign);
        put_direction(name, r, k, out);
        trm_put(out, "*");
        put_direction(name + 1, r + 1, across ? 1 - k : k, out);
    }
    trm_put(out, ")");
}

/// The length of a rope about the pulleys at its markers.
static void put_wound(const trm_scene *scene, const trm_scene_force *force, trm_text_buffer *out)
{
    const double *const r = force->pulleys.item;
    const char *name[TRM_MOST_LISTED];
    for (int i = 0; i < force->markers.n; i++) {
        name[i] = scene->markers[force->markers.item[i]].name;
    }
    for (int i = 0; i + 1 < force->markers.n; i++) {
        trm_put(out, i ? "+sqrt" : "sqrt");
        put_straight_square(name + i, r + i, out);
        if (i > 0 && r[i] != 0) { // pi less the angle to the way back: cut where there is no turn
            trm_putf(out, "+%.17g*(pi-atan2(%d*", fabs(r[i]), r[i] > 0 ? 1 : -1);
            put_product(name + i - 1, r + i - 1, 1, -1, out);
            trm_put(out, ",-");
            put_product(name + i - 1, r + i - 1, 0, 1, out);
            trm_put(out, "))");
        }
    }
}

static trm_status take(trm_reader *reader, trm_text_buffer *text, const char **out)
{
    *out = text->failed ? NULL : trm_pool_copy(reader->pool, text->data, strlen(text->data));
    trm_text_buffer_close(text);
    return *out ? TRM_OK : trm_reader_no_memory(reader);
}

static trm_status check_markers(trm_reader *reader, const trm_node *list,
                                const trm_scene_force *force)
{
    if (force->markers.n < 2) {
        return TRM_REFUSE(reader, list, "a tendon runs over two markers at least, got %d",
                          force->markers.n);
    }
    const trm_node *child = list + 1;
    for (int i = 0; i < force->markers.n; i++, child += child->span) {
        const char *name = reader->scene->markers[force->markers.item[i]].name;
        if (strchr(name, '-')) {
            return TRM_FAIL(
                reader->err, TRM_ERR_SCENE, trm_at(reader, child),
                "the length of a tendon is a formula of its markers, and \"%s\" has a - "
                "in its name",
                name);
        }
    }
    return TRM_OK;
}

/// What a rope that does not stretch has beside one that does.
static trm_status check_rope(trm_reader *reader, const trm_node *node, const trm_scene_force *force)
{
    const trm_node *const list = trm_node_find(node, "pulleys");
    const trm_number_list *const r = &force->pulleys;
    if (!force->inextensible && !(force->stiffness > 0)) {
        return TRM_REFUSE(reader, node,
                          "tendon \"%.60s\" needs a \"stiffness\", or \"inextensible\": true",
                          force->name);
    }
    if (force->restitution > 1) {
        return TRM_REFUSE(reader, trm_node_find(node, "restitution"),
                          "restitution must be 0 to 1, got %g", force->restitution);
    }
    if (force->drum != TRM_INDEX_NONE) {
        TRM_TRY(trm_check_coordinate(reader, trm_node_find(node, "pays_out"), force->drum));
    }
    if (list && reader->scene->dimension != 2) {
        return TRM_REFUSE(reader, list,
                          "pulleys are circles of the plane; in space a rope runs over markers");
    }
    if (list && (r->n != force->markers.n || r->item[0] != 0 || r->item[r->n - 1] != 0)) {
        return TRM_REFUSE(reader, list,
                          "expected a radius for each of the %d markers, 0 at both ends",
                          force->markers.n);
    }
    return TRM_OK;
}

/// What the drum has paid out, or how fast: "+(r)*O.angle" or "+(r)*O.rate"; nothing without one.
static void put_paid_out(const trm_scene *scene, const trm_scene_force *force, int rate,
                         trm_text_buffer *out)
{
    if (force->drum != TRM_INDEX_NONE) {
        const trm_scene_joint *const joint = &scene->joints[force->drum];
        trm_putf(out, "+(%.17g)*%s.%s", force->drum_radius, joint->name,
                 rate                              ? "rate"
                 : trm_turns(joint->kind->freedom) ? "angle"
                                                   : "position");
    }
}

/// A rope that does not stretch has its slack for a gap, and no tension of its own.
static trm_status write_slack(trm_reader *reader, const trm_node *node, trm_scene_force *force)
{
    trm_text_buffer text = {0};
    const char *slack = NULL;
    trm_put(&text, "rest_length.");
    put_paid_out(reader->scene, force, 0, &text);
    trm_putf(&text, "-%s.length", force->name);
    TRM_TRY(take(reader, &text, &slack));
    reader->scope = TRM_SCOPE_POSITION; // as of stops
    const trm_status status = trm_compile_for_force(reader, node, slack, force, &force->slack);
    reader->scope = TRM_SCOPE_STATE;
    return status == TRM_OK ? trm_join_values(reader, node, "0", force) : status;
}

/// One that stretches: its tension. The drum feels it, too.
static trm_status write_tension(trm_reader *reader, const trm_node *node, trm_scene_force *force)
{
    trm_text_buffer text = {0};
    const char *tension = NULL;
    force->joint = force->drum;
    trm_putf(&text, "if(%s.length >= rest_length.", force->name);
    put_paid_out(reader->scene, force, 0, &text);
    trm_putf(&text, ", max(0, stiffness.*(%s.length - (rest_length.", force->name);
    put_paid_out(reader->scene, force, 0, &text);
    trm_putf(&text, ")) + damping.*(%s.rate - (0", force->name);
    put_paid_out(reader->scene, force, 1, &text);
    trm_put(&text, "))), 0)");
    TRM_TRY(take(reader, &text, &tension));
    return trm_join_values(reader, node, tension, force);
}

static trm_status read_tendon(trm_reader *reader, const trm_node *node, trm_scene_force *force)
{
    const trm_scene *scene = reader->scene;
    trm_text_buffer length = {0}, rate = {0};
    TRM_TRY(check_markers(reader, trm_node_find(node, "markers"), force));
    TRM_TRY(check_rope(reader, node, force));
    if (force->pulleys.n > 0) {
        put_wound(scene, force, &length);
        TRM_TRY(take(reader, &length, &force->length));
        return write_slack(reader, node, force);
    }
    for (int i = 0; i + 1 < force->markers.n; i++) {
        const char *a = scene->markers[force->markers.item[i]].name;
        const char *b = scene->markers[force->markers.item[i + 1]].name;
        trm_put(&length, i ? "+" : "");
        trm_put(&rate, i ? "+" : "");
        put_span(scene, a, b, &length);
        put_rate(scene, a, b, &rate);
    }
    const trm_status first = take(reader, &length, &force->length);
    const trm_status second = take(reader, &rate, &force->rate);
    TRM_TRY(first ? first : second);
    return (force->inextensible ? write_slack : write_tension)(reader, node, force);
}

/// What the control remembers: the integral, and the torque that lags behind.
static trm_status read_servo(trm_reader *reader, const trm_node *node, trm_scene_force *force)
{
    const char *const wanted = force->kind->formula(force);
    const int turns = trm_turns(reader->scene->joints[force->joint].kind->freedom);
    const char *const unit = turns ? "N m" : "N";
    char rate[400];
    if (force->gain > 0 && !(force->stiffness > 0)) {
        return TRM_FAIL(
            reader->err, TRM_ERR_SCENE, trm_at(reader, trm_node_find(node, "kp")),
            "\"ki\" needs a \"kp\" above 0: at a limit the integral follows it with the "
            "time kp/ki");
    }
    if (force->gain > 0) {
        TRM_TRY(trm_add_state(reader, node, force, "integral", unit, &force->integral));
        TRM_TRY(trm_set_rate(reader, node, force, trm_servo_integral_rate(force), force->integral));
    }
    if (!(force->lag > 0)) {
        return trm_join_values(reader, node, wanted, force);
    }
    TRM_TRY(trm_add_state(reader, node, force, "lagged", unit, &force->lagging));
    snprintf(rate, sizeof rate, "(%s - lagged.)/lag.", wanted);
    const char *const text = trm_pool_copy(reader->pool, rate, strlen(rate));
    if (!text) {
        return trm_reader_no_memory(reader);
    }
    TRM_TRY(trm_set_rate(reader, node, force, text, force->lagging));
    return trm_join_values(reader, node, "lagged.", force);
}

/// The current as a state, which the formula of the voltage knows.
static trm_status add_current(trm_reader *reader, const trm_node *node, trm_scene_force *force)
{
    const trm_node *const given = trm_node_find(node, "inductance");
    TRM_TRY(given ? trm_read_number(reader, given, &force->lag) : TRM_OK);
    return force->lag > 0 ? trm_add_state(reader, node, force, "current", "A", &force->integral)
                          : TRM_OK;
}

/// The rate of the current, and the rotor as an armature of the joint.
static trm_status read_dc_motor(trm_reader *reader, const trm_node *node, trm_scene_force *force)
{
    trm_scene *const scene = reader->scene;
    trm_scene_joint *const joint = &scene->joints[force->joint];
    force->preload = force->preload > 0 ? force->preload : 1;
    joint->armature += force->preload * force->preload * force->mu;
    if (force->mu > 0 && joint->switched == TRM_SWITCH_ROWS) {
        return TRM_REFUSE(reader, trm_node_find(node, "inertia"),
                          "the rotor of a joint that is closed and opened cannot have an inertia; "
                          "make it a body");
    }
    if (force->lag > 0) {
        TRM_TRY(trm_set_rate(reader, node, force, trm_dc_motor_rate(force), force->integral));
    }
    return trm_join_values(reader, node, force->kind->formula(force), force);
}

static trm_status read_force(trm_reader *reader, const trm_node *node, int index)
{
    trm_scene_force *force = &reader->scene->forces[index];
    TRM_TRY(trm_read_object(reader, node));
    TRM_TRY(read_kind(reader, node, &force->kind));
    force->body[0] = force->body[1] = TRM_INDEX_NONE;
    force->marker[0] = force->marker[1] = force->joint = TRM_INDEX_NONE;
    force->integral = force->lagging = force->drum = TRM_INDEX_NONE;
    const trm_key *const tables[] = {trm_force_keys, force->kind->keys};
    TRM_TRY(trm_read_name(reader, node, &reader->links, TRM_NAME_FORCE, index, &force->name));
    TRM_TRY(force->kind == &trm_force_dc_motor ? add_current(reader, node, force) : TRM_OK);
    TRM_TRY(trm_read_keys(reader, node, tables, 2, force));
    TRM_TRY(trm_reader_place(reader, node, &force->place));
    if (force->joint != TRM_INDEX_NONE && !force->kind->of_frames) {
        TRM_TRY(trm_check_coordinate(reader, trm_node_find(node, "joint"), force->joint));
    }
    TRM_TRY(check_bodies(reader, node, force));
    TRM_TRY(force->kind->groups ? trm_check_groups(reader, node, force->kind->groups) : TRM_OK);
    TRM_TRY(check_span(reader, node, force));
    TRM_TRY(check_servo(reader, node, force));
    if (force->kind == &trm_force_tendon) {
        return read_tendon(reader, node, force);
    }
    if (force->kind == &trm_force_servo) {
        return read_servo(reader, node, force);
    }
    if (force->kind == &trm_force_dc_motor) {
        return read_dc_motor(reader, node, force);
    }
    return force->kind == &trm_force_spring_damper && force->stiffness != 0 && !force->rest_given
               ? TRM_REFUSE(reader, node, "missing key \"rest_length\", which \"stiffness\" needs")
               : TRM_OK;
}

trm_status trm_read_forces(trm_reader *reader, const trm_node *array)
{
    trm_scene *scene = reader->scene;
    reader->scope = TRM_SCOPE_STATE;
    int n = 0;
    if (array) {
        TRM_TRY(trm_count_elements(reader, array, &n));
    }
    // a servo has two states at most
    TRM_TRY(trm_reader_take(reader, (size_t)(3 * n + scene->nstates), sizeof *scene->forces,
                            &scene->forces));
    TRM_TRY(trm_make_room_for_states(reader, 2 * n));
    scene->first_state = n;
    scene->nforces = n + scene->nstates;
    if (array) {
        TRM_TRY(trm_read_elements(reader, array, read_force));
    }
    return trm_read_rates(reader, trm_node_find(reader->document->nodes, "states"));
}
