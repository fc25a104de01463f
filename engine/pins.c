#include "engine/pins.h"

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

void trm_pins_position(const trm_pins *pins, const trm_pose *pose, double *g, double *m, double *G)
{
    for (int i = 0; i < pins->n; i++) {
        const trm_pin *pin = &pins->pin[i];
        const int a = pin->a, b = pin->b;
        const double ca = pose->c[a], sa = pose->s[a], cb = pose->c[b], sb = pose->s[b];
        const double xa = ca * pin->la[0] - sa * pin->la[1], ya = sa * pin->la[0] + ca * pin->la[1];
        const double xb = cb * pin->lb[0] - sb * pin->lb[1], yb = sb * pin->lb[0] + cb * pin->lb[1];
        g[pin->row] = (pose->x[b] + xb) - (pose->x[a] + xa);
        g[pin->row + 1] = (pose->y[b] + yb) - (pose->y[a] + ya);
        m[4 * i] = ya;
        m[4 * i + 1] = -xa;
        m[4 * i + 2] = -yb;
        m[4 * i + 3] = xb;
    }
    copy_blocks(pins, m, G);
}

void trm_pins_acceleration_residual(const trm_pins *pins, const double *m, const double *V,
                                    const double *A, double *r)
{
    for (int i = 0; i < pins->n; i++, m += 4) {
        const trm_pin *pin = &pins->pin[i];
        const double *a = A + 3 * pin->a, *b = A + 3 * pin->b;
        const double rate_a = V[3 * pin->a + 2], rate_b = V[3 * pin->b + 2];
        const double aa = rate_a * rate_a, bb = rate_b * rate_b;
        const double gamma0 = bb * m[3] + aa * m[1], gamma1 = -(bb * m[2] + aa * m[0]);
        r[pin->row] = ((b[0] - a[0]) + (m[2] * b[2] + m[0] * a[2])) - gamma0;
        r[pin->row + 1] = ((b[1] - a[1]) + (m[3] * b[2] + m[1] * a[2])) - gamma1;
    }
}

void trm_pins_multiply_G(const trm_pins *pins, const double *m, const double *x, double *y)
{
    for (int i = 0; i < pins->n; i++, m += 4) {
        const trm_pin *pin = &pins->pin[i];
        const double *a = x + 3 * pin->a, *b = x + 3 * pin->b;
        y[pin->row] = (b[0] - a[0]) + (m[2] * b[2] + m[0] * a[2]);
        y[pin->row + 1] = (b[1] - a[1]) + (m[3] * b[2] + m[1] * a[2]);
    }
}

void trm_pins_multiply_GT(const trm_pins *pins, const double *m, const double *y, double *x)
{
    for (int i = 0; i < pins->n; i++, m += 4) {
        const trm_pin *pin = &pins->pin[i];
        const double y0 = y[pin->row], y1 = y[pin->row + 1];
        double *a = x + 3 * pin->a, *b = x + 3 * pin->b;
        a[0] -= y0;
        a[1] -= y1;
        a[2] += m[0] * y0 + m[1] * y1;
        b[0] += y0;
        b[1] += y1;
        b[2] += m[2] * y0 + m[3] * y1;
    }
}

void trm_pins_form_S(const trm_pins *pins, const double *m, const double *w, const double *u,
                     double *S)
{
    for (int i = 0; i < pins->n; i++) {
        const trm_pin *pin = &pins->pin[i];
        const double *ma = m + 4 * i, *mb = ma + 2;
        double *block = S + pin->S;
        const double both = w[pin->a] + w[pin->b];
        const double a0 = u[pin->a] * ma[0], a1 = u[pin->a] * ma[1];
        const double b0 = u[pin->b] * mb[0], b1 = u[pin->b] * mb[1];
        block[0] += both + (a0 * ma[0] + b0 * mb[0]);
        const double across = a1 * ma[0] + b1 * mb[0];
        block[1] += across;
        block[2] += across;
        block[3] += both + (a1 * ma[1] + b1 * mb[1]);
    }
    for (int k = 0; k < pins->npairs; k++) {
        const trm_pin_pair *pair = &pins->pair[k];
        const double *mi = m + pair->i, *mj = m + pair->j;
        double *block = S + pair->S;
        const double plain = pair->sign * w[pair->body];
        const double x = u[pair->body] * mi[0], y = u[pair->body] * mi[1];
        block[0] += plain + x * mj[0];
        block[1] += x * mj[1];
        block[2] += y * mj[0];
        block[3] += plain + y * mj[1];
    }
}
