/// Two rows of a pair with errors e1 > a >= e2 at settings s1 > s2
/// tell where the error a/2 is to be had:
///
///     s = s1 (s2/s1)^w,    w = log(e1/(a/2)) / log(e1/e2)
///
/// Without this, what a method costs at error a would depend on how near to it one of the
/// tolerances of the plan happens to come, by up to the factor between two rows.
#include "tools/compare/refine.h"

#include "tools/compare/plan.h"
#include "tools/compare/row.h"
#include "trammel/trammel_error.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const double near_enough = 0.3; // an error above this part of a is as good as a

static int chosen_by_us(const trm_comparison *c, const trm_method *m)
{
    return (m->adaptive ? c->arguments.rtols.n : c->arguments.steps.n) == 0;
}

/// The smallest m >= x for which 1/m has few digits: 1, 2, 4, 5, 8,
/// 10, 16, 20, 25, 40, 50, 80, 100 ...
static double divisor(double x)
{
    static const double digits[] = {1, 1.6, 2, 2.5, 4, 5, 8, 10};
    const double power = pow(10, floor(log10(x)));
    for (int i = 0; i < 8; i++) {
        const double m = digits[i] * power;
        if (m >= x * (1 - 1e-12) && m == floor(m)) {
            return m;
        }
    }
    return ceil(x);
}

/// Rounded down: a tolerance to one digit, 3e-9; a step to a simple part
/// of the interval of the common times.
static double round_setting(const trm_comparison *c, const trm_method *m, double x)
{
    if (m->adaptive) {
        const int exponent = (int)floor(log10(x));
        char digits[32]; // through its decimal, so that 5e-06 is not 4.9999999999999996e-06
        snprintf(digits, sizeof digits, "%.0fe%d", floor(x / pow(10, exponent) * (1 + 1e-12)),
                 exponent);
        return strtod(digits, NULL);
    }
    const double interval = trm_plan_interval(c->end);
    return interval / divisor(interval / x);
}

/// The setting between rows i and i + 1 for the accuracy a; 0: none is wanted.
static double between(const trm_comparison *c, int i, double a)
{
    const trm_compare_row *const x = &c->rows[i], *const y = &c->rows[i + 1];
    const double e1 = x->error.relative, e2 = y->error.relative;
    if (i + 1 >= c->nrows || x->pair != y->pair || !chosen_by_us(c, x->method) ||
        !(e1 > a && e2 <= near_enough * a)) {
        return 0;
    }
    const double w = log(fmin(e1, 1) / (a / 2)) / log(fmin(e1, 1) / fmax(e2, 1e-15));
    const double s =
        round_setting(c, x->method, x->setting * pow(y->setting / x->setting, fmin(w, 1)));
    return s < x->setting * 0.9 && s > y->setting * 1.1 ? s : 0;
}

static trm_compare_row new_row(const trm_compare_row *like, double setting)
{
    trm_compare_row row = {.method = like->method, .pair = like->pair, .setting = setting};
    trm_row_name(row.method, setting, row.id, sizeof row.id);
    return row;
}

trm_status trm_plan_refine(trm_comparison *c, trm_error *err)
{
    const size_t most = (size_t)c->nrows * (1 + TRM_LEVELS) + 1;
    trm_compare_row *const rows = calloc(most, sizeof *rows);
    int n = 0;
    if (rows == NULL) {
        return TRM_FAIL(err, TRM_ERR_MEMORY, "", "out of memory");
    }
    for (int i = 0; i < c->nrows; i++) {
        rows[n++] = c->rows[i];
        for (int k = 0; k < TRM_LEVELS && i + 1 < c->nrows; k++) {
            const double s = between(c, i, trm_levels[k]);
            if (s > 0 && s < rows[n - 1].setting * 0.999) {
                rows[n++] = new_row(&c->rows[i], s);
            }
        }
    }
    free(c->rows);
    c->rows = rows;
    c->nrows = n;
    return TRM_OK;
}
