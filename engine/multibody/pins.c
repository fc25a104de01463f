/// Equations of pins, one after the other: moments m, gamma, products with G and G^T, blocks of S.
/// What pins.h writes per pin, for bodies a and b or for one body on the ground.
#include "engine/multibody/pins.h"
#include "base/loops.h"
#include "base/pair.h"

// ------------------------------------------------------------------------------------ positions

void trm_pins_prepare(const trm_pins *pins, trm_lane *G)
{
    for (int i = 0; i < pins->ncopies; i++) {
        const trm_pin_copy *copy = &pins->copy[i];
        G[copy->G] = copy->sign;
        G[copy->G + 4] = copy->sign;
    }
}

static void copy_moments(const trm_pins *pins, const trm_lane *m, trm_lane *G)
{
    for (int i = 0; i < pins->ncopies; i++) {
        const trm_pin_copy *copy = &pins->copy[i];
        G[copy->G + 2] = m[copy->m];
        G[copy->G + 5] = m[copy->m + 1];
    }
}

static const trm_lane none = {0};

/// A point of a body about its centre, and that turned left.
typedef struct arm {
    trm_pair is, left;
} arm;

static inline arm arm_of(trm_lane c, trm_lane s, const trm_lane l[2][2])
{
    const trm_pair own = trm_pair_load(l[0]), left = trm_pair_load(l[1]);
    return (arm){trm_plus(trm_scaled(c, own), trm_scaled(s, left)),
                 trm_minus(trm_scaled(c, left), trm_scaled(s, own))};
}

/// (Pointers of the pose would be loaded again after each store.)
TRM_WIDE static void position(const trm_pins *pins, const trm_pose *pose, trm_lane *g, trm_lane *m)
{
    const trm_lane *const x = pose->x, *const y = pose->y, *const c = pose->c, *const s = pose->s;
    const int n = pose->nbody;
    for (const trm_ground_pin *pin = pins->ground, *end = pin + pins->nground; pin < end; pin++) {
        const int i = pin->body;
        const arm of = arm_of(c[i], s[i], pin->l);
        const trm_pair at = trm_plus(trm_pair_of(x[n], y[n]), trm_pair_load(pin->at));
        const trm_pair gap = trm_minus(trm_plus(trm_pair_of(x[i], y[i]), of.is), at);
        trm_pair_store(trm_scaled(pin->sign, gap), g + pin->row);
        trm_pair_store(trm_scaled(pin->sign, of.left), m);
        m += 2;
    }
    for (const trm_pin *pin = pins->pin, *end = pin + pins->n; pin < end; pin++) {
        const int i = pin->a, j = pin->b;
        const arm a = arm_of(c[i], s[i], pin->la), b = arm_of(c[j], s[j], pin->lb);
        const trm_pair at_a = trm_plus(trm_pair_of(x[i], y[i]), a.is);
        const trm_pair at_b = trm_plus(trm_pair_of(x[j], y[j]), b.is);
        trm_pair_store(trm_minus(at_b, at_a), g + pin->row);
        trm_pair_store(trm_negative(a.left), m);
        trm_pair_store(b.left, m + 2);
        m += 4;
    }
}

void trm_pins_position(const trm_pins *pins, const trm_pose *pose, trm_lane *g, trm_lane *m,
                       trm_lane *G)
{
    position(pins, pose, g, m);
    copy_moments(pins, m, G);
}

// ------------------------------------------------------------------------------------- products

/// m c + m' c^2, m' the moment turned by a right angle: what a body adds to G a - gamma.
static inline trm_pair turning(const trm_lane *m, trm_lane acceleration, trm_lane rate)
{
    const trm_lane square = rate * rate;
    return trm_plus(trm_scaled(acceleration, trm_pair_load(m)),
                    trm_times(trm_pair_of(m[1], m[0]), trm_pair_of(-square, square)));
}

TRM_WIDE static void acceleration_residual(const trm_pins *pins, const trm_lane *m,
                                           const trm_lane *V, const trm_lane *A, trm_lane *r)
{
    for (const trm_ground_pin *pin = pins->ground, *end = pin + pins->nground; pin < end; pin++) {
        const trm_lane *a = A + pin->v;
        const trm_pair turn = turning(m, a[2], V[pin->v + 2]);
        trm_pair_store(trm_plus(trm_scaled(pin->sign, trm_pair_load(a)), turn), r + pin->row);
        m += 2;
    }
    for (const trm_pin *pin = pins->pin, *end = pin + pins->n; pin < end; pin++) {
        const trm_lane *a = A + pin->va, *b = A + pin->vb;
        const trm_pair turn =
            trm_plus(turning(m + 2, b[2], V[pin->vb + 2]), turning(m, a[2], V[pin->va + 2]));
        trm_pair_store(trm_plus(trm_minus(trm_pair_load(b), trm_pair_load(a)), turn), r + pin->row);
        m += 4;
    }
}

void trm_pins_acceleration_residual(const trm_pins *pins, const trm_lane *m, const trm_lane *V,
                                    const trm_lane *A, trm_lane *r)
{
    acceleration_residual(pins, m, V, A, r);
}

void trm_pins_multiply_G(const trm_pins *pins, const trm_lane *m, const trm_lane *x, trm_lane *y)
{
    for (const trm_ground_pin *pin = pins->ground, *end = pin + pins->nground; pin < end; pin++) {
        const trm_lane *v = x + pin->v;
        const trm_pair turn = trm_scaled(v[2], trm_pair_load(m));
        trm_pair_store(trm_plus(trm_scaled(pin->sign, trm_pair_load(v)), turn), y + pin->row);
        m += 2;
    }
    for (const trm_pin *pin = pins->pin, *end = pin + pins->n; pin < end; pin++) {
        const trm_lane *a = x + pin->va, *b = x + pin->vb;
        const trm_pair turn =
            trm_plus(trm_scaled(b[2], trm_pair_load(m + 2)), trm_scaled(a[2], trm_pair_load(m)));
        trm_pair_store(trm_plus(trm_minus(trm_pair_load(b), trm_pair_load(a)), turn), y + pin->row);
        m += 4;
    }
}

/// x += sign force, and its moment about the body.
static inline void push(trm_pair force, trm_lane sign, const trm_lane *m, trm_lane *x)
{
    const trm_pair moment = trm_times(trm_pair_load(m), force);
    trm_pair_store(trm_plus(trm_pair_load(x), trm_scaled(sign, force)), x);
    x[2] += trm_first(moment) + trm_second(moment);
}

TRM_WIDE static void multiply_GT(const trm_pins *pins, const trm_lane *m, const trm_lane *y,
                                 trm_lane *x)
{
    for (const trm_ground_pin *pin = pins->ground, *end = pin + pins->nground; pin < end; pin++) {
        push(trm_pair_load(y + pin->row), pin->sign, m, x + pin->v);
        m += 2;
    }
    for (const trm_pin *pin = pins->pin, *end = pin + pins->n; pin < end; pin++) {
        const trm_pair force = trm_pair_load(y + pin->row);
        push(force, trm_lane_of(-1), m, x + pin->va);
        push(force, trm_lane_of(1), m + 2, x + pin->vb);
        m += 4;
    }
}

void trm_pins_multiply_GT(const trm_pins *pins, const trm_lane *m, const trm_lane *y, trm_lane *x)
{
    multiply_GT(pins, m, y, x);
}

// -------------------------------------------------------------------------------------------- S

TRM_WIDE static void form_S(const trm_pins *pins, const trm_lane *m, int metric, trm_lane *S)
{
    const trm_pin_diagonal *of = pins->diagonal[metric];
    const trm_lane *own = m;
    for (const trm_pin_diagonal *end = of + pins->nground; of < end; of++) {
        const trm_pair a = trm_pair_load(own), wa = trm_scaled(of->u[0], a);
        trm_lane *block = S + of->S;
        trm_pair_store(trm_plus(trm_pair_of(of->both, none), trm_scaled(trm_first(wa), a)), block);
        trm_pair_store(trm_plus(trm_pair_of(none, of->both), trm_scaled(trm_second(wa), a)),
                       block + 2);
        own += 2;
    }
    for (const trm_pin_diagonal *end = of + pins->n; of < end; of++) {
        const trm_pair a = trm_pair_load(own), b = trm_pair_load(own + 2);
        const trm_pair wa = trm_scaled(of->u[0], a), wb = trm_scaled(of->u[1], b);
        trm_lane *block = S + of->S;
        const trm_pair above = trm_plus(trm_scaled(trm_first(wa), a), trm_scaled(trm_first(wb), b));
        const trm_pair below =
            trm_plus(trm_scaled(trm_second(wa), a), trm_scaled(trm_second(wb), b));
        trm_pair_store(trm_plus(trm_pair_of(of->both, none), above), block);
        trm_pair_store(trm_plus(trm_pair_of(none, of->both), below), block + 2);
        own += 4;
    }
    const trm_pin_pair *pair = pins->pair[metric];
    for (const trm_pin_pair *end = pair + pins->nfirst; pair < end; pair++) {
        const trm_pair wi = trm_scaled(pair->u, trm_pair_load(m + pair->i));
        const trm_pair mj = trm_pair_load(m + pair->j);
        trm_lane *block = S + pair->S;
        trm_pair_store(trm_plus(trm_pair_of(pair->plain, none), trm_scaled(trm_first(wi), mj)),
                       block);
        trm_pair_store(trm_plus(trm_pair_of(none, pair->plain), trm_scaled(trm_second(wi), mj)),
                       block + 2);
    }
}

void trm_pins_form_S(const trm_pins *pins, const trm_lane *m, int metric, trm_lane *S)
{
    form_S(pins, m, metric, S);
    for (int k = pins->nfirst; k < pins->npairs; k++) {
        const trm_pin_pair *pair = &pins->pair[metric][k];
        const trm_lane *mi = m + pair->i, *mj = m + pair->j;
        for (int a = 0; a < 2; a++) {
            for (int b = 0; b < 2; b++) {
                S[pair->S + 2 * a + b] += (a == b ? pair->plain : none) + pair->u * mi[a] * mj[b];
            }
        }
    }
}
