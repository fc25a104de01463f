/// Without libFuzzer: every input of the folders given, and inputs made of them by chance, as many
/// as asked for. The same ones at each call.
///
///     replay COUNT FOLDER...
#include "tests/fuzz/target.h"

#include <dirent.h>
#include <unistd.h>

enum { INPUTS = 4000, LARGEST = 1 << 16 };

typedef struct input {
    size_t size;
    uint8_t *bytes;
} input;

static input inputs[INPUTS];
static int ninputs;

static void read_input(const char *path)
{
    static uint8_t bytes[LARGEST];
    FILE *const file = fopen(path, "rb");
    if (file == NULL || ninputs == INPUTS) {
        fprintf(stderr, "%s cannot be read\n", path);
        exit(1);
    }
    input *const in = &inputs[ninputs++];
    in->size = fread(bytes, 1, sizeof bytes, file);
    in->bytes = malloc(in->size + 1);
    if (in->bytes != NULL) {
        memcpy(in->bytes, bytes, in->size);
    }
    fclose(file);
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static int shown(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

static void read_folder(const char *folder)
{
    struct dirent **names = NULL;
    const int n = scandir(folder, &names, shown, by_name);
    for (int i = 0; i < n; i++) {
        char path[1024];
        snprintf(path, sizeof path, "%s/%s", folder, names[i]->d_name);
        read_input(path);
        free(names[i]);
    }
    free(names);
}

static uint64_t seed = 1;

static unsigned chance(unsigned n)
{
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (unsigned)(seed >> 33) % n;
}

/// Some bytes of an input changed, dropped or doubled, or all by chance.
static size_t make(uint8_t *out)
{
    const input *const from = &inputs[chance((unsigned)ninputs)];
    size_t size = from->size;
    memcpy(out, from->bytes, size);
    if (size == 0 || chance(8) == 0) {
        size = 1 + chance(300);
        for (size_t i = 0; i < size; i++) {
            out[i] = (uint8_t)chance(256);
        }
        return size;
    }
    for (unsigned k = 1 + chance(6); k > 0; k--) {
        const size_t at = chance((unsigned)size);
        const size_t length = 1 + chance(16) % (unsigned)(size - at);
        switch (chance(4)) {
        case 0:
            out[at] = (uint8_t)chance(256);
            break;
        case 1:
            out[at] = (uint8_t)(out[at] ^ 1U << chance(8));
            break;
        case 2:
            if (size > length) {
                memmove(out + at, out + at + length, size - at - length);
                size -= length;
            }
            break;
        default:
            if (size + length < LARGEST) {
                memmove(out + at + length, out + at, size - at);
                size += length;
            }
        }
    }
    return size;
}

int main(int argc, char **argv)
{
    static uint8_t bytes[2 * LARGEST];
    const int count = argc > 1 ? atoi(argv[1]) : 0;
    for (int i = 2; i < argc; i++) {
        read_folder(argv[i]);
    }
    for (int i = 0; i < ninputs; i++) {
        LLVMFuzzerTestOneInput(inputs[i].bytes, inputs[i].size);
    }
    for (int k = 0; k < count && ninputs > 0; k++) {
        uint8_t *const exact = malloc(LARGEST); // so that a read behind it is seen
        const size_t size = make(bytes);
        if (exact != NULL) {
            memcpy(exact, bytes, size);
            LLVMFuzzerTestOneInput(exact, size);
        }
        free(exact);
    }
    for (int i = 0; i < ninputs; i++) {
        free(inputs[i].bytes);
    }
    printf("%d inputs and %d made of them\n", ninputs, count);
    return ninputs > 0 ? 0 : 1;
}
