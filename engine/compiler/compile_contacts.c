/// Limits and friction of joints, friction of screws, stops and contacts of shapes:
/// model->contacts.
#include "bodies/vector.h"
#include "engine/compiler/compile.h"
#include "engine/contact/contact.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/// The rows of a joint, its motor's left out, whose multipliers are a force. Returns how many;
/// *first is where they begin.
static int force_rows(const trm_scene_joint *joint, const trm_row_list *rows, int *first)
{
    const int end = rows->nlabels - (joint->motor.code != NULL);
    int n = 0;
    *first = end;
    for (int i = end - 1; i >= 0; i--) { // they stand together
        const int force = *rows->unit[i] == 'm';
        *first = force ? i : *first;
        n += force;
    }
    return n;
}

/// Whether a row is friction of a stop; with the coefficient 0 it is a coordinate that is reported,
/// and a smooth law has a force of its own.
static int slips_under_load(const trm_scene_contact *def)
{
    return def->normal > 0 && def->friction.coefficient > 0 && !(def->friction.regularized > 0);
}

/// The pair in terms of the model, and its moving bodies. Returns how many.
static int compile_touch(trm_model *model, const trm_scene *scene, const trm_touch_pair *def,
                         trm_contact_row *out, int *bodies)
{
    int n = 0;
    out->touch = trm_compile_pair(scene, def, &model->arena);
    if (def->height) {
        const int scratch = trm_expression_workspace(def->height);
        model->scratch = scratch > model->scratch ? scratch : model->scratch;
    }
    for (int i = 0; i < 2 && bodies && def->side[i].body != TRM_INDEX_GROUND; i++) {
        bodies[n++] = def->side[i].body;
    }
    return n;
}

/// A row of a joint that is switched, and its bodies. Returns how many.
static int compile_joint_row(trm_model *model, const trm_draft *d, const trm_scene_contact *def,
                             trm_contact_row *out, int *bodies)
{
    const trm_joint_frame *const frame = &d->frames[def->joint];
    const trm_scene_joint *const joint = &d->scene->joints[def->joint];
    const trm_row_ops *const *const ops = trm_row_table[frame->dimension - 2];
    trm_joint_row *const row = trm_arena_take(&model->arena, 1, sizeof *row);
    trm_row_list list = {0};
    int entry = 0, before = 0;
    joint->kind->rows(frame, &list);
    while (def->part >= before + ops[list.row[entry].kind]->rows) {
        before += ops[list.row[entry++].kind]->rows;
    }
    if (row) {
        double Ra[9], Rb[9], world[3];
        *row = (trm_joint_row){.row = list.row[entry],
                               .part = def->part - before,
                               .moves = list.nlabels == model->bodies.width}; // holds all: a weld
        trm_initial_rotation(d->scene, joint->body[0], Ra);
        trm_initial_rotation(d->scene, joint->body[1], Rb);
        rotate_back(Ra, rotate(Rb, row->row.ub, world), row->w);
        bodies[0] = frame->a;
        bodies[1] = frame->b;
        out->of_joint = row;
    }
    return 2;
}

/// What the name of a row has behind that of its stop, contact or joint; the unit of its x.
static const char *suffix_of(const trm_draft *d, const trm_scene_contact *def, const char **unit)
{
    static const char *const words[] = {"",         ".friction", ".friction2",
                                        ".rolling", ".rolling2", ".spinning",
                                        ".tips",    ".tips2",    ".twists"};
    if (def->switched == TRM_SWITCH_ROWS) {
        trm_row_list list = {0};
        d->scene->joints[def->joint].kind->rows(&d->frames[def->joint], &list);
        *unit = list.unit[def->part];
        return list.label[def->part];
    }
    return def->switched ? "lock" : words[def->touch ? def->axis : def->normal];
}

static int is_angle(const trm_scene *scene, const trm_scene_contact *def)
{
    return def->touch ? def->axis >= TRM_TOUCH_ROLLS
           : def->joint >= 0
               ? trm_turns(scene->joints[def->joint].kind->freedom)
               : def->constraint >= 0 && scene->constraints[def->constraint].unit[0] == 'r';
}

/// How many bodies a row may depend on, at most.
static int bodies_of(const trm_scene_contact *def)
{
    return def->touch || !def->x.code ? 2 : 2 * def->x.nvariables;
}

static void compile_contact(trm_model *model, const trm_draft *d, const trm_scene_contact *def,
                            trm_contact_row *out)
{
    trm_arena *arena = &model->arena;
    char name[160];
    const int beside = bodies_of(def - def->normal) + bodies_of(def + def->mate);
    int *bodies = trm_arena_ints(arena, bodies_of(def));
    int *parts = trm_arena_ints(arena, bodies_of(def) + beside);
    const char *unit = is_angle(d->scene, def) ? "rad" : "m";
    const char *const suffix = suffix_of(d, def, &unit);
    const int own = (int)(def - d->scene->contacts);
    snprintf(name, sizeof name, "%s%s%s", def->name, def->switched ? "." : "", suffix);
    *out = (trm_contact_row){
        .name = trm_arena_text(arena, name),
        .where = trm_where_compile(d->scene, def->place, arena),
        .unit = unit,
        .bodies = bodies,
        .part = parts,
        .lo = def->limits[0],
        .hi = def->limits[1],
        .restitution = def->restitution,
        .stiffness = def->stiffness,
        .damping = def->damping,
        .exponent = def->exponent,
        .friction = def->friction,
        .one_way = def->one_way,
        .teeth = def->teeth,
        .input = def->switched ? def->input : -1,
        .joint = def->joint,
        .first = own - (def->switched ? def->part : def->normal),
        .parts = def->parts,
        .rope = def->rope,
        .held = -1,
        .breaks_at = def->breaks_at,
    };
    const trm_scene_friction *f = &def->friction;
    const int slips = slips_under_load(def);
    out->friction.given = f->given && !(f->regularized > 0) && !(def->normal > 0 && !slips);
    out->normal = slips ? own - def->normal : -1;
    out->across = def->mate && (slips || f->regularized > 0) ? own + def->mate : -1;
    out->mate = slips ? out->across : -1;
    out->coefficient = f->given ? f->coefficient * (def->joint >= 0 ? f->radius : 1) : 0;
    out->more = f->holding > 0 ? f->holding / f->coefficient - 1 : 0;
    if (def->joint >= 0) {
        const int pressed = trm_holder_of(d->scene, def->joint);
        int first;
        out->rows = force_rows(&d->scene->joints[pressed], &d->rows[pressed], &first);
        out->row = d->blocks[pressed].row + first;
    } else if (def->constraint >= 0) {
        out->row = d->blocks[d->scene->njoints + def->constraint].row;
        out->rows = d->blocks[d->scene->njoints + def->constraint].rows;
    }
    trm_function_compile(d, trm_scene_scale(def), model, &out->scale);
    if (def->touch) {
        out->axis = def->axis;
        out->nbodies = compile_touch(model, d->scene, def->touch, out, bodies);
        return;
    }
    if (def->switched == TRM_SWITCH_ROWS) {
        out->nbodies = compile_joint_row(model, d, def, out, bodies);
        return;
    }
    trm_function_compile(d, &def->x, model, &out->x);
    if (bodies) {
        out->nbodies = trm_bodies_of_formula(d->scene, &def->x, bodies);
    }
}

/// Adds what the bodies of another row move.
static void add_parts(const trm_model *model, const trm_contact_row *from, trm_contact_row *row)
{
    for (int b = 0; b < from->nbodies; b++) {
        const int body = from->bodies[b];
        if (body < 0 || body >= model->sizes.nbody) {
            continue;
        }
        const int part = model->component[model->body_info[body].v0];
        int known = 0;
        for (int i = 0; i < row->nparts; i++) {
            known |= row->part[i] == part;
        }
        row->part[row->nparts] = part;
        row->nparts += !known;
    }
}

/// Takes note of the balls of row k: first[b] is 1 + twice its first row of a ball of body b, or
/// that and 1 more. Returns nonzero where body b has another ball already.
static int note_balls(const trm_model *model, int k, int *first)
{
    int several = 0;
    for (int i = 0; i < 2; i++) {
        const trm_touch_side *const side = &model->contacts[k].touch->side[i];
        int *const known = &first[side->body];
        *known = *known ? *known : 1 + 2 * k + i;
        const trm_touch_side *const other =
            &model->contacts[(*known - 1) / 2].touch->side[(*known - 1) % 2];
        for (int j = 0; j < 3; j++) {
            several |= side->center[j] != other->center[j];
        }
        several |= side->size[0] != other->size[0];
    }
    return several;
}

/// The most pairs of n balls that touch at once, if none overlaps: in the plane links between the
/// centres of those that touch do not cross, 3 n at most; in space each touches 8 + 4 sqrt(3)
/// others on the average [Kuperberg, Schramm, Math. Res. Lett. 1 (1994)].
static double most_touching(const trm_model *model, int n)
{
    return (model->bodies.dimension == 2 ? 3 : 4 + 2 * sqrt(3)) * n;
}

/// How many rows of a pair.
static int width_of_pairs(const trm_model *model)
{
    int width = 1;
    for (int k = 0; k < model->ncontacts; k++) {
        const int normal = model->contacts[k].normal;
        width = normal >= 0 && k - normal >= width ? k - normal + 1 : width;
    }
    return width;
}

/// Rows of blocks of all contacts: others than those of two balls that move, those, and their gaps;
/// balls by body, and bodies with a ball. Each [nv + 1].
typedef struct block_counts {
    int *parent, *others, *pairs, *gaps, *first, *balls;
} block_counts;

static void count_rows(const trm_model *model, const block_counts *count)
{
    for (int k = 0; k < model->ncontacts; k++) {
        const int block = trm_contact_block_of(model, count->parent, k);
        if (!trm_contact_is_of_balls(model, k)) {
            count->others[block]++;
            continue;
        }
        count->pairs[block]++;
        count->gaps[block] += model->contacts[k].axis == TRM_TOUCH_GAP;
        if (note_balls(model, k, count->first)) {
            count->gaps[block] = INT_MIN / 2; // bodies of several balls: no bound is known
        }
    }
    for (int b = 0; b < model->sizes.nbody && model->ncontacts > 0; b++) {
        const int part = model->component[model->body_info[b].v0];
        count->balls[part >= 0 ? trm_contact_root_of(count->parent, part) : model->sizes.nv] +=
            count->first[b] > 0;
    }
}

/// What contacts move, and how many rows of a block, and of all blocks, are solved for at once; two
/// at least: what fails is shown by two rows. Switches close together whatever their blocks. Balls
/// do not overlap where each pair is a contact.
static void find_parts(trm_model *model, const block_counts *count)
{
    const int width = width_of_pairs(model);
    for (int k = 0; k < model->ncontacts; k++) {
        trm_contact_row *const row = &model->contacts[k];
        const int rows[] = {k, row->mate, row->normal};
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
            if (rows[i] >= 0) {
                add_parts(model, &model->contacts[rows[i]], row);
            }
        }
    }
    for (int i = 0; i < model->sizes.nv; i++) {
        count->parent[i] = i;
    }
    trm_contact_join(model, model->ncontacts, NULL, count->parent);
    count_rows(model, count);
    model->contact_room = model->nswitched > 2 ? model->nswitched : 2;
    model->contacts_at_once = 0;
    for (int i = 0; i <= model->sizes.nv; i++) {
        const double n = count->balls[i], touching = width * most_touching(model, count->balls[i]);
        const int bounded = count->gaps[i] == n * (n - 1) / 2 && touching < count->pairs[i];
        const int rows = count->others[i] + (bounded ? (int)touching : count->pairs[i]);
        model->contact_room = rows > model->contact_room ? rows : model->contact_room;
        model->contacts_at_once += rows;
    }
}

/// Rows of g do what their limits and friction did.
static void note_held(trm_model *model)
{
    for (int k = 0; model->contacts && k < model->nexpressions; k++) {
        const trm_expression_row *const row = &model->expressions[k];
        if (row->held.contact >= 0) {
            trm_contact_row *const contact = &model->contacts[row->held.contact];
            contact->held = model->blocks[row->block].row;
            contact->lo = -INFINITY;
            contact->hi = INFINITY;
            contact->friction = (trm_scene_friction){0};
            contact->one_way = 0;
        }
    }
}

void trm_compile_contacts(trm_model *model, const trm_draft *draft)
{
    const int n = model->ncontacts = model->sizes.ncontact = draft->scene->ncontacts;
    model->contacts = trm_arena_take(&model->arena, (size_t)n, sizeof *model->contacts);
    model->poisson = draft->scene->impact;
    model->nloaded = model->npairs = model->nswitched = model->nbreaking = 0;
    for (int i = 0; i < n; i++) {
        trm_contact_row counted;
        compile_contact(model, draft, &draft->scene->contacts[i],
                        model->contacts ? &model->contacts[i] : &counted);
        model->nloaded += draft->scene->contacts[i].friction.coefficient > 0;
        model->nswitched += draft->scene->contacts[i].switched != TRM_SWITCH_NONE;
        model->nbreaking += draft->scene->contacts[i].switched != TRM_SWITCH_NONE &&
                            isfinite(draft->scene->contacts[i].breaks_at);
        model->npairs +=
            draft->scene->contacts[i].mate < 0 && slips_under_load(&draft->scene->contacts[i]);
    }
    note_held(model);
    int *work[6];
    for (int i = 0; i < 6; i++) {
        work[i] = trm_arena_ints(&model->arena, model->sizes.nv + 1);
    }
    if (work[5]) {
        find_parts(model, &(block_counts){work[0], work[1], work[2], work[3], work[4], work[5]});
    }
}
