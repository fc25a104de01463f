// Forces.

#include "base/status.h"
#include "bodies/forces/joint_force.h"
#include "bodies/vector.h"
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
    if (one && ends[0] == ends[1]) {
        return TRM_REFUSE(reader, trm_node_find(node, "reaction"),
                          "the reaction must act at another marker");
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

static int has_any(const trm_node *node, const char *one, const char *other)
{
    return trm_node_find(node, one) || trm_node_find(node, other);
}

/// Between the frames of a joint: what the joint holds, stiffness and damping there do not move.
static trm_status check_frames(trm_reader *reader, const trm_node *node,
                               const trm_scene_force *force)
{
    const trm_scene_joint *const joint = &reader->scene->joints[force->joint];
    const char *const dofs = joint->kind->dofs;
    if (!dofs || joint->switched || joint->breaks_at > 0 ||
        (strpbrk(dofs, "PXY") && has_any(node, "stiffness", "damping")) ||
        (strpbrk(dofs, "RUB") && has_any(node, "turning_stiffness", "turning_damping"))) {
        return TRM_OK;
    }
    return TRM_REFUSE(reader, trm_node_find(node, "joint"),
                      "%s \"%.60s\" moves nothing: joint \"%.60s\" holds all of it",
                      force->kind->name, force->name, joint->name);
}

// ----------------------- tendons: length, its rate, tension or slack and friction as formulas

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

// ---------------------------------------------------------------------------- ropes about pulleys
//
// A rope travels from node to node, each a circle of signed radius r about its marker, on its left
// where r > 0; a point has r = 0. Between two of them, D from centre to centre and d = r_2 - r_1,
// it is straight, t long along e,
//
//   t = sqrt(|D|^2 - d^2),    angle of e = angle of D - atan(d/t),
//
// and about each it turns from one e to the next, to the side of the circle. Where it would turn to
// the other side it is off that circle, as long as if that were not there: length and rate go on
// across, the tension may jump. D is followed from -pi/2 to 3 pi/2, and has no length near these
// ends. In space pulleys are cylinders, all parallel to a, and this is its projection along a. They
// and the tangent planes unroll into a plane: what is L long in projection and h along a is
// hypot(L, h) long.

/// Span i is from node i to the next.
typedef struct wound {
    int dimension, n;
    double r[TRM_MOST_LISTED];
    const char *name[TRM_MOST_LISTED];
    const char *axle[2]; ///< two points along a
    double length;       ///< m, from one to the other
} wound;

/// d of span i.
static double offset_of(const wound *w, int i)
{
    return w->r[i + 1] - w->r[i];
}

static void put_side(const wound *w, int i, int k, trm_text_buffer *out)
{
    put_component(w->name[i], w->name[i + 1], k, 0, out);
}

/// Component k of a, times its length.
static void put_axis(const wound *w, int k, trm_text_buffer *out)
{
    if (w->dimension == 2) {
        trm_put(out, "1");
    } else {
        put_component(w->axle[0], w->axle[1], k, 0, out);
    }
}

/// a . D_i.
static void put_along(const wound *w, int i, trm_text_buffer *out)
{
    for (int k = 0; k < 3; k++) {
        trm_put(out, k ? "+" : "((");
        put_axis(w, k, out);
        trm_put(out, "*");
        put_side(w, i, k, out);
    }
    trm_putf(out, ")/%.17g)", w->length);
}

/// D_i . D_j in projection.
static void put_scalar(const wound *w, int i, int j, trm_text_buffer *out)
{
    for (int k = 0; k < w->dimension; k++) {
        trm_put(out, k ? "+" : "(");
        put_side(w, i, k, out);
        trm_put(out, "*");
        put_side(w, j, k, out);
    }
    if (w->dimension == 3) {
        trm_put(out, "-");
        put_along(w, i, out);
        trm_put(out, "*");
        put_along(w, j, out);
    }
    trm_put(out, ")");
}

/// a . (D_i x D_j).
static void put_cross(const wound *w, int i, int j, trm_text_buffer *out)
{
    trm_put(out, "((0");
    for (int k = w->dimension == 3 ? 0 : 2; k < 3; k++) {
        for (int s = 0; s < 2; s++) {
            trm_put(out, s ? "-" : "+");
            put_axis(w, k, out);
            trm_put(out, "*");
            put_side(w, i, (k + 1 + s) % 3, out);
            trm_put(out, "*");
            put_side(w, j, (k + 2 - s) % 3, out);
        }
    }
    trm_putf(out, ")/%.17g)", w->length);
}

/// t_i.
static void put_straight(const wound *w, int i, trm_text_buffer *out)
{
    trm_put(out, "sqrt(");
    put_scalar(w, i, i, out);
    trm_putf(out, "-(%.17g)^2)", offset_of(w, i));
}

/// How far D turns from span i - 1 to span i, to the side of node i, less pi/2.
static void put_bend(const wound *w, int i, trm_text_buffer *out)
{
    trm_put(out, "atan2(-");
    put_scalar(w, i - 1, i, out);
    trm_putf(out, ",%d*", w->r[i] > 0 ? 1 : -1);
    put_cross(w, i - 1, i, out);
    trm_put(out, ")");
}

/// How far the rope turns about node i.
static void put_turn(const wound *w, int i, trm_text_buffer *out)
{
    trm_put(out, "(pi/2+");
    put_bend(w, i, out);
    for (int k = i - 1; k <= i; k++) {
        const int side = (w->r[i] > 0) == (k < i) ? 1 : -1;
        trm_putf(out, "+%d*atan2(%.17g,", side, offset_of(w, k));
        put_straight(w, k, out);
        trm_put(out, ")");
    }
    trm_put(out, ")");
}

/// Nothing, and no number from |D| = 3 on: atan2 jumps at pi, and a step may lead across. Nor where
/// it is off one of several in a row.
static void put_known(const wound *w, int i, trm_text_buffer *out)
{
    trm_put(out, "+0*sqrt(9-");
    put_bend(w, i, out);
    trm_put(out, "^2)");
    if (w->r[i - 1] != 0 || w->r[i + 1] != 0) {
        trm_put(out, "+0*sqrt");
        put_turn(w, i, out);
    }
}

/// The length from point i to point j, on all pulleys between them.
static void put_stretch(const wound *w, int i, int j, trm_text_buffer *out)
{
    trm_put(out, w->dimension == 3 ? "hypot(0" : "(0");
    for (int k = i; k < j; k++) {
        trm_put(out, "+");
        put_straight(w, k, out);
        if (k > i && w->r[k] != 0) {
            trm_putf(out, "+%.17g*", fabs(w->r[k]));
            put_turn(w, k, out);
        }
    }
    for (int k = i; k < j && w->dimension == 3; k++) {
        trm_put(out, k > i ? "+" : ",");
        put_along(w, k, out);
    }
    trm_put(out, ")");
}

/// The same over one pulley, which it may be off.
static void put_over(const wound *w, int i, trm_text_buffer *out)
{
    wound none = *w;
    none.r[i + 1] = 0;
    none.name[i + 1] = w->name[i + 2];
    trm_put(out, "if(");
    put_turn(w, i + 1, out);
    trm_put(out, ">=0,");
    put_stretch(w, i, i + 2, out);
    trm_put(out, ",");
    put_stretch(&none, i, i + 1, out);
    trm_put(out, ")");
}

/// The next node behind i that is a point; 0: there is none.
static int next_point(const trm_number_list *r, int i)
{
    for (int k = i + 1; k < r->n; k++) {
        if (r->item[k] == 0) {
            return k;
        }
    }
    return 0;
}

static wound wound_of(const trm_scene *scene, const trm_scene_force *force)
{
    wound w = {scene->dimension, force->markers.n, .length = 1};
    for (int i = 0; i < w.n; i++) {
        w.r[i] = force->pulleys.item[i];
        w.name[i] = scene->markers[force->markers.item[i]].name;
    }
    if (w.dimension == 3) {
        const trm_scene_marker *const end[2] = {&scene->markers[force->axle[0]],
                                                &scene->markers[force->axle[1]]};
        double d[3];
        subtract(end[1]->local, end[0]->local, d);
        w.length = sqrt(dot(d, d));
        w.axle[0] = end[0]->name;
        w.axle[1] = end[1]->name;
    }
    return w;
}

/// The length of a rope about the pulleys at its markers, or (`lies`) of one that lies on all of
/// them, whatever it turns by. The first has branches; on pulleys in a row it is the other one.
static void put_wound(const trm_scene *scene, const trm_scene_force *force, int lies,
                      trm_text_buffer *out)
{
    const wound w = wound_of(scene, force);
    for (int i = 0; i + 1 < w.n; i++) {
        const int j = next_point(&force->pulleys, i);
        if (w.r[i] != 0) {
            continue;
        }
        trm_put(out, i ? "+" : "");
        if (w.dimension == 3 && j == i + 1) {
            put_span(scene, w.name[i], w.name[j], out);
        } else if (j == i + 2 && !lies) {
            put_over(&w, i, out);
        } else {
            put_stretch(&w, i, j, out);
        }
        for (int k = i + 1; k < j; k++) {
            put_known(&w, k, out);
        }
    }
}

// --------------------------------------------------------------------- a rope that rubs: capstan
//
// With the parts l_0 and l_1 up to a point of the drum and from there on, and tensions T_0, T_1,
//
//   T_0 l_0' + T_1 l_1' = T l' + f y',    T = (T_0 + T_1)/2,  f = T_0 - T_1,  y = (l_0 - l_1)/2,
//
// T is the force of the rope as a stop, and f friction along y. By Euler T_0/T_1 is exp(mu phi) at
// most, phi the angle that it turns by, on all pulleys that are one drum: between them its length
// does not change, it slips on all or none. So (loaded.c)
//
//   |f| <= 2 tanh(mu phi/2) T:    Coulomb's law, of a coefficient that follows phi.
//
// With the way s_0 along the straight parts before it, the direction alpha of the first tangent,
// the angle theta of the drum and the whole length l  y = s_0 - r (alpha - theta) - l/2.

/// alpha from the start on, of the span before node i: that of D less atan(d/t).
static void put_tangent(const trm_scene *scene, const wound *w, const int *markers, int i,
                        trm_text_buffer *out)
{
    double x[2][3], D[3];
    for (int k = 0; k < 2; k++) {
        const trm_scene_marker *const m = &scene->markers[markers[i - 1 + k]];
        trm_to_world_frame(scene, m->body, m->local, x[k]);
    }
    subtract(x[1], x[0], D);
    trm_put(out, "(atan2(");
    for (int k = 0; k < 2; k++) {
        trm_putf(out, k ? ",(%.17g)*" : "(%.17g)*", D[0]);
        put_side(w, i - 1, 1 - k, out);
        trm_putf(out, "%c(%.17g)*", k ? '+' : '-', D[1]);
        put_side(w, i - 1, k, out);
    }
    trm_putf(out, ")-atan2(%.17g,", offset_of(w, i - 1));
    put_straight(w, i - 1, out);
    trm_put(out, "))");
}

static int body_of(const trm_scene *scene, const trm_scene_force *force, int i)
{
    return scene->markers[force->markers.item[i]].body;
}

/// y, and phi.
static void put_rubbing(const trm_scene *scene, const trm_scene_force *force, trm_text_buffer *y,
                        trm_text_buffer *turn)
{
    const wound w = wound_of(scene, force);
    int drum = 0;
    for (int i = 1; i < w.n; i++) {
        if (w.r[i] != 0 && body_of(scene, force, i) == force->rubs) {
            trm_put(turn, drum ? "+" : "");
            put_turn(&w, i, turn);
            drum = drum ? drum : i;
        }
    }
    put_stretch(&w, 0, drum, y);
    trm_put(y, "-0.5*");
    put_stretch(&w, 0, w.n - 1, y);
    trm_putf(y, "-(%.17g)*(", w.r[drum]);
    put_tangent(scene, &w, force->markers.item, drum, y);
    if (force->rubs != TRM_INDEX_GROUND) {
        trm_putf(y, "-%s.angle", scene->bodies[force->rubs].name);
    }
    trm_put(y, ")");
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

/// What a rope rubs on is one body from its first pulley there to the last.
static trm_status check_drum(trm_reader *reader, const trm_node *node, trm_scene_force *force)
{
    const trm_node *const rubs = trm_node_find(node, "rubs_on");
    int from = 0, to = 0;
    for (int i = 1; i < force->pulleys.n; i++) {
        const int here = !rubs || body_of(reader->scene, force, i) == force->rubs;
        to = here && force->pulleys.item[i] != 0 ? i : to;
        from = from ? from : to;
    }
    force->rubs = body_of(reader->scene, force, from);
    int whole = from > 0;
    for (int i = from; i < to; i++) {
        whole &= body_of(reader->scene, force, i + 1) == force->rubs;
    }
    return whole ? TRM_OK
                 : TRM_REFUSE(reader, trm_node_find(node, rubs ? "rubs_on" : "friction"),
                              "a rope rubs about the pulleys of one body, with no other between "
                              "them; \"rubs_on\" names it");
}

/// What a rope that does not stretch has beside one that does.
static trm_status check_rope(trm_reader *reader, const trm_node *node, trm_scene_force *force)
{
    const trm_node *const list = trm_node_find(node, "pulleys");
    const trm_number_list *const r = &force->pulleys;
    if (!force->inextensible && !(force->stiffness > 0)) {
        return TRM_REFUSE(reader, node,
                          "tendon \"%.60s\" needs a \"stiffness\", or \"inextensible\": true",
                          force->name);
    }
    force->friction.wraps = 1;
    TRM_TRY(trm_check_compliance(
        reader, node,
        &(trm_scene_contact){.restitution = force->restitution, .friction = force->friction}));
    if (force->drum != TRM_INDEX_NONE) {
        TRM_TRY(trm_check_coordinate(reader, trm_node_find(node, "pays_out"), force->drum));
    }
    if (list && reader->scene->dimension == 3 && !trm_node_find(node, "axis")) {
        return TRM_REFUSE(reader, list, "pulleys in space are cylinders: give their \"axis\"");
    }
    if (list && reader->scene->dimension == 3) {
        const trm_scene_marker *const end[2] = {&reader->scene->markers[force->axle[0]],
                                                &reader->scene->markers[force->axle[1]]};
        if (end[0]->body != end[1]->body ||
            !memcmp(end[0]->local, end[1]->local, sizeof end[0]->local) ||
            strchr(end[0]->name, '-') || strchr(end[1]->name, '-')) {
            return TRM_REFUSE(reader, trm_node_find(node, "axis"),
                              "expected two points of one body, apart, without a - in their names");
        }
    }
    if (list && (r->n != force->markers.n || r->item[0] != 0 || r->item[r->n - 1] != 0)) {
        return TRM_REFUSE(reader, list,
                          "expected a radius for each of the %d markers, 0 at both ends",
                          force->markers.n);
    }
    return force->friction.coefficient > 0 ? check_drum(reader, node, force) : TRM_OK;
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

/// Below 0 there is no rope left: what is paid out is part of the key.
static trm_status add_paid_out(trm_reader *reader, const trm_node *node, trm_scene_force *force)
{
    trm_formula *const rest = &force->value[2];
    trm_text_buffer text = {0};
    const char *sum = NULL;
    rest->code ? trm_putf(&text, "(%s)", rest->text) : trm_putf(&text, "%.17g", force->rest);
    put_paid_out(reader->scene, force, 0, &text);
    TRM_TRY(take(reader, &text, &sum));
    return trm_compile_for_force(reader, node, sum, force, rest);
}

/// Friction about a drum: along y, by the tension.
static trm_status write_rubbing(trm_reader *reader, const trm_node *node, trm_scene_force *force)
{
    trm_text_buffer text[2] = {{0}, {0}};
    const char *y = NULL, *turn = NULL;
    put_rubbing(reader->scene, force, &text[0], &text[1]);
    const trm_status first = take(reader, &text[0], &y);
    const trm_status second = take(reader, &text[1], &turn);
    TRM_TRY(first ? first : second);
    TRM_TRY(trm_compile_for_force(reader, node, y, force, &force->along));
    return trm_compile_for_force(reader, node, turn, force, &force->friction.bound);
}

/// A rope that does not stretch has its slack for a gap, and no tension of its own.
static trm_status write_slack(trm_reader *reader, const trm_node *node, trm_scene_force *force)
{
    trm_text_buffer text = {0};
    const char *slack = NULL;
    trm_putf(&text, "rest_length.-%s.length", force->name);
    TRM_TRY(take(reader, &text, &slack));
    reader->scope = TRM_SCOPE_POSITION; // as of stops
    trm_status status = trm_compile_for_force(reader, node, slack, force, &force->slack);
    if (status == TRM_OK && force->lying) { // its branches agree in length and rate
        reader->scope = TRM_SCOPE_STATE;
        status = trm_compile_for_force(reader, node, slack, force, &force->slack);
        reader->scope = TRM_SCOPE_POSITION;
    }
    if (status == TRM_OK && force->friction.coefficient > 0) {
        status = write_rubbing(reader, node, force);
    }
    reader->scope = TRM_SCOPE_STATE;
    return status == TRM_OK ? trm_join_values(reader, node, "0", force) : status;
}

/// One that stretches: its tension. The drum feels it, too.
static trm_status write_tension(trm_reader *reader, const trm_node *node, trm_scene_force *force)
{
    trm_text_buffer text = {0};
    const char *tension = NULL;
    force->joint = force->drum;
    trm_putf(&text, "if(%s.length >= rest_length., max(0, stiffness.*(%s.length - rest_length.)",
             force->name, force->name);
    trm_putf(&text, " + damping.*(%s.rate - (0", force->name);
    put_paid_out(reader->scene, force, 1, &text);
    // slack or not, what each key gives has to be in its range
    trm_put(&text, "))), 0) + 0*(stiffness. + damping. + rest_length.)");
    TRM_TRY(take(reader, &text, &tension));
    return trm_join_values(reader, node, tension, force);
}

static trm_status read_tendon(trm_reader *reader, const trm_node *node, trm_scene_force *force)
{
    const trm_scene *scene = reader->scene;
    trm_text_buffer length = {0}, rate = {0};
    TRM_TRY(check_markers(reader, trm_node_find(node, "markers"), force));
    TRM_TRY(check_rope(reader, node, force));
    TRM_TRY(force->drum != TRM_INDEX_NONE ? add_paid_out(reader, node, force) : TRM_OK);
    if (force->pulleys.n > 0) {
        put_wound(scene, force, 0, &length);
        TRM_TRY(take(reader, &length, &force->length));
        put_wound(scene, force, 1, &rate);
        TRM_TRY(take(reader, &rate, &force->lying));
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

// ------------------------------------------------------------------------------- servos and motors

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
    force->axle[0] = force->axle[1] = TRM_INDEX_NONE;
    const trm_key *const tables[] = {trm_force_keys, force->kind->keys};
    TRM_TRY(trm_read_name(reader, node, &reader->links, TRM_NAME_FORCE, index, &force->name));
    TRM_TRY(force->kind == &trm_force_dc_motor ? add_current(reader, node, force) : TRM_OK);
    TRM_TRY(trm_read_keys(reader, node, tables, 2, force));
    TRM_TRY(trm_reader_place(reader, node, &force->place));
    const int at_joint = force->joint != TRM_INDEX_NONE;
    if (at_joint && !force->kind->of_frames) {
        TRM_TRY(trm_check_coordinate(reader, trm_node_find(node, "joint"), force->joint));
    }
    TRM_TRY(check_bodies(reader, node, force));
    TRM_TRY(force->kind->groups ? trm_check_groups(reader, node, force->kind->groups) : TRM_OK);
    TRM_TRY(check_span(reader, node, force));
    TRM_TRY(at_joint && force->kind->of_frames ? check_frames(reader, node, force) : TRM_OK);
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
