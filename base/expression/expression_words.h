/// The words of expressions: functions, and what people write instead of them.
#pragma once

#include <stddef.h>

/// A function. It is one operation, or a form in postfix: A to E are the arguments, 1 is the
/// number, + - * / as usual, s step, m min, M max, & and, l less, g greater or equal.
typedef struct trm_function_word {
    const char *name;
    int op;        ///< of the operation; -1 where forms say it
    int arguments; ///< of the operation; -2: two or more, folded from the left
    struct {
        int arguments;
        const char *postfix;
    } forms[2];
    const char *usage, *doc; ///< "step(x, a, b)"; one clause for scene_format.md
} trm_function_word;

int trm_word_is(const char *text, size_t length, const char *word);
/// NULL when there is none of that name.
const trm_function_word *trm_word_find(const char *name, size_t length);

/// "acos", "<", "a quotient": how an operation is called in a message; NULL for some.
const char *trm_word_of_operation(int op);

/// What is meant by a function of another language, "; did you mean ...": written to out, returned.
const char *trm_word_hint(const char *name, size_t length, char *out, size_t size);

/// What is probably meant where an operator is missing, at `at` of `text`: 20 deg, 1 kg, tip.x = p.
/// `inside`: within the arguments of a function.
const char *trm_word_meant(const char *text, size_t at, int inside, char *out, size_t size);
