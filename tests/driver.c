/// The claims of one folder in one program: `claims_FOLDER NAME [CASE]`.
///
/// NAME is that of a file test_NAME.c, CASE one of its claims, with * and ?.

#include "tests/claim.h"

#include <stdio.h>
#include <string.h>

static claim *first, **last = &first;

void claim_add(claim *added)
{
    *last = added;
    last = &added->next;
}

static int belongs(const claim *c, const char *name)
{
    const char *slash = strrchr(c->file, '/');
    const char *base = slash ? slash + 1 : c->file;
    const size_t n = strlen(name);
    return strncmp(base, "test_", 5) == 0 && strncmp(base + 5, name, n) == 0 &&
           strcmp(base + 5 + n, ".c") == 0;
}

int main(int argc, char **argv)
{
    enum { MOST = 256 }; // of a file
    struct CMUnitTest tests[MOST];
    size_t n = 0;
    if (argc > 2) {
        cmocka_set_test_filter(argv[2]);
    }
    for (const claim *c = first; c && argc > 1 && n < MOST; c = c->next) {
        if (belongs(c, argv[1])) {
            tests[n++] = c->test;
        }
    }
    if (n > 0 && n < MOST) {
        return _cmocka_run_group_tests(argv[1], tests, n, NULL, NULL);
    }
    fprintf(stderr, "usage: %s NAME [CASE]; NAME is one of:\n", argv[0]);
    for (const claim *c = first; c; c = c->next) {
        if (!c->next || strcmp(c->file, c->next->file) != 0) {
            fprintf(stderr, "    %s\n", c->file);
        }
    }
    return 2;
}
