/// The claims of one folder in one program: `claims_FOLDER NAME [CASE]`.
///
/// NAME is that of a file test_NAME.c, CASE one of its claims, with * and ?. The build says which
/// files there are: CLAIMS is a list of CLAIM(NAME).

// cmocka.h wants these four before it
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#define CLAIM(name) int test_##name(void);
CLAIMS
#undef CLAIM

static const struct {
    const char *name;
    int (*run)(void);
} files[] = {
#define CLAIM(name) {#name, test_##name},
    CLAIMS
#undef CLAIM
};

enum { FILES = sizeof files / sizeof *files };

int main(int argc, char **argv)
{
    if (argc > 2) {
        cmocka_set_test_filter(argv[2]);
    }
    for (int i = 0; i < FILES && argc > 1; i++) {
        if (strcmp(argv[1], files[i].name) == 0) {
            return files[i].run();
        }
    }
    fprintf(stderr, "usage: %s NAME [CASE]; NAME is one of:\n", argv[0]);
    for (int i = 0; i < FILES; i++) {
        fprintf(stderr, "    %s\n", files[i].name);
    }
    return 2;
}
