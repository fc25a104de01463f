#include "scenes/import/description/description.h"

#include "bodies/rotation.h"

#include <string.h>

static const char blank[] = " \t\r\n";

int trm_describe_numbers(trm_description *d, const trm_xml *node, const char *attribute, int n,
                         double *out)
{
    const char *const text = attribute ? trm_xml_value(node, attribute) : node->text;
    double found[16];
    if (!text || (!attribute && !*text)) {
        return 0;
    }
    if (trm_xml_numbers(text, n, found) != n) {
        TRM_REFUSE(d, node, "%s: expected %d number%s, got \"%.60s\"",
                   attribute ? attribute : "text", n, n == 1 ? "" : "s", text);
        return 0;
    }
    memcpy(out, found, (size_t)n * sizeof *out);
    return 1;
}

double trm_describe_number(trm_description *d, const trm_xml *node, const char *attribute,
                           double otherwise)
{
    double x = otherwise;
    if (node) {
        trm_describe_numbers(d, node, attribute, 1, &x);
    }
    return x;
}

/// The element whose attribute or text says it: URDF writes `name="1"`, SDF <name>1</name>.
static const trm_xml *says(const trm_xml *node, const char *name, const char **attribute)
{
    const trm_xml *const child = node ? trm_xml_child(node, name) : NULL;
    *attribute = child ? NULL : name;
    return child ? child : node;
}

int trm_describe_field(trm_description *d, const trm_xml *node, const char *name, int n,
                       double *out)
{
    const char *attribute;
    const trm_xml *const by = says(node, name, &attribute);
    return by ? trm_describe_numbers(d, by, attribute, n, out) : 0;
}

double trm_describe_field_number(trm_description *d, const trm_xml *node, const char *name,
                                 double otherwise)
{
    double x = otherwise;
    trm_describe_field(d, node, name, 1, &x);
    return x;
}

const char *trm_describe_word(trm_description *d, const trm_xml *node)
{
    const char *const text = node ? node->text + strspn(node->text, blank) : "";
    size_t n = strlen(text);
    while (n > 0 && strchr(blank, text[n - 1])) {
        n--;
    }
    const char *const word = n > 0 ? trm_pool_copy(d->pool, text, n) : NULL;
    if (n > 0 && !word) {
        trm_describe_no_memory(d);
    }
    return word;
}

void trm_describe_names(trm_description *d, const void *list, int n, size_t size, trm_names *out)
{
    if (!trm_names_open(out, d->pool, (size_t)n + 1)) {
        trm_describe_no_memory(d);
        return;
    }
    for (int i = 0; i < n; i++) {
        const char *const own = *(const char *const *)((const char *)list + (size_t)i * size);
        trm_name *const slot = own ? trm_names_find(out, own, strlen(own)) : NULL;
        if (slot && !slot->text) {
            *slot = (trm_name){.text = own, .index = i};
        }
    }
}

int trm_describe_named(trm_description *d, const trm_xml *node, const char *attribute,
                       const trm_names *names, const char *what, const char *name)
{
    const trm_name *const found =
        name && names->slots ? trm_names_find(names, name, strlen(name)) : NULL;
    if (!found || !found->text) {
        TRM_REFUSE(d, node, name ? "%s%sthere is no %s \"%.80s\"" : "%s%sexpected the name of a %s",
                   attribute ? attribute : "", attribute ? ": " : "", what, name);
        return -2;
    }
    return found->index;
}

void trm_describe_couple(trm_description *d, const trm_xml *from, const char *name, int y, int x,
                         const double line[2])
{
    trm_link_coupling *const one = TRM_DESCRIBE(d, couplings);
    if (one) {
        *one = (trm_link_coupling){.name = name,
                                   .from = from,
                                   .n = 2,
                                   .joints = {y, x},
                                   .is_polynomial = 1,
                                   .polynomial = {line[0], line[1]}};
    }
}

int trm_mimics_itself(int n, const int *of, int j)
{
    int at = of[j];
    for (int k = 0; k <= n && at >= 0; k++) {
        at = at == j ? -2 : of[at];
    }
    return at == -2;
}

trm_frame trm_frame_of_rpy(const double p[3], const double rpy[3])
{
    double q[4];
    trm_quaternion_from_rpy(rpy, q);
    return trm_frame_of(p, q);
}

void trm_describe_look(trm_description *d, int link, const trm_look *look)
{
    trm_look *const one = trm_pool_take(d->pool, 1, sizeof *one);
    trm_look **const list = link < 0 ? &d->ground_looks : &d->links[link].looks;
    if (!one) {
        trm_describe_no_memory(d);
        return;
    }
    *one = *look;
    one->next = *list;
    *list = one;
}

void trm_carry_masses(trm_description *d)
{
    for (int i = d->nlinks - 1; i >= 0; i--) {
        trm_link *const link = &d->links[i];
        if (link->carrier != i && link->carrier >= 0) {
            trm_mass_add(&d->links[link->carrier].mass, &link->mass);
        }
    }
}
