/// Rows of g, arrays by kind, and where they meet in G and S: scene -> model.
#include "engine/compiler/compile.h"

#include <math.h>
#include <string.h>

// -------------------------------------------------------------------------------------- batches

/// A batch while it is written.
typedef struct batch_arrays {
    int n, stride;
    int *a, *b, *row, *Ga, *Gb;
    double *la, *lb, *ua, *ub, *sa, *sb, *constant;
} batch_arrays;

static batch_arrays take_batch(trm_arena *arena, int n, int dimension)
{
    const int stride = (n + 7) / 8 * 8;
    const int vectors = dimension * stride;
    return (batch_arrays){.stride = stride,
                          .a = trm_arena_ints(arena, n),
                          .b = trm_arena_ints(arena, n),
                          .row = trm_arena_ints(arena, n),
                          .Ga = trm_arena_ints(arena, n),
                          .Gb = trm_arena_ints(arena, n),
                          .la = trm_arena_doubles(arena, vectors),
                          .lb = trm_arena_doubles(arena, vectors),
                          .ua = trm_arena_doubles(arena, vectors),
                          .ub = trm_arena_doubles(arena, vectors),
                          .sa = trm_arena_doubles(arena, vectors),
                          .sb = trm_arena_doubles(arena, vectors),
                          .constant = trm_arena_doubles(arena, n)};
}

static trm_row_batch finished(const batch_arrays *w, int n)
{
    return (trm_row_batch){.n = n,
                           .stride = w->stride,
                           .a = w->a,
                           .b = w->b,
                           .row = w->row,
                           .Ga = w->Ga,
                           .Gb = w->Gb,
                           .la = w->la,
                           .lb = w->lb,
                           .ua = w->ua,
                           .ub = w->ub,
                           .sa = w->sa,
                           .sb = w->sb,
                           .constant = w->constant};
}

/// Entry `row` of a joint's block; `r` counts the scalar rows of the block so far.
static void append_row(batch_arrays *w, const trm_row *row, const trm_block *block, int r,
                       int dimension)
{
    const int width = dimension == 2 ? 3 : 6;
    const int i = w->n++;
    w->a[i] = row->a;
    w->b[i] = row->b;
    w->row[i] = block->row + r;
    w->Ga[i] = block->G + r * width;
    w->Gb[i] = block->G + (block->rows + r) * width;
    w->constant[i] = row->constant;
    for (int k = 0; k < dimension; k++) {
        w->la[k * w->stride + i] = row->la[k];
        w->lb[k * w->stride + i] = row->lb[k];
        w->ua[k * w->stride + i] = row->ua[k];
        w->ub[k * w->stride + i] = row->ub[k];
        w->sa[k * w->stride + i] = row->sa[k];
        w->sb[k * w->stride + i] = row->sb[k];
    }
}

static void compile_batches(trm_model *model, const trm_draft *d)
{
    const int dimension = d->scene->dimension;
    batch_arrays written[TRM_ROW_KINDS];
    for (int kind = 0; kind < TRM_ROW_KINDS; kind++) {
        written[kind] = take_batch(&model->arena, d->entries[kind], dimension);
    }
    for (int j = 0; model->arena.base && j < d->scene->njoints; j++) {
        int r = 0;
        for (int k = 0; k < d->rows[j].n && !trm_is_pin(d, j); k++) {
            const trm_row *row = &d->rows[j].row[k];
            append_row(&written[row->kind], row, &d->blocks[j], r, dimension);
            r += trm_row_table[dimension - 2][row->kind]->rows;
        }
    }
    model->nkinds = 0;
    for (int kind = 0; kind < TRM_ROW_KINDS; kind++) {
        model->batch[kind] = finished(&written[kind], d->entries[kind]);
        if (d->entries[kind] > 0) {
            model->kind[model->nkinds++] = kind;
        }
    }
}

// ------------------------------------------------------------- drives, expressions, user's rows

static void compile_drives(trm_model *model, const trm_draft *d)
{
    int n = 0;
    for (int j = 0; j < d->scene->njoints; j++) {
        n += d->scene->joints[j].motor.code != NULL;
    }
    model->drives = trm_arena_take(&model->arena, (size_t)n, sizeof *model->drives);
    model->ndrives = n;
    int next = 0;
    for (int j = 0; j < d->scene->njoints; j++) {
        const trm_scene_joint *joint = &d->scene->joints[j];
        if (!joint->motor.code) {
            continue;
        }
        trm_drive counted;
        trm_drive *drive = model->drives ? &model->drives[next++] : &counted;
        drive->name = trm_arena_text(&model->arena, joint->name);
        trm_function_compile(d, &joint->motor, model, &drive->c);
        if (model->drives) {
            drive->joint = j;
            drive->row = d->blocks[j].row + d->blocks[j].rows - 1;
            // planar angles count turns, spatial ones do not
            drive->period =
                d->scene->dimension == 3 && trm_turns(joint->kind->freedom) ? 2 * acos(-1) : 0;
        }
    }
}

static void compile_expressions(trm_model *model, const trm_draft *d)
{
    const int n = d->scene->nconstraints;
    int nrows = 0, next = 0;
    for (int k = 0; k < n; k++) {
        nrows += d->scene->constraints[k].nrows;
    }
    model->nexpressions = nrows + d->nheld;
    model->expressions =
        trm_arena_take(&model->arena, (size_t)model->nexpressions, sizeof *model->expressions);
    model->nspeeds = 0;
    for (int k = 0; k < n; k++) {
        const trm_scene_constraint *def = &d->scene->constraints[k];
        const char *name = trm_arena_text(&model->arena, def->name);
        for (int r = 0; r < def->nrows; r++, next++) {
            trm_expression_row counted;
            trm_expression_row *row = model->expressions ? &model->expressions[next] : &counted;
            row->block = d->scene->njoints + k;
            row->r = r;
            row->of_velocity = def->of_velocity[r];
            row->name = name;
            row->held.contact = -1;
            model->nspeeds += row->of_velocity;
            trm_function_compile(d, &def->expression[r], model, &row->e);
        }
    }
}

/// Behind those of expressions.
static void compile_held(trm_model *model, const trm_draft *d)
{
    trm_expression_row *const row =
        model->expressions ? model->expressions + model->nexpressions - d->nheld : NULL;
    for (int k = 0; k < d->nheld; k++) {
        const char *name =
            trm_arena_text(&model->arena, d->scene->contacts[d->held[k].contact].name);
        model->nspeeds += d->held[k].of_velocity;
        if (row) {
            row[k] = (trm_expression_row){.block = d->nblocks - d->nheld + k,
                                          .of_velocity = d->held[k].of_velocity,
                                          .name = name,
                                          .held = d->held[k]};
        }
    }
}

/// Which rows of g are held by velocities alone; NULL where there are none.
static void compile_speeds(trm_model *model, const trm_draft *d)
{
    int *speed = model->nspeeds > 0 ? trm_arena_ints(&model->arena, d->nc) : NULL;
    for (int k = 0; speed && k < model->nexpressions; k++) {
        const trm_expression_row *row = &model->expressions[k];
        speed[d->blocks[row->block].row + row->r] = row->of_velocity;
    }
    model->speed = speed;
}

static void compile_user_rows(trm_model *model, const trm_draft *d)
{
    const int n = d->scene->nuser_constraints;
    model->user_rows = trm_arena_take(&model->arena, (size_t)n, sizeof *model->user_rows);
    model->nuser_rows = n;
    for (int k = 0; k < n; k++) {
        const trm_constraint_def *def = &d->scene->user_constraints[k];
        const char *name = trm_arena_text(&model->arena, def->name);
        const int work = def->rows * model->sizes.nv;
        model->user_work = work > model->user_work ? work : model->user_work;
        if (model->user_rows) {
            model->user_rows[k].block = d->scene->njoints + d->scene->nconstraints + k;
            model->user_rows[k].def = *def;
            model->user_rows[k].def.name = name;
        }
    }
}

// ---------------------------------------------------------------------------------------- names

static void name_rows(trm_model *model, const trm_draft *d, int first, const char *name,
                      trm_place place, const char *const *label, const char *const *unit, int n)
{
    const char *own_name = trm_arena_text(&model->arena, name);
    const char *own_where = trm_where_compile(d->scene, place, &model->arena);
    for (int r = 0; r < n; r++) {
        const char *own_label = trm_arena_text(&model->arena, label && n > 1 ? label[r] : "");
        const char *own_unit = trm_arena_text(&model->arena, unit ? unit[r] : "");
        if (model->row_info) {
            model->row_info[first + r] = (trm_row_info){
                .name = own_name, .label = own_label, .unit = own_unit, .where = own_where};
        }
    }
}

static void compile_names(trm_model *model, const trm_draft *d)
{
    const trm_scene *scene = d->scene;
    const trm_block *block = d->blocks;
    const trm_place nowhere = {0};
    model->row_info = trm_arena_take(&model->arena, (size_t)d->nc, sizeof *model->row_info);
    for (int j = 0; j < scene->njoints; j++, block++) {
        name_rows(model, d, block->row, scene->joints[j].name, scene->joints[j].place,
                  d->rows[j].label, d->rows[j].unit, block->rows);
    }
    for (int k = 0; k < scene->nconstraints; k++, block++) {
        const trm_scene_constraint *def = &scene->constraints[k];
        const char *const unit[TRM_CONSTRAINT_ROWS] = {def->unit, def->unit, def->unit};
        name_rows(model, d, block->row, def->name, def->place, def->label, unit, block->rows);
    }
    for (int k = 0; k < scene->nuser_constraints; k++, block++) {
        name_rows(model, d, block->row, scene->user_constraints[k].name, nowhere, NULL, NULL,
                  block->rows);
    }
    for (int k = 0; k < d->nheld; k++, block++) {
        const trm_scene_contact *const def = &scene->contacts[d->held[k].contact];
        name_rows(model, d, block->row, def->name, def->place, NULL, NULL, 1);
    }
}

// ------------------------------------------------------------------------------ blocks of G and S

static void compile_blocks(trm_model *model, const trm_draft *d)
{
    trm_arena *arena = &model->arena;
    model->nblocks = d->nblocks;
    model->nG = d->nG;
    model->sizes.nc = d->nc;
    model->blocks = trm_arena_take(arena, (size_t)d->nblocks, sizeof *model->blocks);
    model->block_bodies = trm_arena_ints(arena, d->nblock_bodies);
    if (model->blocks) {
        memcpy(model->blocks, d->blocks, (size_t)d->nblocks * sizeof *d->blocks);
        memcpy(model->block_bodies, d->block_bodies, (size_t)d->nblock_bodies * sizeof(int));
    }
}

/// -1 or 1 for the first or the second body of a spatial joint that fixes a point, else 0.
static double fixed_point_of(const trm_draft *d, int i, int use, int body)
{
    const trm_scene *scene = d->scene;
    if (scene->dimension == 2 || i >= scene->njoints || d->rows[i].n == 0 ||
        (body < scene->nbodies && scene->bodies[body].point_mass)) {
        return 0;
    }
    int fixed = d->rows[i].row[0].kind == TRM_ROW_COINCIDENT;
    for (int k = 1; k < d->rows[i].n; k++) {
        const trm_row_kind kind = d->rows[i].row[k].kind;
        fixed = fixed &&
                (kind == TRM_ROW_ALIGNED || kind == TRM_ROW_PERPENDICULAR || kind == TRM_ROW_ANGLE);
    }
    return fixed ? 2 * use - 1 : 0;
}

/// Rows that a side takes: in the plane one.
static int rows_of_side(const trm_draft *d, int block)
{
    return d->scene->dimension == 2 ? 1 : d->blocks[block].rows;
}

/// The sides of block i. Returns how many; side may be NULL.
static int list_sides(const trm_model *model, const trm_draft *d, int i, trm_side *side)
{
    const trm_block *block = &d->blocks[i];
    const int rows = rows_of_side(d, i);
    int n = 0;
    for (int k = 0; k < block->nbodies; k++) {
        const int body = d->block_bodies[block->body + k];
        for (int r = 0; r < block->rows && body < d->scene->nbodies; r += rows, n++) {
            if (side) {
                side[n] = (trm_side){.body = body,
                                     .v0 = model->body_info[body].v0,
                                     .columns = model->body_info[body].nv,
                                     .row = block->row + r,
                                     .rows = rows,
                                     .G = block->G + (k * block->rows + r) * model->bodies.width,
                                     .fixed_point = fixed_point_of(d, i, k, body)};
            }
        }
    }
    return n;
}

static int list_all_sides(const trm_model *model, const trm_draft *d, trm_side *side)
{
    int n = 0;
    for (int i = 0; i < d->nblocks; i++) {
        if (!trm_is_pin(d, i)) {
            n += list_sides(model, d, i, side ? side + n : NULL);
        }
    }
    return n;
}

static void compile_sides(trm_model *model, const trm_draft *d)
{
    model->nsides = list_all_sides(model, d, NULL);
    trm_side *side = trm_arena_take(&model->arena, (size_t)model->nsides, sizeof *side);
    model->sides = side;
    if (side) {
        list_all_sides(model, d, side);
    }
}

/// The contribution of one body to the stored block of S that joins two uses of it.
static trm_coupling coupling_of(const trm_model *model, const trm_draft *d, int body,
                                const int *use_i, const int *use_j)
{
    const int width = model->bodies.width;
    const trm_block *i = &model->blocks[use_i[0]];
    const trm_block *j = &model->blocks[use_j[0]];
    int transposed = 0;
    const int S = trm_pattern_offset(model->pattern, use_i[0], use_j[0], &transposed);
    if (transposed) {
        return coupling_of(model, d, body, use_j, use_i);
    }
    return (trm_coupling){.body = body,
                          .Gi = i->G + use_i[1] * i->rows * width,
                          .rows_i = i->rows,
                          .Gj = j->G + use_j[1] * j->rows * width,
                          .rows_j = j->rows,
                          .S = S,
                          .more = trm_meet_before(d, use_i[0], use_j[0], body),
                          .stride = model->pattern->size[model->pattern->place[use_j[0]]],
                          .fixed_point = fixed_point_of(d, use_i[0], use_i[1], body) *
                                         fixed_point_of(d, use_j[0], use_j[1], body)};
}

/// All couplings except those of two pins. Returns how many; out may be NULL.
static int list_couplings(const trm_model *model, const trm_draft *d, trm_coupling *out)
{
    int n = 0;
    for (int b = 0; b < d->scene->nbodies; b++) {
        for (int i = d->first_use[b]; i < d->first_use[b + 1]; i++) {
            for (int j = d->first_use[b]; j <= i; j++) {
                if (trm_is_pin(d, d->uses[2 * i]) && trm_is_pin(d, d->uses[2 * j])) {
                    continue;
                }
                if (out) {
                    out[n] = coupling_of(model, d, b, d->uses + 2 * i, d->uses + 2 * j);
                }
                n++;
            }
        }
    }
    return n;
}

static void compile_couplings(trm_model *model, const trm_draft *d)
{
    const int n = list_couplings(model, d, NULL);
    model->ncouplings = n;
    model->couplings = trm_arena_take(&model->arena, (size_t)n, sizeof *model->couplings);
    if (model->couplings) {
        list_couplings(model, d, model->couplings);
    }
}

static int is_filled(const trm_model *model, const trm_draft *d, int block)
{
    return model->pattern->size[model->pattern->place[block]] > d->blocks[block].rows;
}

/// Whether pins, or the couplings of a spatial model, write all of the block (i, j) of S, not only
/// add to it. Nobody writes fillers.
static int is_written(const trm_model *model, const trm_draft *d, int i, int j)
{
    const int pins = trm_is_pin(d, i) && trm_is_pin(d, j);
    const int meet = trm_meet_before(d, i, j, d->scene->nbodies);
    const int whole = !is_filled(model, d, i) && !is_filled(model, d, j);
    return d->scene->dimension == 3 ? meet && whole : pins && (i == j || meet);
}

/// The values of S that are not written, in stretches. Returns how many; blank may be NULL.
static int list_blanks(const trm_model *model, const trm_draft *d, trm_blank *blank)
{
    const trm_pattern *p = model->pattern;
    int n = 0;
    int end = -1; // of the last one
    for (int k = 0; k < p->nblocks; k++) {
        for (int e = p->column[k] - 1; e < p->column[k + 1]; e++) {
            const int below = e < p->column[k] ? k : p->block[e];
            const int begin = below == k ? p->diagonal[k] : p->offset[e];
            const int count = p->size[below] * p->size[k];
            if (is_written(model, d, p->order[below], p->order[k])) {
                continue;
            }
            if (begin != end) {
                n++;
            }
            if (blank) {
                const int first = begin == end ? blank[n - 1].begin : begin;
                blank[n - 1] = (trm_blank){first, begin + count - first};
            }
            end = begin + count;
        }
    }
    return n;
}

static void compile_blanks(trm_model *model, const trm_draft *d)
{
    model->nblanks = list_blanks(model, d, NULL);
    trm_blank *blank = trm_arena_take(&model->arena, (size_t)model->nblanks, sizeof *blank);
    model->blanks = blank;
    if (blank) {
        list_blanks(model, d, blank);
    }
}

void trm_compile_rows(trm_model *model, const trm_draft *draft)
{
    compile_blocks(model, draft);
    compile_batches(model, draft);
    compile_drives(model, draft);
    compile_expressions(model, draft);
    compile_held(model, draft);
    compile_speeds(model, draft);
    compile_user_rows(model, draft);
    compile_names(model, draft);
    compile_sides(model, draft);
    compile_couplings(model, draft);
    compile_blanks(model, draft);
}
