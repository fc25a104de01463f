// The order of reading, and what is left.

#include "scenes/import/urdf/urdf.h"

#include <string.h>

static const char seen[] = "for eyes only";
static const char touches[] = "it touches nothing: write contacts where it shall";

static const trm_loss_word words[] = {
    {"collision", NULL, 1, touches},
    {"gazebo", NULL, 1, "of another program: left out"},
    {"material", NULL, 0, seen},
    {"texture", NULL, 0, seen},
    {"limit", "effort", 0, "no transmission drives the joint: it bounds nothing"},
    {"limit", "velocity", 0, "a bound for controllers: it has no effect"},
    {"limit", "lower", 0, "a continuous joint has no limits"},
    {"limit", "upper", 0, "a continuous joint has no limits"},
    {"safety_controller", NULL, 0, "a bound for controllers: it has no effect"},
    {"calibration", NULL, 0, "a mark for sensors: it has no effect"},
    {"sensor", NULL, 0, "columns of a recording and markers take the place of sensors"},
    {"ros2_control", NULL, 0, "of another program: left out"},
    {"axis", NULL, 0, "a fixed joint has no axis"},
    {"limit", NULL, 0, "a fixed joint has no limits"},
    {"dynamics", NULL, 0, "a fixed joint has none"},
    {"actuator", NULL, 0, "the input of a transmission is the force on the joint"},
    {"type", NULL, 0, "the input of a transmission is the force on the joint"},
    {"hardwareInterface", NULL, 0, "the input of a transmission is the force on the joint"},
    {NULL, "version", 0, "not asked for"},
    {NULL, NULL, 0, NULL},
};

static size_t count(const trm_xml *root, const char *name)
{
    size_t n = 0;
    for (const trm_xml *node = root->child; node; node = node->next) {
        n += trm_xml_is(node, name) ? 1 : 0;
    }
    return n;
}

void trm_urdf_read(trm_description *d, trm_xml *root)
{
    trm_urdf u = {.d = d, .root = root};
    const size_t nlinks = count(root, "link"), njoints = count(root, "joint");
    root->used = 1;
    d->title = trm_xml_value(root, "name");
    memcpy(d->gravity, (const double[3]){0, 0, -9.81}, sizeof d->gravity);
    u.list = trm_pool_take(d->pool, njoints + 1, sizeof *u.list);
    if (!u.list || !trm_names_open(&u.links, d->pool, nlinks + 1) ||
        !trm_names_open(&u.joints, d->pool, njoints + 1)) {
        trm_describe_no_memory(d);
        return;
    }
    if (d->start) {
        TRM_REFUSE(d, root, "URDF has no keyframes; start \"%.60s\" is none", d->start);
    }
    trm_urdf_links(&u);
    if (d->status == TRM_OK) {
        trm_urdf_joints(&u);
    }
    if (d->status == TRM_OK) {
        trm_urdf_relations(&u);
    }
    if (d->status == TRM_OK) {
        trm_urdf_loops(&u);
    }
    if (d->status == TRM_OK) {
        trm_carry_masses(d);
        trm_share_masses(d);
        trm_lose_unread(d, root, words);
    }
}
