/// Sequential regularization with unilateral rows, the projected form of [AL95 (4.4)-(4.5)], in
/// steps of velocities and impulses [Moreau 1988]: no events, all contacts at once.
///
///   q_m = q + (h/2) N v
///   v-  = v + (h/2) a                    a of [EOM] with the joints alone, at (q_m, v)
///   v+  = v- + sum_k C_k P_k             impacts at q_m, in waves: of what closes, and with what
///   P_s = proj(P_{s-1} - (1/epsilon) E (G_k v+_s + g_t + e (G_k v- + g_t)))   that makes close
///   v_s = v+ + (h/2) a + sum_k C_k p_k
///   p_s = proj(p_{s-1} - (1/epsilon) E (G_k v_s + g_t))          of all that touches
///   q'  = q_m + (h/2) N v_s
///
/// The joints are taken with E = (GB)^-1, exact in one iteration: C_k = M^-1 (G_k^T - G^T L_k)
/// (engine/contact/contact.h); of contacts E is the inverse of W's diagonal, row after row
/// (engine/contact/projected.h). A row takes part where x is at its limit or beyond at q_m, or may
/// come to it in the half step behind: p then leaves G_k v_s + g_t + 2 x/h >= 0, x >= 0 at q_m, so
/// that it ends at the limit. Iterates begin with p of the last step, and end where rates change by
/// less than options.tolerance of the motion: of the fastest so far, lengths by the size of all.
///
/// A bounce that flies for less than a step is none: rates up to h a/2, a the largest of the rows,
/// are no impact, and rest.
///
/// Order 1. Accelerations and multipliers of a step are its means. What overlaps at the end, by h^2
/// or where iterates have not converged, is parted by the least motion in the mass metric.
#include "base/status.h"
#include "engine/contact/contact.h"
#include "integrators/trajectory/stabilization.h"
#include "trammel/trammel_methods.h"

#include <math.h>
#include <string.h>

/// Sweeps of Gauss and Seidel contract by cos^2(pi/(2 n)) for n equal bodies on each other, by
/// 1/(1 + r) for two of masses r : 1, the light one below. From the rate h g to the tolerance, some
/// 18 powers of e, 20000 of them reach n = 50 and r = 1e-3. The number of rows does not bound them:
/// masses may be as different as they like. What needs more is refused.
///
/// Sweeps that still creep behind STACK of them, which e^-7 takes in a stack of ten, end at what a
/// step of order 1 leaves unknown: h^2 of a rate of a rate, u^2/v, where forces add u to rates of
/// which v is the largest so far. It falls with h^2, so that the order stays.
///
/// Pivots come behind sweeps that cost as much: 3 n variables take some 3 n pivots of 9 n^2
/// numbers, 27 n^3, a sweep those of W that are not zero. Heaps take fewer sweeps; feet of a
/// mechanism, whose W is singular, many more.
enum { FEW = 27, STACK = 300, SWEEPS = 20000 };

typedef struct projected_memory {
    double *z, *dz, *lambda; ///< [n], [n], [nc] of the middle
    double *last, *p, *P;    ///< [contacts] p of the last step, N s or N m s; of the listed rows
    double *tried, *bounces; ///< [contacts] p by pivots; by restitution, where that adds energy
    double *room;            ///< [contacts] of the listed: rates at which they come to their limits
    double *u, *half, *dry; ///< [contacts] rates of the listed without a, what (h/2) a adds; bounds
                            ///< of friction times h
    double *whole;          ///< [contacts] of the listed: the W of its bodies without joints
    double h;               ///< s: the last step
    double bounce, fastest, exact, unknown; ///< 1/s, in units of rows: the least rate of an impact;
                                            ///< the largest so far; what counts as none; what a
                                            ///< step leaves unknown of rates
    int *side; ///< [contacts] side_of in the middle, or at the beginning of the step: a body that
               ///< turns lifts its point by h^2 on its way, and may have to stay down
    int *slip; ///< [contacts] the direction of driven friction in the last step
} projected_memory;

static void layout(trm_run *run, trm_arena *arena)
{
    projected_memory counted,
        *memory = trm_arena_struct(arena, sizeof counted, &counted, &run->method);
    const int n = run->contact_rows;
    TRM_ARENA_DOUBLES(arena, run->n, &memory->z, &memory->dz);
    memory->lambda = trm_arena_doubles(arena, run->system->nc);
    TRM_ARENA_DOUBLES(arena, n, &memory->last, &memory->p, &memory->P, &memory->tried,
                      &memory->bounces, &memory->half, &memory->room, &memory->u, &memory->dry,
                      &memory->whole);
    TRM_ARENA_INTS(arena, n, &memory->slip, &memory->side);
}

/// Nothing is held but switches: forces of free rows are what trm_contact_rates adds.
static void let_all_go(trm_contact *contact)
{
    trm_contact_let_go(contact);
    memset(contact->slip, 0, (size_t)contact->n * sizeof *contact->slip);
    memset(contact->driven, 0, (size_t)contact->n * sizeof *contact->driven);
    for (int k = contact->near[0]; k < contact->n; k = contact->near[k + 1]) {
        const trm_contact_row *row = &contact->model->contacts[k];
        const double x = contact->x[k];
        contact->presses[k] = row->stiffness > 0 ? (x < row->lo ? -1 : x > row->hi) : 0;
    }
}

static trm_status start(trm_run *run, trm_error *err)
{
    trm_point_of_run *now = &run->now;
    projected_memory *memory = run->method;
    trm_contact *contact = run->contact;
    memset(memory->last, 0, (size_t)contact->n * sizeof(double));
    memory->fastest = memory->h = 0;
    memory->exact = run->options.tolerance * contact->pace;
    trm_contact_measure(contact, run->system, now->t, now->z);
    let_all_go(contact);
    const int code = trm_run_rates(run, now->t, now->z, now->dz, now->lambda);
    return code ? trm_run_fail_code(run, code, err) : TRM_OK;
}

/// q := q + x N v.
static void move(trm_run *run, double x, const double *v, double *q)
{
    for (int i = 0; i < run->system->nv; i++) {
        run->work_v[i] = x * v[i];
    }
    trm_system_move(run->system, run->work_v, q);
}

/// -1 where row k is at its lower limit, within `near`, or beyond, 1 at its upper one, else 0, as
/// friction of a stop, which has none.
static int side_of(const trm_contact *contact, int k, double near)
{
    const trm_contact_row *row = &contact->model->contacts[k];
    const double x = contact->x[k], round = TRM_CONTACT_PLACE * contact->roundoff[k];
    const double far = row->friction.given ? round : fmax(near, round);
    const int lower = x - row->lo <= row->hi - x;
    return row->stiffness > 0 ? 0 : lower ? -(x <= row->lo + far) : x >= row->hi - far;
}

/// Of x of row k: m, the size of all, or 1 rad; of rates that in 1 s.
static double unit_of(const trm_contact *contact, int k)
{
    return contact->model->contacts[k].unit[0] == 'm' ? contact->reach : 1;
}

/// What a adds to the rate of row k in a unit of time.
static double gained(const trm_run *run, int k)
{
    const projected_memory *memory = run->method;
    const trm_sparse_row *const reach = &run->contact->sparse[k];
    return trm_sparse_row_product(reach, reach->G, memory->dz + run->system->nq);
}

/// Which rows are at their limits at the beginning of a step.
static void note_sides(trm_run *run)
{
    const projected_memory *memory = run->method;
    const trm_contact *const contact = run->contact;
    for (int k = contact->near[0]; k < contact->n; k = contact->near[k + 1]) {
        memory->side[k] = side_of(contact, k, 0);
    }
}

/// In the middle of a step of h: those too that may come to their limits in its second half, by
/// twice the largest rate, as after an impact on what is far lighter, and by the largest a: what
/// falls beside another comes to it where others hold that.
static void add_sides(trm_run *run, double h)
{
    const projected_memory *memory = run->method;
    const trm_contact *const contact = run->contact;
    double most = 0;
    for (int k = contact->near[0]; k < contact->n; k = contact->near[k + 1]) {
        const double rate = fabs(contact->rate[k]) + 0.5 * h * fabs(gained(run, k));
        most =
            contact->model->contacts[k].normal < 0 ? fmax(rate / unit_of(contact, k), most) : most;
    }
    for (int k = contact->near[0]; k < contact->n; k = contact->near[k + 1]) {
        const int side = side_of(contact, k, h * most * unit_of(contact, k));
        memory->side[k] = side ? side : memory->side[k];
    }
}

/// The middle of the step: memory->z, dz and lambda, rows looked at, joints factored.
static int evaluate_middle(trm_run *run, double h)
{
    trm_system *system = run->system;
    projected_memory *memory = run->method;
    trm_contact *contact = run->contact;
    const double t = run->now.t + 0.5 * h;
    memcpy(memory->z, run->now.z, (size_t)run->n * sizeof(double));
    move(run, 0.5 * h, run->now.z + system->nq, memory->z);
    trm_contact_measure(contact, system, run->now.t, run->now.z);
    note_sides(run);
    trm_contact_measure(contact, system, t, memory->z);
    let_all_go(contact);
    const int code = trm_run_rates(run, t, memory->z, memory->dz, memory->lambda);
    if (!code) {
        trm_contact_evaluate(contact, system, t, memory->z, TRM_CONTACT_ALL);
        add_sides(run, h);
    }
    return code;
}

/// What dry friction of row k may take in this step, without the part of a load.
static double dry_of(const trm_contact *contact, int k, double h)
{
    const trm_contact_row *row = &contact->model->contacts[k];
    const double rate = contact->rate[k];
    const int still = contact->at_rest[k];
    return !row->friction.given ? 0
           : still
               ? h * trm_contact_sticking(contact, k)
               : h * fabs(trm_contact_friction(contact, k, 1, rate) + row->friction.viscous * rate);
}

/// m or rad: how far row k is from the limit at this side; 0 beyond it, and of what friction holds
/// anywhere.
static double room_of(const trm_contact *contact, int k, int side)
{
    const trm_contact_row *const row = &contact->model->contacts[k];
    const double room = side < 0 ? contact->x[k] - row->lo : row->hi - contact->x[k];
    return side && !row->friction.given ? fmax(room, 0) : 0;
}

/// Rows that take part, a stop before its friction, into contact->problem.list; places by row.
static int list_rows(trm_run *run, double h)
{
    trm_contact *contact = run->contact;
    projected_memory *memory = run->method;
    int n = 0;
    double added = 0;
    for (int k = contact->near[0]; k < contact->n; k = contact->near[k + 1]) {
        const trm_contact_row *row = &contact->model->contacts[k];
        const int loaded = row->normal >= 0 && contact->impact.kin[row->normal] >= 0;
        const int own = row->normal < 0 && (memory->side[k] || row->friction.given);
        const int counts = row->normal < 0 || row->unit[0] == 'm'; // not rolling, in rad/s
        const double part = counts / unit_of(contact, k);
        contact->at_rest[k] |=
            row->friction.given && (loaded || own) &&
            trm_contact_length(contact, contact->rate, k) <= memory->exact * unit_of(contact, k);
        memory->dry[k] = dry_of(contact, k, h);
        contact->impact.kin[k] = loaded || own ? n : -1;
        memory->last[k] = loaded || own ? memory->last[k] : 0;
        if (loaded || own) {
            memory->P[n] = 0;
            memory->u[n] = contact->rate[k];
            memory->half[n] = 0.5 * h * gained(run, k);
            memory->room[n] = 2 * room_of(contact, k, memory->side[k]) / h;
            memory->fastest = fmax(part * fabs(memory->u[n]), memory->fastest);
            added = fmax(part * 2 * fabs(memory->half[n]), added);
            contact->problem.list[n++] = k;
        }
    }
    memory->exact = run->options.tolerance * fmax(contact->pace, fmax(memory->fastest, added));
    memory->bounce = fmax(0.5 * added, memory->exact);
    memory->unknown = memory->fastest > 0 ? added * fmin(added / memory->fastest, 1) : 0;
    return n;
}

/// Row i as one that presses, or that friction holds.
static trm_coulomb_row row_of(const trm_run *run, int i)
{
    const trm_contact *contact = run->contact;
    const projected_memory *memory = run->method;
    const int k = contact->problem.list[i], side = memory->side[k];
    const trm_contact_row *row = &contact->model->contacts[k];
    return (trm_coulomb_row){
        .lo = side > 0 ? -INFINITY : -memory->dry[k],
        .hi = side < 0 ? INFINITY : memory->dry[k],
        .kin = row->normal >= 0 ? contact->impact.kin[row->normal] : -1,
        .mu = trm_contact_coefficient(contact, k),
        .mate = row->mate >= 0 ? contact->impact.kin[row->mate] : -1,
        .unit = unit_of(contact, k),
    };
}

/// u += W p. Returns what the impact p has taken, J.
static double apply(trm_run *run, int n, const double *p)
{
    const projected_memory *memory = run->method;
    double *const u = memory->u;
    double lost = 0;
    for (int i = 0; i < n; i++) {
        lost -= p[i] * (0.5 * u[i] + memory->half[i]);
    }
    for (int i = 0; i < n; i++) {
        u[i] = trm_projected_rate(&run->contact->problem.rows, u, p, i);
    }
    for (int i = 0; i < n; i++) {
        lost -= 0.5 * p[i] * u[i];
    }
    return lost;
}

/// The rows of one wave: those that close, and friction of theirs. Returns how many close. What has
/// pressed in the last step rests: a body that turns gives it a rate again, of order h, which is no
/// impact. It takes part in waves that others begin.
static int set_wave(trm_run *run, int n, int wave)
{
    trm_contact *contact = run->contact;
    const projected_memory *memory = run->method;
    int closing = 0;
    for (int i = 0; i < n; i++) {
        const int k = contact->problem.list[i], side = memory->side[k];
        const trm_contact_row *row = &contact->model->contacts[k];
        const int rests = wave == 0 && side * memory->last[k] < -memory->dry[k];
        const int closes = !rests && side * memory->u[i] > memory->bounce * unit_of(contact, k) &&
                           side * (memory->u[i] + 2 * memory->half[i]) > memory->room[i];
        trm_coulomb_row *own = &contact->problem.coulomb.row[i];
        *own = row_of(run, i);
        own->lo = closes && side > 0 ? -INFINITY : 0;
        own->hi = closes && side < 0 ? INFINITY : 0;
        const double e = closes && !contact->model->poisson ? row->restitution : 0;
        contact->problem.b[i] = (memory->u[i] + memory->half[i]) * (1 + e);
        memory->p[i] = 0;
        closing += closes;
    }
    return closing;
}

static int is_loaded_by_joint(const trm_contact *contact, int k)
{
    return contact->model->contacts[k].normal < 0 && contact->model->contacts[k].coefficient > 0;
}

/// memory->p of the rows that are set, by complementary pivots. Returns nonzero where that finds
/// none, in space, and where the reactions of joints bound friction in a step of h.
static int pivot(trm_run *run, int n, double h)
{
    trm_contact *contact = run->contact;
    const projected_memory *memory = run->method;
    for (int i = 0; i < n; i++) {
        if (contact->problem.coulomb.row[i].mate >= 0 ||
            (h > 0 && is_loaded_by_joint(contact, contact->problem.list[i]))) {
            return 1;
        }
        contact->problem.noise[i] = TRM_IMPACT_NOISE * fabs(contact->problem.b[i]);
    }
    const int code = trm_contact_pivot(&contact->problem, n, contact->problem.W, contact->problem.b,
                                       contact->problem.noise, memory->tried);
    if (!code) {
        memcpy(memory->p, memory->tried, (size_t)n * sizeof(double));
    }
    return code;
}

/// All rows, with b the rates that they would have by the step without forces of theirs.
static void set_rows(trm_run *run, int n, double h)
{
    trm_contact *contact = run->contact;
    const projected_memory *memory = run->method;
    const double longer = memory->h > 0 ? h / memory->h : 0; // what rests keeps its forces
    for (int i = 0; i < n; i++) {
        const int k = contact->problem.list[i], side = memory->side[k];
        contact->problem.b[i] = memory->u[i] + 2 * memory->half[i] - side * memory->room[i];
        contact->problem.coulomb.row[i] = row_of(run, i);
        memory->p[i] = longer * memory->last[k];
    }
}

/// Bounds of friction by the reaction of a joint, h lambda + L^T p.
static void bound_by_joints(trm_run *run, int n, double h)
{
    trm_contact *contact = run->contact;
    const projected_memory *memory = run->method;
    for (int i = 0; i < n; i++) {
        const int k = contact->problem.list[i];
        const trm_contact_row *row = &contact->model->contacts[k];
        double square = 0;
        if (!is_loaded_by_joint(contact, k)) {
            continue;
        }
        for (int r = row->row; r < row->row + row->rows; r++) {
            double x = h * memory->lambda[r];
            for (int j = 0; j < n; j++) {
                x += trm_sparse_row_multiplier(&contact->sparse[contact->problem.list[j]], r) *
                     memory->p[j];
            }
            square += x * x;
        }
        trm_coulomb_row *bounds = &contact->problem.coulomb.row[i];
        const double dry = memory->dry[k] + row->coefficient * sqrt(square);
        bounds->lo = isinf(bounds->lo) ? bounds->lo : -dry;
        bounds->hi = isinf(bounds->hi) ? bounds->hi : dry;
    }
}

/// Rows whose rates the joints decide move nothing: their part of W is exactly zero. Of a limit no
/// impulse follows. Of friction memory->whole is kept; rates behind the step, contact->problem.b,
/// tell its direction.
static void find_driven(trm_run *run, int n)
{
    trm_contact *contact = run->contact;
    const projected_memory *memory = run->method;
    for (int i = 0; i < n; i++) {
        const int k = contact->problem.list[i];
        const trm_sparse_row *const reach = &contact->sparse[k];
        contact->driven[k] =
            trm_contact_depends(contact, run->system, k, reach->G, reach->C, &memory->whole[i]);
        if (!contact->driven[k]) {
            continue;
        }
        memory->side[k] = 0;
        if (!contact->model->contacts[k].friction.given) {
            memory->u[i] = memory->half[i] = memory->room[i] = 0;
        }
        memset(reach->C, 0, (size_t)reach->n * sizeof *reach->C);
        for (int j = 0; j < n; j++) {
            contact->problem.W[i * n + j] = contact->problem.W[j * n + i] = 0;
        }
    }
}

/// Whether row k is friction that the joints drive; of a pair the other rate may be free.
static int is_pressed(const trm_contact *contact, int k)
{
    return contact->model->contacts[k].friction.given && trm_contact_is_driven(contact, k);
}

/// What driven friction of row i takes by the loads so far: its bound against the rate, nothing in
/// a dwell. Returns the change, as one of a rate of its bodies without joints, in its unit.
static double press_driven(const trm_run *run, int i)
{
    const trm_contact *contact = run->contact;
    const projected_memory *memory = run->method;
    const trm_coulomb_row *row = &contact->problem.coulomb.row[i];
    const double u = contact->problem.b[i], v = row->mate >= 0 ? contact->problem.b[row->mate] : 0;
    const double rate = hypot(u, v), before = memory->p[i];
    const double most = row->kin >= 0 ? row->mu * fmax(memory->p[row->kin], 0) : row->hi;
    memory->p[i] = rate > memory->exact * row->unit ? -most * u / rate : 0;
    return fabs(memory->p[i] - before) * memory->whole[i] / row->unit;
}

/// All driven friction; the largest change.
static double press_all_driven(const trm_run *run, int n)
{
    double change = 0;
    for (int i = 0; i < n; i++) {
        const int driven = is_pressed(run->contact, run->contact->problem.list[i]);
        change = driven ? fmax(press_driven(run, i), change) : change;
    }
    return change;
}

static int has_friction(int n, const trm_coulomb_row *rows)
{
    for (int i = 0; i < n; i++) {
        if (rows[i].kin >= 0) {
            return 1;
        }
    }
    return 0;
}

/// memory->p of the rows that are set, of a step of h, or of an impact (0): friction by what joints
/// bear takes no part there. Returns nonzero where it has not converged.
static int iterate(trm_run *run, int n, double h)
{
    trm_contact *contact = run->contact;
    const projected_memory *memory = run->method;
    const trm_projected_rows *W = &contact->problem.rows;
    const trm_coulomb_row *rows = contact->problem.coulomb.row;
    const double exact = memory->exact, enough = fmax(memory->unknown, exact);
    const int halvings = has_friction(n, rows) ? 3 : 0; // parts of 1 to 1/8
    const double pivots = FEW * (double)n * n * n / (W->first[n] + 1);
    const int turn = (int)fmin(pivots, SWEEPS - 1);
    double change = INFINITY;
    for (int s = 0; s < SWEEPS && change > (s < STACK ? exact : enough); s++) {
        const double share = ldexp(1, -(halvings + 1) * s / SWEEPS);
        if (h > 0) {
            bound_by_joints(run, n, h);
        }
        change = trm_projected_sweep(W, rows, contact->problem.b, share, memory->p);
        change = h > 0 ? fmax(press_all_driven(run, n), change) : change;
        if (s == turn && change > exact && !pivot(run, n, h) &&
            (h == 0 || press_all_driven(run, n) <= exact)) {
            return 0;
        }
    }
    return !(change <= enough);
}

/// Marks as at rest what sliding friction, by memory->p, does not keep from turning round: it comes
/// to rest, and takes as much as what sticks. What the joints drive does not. Returns whether any.
static int find_halts(trm_run *run, int n, double h)
{
    trm_contact *const contact = run->contact;
    const projected_memory *const memory = run->method;
    const trm_projected_rows *const W = &contact->problem.rows;
    int any = 0;
    for (int i = 0; i < n; i++) {
        const int k = contact->problem.list[i], j = contact->problem.coulomb.row[i].mate;
        double along = memory->u[i] * trm_projected_rate(W, contact->problem.b, memory->p, i);
        if (j >= 0) {
            along += memory->u[j] * trm_projected_rate(W, contact->problem.b, memory->p, j);
        }
        if (contact->model->contacts[k].friction.given && along < 0 && !contact->at_rest[k] &&
            !trm_contact_is_driven(contact, k)) {
            contact->at_rest[k] = any = 1;
            memory->dry[k] = dry_of(contact, k, h);
        }
    }
    return any;
}

/// memory->p of all rows in a step of h. Returns nonzero where it has not converged.
static int press(trm_run *run, int n, double h)
{
    int code;
    do { // once for each row at most
        set_rows(run, n, h);
        code = iterate(run, n, h);
    } while (!code && find_halts(run, n, h));
    return code;
}

/// memory->p of one wave by Poisson's law: what the compression takes and e times as much, then
/// what keeps rows from closing (engine/contact/impact.c).
static int expand(trm_run *run, int n)
{
    const projected_memory *memory = run->method;
    trm_contact_problem *const problem = &run->contact->problem;
    double *const back = memory->bounces;
    int code = iterate(run, n, 0);
    for (int i = 0; i < n; i++) {
        const trm_coulomb_row *row = &problem->coulomb.row[i];
        const int closes = isinf(row->lo) || isinf(row->hi);
        const double e = run->contact->model->contacts[problem->list[i]].restitution;
        back[i] = memory->p[i] * (closes ? 1 + e : 1);
        memory->p[i] = 0;
    }
    for (int i = 0; i < n; i++) {
        problem->b[i] = trm_projected_rate(&problem->rows, problem->b, back, i);
    }
    code = code ? code : iterate(run, n, 0);
    for (int i = 0; i < n; i++) {
        memory->p[i] += back[i];
    }
    return code;
}

/// memory->p of one wave, without what would add energy (engine/contact/impact.c).
static int find_wave(trm_run *run, int n)
{
    const projected_memory *memory = run->method;
    trm_contact_problem *const problem = &run->contact->problem;
    const size_t size = (size_t)n * sizeof(double);
    double lost;
    int code = run->contact->model->poisson ? expand(run, n) : iterate(run, n, 0);
    const int fits = !code;
    for (int i = 0; i < n; i++) {
        problem->b[i] = memory->u[i] + memory->half[i];
    }
    if (!fits || trm_projected_gains(&problem->rows, problem->b, memory->p, &lost)) {
        memcpy(memory->bounces, memory->p, size);
        memset(memory->p, 0, size);
        code = iterate(run, n, 0);
        if (fits) {
            trm_projected_bound(&problem->rows, problem->b, memory->bounces, memory->p);
        }
    }
    return code;
}

/// Impacts: the closing rows, then those that these make close. memory->P, u. Returns nonzero where
/// an iteration has not converged.
static int strike(trm_run *run, int n)
{
    trm_contact *contact = run->contact;
    const projected_memory *memory = run->method;
    int waves = 0;
    for (; waves < TRM_CONTACT_WAVES * n && set_wave(run, n, waves) > 0; waves++) {
        if (trm_run_is_interrupted(run)) {
            return 1;
        }
        if (find_wave(run, n)) {
            return 1;
        }
        contact->impact.energy_lost += apply(run, n, memory->p);
        for (int i = 0; i < n; i++) {
            memory->P[i] += memory->p[i];
        }
    }
    contact->impact.count += waves > 0;
    return 0;
}

/// v at the end of the step, by a and the impulses; multipliers are means.
static void advance(trm_run *run, int n, double h, double *z, double *lambda)
{
    trm_contact *contact = run->contact;
    const projected_memory *memory = run->method;
    const int nq = run->system->nq, nv = contact->nv;
    double *const v = z + nq;
    memcpy(lambda, memory->lambda, (size_t)contact->nc * sizeof *lambda);
    for (int j = 0; j < nv; j++) {
        v[j] += h * memory->dz[nq + j];
    }
    for (int i = 0; i < n; i++) {
        const trm_sparse_row *const reach = &contact->sparse[contact->problem.list[i]];
        const double P = memory->P[i] + memory->p[i];
        trm_sparse_row_add(reach, P, reach->C, v);
        trm_sparse_row_add_rows(reach, P / h, lambda);
    }
    move(run, 0.5 * h, v, z);
}

/// contact->problem: what row i of the listed overlaps at z. Returns how much, in its unit.
static double set_overlap(trm_run *run, int i)
{
    trm_contact *const contact = run->contact;
    const projected_memory *const memory = run->method;
    const int k = contact->problem.list[i], side = memory->side[k];
    const trm_contact_row *const row = &contact->model->contacts[k];
    const double unit = unit_of(contact, k);
    contact->problem.coulomb.row[i] = (trm_coulomb_row){.lo = side > 0 ? -INFINITY : 0,
                                                        .hi = side < 0 ? INFINITY : 0,
                                                        .kin = -1,
                                                        .mate = -1,
                                                        .unit = unit};
    contact->problem.b[i] = side ? contact->x[k] - (side < 0 ? row->lo : row->hi) : 0;
    memory->tried[i] = 0;
    return side * contact->problem.b[i] / unit;
}

/// Moves q at t by the least motion in the mass metric that parts what overlaps, by W of the
/// middle. What sweeps of a stack leave is left to the next step. The work that this takes is that
/// of the forces, a, along it; impacts have lost so much less.
static void part(trm_run *run, int n, double t, double h, double *z)
{
    trm_contact *const contact = run->contact;
    const projected_memory *const memory = run->method;
    double deep = 0, work = 0;
    trm_contact_measure(contact, run->system, t, z);
    for (int i = 0; i < n; i++) {
        deep = fmax(set_overlap(run, i), deep);
    }
    for (int s = 0; s < STACK && deep > run->options.tolerance; s++) {
        deep = trm_projected_sweep(&contact->problem.rows, contact->problem.coulomb.row,
                                   contact->problem.b, 1, memory->tried);
    }
    memset(run->work_v, 0, (size_t)run->system->nv * sizeof *run->work_v);
    for (int i = 0; i < n; i++) {
        const trm_sparse_row *const reach = &contact->sparse[contact->problem.list[i]];
        trm_sparse_row_add(reach, memory->tried[i], reach->C, run->work_v);
        work -= 2 * memory->half[i] / h * memory->tried[i];
    }
    trm_system_move(run->system, run->work_v, z);
    z[run->n - 1] += work;
    contact->impact.energy_lost -= work;
}

/// What the rows did, for the report: how they are held, their forces, and the work.
static void note_rows(trm_run *run, int n, double h, double *z)
{
    trm_contact *contact = run->contact;
    projected_memory *memory = run->method;
    memory->h = h;
    const double *v = z + run->system->nq;
    for (int i = 0; i < n; i++) {
        const int k = contact->problem.list[i], side = memory->side[k];
        const trm_contact_row *row = &contact->model->contacts[k];
        const trm_coulomb_row *bounds = &contact->problem.coulomb.row[i];
        const double p = memory->p[i];
        const double after =
            contact->g_t[k] + trm_sparse_row_product(&contact->sparse[k], contact->sparse[k].G, v);
        const double most =
            row->normal >= 0 ? bounds->mu * fabs(memory->p[bounds->kin]) : bounds->hi;
        const double along = row->mate >= 0 ? hypot(p, memory->p[bounds->mate]) : fabs(p);
        const int pushes = side * p < -memory->dry[k];
        const int driven = is_pressed(contact, k);
        const int used_up = along >= most * (1 - TRM_CONTACT_USED_UP);
        const int sticks = !pushes && !side && !driven && !used_up;
        const double all = memory->P[i] + p; // M (v' - v) (v' + v)/2 of it is the energy it brings
        z[run->n - 1] += 0.5 * all * (contact->rate[k] + after) +
                         trm_contact_driven(contact, run->system, k, all);
        contact->hold[k] = pushes   ? side < 0 ? TRM_HOLD_LOW : TRM_HOLD_HIGH
                           : sticks ? TRM_HOLD_STICKS
                                    : TRM_HOLD_FREE;
        contact->force[k] = all / h - row->friction.viscous * contact->rate[k];
        contact->at_rest[k] = sticks;
        contact->load[k] = (most - memory->dry[k]) / h;
        memory->slip[k] = !driven || along == 0 ? 0 : p < 0 || row->mate >= 0 ? 1 : -1;
        memory->last[k] = p;
    }
    for (int k = contact->near[0]; k < contact->n; k = contact->near[k + 1]) {
        const trm_contact_row *row = &contact->model->contacts[k];
        const int own = row->stiffness > 0 || row->friction.regularized > 0;
        contact->force[k] = contact->impact.kin[k] < 0 && !own ? 0 : contact->force[k];
        memory->slip[k] = contact->impact.kin[k] < 0 ? 0 : memory->slip[k];
    }
}

/// Where rows are held, for the distance from there.
static void note_places(trm_run *run)
{
    trm_contact *contact = run->contact;
    trm_contact_measure(contact, run->system, run->now.t, run->now.z);
    for (int k = contact->near[0]; k < contact->n; k = contact->near[k + 1]) {
        const trm_contact_row *row = &contact->model->contacts[k];
        trm_contact_follow(contact, k);
        contact->at[k] = contact->hold[k] == TRM_HOLD_LOW    ? row->lo
                         : contact->hold[k] == TRM_HOLD_HIGH ? row->hi
                         : trm_contact_is_on(contact, k)     ? contact->at[k]
                                                             : contact->x[k];
    }
}

/// The joints, and the rates there; what trm_contact_rates says of rows that are not held is not
/// what the step did.
static int finish(trm_run *run, double t, double h, trm_point_of_run *end)
{
    trm_contact *contact = run->contact;
    const int nq = run->system->nq, nv = run->system->nv, work = run->n - 1;
    int *const held = contact->trial.was, *const driven = contact->trial.as;
    const projected_memory *memory = run->method;
    double *const force = contact->impact.P;
    memcpy(held, contact->hold, (size_t)contact->n * sizeof *held);
    memcpy(driven, contact->driven, (size_t)contact->n * sizeof *driven);
    memcpy(force, contact->force, (size_t)contact->n * sizeof *force);
    let_all_go(contact);
    trm_system_normalize(run->system, end->z);
    int code = trm_run_correct(run, t, end->z);
    code = code ? code : trm_run_rates(run, t, end->z, end->dz, run->work_c2);
    for (int i = 0; i < nv; i++) {
        end->dz[nq + i] = (end->z[nq + i] - run->now.z[nq + i]) / h;
    }
    end->z[work] += 0.5 * h * (run->now.dz[work] + end->dz[work]);
    memcpy(contact->hold, held, (size_t)contact->n * sizeof *held);
    memcpy(contact->driven, driven, (size_t)contact->n * sizeof *driven);
    memcpy(contact->slip, memory->slip, (size_t)contact->n * sizeof *contact->slip);
    memcpy(contact->force, force, (size_t)contact->n * sizeof *force);
    return code;
}

static trm_status step(trm_run *run, double t_limit, trm_error *err)
{
    double h = 0;
    const double t = trm_run_next(run, t_limit, &h);
    trm_system *system = run->system;
    trm_contact *contact = run->contact;
    const projected_memory *memory = run->method;
    trm_point_of_run *end = &run->before;
    int code = evaluate_middle(run, h);
    if (code) {
        return trm_run_fail_code(run, code, err);
    }
    const int n = list_rows(run, h);
    if (n > contact->room) {
        return trm_run_fail(run, TRM_ERR_DIVERGED, TRM_BALLS_OVERLAP, err);
    }
    trm_contact_solve_responses(contact, system, n, contact->problem.list);
    trm_contact_form_delassus(contact, system, n, contact->problem.list);
    const double lost = contact->impact.energy_lost;
    const long struck = contact->impact.count;
    find_driven(run, n);
    trm_projected_link(&contact->problem.rows, n, contact->problem.W);
    code = strike(run, n);
    code = code ? code : press(run, n, h);
    if (code) {
        contact->impact.energy_lost = lost;
        contact->impact.count = struck;
        return trm_run_is_interrupted(run)
                   ? TRM_STOPPED
                   : trm_run_fail(
                         run, TRM_ERR_DIVERGED,
                         "the projected iteration for the impulses of its contacts does not "
                         "converge",
                         err);
    }
    memcpy(end->z, memory->z, (size_t)run->n * sizeof(double));
    advance(run, n, h, end->z, end->lambda);
    note_rows(run, n, h, end->z);
    part(run, n, t, h, end->z);
    code = finish(run, t, h, end);
    if (code) {
        return trm_run_fail_code(run, code, err);
    }
    if (!trm_all_finite(run->n, end->z) || !trm_all_finite(run->n, end->dz)) {
        return trm_run_fail(run, TRM_ERR_DIVERGED, "the state is not finite after the step", err);
    }
    trm_run_advance(run);
    trm_run_land(run, t);
    note_places(run);
    return TRM_OK;
}

/// Linear: velocities jump within steps.
static int dense(trm_run *run, double t, double *z)
{
    const double h = run->now.t - run->before.t, x = h > 0 ? (t - run->before.t) / h : 1;
    for (int i = 0; i < run->n; i++) {
        z[i] = (1 - x) * run->before.z[i] + x * run->now.z[i];
    }
    return 0;
}

static const trm_stabilization_ops *const partners[] = {&trm_s_both2, &trm_projection, NULL};

const trm_method_ops trm_moreau = {
    .integrator = TRM_INTEGRATOR_MOREAU,
    .name = "moreau",
    .doc = "projected sequential regularization: all contacts at once, no events",
    .source = "AL95 (4.4)-(4.5)",
    .order = 1,
    .takes_contacts = 1,
    .partners = partners,
    .steps_contacts = 1,
    .layout = layout,
    .start = start,
    .step = step,
    .dense = dense,
};
