#include "engine/pins.h"
#include "engine/loops.h"
#include "engine/pair.h"

static void copy_blocks(const trm_pins *pins, const double *m, double *G)
{
    for (int i = 0; i < pins->ncopies; i++) {
        const trm_pin_copy *copy = &pins->copy[i];
        const double *moment = m + 4 * copy->pin;
        const double block[12] = {-1, 0, moment[0], 0, -1, moment[1],
                                  1,  0, moment[2], 0, 1,  moment[3]};
        for (int k = 0; k < 12; k++) {
            G[copy->G + k] = block[k];
        }
    }
}

TRM_WIDE static void position(int n, const trm_pin *pin, const trm_pose *pose, double *g, double *m)
{
    const double *x = pose->x, *y = pose->y, *c = pose->c, *s = pose->s;
    for (const trm_pin *end = pin + n; pin < end; pin++, m += 4) {
        const int a = pin->a, b = pin->b;
        const double xa = c[a] * pin->la[0] - s[a] * pin->la[1];
        const double ya = s[a] * pin->la[0] + c[a] * pin->la[1];
        const double xb = c[b] * pin->lb[0] - s[b] * pin->lb[1];
        const double yb = s[b] * pin->lb[0] + c[b] * pin->lb[1];
        const trm_pair gap = {(x[b] + xb) - (x[a] + xa), (y[b] + yb) - (y[a] + ya)};
        trm_pair_store(gap, g + pin->row);
        trm_pair_store((trm_pair){ya, -xa}, m);
        trm_pair_store((trm_pair){-yb, xb}, m + 2);
    }
}

void trm_pins_position(const trm_pins *pins, const trm_pose *pose, double *g, double *m, double *G)
{
    position(pins->n, pins->pin, pose, g, m);
    copy_blocks(pins, m, G);
}

/// m c + m' c^2, m' the moment turned by a right angle: what a body adds to G a - gamma.
static inline trm_pair turning(const double *m, double acceleration, double rate)
{
    const double square = rate * rate;
    return trm_pair_load(m) * acceleration + (trm_pair){m[1], m[0]} * (trm_pair){-square, square};
}

TRM_WIDE static void acceleration_residual(int n, const trm_pin *pin, const double *m,
                                           const double *V, const double *A, double *r)
{
    for (const trm_pin *end = pin + n; pin < end; pin++, m += 4) {
        const double *a = A + pin->va, *b = A + pin->vb;
        const trm_pair turn =
            turning(m + 2, b[2], V[pin->vb + 2]) + turning(m, a[2], V[pin->va + 2]);
        trm_pair_store((trm_pair_load(b) - trm_pair_load(a)) + turn, r + pin->row);
    }
}

void trm_pins_acceleration_residual(const trm_pins *pins, const double *m, const double *V,
                                    const double *A, double *r)
{
    acceleration_residual(pins->n, pins->pin, m, V, A, r);
}

void trm_pins_multiply_G(const trm_pins *pins, const double *m, const double *x, double *y)
{
    for (int i = 0; i < pins->n; i++, m += 4) {
        const trm_pin *pin = &pins->pin[i];
        const double *a = x + pin->va, *b = x + pin->vb;
        const trm_pair turn = trm_pair_load(m + 2) * b[2] + trm_pair_load(m) * a[2];
        trm_pair_store((trm_pair_load(b) - trm_pair_load(a)) + turn, y + pin->row);
    }
}

TRM_WIDE static void multiply_GT(int n, const trm_pin *pin, const double *m, const double *y,
                                 double *x)
{
    for (const trm_pin *end = pin + n; pin < end; pin++, m += 4) {
        const trm_pair force = trm_pair_load(y + pin->row);
        const trm_pair ma = trm_pair_load(m) * force, mb = trm_pair_load(m + 2) * force;
        double *a = x + pin->va, *b = x + pin->vb;
        trm_pair_store(trm_pair_load(a) - force, a);
        a[2] += ma[0] + ma[1];
        trm_pair_store(trm_pair_load(b) + force, b);
        b[2] += mb[0] + mb[1];
    }
}

void trm_pins_multiply_GT(const trm_pins *pins, const double *m, const double *y, double *x)
{
    multiply_GT(pins->n, pins->pin, m, y, x);
}

TRM_WIDE static void form_diagonals(int n, const trm_pin_diagonal *of, const double *m, double *S)
{
    for (const trm_pin_diagonal *end = of + n; of < end; of++, m += 4) {
        const trm_pair a = trm_pair_load(m), b = trm_pair_load(m + 2);
        const trm_pair wa = of->ua * a, wb = of->ub * b;
        double *block = S + of->S;
        trm_pair_store((trm_pair){of->both, 0} + (a * wa[0] + b * wb[0]), block);
        trm_pair_store((trm_pair){0, of->both} + (a * wa[1] + b * wb[1]), block + 2);
    }
}

TRM_WIDE static void form_pairs(int n, const trm_pin_pair *pair, const double *m, double *S)
{
    for (const trm_pin_pair *end = pair + n; pair < end; pair++) {
        const trm_pair wi = pair->u * trm_pair_load(m + pair->i), mj = trm_pair_load(m + pair->j);
        double *block = S + pair->S;
        trm_pair_store((trm_pair){pair->plain, 0} + wi[0] * mj, block);
        trm_pair_store((trm_pair){0, pair->plain} + wi[1] * mj, block + 2);
    }
}

void trm_pins_form_S(const trm_pins *pins, const double *m, int metric, double *S)
{
    form_diagonals(pins->n, pins->diagonal[metric], m, S);
    form_pairs(pins->nfirst, pins->pair[metric], m, S);
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
