// Shapes that touch: of the pairs that a model lets touch, those that a scene has.

#include "scenes/import/description/description.h"

#include "bodies/vector.h"

#include <math.h>

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

/// The link that a tree of joints hangs a link on, past those without a mass of their own.
static int above(const trm_description *d, int link)
{
    do {
        int up = TRM_LINK_GROUND;
        for (int j = d->njoints - 1; j >= 0; j--) { // joints that close loops come last
            up = trm_carrier(d, d->joints[j].b) == link ? trm_carrier(d, d->joints[j].a) : up;
        }
        link = up;
    } while (link >= 0 && d->links[link].between);
    return link;
}

static int are_apart(const trm_description *d, const trm_toucher *a, const trm_toucher *b)
{
    for (int i = 0; i < d->naparts; i++) {
        const int *const of = d->aparts[i].link;
        if ((of[0] == a->link && of[1] == b->link) || (of[0] == b->link && of[1] == a->link)) {
            return 1;
        }
    }
    return 0;
}

static int may_touch(const trm_description *d, const trm_toucher *a, const trm_toucher *b)
{
    const trm_touching *const x = &a->look->touching, *const y = &b->look->touching;
    const int hang = a->body >= 0 && b->body >= 0 && !x->family &&
                     (above(d, a->body) == b->body || above(d, b->body) == a->body);
    return a->body != b->body && ((x->type & y->affinity) || (y->type & x->affinity)) &&
           !(x->family && x->family == y->family) && !hang && !are_apart(d, a, b);
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

static void add_touch(trm_description *d, trm_toucher *a, trm_toucher *b)
{
    const trm_touching *const x = &a->look->touching, *const y = &b->look->touching;
    const trm_touching *const first = x->priority >= y->priority ? x : y;
    const int pa = place_point(d, a), pb = place_point(d, b);
    trm_link_touch *const out = TRM_DESCRIBE(d, touches);
    double mu[3];
    if (!out) {
        return;
    }
    for (int i = 0; i < 3; i++) {
        mu[i] = x->priority != y->priority ? first->friction[i]
                : d->has_least_friction    ? fmin(x->friction[i], y->friction[i])
                                           : fmax(x->friction[i], y->friction[i]);
    }
    const int directions = x->priority != y->priority      ? first->directions
                           : x->directions > y->directions ? x->directions
                                                           : y->directions;
    *out = (trm_link_touch){.shape = {a->look, b->look},
                            .link = {a->body, b->body},
                            .point = {pa, pb},
                            .friction = directions > 1 ? mu[0] : 0,
                            .spinning = directions > 3 ? mu[1] : 0,
                            .rolling = directions > 4 ? mu[2] : 0,
                            .restitution = fmax(x->restitution, y->restitution)};
}

static void pair_up(trm_description *d, trm_toucher *a, trm_toucher *b)
{
    trm_toucher *const upper = can_lie(a->look, b->look) ? a : b;
    trm_toucher *const lower = upper == a ? b : a;
    if (!may_touch(d, a, b)) {
        return;
    }
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
    d->assemble |= distance < 0;
    add_touch(d, upper, lower);
}

static int list_touchers(const trm_look *look, int link, int body, trm_toucher *out)
{
    int n = 0;
    for (; look; look = look->next) {
        if (look->touching.type || look->touching.affinity) {
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
    int n = list_touchers(d->ground_looks, TRM_LINK_GROUND, TRM_LINK_GROUND, out);
    for (int i = 0; i < d->nlinks; i++) {
        n += list_touchers(d->links[i].looks, i, trm_carrier(d, i), out ? out + n : NULL);
    }
    return n;
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
    }
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < i && d->status == TRM_OK; j++) {
            pair_up(d, &all[j], &all[i]);
        }
    }
    for (int i = 0; i < n; i++) {
        if (all[i].look->kind == TRM_LOOK_MESH) {
            trm_lose(d, all[i].look->from, NULL, 1, "meshes touch nothing here");
        } else if (all[i].is_partial) {
            trm_lose(d, all[i].look->from, NULL, 1,
                     all[i].look->kind == TRM_LOOK_SPHERE ? "it goes through ellipsoids and meshes"
                                                          : "it touches planes and balls only");
        }
    }
}
