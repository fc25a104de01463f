/// trammel check in words.
#include "program/run_details.h"
#include "program/settings.h"
#include "program/view.h"
#include "tools/check/check.h"
#include "tools/common/contact_words.h"
#include "tools/common/diagnose.h"
#include "tools/common/terminal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    SETS_SHOWN = 30,
    JOINTS_SHOWN = 40,
    OWNERS_SHOWN = 8,
    RELAXATIONS_SHOWN = 6,
    ASSEMBLIES_SHOWN = 8
};

static void label(const char *text)
{
    printf("%-22s", text);
}

static const char *plural(int n)
{
    return n == 1 ? "" : "s";
}

/// x, or 0 where only rounding is left of it.
static double clean(double x)
{
    return fabs(x) < 1e-12 ? 0 : x;
}

static const char *row_name(const trm_inspection *in, int row)
{
    return trm_model_row_info(in->model, row).name;
}

// -------------------------------------------------------------------------------------- freedoms

static void print_freedom(const trm_inspection *in)
{
    const trm_diagnosis *const d = in->found;
    const int redundant = d->sizes.nc - d->rank;
    const int motions = d->sizes.nv - d->sizes.nstate, left = motions - d->rank_nearby;
    label("Degrees of freedom");
    printf("%d", d->degrees_of_freedom);
    if (d->freedoms_of_position > d->degrees_of_freedom) {
        printf(" of velocity, %d of position", d->freedoms_of_position);
    }
    if (d->degrees_of_freedom == 0) {
        printf(" (every motion is prescribed or blocked)");
    }
    putchar('\n');
    trm_locked_part lock;
    trm_model_axes(in->model, &lock);
    if (d->degrees_of_freedom == 0 && lock.joint[0]) {
        label("");
        printf("nothing can move: the axes of %s and %s are %.3g rad apart\n", lock.joint[0],
               lock.joint[1], lock.angle);
    }
    if (redundant > 0) {
        label("");
        printf("counting rows alone gives %d - %d = %d; %d row%s only repeat%s what others say\n",
               motions, d->sizes.nc, d->gruebler, redundant, plural(redundant),
               redundant == 1 ? "s" : "");
    }
    if (d->rank_nearby > d->rank) {
        label("");
        printf("SINGULAR position: next to it the rank is %d and %d freedom%s\n", d->rank_nearby,
               left, left == 1 ? " is left" : "s are left");
    }
    if (d->complete && d->mobility >= 0 && d->examined != TRM_EXAMINED_OPEN &&
        d->mobility != left) {
        label("");
        printf("but it really moves along %d only: the rest is play of first order, locked\n",
               d->mobility);
    }
    for (int i = 0; i < d->nidle; i++) {
        const trm_idle *const idle = &d->idle[i];
        label(i == 0 ? "Idle freedoms" : "");
        printf("%s %s alone %s the line through (%.4g, %.4g, %.4g) along (%.4g, %.4g, %.4g)\n",
               trm_model_body_info(in->model, idle->body).name, idle->slides ? "slides" : "spins",
               idle->slides ? "along" : "about", clean(idle->point[0]), clean(idle->point[1]),
               clean(idle->point[2]), clean(idle->axis[0]), clean(idle->axis[1]),
               clean(idle->axis[2]));
    }
}

// ------------------------------------------------------------------------------------ redundancy

/// Whether two sets are of one kind and name the same joints, both in the order of names.
static int alike(const trm_inspection *in, const trm_redundancy *a, const trm_redundancy *b)
{
    for (int side = 0; side < 2; side++) {
        const trm_redundancy *const x = side ? b : a, *const y = side ? a : b;
        for (int i = 0; i < x->nrows; i++) {
            int found = 0;
            for (int k = 0; k < y->nrows && !found; k++) {
                found = strcmp(row_name(in, x->rows[i]), row_name(in, y->rows[k])) == 0;
            }
            if (!found) {
                return 0;
            }
        }
    }
    return a->kind == b->kind && strcmp(row_name(in, a->rows[0]), row_name(in, b->rows[0])) == 0;
}

/// The joints of a set without that of its first row; "itself" when there are none.
static void print_owners(const trm_inspection *in, const trm_redundancy *r)
{
    int owners = 0;
    for (int i = 1; i < r->nrows; i++) {
        const char *const name = row_name(in, r->rows[i]);
        if (strcmp(name, row_name(in, r->rows[0])) == 0 || !trm_inspection_first(in, r->rows, i)) {
            continue;
        }
        if (owners++ < OWNERS_SHOWN) {
            printf("%s%s", owners == 1 ? "" : ", ", name);
        }
    }
    printf("%s", owners == 0 ? "its other rows" : owners > OWNERS_SHOWN ? ", ..." : "");
}

/// What the row of a label holds: 0 a place, 1 a rotation, 2 a drive.
static int family(const char *row_label)
{
    static const char *const rotations[] = {"tilt", "turn", "square", "angle"};
    for (size_t i = 0; i < sizeof rotations / sizeof *rotations; i++) {
        if (strncmp(row_label, rotations[i], strlen(rotations[i])) == 0) {
            return 1;
        }
    }
    return strcmp(row_label, "motor") == 0 ? 2 : 0;
}

/// ": position z, rotation tilt_1, tilt_2": the superfluous rows of all sets like number k.
static void print_superfluous(const trm_inspection *in, int k)
{
    static const char *const words[] = {"position", "rotation", "drive"};
    const trm_diagnosis *const d = in->found;
    int families = 0;
    for (int f = 0; f < 3; f++) {
        int n = 0;
        for (int i = k; i < d->nsets; i++) {
            const char *const row = trm_model_row_info(in->model, d->sets[i].rows[0]).label;
            if (*row != '\0' && family(row) == f && alike(in, &d->sets[k], &d->sets[i])) {
                printf("%s%s%s%s", n == 0 && families == 0 ? ": " : ", ", n == 0 ? words[f] : "",
                       n == 0 && f < 2 ? " " : "", f < 2 ? row : "");
                families += n++ == 0;
            }
        }
    }
    printf("%s", families > 0 ? ";" : "");
}

/// "D: rotation tilt_1, tilt_2; already fixed by A, B, C (structural)" and the line of D. A row
/// that depends on no other has no derivative.
static void print_set(const trm_inspection *in, int k)
{
    static const char *const kinds[] = {
        "structural: along the whole motion", "singular here: in this position only", "",
        "here; whether along the motion as well takes too long to tell"};
    const trm_diagnosis *const d = in->found;
    const trm_redundancy *const r = &d->sets[k];
    for (int i = 0; i < k; i++) {
        if (alike(in, r, &d->sets[i])) {
            return; // said with that one
        }
    }
    const trm_row_info first = trm_model_row_info(in->model, r->rows[0]);
    label("");
    printf("%s", first.name);
    print_superfluous(in, k);
    if (r->nrows > 1) {
        printf(" already fixed by ");
        print_owners(in, r);
    } else {
        printf(" forbids no motion: its derivative is zero");
    }
    printf(" (%s)\n", kinds[r->kind]);
    trm_diagnose_show(stdout, first.where, in->arguments.scene);
}

static void print_redundant(const trm_inspection *in)
{
    const trm_diagnosis *const d = in->found;
    const int redundant = d->sizes.nc - d->rank;
    label("Redundant rows");
    if (redundant == 0) {
        puts("none");
        return;
    }
    printf("%d: here some rows follow from the others, so the forces in them are not unique\n",
           redundant);
    if (d->misfit > 0) {
        label("");
        printf("they repeat others except for %.2g of the size, or rad (most at %s): treated as "
               "exact\n",
               d->misfit, trm_model_row_info(in->model, d->misfit_row).name);
    }
    const int nsets = d->nsets - d->nconflicts;
    const int shown = nsets < SETS_SHOWN ? nsets : SETS_SHOWN;
    for (int k = 0; k < shown; k++) {
        if (d->sets[k].kind != TRM_REDUNDANCY_CONTRADICTORY) {
            print_set(in, k);
        }
    }
    if (shown < nsets) {
        label("");
        printf("... and %d more; --json lists all\n", nsets - shown);
    }
    if (d->nunsearched > 0) {
        label("");
        printf("for the last %d the search for the fewest joints was left out: it takes too long\n",
               d->nunsearched);
    }
}

static void print_reactions(const trm_inspection *in)
{
    const trm_diagnosis *const d = in->found;
    if (!d->unique || d->sizes.nc == 0) {
        return;
    }
    label("Reaction forces");
    if (d->nundetermined == 0) {
        puts("all unique");
        return;
    }
    printf("%d of %d are undetermined (the solver gives the smallest that fit):", d->nundetermined,
           d->sizes.nc);
    const char *open = NULL;
    int shown = 0;
    for (int i = 0; i < d->sizes.nc && shown < JOINTS_SHOWN; i++) {
        const trm_row_info row = trm_model_row_info(in->model, i);
        if (d->unique[i]) {
            continue;
        }
        if (row.name != open) {
            printf("%s%s", shown % OWNERS_SHOWN == 0 ? "\n                      " : "; ", row.name);
            shown++;
        }
        printf("%s%s", *row.label != '\0' ? " " : "", row.label);
        open = row.name;
    }
    puts(shown == JOINTS_SHOWN ? " ..." : "");
}

static void print_relaxation(const trm_inspection *in, const trm_relaxation *r)
{
    const int before = in->found->sizes.nv - in->found->sizes.nstate - in->found->rank_nearby;
    if (r->kind) {
        printf("make %s %s: ", r->name, r->kind);
    } else {
        printf("take out %s: ", r->name);
    }
    printf("removes %d redundant row%s, %d left, degrees of freedom %s %d\n", r->removed,
           plural(r->removed), r->redundant_left,
           r->degrees_of_freedom == before ? "stay" : "become", r->degrees_of_freedom);
}

/// Motors that say the same or contradict each other: no joint is to be relaxed.
static void print_drives(const trm_inspection *in)
{
    const trm_diagnosis *const d = in->found;
    const char *told = NULL;
    for (int k = 0; k < d->nsets; k++) {
        const char *first = NULL, *second = NULL;
        for (int i = 0; i < d->sets[k].nrows; i++) {
            const trm_row_info row = trm_model_row_info(in->model, d->sets[k].rows[i]);
            if (strcmp(row.label, "motor") == 0) {
                second = first != NULL ? row.name : second;
                first = first != NULL ? first : row.name;
            }
        }
        if (second != NULL && second != told) {
            told = second;
            label("Two drives");
            printf("for one freedom: take out the motor of %s or of %s, or make it a servo\n",
                   first, second);
        }
    }
}

static void print_relaxations(const trm_inspection *in)
{
    const trm_diagnosis *const d = in->found;
    print_drives(in);
    for (int i = 0; i < d->nrelaxations && i < RELAXATIONS_SHOWN; i++) {
        label(i == 0 ? "To relax one joint" : "");
        print_relaxation(in, &d->relaxations[i]);
    }
}

// ----------------------------------------------------------------------------------------- start

static int has_motor(const trm_inspection *in, const char *name)
{
    int found = 0;
    trm_joint_info joint;
    for (int i = 0; (joint = trm_model_joint_info(in->model, i)).name != NULL; i++) {
        found |= joint.has_motor && strcmp(joint.name, name) == 0;
    }
    return found;
}

static void print_conflict(const trm_inspection *in, const trm_conflict *c)
{
    label("CONTRADICTION");
    if (c->t_gap > 0) {
        printf("from t = %.6g s on ", c->t);
    }
    puts(c->elsewhere ? "only another assembly satisfies the joints; no motion leads there"
                      : "no position satisfies these joints together:");
    for (int i = 0; i < c->ngaps && i < JOINTS_SHOWN; i++) {
        const trm_row_info row = trm_model_row_info(in->model, c->gaps[i].row);
        label("");
        printf("%s%s is open by %.6g%s%s when the others fit", row.name,
               has_motor(in, row.name) ? " (driven by its motor)" : "", c->gaps[i].size,
               *c->gaps[i].unit != '\0' ? " " : "", c->gaps[i].unit);
        if (c->t_gap > 0) {
            printf(", at t = %.6g s", c->t_gap);
        }
        putchar('\n');
        trm_diagnose_show(stdout, row.where, in->arguments.scene);
    }
}

/// The smallest sets: without any one of these the others can hold.
static void print_given(const trm_inspection *in)
{
    const trm_diagnosis *const d = in->found;
    for (int i = 0; i < d->poses.n; i++) {
        label(i == 0 ? "Poses that conflict" : "");
        puts(trm_model_body_info(in->model, d->poses.index[i]).name);
    }
    if (d->poses.n > 0) {
        label("");
        printf("held where %s given, the joints do not close whatever the others do\n",
               d->poses.n == 1 ? "it is" : "they are");
    }
    for (int i = 0; i < d->velocities.n; i++) {
        int body = 0;
        const char *const component = trm_inspection_component(in, d->velocities.index[i], &body);
        label(i == 0 ? "Values that conflict" : "");
        printf("%s of %s, given as %.6g %s\n", component, trm_model_body_info(in->model, body).name,
               clean(d->velocities.value[i]), component[0] == 'v' ? "m/s" : "rad/s");
    }
}

/// " m", or nothing for a row that has no unit.
static const char *space_before(const char *unit)
{
    return *unit != '\0' ? " " : "";
}

/// "largest gap 1e-9 m at A x"; `per` is what a unit of its own is divided by, "" or "/s".
static void print_gap(const char *what, double gap, trm_row_info row, const char *per)
{
    const int bare = *row.unit == '\0' && *per != '\0';
    label("");
    printf("%s %.3g%s%s%s at %s%s%s\n", what, gap, space_before(bare ? "1" : row.unit),
           bare ? "1" : row.unit, per, row.name, space_before(row.label), row.label);
}

static void print_start(const trm_inspection *in)
{
    const trm_diagnosis *const d = in->found;
    label("Start");
    if (d->sizes.nc == 0) {
        puts("nothing to violate");
        return;
    }
    const trm_row_info p = trm_model_row_info(in->model, d->position_row);
    const trm_row_info v = trm_model_row_info(in->model, d->velocity_row);
    puts(!d->consistent         ? "INCONSISTENT"
         : in->options.assemble ? "consistent after assembly"
                                : "consistent");
    print_gap("largest gap", d->position, p, "");
    print_gap("in velocity", d->velocity, v, "/s");
    if (d->acceleration_row >= 0) {
        const trm_row_info a = trm_model_row_info(in->model, d->acceleration_row);
        label("");
        printf("NO ACCELERATION fits these velocities: %s%s%s misses by %.3g %s/s^2\n", a.name,
               space_before(a.label), a.label, d->acceleration, *a.unit != '\0' ? a.unit : "1");
    }
    if (d->examined == TRM_EXAMINED_CLOSED) {
        label("");
        puts("all else above is said of the nearest position that closes");
    }
    print_given(in);
}

static void print_assemblies(const trm_inspection *in)
{
    const trm_diagnosis *const d = in->found;
    if (d->nassemblies == 0) {
        return;
    }
    label("Assemblies");
    printf("%d with %s held where it is\n", d->nassemblies,
           trm_model_body_info(in->model, d->held).name);
    for (int k = 0; d->nassemblies > 1 && k < d->nassemblies && k < ASSEMBLIES_SHOWN; k++) {
        label("");
        printf("%d%s", k + 1, k == 0 ? " (this)" : "");
        for (int b = 0; b < d->sizes.nbody; b++) {
            const trm_body_info info = trm_model_body_info(in->model, b);
            const double *const q = d->assemblies[k] + info.q0;
            if (b != d->held) {
                printf("  %s (%.4g, %.4g)", info.name, clean(q[0]), clean(q[1]));
            }
        }
        putchar('\n');
    }
}

// ----------------------------------------------------------------------------------------- hints

static void print_hints(const trm_inspection *in)
{
    const trm_diagnosis *const d = in->found;
    for (int i = 0; i < d->noff_ends && i < JOINTS_SHOWN; i++) {
        const trm_off_end *const off = &d->off_ends[i];
        const char *const bar = trm_model_body_info(in->model, off->body).name;
        label(i == 0 ? "Hints" : "");
        printf("%s lies ", off->name);
        if (off->beyond != 0) {
            printf("%.4g m %s an end of %s%s", fabs(off->beyond),
                   off->beyond > 0 ? "beyond" : "short of", bar, off->beside > 0 ? " and " : "");
        }
        if (off->beside > 0) {
            printf("%.4g m beside %s", off->beside, off->beyond != 0 ? "its line" : bar);
        }
        puts("; an error only if the bar was meant to end there");
        const int row = trm_model_joint_info(in->model, off->joint).row;
        trm_diagnose_show(stdout, trm_model_row_info(in->model, row).where, in->arguments.scene);
    }
}

static void print_unused(const trm_inspection *in)
{
    trm_unused_info unused;
    for (int i = 0; (unused = trm_scene_unused_info(in->scene, i)).name != NULL; i++) {
        label(i == 0 ? "Unused" : "");
        if (i == JOINTS_SHOWN) {
            puts("... and more");
            return;
        }
        printf("%s %s (line %d)\n", unused.kind, unused.name, unused.line);
    }
}

// ---------------------------------------------------------------------------------------- joints

static int rows_of(const trm_inspection *in, const char *name)
{
    int n = 0;
    for (int i = 0; i < in->found->sizes.nc; i++) {
        n += strcmp(row_name(in, i), name) == 0;
    }
    return n;
}

static const char *body_name(const trm_inspection *in, int body)
{
    return body >= 0 ? trm_model_body_info(in->model, body).name : "ground";
}

static void print_joints(const trm_inspection *in)
{
    const trm_scene_view s = trm_view_scene(in->scene);
    const int shown = s.njoints <= JOINTS_SHOWN ? s.njoints : JOINTS_SHOWN / 2;
    if (s.njoints + s.nconstraints > 0) {
        printf("\n%-14s%-16s%-28s%6s%7s\n", "Joint", "type", "connects", "rows", "line");
    }
    for (int i = 0; i < shown; i++) {
        const trm_joint_view j = trm_view_joint(in->scene, i);
        char pair[96];
        snprintf(pair, sizeof pair, "%s - %s", body_name(in, j.body[0]), body_name(in, j.body[1]));
        printf("%-13s %-15s %-27s %6d%7d%s\n", j.name, j.type, pair, rows_of(in, j.name), j.line,
               trm_model_joint_info(in->model, i).has_motor ? "  driven" : "");
    }
    if (shown < s.njoints) {
        printf("... and %d more\n", s.njoints - shown);
    }
    for (int i = 0; i < s.nconstraints && i < JOINTS_SHOWN; i++) {
        const trm_constraint_view c = trm_view_constraint(in->scene, i);
        printf("%-13s %-15s ", c.name, c.type);
        trm_terminal_printf(stdout, "%-27.27s", c.expression);
        printf(" %6d%7d\n", rows_of(in, c.name), c.line);
    }
}

/// Each that is held is one more row while it presses, beside those counted above.
static void print_contacts(const trm_inspection *in)
{
    const int n = in->contacts ? trm_model_sizes(in->model).ncontact : 0;
    if (n > 0) {
        printf("\n%-14s%-16s%s\n", "Contact", "at the start", "limits");
    }
    for (int i = 0; i < n && i < JOINTS_SHOWN; i++) {
        const trm_contact_info info = trm_model_contact_info(in->model, i);
        const trm_contact_state *const now = &in->contacts[i];
        char limits[64];
        trm_contact_limits(&info, limits);
        printf("%-13s %-15s %-27s at %.6g %s", info.name, trm_contact_word(&info, now), limits,
               clean(now->x), info.unit);
        printf(trm_contact_is_held(now->mode) ? ", one more row, force %.6g %s\n" : "\n",
               clean(now->force), *info.unit == 'm' ? "N" : "N m");
    }
}

/// Why a run with loops would have the coordinates of bodies; NULL: it would not.
static const char *why_from_start(const trm_inspection *in)
{
    trm_options options = trm_default_options(TRM_INTEGRATOR_DOP853, TRM_STABILIZATION_S_BOTH2);
    trm_sim *sim = NULL;
    options.assemble = in->options.assemble;
    options.misfit = in->options.misfit;
    const int starts = trm_sim_create(in->model, &options, &sim, NULL) == TRM_OK;
    const char *const why = starts ? trm_sim_why_absolute(sim) : NULL;
    trm_sim_destroy(sim);
    return why;
}

/// Which coordinates a run would have, and why.
static void print_coordinates(const trm_inspection *in)
{
    const int asked = trm_scene_simulation(in->scene).coordinates != TRM_COORDINATES_AUTO;
    int cut = trm_model_cut(in->model, 0);
    const char *const why = cut >= 0 ? why_from_start(in) : trm_model_why_absolute(in->model);
    if (why) {
        const char *const by = !asked ? " (auto): " : cut < 0 ? ", " : ": ";
        printf("%-22sthe bodies%s%s\n", "A run has those of", by, why);
        return;
    }
    printf("%-22sthe joints%s; %s", "A run has those of",
           asked ? ", as asked" : " (auto): a tree in space is faster",
           cut < 0 ? "nothing is cut" : "cut:");
    for (int i = 1; cut >= 0; i++) {
        printf(" %s", trm_model_joint_info(in->model, cut).name);
        cut = trm_model_cut(in->model, i);
    }
    puts("");
}

void trm_inspection_text(const trm_inspection *in)
{
    const trm_diagnosis *const d = in->found;
    if (*trm_scene_get_info(in->scene).title != '\0') {
        trm_terminal_text(stdout, trm_scene_get_info(in->scene).title);
        putchar('\n');
    }
    trm_terminal_text(stdout, in->arguments.scene);
    puts("\n");
    printf("%-22s%d, in %s\n", "Moving bodies", d->sizes.nbody,
           trm_scene_get_info(in->scene).dimension == 2 ? "the plane" : "space");
    trm_plane_print(in->scene, 22);
    printf("%-22s%d (%d velocities)\n", "Coordinates", d->sizes.nq, d->sizes.nv);
    print_coordinates(in);
    printf("%-22s%d, of rank %d\n", "Constraint rows", d->sizes.nc, d->rank);
    print_freedom(in);
    print_redundant(in);
    print_reactions(in);
    print_relaxations(in);
    for (int k = 0; k < d->nconflicts; k++) {
        print_conflict(in, &d->conflicts[k]);
    }
    if (d->conflicts_unsearched) {
        label("");
        puts("not all of them may take part: the search for the fewest takes too long");
    }
    print_assemblies(in);
    if (!d->complete) {
        label("");
        puts("too large for more: kinds, conflicts and suggestions were not looked for");
    }
    print_start(in);
    if (in->assembly.body != NULL) {
        if (!in->options.assemble) {
            puts("--assemble would do this:");
        }
        trm_assembly_print(&in->assembly);
    }
    print_hints(in);
    print_unused(in);
    print_joints(in);
    print_contacts(in);
}
