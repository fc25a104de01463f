// Formulas of scenes: a recursive-descent parser into a tree, evaluated in numbers, duals or jets.
#pragma once
#include "jet.h"
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

struct Formula {
    enum Kind { Constant, Variable, Add, Sub, Mul, Div, Pow, Neg, Call } kind = Constant;
    double number = 0;
    int variable = 0;
    std::string function;
    std::vector<Formula> parts;
};

template <class T> T j_call(const std::string &f, const std::vector<T> &x)
{
    double a = value(x[0]);
    if (f == "sin")
        return j_sin(x[0]);
    if (f == "cos")
        return j_cos(x[0]);
    if (f == "tan")
        return j_sin(x[0]) * inverse(j_cos(x[0]));
    if (f == "asin")
        return j_asin(x[0]);
    if (f == "acos")
        return T(acos(0.0)) - j_asin(x[0]);
    if (f == "atan")
        return j_atan(x[0]);
    if (f == "atan2")
        return j_atan2(x[0], x[1]);
    if (f == "sinh")
        return (j_exp(x[0]) - j_exp(T(0) - x[0])) * T(0.5);
    if (f == "cosh")
        return (j_exp(x[0]) + j_exp(T(0) - x[0])) * T(0.5);
    if (f == "tanh")
        return chain(x[0], tanh(a), 1 - tanh(a) * tanh(a), -2 * tanh(a) * (1 - tanh(a) * tanh(a)));
    if (f == "sqrt")
        return j_sqrt(x[0]);
    if (f == "exp")
        return j_exp(x[0]);
    if (f == "log")
        return j_log(x[0]);
    if (f == "abs")
        return a < 0 ? T(0) - x[0] : x[0];
    if (f == "hypot")
        return j_sqrt(x[0] * x[0] + x[1] * x[1]);
    if (f == "min" || f == "max") {
        T best = x[0];
        for (const T &other : x)
            if (f == "min" ? value(other) < value(best) : value(other) > value(best))
                best = other;
        return best;
    }
    throw std::runtime_error("unknown function '" + f + "'");
}

// `read` gives the value of a variable by its number
template <class T> T evaluate(const Formula &f, const std::function<T(int)> &read)
{
    auto part = [&](int i) { return evaluate<T>(f.parts[i], read); };
    switch (f.kind) {
    case Formula::Constant:
        return T(f.number);
    case Formula::Variable:
        return read(f.variable);
    case Formula::Add:
        return part(0) + part(1);
    case Formula::Sub:
        return part(0) - part(1);
    case Formula::Mul:
        return part(0) * part(1);
    case Formula::Div:
        return part(0) * inverse(part(1));
    case Formula::Neg:
        return T(0) - part(0);
    case Formula::Pow:
        if (f.parts[1].kind == Formula::Constant)
            return j_pow(part(0), f.parts[1].number);
        return j_exp(part(1) * j_log(part(0)));
    default:
        break;
    }
    std::vector<T> x;
    for (const Formula &p : f.parts)
        x.push_back(evaluate<T>(p, read));
    return j_call(f.function, x);
}

class FormulaParser
{
    const std::string text;
    size_t i = 0;
    const std::function<Formula(const std::string &)> &name; // a constant or a variable

    char peek()
    {
        while (i < text.size() && text[i] == ' ')
            i++;
        return i < text.size() ? text[i] : '\0';
    }
    bool take(char c)
    {
        return peek() == c ? i++, true : false;
    }
    static Formula make(Formula::Kind kind, std::vector<Formula> parts)
    {
        bool constant = true;
        Formula f;
        for (const Formula &p : parts)
            constant = constant && p.kind == Formula::Constant;
        f.kind = kind;
        f.parts = std::move(parts);
        return constant ? folded(f) : f;
    }
    static Formula folded(const Formula &f)
    {
        Formula c;
        c.number = evaluate<double>(f, [](int) { return 0.0; });
        return c;
    }
    Formula sum()
    {
        Formula f = product();
        for (;;)
            if (take('+'))
                f = make(Formula::Add, {f, product()});
            else if (take('-'))
                f = make(Formula::Sub, {f, product()});
            else
                return f;
    }
    Formula product()
    {
        Formula f = sign();
        for (;;)
            if (take('*'))
                f = make(Formula::Mul, {f, sign()});
            else if (take('/'))
                f = make(Formula::Div, {f, sign()});
            else
                return f;
    }
    Formula sign()
    {
        if (take('-'))
            return make(Formula::Neg, {sign()});
        if (take('+'))
            return sign();
        Formula base = primary();
        return take('^') ? make(Formula::Pow, {base, sign()}) : base;
    }
    Formula primary()
    {
        Formula f;
        char c = peek();
        if (take('(')) {
            f = sum();
            if (!take(')'))
                throw std::runtime_error("formula: ) is missing: " + text);
            return f;
        }
        if (isdigit(c) || c == '.') {
            char *end;
            f.number = strtod(text.c_str() + i, &end);
            i = (size_t)(end - text.c_str());
            return f;
        }
        std::string word;
        while (i < text.size() && (isalnum(text[i]) || text[i] == '_' || text[i] == '.'))
            word += text[i++];
        if (!take('('))
            return name(word);
        std::vector<Formula> arguments;
        do
            arguments.push_back(sum());
        while (take(','));
        if (!take(')'))
            throw std::runtime_error("formula: ) is missing: " + text);
        f.function = word;
        f.kind = Formula::Call;
        f.parts = arguments;
        for (const Formula &p : arguments)
            if (p.kind != Formula::Constant)
                return f;
        return folded(f);
    }

  public:
    FormulaParser(const std::string &s, const std::function<Formula(const std::string &)> &resolve)
        : text(s), name(resolve)
    {
    }
    Formula parse()
    {
        Formula f = sum();
        if (peek())
            throw std::runtime_error("formula: not understood: " + text);
        return f;
    }
};
