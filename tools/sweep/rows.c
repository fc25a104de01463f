/// Lines leave in the order in which indices came: a run that ends early waits for those before.
#include "tools/sweep/rows.h"

#include "program/lanes.h"
#include "tools/run/run.h"
#include "trammel/trammel_batch.h"

#include <stdlib.h>
#include <string.h>

enum { WAITING = 64, MOST_LANES = 8 };

/// A run that has begun and whose line has not left yet.
typedef struct place {
    trm_row *row; // NULL: it has ended
    char *line;
    trm_sim *seated; // NULL: it has no lane
    int lane;
} place;

typedef struct rows {
    const trm_study *study;
    const trm_rows_ends *ends;
    trm_lanes *lanes;
    int width;
    place *at[MOST_LANES];  // by lane
    place waiting[WAITING]; // a ring
    int first, n;
    int failed;
} rows;

static place *place_of(rows *r, int k)
{
    return &r->waiting[(r->first + k) % WAITING];
}

// ------------------------------------------------------------------------------------------ lanes

static int free_lane(const rows *r)
{
    for (int l = 0; l < r->width; l++) {
        if (r->at[l] == NULL) {
            return l;
        }
    }
    return -1;
}

static void leave(rows *r, place *p)
{
    if (p->seated != NULL) {
        trm_lanes_take_slot(r->lanes, p->lane, NULL);
        r->at[p->lane] = NULL;
        p->seated = NULL;
    }
}

static void close_row(rows *r, place *p)
{
    leave(r, p);
    p->line = trm_row_close(p->row);
    p->row = NULL;
    r->failed |= p->line == NULL;
}

/// A run that may not be in a lane goes to its end at once.
static void sit(rows *r, place *p)
{
    double end;
    trm_sim *const sim = trm_row_sim(p->row, &end);
    if (sim == p->seated && sim != NULL) {
        return;
    }
    const int lane = p->seated != NULL ? p->lane : free_lane(r);
    leave(r, p);
    if (sim != NULL && lane >= 0 && trm_lanes_take_slot(r->lanes, lane, sim) == NULL) {
        p->seated = sim;
        p->lane = lane;
        r->at[lane] = p;
        return;
    }
    trm_row_go(p->row);
    close_row(r, p);
}

static void step_all(rows *r)
{
    trm_sim *sim[MOST_LANES] = {NULL};
    double end[MOST_LANES] = {0};
    for (int l = 0; l < r->width; l++) {
        if (r->at[l] != NULL) {
            sim[l] = trm_row_sim(r->at[l]->row, &end[l]);
        }
    }
    trm_lanes_prepare(r->lanes, sim, end);
    for (int l = 0; l < r->width; l++) {
        place *const p = r->at[l];
        if (p == NULL) {
            continue;
        }
        if (trm_row_step(p->row)) {
            close_row(r, p);
        } else {
            sit(r, p); // again after a change of method
        }
    }
}

// ------------------------------------------------------------------------------------------- ends

static int seated(const rows *r)
{
    int n = 0;
    for (int l = 0; l < r->width; l++) {
        n += r->at[l] != NULL;
    }
    return n;
}

static void put_lines(rows *r)
{
    while (r->n > 0 && place_of(r, 0)->line != NULL) {
        place *const p = place_of(r, 0);
        r->failed |= r->ends->put(r->ends->user, p->line) != 0;
        free(p->line);
        p->line = NULL;
        r->first = (r->first + 1) % WAITING;
        r->n--;
    }
}

/// Runs for the free lanes, as far as there are indices. Returns 0 when there will be none.
static int take_indices(rows *r)
{
    while (!r->failed && r->n < WAITING && (r->width == 1 || free_lane(r) >= 0)) {
        const long index = r->ends->next(r->ends->user, seated(r) == 0);
        if (index < 0) {
            return index == -1;
        }
        place *const p = place_of(r, r->n++);
        *p = (place){.row = trm_row_begin(r->study, index)};
        if (p->row == NULL) {
            r->failed = 1;
            return 0;
        }
        sit(r, p);
        put_lines(r);
    }
    return 1;
}

static void drop(rows *r)
{
    for (int k = 0; k < r->n; k++) {
        place *const p = place_of(r, k);
        free(p->row != NULL ? trm_row_close(p->row) : p->line);
    }
    trm_lanes_destroy(r->lanes);
}

/// A run with a budget is measured by the time that its process takes.
static int most_lanes(const trm_study *study, int lanes)
{
    return study->arguments.budget > 0 ? 1 : lanes;
}

int trm_rows_make(const trm_study *study, int lanes, const trm_rows_ends *ends)
{
    rows r = {.study = study, .ends = ends};
    if (trm_lanes_create(most_lanes(study, lanes), &r.lanes, NULL) != TRM_OK) {
        return -1;
    }
    r.width = trm_lanes_width(r.lanes);
    for (int more = 1; !r.failed && (more || r.n > 0);) {
        more = more && take_indices(&r);
        step_all(&r);
        put_lines(&r);
    }
    const int failed = r.failed;
    drop(&r);
    return failed ? -1 : 0;
}

int trm_rows_lanes(const trm_study *study, const char **why)
{
    const int asked = (int)study->arguments.lanes;
    trm_study unrecorded = *study;
    trm_lanes *lanes = NULL;
    int width = 1;
    trm_row *row = NULL;
    unrecorded.arguments.record_folder = NULL;
    *why = study->arguments.budget > 0 ? "--budget counts the time of each run" : NULL;
    if (asked != 1 && *why == NULL && trm_lanes_create(asked, &lanes, NULL) == TRM_OK &&
        study->axes.runs > 0 && (row = trm_row_begin(&unrecorded, 0)) != NULL) {
        double end;
        trm_sim *const sim = trm_row_sim(row, &end);
        *why = sim != NULL ? trm_lanes_take_slot(lanes, 0, sim) : "its first run does not begin";
        width = *why == NULL ? trm_lanes_width(lanes) : 1;
        trm_lanes_take_slot(lanes, 0, NULL);
    }
    if (row != NULL) {
        free(trm_row_close(row));
    }
    trm_lanes_destroy(lanes);
    return width;
}
