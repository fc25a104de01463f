// Peak memory of a body of a large scene: of what the library asks for. What of it a process has at
// a time depends on the pages of the system, and on what the C library keeps of freed blocks.

#define _DEFAULT_SOURCE // mkstemp

#include "tests/rig.h"

#include <malloc.h>
#include <stdlib.h>
#include <unistd.h>

// ------------------------------------------------------------------------ requests of the library

// The linker puts these in place of the allocator (--wrap in meson.build).

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
void __real_free(void *memory);

void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);
void __wrap_free(void *memory);

static size_t alive, peak; ///< bytes

/// Large blocks of zeros: twins of a run (arena.h), of which few pages are ever written.
static void *twins[8];

static int exchange(void *old, void *new)
{
    for (size_t i = 0; i < sizeof twins / sizeof *twins; i++) {
        if (twins[i] == old) {
            twins[i] = new;
            return 1;
        }
    }
    return 0;
}

static void *taken(void *memory)
{
    alive += malloc_usable_size(memory);
    peak = alive > peak ? alive : peak;
    return memory;
}

void *__wrap_malloc(size_t size)
{
    return taken(__real_malloc(size));
}

void *__wrap_calloc(size_t count, size_t size)
{
    void *const memory = __real_calloc(count, size);
    const size_t large = 1 << 22;
    return count * size >= large && exchange(NULL, memory) ? memory : taken(memory);
}

void *__wrap_realloc(void *old, size_t size)
{
    const size_t before = malloc_usable_size(old);
    void *const memory = __real_realloc(old, size);
    alive -= memory != NULL ? before : 0;
    return taken(memory);
}

void *__wrap_aligned_alloc(size_t alignment, size_t size)
{
    return taken(__real_aligned_alloc(alignment, size));
}

void __wrap_free(void *memory)
{
    if (memory != NULL && !exchange(memory, NULL)) {
        alive -= malloc_usable_size(memory);
    }
    __real_free(memory);
}

// ----------------------------------------------------------------------------------------- chains

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

/// Bytes that the library has at most for a chain of n bars.
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
    alive = peak = 0; // the text came from the C library, uncounted
    assert_int_equal(run_chain(path), 0);
    assert_int_equal(alive, 0);
    unlink(path);
    return (double)peak;
}

/// 5 kB, of which the text of the file is 0.2; from the difference of two chains, so that what does
/// not depend on their length cancels.
CLAIM(a_body_of_a_chain_takes_five_kilobytes)
{
    rig_figures(); // sanitizers have memory of their own
    const int few = 10000, many = 30000;
    const double each = (peak_of_chain(many) - peak_of_chain(few)) / (many - few);
    print_message("%.0f bytes a body\n", each);
    assert_true(each <= 5000);
}
