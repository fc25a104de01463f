#include "engine/enclosure/time_formula.h"

#include "base/expression/expression_tape.h"
#include "engine/enclosure/switch_numbers.h"

#include <math.h>
#include <string.h>

// ------------------------------------------------------------------------------------------ roles

int trm_time_formula_length(const trm_expression *code)
{
    return code->count;
}

static int is_sum(int op)
{
    return op == TRM_OP_ADD || op == TRM_OP_SUBTRACT || op == TRM_OP_NEGATE;
}

/// Whether an operation bends more than polynomials of low degree do, as exp, sin and 1/x. The
/// modes of a switching function are polynomials.
static int bends(const trm_instruction *in)
{
    const int op = in->op;
    return (op >= TRM_OP_SIN && op <= TRM_OP_LOG) || op == TRM_OP_DIVIDE || op == TRM_OP_POWER ||
           op == TRM_OP_HYPOT || op == TRM_OP_DIRCOS || op == TRM_OP_ATAN2 ||
           (op == TRM_OP_INTEGER_POWER && in->index > TRM_PEAK_DEGREE);
}

static void give_roles(const trm_expression *code, const int *source, unsigned char *role)
{
    for (int i = 0; i < code->count; i++) {
        const trm_instruction *in = &code->tape[i];
        role[i] = 0;
        if (in->op == TRM_OP_VARIABLE) {
            const int s = source[in->index];
            role[i] = s == TRM_SOURCE_STATE ? TRM_OF_STATE : s == TRM_SOURCE_TIME ? TRM_OF_TIME : 0;
        }
        for (int k = 0; k < trm_op_operands(in->op); k++) {
            role[i] |= role[in->from[k]];
        }
        const int of_state = in->op == TRM_OP_DIVIDE ? role[in->from[1]] : role[i];
        if (bends(in) && (of_state & TRM_OF_STATE)) {
            role[i] |= TRM_MAY_PEAK;
        }
    }
}

int trm_time_formula_bends(const trm_expression *code)
{
    int any = 0;
    for (int i = 0; i < code->count; i++) {
        any |= bends(&code->tape[i]);
    }
    return any;
}

/// Whether the instruction is a function that may peak, not what follows from one.
static int is_peaked(const trm_instruction *in, unsigned char role)
{
    return (role & TRM_MAY_PEAK) && bends(in);
}

int trm_time_formula_peaking(const trm_expression *code, const unsigned char *role, int *last)
{
    int n = 0;
    *last = -1;
    for (int i = 0; i < code->count; i++) {
        n += (role[i] & TRM_MAY_PEAK) != 0;
        *last = is_peaked(&code->tape[i], role[i]) ? i : *last;
    }
    return n;
}

int trm_time_formula_roles(const trm_expression *code, const int *source, unsigned char *role)
{
    give_roles(code, source, role);
    role[code->count - 1] |= TRM_IS_SIGNAL; // wanted by the caller
    int n = 0;
    for (int i = code->count - 1; i >= 0; i--) {
        const trm_instruction *in = &code->tape[i];
        const int of_state = role[i] & TRM_OF_STATE;
        const int opened = of_state || ((role[i] & TRM_IS_SIGNAL) && is_sum(in->op));
        for (int k = 0; opened && k < trm_op_operands(in->op); k++) {
            role[in->from[k]] |= TRM_IS_SIGNAL;
        }
        if (opened || !(role[i] & TRM_OF_TIME)) {
            role[i] &= (unsigned char)~TRM_IS_SIGNAL;
        }
        n += (role[i] & TRM_IS_SIGNAL) != 0;
    }
    return n;
}

int trm_time_formula_is_switching(const trm_time_formula *formula, int k)
{
    const trm_expression *code = formula->code;
    const int at = trm_tape_switching(code, k)->at;
    return !(formula->role[at] & TRM_OF_STATE);
}

// ------------------------------------------------------------------------------------- evaluation

/// A result: a series, the value in the middle, which decides on modes, and, of a sum
/// over the motion, its polynomial.
typedef struct entry {
    trm_series s;
    double middle;
    int pending;         ///< nonzero: s is that of the line, and not computed yet
    trm_time_domain has; ///< where it has a value
    trm_time_line line;  ///< of the path
} entry;

int trm_time_formula_room(const trm_expression *code)
{
    const int entries = code->count * (int)(sizeof(entry) + sizeof(trm_interval));
    const int doubles =
        code->variables + code->nswitching_functions + trm_expression_workspace(code);
    const int point = doubles * (int)sizeof(double);
    return entries > point ? entries : point;
}

trm_switching_mode trm_time_formula_mode(const trm_time_formula *formula, int k, double t,
                                         const trm_time_context *context)
{
    const trm_expression *code = formula->code;
    double *const x = context->room, *const g = x + code->variables;
    for (int i = 0; i < code->variables; i++) {
        const int source = formula->source[i];
        double u[3] = {source == TRM_SOURCE_TIME ? t : 0};
        if (source >= 0) {
            trm_input_at(&context->inputs[source], t, u);
        } else if (source == TRM_SOURCE_STATE && context->path) {
            u[0] = trm_time_path_at(context->path, i, t);
        }
        x[i] = u[0];
    }
    trm_expression_switching_values(code, x, NULL, g + code->nswitching_functions, g);
    return trm_switching_mode_at(code, k, g[k]);
}

/// The sum of c_k x^k, the powers falling from `degree` on.
static void polynomial(int order, const double *c, int degree, const trm_series *x, trm_series *out)
{
    trm_series next;
    trm_series_constant(order, trm_interval_of(c[degree]), out);
    for (int k = degree - 1; k >= 0; k--) {
        trm_series_constant(order, trm_interval_of(c[k]), &next);
        trm_series_multiply(order, out, x, out);
        trm_series_add(order, out, &next, out);
    }
}

/// A quintic up to its end, then a constant; the union in an interval with both. Behind its middle
/// it is enclosed from its end, as it is evaluated.
static void input_series(const trm_input *input, trm_interval t, int order, trm_series *out)
{
    const trm_ramp *ramp = &input->now;
    const double T = input->smooth;
    trm_series rest, x, c;
    if (!(T > 0) || t.lo >= ramp->since + T) {
        trm_series_constant(order, trm_interval_of(ramp->value), out);
        return;
    }
    trm_series_constant(order, trm_interval_of(ramp->value), &rest);
    trm_series_time(order, t, &x);
    x.c[0] = trm_interval_subtract(x.c[0], trm_interval_of(ramp->since));
    trm_series_constant(order, trm_interval_of(T), &c);
    trm_series_divide(order, &x, &c, &x);
    if (t.lo - ramp->since < 0.5 * T) {
        polynomial(order, ramp->c, 5, &x, out);
    } else {
        double e[6] = {ramp->value};
        trm_ramp_from_end(ramp, e + 3);
        trm_series_constant(order, trm_interval_of(1), &c);
        trm_series_subtract(order, &c, &x, &x);
        polynomial(order, e, 5, &x, out);
    }
    if (t.hi > ramp->since + T) { // two continuous derivatives
        trm_series_either(order, out, &rest, out);
        for (int k = 3; k <= order; k++) {
            out->c[k] = trm_interval_whole();
        }
    }
}

static double middle_of(trm_interval t)
{
    return t.lo + 0.5 * (t.hi - t.lo);
}

static void variable(int i, int source, const trm_time_query *query,
                     const trm_time_context *context, entry *out)
{
    double u[3] = {middle_of(query->t), 0, 0};
    out->line.degree = -1;
    out->pending = 0;
    out->has = TRM_DOMAIN_WHOLE;
    if (source == TRM_SOURCE_STATE && context->range) {
        trm_series_constant(query->order, context->range[i], &out->s);
        u[0] = middle_of(context->range[i]);
    } else if (source == TRM_SOURCE_STATE) {
        trm_time_line_of(context->path, i, &out->line);
        out->pending = 1;
        u[0] = trm_time_path_at(context->path, i, u[0]);
    } else if (source >= 0) {
        input_series(&context->inputs[source], query->t, query->order, &out->s);
        trm_input_at(&context->inputs[source], u[0], u);
    } else {
        trm_series_time(query->order, query->t, &out->s);
    }
    out->middle = u[0];
}

static void constant(double value, int order, entry *out)
{
    trm_series_constant(order, trm_interval_of(value), &out->s);
    trm_time_line_constant(value, &out->line);
    out->middle = value;
    out->pending = 0;
    out->has = TRM_DOMAIN_WHOLE;
}

/// Either of two, where the formula changes over within the interval or may do so: a kink has all
/// slopes in between, and no curvature.
static void either(const trm_time_query *query, const trm_series *a, const trm_series *b,
                   trm_interval value, trm_series *out)
{
    trm_series_either(query->order, a, b, out);
    out->c[0] = value;
    for (int k = 2; k <= query->order; k++) {
        out->c[k] = trm_interval_whole();
    }
}

/// A value that jumps from piece to piece.
static void pieces(const trm_time_query *query, trm_interval value, trm_series *out)
{
    trm_series_constant(query->order, value, out);
    if (value.lo < value.hi) {
        for (int k = 1; k <= query->order; k++) {
            out->c[k] = trm_interval_whole();
        }
    }
}

/// g of an operation with a switching function, as base/expression/switching.h has it.
static void switching(const trm_instruction *in, int order, const entry *a, const entry *b,
                      trm_series *out)
{
    if (in->op == TRM_OP_MOD) {
        trm_series_divide(order, &a->s, &b->s, out);
    } else if (in->op == TRM_OP_ATAN2) {
        trm_series_atan2(order, &a->s, &b->s, out);
    } else if (trm_op_takes_two(in->op)) {
        trm_series_subtract(order, &a->s, &b->s, out);
    } else {
        *out = a->s;
    }
}

/// The modes of an operation over the interval: first and last, equal where it keeps one. Nonzero:
/// known.
static int modes(const trm_expression *code, const trm_instruction *in, const trm_time_query *query,
                 const entry *a, const entry *b, trm_switching_mode range[2])
{
    trm_series g;
    switching(in, 0, a, b, &g);
    range[0] = trm_switching_mode_at(code, in->index, g.c[0].lo);
    range[1] = trm_switching_mode_at(code, in->index, g.c[0].hi);
    if (range[0] == range[1] && range[0] != TRM_SWITCHING_MODE_NONE) {
        return 1;
    }
    if (query->frozen) {
        const double middle = in->op == TRM_OP_MOD       ? a->middle / b->middle
                              : trm_op_takes_two(in->op) ? a->middle - b->middle
                                                         : a->middle;
        range[0] = range[1] = trm_switching_mode_at(code, in->index, middle);
    }
    return range[0] != TRM_SWITCHING_MODE_NONE && range[1] != TRM_SWITCHING_MODE_NONE;
}

static void absolute(const trm_time_query *query, const trm_switching_mode range[2], trm_series *s)
{
    trm_series minus;
    trm_series_negate(query->order, s, &minus);
    if (range[0] != range[1]) {
        either(query, s, &minus, trm_interval_abs(s->c[0]), s);
    } else if (range[0] < 0) {
        *s = minus;
    }
}

static void extreme(int op, const trm_time_query *query, const trm_switching_mode range[2],
                    trm_series *a, const trm_series *b)
{
    const trm_interval x = a->c[0], y = b->c[0];
    if (range[0] != range[1]) {
        either(query, a, b, op == TRM_OP_MIN ? trm_interval_min(x, y) : trm_interval_max(x, y), a);
    } else if ((op == TRM_OP_MIN) != (range[0] < 0)) {
        *a = *b;
    }
}

/// s^3 (10 - 15 s + 6 s^2) between 0 and 1; above the middle as it is evaluated there.
static void smooth_step(const trm_time_query *query, const trm_switching_mode range[2],
                        trm_series *s)
{
    static const double c[] = {10, -15, 6};
    const int order = query->order, above = s->c[0].lo > 0.5;
    trm_series one, x = *s;
    if (range[0] == range[1] && range[0] != 1) {
        trm_series_constant(order, trm_interval_of(range[0] > 1), s);
        return;
    }
    trm_series_constant(order, trm_interval_of(1), &one);
    if (above) {
        trm_series_subtract(order, &one, s, &x);
    }
    polynomial(order, c, 2, &x, s);
    trm_series_integer_power(order, &x, 3, &x);
    trm_series_multiply(order, s, &x, s);
    if (above) {
        trm_series_subtract(order, &one, s, s);
    }
    if (range[0] != range[1]) { // its slope is at most 15/8; higher derivatives are not needed
        const trm_interval unit = {0, 1}, slope = {0, 1.875};
        s->c[0] = unit;
        for (int k = 1; k <= order; k++) {
            s->c[k] = k == 1 ? trm_interval_multiply(slope, s->c[1]) : trm_interval_whole();
        }
    }
}

/// The cubic of one piece: y0 + d (m0 + d (c2 + d c3)), d = x - x0 [Hermite].
static void table_piece(const trm_table *table, trm_switching_mode piece, int order,
                        const trm_series *x, trm_series *out)
{
    double lo, hi, left[3], right[3];
    trm_table_interval(table, piece, &lo, &hi);
    const double at = isfinite(lo) ? lo : hi;
    trm_table_value(table, piece, at, left);
    const double h = isfinite(hi - lo) ? hi - lo : 0;
    trm_table_value(table, piece, at + h, right);
    const double c[4] = {left[0], left[1], left[2] / 2, h > 0 ? (right[2] - left[2]) / (6 * h) : 0};
    trm_series d = *x, term;
    d.c[0] = trm_interval_subtract(d.c[0], trm_interval_of(at));
    trm_series_constant(order, trm_interval_of(c[3]), out);
    for (int k = 2; k >= 0; k--) {
        trm_series_constant(order, trm_interval_of(c[k]), &term);
        trm_series_multiply(order, out, &d, out);
        trm_series_add(order, out, &term, out);
    }
}

static void table_series(const trm_expression *code, const trm_instruction *in,
                         const trm_time_query *query, const trm_switching_mode range[2],
                         trm_series *s)
{
    enum { MANY = 16 };
    const trm_table *table = trm_tape_table(code, in);
    trm_series sum, part;
    if (range[0] == range[1]) {
        table_piece(table, range[0], query->order, s, s);
        return;
    }
    trm_series_constant(query->order, trm_interval_whole(), &sum);
    if (range[1] - range[0] < MANY) {
        table_piece(table, range[0], query->order, s, &sum);
        for (trm_switching_mode piece = range[0] + 1; piece <= range[1]; piece++) {
            table_piece(table, piece, query->order, s, &part);
            trm_series_either(query->order, &sum, &part, &sum);
        }
    }
    either(query, &sum, &sum, sum.c[0], s);
}

/// Unknown: a switching function that is not a number.
static void unknown(const trm_time_query *query, trm_series *out)
{
    for (int k = 0; k <= query->order; k++) {
        out->c[k] = trm_interval_whole();
    }
}

/// a - b n
static void modulo(const trm_time_query *query, const trm_switching_mode range[2], trm_series *a,
                   const trm_series *b)
{
    trm_series n;
    const trm_interval whole = {(double)range[0], (double)range[1]};
    const trm_interval rest = trm_interval_hull(trm_interval_of(0), b->c[0]);
    pieces(query, whole, &n);
    trm_series_multiply(query->order, b, &n, &n);
    trm_series_subtract(query->order, a, &n, a);
    if (range[0] != range[1]) {
        a->c[0] = rest;
    }
}

/// Comparisons and whole parts: the values at the ends of the range enclose all between.
static void step_values(const trm_instruction *in, const trm_time_query *query,
                        const trm_switching_mode range[2], trm_series *out)
{
    double first = (double)range[0], last = (double)range[1];
    const int sign = in->op == TRM_OP_SIGN || in->op == TRM_OP_FLOOR || in->op == TRM_OP_CEIL;
    if (!sign && range[0] != range[1]) {
        first = 0;
        last = 1;
    } else if (!sign) {
        first = last = trm_op_holds(in->op, range[0]);
    }
    pieces(query, (trm_interval){first, last}, out);
}

static void apply_switching(const trm_expression *code, const trm_instruction *in,
                            const trm_time_query *query, entry *a, const entry *b)
{
    trm_switching_mode range[2];
    if (!modes(code, in, query, a, b, range)) {
        unknown(query, &a->s);
        return;
    }
    switch ((trm_opcode)in->op) {
    case TRM_OP_ABS:
        absolute(query, range, &a->s);
        break;
    case TRM_OP_MIN:
    case TRM_OP_MAX:
        extreme(in->op, query, range, &a->s, &b->s);
        break;
    case TRM_OP_STEP:
        smooth_step(query, range, &a->s);
        break;
    case TRM_OP_TABLE:
        table_series(code, in, query, range, &a->s);
        break;
    case TRM_OP_MOD:
        modulo(query, range, &a->s, &b->s);
        break;
    default:
        step_values(in, query, range, &a->s);
    }
}

/// and, or, not, of numbers that are 0 or not; both values where the arguments do not decide.
static void apply_logic(int op, const trm_time_query *query, entry *a, const entry *b)
{
    const trm_interval x = a->s.c[0], y = b ? b->s.c[0] : x;
    const int xt = !trm_interval_has(x, 0), xf = x.lo == 0 && x.hi == 0;
    const int yt = !trm_interval_has(y, 0), yf = y.lo == 0 && y.hi == 0;
    const int surely = op == TRM_OP_NOT ? xf : op == TRM_OP_AND ? xt && yt : xt || yt;
    const int never = op == TRM_OP_NOT ? xt : op == TRM_OP_AND ? xf || yf : xf && yf;
    pieces(query, (trm_interval){surely ? 1 : 0, never ? 0 : 1}, &a->s);
}

static trm_time_domain larger(trm_time_domain a, trm_time_domain b)
{
    return a > b ? a : b;
}

static void select_one(const trm_time_query *query, entry *c, const entry *a, const entry *b)
{
    const trm_interval x = c->s.c[0];
    const int first = query->frozen ? c->middle != 0 : !trm_interval_has(x, 0);
    const int second = query->frozen ? c->middle == 0 : x.lo == 0 && x.hi == 0;
    c->middle = c->middle != 0 ? a->middle : b->middle;
    if (first || second) {
        c->s = first ? a->s : b->s;
        c->has = larger(c->has, first ? a->has : b->has);
        return;
    }
    c->has = larger(c->has, a->has == b->has ? a->has : TRM_DOMAIN_PART);
    either(query, &a->s, &b->s, trm_interval_hull(a->s.c[0], b->s.c[0]), &c->s);
    if (query->order > 0) {
        c->s.c[1] = trm_interval_whole(); // it may jump
    }
}

static void apply_two(const trm_expression *code, const trm_instruction *in,
                      const trm_time_query *query, entry *a, const entry *b)
{
    typedef void smooth_operation(int, const trm_series *, const trm_series *, trm_series *);
    static smooth_operation *const smooth[] = {
        [TRM_OP_ADD] = trm_series_add,           [TRM_OP_SUBTRACT] = trm_series_subtract,
        [TRM_OP_MULTIPLY] = trm_series_multiply, [TRM_OP_DIVIDE] = trm_series_divide,
        [TRM_OP_POWER] = trm_series_power,       [TRM_OP_ATAN2] = trm_series_atan2,
        [TRM_OP_HYPOT] = trm_series_hypot,       [TRM_OP_DIRCOS] = trm_series_dircos};
    const double middle = trm_operation_value(code, in, a->middle, b->middle, NULL);
    if (smooth[in->op]) {
        smooth[in->op](query->order, &a->s, &b->s, &a->s);
    } else if (in->op == TRM_OP_AND || in->op == TRM_OP_OR) {
        apply_logic(in->op, query, a, b);
    } else {
        apply_switching(code, in, query, a, b);
    }
    a->middle = middle;
}

static void apply_one(const trm_expression *code, const trm_instruction *in,
                      const trm_time_query *query, entry *a)
{
    const double middle = trm_operation_value(code, in, a->middle, 0, NULL);
    if (in->op == TRM_OP_NEGATE) {
        trm_series_negate(query->order, &a->s, &a->s);
    } else if (in->op == TRM_OP_INTEGER_POWER) {
        trm_series_integer_power(query->order, &a->s, in->index, &a->s);
    } else if (in->op == TRM_OP_NOT) {
        apply_logic(in->op, query, a, NULL);
    } else if (trm_op_is_switching(in->op)) {
        apply_switching(code, in, query, a, a);
    } else if (in->op != TRM_OP_RANGE) {
        trm_series_apply((trm_opcode)in->op, query->order, &a->s, &a->s);
    }
    a->middle = middle;
}

// ---------------------------------------------------------------------------- narrower enclosures

/// Both hold; where they share no number, one stands for what has no value.
static trm_interval both(trm_interval a, trm_interval b)
{
    const trm_interval out = {fmax(a.lo, b.lo), fmin(a.hi, b.hi)};
    return out.lo <= out.hi ? out : a;
}

/// Where a and b are sums over the motion: the polynomial of a := a op b. Returns zero where this
/// is no such sum.
static int sum_lines(int op, trm_time_line *a, const trm_time_line *b)
{
    const int sums =
        (op == TRM_OP_ADD || op == TRM_OP_SUBTRACT) && a->degree >= 0 && b->degree >= 0;
    if (sums) {
        trm_time_line_add(b, op == TRM_OP_ADD ? 1 : -1, a);
    } else if (op == TRM_OP_NEGATE && a->degree >= 0) {
        trm_time_line_negate(a);
    } else {
        return 0;
    }
    return 1;
}

/// The enclosure of a sum over the motion, where it is asked for.
static void resolve(const trm_time_query *query, const trm_time_context *context, entry *x)
{
    if (x->pending) {
        trm_time_line_series(context->path, &x->line, query->t, query->order, &x->s);
        x->pending = 0;
    }
}

/// a := a op b, both sums over the motion. Returns zero where the operation is another one.
static int apply_sum(const trm_expression *code, const trm_instruction *in,
                     const trm_time_context *context, entry *a, const entry *b)
{
    const double other = trm_op_takes_two(in->op) ? b->middle : 0;
    if (!context->path || trm_op_is_switching(in->op) || in->op == TRM_OP_SELECT ||
        !sum_lines(in->op, &a->line, &b->line)) {
        return 0;
    }
    a->middle = trm_operation_value(code, in, a->middle, other, NULL);
    a->pending = 1;
    return 1;
}

/// f(t) = f(middle) + f' (t - middle), f' in between: of a sum of lengths, whose terms change by
/// metres while it stays, what it changes by.
static void apply_mean_value(const trm_time_query *query, trm_interval point, trm_series *s)
{
    const trm_interval away = trm_interval_subtract(query->t, trm_interval_of(middle_of(query->t)));
    s->c[0] = both(s->c[0], trm_interval_add(point, trm_interval_multiply(s->c[1], away)));
}

// --------------------------------------------------------------------------------------- mildness

/// How far x moves, in parts of its smallest magnitude; of what has zero in it, INFINITY.
static double part(trm_interval x)
{
    const double least = x.lo > 0 ? x.lo : x.hi < 0 ? -x.hi : 0;
    return least > 0 ? (x.hi - x.lo) / least : INFINITY;
}

/// Whether an operation has no room for a peak while its arguments move in these intervals: they
/// move by less than the length of the function, 1 or half of the argument. (A sine of x in an
/// interval of length 1 goes beyond a parabola by 1/15 of x^3, 1/x in one of half of x likewise.)
static int is_mild(const trm_instruction *in, trm_interval a, trm_interval b)
{
    const double half = 0.5, width = a.hi - a.lo;
    switch (in->op) {
    case TRM_OP_SIN:
    case TRM_OP_COS:
    case TRM_OP_SINH:
    case TRM_OP_COSH:
    case TRM_OP_TANH:
    case TRM_OP_ATAN:
    case TRM_OP_EXP:
        return width <= 1;
    case TRM_OP_TAN: {
        const trm_interval c = trm_interval_apply(TRM_OP_COS, a);
        return width <= half * c.lo || width <= -half * c.hi;
    }
    case TRM_OP_ASIN:
    case TRM_OP_ACOS:
        return width <= half * (1 - trm_interval_magnitude(a));
    case TRM_OP_SQRT:
    case TRM_OP_LOG:
        return part(a) <= half;
    case TRM_OP_DIVIDE:
        return part(b) <= half;
    case TRM_OP_INTEGER_POWER:
        return in->index * part(a) <= half;
    case TRM_OP_POWER:
        return a.lo > 0 && trm_interval_magnitude(b) * part(a) <= half &&
               (b.hi - b.lo) * trm_interval_magnitude(trm_interval_apply(TRM_OP_LOG, a)) <= half;
    default: { // hypot, dircos and atan2: of the distance from the origin
        const trm_interval x = trm_interval_abs(a), y = trm_interval_abs(b);
        return hypot(width, b.hi - b.lo) <= half * hypot(x.lo, y.lo);
    }
    }
}

// ------------------------------------------------------------------------------------------- runs

/// What a run over the tape is for: all results of a role, or the switching function of one
/// instruction.
typedef struct wanted {
    trm_series *out;
    int role;
    int at; ///< the instruction with the switching function; -1: none
    trm_series *g;
    double *width; ///< of every switching function, or NULL
} wanted;

/// Where of a, which is rounded outward, an operation has a value.
static trm_time_domain domain(const trm_instruction *in, trm_interval a, const entry *b)
{
    trm_interval in_it = {-INFINITY, INFINITY};
    if (in->op == TRM_OP_SQRT || in->op == TRM_OP_LOG || in->op == TRM_OP_RANGE) {
        in_it.lo = 0;
    } else if (in->op == TRM_OP_ASIN || in->op == TRM_OP_ACOS) {
        in_it = (trm_interval){-1, 1};
    } else if (in->op == TRM_OP_POWER) { // of whole exponents all numbers
        const trm_interval power = b->s.c[0];
        in_it.lo = power.lo == power.hi && power.lo == floor(power.lo) ? -INFINITY : 0;
    }
    return a.hi < in_it.lo || a.lo > in_it.hi     ? TRM_DOMAIN_NOTHING
           : a.lo >= in_it.lo && a.hi <= in_it.hi ? TRM_DOMAIN_WHOLE
                                                  : TRM_DOMAIN_PART;
}

/// x[i] := the operation of instruction i.
static void operate(const trm_expression *code, int i, const trm_time_query *query,
                    const trm_time_context *context, entry *x)
{
    const trm_instruction *in = &code->tape[i];
    entry *const a = &x[i], *const b = &x[in->from[1]], *const c = &x[in->from[2]];
    *a = x[in->from[0]];
    if (apply_sum(code, in, context, a, b)) {
        return;
    }
    resolve(query, context, a);
    a->has = larger(a->has, domain(in, a->s.c[0], b));
    if (in->op == TRM_OP_SELECT) {
        resolve(query, context, b);
        resolve(query, context, c);
        select_one(query, a, b, c);
    } else if (trm_op_takes_two(in->op)) {
        resolve(query, context, b);
        a->has = larger(a->has, b->has);
        apply_two(code, in, query, a, b);
    } else {
        apply_one(code, in, query, a);
    }
    a->line.degree = -1;
}

/// Evaluates an instruction; without a path, instructions that depend on the state are skipped.
static void execute(const trm_time_formula *formula, int i, const trm_time_query *query,
                    const trm_time_context *context, entry *x)
{
    const trm_instruction *in = &formula->code->tape[i];
    const int known = context->path || context->range;
    const int skipped = (formula->role[i] & TRM_OF_STATE) && !known;
    if (in->op == TRM_OP_CONSTANT) {
        constant(in->value, query->order, &x[i]);
    } else if (in->op == TRM_OP_VARIABLE && !skipped) {
        variable(in->index, formula->source[in->index], query, context, &x[i]);
    } else if (!skipped) {
        operate(formula->code, i, query, context, x);
    }
    if (query->points) {
        resolve(query, context, &x[i]);
        apply_mean_value(query, query->points[i], &x[i].s);
    }
}

/// Returns where the switching function that is wanted has a value.
static trm_time_domain run(const trm_time_formula *formula, const trm_time_query *query,
                           const trm_time_context *context, const wanted *want)
{
    const trm_expression *code = formula->code;
    entry *const x = context->room;
    trm_series *next = want->out;
    for (int i = 0; i < code->count; i++) {
        const trm_instruction *in = &code->tape[i];
        if (i == want->at) {
            entry *const a = &x[in->from[0]];
            entry *const b = trm_op_takes_two(in->op) ? &x[in->from[1]] : a;
            resolve(query, context, a);
            resolve(query, context, b);
            switching(in, query->order, a, b, want->g);
            return larger(a->has, b->has);
        }
        if (want->width && trm_op_is_switching(in->op)) {
            trm_series g;
            switching(in, 0, &x[in->from[0]], &x[in->from[1]], &g);
            want->width[in->index] = g.c[0].hi - g.c[0].lo;
        }
        execute(formula, i, query, context, x);
        if (next && (formula->role[i] & want->role)) {
            resolve(query, context, &x[i]);
            *next++ = x[i].s;
        }
    }
    return TRM_DOMAIN_WHOLE;
}

void trm_time_formula_signals(const trm_time_formula *formula, const trm_time_query *query,
                              const trm_time_context *context, trm_series *out)
{
    run(formula, query, context, &(wanted){.out = out, .role = TRM_IS_SIGNAL, .at = -1});
}

void trm_time_formula_results(const trm_time_formula *formula, const trm_time_query *query,
                              const trm_time_context *context, trm_series *out)
{
    run(formula, query, context, &(wanted){.out = out, .role = TRM_MAY_PEAK, .at = -1});
}

void trm_time_formula_narrow(const trm_time_formula *formula, trm_interval t,
                             const trm_time_context *context, trm_series *out)
{
    const trm_expression *code = formula->code;
    const trm_time_query middle = {.t = trm_interval_of(middle_of(t)), .frozen = 1};
    entry *const x = context->room;
    trm_interval *const points = (trm_interval *)(x + code->count);
    for (int i = 0; i < code->count; i++) {
        execute(formula, i, &middle, context, x);
        resolve(&middle, context, &x[i]);
        points[i] = x[i].s.c[0];
    }
    const trm_time_query query = {.t = t, .order = 1, .frozen = 1, .points = points};
    trm_time_formula_results(formula, &query, context, out);
}

int trm_time_formula_is_mild(const trm_time_formula *formula, trm_interval t,
                             const trm_time_context *context)
{
    const trm_time_query query = {.t = t, .order = 0, .frozen = context->path != NULL};
    entry *const x = context->room;
    for (int i = 0; i <= formula->last; i++) {
        const trm_instruction *const in = &formula->code->tape[i];
        if (is_peaked(in, formula->role[i])) {
            entry *const a = &x[in->from[0]];
            entry *const b = trm_op_takes_two(in->op) ? &x[in->from[1]] : a;
            resolve(&query, context, a);
            resolve(&query, context, b);
            if (!is_mild(in, a->s.c[0], b->s.c[0])) {
                return 0;
            }
        }
        if (i < formula->last) {
            execute(formula, i, &query, context, x);
        }
    }
    return 1;
}

trm_time_domain trm_time_formula_switching_series(const trm_time_formula *formula, int k,
                                                  const trm_time_query *query,
                                                  const trm_time_context *context, trm_series *out)
{
    const int at = trm_tape_switching(formula->code, k)->at;
    return run(formula, query, context, &(wanted){.at = at, .g = out});
}

void trm_time_formula_switching_widths(const trm_time_formula *formula, const trm_time_query *query,
                                       const trm_time_context *context, double *width)
{
    run(formula, query, context, &(wanted){.at = -1, .width = width});
}
