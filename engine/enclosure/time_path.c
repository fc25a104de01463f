#include "engine/enclosure/time_path.h"

void trm_time_path_fit(int parts, double *c)
{
    for (int k = 1; k <= parts; k++) { // divided differences at u = 0, 1, ..., parts
        for (int i = parts; i >= k; i--) {
            c[i] = (c[i] - c[i - 1]) / k;
        }
    }
    for (int i = parts - 1; i >= 0; i--) { // from products of u - i to powers of u
        for (int j = i; j < parts; j++) {
            c[j] -= i * c[j + 1];
        }
    }
    double power = 1;
    for (int k = 1; k <= parts; k++) { // u = parts s
        power *= parts;
        c[k] *= power;
    }
}

double trm_time_path_at(const trm_time_path *path, int i, double t)
{
    const double s = (t - path->t0) / path->h;
    double x = 0;
    for (int k = path->degree; k >= 0; k--) {
        x = x * s + path->c[i][k];
    }
    return x;
}

void trm_time_line_constant(double value, trm_time_line *out)
{
    out->degree = 0;
    out->c[0] = trm_interval_of(value);
}

void trm_time_line_of(const trm_time_path *path, int i, trm_time_line *out)
{
    out->degree = path->degree;
    for (int k = 0; k <= path->degree; k++) {
        out->c[k] = trm_interval_of(path->c[i][k]);
    }
}

void trm_time_line_add(const trm_time_line *b, double sign, trm_time_line *a)
{
    for (; a->degree < b->degree; a->degree++) {
        a->c[a->degree + 1] = trm_interval_of(0);
    }
    for (int k = 0; k <= b->degree; k++) {
        a->c[k] =
            sign > 0 ? trm_interval_add(a->c[k], b->c[k]) : trm_interval_subtract(a->c[k], b->c[k]);
    }
}

void trm_time_line_negate(trm_time_line *a)
{
    for (int k = 0; k <= a->degree; k++) {
        a->c[k] = trm_interval_negate(a->c[k]);
    }
}

void trm_time_line_series(const trm_time_path *path, const trm_time_line *line, trm_interval t,
                          int order, trm_series *out)
{
    if (order == 0) {
        const trm_interval part = trm_interval_divide(
            trm_interval_subtract(t, trm_interval_of(path->t0)), trm_interval_of(path->h));
        out->c[0] = line->c[line->degree];
        for (int k = line->degree - 1; k >= 0; k--) {
            out->c[0] = trm_interval_add(trm_interval_multiply(out->c[0], part), line->c[k]);
        }
        return;
    }
    trm_series s, c;
    trm_series_time(order, t, &s);
    s.c[0] = trm_interval_subtract(s.c[0], trm_interval_of(path->t0));
    trm_series_constant(order, trm_interval_of(path->h), &c);
    trm_series_divide(order, &s, &c, &s);
    trm_series_constant(order, line->c[line->degree], out);
    for (int k = line->degree - 1; k >= 0; k--) {
        trm_series_constant(order, line->c[k], &c);
        trm_series_multiply(order, out, &s, out);
        trm_series_add(order, out, &c, out);
    }
}
