/// Which joint to relax: what nothing in the scene counts on.
#include "tests/rig.h"
#include "trammel/trammel_check.h"

#include <string.h>

/// A hinge written twice, the second one read by a gear, a torque or a condition: none is taken
/// out, which would move the others up, and what is read keeps its coordinate.
CLAIM(joints_that_are_read_stay)
{
    static const char gear[] = "\"constraints\":[{\"name\":\"g\",\"type\":\"gear\","
                               "\"joints\":[\"C\",\"B\"],\"ratio\":-1}]";
    static const char torque[] = "\"forces\":[{\"name\":\"T\",\"type\":\"torque\",\"body\":\"a\","
                                 "\"value\":\"-B.angle\"}]";
    static const char event[] = "\"events\":[{\"name\":\"e\",\"when\":\"B.rate < -1\"}]";
    static const char *const readers[] = {gear, torque, event};
    for (int i = 0; i < 3; i++) {
        char json[1200];
        snprintf(
            json, sizeof json,
            "{\"dimension\":2,\"bodies\":[{\"name\":\"c\",\"mass\":1,\"ends\":[[0,0],[0,1]]},"
            "{\"name\":\"a\",\"mass\":1,\"ends\":[[0,0],[1,0]]}],\"joints\":["
            "{\"name\":\"C\",\"type\":\"revolute\",\"bodies\":[\"ground\",\"c\"],\"at\":[0,0]},"
            "{\"name\":\"A\",\"type\":\"revolute\",\"bodies\":[\"ground\",\"a\"],\"at\":[0,0]},"
            "{\"name\":\"B\",\"type\":\"revolute\",\"bodies\":[\"ground\",\"a\"],\"at\":[0,0]}],"
            "%s}",
            readers[i]);
        rig r = rig_parse(json);
        trm_diagnosis *d = NULL;
        trm_error err = {.status = TRM_OK};
        rig_ok(trm_diagnosis_create(r.scene, r.model, NULL, 1, &d, &err), &err);
        assert_true(d->nsets > 0);
        for (int k = 0; k < d->nrelaxations; k++) {
            assert_non_null(d->relaxations[k].kind);
            assert_string_equal(d->relaxations[k].name, "A");
        }
        trm_diagnosis_destroy(d);
        rig_close(&r);
    }
}
