#include "tools/sweep/axes.h"

#include "tools/common/csv_columns.h"
#include "tools/sweep/design/draws.h"
#include "trammel/trammel_error.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PIECE = 400, WHERE = 120 };

trm_axis *trm_axes_add(trm_axes *axes, const char *name, trm_axis_kind kind)
{
    trm_axis *const grown = realloc(axes->at, ((size_t)axes->n + 1) * sizeof *grown);
    if (grown == NULL) {
        return NULL;
    }
    axes->at = grown;
    trm_axis *const added = &grown[axes->n++];
    *added = (trm_axis){.kind = kind};
    snprintf(added->name, sizeof added->name, "%s", name);
    return added;
}

void trm_axes_destroy(trm_axes *axes)
{
    for (int i = 0; i < axes->n; i++) {
        free(axes->at[i].list);
        free(axes->at[i].order);
    }
    free(axes->at);
    free(axes->table);
    free(axes->keys);
    *axes = (trm_axes){0};
}

static int is_drawn(const trm_axis *axis)
{
    return axis->kind == TRM_AXIS_UNIFORM || axis->kind == TRM_AXIS_NORMAL;
}

static int is_counted(const trm_axis *axis)
{
    return axis->kind == TRM_AXIS_GRID || axis->kind == TRM_AXIS_LOG || axis->kind == TRM_AXIS_LIST;
}

// ------------------------------------------------------------------------------ the command line

/// Cuts off what stands in front of the next `mark` that is in no bracket. Returns what follows it;
/// NULL: nothing.
static const char *cut(const char *text, char mark, char piece[PIECE])
{
    int depth = 0;
    size_t n = 0;
    for (; text[n] != '\0' && (depth > 0 || text[n] != mark); n++) {
        depth += (text[n] == '(') - (text[n] == ')');
    }
    snprintf(piece, PIECE, "%.*s", (int)(n < PIECE ? n : PIECE - 1), text);
    return text[n] == mark ? text + n + 1 : NULL;
}

/// Numbers separated by colons, as many as there are; more than `most` are counted only.
static trm_status read_parts(const char *text, int most, double *out, int *n, const char *where,
                             trm_error *err)
{
    char piece[PIECE];
    for (*n = 0; text != NULL; ++*n) {
        double x = 0;
        text = cut(text, ':', piece);
        TRM_TRY(trm_number_read(piece, &x, where, err));
        if (*n < most) {
            out[*n] = x;
        }
    }
    return TRM_OK;
}

static trm_status read_range(const char *text, trm_axis *axis, const char *where, trm_error *err)
{
    double x[3] = {0};
    int n;
    const int log = axis->kind == TRM_AXIS_LOG;
    TRM_TRY(read_parts(text, 3, x, &n, where, err));
    if (n != 3 || x[2] != floor(x[2]) || x[2] < 1 || x[2] > TRM_MOST_RUNS) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS, where,
                        "a range is %sFIRST:LAST:N with N a whole number, got \"%.60s\"",
                        log ? "log:" : "", text);
    }
    if (log && !(x[0] * x[1] > 0)) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS, where,
                        "a log range needs two ends of one sign, not 0; got %g and %g", x[0], x[1]);
    }
    if (x[2] == 1 && x[0] != x[1]) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS, where, "one value cannot go from %g to %g", x[0],
                        x[1]);
    }
    axis->a = x[0];
    axis->b = x[1];
    axis->n = (long)x[2];
    return TRM_OK;
}

static trm_status read_draw(const char *text, trm_axis *axis, const char *where, trm_error *err)
{
    double x[2] = {0};
    int n;
    const int normal = axis->kind == TRM_AXIS_NORMAL;
    TRM_TRY(read_parts(text, 2, x, &n, where, err));
    if (n != 2) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS, where, "expected %s, got %d numbers",
                        normal ? "normal:MEAN:DEVIATION" : "uniform:FROM:TO", n);
    }
    if (normal ? x[1] < 0 : x[1] < x[0]) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS, where,
                        normal ? "the deviation must be >= 0, got %g"
                               : "the second end must not be below the first, got %g",
                        x[1]);
    }
    axis->a = x[0];
    axis->b = x[1];
    return TRM_OK;
}

static trm_status read_list(const char *text, trm_axis *axis, const char *where, trm_error *err)
{
    char piece[PIECE];
    while (text != NULL) {
        double *const grown = realloc(axis->list, ((size_t)axis->n + 1) * sizeof *grown);
        if (grown == NULL) {
            return TRM_FAIL(err, TRM_ERR_MEMORY, where, "out of memory");
        }
        axis->list = grown;
        text = cut(text, ',', piece);
        TRM_TRY(trm_number_read(piece, &grown[axis->n++], where, err));
    }
    return TRM_OK;
}

/// What the text behind "name=" is; *rest what follows its word.
static trm_axis_kind kind_of(const char *text, const char **rest)
{
    static const struct {
        const char *word;
        trm_axis_kind kind;
    } words[] = {
        {"log:", TRM_AXIS_LOG}, {"uniform:", TRM_AXIS_UNIFORM}, {"normal:", TRM_AXIS_NORMAL}};
    char piece[PIECE];
    *rest = text;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        const size_t n = strlen(words[i].word);
        if (strncmp(text, words[i].word, n) == 0) {
            *rest = text + n;
            return words[i].kind;
        }
    }
    return cut(text, ':', piece) != NULL   ? TRM_AXIS_GRID
           : cut(text, ',', piece) != NULL ? TRM_AXIS_LIST
                                           : TRM_AXIS_FIXED;
}

static trm_status read_setting(const char *setting, trm_axes *axes, trm_error *err)
{
    char where[WHERE], name[128];
    const char *rest;
    snprintf(where, sizeof where, "--set %.80s", setting);
    const size_t length = strcspn(setting, "=");
    if (length >= sizeof name) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS, where, "the name is too long");
    }
    snprintf(name, sizeof name, "%.*s", (int)length, setting);
    const trm_axis_kind kind = kind_of(setting + length + 1, &rest);
    trm_axis *const axis = trm_axes_add(axes, name, kind);
    if (axis == NULL) {
        return TRM_FAIL(err, TRM_ERR_MEMORY, where, "out of memory");
    }
    axis->text = rest;
    double value;
    switch (kind) {
    case TRM_AXIS_GRID:
    case TRM_AXIS_LOG:
        return read_range(rest, axis, where, err);
    case TRM_AXIS_UNIFORM:
    case TRM_AXIS_NORMAL:
        return read_draw(rest, axis, where, err);
    case TRM_AXIS_LIST:
        return read_list(rest, axis, where, err);
    default:
        return trm_number_read(rest, &value, where, err);
    }
}

// ---------------------------------------------------------------------------------- all together

static trm_status resolve(trm_axes *axes, const trm_scene *scene, const trm_model *model,
                          const trm_arguments *a, trm_error *err)
{
    char where[WHERE + 100];
    for (int i = 0; i < axes->n; i++) {
        trm_axis *const axis = &axes->at[i];
        const int in_file = axis->kind == TRM_AXIS_TABLE;
        snprintf(where, sizeof where, "%s%.80s", in_file ? a->samples : "--set ",
                 in_file ? "" : axis->name);
        TRM_TRY(trm_setting_find(scene, model, axis->name, where, &axis->target, err));
        for (int k = 0; k < i; k++) {
            if (strcmp(axes->at[k].name, axis->name) == 0) {
                return TRM_FAIL(err, TRM_ERR_OPTIONS, where, "\"%.60s\" is set twice", axis->name);
            }
        }
    }
    return TRM_OK;
}

/// Of numbers of the initial state.
static trm_status find_units(trm_axes *axes, const trm_scene *scene, const trm_model *model,
                             trm_error *err)
{
    trm_columns columns;
    TRM_TRY(trm_columns_of_state(scene, model, &columns, err));
    for (int i = 0; i < axes->n; i++) {
        trm_axis *const axis = &axes->at[i];
        for (int k = 0; axis->target.kind != TRM_SETS_PARAMETER && k < columns.n; k++) {
            if (strcmp(columns.at[k].name, axis->name) == 0) {
                snprintf(axis->unit, sizeof axis->unit, "%s", columns.at[k].unit);
            }
        }
    }
    trm_columns_destroy(&columns);
    return TRM_OK;
}

static trm_status too_many(trm_error *err)
{
    return TRM_FAIL(err, TRM_ERR_OPTIONS, "--set", "a sweep has %d runs at most", TRM_MOST_RUNS);
}

/// Rows or trajectories of a design, for the drawn parameters alone.
static trm_status count_design(trm_axes *axes, const trm_arguments *a, int drawn, int counted,
                               trm_error *err)
{
    const int most = a->design == TRM_DESIGN_SOBOL ? TRM_MOST_SOBOL : TRM_MOST_MORRIS;
    if (axes->table != NULL || counted > 0 || drawn == 0 || a->latin) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS, "--design",
                        "goes with draws (uniform: or normal:) and single values of --set only%s",
                        a->latin ? ", without --latin" : "");
    }
    if (drawn > most) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS, "--design", "%d parameters are drawn, %d at most",
                        drawn, most);
    }
    if (a->runs < 2) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS, "--design",
                        "needs --runs N, N > 1: its rows or trajectories, of %d runs each",
                        trm_design_block((trm_design)a->design, drawn));
    }
    const double runs = a->runs * trm_design_block((trm_design)a->design, drawn);
    if (runs > TRM_MOST_RUNS) {
        return too_many(err);
    }
    axes->design = (trm_design)a->design;
    axes->draws = (long)a->runs;
    axes->runs = (long)runs;
    return TRM_OK;
}

static trm_status count_runs(trm_axes *axes, const trm_arguments *a, trm_error *err)
{
    int drawn = 0, counted = 0;
    long grid = 1;
    for (int i = 0; i < axes->n; i++) {
        const trm_axis *const axis = &axes->at[i];
        drawn += is_drawn(axis);
        counted += is_counted(axis);
        if (is_counted(axis) && (grid *= axis->n) > TRM_MOST_RUNS) {
            return too_many(err);
        }
    }
    if (a->design != TRM_DESIGN_PLAIN) {
        return count_design(axes, a, drawn, counted, err);
    }
    if (axes->table != NULL && drawn + counted > 0) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS, "--samples",
                        "goes with single values of --set only: ranges and draws are in the file");
    }
    if (drawn == 0 && (a->runs > 0 || a->latin || a->seed > 0)) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS, "--runs, --latin or --seed",
                        "is for draws, and no --set has uniform: or normal:");
    }
    if (axes->table != NULL) {
        return TRM_OK;
    }
    if (drawn + counted == 0) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS, "--set",
                        "nothing is varied: give a range (l=1:2:11), a list, a draw, or --samples");
    }
    axes->draws = a->runs > 0 ? (long)a->runs : 1;
    axes->runs = grid * axes->draws;
    return axes->runs > TRM_MOST_RUNS ? too_many(err) : TRM_OK;
}

static trm_status prepare_draws(trm_axes *axes, const trm_arguments *a, trm_error *err)
{
    axes->keys = calloc((size_t)axes->n + 1, sizeof *axes->keys);
    if (axes->keys == NULL) {
        return TRM_FAIL(err, TRM_ERR_MEMORY, "--set", "out of memory");
    }
    for (int i = 0; i < axes->n; i++) {
        trm_axis *const axis = &axes->at[i];
        axis->key = trm_draw_key((uint64_t)a->seed, axis->name);
        if (is_drawn(axis)) {
            axis->drawn = axes->ndrawn++;
            axes->keys[axis->drawn] = axis->key;
        }
        if (is_drawn(axis) && a->latin) {
            axis->order = malloc((size_t)axes->runs * sizeof *axis->order);
            if (axis->order == NULL) {
                return TRM_FAIL(err, TRM_ERR_MEMORY, "--latin", "out of memory");
            }
            trm_draw_order(axis->key, (uint32_t)axes->runs, axis->order);
        }
    }
    return TRM_OK;
}

trm_status trm_axes_create(const trm_arguments *arguments, const trm_scene *scene,
                           const trm_model *model, trm_axes *out, trm_error *err)
{
    *out = (trm_axes){0};
    for (int i = 0; i < arguments->nset; i++) {
        TRM_TRY(read_setting(arguments->set[i], out, err));
    }
    if (arguments->samples != NULL) {
        TRM_TRY(trm_samples_read(arguments->samples, out, err));
    }
    TRM_TRY(resolve(out, scene, model, arguments, err));
    TRM_TRY(find_units(out, scene, model, err));
    TRM_TRY(count_runs(out, arguments, err));
    return prepare_draws(out, arguments, err);
}

// ---------------------------------------------------------------------------------------- a value

/// Which of its n values a grid has in this run: the last axis runs fastest.
static long place_of(const trm_axes *axes, int axis, long index)
{
    long point = index / axes->draws;
    for (int i = axes->n - 1; i > axis; i--) {
        point /= is_counted(&axes->at[i]) ? axes->at[i].n : 1;
    }
    return point % axes->at[axis].n;
}

/// In (0, 1); of a Latin hypercube within its stratum. A level of Morris's grid is an end of a
/// uniform range; of a normal one, whose ends are infinite, the middle of a quarter.
static double draw(const trm_axes *axes, const trm_axis *axis, long index)
{
    if (axes->design != TRM_DESIGN_PLAIN) {
        const double u =
            trm_design_draw(axes->design, axes->ndrawn, axes->keys, axis->drawn, index);
        const int inward = axes->design == TRM_DESIGN_MORRIS && axis->kind == TRM_AXIS_NORMAL;
        return inward ? (u * 3 + 0.5) / 4 : u;
    }
    const double u = trm_draw(axis->key, (uint64_t)index);
    return axis->order == NULL ? u : (axis->order[index] + u) / (double)axes->runs;
}

double trm_axis_value(const trm_axes *axes, int axis, long index)
{
    const trm_axis *const x = &axes->at[axis];
    const long k = is_counted(x) ? place_of(axes, axis, index) : 0;
    const double part = x->n > 1 ? (double)k / (double)(x->n - 1) : 0;
    switch (x->kind) {
    case TRM_AXIS_GRID:
        return k == x->n - 1 ? x->b : x->a + (x->b - x->a) * part;
    case TRM_AXIS_LOG:
        return k == x->n - 1 ? x->b : x->a * pow(x->b / x->a, part);
    case TRM_AXIS_LIST:
        return x->list[k];
    case TRM_AXIS_UNIFORM:
        return x->a + (x->b - x->a) * draw(axes, x, index);
    case TRM_AXIS_NORMAL:
        return x->a + x->b * trm_normal_quantile(draw(axes, x, index));
    case TRM_AXIS_TABLE:
        return axes->table[index * axes->columns + x->n];
    default:
        return NAN;
    }
}
