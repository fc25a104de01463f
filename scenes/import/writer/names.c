// Names of a scene: letters, digits and _, a letter first, at most 63, each once in its set.

#include "scenes/import/writer/writer.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum { LONGEST = 63 };

static int is_reserved(const char *name)
{
    return !strcmp(name, "ground") || !strcmp(name, "t") || !strcmp(name, "pi") ||
           !strcmp(name, "deg");
}

/// The letters of `name` that a scene takes, with room for a number behind them.
static void clean(const char *name, char out[LONGEST + 1])
{
    int n = 0;
    if (!isalpha((unsigned char)name[0]) || is_reserved(name)) {
        n = snprintf(out, LONGEST + 1, "a_");
    }
    for (; *name && n < LONGEST - 8; name++) {
        const unsigned char c = (unsigned char)*name;
        out[n++] = c < 128 && isalnum(c) ? (char)c : '_';
    }
    out[n] = '\0';
}

/// In formulas a name before a dot is that of a body or marker first. An output is no other name.
static int is_taken(const trm_writer *w, const trm_names *set, const char *name)
{
    const trm_names *const before[] = {&w->points, &w->elements, &w->inputs, &w->outputs};
    const int last = set == &w->outputs ? 3 : set == &w->elements;
    int taken = trm_names_find(set, name, strlen(name))->text != NULL;
    for (int i = 0; i < last; i++) {
        taken |= trm_names_find(before[i], name, strlen(name))->text != NULL;
    }
    return taken;
}

/// Enters the name, with `suffix` or a number behind it where it is taken.
static const char *enter(trm_writer *w, trm_names *set, const char *wanted, const char *suffix)
{
    char base[LONGEST + 1], name[LONGEST + 24];
    clean(wanted, base);
    snprintf(name, sizeof name, "%s", base);
    trm_name *const first = trm_names_find(set, name, strlen(name));
    if (is_taken(w, set, name) && *suffix) {
        snprintf(name, sizeof name, "%.50s%s", base, suffix);
    }
    for (int i = first->text ? first->index : 0; is_taken(w, set, name); i++) { // numbers go on
        snprintf(name, sizeof name, "%.50s_%d", base, i + 2);
        first->index = first->text ? i + 1 : 0;
    }
    trm_name *const slot = trm_names_find(set, name, strlen(name));
    *slot = (trm_name){.text = trm_pool_copy(w->d->pool, name, strlen(name))};
    if (!slot->text) {
        trm_describe_no_memory(w->d);
        return "";
    }
    return slot->text;
}

/// With a note where the name is not that of the model.
static const char *name_of(trm_writer *w, trm_names *set, const char *own, const char *otherwise,
                           const char *suffix, const trm_xml *from)
{
    const char *const found = enter(w, set, own && *own ? own : otherwise, suffix);
    if (own && *own && strcmp(found, own) != 0 && w->d->status == TRM_OK) {
        trm_lose(w->d, from, "name", 0,
                 trm_describe_text(w->d, "is called \"%s\" in the scene", found));
    }
    return found;
}

const char *trm_writer_link(const trm_writer *w, int link)
{
    const int carrier = trm_carrier(w->d, link);
    return carrier < 0 ? "ground" : w->links[carrier];
}

const char *trm_writer_element(trm_writer *w, const char *of, const char *suffix)
{
    char wanted[LONGEST + 24];
    snprintf(wanted, sizeof wanted, "%.50s%s", of, suffix);
    return enter(w, &w->elements, wanted, "");
}

static const char **list_of(trm_writer *w, int n)
{
    const char **const list = trm_pool_take(w->d->pool, (size_t)n + 1, sizeof *list);
    if (!list) {
        trm_describe_no_memory(w->d);
    }
    return list;
}

static const char *kind_of(const trm_link_joint *joint)
{
    return joint->type == TRM_LINK_SLIDE  ? "slide"
           : joint->type == TRM_LINK_BALL ? "ball"
           : joint->type == TRM_LINK_WELD ? "weld"
                                          : "hinge";
}

/// A definition has the name, and no output may.
static void reserve(trm_writer *w, const char *of, const char *suffix)
{
    char name[LONGEST + 24];
    snprintf(name, sizeof name, "%.63s%s", of, suffix);
    (void)enter(w, &w->outputs, name, "");
}

static int has_components(const trm_link_sensor *sensor)
{
    return sensor->kind == TRM_READING_POINT || sensor->kind == TRM_READING_POINT_VELOCITY;
}

/// NAME_x, NAME_y and NAME_z. Returns nonzero if one of them is taken.
static int reserve_components(trm_writer *w, const char *of)
{
    static const char *const suffixes[] = {"_x", "_y", "_z"};
    char name[LONGEST + 24];
    for (int i = 0; i < 3; i++) {
        snprintf(name, sizeof name, "%.63s%s", of, suffixes[i]);
        if (is_taken(w, &w->outputs, name)) {
            return 1;
        }
    }
    for (int i = 0; i < 3; i++) {
        reserve(w, of, suffixes[i]);
    }
    return 0;
}

static void name_sensors(trm_writer *w)
{
    const trm_description *const d = w->d;
    for (int i = 0; i < d->ntendons && d->nsensors > 0; i++) {
        reserve(w, w->tendons[i], "_length");
        reserve(w, w->tendons[i], "_pull");
    }
    for (int i = 0; i < d->ndrives && d->nsensors > 0; i++) {
        reserve(w, w->drives[i], "_pull");
    }
    for (int i = 0; i < d->nsensors && d->status == TRM_OK; i++) {
        const trm_link_sensor *const one = &d->sensors[i];
        do { // numbers go on: each is tried once in all
            w->sensors[i] = name_of(w, &w->outputs, one->name, "sensor", "_sensor", one->from);
        } while (has_components(one) && reserve_components(w, w->sensors[i]) &&
                 d->status == TRM_OK);
    }
}

static void name_elements(trm_writer *w)
{
    trm_description *const d = w->d;
    for (int i = 0; i < d->njoints; i++) {
        const trm_link_joint *const of = &d->joints[i];
        char otherwise[LONGEST + 24];
        snprintf(otherwise, sizeof otherwise, "%.50s_%s", trm_writer_link(w, of->b), kind_of(of));
        w->joints[i] = name_of(w, &w->elements, of->name, otherwise, "_joint", of->from);
    }
    for (int i = 0; i < d->ncouplings; i++) {
        w->couplings[i] = name_of(w, &w->elements, d->couplings[i].name, "coupling", "_coupling",
                                  d->couplings[i].from);
    }
    for (int i = 0; i < d->ntendons; i++) {
        w->tendons[i] =
            name_of(w, &w->elements, d->tendons[i].name, "tendon", "_tendon", d->tendons[i].from);
    }
    for (int i = 0; i < d->ndrives; i++) {
        const char *const own = d->drives[i].name;
        w->controls[i] = name_of(w, &w->inputs, own, "u", "", d->drives[i].from);
        w->drives[i] = enter(w, &w->elements, w->controls[i], "_drive");
    }
    name_sensors(w);
}

/// Sets are hash tables of fixed room: an element has at most as many names as a tendon has parts.
void trm_writer_names(trm_writer *w)
{
    trm_description *const d = w->d;
    size_t parts = (size_t)d->njoints * 3 + (size_t)d->ncouplings + (size_t)d->ndrives * 8 + 8;
    parts += (size_t)d->ntouches;
    for (int i = 0; i < d->ntendons; i++) {
        parts += 4 + (size_t)d->tendons[i].n;
    }
    for (int i = 0; i < d->ndrives; i++) {
        const int tendon = d->drives[i].tendon;
        parts += tendon >= 0 ? (size_t)d->tendons[tendon].n : 0;
    }
    w->links = list_of(w, d->nlinks);
    w->marks = list_of(w, d->npoints);
    w->joints = list_of(w, d->njoints);
    w->couplings = list_of(w, d->ncouplings);
    w->tendons = list_of(w, d->ntendons);
    w->drives = list_of(w, d->ndrives);
    w->controls = list_of(w, d->ndrives);
    w->sensors = list_of(w, d->nsensors);
    const size_t points = (size_t)d->nlinks + (size_t)d->npoints + 8;
    if (d->status != TRM_OK || !trm_names_open(&w->points, d->pool, points) ||
        !trm_names_open(&w->elements, d->pool, parts) ||
        !trm_names_open(&w->outputs, d->pool,
                        6 * (size_t)d->nsensors + 2 * (size_t)d->ntendons + (size_t)d->ndrives +
                            8) ||
        !trm_names_open(&w->inputs, d->pool, (size_t)d->ndrives + 8)) {
        trm_describe_no_memory(d);
        return;
    }
    for (int i = 0; i < d->nlinks && d->status == TRM_OK; i++) {
        w->links[i] = name_of(w, &w->points, d->links[i].name, "body", "", d->links[i].from);
    }
    for (int i = 0; i < d->npoints && d->status == TRM_OK; i++) {
        w->marks[i] =
            name_of(w, &w->points, d->points[i].name, "point", "_point", d->points[i].from);
    }
    if (d->status == TRM_OK) {
        name_elements(w);
    }
}

void trm_writer_entry(trm_writer *w, const char *name)
{
    trm_putf(w->out, "%s    {\"name\": \"%s\"", w->first ? "\n" : ",\n", name);
    w->first = 0;
}
