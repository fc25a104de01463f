// Tables of the scene: points in the file, or two columns of a file beside it.

#include "base/status.h"
#include "scenes/json/columns.h"
#include "scenes/reader/reader.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// What the keys of a table say.
typedef struct table_keys {
    const char *file, *x, *y;
    int interpolation, outside;
} table_keys;

const trm_key trm_table_keys[] = {
    TRM_KEY_OWN(
        "points", "The points, pairs [x, y] with rising x; two or more. This or `file`.",
        .schema = "{\"type\":\"array\",\"minItems\":2,\"items\":{\"type\":\"array\",\"minItems\":2,"
                  "\"maxItems\":2,\"items\":{\"$ref\":\"#/$defs/number\"}}}"),
    TRM_KEY("file", TEXT, table_keys, file,
            "A file in the folder of the scene or below (another folder: `--allow-files DIR`) "
            "whose first line names its columns; separated by commas, semicolons, tabs or spaces."),
    TRM_KEY("x", TEXT, table_keys, x, "The name of the column of x, which must rise.",
            .needs = "file"),
    TRM_KEY("y", TEXT, table_keys, y, "The name of the column of y.", .needs = "file"),
    TRM_KEY("interpolation", CHOICE, table_keys, interpolation,
            "Between the points: straight lines (kinks); a spline with two continuous derivatives, "
            "which motors and constraints need; or cubics with one, which stay between "
            "neighbouring points. Ends of the spline by `outside`: `error`: not-a-knot (the first "
            "and the last two pieces are one cubic each); `hold`: level; `extrapolate`: no "
            "curvature; `periodic`: as the other end. Slopes of `monotone`: the weighted harmonic "
            "mean of both neighbouring pieces (Fritsch and Butland 1984), zero where these rise "
            "and fall; at the ends by three points, without overshoot (pchip); `hold`: level.",
            .fallback = "\"linear\"", .choices = "linear|cubic|monotone"),
    TRM_KEY("outside", CHOICE, table_keys, outside,
            "Before the first and after the last point: the run stops; the end's value is held "
            "(with one derivative at the ends: not for motors); a straight line goes on (the "
            "spline then has no curvature at its ends); or all repeats, when the first and the "
            "last y are the same.",
            .fallback = "\"error\"", .choices = "error|hold|extrapolate|periodic"),
    {.name = NULL},
};

static const trm_key_group groups[] = {{1, {"points", "file", NULL}}, {0, {NULL}}};

/// A table with room for n points, and its abscissas and values.
static trm_status take_table(trm_reader *reader, const table_keys *keys, int n, trm_table **out,
                             double **x, double **y)
{
    TRM_TRY(trm_reader_take(reader, 1, trm_table_bytes(n), out));
    **out = (trm_table){.bytes = trm_table_bytes(n),
                        .n = n,
                        .interpolation = (trm_interpolation)keys->interpolation,
                        .outside = (trm_outside)keys->outside};
    *x = (*out)->values;
    *y = *x + n;
    return TRM_OK;
}

static trm_status read_points(trm_reader *reader, const trm_node *node, const table_keys *keys,
                              trm_table **out)
{
    TRM_TRY(trm_read_array(reader, node));
    const int n = trm_node_size(node);
    if (n < 2) {
        return TRM_REFUSE(reader, node, "a table needs two points or more, got %d", n);
    }
    double *x, *y, pair[2];
    TRM_TRY(take_table(reader, keys, n, out, &x, &y));
    const trm_node *child = node + 1;
    for (int i = 0; i < n; i++, child += child->span) {
        TRM_TRY(trm_read_numbers(reader, child, 2, pair));
        x[i] = pair[0];
        y[i] = pair[1];
        if (i > 0 && !(x[i] > x[i - 1])) {
            return TRM_REFUSE(reader, child, "the x of a table must rise: %.9g %s %.9g", x[i],
                              x[i] == x[i - 1] ? "twice, after" : "after", x[i - 1]);
        }
    }
    return TRM_OK;
}

static trm_status copy_columns(trm_reader *reader, const trm_node *node, const table_keys *keys,
                               const char *path, const trm_columns *columns, trm_table **out)
{
    double *x, *y;
    if (columns->n < 2) {
        return TRM_REFUSE(reader, node, "a table needs two points or more; \"%.100s\" has %d",
                          keys->file, columns->n);
    }
    TRM_TRY(take_table(reader, keys, columns->n, out, &x, &y));
    for (int i = 0; i < columns->n; i++) {
        x[i] = columns->x[i];
        y[i] = columns->y[i];
        if (i > 0 && !(x[i] > x[i - 1])) {
            char where[160];
            snprintf(where, sizeof where, "%s:%d:%d", path, columns->line[i], columns->column[i]);
            return TRM_FAIL(reader->err, TRM_ERR_SCENE, where,
                            "the x of a table must rise: %.9g %s %.9g", x[i],
                            x[i] == x[i - 1] ? "twice, after" : "after", x[i - 1]);
        }
    }
    return TRM_OK;
}

static trm_status read_columns(trm_reader *reader, const trm_node *node, const table_keys *keys,
                               trm_table **out)
{
    char *path = NULL;
    trm_bytes bytes;
    trm_columns columns;
    const trm_node *file = trm_node_find(node, "file");
    if (!keys->x || !keys->y) {
        return TRM_REFUSE(reader, node, "missing key \"%s\", the name of a column",
                          keys->x ? "y" : "x");
    }
    TRM_TRY(trm_path_beside(reader, keys->file, &path));
    TRM_TRY(trm_read_file(reader, file, keys->file, &bytes));
    trm_status status = trm_columns_read(path, bytes.text, keys->x, keys->y, &columns, reader->err);
    free(bytes.text);
    TRM_TRY(status);
    status = copy_columns(reader, file, keys, path, &columns, out);
    free(columns.x);
    return status;
}

/// The last value of a periodic table is the first: the same within roundoff, as of sin(2 pi), and
/// of what writing both with 13 digits makes of them, 5e-13 each.
static trm_status close_period(trm_reader *reader, const trm_node *node, trm_table *table)
{
    static const double written = 1e-12;
    double *y = table->values + table->n, largest = 0;
    for (int i = 0; i < table->n; i++) {
        largest = fmax(largest, fabs(y[i]));
    }
    if (!(fabs(y[table->n - 1] - y[0]) <= written * largest)) {
        return TRM_REFUSE(reader, node,
                          "a periodic table begins and ends with the same y, got %.9g and %.9g",
                          y[0], y[table->n - 1]);
    }
    y[table->n - 1] = y[0];
    return TRM_OK;
}

static trm_status read_table(trm_reader *reader, const trm_node *node, int index)
{
    trm_table **out = &reader->tables[index];
    const char *name = node->name;
    const trm_key *const tables[] = {trm_table_keys};
    table_keys keys = {0};
    TRM_TRY(trm_check_word(reader, node, "a table"));
    TRM_TRY(trm_read_keys(reader, node, tables, 1, &keys));
    TRM_TRY(trm_check_groups(reader, node, groups));
    const trm_node *points = trm_node_find(node, "points");
    TRM_TRY(points ? read_points(reader, points, &keys, out)
                   : read_columns(reader, node, &keys, out));
    if (keys.outside == TRM_OUTSIDE_PERIODIC) {
        TRM_TRY(close_period(reader, node, *out));
    }
    double *work = NULL;
    TRM_TRY(trm_reader_take(reader, (size_t)(*out)->n, 5 * sizeof *work, &work));
    trm_table_finish(*out, work);
    *trm_names_find(&reader->table_names, name, strlen(name)) =
        (trm_name){name, TRM_NAME_TABLE, index, node, 0};
    return TRM_OK;
}

trm_status trm_read_tables(trm_reader *reader, const trm_node *object)
{
    TRM_TRY(trm_read_object(reader, object));
    const int n = trm_node_size(object);
    TRM_TRY(trm_reader_take(reader, (size_t)n, sizeof *reader->tables, &reader->tables));
    const trm_node *node = object + 1;
    for (int i = 0; i < n; i++, node += node->span) {
        TRM_TRY(read_table(reader, node, i));
    }
    return TRM_OK;
}
