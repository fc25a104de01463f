// Sensors: what formulas of a scene can read becomes an output.

#include "scenes/import/mjcf/mjcf.h"

#include <string.h>

static const struct {
    const char *tag, *of; ///< the attribute that names what is read; NULL: nothing
    trm_link_reading kind;
} readings[] = {
    {"clock", NULL, TRM_READING_TIME},
    {"jointpos", "joint", TRM_READING_JOINT},
    {"jointvel", "joint", TRM_READING_JOINT_RATE},
    {"tendonpos", "tendon", TRM_READING_TENDON},
    {"tendonvel", "tendon", TRM_READING_TENDON_RATE},
    {"actuatorpos", "actuator", TRM_READING_DRIVE},
    {"actuatorvel", "actuator", TRM_READING_DRIVE_RATE},
    {"actuatorfrc", "actuator", TRM_READING_DRIVE_FORCE},
    {"framepos", "objname", TRM_READING_POINT},
    {"framelinvel", "objname", TRM_READING_POINT_VELOCITY},
};

/// Index of what is read; -1: no formula reads it.
static int find_object(const trm_mjcf_node *e, const char *of, trm_link_reading kind,
                       const trm_names *drives)
{
    const trm_description *const d = e->mj->d;
    const char *const type = trm_mjcf_value(e, "objtype");
    int found = -1;
    switch (kind) {
    case TRM_READING_TIME:
        return 0;
    case TRM_READING_JOINT:
    case TRM_READING_JOINT_RATE:
        return trm_mjcf_joint(e, of);
    case TRM_READING_TENDON:
        return trm_mjcf_tendon(e, of);
    case TRM_READING_TENDON_RATE:
        found = trm_mjcf_tendon(e, of);
        return found >= 0 && d->tendons[found].is_rope ? -1 : found;
    case TRM_READING_DRIVE:
    case TRM_READING_DRIVE_RATE:
    case TRM_READING_DRIVE_FORCE:
        found =
            trm_describe_named(e->mj->d, e->node, of, drives, "actuator", trm_mjcf_value(e, of));
        return found >= 0 && d->drives[found].point >= 0 && kind != TRM_READING_DRIVE_FORCE ? -1
                                                                                            : found;
    case TRM_READING_POINT:
    case TRM_READING_POINT_VELOCITY:
        return type && !strcmp(type, "site") && !trm_mjcf_value(e, "refname") ? trm_mjcf_site(e, of)
                                                                              : -1;
    }
    return -1;
}

static void read_sensor(trm_mjcf *mj, trm_xml *node, const trm_names *drives)
{
    const trm_mjcf_node e = trm_mjcf_node_of(mj, node, NULL, NULL);
    trm_link_sensor sensor = {.name = trm_mjcf_name(&e), .from = node, .of = -1};
    for (size_t i = 0; i < sizeof readings / sizeof *readings; i++) {
        if (trm_xml_is(node, readings[i].tag) &&
            (!readings[i].of || trm_mjcf_value(&e, readings[i].of))) {
            sensor.kind = readings[i].kind;
            sensor.of = find_object(&e, readings[i].of, sensor.kind, drives);
        }
    }
    if (sensor.of < 0) {
        trm_xml_take(node);
        trm_lose(mj->d, node, NULL, 0,
                 "left out: no formula reads it; sensors of C and Python may");
        return;
    }
    trm_link_sensor *const added = TRM_DESCRIBE(mj->d, sensors);
    if (added) {
        *added = sensor;
    }
}

void trm_mjcf_sensors(trm_mjcf *mj)
{
    trm_names drives;
    trm_describe_names(mj->d, mj->d->drives, mj->d->ndrives, sizeof *mj->d->drives, &drives);
    for (trm_xml *part = mj->root->child; part; part = part->next) {
        const int is = trm_xml_is(part, "sensor");
        part->used |= is;
        for (trm_xml *node = is ? part->child : NULL; node && mj->d->status == TRM_OK;
             node = node->next) {
            read_sensor(mj, node, &drives);
        }
    }
}
