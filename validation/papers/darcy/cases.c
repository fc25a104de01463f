#include "validation/papers/darcy/cases.h"

#include <math.h>

static const double pi = 3.14159265358979323846;

// ------------------------------------------------------------------------- a manufactured solution

double trm_paper_manufactured_c(double t, double x, double y)
{
    return 0.5 + 0.25 * cos(pi * x) * cos(pi * y) * exp(-t);
}

double trm_paper_manufactured_p(double t, double x, double y)
{
    return cos(pi * x) * cos(2 * pi * y) * (1 + t) / 8;
}

static void grad_c(double t, double x, double y, double out[2])
{
    out[0] = -0.25 * pi * sin(pi * x) * cos(pi * y) * exp(-t);
    out[1] = -0.25 * pi * cos(pi * x) * sin(pi * y) * exp(-t);
}

static void grad_p(double t, double x, double y, double out[2])
{
    out[0] = -pi * sin(pi * x) * cos(2 * pi * y) * (1 + t) / 8;
    out[1] = -2 * pi * cos(pi * x) * sin(2 * pi * y) * (1 + t) / 8;
}

static double mobility(double c)
{
    return 1 / (1 + c);
}

void trm_paper_manufactured_u(double t, double x, double y, double u[2])
{
    double g[2];
    grad_p(t, x, y, g);
    u[0] = -mobility(trm_paper_manufactured_c(t, x, y)) * g[0];
    u[1] = -mobility(trm_paper_manufactured_c(t, x, y)) * g[1];
}

/// The mean of div u over a cell: the fluxes through its edges, by three points of Gauss on each.
static double manufactured_q(double t, double x, double y, double h)
{
    static const double weight[3] = {5.0 / 18, 8.0 / 18, 5.0 / 18};
    double sum = 0;
    for (int k = 0; k < 3; k++) {
        const double off = (k - 1) * sqrt(0.6) * h / 2;
        double right[2], left[2], above[2], below[2];
        trm_paper_manufactured_u(t, x + h / 2, y + off, right);
        trm_paper_manufactured_u(t, x - h / 2, y + off, left);
        trm_paper_manufactured_u(t, x + off, y + h / 2, above);
        trm_paper_manufactured_u(t, x + off, y - h / 2, below);
        sum += weight[k] * (right[0] - left[0] + above[1] - below[1]);
    }
    return sum / h;
}

/// s = phi c_t + u.grad c, F = D(u) grad c, so that nobody has to differentiate D.
static void manufactured_source(double t, double x, double y, double h, double *s, double F[2])
{
    (void)h;
    const trm_paper_medium *m = &trm_paper_manufactured;
    double u[2], g[2];
    trm_paper_manufactured_u(t, x, y, u);
    grad_c(t, x, y, g);
    const double c_t = 0.5 - trm_paper_manufactured_c(t, x, y);
    const double size = hypot(u[0], u[1]);
    const double dot = u[0] * g[0] + u[1] * g[1];
    *s = m->phi * c_t + dot;
    for (int d = 0; d < 2; d++) {
        const double along = size > 0 ? u[d] * dot / size : 0;
        F[d] = m->phi * ((m->d_m + size * m->d_t) * g[d] + (m->d_l - m->d_t) * along);
    }
}

static double manufactured_start(double x, double y)
{
    return trm_paper_manufactured_c(0, x, y);
}

const trm_paper_medium trm_paper_manufactured = {.phi = 0.5,
                                                 .d_m = 0.2,
                                                 .d_l = 0.4,
                                                 .d_t = 0.1,
                                                 .a = mobility,
                                                 .q = manufactured_q,
                                                 .source = manufactured_source,
                                                 .start = manufactured_start};

// ----------------------------------------------------------------------------------- the five-spot

static const double porosity = 0.1;

static double mixed_mobility(double c)
{
    const double root = 1 - c + pow(10, 0.25) * c;
    return root * root * root * root;
}

/// The rate of a well per area of its corner cell: a pore volume per unit of time.
static double well(double h)
{
    return porosity / (h * h);
}

static double five_spot_q(double t, double x, double y, double h)
{
    (void)t;
    return x < h && y < h ? well(h) : x > 1 - h && y > 1 - h ? -well(h) : 0;
}

/// What is injected has c = 1: q (1 - c), in the cell of the well.
static double five_spot_r(double x, double y, double h)
{
    return x < h && y < h ? well(h) : 0;
}

static void five_spot_source(double t, double x, double y, double h, double *s, double F[2])
{
    (void)t;
    *s = five_spot_r(x, y, h);
    F[0] = F[1] = 0;
}

static double clean(double x, double y)
{
    (void)x, (void)y;
    return 0;
}

const trm_paper_medium trm_paper_five_spot = {.phi = 0.1,
                                              .d_m = 1e-3,
                                              .d_l = 0.4,
                                              .d_t = 0.04,
                                              .a = mixed_mobility,
                                              .q = five_spot_q,
                                              .r = five_spot_r,
                                              .source = five_spot_source,
                                              .start = clean};
