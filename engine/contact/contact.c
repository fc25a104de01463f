#include "engine/contact/contact.h"
#include "base/linear/sums.h"

#include "bodies/shapes/touch.h"
#include "bodies/vector.h"
#include "engine/multibody/coordinate.h"
#include "engine/multibody/extent.h"

#include <float.h>
#include <math.h>
#include <string.h>

trm_contact *trm_contact_layout(const trm_model *model, int room, trm_arena *arena)
{
    const int n = model->ncontacts, nv = model->sizes.nv, nc = model->sizes.nc;
    const int slots = trm_bodies_slots(&model->bodies), z = model->sizes.nq + nv + 1;
    if (n == 0) {
        return NULL;
    }
    void *placed;
    trm_contact counted, *contact = trm_arena_struct(arena, sizeof counted, &counted, &placed);
    *contact = (trm_contact){.model = model, .n = n, .nq = model->sizes.nq, .nv = nv, .nc = nc};
    contact->arm = trm_extents_arm(&model->bodies);
    contact->room = room;
    TRM_ARENA_INTS(
        arena, n, &contact->hold, &contact->slip, &contact->presses, &contact->at_rest,
        &contact->driven, &contact->problem.list, &contact->impact.touching, &contact->trial.as,
        &contact->trial.was, &contact->trial.kept, &contact->work.pivots, &contact->impact.kin,
        &contact->blocks.all, &contact->blocks.block, &contact->blocks.order, &contact->past.mark,
        &contact->trial.row, &contact->blocks.responding, &contact->past.left, &contact->work.round,
        &contact->impact.leaves, &contact->trial.state, &contact->past.beyond);
    TRM_ARENA_DOUBLES(
        arena, n, &contact->at, &contact->force, &contact->grain, &contact->floor, &contact->x,
        &contact->rate, &contact->rest, &contact->g_t, &contact->problem.p, &contact->problem.lo,
        &contact->problem.hi, &contact->problem.b, &contact->problem.noise, &contact->impact.u,
        &contact->impact.e, &contact->impact.P, &contact->impact.back, &contact->load,
        &contact->problem.h, &contact->problem.phi, &contact->problem.residual, &contact->impact.mu,
        &contact->roundoff, &contact->band, &contact->impact.still, &contact->impact.slack,
        &contact->slip_direction, &contact->aim, &contact->share, &contact->past.most,
        &contact->past.fastest, &contact->scale, &contact->past.changed, &contact->past.pause,
        &contact->past.idle, &contact->problem.own, &contact->turn, &contact->problem.borne,
        &contact->impact.impulse, &contact->bias, &contact->given, &contact->base, &contact->whole);
    contact->place = trm_arena_doubles(arena, TRM_COORDINATE_PLACE * n);
    contact->least = trm_arena_doubles(arena, 2 * n);
    contact->stirred = trm_arena_doubles(arena, 2 * contact->nv);
    trm_sparse_rows_layout(contact, arena);
    contact->problem.W = trm_arena_matrix(arena, room, room);
    contact->problem.F = trm_arena_matrix(arena, room, room);
    contact->problem.J = trm_arena_matrix(arena, room, room);
    contact->problem.part = trm_arena_matrix(arena, room, room);
    contact->work.on_W = trm_arena_doubles(arena, model->nswitched * model->nswitched);
    contact->work.on_y = trm_arena_doubles(arena, model->nswitched);
    TRM_ARENA_DOUBLES(arena, nv, &contact->work.f, &contact->trial.a, &contact->work.MC,
                      &contact->work.alone, &contact->work.parted, &contact->unsure);
    TRM_ARENA_DOUBLES(arena, nc, &contact->work.c, &contact->work.lambda);
    TRM_ARENA_DOUBLES(arena, slots, &contact->work.slots, &contact->work.side, &contact->work.sum);
    TRM_ARENA_DOUBLES(arena, z, &contact->work.z, &contact->work.dz);
    contact->blocks.first = trm_arena_ints(arena, n + 1);
    trm_contact_balls_layout(contact, arena);
    trm_projected_layout(&contact->problem.rows, room, arena);
    trm_complementarity_layout(&contact->problem.complementarity, room, arena);
    trm_coulomb_layout(&contact->problem.coulomb, n, room, model->nloaded > 0, arena);
    return placed;
}

void trm_contact_start(trm_contact *contact)
{
    contact->impact.count = 0;
    contact->impact.energy_lost = 0;
    contact->blocks.full = 0;
    int *const ints[] = {contact->hold,      contact->slip,       contact->presses,
                         contact->at_rest,   contact->driven,     contact->past.mark,
                         contact->past.left, contact->past.beyond};
    double *const numbers[] = {contact->at,    contact->base,      contact->load,
                               contact->aim,   contact->floor,     contact->problem.borne,
                               contact->share, contact->force,     contact->grain,
                               contact->given, contact->past.most, contact->past.fastest};
    for (size_t i = 0; i < sizeof ints / sizeof *ints; i++) {
        memset(ints[i], 0, (size_t)contact->n * sizeof(int));
    }
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        memset(numbers[i], 0, (size_t)contact->n * sizeof(double));
    }
    if (contact->n > 0) {
        trm_contact_all_near(contact);
        trm_contact_forget_least(contact);
        contact->balls.follows = 1;
        for (int b = 0; b < contact->balls.nballs; b++) {
            contact->balls.way[b].from[0] = NAN; // nothing has been looked at
        }
        for (int k = 0; k < contact->n; k++) {
            contact->scale[k] = 1;
            if (contact->model->contacts[k].of_joint) {
                trm_joint_row_begin(contact->model->contacts[k].of_joint,
                                    contact->place + TRM_COORDINATE_PLACE * k);
            }
            contact->turn[k] = !trm_contact_is_second(contact, k);
        }
    }
}

void trm_contact_forget_least(trm_contact *contact)
{
    for (int k = contact->near[0]; k < contact->n; k = contact->near[k + 1]) {
        contact->least[2 * k] = contact->least[2 * k + 1] = INFINITY;
    }
}

/// The functions of held forces, at the point evaluated last.
static void note_least(trm_contact *contact, int k)
{
    for (int which = 0; which < 2; which++) {
        double *const least = &contact->least[2 * k + which];
        *least = fmin(*least, trm_contact_function(contact, k, which));
    }
}

void trm_contact_begin_one_way(trm_contact *contact, double near)
{
    for (int k = contact->near[0]; k < contact->n; k = contact->near[k + 1]) {
        const trm_contact_row *const row = &contact->model->contacts[k];
        const double teeth = row->teeth;
        if (row->one_way) {
            const double x = contact->x[k];
            contact->base[k] = teeth > 0 ? teeth * floor((x + near) / teeth) : x;
            contact->x[k] = x - contact->base[k];
        }
    }
}

void trm_contact_follow(trm_contact *contact, int k)
{
    const trm_contact_row *const row = &contact->model->contacts[k];
    const double x = fmax(contact->x[k], 0);
    if (row->one_way && !contact->hold[k]) {
        contact->base[k] += row->teeth > 0 ? row->teeth * floor(x / row->teeth) : x;
        contact->x[k] -= row->teeth > 0 ? row->teeth * floor(x / row->teeth) : x;
    }
}

void trm_contact_let_go(trm_contact *contact)
{
    for (int k = contact->near[0]; k < contact->n; k = contact->near[k + 1]) {
        contact->hold[k] = trm_contact_is_on(contact, k) ? contact->hold[k] : TRM_HOLD_FREE;
    }
}

// ----------------------------------------------------------------------------------------- pairs

double trm_contact_length(const trm_contact *contact, const double *x, int k)
{
    const int across = contact->model->contacts[k].across;
    return across < 0 ? fabs(x[k]) : hypot(x[k], x[across]);
}

double trm_contact_shared(const trm_contact *contact, int k)
{
    return TRM_CONTACT_SHARE * contact->problem.borne[k];
}

/// contact->problem.borne of the n rows listed, which are a block.
static void note_borne(trm_contact *contact, int n)
{
    double loads = 0;
    int pairs = 0;
    for (int i = 0; i < n; i++) {
        const int k = contact->problem.list[i];
        const int pair = contact->model->contacts[k].mate >= 0;
        pairs += pair && !trm_contact_is_second(contact, k);
        loads += pair && !trm_contact_is_second(contact, k) ? fmax(contact->load[k], 0) : 0;
    }
    for (int i = 0; i < n; i++) {
        contact->problem.borne[contact->problem.list[i]] = pairs > 1 ? loads : 0;
    }
}

double trm_contact_pair_grain(const trm_contact *contact, int k)
{
    const int mate = contact->model->contacts[k].mate;
    return fmax(contact->grain[k], contact->grain[mate]) + trm_contact_shared(contact, k);
}

double trm_contact_along(const trm_contact *contact, const double *x, int k)
{
    const int mate = contact->model->contacts[k].mate, second = trm_contact_is_second(contact, k);
    const double c = mate < 0 ? 1 : contact->turn[second ? mate : k];
    const double s = mate < 0 ? 0 : contact->turn[second ? k : mate];
    return s == 0 ? x[k] : c * x[k] + (second ? s : -s) * x[mate];
}

void trm_contact_aim(trm_contact *contact, const double *x, double s, int k)
{
    const int mate = contact->model->contacts[k].mate;
    const double length = trm_contact_length(contact, x, k);
    if (length > 0) {
        contact->aim[k] = s * x[k] / length;
        contact->aim[mate >= 0 ? mate : k] = s * x[mate >= 0 ? mate : k] / length;
    }
}

double trm_contact_exact(const trm_contact *contact, const double *v, int k)
{
    const int mate = contact->model->contacts[k].mate;
    const trm_sparse_row *const sparse = &contact->sparse[k];
    double exact = 0;
    for (int i = 0; i < sparse->n; i++) {
        const double other = mate >= 0 ? contact->sparse[mate].G[i] : 0;
        const int column = sparse->column[i];
        exact += hypot(sparse->G[i], other) *
                 (contact->unsure[column] + TRM_CONTACT_ROUNDOFF * fabs(v[column]));
    }
    return exact;
}

double trm_contact_along_aim(const trm_contact *contact, int k)
{
    const int mate = contact->model->contacts[k].mate;
    return contact->aim[k] * contact->rate[k] + contact->aim[mate] * contact->rate[mate];
}

void trm_contact_aim_anew(trm_contact *contact, const double *v)
{
    for (int k = contact->near[0]; k < contact->n; k = contact->near[k + 1]) {
        const int mate = contact->model->contacts[k].mate;
        const double u = trm_contact_length(contact, contact->rate, k);
        if (mate < k || !contact->slip[k]) {
            continue;
        }
        if (!contact->at_rest[k] && u > trm_contact_exact(contact, v, k) &&
            (!trm_contact_is_driven(contact, k) || trm_contact_along_aim(contact, k) > 0)) {
            trm_contact_aim(contact, contact->rate, 1, k);
        }
        if (trm_contact_is_half_driven(contact, k) &&
            fabs(contact->rate[mate]) > contact->band[mate]) {
            contact->driven[mate] = TRM_CONTACT_LED_MOVES;
        }
    }
}

void trm_contact_find_way(trm_contact *contact, const double *v, int k)
{
    const int mate = contact->model->contacts[k].mate;
    contact->slip_direction[k] = contact->slip[k];
    if (mate >= 0 && contact->slip[k]) {
        const double u = trm_contact_length(contact, contact->rate, k);
        const double side = trm_contact_along_aim(contact, k) < 0 ? -1 : 1;
        const double width = trm_contact_exact(contact, v, k) + DBL_MIN;
        const double known = contact->blends ? fmin(u / width, 1) : u > width;
        const double part = width * (1 - known * known) * (1 - known * known);
        const double a = side * contact->rate[k] + part * contact->aim[k],
                     b = side * contact->rate[mate] + part * contact->aim[mate];
        contact->slip_direction[k] =
            known > 0 && !contact->at_rest[k] ? a / hypot(a, b) : contact->aim[k];
    }
}

// ------------------------------------------------------------------------------------------ rows

int trm_contact_is_smooth(const trm_contact *contact, int k)
{
    const trm_contact_row *const row = &contact->model->contacts[k];
    return row->friction.regularized > 0 && (row->first == k || contact->presses[row->first]);
}

/// Friction where the stop does not press has none.
static int has_own_force(const trm_contact *contact, int k)
{
    const trm_contact_row *const row = &contact->model->contacts[k];
    return (row->friction.given && (row->normal < 0 || contact->hold[row->normal])) ||
           trm_contact_is_smooth(contact, k);
}

/// The next of these rows behind row k; n: there is none.
static inline int next_wanted(const trm_contact *contact, int k, int only)
{
    if (only >= 0) {
        const int mate = contact->model->contacts[only].mate;
        const int last = mate > only ? mate : only, first = mate >= 0 && mate < only ? mate : only;
        return k < first ? first : k < last ? last : contact->n;
    }
    for (k = contact->near[k + 1]; k < contact->n && only == TRM_CONTACT_ACTIVE;
         k = contact->near[k + 1]) {
        if (contact->hold[k] || contact->presses[k] || has_own_force(contact, k)) {
            break;
        }
    }
    return k;
}

/// The turn of the pair of row k, from its own tangents to those of contact->turn; 0: none.
static double turn_of(const trm_contact *contact, int k)
{
    const int mate = contact->model->contacts[k].mate;
    return mate > k ? contact->turn[mate] : 0;
}

static void turn_numbers(const trm_contact *contact, int only, double *x)
{
    for (int k = next_wanted(contact, -1, only); k < contact->n && contact->model->npairs > 0;
         k = next_wanted(contact, k, only)) {
        const double s = turn_of(contact, k);
        if (s != 0) {
            trm_plane_turn(x + k, x + contact->model->contacts[k].mate, contact->turn[k], s);
        }
    }
}

/// The poses and velocities of all bodies, or of those of row `only` and its mate alone.
static trm_kinematics find_kinematics(trm_contact *contact, trm_system *system, double t,
                                      const double *z, int only)
{
    const double *const v = z + contact->nq;
    trm_kinematics at = {0};
    if (only < 0 || 2 * contact->model->contacts[only].nbodies >= contact->model->sizes.nbody) {
        return trm_assembler_kinematics(system, t, z, v, v); // all at once costs less
    }
    for (int k = next_wanted(contact, -1, only); k < contact->n;
         k = next_wanted(contact, k, only)) {
        const trm_contact_row *const row = &contact->model->contacts[k];
        at = trm_assembler_kinematics_of(system, t, z, v, row->nbodies, row->bodies);
    }
    return at;
}

/// Of the row of a joint; or of the rim of its contact: way[3], zero where it lies flat, and the
/// tilt m[3].
static double *place_of(const trm_contact *contact, int k)
{
    const trm_contact_row *const row = &contact->model->contacts[k];
    return contact->place + TRM_COORDINATE_PLACE * (row->of_joint ? k : row->first);
}

trm_kinematics trm_contact_measure_one(trm_contact *contact, trm_system *system, double t,
                                       const double *z, int only)
{
    const trm_kinematics kinematics = find_kinematics(contact, system, t, z, only);
    if (only == TRM_CONTACT_ALL) {
        trm_contact_follow_balls(contact, z);
    }
    for (int k = next_wanted(contact, -1, only); k < contact->n;
         k = next_wanted(contact, k, only)) {
        double x[3];
        const trm_contact_row *const row = &contact->model->contacts[k];
        trm_coordinate_jet(row, place_of(contact, k), contact->hold[row->first] != 0,
                           kinematics.pose, kinematics.V, x);
        if (row->scale.code) {
            const double scale = trm_function_value(&row->scale, kinematics.pose, kinematics.V);
            contact->scale[k] = scale < 0 ? 0 : scale;
            if (isnan(scale)) {
                trm_assembler_blame(system, kinematics.pose, kinematics.V, row->name, &row->scale,
                                    1);
            }
        }
        contact->x[k] = x[0] - contact->base[k];
        contact->rate[k] = row->dof > 0 ? z[contact->nq + row->dof - 1] : x[1];
        contact->rest[k] = row->dof > 0 ? 0 : x[2];
    }
    turn_numbers(contact, only, contact->x);
    turn_numbers(contact, only, contact->rate);
    turn_numbers(contact, only, contact->rest);
    return kinematics;
}

void trm_contact_measure(trm_contact *contact, trm_system *system, double t, const double *z)
{
    (void)trm_contact_measure_one(contact, system, t, z, TRM_CONTACT_ALL);
}

/// The gradient of row k, added to contact->work.slots of its bodies.
static void fill_slots(trm_contact *contact, const trm_kinematics *kinematics, int k)
{
    const trm_contact_row *const row = &contact->model->contacts[k];
    const size_t width = (size_t)contact->model->bodies.width;
    if (row->touch || row->of_joint) {
        contact->g_t[k] =
            trm_coordinate_gradient(row, place_of(contact, k), contact->hold[row->first] != 0,
                                    kinematics->pose, kinematics->V, contact->work.slots);
        return;
    }
    memset(contact->work.side, 0, width * (size_t)row->nbodies * sizeof(double));
    const trm_gradient_place side = {row->bodies, row->nbodies, (int)width, contact->work.side};
    (void)trm_function_gradient(&row->x, kinematics->pose, &side, &contact->g_t[k]);
    for (int b = 0; b < row->nbodies; b++) {
        memcpy(contact->work.slots + width * (size_t)row->bodies[b],
               contact->work.side + width * (size_t)b, width * sizeof(double));
    }
}

/// contact->work.slots := the gradient of row k, of all bodies.
static void find_slots(trm_contact *contact, const trm_kinematics *kinematics, int k)
{
    memset(contact->work.slots, 0,
           (size_t)trm_bodies_slots(&contact->model->bodies) * sizeof(double));
    fill_slots(contact, kinematics, k);
}

/// G, bias and the derivative in t of row k. sum[2]: of what bodies move it by, by places, angles.
static void find_row(trm_contact *contact, trm_system *system, const trm_kinematics *kinematics,
                     int k, double sum[2])
{
    const trm_model *const model = contact->model;
    const trm_contact_row *const row = &model->contacts[k];
    const trm_sparse_row *const sparse = &contact->sparse[k];
    const int width = model->bodies.width;
    double *const slots = contact->work.slots;
    sum[0] = sum[1] = 0;
    memset(sparse->G, 0, (size_t)sparse->n * sizeof *sparse->G);
    if (model->joints && row->dof == 0) {
        find_slots(contact, kinematics, k);
        contact->bias[k] = trm_assembler_row(system, slots, sparse->G);
    } else {
        for (int b = 0; b < row->nbodies; b++) {
            if (row->bodies[b] >= 0) {
                memset(slots + width * row->bodies[b], 0, (size_t)width * sizeof *slots);
            }
        }
        fill_slots(contact, kinematics, k);
    }
    for (int b = 0; b < row->nbodies; b++) {
        const int body = row->bodies[b], moves = body >= 0 && body < model->sizes.nbody;
        for (int i = 0; i < width && moves; i++) {
            sum[i < (width + 1) / 2 ? 0 : 1] += fabs(slots[width * body + i]);
        }
        if (moves && !model->joints) {
            const trm_body_info *const info = &model->body_info[body];
            memcpy(sparse->G + trm_sparse_row_place(sparse, info->v0), slots + width * body,
                   (size_t)info->nv * sizeof *slots);
        }
    }
    if (row->dof > 0) {
        sparse->G[row->dof - 1] = 1;
    }
}

// ------------------------------------------------------------------------------------------ faces

int trm_contact_is_rim(const trm_contact *contact, int k)
{
    const trm_contact_row *const row = &contact->model->contacts[k];
    return row->touch && row->touch->kind == TRM_TOUCH_RIM_PLANE && row->axis == TRM_TOUCH_GAP;
}

/// The rim of row k as it is tilted; without a tilt it has some direction.
static void face(double *way, const double *m)
{
    const double tilt = sqrt(dot(m, m));
    tilt > 0 ? scale(1 / tilt, m, way) : set3(way, 1, 0, 0);
}

void trm_contact_seat(trm_contact *contact, trm_system *system, double t, const double *z,
                      double near)
{
    for (int k = contact->near[0]; k < contact->n; k = contact->near[k + 1]) {
        double *const way = place_of(contact, k), *const m = way + 3;
        if (!trm_contact_is_rim(contact, k) || contact->hold[k]) {
            continue;
        }
        const double r = contact->model->contacts[k].touch->side[0].size[0];
        (void)trm_contact_measure_one(contact, system, t, z, k);
        face(way, m);
        if (r * sqrt(dot(m, m)) <= fmax(r * TRM_TOUCH_FLAT, near)) {
            set3(way, 0, 0, 0);
        }
    }
}

int trm_contact_turn_over(trm_contact *contact, int k)
{
    double *const way = place_of(contact, k), *const m = way + 3;
    const int flat = sqrt(dot(m, m)) <= TRM_TOUCH_FLAT;
    flat ? (void)scale(-1, way, way) : face(way, m);
    return flat;
}

void trm_contact_lay(trm_contact *contact, int k)
{
    set3(place_of(contact, k), 0, 0, 0);
}

/// Whether the face of row k, held, tips about its edge.
static int slips_flat(const trm_contact *contact, int k)
{
    for (int i = k; i < contact->n; i++) {
        if (contact->model->contacts[i].axis == TRM_TOUCH_TIPS) {
            return !contact->hold[i];
        }
    }
    return 0;
}

void trm_contact_follow_rims(trm_contact *contact, int stepped)
{
    for (int k = contact->near[0]; k < contact->n; k = contact->near[k + 1]) {
        double *const way = place_of(contact, k), *const m = way + 3;
        const int shows = dot(way, way) > 0 && dot(m, m) > TRM_TOUCH_FLAT * TRM_TOUCH_FLAT;
        if (!trm_contact_is_rim(contact, k)) {
            continue;
        }
        if (stepped && contact->hold[k] && dot(way, m) < 0) {
            set3(way, 0, 0, 0);
        } else if (shows || !contact->hold[k] || (stepped && slips_flat(contact, k))) {
            face(way, m);
        }
    }
}

/// Whether the face of row k, which tips, presses, or touches and turns off the plane.
static int is_pressed(const trm_contact *contact, int k)
{
    const int gap = contact->model->contacts[k].normal;
    const double rate = trm_contact_length(contact, contact->rate, k);
    return contact->hold[gap] ||
           (contact->x[gap] <= contact->given[gap] && rate > contact->impact.slack[k]);
}

int trm_contact_tip(trm_contact *contact, trm_system *system, double t, const double *z)
{
    int tips = 0;
    for (int k = contact->near[0]; k < contact->n; k = contact->near[k + 1]) {
        const trm_contact_row *const row = &contact->model->contacts[k];
        double *const way = place_of(contact, k), d[2][3], n[3], w[3] = {0, 0, 0}, part[3];
        if (row->axis != TRM_TOUCH_TIPS || dot(way, way) > 0 || contact->hold[k] ||
            trm_contact_is_undetermined(contact, k) || // the joints keep it level
            !is_pressed(contact, k)) {
            continue;
        }
        const trm_kinematics at = find_kinematics(contact, system, t, z, TRM_CONTACT_ALL);
        contact->hold[row->normal] = TRM_HOLD_LOW;
        for (int i = 0; i < 2; i++) {
            const int j = i == 0 ? k : row->mate;
            find_slots(contact, &at, j);
            memcpy(d[i], contact->work.slots + 6 * row->touch->side[0].body + 3, sizeof d[i]);
            add(w, scale(trm_contact_along(contact, contact->aim, j), d[i], part), w);
        }
        face(way, cross(cross(d[0], d[1], n), w, part));
        contact->hold[k] = contact->hold[row->mate] = TRM_HOLD_STICKS; // rows of zeros
        contact->slip[k] = contact->slip[row->mate] = 0;
        tips++;
    }
    return tips;
}

void trm_contact_evaluate(trm_contact *contact, trm_system *system, double t, const double *z,
                          int only)
{
    const trm_kinematics kinematics = trm_contact_measure_one(contact, system, t, z, only);
    double most[2], sum[2];
    trm_extents_largest(contact->model, kinematics.pose, z, contact->arm, most);
    const int npairs = contact->model->npairs;
    memset(contact->bias, 0, (size_t)contact->n * sizeof *contact->bias);
    for (int k = next_wanted(contact, -1, only); k < contact->n;
         k = next_wanted(contact, k, only)) {
        find_row(contact, system, &kinematics, k, sum);
        contact->roundoff[k] =
            DBL_EPSILON * (sum[0] * most[0] + sum[1] * most[1] + fabs(contact->x[k]));
        const double size = contact->given[k] / contact->closed; // m, of angles 1
        for (int i = 0; contact->unit && i < contact->nv; i++) { // terms that cancel
            double *const entry = &contact->sparse[k].G[i], moves = fabs(*entry) * contact->unit[i];
            *entry = moves <= TRM_CONTACT_ROUNDOFF * (sum[0] + sum[1]) * size ? 0 : *entry;
        }
    }
    turn_numbers(contact, only, contact->g_t);
    turn_numbers(contact, only, contact->bias);
    for (int k = next_wanted(contact, -1, only); k < contact->n && npairs > 0;
         k = next_wanted(contact, k, only)) {
        const double s = turn_of(contact, k);
        for (int i = 0; s != 0 && i < contact->sparse[k].n; i++) {
            trm_plane_turn(contact->sparse[k].G + i,
                           contact->sparse[contact->model->contacts[k].mate].G + i,
                           contact->turn[k], s);
        }
    }
    for (int k = contact->near[0]; k < contact->n; k = contact->near[k + 1]) {
        contact->rest[k] += contact->bias[k];
    }
}

void trm_contact_apply_forces(trm_contact *contact, const trm_kinematics *kinematics, int joint,
                              double *f)
{
    const trm_bodies *bodies = &contact->model->bodies;
    const int n = trm_bodies_slots(bodies);
    memset(contact->work.sum, 0, (size_t)n * sizeof *contact->work.sum);
    for (int k = contact->near[0]; k < contact->n; k = contact->near[k + 1]) {
        const trm_contact_row *const row = &contact->model->contacts[k];
        const int counts = joint < 0 || (row->of_joint && row->joint == joint);
        const double p = counts ? trm_contact_along(contact, contact->force, k) : 0;
        const double g_t = contact->g_t[k];
        if (p != 0) {
            find_slots(contact, kinematics, k);
            contact->g_t[k] = g_t; // along turned tangents, as it was
        }
        for (int i = 0; p != 0 && i < n; i++) {
            contact->work.sum[i] += p * contact->work.slots[i];
        }
    }
    trm_bodies_scatter(bodies, contact->work.sum, f);
}

double trm_contact_driven(const trm_contact *contact, const trm_system *system, int k, double P)
{
    const trm_sparse_row *const sparse = &contact->sparse[k];
    double sum = -contact->g_t[k];
    for (int j = 0; j < sparse->nc; j++) {
        sum += sparse->L[j] * system->g_t[sparse->row[j]];
    }
    return P * sum;
}

int trm_contact_list_held(trm_contact *contact)
{
    int n = 0;
    for (int k = contact->near[0]; k < contact->n; k = contact->near[k + 1]) {
        if (contact->hold[k]) {
            contact->problem.list[n++] = k;
        }
    }
    return n;
}

// ------------------------------------------------------------------------- forces of free rows

double trm_contact_sticking(const trm_contact *contact, int k)
{
    return contact->scale[k] * contact->model->contacts[k].friction.sticking;
}

double trm_contact_friction(const trm_contact *contact, int k, int slip, double rate)
{
    const trm_scene_friction *f = &contact->model->contacts[k].friction;
    const double x = f->stribeck > 0 && !contact->at_rest[k] ? rate / f->stribeck : 0;
    const int loose = !contact->at_rest[k] && !(f->stribeck > 0);
    const double more = loose ? 0 : (f->sticking - f->sliding) * exp(-x * x);
    const double u = trm_contact_length(contact, contact->rate, k) / f->regularized;
    const double against = f->regularized > 0 ? rate / f->regularized / sqrt(1 + u * u) : slip;
    const double load = f->regularized > 0 ? contact->load[k] : 0;
    const double dry = contact->scale[k] * (f->sliding + more) + load;
    return 0 - against * dry - f->viscous * rate; // 0 where it is at rest, not -0
}

/// Hunt and Crossley: k d^n (1 + c d'), d the compression; it never pulls.
static double compliant(const trm_contact_row *row, double scale, int side, double x, double rate)
{
    const double d = side < 0 ? row->lo - x : x - row->hi;
    const double closing = side < 0 ? -rate : rate;
    const double k = scale * row->stiffness;
    const double F = d > 0 ? k * pow(d, row->exponent) * (1 + row->damping * closing) : 0;
    return -side * fmax(F, 0);
}

static double own_force(const trm_contact *contact, int k)
{
    const trm_contact_row *row = &contact->model->contacts[k];
    double p = 0;
    if (row->friction.regularized > 0 && row->first < k) { // the force there is found
        contact->load[k] = row->coefficient * fabs(contact->force[row->first]);
    }
    if (has_own_force(contact, k)) {
        p = trm_contact_friction(contact, k, contact->slip[k], contact->rate[k]);
    }
    return contact->presses[k] ? p + compliant(row, contact->scale[k], contact->presses[k],
                                               contact->x[k], contact->rate[k])
                               : p;
}

/// Forces of the rows that are not held, and what they change.
static void push(trm_contact *contact, trm_system *system, double *a, double *lambda)
{
    int any = 0;
    memset(contact->work.f, 0, (size_t)contact->nv * sizeof(double));
    for (int k = contact->near[0]; k < contact->n; k = contact->near[k + 1]) {
        if (!contact->hold[k]) {
            const double p = contact->force[k] = own_force(contact, k);
            any |= p != 0;
            if (p != 0) {
                trm_sparse_row_add(&contact->sparse[k], p, contact->sparse[k].G, contact->work.f);
            }
        }
    }
    if (any) {
        trm_system_respond(system, contact->work.f, contact->work.c);
        for (int i = 0; i < contact->nv; i++) {
            a[i] += contact->work.f[i];
        }
        for (int i = 0; i < contact->nc; i++) {
            lambda[i] += contact->work.c[i];
        }
    }
}

// ------------------------------------------------------------------------------------- held rows

/// Roundoff of G_k a + r_k over W_kk, and of the friction that may hold the row: where no force
/// acts, what rates that are roundoff give is none.
static double grain_of(const trm_contact *contact, int k, const double *a, double W)
{
    const trm_sparse_row *const sparse = &contact->sparse[k];
    double sum = fabs(contact->rest[k]);
    for (int i = 0; i < sparse->n; i++) {
        sum += fabs(sparse->G[i] * a[sparse->column[i]]);
    }
    const int dry = contact->model->contacts[k].friction.given;
    return W > 0 ? TRM_CONTACT_GRAIN * fmax(sum / W, dry ? trm_contact_sticking(contact, k) : 0)
                 : 0;
}

/// The first `held` rows of the list keep x'' = 0; the rows behind them slide under a load.
static int hold_block(trm_contact *contact, trm_system *system, int held, int sliding, double *a,
                      double *lambda)
{
    const int n = held + sliding;
    double *const p = contact->problem.p, *const b = contact->problem.residual;
    double least = 0; // roundoff of b: dependent rows are consistent to it; closed joints anyhow
    trm_contact_form_delassus(contact, system, n, contact->problem.list);
    for (int i = 0; i < held; i++) {
        const int k = contact->problem.list[i];
        const double own =
            trm_sparse_row_product(&contact->sparse[k], contact->sparse[k].G, a) + contact->rest[k];
        b[i] = contact->driven[k] ? 0 : -own;
        contact->problem.own[k] = contact->problem.W[i * n + i];
        contact->grain[k] =
            fmax(grain_of(contact, k, a, contact->problem.own[k]), contact->floor[k]);
        least = trm_contact_is_on(contact, k)
                    ? INFINITY
                    : fmax(least, contact->grain[k] * contact->problem.W[i * n + i]);
    }
    (void)trm_contact_agree(contact, held, n, contact->problem.list, b);
    if (trm_contact_load(contact, held, sliding, b, least, lambda)) {
        return 1;
    }
    for (int i = 0; i < n; i++) {
        const int k = contact->problem.list[i];
        contact->force[k] = i < held ? p[i] : contact->force[k] + p[i];
        trm_sparse_row_add(&contact->sparse[k], p[i], contact->sparse[k].C, a);
        trm_sparse_row_add_rows(&contact->sparse[k], p[i], lambda);
    }
    note_borne(contact, n);
    return 0;
}

/// The same, block by block: rows that share no moving part do not move each other.
static int hold(trm_contact *contact, trm_system *system, int held, int sliding, double *a,
                double *lambda)
{
    const int n = held + sliding;
    const int *const all = contact->blocks.all;
    int code = 0, wanted = -1;
    double least = 1;
    const int blocks = trm_contact_find_blocks(contact, n, contact->problem.list);
    for (int i = 0; i < n; i++) {
        wanted = all[i] == contact->blocks.focus - 1 ? contact->blocks.block[i] : wanted;
    }
    if (wanted < 0) {
        trm_contact_solve_responses(contact, system, n, all);
    }
    for (int b = 0; b < blocks && !code; b++) {
        if (wanted >= 0 && wanted != b) {
            continue;
        }
        int holds;
        const int m = trm_contact_take_block(contact, b, held, &holds);
        if (wanted >= 0) {
            trm_contact_solve_responses(contact, system, m, contact->problem.list);
        }
        code = hold_block(contact, system, holds, m - holds, a, lambda);
        least = fmin(contact->problem.determinant, least);
    }
    contact->problem.determinant = least;
    return code;
}

int trm_contact_is_loaded(const trm_contact *contact, int k)
{
    const trm_contact_row *row = &contact->model->contacts[k];
    const int slides = !contact->hold[k] && contact->slip[k];
    return (slides || trm_contact_is_undetermined(contact, k)) && row->coefficient > 0 &&
           (row->normal < 0 || contact->hold[row->normal]);
}

int trm_contact_rates(trm_contact *contact, trm_system *system, double t, const double *z,
                      double *dz, double *lambda)
{
    const int n = trm_contact_list_held(contact);
    int pushed = 0, code = 0, sliding = 0;
    contact->problem.determinant = 1;
    for (int k = contact->near[0]; k < contact->n; k = contact->near[k + 1]) {
        contact->force[k] = contact->hold[k] ? contact->force[k] : 0; // let go: no force is left
        if (trm_contact_is_loaded(contact, k)) {
            contact->problem.list[n + sliding++] = k;
        }
        pushed |= contact->presses[k] || has_own_force(contact, k);
    }
    if (n == 0 && !pushed) {
        return 0;
    }
    double *const a = dz + contact->nq, *const power = dz + contact->nq + contact->nv;
    // motors take a share of the pressing forces: the power of their rows is lambda . g_t
    *power -= trm_dot(contact->nc, lambda, system->g_t);
    trm_contact_evaluate(contact, system, t, z, TRM_CONTACT_ACTIVE);
    for (int i = n; i < n + sliding; i++) {
        trm_contact_find_way(contact, z + contact->nq, contact->problem.list[i]);
    }
    if (pushed) {
        push(contact, system, a, lambda);
    }
    code = system->failed ? 1 : n + sliding > 0 ? hold(contact, system, n, sliding, a, lambda) : 0;
    *power += trm_dot(contact->nc, lambda, system->g_t);
    for (int k = contact->near[0]; k < contact->n; k = contact->near[k + 1]) {
        if (contact->hold[k] && !code) {
            note_least(contact, k);
        }
        *power += contact->hold[k] || contact->force[k] != 0
                      ? contact->force[k] * (contact->rate[k] - contact->g_t[k])
                      : 0;
    }
    return code;
}

/// contact->work.f := what `find`, block by block, moves the n rows of contact->blocks.all by,
/// which are looked at. Returns nonzero where it fails.
static int move_blocks(trm_contact *contact, trm_system *system, int n,
                       int (*find)(trm_contact *contact, int m, int level), int level)
{
    const int *const all = contact->blocks.all;
    int code = 0;
    trm_contact_solve_responses(contact, system, n, all);
    const int blocks = trm_contact_find_blocks(contact, n, all);
    memset(contact->work.f, 0, (size_t)contact->nv * sizeof(double));
    for (int b = 0; b < blocks && !code; b++) {
        const int m = trm_contact_take_block(contact, b, 0, NULL);
        trm_contact_form_delassus(contact, system, m, contact->problem.list);
        code = find(contact, m, level);
        for (int i = 0; i < m && !code; i++) {
            const trm_sparse_row *const sparse = &contact->sparse[contact->problem.list[i]];
            trm_sparse_row_add(sparse, contact->problem.p[i], sparse->C, contact->work.f);
        }
    }
    return code;
}

/// p := W^+ of the gaps, or (level 1) rates, of the m rows listed. Gaps of dependent rows may
/// disagree.
static int close_block(trm_contact *contact, int m, int level)
{
    for (int i = 0; i < m; i++) {
        const int k = contact->problem.list[i];
        contact->problem.p[i] = level == 0 ? contact->at[k] - contact->x[k] : -contact->rate[k];
    }
    (void)trm_contact_agree(contact, m, m, contact->problem.list, contact->problem.p);
    return trm_semidefinite_solve(&contact->problem.complementarity, m, NULL, contact->problem.W, m,
                                  INFINITY, contact->problem.p) != 0;
}

int trm_contact_correct(trm_contact *contact, trm_system *system, double t, double *z)
{
    const int n = trm_contact_list_held(contact);
    int code = 0;
    memcpy(contact->blocks.all, contact->problem.list, (size_t)n * sizeof *contact->blocks.all);
    for (int level = 0; !code && n > 0 && level < 2; level++) { // positions, then velocities
        code = trm_system_position(system, t, z);
        code = code || system->nc == 0 ? code : trm_system_factor(system, TRM_METRIC_MASS);
        if (code) {
            break;
        }
        trm_contact_evaluate(contact, system, t, z, TRM_CONTACT_ACTIVE);
        code = move_blocks(contact, system, n, close_block, level);
        if (!code && level == 0) {
            trm_system_move(system, contact->work.f, z);
        }
        for (int j = 0; !code && level == 1 && j < contact->nv; j++) {
            z[contact->nq + j] += contact->work.f[j];
        }
    }
    return code;
}

double trm_contact_deepest(const trm_contact *contact)
{
    double most = 0;
    int side;
    for (int k = contact->near[0]; k < contact->n; k = contact->near[k + 1]) {
        most = fmax(-trm_contact_room(contact, k, &side), most);
    }
    return most;
}

/// Whether row k holds the tilt of a face that takes part where its gap does.
static int levels(const trm_contact *contact, int k, double near)
{
    const trm_contact_row *const row = &contact->model->contacts[k];
    const double *const way = place_of(contact, k);
    return row->touch && (row->axis == TRM_TOUCH_TIPS || row->axis == TRM_TOUCH_TIPS_ACROSS) &&
           dot(way, way) == 0 && contact->x[row->normal] <= near;
}

/// The least p that parts the m rows listed.
static int part_block(trm_contact *contact, int m, int level)
{
    (void)level;
    for (int i = 0; i < m; i++) {
        const int k = contact->problem.list[i];
        int side;
        const double room = trm_contact_room(contact, k, &side);
        const int free = isinf(room); // of a tilt, which goes to zero
        contact->problem.lo[i] = side > 0 && !free ? 0 : -INFINITY;
        contact->problem.hi[i] = side > 0 || free ? INFINITY : 0;
        contact->problem.b[i] =
            (free ? contact->x[k] : side * room) -
            trm_sparse_row_product(&contact->sparse[k], contact->sparse[k].G, contact->work.parted);
        contact->problem.noise[i] = contact->roundoff[k];
    }
    return trm_complementarity_solve(&contact->problem.complementarity, m, contact->problem.W,
                                     contact->problem.b, contact->problem.lo, contact->problem.hi,
                                     contact->problem.noise, contact->problem.p);
}

int trm_contact_part(trm_contact *contact, trm_system *system, double near, double *z)
{
    int n = 0, side;
    for (int k = contact->near[0]; k < contact->n; k = contact->near[k + 1]) {
        contact->blocks.all[n] = k;
        n += trm_contact_room(contact, k, &side) <= near || levels(contact, k, near);
    }
    const int code = move_blocks(contact, system, n, part_block, 0);
    for (int j = 0; j < contact->nv && !code; j++) {
        contact->work.f[j] -= contact->work.parted[j];
        contact->work.parted[j] += contact->work.f[j];
    }
    if (!code) {
        trm_system_move(system, contact->work.f, z);
    }
    return code;
}

// -------------------------------------------------------------------------------------- functions

void trm_contact_bounds(const trm_contact *contact, int k, double *lo, double *hi)
{
    const trm_contact_row *row = &contact->model->contacts[k];
    const double dry =
        row->friction.given ? trm_contact_sticking(contact, k) + contact->load[k] : 0;
    const int on = trm_contact_is_on(contact, k);
    *lo = on || contact->hold[k] == TRM_HOLD_HIGH ? -INFINITY : -dry;
    *hi = on || contact->hold[k] == TRM_HOLD_LOW ? INFINITY : dry;
}

/// The margin of friction in space that sticks, below mu N.
static double pair_margin(const trm_contact *contact, int k)
{
    return contact->load[k] - trm_contact_length(contact, contact->force, k) +
           trm_contact_pair_grain(contact, k);
}

double trm_contact_band(const trm_contact *contact, int k)
{
    const int mate = contact->model->contacts[k].mate;
    return fmax(fmax(contact->band[k], contact->band[mate >= 0 ? mate : k]), DBL_MIN);
}

/// Of row k, which goes one way: of a freewheel its rate, which ends where it turns. A ratchet
/// falls back to the last tooth that it has passed: no motion changes where it passes one, and only
/// a turn behind a tooth tells which.
static double pawl_function(const trm_contact *contact, int k)
{
    const double always = 1, teeth = contact->model->contacts[k].teeth;
    if (contact->hold[k] || contact->at_rest[k] || contact->driven[k]) {
        return always;
    }
    return teeth > 0 ? fmax(contact->rate[k], teeth - contact->x[k]) : contact->rate[k];
}

/// Of row k, not the second of a pair: where it slides the rate along slip, of a pair along its
/// direction at the beginning of the step, and beyond roundoff where the joints decide the rate, or
/// one that has moved; where it is watched, what twice of that leaves: what departs there does not
/// halt there, though roundoff is measured anew.
static double rate_function(const trm_contact *contact, int k)
{
    const double always = 1;
    if (trm_contact_is_watched(contact, k)) {
        return 2 * trm_contact_band(contact, k) - trm_contact_length(contact, contact->rate, k);
    }
    if (contact->model->contacts[k].one_way) {
        return pawl_function(contact, k);
    }
    if (contact->hold[k] || !contact->slip[k]) {
        return always;
    }
    const int own = contact->model->contacts[k].mate, mate = own >= 0 ? own : k;
    const double along =
        own < 0 ? contact->slip[k] * contact->rate[k] : trm_contact_along_aim(contact, k);
    const double led = contact->driven[mate] == TRM_CONTACT_LED_MOVES ? contact->aim[mate] : 0;
    return along - (trm_contact_is_driven(contact, k) ? trm_contact_band(contact, k)
                                                      : fabs(led) * contact->band[mate]);
}

/// N, of a lock N or N m: the force of the rows of the switch that begins with row k.
static double switched_force(const trm_contact *contact, int k)
{
    const trm_contact_row *const first = &contact->model->contacts[k];
    double square = 0;
    for (int i = k; i < k + first->parts; i++) {
        const int counts = contact->model->contacts[i].unit[0] == first->unit[0];
        square += counts ? contact->force[i] * contact->force[i] : 0;
    }
    return sqrt(square);
}

double trm_contact_function(const trm_contact *contact, int k, int which)
{
    const double always = 1;
    const trm_contact_row *row = &contact->model->contacts[k];
    const double gap = contact->driven[k]    ? contact->closed
                       : contact->at_rest[k] ? contact->given[k]
                                             : 0;
    if (which == TRM_CONTACT_SLIP) {
        return trm_contact_is_second(contact, k) ? always : rate_function(contact, k);
    }
    if (row->mate >= 0 && which < TRM_CONTACT_SLIP) {
        const int sticks =
            contact->hold[k] && which == TRM_CONTACT_LOWER && !trm_contact_is_second(contact, k);
        return sticks ? pair_margin(contact, k) : always;
    }
    if (which == TRM_CONTACT_DETERMINANT) {
        return trm_contact_is_loaded(contact, k)
                   ? contact->problem.way * contact->problem.determinant
                   : always;
    }
    if (trm_contact_is_on(contact, k)) {
        const double left = k == row->first ? row->breaks_at - switched_force(contact, k) : always;
        return which == TRM_CONTACT_LOWER && isfinite(row->breaks_at) ? left : always;
    }
    if (which == TRM_CONTACT_UPPER && contact->hold[k] && trm_contact_is_rim(contact, k)) {
        const double *const way = place_of(contact, k);
        return dot(way, way) > 0 ? dot(way, way + 3) + TRM_TOUCH_SEED : always;
    }
    if (contact->hold[k]) {
        double lo, hi;
        const double p = contact->force[k], grain = contact->grain[k];
        trm_contact_bounds(contact, k, &lo, &hi);
        const double d = which == TRM_CONTACT_LOWER   ? p - lo + grain
                         : which == TRM_CONTACT_UPPER ? hi - p + grain
                                                      : INFINITY;
        return isfinite(d) ? d : always;
    }
    const int lower = which == TRM_CONTACT_LOWER;
    const double d = lower ? contact->x[k] - row->lo : row->hi - contact->x[k];
    if (lower && trm_contact_is_freewheel(contact, k) && gap == 0) {
        return always; // its rate tells
    }
    const int inside_out = contact->presses[k] == (lower ? -1 : 1);
    return isinf(d) ? always : inside_out ? -d : d + gap; // NaN where the gap is not defined
}
