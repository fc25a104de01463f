/// Pairs of balls that stay apart, and balls that stay away from a plane of the ground: their rows
/// are not looked at. In a step the centre of a ball goes along
///
///     x(s) = x_0 + s F_0 + s (1 - s) F_1 + s^2 (1 - s) F_2 + ...,    0 <= s <= 1
///
/// the dense output of the method, and leaves the chord x_0 + s F_0 by (|F_1| + |F_2| + ...)/4 at
/// most. Where the chords of two balls stay farther apart than both radii, both such bounds and
/// half of each radius, the gap stays open in all of the step. Half of a radius: in a dense packing
/// the balls behind those that touch are 3.46 radii away, so that 3 radii hold no others. Pairs
/// come from a sweep along the axis on which the balls spread most.
#include "bodies/vector.h"
#include "engine/contact/contact.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int trm_contact_is_of_balls(const trm_model *model, int k)
{
    const trm_touch_pair *const touch = model->contacts[k].touch;
    return touch && touch->kind == TRM_TOUCH_BALL_BALL && touch->side[0].body >= 0 &&
           touch->side[0].body < model->sizes.nbody && touch->side[1].body >= 0 &&
           touch->side[1].body < model->sizes.nbody;
}

/// Whether row k is the gap of a free ball, about the origin of its body, and another one, or a
/// plane of the ground.
static int is_pair(const trm_model *model, int k)
{
    const trm_touch_pair *const touch = model->contacts[k].touch;
    if (!touch || model->contacts[k].axis != TRM_TOUCH_GAP ||
        dot(touch->side[0].center, touch->side[0].center) != 0) {
        return 0;
    }
    return touch->kind == TRM_TOUCH_BALL_PLANE
               ? touch->side[0].body < model->sizes.nbody &&
                     touch->side[1].body == model->sizes.nbody
               : trm_contact_is_of_balls(model, k) &&
                     dot(touch->side[1].center, touch->side[1].center) == 0;
}

static int by_bodies(const void *a, const void *b)
{
    const trm_ball_pair *const left = a, *const right = b;
    return left->low != right->low ? left->low - right->low : left->high - right->high;
}

static int by_place(const void *a, const void *b)
{
    const trm_ball_way *const left = a, *const right = b;
    return (left->lo > right->lo) - (left->lo < right->lo);
}

void trm_contact_balls_layout(trm_contact *contact, trm_arena *arena)
{
    const trm_model *const model = contact->model;
    const int nbody = model->sizes.nbody, free = model->sizes.nc == 0 && !model->joints;
    trm_contact_balls *const balls = &contact->balls;
    int twos = 0;
    for (int k = 0; free && k < contact->n; k++) {
        balls->npairs += is_pair(model, k);
        twos += is_pair(model, k) && trm_contact_is_of_balls(model, k);
    }
    // no more pairs than balls: each has neighbours alone
    balls->npairs = twos > nbody ? balls->npairs : 0;
    balls->pair = trm_arena_take(arena, (size_t)balls->npairs, sizeof *balls->pair);
    balls->way = trm_arena_take(arena, balls->npairs > 0 ? (size_t)nbody : 0, sizeof *balls->way);
    balls->is_near = trm_arena_take(arena, (size_t)contact->n, 1);
    TRM_ARENA_INTS(arena, balls->npairs, &balls->listed, &balls->entered);
    contact->near = trm_arena_ints(arena, contact->n + 1);
    if (balls->npairs == 0 || !contact->near) {
        return;
    }
    for (int b = 0; b < nbody; b++) {
        balls->way[b] = (trm_ball_way){.body = b};
    }
    trm_ball_pair *pair = balls->pair;
    for (int k = 0; k < contact->n; k++) {
        const trm_touch_side *const side =
            model->contacts[k].touch ? model->contacts[k].touch->side : NULL;
        for (int i = 0; i < 2 && is_pair(model, k) && side[i].body < nbody; i++) {
            double *const radius = &balls->way[side[i].body].radius;
            *radius = fmax(side[i].size[0], *radius);
        }
        if (is_pair(model, k)) {
            const int a = side[0].body, b = side[1].body;
            *pair = (trm_ball_pair){.low = a < b ? a : b, .high = a < b ? b : a, .row = k};
            pair++;
        }
    }
    qsort(balls->pair, (size_t)balls->npairs, sizeof *balls->pair, by_bodies);
    for (int b = 0; b < nbody; b++) {
        balls->way[balls->nballs] = balls->way[b];
        balls->nballs += balls->way[b].radius > 0;
    }
}

/// The rows of a pair: its gap and what belongs to it.
static int end_of(const trm_contact *contact, const trm_ball_pair *pair)
{
    int k = pair->row;
    while (k < contact->n && contact->model->contacts[k].first == pair->row) {
        k++;
    }
    return k;
}

/// contact->near of the rows marked.
static void link_rows(trm_contact *contact)
{
    const unsigned char *const mark = contact->balls.is_near;
    int *next = contact->near;
    for (int k = 0; k < contact->n; k++) {
        const unsigned char *const found = memchr(mark + k, 1, (size_t)(contact->n - k));
        k = found ? (int)(found - mark) : contact->n;
        *next = k;
        next = k < contact->n ? &contact->near[k + 1] : next;
    }
    *next = contact->n;
}

static void list_pair(trm_contact *contact, trm_ball_pair *pair)
{
    trm_contact_balls *const balls = &contact->balls;
    const int end = end_of(contact, pair), number = (int)(pair - balls->pair);
    balls->entered[balls->nentered] = number;
    if (pair->list < balls->list - 1) {
        balls->nentered++;
        for (int k = pair->row; k < end; k++) {
            contact->least[2 * k] = contact->least[2 * k + 1] = INFINITY;
        }
    }
    balls->listed[balls->nlisted++] = number;
    pair->list = balls->list;
    memset(balls->is_near + pair->row, 1, (size_t)(end - pair->row));
}

void trm_contact_all_near(trm_contact *contact)
{
    trm_contact_balls *const balls = &contact->balls;
    balls->list++;
    balls->nlisted = balls->nentered = 0;
    for (int i = 0; i < balls->npairs; i++) {
        list_pair(contact, &balls->pair[i]);
    }
    memset(balls->is_near, 1, (size_t)contact->n);
    link_rows(contact);
}

/// Pairs listed before stay where something of them is held, slides or has a force.
static void keep_pairs(trm_contact *contact)
{
    trm_contact_balls *const balls = &contact->balls;
    const int n = balls->nlisted;
    balls->list++;
    balls->nlisted = balls->nentered = 0;
    for (int i = 0; i < n; i++) {
        trm_ball_pair *const pair = &balls->pair[balls->listed[i]];
        int acts = 0;
        for (int k = pair->row, end = end_of(contact, pair); k < end; k++) {
            acts |= contact->hold[k] || contact->slip[k] || contact->presses[k] ||
                    contact->at_rest[k] || contact->driven[k] || contact->force[k] != 0;
            balls->is_near[k] = 0;
        }
        if (acts) {
            list_pair(contact, pair);
        }
    }
}

/// Whether the chord of a ball comes near the plane of row k, if that is one.
static int may_land(const trm_model *model, const trm_ball_way *ball, int k)
{
    const trm_touch_pair *const touch = model->contacts[k].touch;
    const trm_touch_side *const plane = &touch->side[1];
    double d[3];
    subtract(ball->from, plane->center, d);
    return touch->kind != TRM_TOUCH_BALL_PLANE ||
           dot(d, plane->axis) + fmin(dot(ball->chord, plane->axis), 0) <= ball->reach;
}

/// All pairs of a ball and body b that may come near.
static void list_bodies(trm_contact *contact, const trm_ball_way *ball, int b)
{
    trm_contact_balls *const balls = &contact->balls;
    const int a = ball->body;
    const trm_ball_pair key = {.low = a < b ? a : b, .high = a < b ? b : a};
    trm_ball_pair *pair = bsearch(&key, balls->pair, (size_t)balls->npairs, sizeof key, by_bodies);
    while (pair && pair > balls->pair && !by_bodies(&key, pair - 1)) {
        pair--;
    }
    for (; pair && pair < balls->pair + balls->npairs && !by_bodies(&key, pair); pair++) {
        if (pair->list < balls->list && may_land(contact->model, ball, pair->row)) {
            list_pair(contact, pair);
        }
    }
}

/// Whether two balls may come near: the chord of one as the other sees it passes it by less than
/// both reach.
static int may_meet(const trm_ball_way *a, const trm_ball_way *b)
{
    double d[3], way[3], part[3];
    subtract(a->from, b->from, d);
    subtract(a->chord, b->chord, way);
    const double square = dot(way, way), s = square > 0 ? -dot(d, way) / square : 0;
    add(d, scale(fmin(fmax(s, 0), 1), way, part), d);
    return dot(d, d) <= (a->reach + b->reach) * (a->reach + b->reach);
}

/// The ways of all balls: axis by axis from, chord and deviation. Returns the axis on which they
/// spread most; -1: a number is not finite.
static int find_ways(trm_contact *contact, int count, double *const *F, const double *z)
{
    const trm_model *const model = contact->model;
    double least[3] = {INFINITY, INFINITY, INFINITY}, most[3] = {-INFINITY, -INFINITY, -INFINITY};
    double sum = 0;
    int axis = 0;
    for (trm_ball_way *w = contact->balls.way; w < contact->balls.way + contact->balls.nballs;
         w++) {
        w->reach = 1.5 * w->radius;
        for (int j = 0; j < model->bodies.dimension; j++) {
            const int i = model->body_info[w->body].q0 + j;
            w->from[j] = z[i];
            w->chord[j] = count > 0 ? F[0][i] : 0;
            least[j] = fmin(least[j], w->from[j]);
            most[j] = fmax(most[j], w->from[j]);
            for (int r = 1; r < count; r++) {
                w->reach += fabs(F[r][i]) / 4; // no less than a quarter of the length of F_r
            }
            sum += w->reach + fabs(w->from[j]) + fabs(w->chord[j]);
        }
    }
    for (int j = 1; j < model->bodies.dimension; j++) {
        axis = most[j] - least[j] > most[axis] - least[axis] ? j : axis;
    }
    return isfinite(sum) ? axis : -1;
}

void trm_contact_find_near(trm_contact *contact, int count, double *const *F, const double *z)
{
    trm_contact_balls *const balls = &contact->balls;
    const int axis = find_ways(contact, count, F, z);
    const trm_ball_way *const end = balls->way + balls->nballs;
    if (axis < 0) {
        trm_contact_all_near(contact);
        return;
    }
    for (trm_ball_way *w = balls->way; w < end; w++) {
        w->lo = w->from[axis] + fmin(w->chord[axis], 0) - w->reach;
        w->hi = w->from[axis] + fmax(w->chord[axis], 0) + w->reach;
    }
    qsort(balls->way, (size_t)balls->nballs, sizeof *balls->way, by_place);
    keep_pairs(contact);
    for (const trm_ball_way *a = balls->way; a < end; a++) {
        list_bodies(contact, a, contact->model->sizes.nbody);
        for (const trm_ball_way *b = a + 1; b < end && b->lo <= a->hi; b++) {
            if (may_meet(a, b)) {
                list_bodies(contact, a, b->body);
            }
        }
    }
    link_rows(contact);
}

double trm_contact_pace(const trm_contact *contact, const double *z)
{
    const trm_model *const model = contact->model;
    double most = 0;
    for (int b = 0; b < contact->balls.nballs; b++) {
        const trm_ball_way *const w = &contact->balls.way[b];
        const double *const v = z + contact->nq + model->body_info[w->body].v0;
        double square = 0;
        for (int j = 0; j < model->bodies.dimension; j++) {
            square += v[j] * v[j];
        }
        most = fmax(4 * sqrt(square) / w->radius, most);
    }
    return most;
}

void trm_contact_follow_balls(trm_contact *contact, const double *z)
{
    const trm_model *const model = contact->model;
    const trm_contact_balls *const balls = &contact->balls;
    int moved = 0;
    for (int b = 0; balls->follows && b < balls->nballs && !moved; b++) {
        const trm_ball_way *const w = &balls->way[b];
        double square = 0;
        for (int j = 0; j < model->bodies.dimension; j++) {
            const double d = z[model->body_info[w->body].q0 + j] - w->from[j];
            square += d * d;
        }
        moved = !(square <= w->radius * w->radius / 16);
    }
    if (moved) {
        trm_contact_find_near(contact, 0, NULL, z);
    }
}
