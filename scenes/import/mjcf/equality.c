// Equalities: joints that close loops, and couplings.

#include "scenes/import/mjcf/mjcf.h"

#include "bodies/vector.h"

#include <math.h>
#include <string.h>

static const trm_frame *place_of(const trm_description *d, int link, int zero)
{
    static const trm_frame ground = {.R = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
    return link < 0 ? &ground : zero ? &d->links[link].zero : &d->links[link].place;
}

/// Where a point of the body that is at x of the world when all is zero stands at the start.
static void at_start(const trm_description *d, int link, const double x[3], double out[3])
{
    const trm_frame *const zero = place_of(d, link, 1);
    double arm[3], local[3];
    subtract(x, zero->p, arm);
    rotate_back(zero->R, arm, local);
    trm_frame_point(place_of(d, link, 0), local, out);
}

static trm_link_joint *add_closing(const trm_mjcf_node *e, trm_link_type type, int a, int b)
{
    trm_description *const d = e->mj->d;
    if (d->status == TRM_OK && trm_carrier(d, a) == trm_carrier(d, b)) {
        trm_lose(d, e->node, NULL, 0, "both bodies are fixed to each other already");
        return NULL;
    }
    trm_link_joint *const joint = d->status == TRM_OK ? TRM_DESCRIBE(d, joints) : NULL;
    if (joint) {
        *joint = (trm_link_joint){
            .name = trm_mjcf_name(e), .from = e->node, .type = type, .a = a, .b = b};
    }
    return joint;
}

/// Whether sites are given in place of bodies; fills the points and links.
static int by_sites(const trm_mjcf_node *e, int links[2], double points[2][3])
{
    static const char *const names[] = {"site1", "site2"};
    trm_mjcf *const mj = e->mj;
    if (!trm_mjcf_value(e, "site1")) {
        return 0;
    }
    for (int i = 0; i < 2; i++) {
        const int site = trm_mjcf_site(e, names[i]);
        if (site >= 0) {
            links[i] = mj->d->points[site].link;
            memcpy(points[i], mj->d->points[site].place.p, sizeof points[i]);
        }
    }
    return 1;
}

static void read_connect(const trm_mjcf_node *e)
{
    trm_description *const d = e->mj->d;
    int link[2] = {-1, -1};
    double at[2][3] = {{0}}, anchor[3] = {0}, zero[3];
    if (!by_sites(e, link, at)) {
        link[0] = trm_mjcf_link(e, "body1");
        link[1] = trm_mjcf_link(e, "body2");
        if (d->status != TRM_OK || !trm_mjcf_vector(e, "anchor", 3, 3, anchor)) {
            TRM_REFUSE(d, e->node, "expected anchor, a point of body1");
            return;
        }
        trm_frame_point(place_of(d, link[0], 0), anchor, at[0]);
        trm_frame_point(place_of(d, link[0], 1), anchor, zero);
        at_start(d, link[1], zero, at[1]);
    }
    trm_link_joint *const joint = add_closing(e, TRM_LINK_BALL, link[0], link[1]);
    if (joint) {
        memcpy(joint->point, at, sizeof at);
    }
}

/// The frame of b in that of a, wanted and at the start.
static void judge_turn(const trm_mjcf_node *e, const trm_frame *wanted, const trm_frame *is)
{
    for (int i = 0; i < 9; i++) {
        if (fabs(wanted->R[i] - is->R[i]) > 1e-6) {
            trm_lose(e->mj->d, e->node, NULL, 1,
                     "a weld holds the orientation of the start, not that of the model");
            return;
        }
    }
}

static void read_weld(const trm_mjcf_node *e)
{
    trm_description *const d = e->mj->d;
    int link[2] = {-1, -1};
    double at[2][3] = {{0}}, x[7] = {0};
    if (by_sites(e, link, at)) {
        const trm_link_joint *const joint = add_closing(e, TRM_LINK_WELD, link[0], link[1]);
        if (joint) {
            memcpy(d->joints[d->njoints - 1].point, at, sizeof at);
        }
        return;
    }
    link[0] = trm_mjcf_link(e, "body1");
    link[1] = trm_mjcf_link(e, "body2");
    if (d->status != TRM_OK) {
        return;
    }
    const trm_frame *const a = place_of(d, link[0], 0), *const b = place_of(d, link[1], 0);
    const int given = trm_mjcf_vector(e, "relpose", 7, 7, x);
    const int meant = given && (x[3] != 0 || x[4] != 0 || x[5] != 0 || x[6] != 0);
    const trm_frame at_zero = trm_frame_from(place_of(d, link[0], 1), place_of(d, link[1], 1));
    const trm_frame wanted = meant ? trm_frame_of(x, x + 3) : at_zero;
    const trm_frame is = trm_frame_from(a, b);
    judge_turn(e, &wanted, &is);
    trm_link_joint *const joint = add_closing(e, TRM_LINK_WELD, link[0], link[1]);
    if (joint) { // where b's frame should be in a, and where it is
        trm_frame_point(a, wanted.p, joint->point[0]);
        memcpy(joint->point[1], b->p, sizeof joint->point[1]);
    }
}

/// y - y0 = a0 + a1 (x - x0) + ..., y0 and x0 at the model's zero.
static trm_link_coupling *add_coupling(const trm_mjcf_node *e)
{
    trm_link_coupling *const one = TRM_DESCRIBE(e->mj->d, couplings);
    if (one) {
        *one = (trm_link_coupling){.name = trm_mjcf_name(e),
                                   .from = e->node,
                                   .is_polynomial = 1,
                                   .polynomial = {0, 1, 0, 0, 0}};
        trm_mjcf_vector(e, "polycoef", 1, 5, one->polynomial);
    }
    return one;
}

static void read_joint(const trm_mjcf_node *e)
{
    trm_mjcf *const mj = e->mj;
    const int y = trm_mjcf_joint(e, "joint1");
    const int x = trm_mjcf_value(e, "joint2") ? trm_mjcf_joint(e, "joint2") : -3;
    if (y == -1 || x == -1) {
        trm_lose(mj->d, e->node, NULL, 1, "joints without one coordinate are not coupled");
    }
    if (y < 0 || x == -2 || x == -1) {
        return;
    }
    trm_link_coupling *const one = add_coupling(e);
    if (!one) {
        return;
    }
    one->n = x < 0 ? 1 : 2;
    one->joints[0] = y;
    one->joints[1] = x;
}

/// Of two fixed tendons: L1 - a1 L2 = constant. Only lines are linear in joints.
static void read_tendon(const trm_mjcf_node *e)
{
    trm_mjcf *const mj = e->mj;
    trm_description *const d = mj->d;
    const int one = trm_mjcf_tendon(e, "tendon1");
    const int two = trm_mjcf_value(e, "tendon2") ? trm_mjcf_tendon(e, "tendon2") : -1;
    double a[TRM_POLYNOMIAL] = {0, 1, 0, 0, 0};
    trm_mjcf_vector(e, "polycoef", 1, 5, a);
    if (d->status != TRM_OK || one < 0) {
        return;
    }
    const trm_link_tendon *const t[2] = {&d->tendons[one], two >= 0 ? &d->tendons[two] : NULL};
    if (t[0]->is_rope || (t[1] && (t[1]->is_rope || a[2] != 0 || a[3] != 0 || a[4] != 0))) {
        trm_lose(d, e->node, NULL, 1, "only fixed tendons in a linear relation are coupled");
        return;
    }
    trm_link_coupling sum = {.name = trm_mjcf_name(e), .from = e->node, .constant = a[0]};
    for (int k = 0; k < 2 && t[k]; k++) {
        for (int i = 0; i < t[k]->n && sum.n < TRM_TENDON_POINTS; i++) {
            sum.joints[sum.n] = t[k]->of[i];
            sum.coefficients[sum.n++] = (k == 0 ? 1 : -a[1]) * t[k]->coefficients[i];
        }
    }
    trm_link_coupling *const added = TRM_DESCRIBE(d, couplings);
    if (added) {
        *added = sum;
    }
}

static void read_one(trm_mjcf *mj, trm_xml *node)
{
    static const struct {
        const char *name;
        void (*read)(const trm_mjcf_node *e);
    } kinds[] = {{"connect", read_connect},
                 {"weld", read_weld},
                 {"joint", read_joint},
                 {"tendon", read_tendon}};
    static const char *const flags[] = {"false", "true", NULL};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (trm_xml_is(node, kinds[i].name)) {
            const trm_mjcf_node e = trm_mjcf_node_of(mj, node, NULL, "equality");
            if (!trm_mjcf_word(&e, "active", flags, 1)) {
                trm_xml_take(node);
                trm_lose(mj->d, node, "active", 1, "inactive at the start: it is left out");
                return;
            }
            kinds[i].read(&e);
        }
    }
}

void trm_mjcf_equalities(trm_mjcf *mj)
{
    for (trm_xml *part = mj->root->child; part; part = part->next) {
        part->used |= trm_xml_is(part, "equality");
        for (trm_xml *node = trm_xml_is(part, "equality") ? part->child : NULL;
             node && mj->d->status == TRM_OK; node = node->next) {
            read_one(mj, node);
        }
    }
}
