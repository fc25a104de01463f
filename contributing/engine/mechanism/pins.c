#include "engine/mechanism/pins.h"
#include "engine/base/loops.h"
#include "engine/base/pair.h"

// ------------------------------------------------------------------------------------ positions

void trm_pins_prepare(const trm_pins *pins, double *G)
{
    for (int i = 0; i < pins->ncopies; i++) {
        const trm_pin_copy *copy = &pins->copy[i];
        G[copy->G] = copy->sign;
        G[copy->G + 4] = copy->sign;
    }
}

static void copy_moments(const trm_pins *pins, const double *m, double *G)
{
    for (int i = 0; i < pins->ncopies; i++) {
        const trm_pin_copy *copy = &pins->copy[i];
        G[copy->G + 2] = m[copy->m];
        G[copy->G + 5] = m[copy->m + 1];
    }
}

/// A point of a body about its centre, and that turned left.
typedef struct arm {
    trm_pair is, left;
} arm;

static inline arm arm_of(double c, double s, const double l[2][2])
{
    const trm_pair own = trm_pair_load(l[0]), left = trm_pair_load(l[1]);
    return (arm){c * own + s * left, c * left - s * own};
}

/// (Pointers of the pose would be loaded again after each store.)
TRM_WIDE static void position(const trm_pins *pins, const trm_pose *pose, double *g, double *m)
{
    const double *const x = pose->x, *const y = pose->y, *const c = pose->c, *const s = pose->s;
    for (const trm_ground_pin *pin = pins->ground, *end = pin + pins->nground; pin < end; pin++) {
        const int i = pin->body;
        const arm of = arm_of(c[i], s[i], pin->l);
        const trm_pair gap = ((trm_pair){x[i], y[i]} + of.is) - trm_pair_load(pin->at);
        trm_pair_store(pin->sign * gap, g + pin->row);
        trm_pair_store(pin->sign * of.left, m);
        m += 2;
    }
    for (const trm_pin *pin = pins->pin, *end = pin + pins->n; pin < end; pin++) {
        const int i = pin->a, j = pin->b;
        const arm a = arm_of(c[i], s[i], pin->la), b = arm_of(c[j], s[j], pin->lb);
        const trm_pair at_a = (trm_pair){x[i], y[i]} + a.is, at_b = (trm_pair){x[j], y[j]} + b.is;
        trm_pair_store(at_b - at_a, g + pin->row);
        trm_pair_store(-a.left, m);
        trm_pair_store(b.left, m + 2);
        m += 4;
    }
}

void trm_pins_position(const trm_pins *pins, const trm_pose *pose, double *g, double *m, double *G)
{
    position(pins, pose, g, m);
    copy_moments(pins, m, G);
}

// ------------------------------------------------------------------------------------- products

/// m c + m' c^2, m' the moment turned by a right angle: what a body adds to G a - gamma.
static inline trm_pair turning(const double *m, double acceleration, double rate)
{
    const double square = rate * rate;
    return trm_pair_load(m) * acceleration + (trm_pair){m[1], m[0]} * (trm_pair){-square, square};
}

TRM_WIDE static void acceleration_residual(const trm_pins *pins, const double *m, const double *V,
                                           const double *A, double *r)
{
    for (const trm_ground_pin *pin = pins->ground, *end = pin + pins->nground; pin < end; pin++) {
        const double *a = A + pin->v;
        const trm_pair turn = turning(m, a[2], V[pin->v + 2]);
        trm_pair_store(pin->sign * trm_pair_load(a) + turn, r + pin->row);
        m += 2;
    }
    for (const trm_pin *pin = pins->pin, *end = pin + pins->n; pin < end; pin++) {
        const double *a = A + pin->va, *b = A + pin->vb;
        const trm_pair turn =
            turning(m + 2, b[2], V[pin->vb + 2]) + turning(m, a[2], V[pin->va + 2]);
        trm_pair_store((trm_pair_load(b) - trm_pair_load(a)) + turn, r + pin->row);
        m += 4;
    }
}

void trm_pins_acceleration_residual(const trm_pins *pins, const double *m, const double *V,
                                    const double *A, double *r)
{
    acceleration_residual(pins, m, V, A, r);
}

void trm_pins_multiply_G(const trm_pins *pins, const double *m, const double *x, double *y)
{
    for (const trm_ground_pin *pin = pins->ground, *end = pin + pins->nground; pin < end; pin++) {
        const double *v = x + pin->v;
        trm_pair_store(pin->sign * trm_pair_load(v) + trm_pair_load(m) * v[2], y + pin->row);
        m += 2;
    }
    for (const trm_pin *pin = pins->pin, *end = pin + pins->n; pin < end; pin++) {
        const double *a = x + pin->va, *b = x + pin->vb;
        const trm_pair turn = trm_pair_load(m + 2) * b[2] + trm_pair_load(m) * a[2];
        trm_pair_store((trm_pair_load(b) - trm_pair_load(a)) + turn, y + pin->row);
        m += 4;
    }
}

/// x += sign force, and its moment about the body.
static inline void push(trm_pair force, double sign, const double *m, double *x)
{
    const trm_pair moment = trm_pair_load(m) * force;
    trm_pair_store(trm_pair_load(x) + sign * force, x);
    x[2] += moment[0] + moment[1];
}

TRM_WIDE static void multiply_GT(const trm_pins *pins, const double *m, const double *y, double *x)
{
    for (const trm_ground_pin *pin = pins->ground, *end = pin + pins->nground; pin < end; pin++) {
        push(trm_pair_load(y + pin->row), pin->sign, m, x + pin->v);
        m += 2;
    }
    for (const trm_pin *pin = pins->pin, *end = pin + pins->n; pin < end; pin++) {
        const trm_pair force = trm_pair_load(y + pin->row);
        push(force, -1, m, x + pin->va);
        push(force, 1, m + 2, x + pin->vb);
        m += 4;
    }
}

void trm_pins_multiply_GT(const trm_pins *pins, const double *m, const double *y, double *x)
{
    multiply_GT(pins, m, y, x);
}

// -------------------------------------------------------------------------------------------- S

TRM_WIDE static void form_S(const trm_pins *pins, const double *m, int metric, double *S)
{
    const trm_pin_diagonal *of = pins->diagonal[metric];
    const double *own = m;
    for (const trm_pin_diagonal *end = of + pins->nground; of < end; of++) {
        const trm_pair a = trm_pair_load(own), wa = of->u[0] * a;
        double *block = S + of->S;
        trm_pair_store((trm_pair){of->both, 0} + a * wa[0], block);
        trm_pair_store((trm_pair){0, of->both} + a * wa[1], block + 2);
        own += 2;
    }
    for (const trm_pin_diagonal *end = of + pins->n; of < end; of++) {
        const trm_pair a = trm_pair_load(own), b = trm_pair_load(own + 2);
        const trm_pair wa = of->u[0] * a, wb = of->u[1] * b;
        double *block = S + of->S;
        trm_pair_store((trm_pair){of->both, 0} + (a * wa[0] + b * wb[0]), block);
        trm_pair_store((trm_pair){0, of->both} + (a * wa[1] + b * wb[1]), block + 2);
        own += 4;
    }
    const trm_pin_pair *pair = pins->pair[metric];
    for (const trm_pin_pair *end = pair + pins->nfirst; pair < end; pair++) {
        const trm_pair wi = pair->u * trm_pair_load(m + pair->i), mj = trm_pair_load(m + pair->j);
        double *block = S + pair->S;
        trm_pair_store((trm_pair){pair->plain, 0} + wi[0] * mj, block);
        trm_pair_store((trm_pair){0, pair->plain} + wi[1] * mj, block + 2);
    }
}

void trm_pins_form_S(const trm_pins *pins, const double *m, int metric, double *S)
{
    form_S(pins, m, metric, S);
    for (int k = pins->nfirst; k < pins->npairs; k++) {
        const trm_pin_pair *pair = &pins->pair[metric][k];
        const double *mi = m + pair->i, *mj = m + pair->j;
        for (int a = 0; a < 2; a++) {
            for (int b = 0; b < 2; b++) {
                S[pair->S + 2 * a + b] += (a == b ? pair->plain : 0) + pair->u * mi[a] * mj[b];
            }
        }
    }
}
