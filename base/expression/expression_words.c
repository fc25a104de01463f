// Words of expressions.
#include "base/expression/expression_words.h"

#include "base/expression/expression_tape.h"
#include "base/text/suggest.h"
#include "program/suggest.h"

#include <stdio.h>
#include <string.h>

// --------------------------------------------------------------------------------------- functions

static const trm_function_word functions[] = {
    {"sin", TRM_OP_SIN, 1, {{0, NULL}}, "sin(x)", "of an angle in rad"},
    {"cos", TRM_OP_COS, 1, {{0, NULL}}, "cos(x)", "of an angle in rad"},
    {"tan", TRM_OP_TAN, 1, {{0, NULL}}, "tan(x)", "of an angle in rad"},
    {"asin", TRM_OP_ASIN, 1, {{0, NULL}}, "asin(x)", "from -pi/2 to pi/2"},
    {"acos", TRM_OP_ACOS, 1, {{0, NULL}}, "acos(x)", "from 0 to pi"},
    {"atan", TRM_OP_ATAN, 1, {{0, NULL}}, "atan(x)", "from -pi/2 to pi/2"},
    {"atan2",
     TRM_OP_ATAN2,
     2,
     {{0, NULL}},
     "atan2(y, x)",
     "the angle of the direction (x, y), from -pi to pi"},
    {"sinh", TRM_OP_SINH, 1, {{0, NULL}}, "sinh(x)", "hyperbolic sine"},
    {"cosh", TRM_OP_COSH, 1, {{0, NULL}}, "cosh(x)", "hyperbolic cosine"},
    {"tanh", TRM_OP_TANH, 1, {{0, NULL}}, "tanh(x)", "hyperbolic tangent"},
    {"sqrt", TRM_OP_SQRT, 1, {{0, NULL}}, "sqrt(x)", "square root"},
    {"exp", TRM_OP_EXP, 1, {{0, NULL}}, "exp(x)", "e to the power x"},
    {"log", TRM_OP_LOG, 1, {{0, NULL}}, "log(x)", "natural logarithm"},
    {"abs", TRM_OP_ABS, 1, {{0, NULL}}, "abs(x)", "magnitude"},
    {"min", TRM_OP_MIN, -2, {{0, NULL}}, "min(a, b, ...)", "the least of two or more"},
    {"max", TRM_OP_MAX, -2, {{0, NULL}}, "max(a, b, ...)", "the largest of two or more"},
    {"hypot", TRM_OP_HYPOT, 2, {{0, NULL}}, "hypot(x, y)", "sqrt(x^2 + y^2)"},
    {"dircos",
     TRM_OP_DIRCOS,
     2,
     {{0, NULL}},
     "dircos(x, y)",
     "x/hypot(x, y): the direction cosine of (x, y) along x; 0 where both are 0"},
    {"sign", TRM_OP_SIGN, 1, {{0, NULL}}, "sign(x)", "-1, 0 or 1"},
    {"floor", TRM_OP_FLOOR, 1, {{0, NULL}}, "floor(x)", "the largest integer that is not above x"},
    {"ceil", TRM_OP_CEIL, 1, {{0, NULL}}, "ceil(x)", "the smallest integer that is not below x"},
    {"mod",
     TRM_OP_MOD,
     2,
     {{0, NULL}},
     "mod(a, b)",
     "a - b floor(a/b): from 0 up to b, which it does not reach; no value where b is 0"},
    {"clamp", -1, 3, {{3, "ABMCm"}}, "clamp(x, a, b)", "min(max(x, a), b), so b where a > b"},
    {"step",
     -1,
     3,
     {{3, "AB-CB-/s"}, {5, "AB-DB-/sEC-*C+"}},
     "step(x, a, b) or step(x, a, A, b, B)",
     "from 0 (or A) where x is a to 1 (or B) where x is b, constant outside, with two continuous "
     "derivatives: s^3 (10 - 15 s + 6 s^2), s = (x - a)/(b - a); no value at x = a where a is b"},
    {"pulse",
     -1,
     3,
     {{3, "ABgACl&"}, {4, "AB-D/s1AC-D+D/s-*"}},
     "pulse(x, a, b) or pulse(x, a, b, w)",
     "1 for a <= x < b, else 0; with w its flanks are steps of that width, within a and b; 0 where "
     "b <= a or w < 0, and below 1 where b - a < 2 w"},
    {"if",
     -1,
     3,
     {{3, ""}},
     "if(c, a, b)",
     "a where the condition c holds, else b; also written c ? a : b"},
    {"table",
     -1,
     2,
     {{2, ""}},
     "table(name, x)",
     "the value of a table of the scene at x; see Tables"},
};
enum { FUNCTIONS = sizeof functions / sizeof functions[0] };

int trm_word_is(const char *text, size_t length, const char *word)
{
    return strlen(word) == length && !memcmp(text, word, length);
}

const trm_function_word *trm_word_find(const char *name, size_t length)
{
    for (int i = 0; i < FUNCTIONS; i++) {
        if (trm_word_is(name, length, functions[i].name)) {
            return &functions[i];
        }
    }
    return NULL;
}

const char *trm_word_of_operation(int op)
{
    static const struct {
        int op;
        const char *name;
    } others[] = {
        {TRM_OP_DIVIDE, "a quotient"}, {TRM_OP_POWER, "a power"}, {TRM_OP_LESS, "<"},
        {TRM_OP_LESS_EQUAL, "<="},     {TRM_OP_GREATER, ">"},     {TRM_OP_GREATER_EQUAL, ">="},
        {TRM_OP_EQUAL, "=="},          {TRM_OP_NOT_EQUAL, "!="},  {TRM_OP_STEP, "step"},
        {TRM_OP_TABLE, "table"},
    };
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        if (others[i].op == op) {
            return others[i].name;
        }
    }
    for (int i = 0; i < FUNCTIONS; i++) {
        if (functions[i].op == op) {
            return functions[i].name;
        }
    }
    return NULL;
}

int trm_expression_is_function(const char *name)
{
    static const char *const others[] = {"and", "or", "not"};
    for (int i = 0; i < 3; i++) {
        if (!strcmp(name, others[i])) {
            return 1;
        }
    }
    return trm_word_find(name, strlen(name)) != NULL;
}

const char *trm_expression_function(int index)
{
    return index >= 0 && index < FUNCTIONS ? functions[index].name : NULL;
}

const char *trm_expression_function_usage(int index)
{
    return index >= 0 && index < FUNCTIONS ? functions[index].usage : NULL;
}

const char *trm_expression_function_doc(int index)
{
    return index >= 0 && index < FUNCTIONS ? functions[index].doc : NULL;
}

// ------------------------------------------------------------------------------------------ hints

/// Functions of other languages, and how they are written here.
static const struct {
    const char *theirs, *ours;
} translations[] = {
    {"sgn", "sign(x)"},
    {"signum", "sign(x)"},
    {"ln", "log(x)"},
    {"log10", "log(x)/log(10)"},
    {"log2", "log(x)/log(2)"},
    {"pow", "a^b"},
    {"power", "a^b"},
    {"sqr", "x^2"},
    {"fabs", "abs(x)"},
    {"fmod", "mod(a, b)"},
    {"rem", "mod(a, b)"},
    {"arcsin", "asin(x)"},
    {"arccos", "acos(x)"},
    {"arctan", "atan(x)"},
    {"arctan2", "atan2(y, x)"},
    {"arctg", "atan(x)"},
    {"tg", "tan(x)"},
    {"round", "floor(x + 0.5)"},
    {"int", "floor(x)"},
    {"trunc", "sign(x)*floor(abs(x))"},
    {"heaviside", "if(x >= 0, 1, 0)"},
    {"ifelse", "if(c, a, b)"},
    {"iff", "if(c, a, b)"},
    {"where", "if(c, a, b)"},
    {"select", "if(c, a, b)"},
    {"smoothstep", "step(x, a, b)"},
    {"step5", "step(x, a, A, b, B)"},
    {"havsin", "step(x, a, A, b, B)"},
    {"limit", "clamp(x, a, b)"},
    {"clip", "clamp(x, a, b)"},
    {"saturate", "clamp(x, 0, 1)"},
    {"interp", "table(name, x)"},
    {"interp1", "table(name, x)"},
    {"lookup", "table(name, x)"},
    {"spline", "table(name, x)"},
    {"akispl", "table(name, x)"},
    {"cubspl", "table(name, x)"},
};

/// Without regard to case: STEP and HAVSIN are written in capitals elsewhere.
static int same_letters(const char *text, size_t length, const char *word)
{
    size_t i = 0;
    for (; i < length && word[i]; i++) {
        const char c = text[i] >= 'A' && text[i] <= 'Z' ? (char)(text[i] - 'A' + 'a') : text[i];
        if (c != word[i]) {
            return 0;
        }
    }
    return i == length && word[i] == '\0';
}

const char *trm_word_hint(const char *name, size_t length, char *out, size_t size)
{
    for (size_t i = 0; i < sizeof translations / sizeof translations[0]; i++) {
        if (same_letters(name, length, translations[i].theirs)) {
            snprintf(out, size, "; write %s", translations[i].ours);
            return out;
        }
    }
    trm_suggestion near = trm_suggest(name, length);
    for (int i = 0; i < FUNCTIONS; i++) {
        if (same_letters(name, length, functions[i].name)) {
            snprintf(out, size, "; write %s", functions[i].usage);
            return out;
        }
        trm_suggest_consider(&near, functions[i].name);
    }
    return trm_foreign_hint(&near, out, size);
}

static int starts_with_word(const char *text, const char *word)
{
    const size_t n = strlen(word);
    const char next = strncmp(text, word, n) ? 'a' : text[n];
    return !((next >= 'a' && next <= 'z') || (next >= 'A' && next <= 'Z') || next == '_');
}

/// Whether the text begins with a unit; degrees apart.
static int is_unit(const char *text)
{
    static const char *const units[] = {"kg", "g",  "m",  "mm", "cm",  "km",     "s",
                                        "ms", "N",  "kN", "Nm", "J",   "W",      "Hz",
                                        "Pa", "kW", "ft", "lb", "rad", "radian", "radians"};
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        if (starts_with_word(text, units[i])) {
            return 1;
        }
    }
    return 0;
}

/// 20 deg.
static void meant_degrees(const char *text, int before, char *out, size_t size)
{
    enum { MOST = 40 };
    if (before <= MOST) {
        snprintf(out, size, "; write %.*s*deg", before, text);
    } else {
        snprintf(out, size, "; write *deg");
    }
}

/// tip.x = p.
static void meant_equation(const char *text, size_t before, const char *rest, char *out,
                           size_t size)
{
    enum { MOST = 40 };
    const char *const how = rest[1] == '=' ? "" : "in conditions write ==, in constraints ";
    rest += strspn(rest, "= ");
    const int sum = strpbrk(rest, "+-") != NULL;
    if (before + strlen(rest) <= MOST && *rest) {
        snprintf(out, size, "; %smove all to one side: %.*s - %s%s%s", how, (int)before, text,
                 sum ? "(" : "", rest, sum ? ")" : "");
    } else {
        snprintf(out, size, "; %smove all to one side", how);
    }
}

const char *trm_word_meant(const char *text, size_t at, int inside, char *out, size_t size)
{
    const char *rest = text + at;
    size_t before = at;
    while (before > 0 && text[before - 1] == ' ') {
        before--;
    }
    out[0] = '\0';
    if (!strncmp(rest, "\xc2\xb0", 2) || starts_with_word(rest, "deg") ||
        starts_with_word(rest, "degrees")) {
        meant_degrees(text, (int)before, out, size);
    } else if (is_unit(rest)) {
        snprintf(out, size, "; units are SI, write the number alone");
    } else if (!strncmp(rest, "&&", 2) || !strncmp(rest, "||", 2)) {
        snprintf(out, size, "; write %s", rest[0] == '&' ? "and" : "or");
    } else if (rest[0] == '!') {
        snprintf(out, size, "; write not, or !=");
    } else if (rest[0] == '=' && inside) {
        snprintf(out, size, "; equality is written ==");
    } else if (rest[0] == '=') {
        meant_equation(text, before, rest, out, size);
    }
    return out;
}
