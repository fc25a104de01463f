// Peak memory of a body of a large scene.

#define _DEFAULT_SOURCE // wait4

#include "tests/rig.h"

#include <malloc.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/// The text of tools/make_chain.py with n bars.
static char *chain_text(int n, size_t *length)
{
    char *text = NULL;
    FILE *out = open_memstream(&text, length);
    assert_non_null(out);
    fprintf(out, "{\"dimension\": 2, \"parameters\": {\"g\": 9.81, \"l\": 1, \"m\": 1},"
                 "\"gravity\": [0, \"-g\"], \"bodies\": [\n");
    for (int i = 0; i < n; i++) {
        fprintf(out,
                "{\"name\": \"bar_%d\", \"ends\": [[\"%d*l\", 0], [\"%d*l\", 0]], "
                "\"mass\": \"m\"}%s\n",
                i, i, i + 1, i + 1 < n ? "," : "], \"joints\": [");
    }
    for (int i = 0; i < n; i++) {
        char on[32] = "ground";
        if (i > 0) {
            snprintf(on, sizeof on, "bar_%d", i - 1);
        }
        fprintf(out,
                "{\"name\": \"pin_%d\", \"type\": \"revolute\", \"bodies\": [\"%s\", "
                "\"bar_%d\"], \"at\": [\"%d*l\", 0]}%s\n",
                i, on, i, i, i + 1 < n ? "," : "]}");
    }
    fclose(out);
    return text;
}

/// Load a chain from a file, build it, run a step: exit status 0 when all went well.
static int run_chain(const char *path)
{
    trm_scene *scene = NULL;
    trm_model *model = NULL;
    trm_sim *sim = NULL;
    trm_options options;
    const int failed = trm_scene_load(path, &scene, NULL) || trm_model_build(scene, &model, NULL) ||
                       trm_choose_options(model, 1e-6, &options, NULL, NULL) ||
                       trm_sim_create(model, &options, &sim, NULL) ||
                       trm_sim_run(sim, 1e-6, NULL, NULL, NULL);
    trm_sim_destroy(sim);
    trm_model_destroy(model);
    trm_scene_destroy(scene);
    return failed;
}

/// Bytes that a process takes at most for a chain of n bars.
static double peak_of_chain(int n)
{
    char path[] = "/tmp/trammel_chain_XXXXXX";
    size_t length = 0;
    char *text = chain_text(n, &length);
    const int file = mkstemp(path);
    assert_true(file >= 0);
    assert_int_equal(write(file, text, length), (ssize_t)length);
    close(file);
    free(text);
    const pid_t child = fork();
    if (child == 0) {
        mallopt(M_PERTURB, 0); // meson test fills memory, and so touches pages that nobody writes
        _exit(run_chain(path));
    }
    struct rusage used;
    int status = -1;
    assert_int_equal(wait4(child, &status, 0, &used), child);
    unlink(path);
    assert_int_equal(status, 0);
    return 1024.0 * (double)used.ru_maxrss;
}

/// 5 kB, of which the text of the file is 0.2; from the difference of two chains, so that what a
/// process takes anyway cancels.
static void a_body_of_a_chain_takes_five_kilobytes(void **state)
{
    (void)state;
    rig_figures(); // sanitizers have memory of their own
    const int few = 10000, many = 30000;
    const double each = (peak_of_chain(many) - peak_of_chain(few)) / (many - few);
    print_message("%.0f bytes a body\n", each);
    assert_true(each <= 5000);
}

int test_body_memory(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_body_of_a_chain_takes_five_kilobytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
