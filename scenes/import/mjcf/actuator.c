// Actuators: force = gain u + b0 + b1 length + b2 rate, on a joint, a tendon or at a site.

#include "scenes/import/mjcf/mjcf.h"

#include <string.h>

static void read_general(const trm_mjcf_node *e, trm_drive *drive)
{
    static const char *const gains[] = {"fixed", "affine", "muscle", "user", NULL};
    static const char *const biases[] = {"none", "affine", "muscle", "user", NULL};
    static const char *const filters[] = {"none",   "integrator", "filter", "filterexact",
                                          "muscle", "user",       NULL};
    double gain[10] = {1}, bias[10] = {0};
    trm_mjcf_vector(e, "gainprm", 1, 10, gain);
    trm_mjcf_vector(e, "biasprm", 1, 10, bias);
    const int affine = trm_mjcf_word(e, "biastype", biases, 0);
    const int type = trm_mjcf_word(e, "gaintype", gains, 0);
    if (type > 0 || affine > 1) {
        trm_lose(e->mj->d, e->node, NULL, 1, "only fixed gains and affine biases are there");
    }
    if (trm_mjcf_word(e, "dyntype", filters, 0) > 0) {
        trm_lose(e->mj->d, e->node, "dyntype", 1, "its force follows u at once");
    }
    drive->gain = type == 0 ? gain[0] : 0;
    memcpy(drive->bias, affine == 1 ? bias : (const double[3]){0}, sizeof drive->bias);
}

/// The gains of the shortcuts.
static void read_law(const trm_mjcf_node *e, trm_drive *drive)
{
    const trm_xml *const node = e->node;
    if (trm_xml_is(node, "general")) {
        read_general(e, drive);
    } else if (trm_xml_is(node, "position")) {
        drive->gain = trm_mjcf_number(e, "kp", 1);
        drive->bias[1] = -drive->gain;
        drive->bias[2] = -trm_mjcf_number(e, "kv", 0);
        if (trm_mjcf_number(e, "dampratio", 0) != 0) {
            trm_lose(e->mj->d, node, "dampratio", 1, "give kv: it has no damping");
        }
        if (trm_mjcf_number(e, "timeconst", 0) != 0) {
            trm_lose(e->mj->d, node, "timeconst", 1, "its force follows u at once");
        }
    } else if (trm_xml_is(node, "velocity")) {
        drive->gain = trm_mjcf_number(e, "kv", 1);
        drive->bias[2] = -drive->gain;
    } else if (trm_xml_is(node, "damper")) {
        trm_lose(e->mj->d, node, NULL, 1, "a damping that a program sets is left out");
    } else {
        drive->gain = 1;
    }
}

static int read_target(const trm_mjcf_node *e, trm_drive *drive)
{
    trm_mjcf *const mj = e->mj;
    drive->joint = drive->tendon = drive->point = -1;
    if (trm_mjcf_value(e, "joint")) {
        drive->joint = trm_mjcf_joint(e, "joint");
    } else if (trm_mjcf_value(e, "jointinparent")) {
        drive->joint = trm_mjcf_joint(e, "jointinparent");
    } else if (trm_mjcf_value(e, "tendon")) {
        drive->tendon = trm_mjcf_tendon(e, "tendon");
        if (drive->tendon >= 0 && mj->d->tendons[drive->tendon].is_rope) {
            drive->tendon = -1;
        }
    } else if (trm_mjcf_value(e, "site") && !trm_mjcf_value(e, "refsite")) {
        drive->point = trm_mjcf_site(e, "site");
    }
    return drive->joint >= 0 || drive->tendon >= 0 || drive->point >= 0;
}

static void read_actuator(trm_mjcf *mj, trm_xml *node, int index)
{
    static const char *const kinds[] = {"general", "motor", "position", "velocity", "damper", NULL};
    int known = 0;
    for (int i = 0; kinds[i]; i++) {
        known |= trm_xml_is(node, kinds[i]);
    }
    if (!known) {
        return; // a loss
    }
    const trm_mjcf_node e = trm_mjcf_node_of(mj, node, NULL, NULL);
    trm_drive drive = {.name = trm_mjcf_name(&e), .from = node, .gear = {1}};
    if (!read_target(&e, &drive)) {
        trm_xml_take(node);
        trm_lose(mj->d, node, NULL, 1,
                 "left out: drives work on hinges, slides, fixed tendons and at sites");
        return;
    }
    read_law(&e, &drive);
    trm_mjcf_vector(&e, "gear", 1, 6, drive.gear);
    drive.control_limited = trm_mjcf_limited(&e, "ctrllimited", "ctrlrange", drive.control);
    drive.force_limited = trm_mjcf_limited(&e, "forcelimited", "forcerange", drive.force);
    drive.start = mj->ctrl && index < mj->nctrl ? mj->ctrl[index] : 0;
    trm_drive *const added = TRM_DESCRIBE(mj->d, drives);
    if (added) {
        *added = drive;
    }
}

void trm_mjcf_actuators(trm_mjcf *mj)
{
    int index = 0;
    for (trm_xml *part = mj->root->child; part; part = part->next) {
        const int is = trm_xml_is(part, "actuator");
        part->used |= is;
        for (trm_xml *node = is ? part->child : NULL; node && mj->d->status == TRM_OK;
             node = node->next) {
            read_actuator(mj, node, index++);
        }
    }
}
