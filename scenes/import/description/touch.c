// Shapes that touch: of the pairs that a model lets touch, those that a scene has.

#include "scenes/import/description/description.h"

#include "bodies/vector.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct trm_toucher {
    const trm_look *look;
    int link, body; ///< body: that carries the link
    int point;      ///< -1: none yet
    int is_partial; ///< it touches less than the model says
} trm_toucher;

/// The axis k of a shape in the world.
static double *axis_of(const trm_look *of, int k, double out[3])
{
    return set3(out, of->place.R[k], of->place.R[3 + k], of->place.R[6 + k]);
}

/// How far a solid reaches from its centre against n.
static double reach(const trm_look *of, const double n[3])
{
    const double *const s = of->size;
    double local[3];
    rotate_back(of->place.R, n, local);
    switch (of->kind) {
    case TRM_LOOK_BOX:
        return (fabs(local[0]) * s[0] + fabs(local[1]) * s[1] + fabs(local[2]) * s[2]) / 2;
    case TRM_LOOK_CYLINDER:
        return fabs(local[2]) * s[1] / 2 + hypot(local[0], local[1]) * s[0];
    case TRM_LOOK_CAPSULE:
        return fabs(local[2]) * s[1] / 2 + s[0];
    case TRM_LOOK_ELLIPSOID:
        return sqrt(pow(s[0] * local[0], 2) + pow(s[1] * local[1], 2) + pow(s[2] * local[2], 2));
    default:
        return s[0];
    }
}

/// From the centre of a ball, seen from a solid, to the solid.
static double outside(const trm_look *solid, const double at[3])
{
    const double *const s = solid->size;
    double over[3];
    switch (solid->kind) {
    case TRM_LOOK_BOX:
        for (int i = 0; i < 3; i++) {
            over[i] = fmax(0, fabs(at[i]) - s[i] / 2);
        }
        return sqrt(dot(over, over));
    case TRM_LOOK_CYLINDER:
        return hypot(fmax(0, hypot(at[0], at[1]) - s[0]), fmax(0, fabs(at[2]) - s[1] / 2));
    case TRM_LOOK_CAPSULE:
        return hypot(hypot(at[0], at[1]), fmax(0, fabs(at[2]) - s[1] / 2)) - s[0];
    default:
        return sqrt(dot(at, at)) - s[0];
    }
}

/// Of a that may lie on b.
static double gap(const trm_look *a, const trm_look *b)
{
    double between[3], local[3], n[3];
    subtract(a->place.p, b->place.p, between);
    if (b->kind == TRM_LOOK_PLANE) {
        return dot(between, axis_of(b, 2, n)) - reach(a, n);
    }
    return outside(b, rotate_back(b->place.R, between, local)) - a->size[0];
}

static int can_lie(const trm_look *a, const trm_look *b)
{
    return b->kind == TRM_LOOK_PLANE ? a->kind < TRM_LOOK_MESH
                                     : a->kind == TRM_LOOK_SPHERE && b->kind < TRM_LOOK_ELLIPSOID;
}

/// Of each link the one that a tree of joints hangs it on, past those without a mass of their own.
static int *list_above(const trm_description *d)
{
    int *const up = trm_pool_take(d->pool, (size_t)d->nlinks + 1, sizeof *up);
    for (int i = 0; up && i < d->nlinks; i++) {
        up[i] = TRM_LINK_GROUND;
    }
    for (int j = d->njoints - 1; up && j >= 0; j--) { // joints that close loops come last
        const int b = trm_carrier(d, d->joints[j].b);
        if (b >= 0) {
            up[b] = trm_carrier(d, d->joints[j].a);
        }
    }
    for (int i = 0; up && i < d->nlinks; i++) {
        for (int n = 0; up[i] >= 0 && d->links[up[i]].between && n < d->nlinks; n++) {
            up[i] = up[up[i]];
        }
    }
    return up;
}

static uint64_t key_of(int a, int b)
{
    return (uint64_t)(a < b ? a : b) + 1 + (((uint64_t)(a < b ? b : a) + 1) << 32);
}

static int by_key(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static int has_key(const uint64_t *keys, int n, int a, int b)
{
    const uint64_t key = key_of(a, b);
    return n > 0 && bsearch(&key, keys, (size_t)n, sizeof *keys, by_key) != NULL;
}

/// What keeps shapes apart.
typedef struct apart {
    const int *above;
    uint64_t *links, *shapes; ///< [naparts], [npairs], sorted: pairs that do not touch, or as told
} apart;

/// Nothing more is to be said of the two: neither can lie on the other, and both are told.
static int is_told(const trm_toucher *a, const trm_toucher *b)
{
    return a->is_partial && b->is_partial && !can_lie(a->look, b->look) &&
           !can_lie(b->look, a->look);
}

static int may_touch(const trm_description *d, const apart *kept, const trm_toucher *all, int i,
                     int j)
{
    const trm_toucher *const a = &all[i], *const b = &all[j];
    const trm_touching *const x = &a->look->touching, *const y = &b->look->touching;
    const int hang = a->body >= 0 && b->body >= 0 && !x->family &&
                     (kept->above[a->body] == b->body || kept->above[b->body] == a->body);
    return a->body != b->body && ((x->type & y->affinity) || (y->type & x->affinity)) &&
           !(x->family && x->family == y->family) && !hang &&
           !has_key(kept->links, d->naparts, a->link, b->link) &&
           !has_key(kept->shapes, d->npairs, i, j);
}

/// A point of the scene where the shape is.
static int place_point(trm_description *d, trm_toucher *of)
{
    if (of->point < 0) {
        const char *const name = of->look->name ? of->look->name
                                 : of->link < 0 ? "floor"
                                                : d->links[of->link].name;
        trm_link_point *const point = TRM_DESCRIBE(d, points);
        if (point) {
            *point = (trm_link_point){.name = trm_describe_text(d, "%s_shape", name),
                                      .from = of->look->from,
                                      .link = of->link,
                                      .place = of->look->place};
            of->point = d->npoints - 1;
        }
    }
    return of->point;
}

/// Of mu what there is in so many directions.
void trm_touching_cut(int directions, double mu[3])
{
    for (int i = 0; i < 3; i++) {
        mu[i] = directions > (const int[]){1, 3, 4}[i] ? mu[i] : 0;
    }
}

/// Friction of two shapes by what each says, in the directions that there are.
static void mix(const trm_description *d, const trm_touching *x, const trm_touching *y,
                double mu[3])
{
    const trm_touching *const first = x->priority >= y->priority ? x : y;
    const int directions = x->priority != y->priority      ? first->directions
                           : x->directions > y->directions ? x->directions
                                                           : y->directions;
    for (int i = 0; i < 3; i++) {
        mu[i] = x->priority != y->priority ? first->friction[i]
                : d->has_least_friction    ? fmin(x->friction[i], y->friction[i])
                                           : fmax(x->friction[i], y->friction[i]);
    }
    trm_touching_cut(directions, mu);
}

static void join(trm_description *d, trm_toucher *a, trm_toucher *b, const double mu[3])
{
    trm_toucher *const upper = can_lie(a->look, b->look) ? a : b;
    trm_toucher *const lower = upper == a ? b : a;
    if (!can_lie(upper->look, lower->look)) {
        a->is_partial |= a->look->kind != TRM_LOOK_PLANE;
        b->is_partial |= b->look->kind != TRM_LOOK_PLANE;
        return;
    }
    const double distance = gap(upper->look, lower->look);
    if (distance < 0 && lower->look->kind != TRM_LOOK_PLANE) {
        trm_lose(d, upper->look->from, NULL, 1,
                 "it overlaps another shape at the start, and goes through it");
        return;
    }
    if (d->ntouches == TRM_LINK_TOUCHES) {
        TRM_REFUSE(d, upper->look->from,
                   "more than %d pairs of shapes may touch, more than a run holds: let fewer, by "
                   "contype and conaffinity or <exclude>; in SDF by fewer <collision>",
                   (int)TRM_LINK_TOUCHES);
        return;
    }
    d->assemble |= distance < 0;
    const int pa = place_point(d, upper), pb = place_point(d, lower);
    trm_link_touch *const out = TRM_DESCRIBE(d, touches);
    if (out) {
        *out = (trm_link_touch){.shape = {upper->look, lower->look},
                                .link = {upper->body, lower->body},
                                .point = {pa, pb},
                                .friction = mu[0],
                                .spinning = mu[1],
                                .rolling = mu[2],
                                .restitution = fmax(upper->look->touching.restitution,
                                                    lower->look->touching.restitution)};
    }
}

/// Shapes of `pairs` by their names; those that are not there are refused.
static void join_pairs(trm_description *d, int n, trm_toucher *all, uint64_t *keys)
{
    trm_names names;
    if (!trm_names_open(&names, d->pool, (size_t)n + 1)) {
        trm_describe_no_memory(d);
        return;
    }
    for (int i = n - 1; i >= 0; i--) {
        const char *const name = all[i].look->name;
        if (name) {
            *trm_names_find(&names, name, strlen(name)) = (trm_name){.text = name, .index = i};
        }
    }
    for (int i = 0; i < d->npairs && d->status == TRM_OK; i++) {
        trm_link_pair *const pair = &d->pairs[i];
        trm_toucher *of[2] = {NULL, NULL};
        for (int side = 0; side < 2; side++) {
            const char *const name = pair->name[side];
            const trm_name *const found = trm_names_find(&names, name, strlen(name));
            if (!found->text) {
                TRM_REFUSE(d, pair->from, "there is no geom \"%.60s\"", name);
                return;
            }
            of[side] = &all[found->index];
        }
        keys[i] = key_of((int)(of[0] - all), (int)(of[1] - all));
        if (of[0]->body != of[1]->body) {
            join(d, of[0], of[1], pair->friction);
        }
    }
}

static int touches(const trm_look *look)
{
    return look->touching.type || look->touching.affinity;
}

/// Those that touch; where there are pairs, all.
static int list_touchers(const trm_description *d, const trm_look *look, int link, int body,
                         trm_toucher *out)
{
    int n = 0;
    for (; look; look = look->next) {
        if (touches(look) || d->npairs > 0) {
            if (out) {
                out[n] = (trm_toucher){.look = look, .link = link, .body = body, .point = -1};
            }
            n++;
        }
    }
    return n;
}

static int list_all(const trm_description *d, trm_toucher *out)
{
    int n = list_touchers(d, d->ground_looks, TRM_LINK_GROUND, TRM_LINK_GROUND, out);
    for (int i = 0; i < d->nlinks; i++) {
        n += list_touchers(d, d->links[i].looks, i, trm_carrier(d, i), out ? out + n : NULL);
    }
    return n;
}

/// All pairs of those that may touch, with the friction of both.
static void pair_up(trm_description *d, int n, trm_toucher *all)
{
    const size_t nkeys = (size_t)(d->naparts + d->npairs) + 1;
    uint64_t *const keys = trm_pool_take(d->pool, nkeys, sizeof *keys);
    const apart kept = {list_above(d), keys, keys ? keys + d->naparts : NULL};
    double mu[3];
    if (!keys || !kept.above) {
        trm_describe_no_memory(d);
        return;
    }
    for (int i = 0; i < d->naparts; i++) {
        keys[i] = key_of(d->aparts[i].link[0], d->aparts[i].link[1]);
    }
    join_pairs(d, n, all, kept.shapes);
    qsort(kept.links, (size_t)d->naparts, sizeof *keys, by_key);
    qsort(kept.shapes, (size_t)d->npairs, sizeof *keys, by_key);
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < i && d->status == TRM_OK; j++) {
            if (!is_told(&all[i], &all[j]) && may_touch(d, &kept, all, i, j)) {
                mix(d, &all[j].look->touching, &all[i].look->touching, mu);
                join(d, &all[j], &all[i], mu);
            }
        }
    }
}

void trm_describe_touches(trm_description *d)
{
    const int n = d->nothing_touches ? 0 : list_all(d, NULL);
    trm_toucher *const all = n > 0 ? trm_pool_take(d->pool, (size_t)n, sizeof *all) : NULL;
    if (n > 0 && !all) {
        trm_describe_no_memory(d);
        return;
    }
    if (n > 0) {
        list_all(d, all);
        pair_up(d, n, all);
    }
    for (int i = 0; i < n; i++) {
        if (all[i].look->kind == TRM_LOOK_MESH && (touches(all[i].look) || all[i].is_partial)) {
            trm_lose(d, all[i].look->from, NULL, 1, "meshes touch nothing here");
        } else if (all[i].is_partial) {
            trm_lose(d, all[i].look->from, NULL, 1,
                     all[i].look->kind == TRM_LOOK_SPHERE ? "it goes through ellipsoids and meshes"
                                                          : "it touches planes and balls only");
        }
    }
}
