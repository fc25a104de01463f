// Tendons: fixed ones are sums of joint coordinates, spatial ones are ropes over sites.

#include "scenes/import/mjcf/mjcf.h"

#include <string.h>

static void add_part(const trm_mjcf_node *e, trm_xml *node, trm_link_tendon *tendon)
{
    trm_mjcf *const mj = e->mj;
    const trm_mjcf_node part = trm_mjcf_node_of(mj, node, NULL, "wrap");
    const int fixed = trm_xml_is(node, "joint");
    if (!fixed && !trm_xml_is(node, "site")) {
        node->used = 0;
        return;
    }
    if (tendon->n == TRM_TENDON_POINTS) {
        TRM_REFUSE(mj->d, node, "a tendon has at most %d joints or sites", TRM_TENDON_POINTS);
        return;
    }
    const int found = fixed ? trm_mjcf_joint(&part, "joint") : trm_mjcf_site(&part, "site");
    if (found < 0) {
        TRM_REFUSE(mj->d, node, "joint: expected a hinge or slide");
        return;
    }
    tendon->of[tendon->n] = found;
    tendon->coefficients[tendon->n++] = fixed ? trm_mjcf_number(&part, "coef", 1) : 1;
}

static void read_tendon(trm_mjcf *mj, trm_xml *node)
{
    const trm_mjcf_node e = trm_mjcf_node_of(mj, node, NULL, "tendon");
    trm_link_tendon tendon = {
        .name = trm_mjcf_name(&e), .from = node, .is_rope = trm_xml_is(node, "spatial")};
    double slack[2] = {-1, -1};
    tendon.limited = trm_mjcf_limited(&e, "limited", "range", tendon.limits);
    tendon.stiffness = trm_mjcf_number(&e, "stiffness", 0);
    tendon.damping = trm_mjcf_number(&e, "damping", 0);
    tendon.rests = trm_mjcf_vector(&e, "springlength", 1, 2, slack);
    tendon.rests = slack[0] >= 0 || slack[1] >= 0 ? tendon.rests : 0;
    tendon.slack[0] = slack[0];
    tendon.slack[1] = tendon.rests == 2 ? slack[1] : slack[0];
    if (trm_mjcf_number(&e, "frictionloss", 0) != 0) {
        trm_lose(mj->d, node, "frictionloss", 1, "the tendon moves without friction");
    }
    for (trm_xml *child = node->child; child && mj->d->status == TRM_OK; child = child->next) {
        add_part(&e, child, &tendon);
    }
    if (tendon.n < (tendon.is_rope ? 2 : 1)) {
        TRM_REFUSE(mj->d, node, "a tendon has %s", tendon.is_rope ? "two sites" : "a joint");
    }
    trm_link_tendon *const added = TRM_DESCRIBE(mj->d, tendons);
    if (added) {
        *added = tendon;
    }
}

void trm_mjcf_tendons(trm_mjcf *mj)
{
    for (trm_xml *part = mj->root->child; part; part = part->next) {
        const int is = trm_xml_is(part, "tendon");
        part->used |= is;
        for (trm_xml *node = is ? part->child : NULL; node && mj->d->status == TRM_OK;
             node = node->next) {
            if (trm_xml_is(node, "fixed") || trm_xml_is(node, "spatial")) {
                read_tendon(mj, node);
            }
        }
    }
}
