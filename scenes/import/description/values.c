#include "scenes/import/description/description.h"

#include "bodies/rotation.h"

#include <string.h>

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
