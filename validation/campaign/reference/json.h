// A reader of JSON (RFC 8259) for scene files.
#pragma once
#include <cstdlib>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

struct Json {
    enum Kind { Null, Bool, Number, Text, Array, Object } kind = Null;
    double number = 0;
    std::string text;
    std::vector<Json> items;
    std::map<std::string, Json> members;

    bool has(const std::string &key) const
    {
        return members.count(key) > 0;
    }
    const Json &at(const std::string &key) const
    {
        auto found = members.find(key);
        if (found == members.end())
            throw std::runtime_error("key '" + key + "' is missing");
        return found->second;
    }
};

class JsonParser
{
    const char *c;

    void blank()
    {
        while (*c == ' ' || *c == '\n' || *c == '\t' || *c == '\r')
            c++;
    }
    void expect(char wanted)
    {
        blank();
        if (*c++ != wanted)
            throw std::runtime_error(std::string("JSON: expected ") + wanted);
    }
    bool next_is(char wanted)
    {
        blank();
        return *c == wanted ? c++, true : false;
    }
    std::string text()
    {
        std::string s;
        expect('"');
        for (; *c && *c != '"'; c++) {
            if (*c == '\\')
                c++;
            s += *c;
        }
        expect('"');
        return s;
    }
    Json value()
    {
        Json v;
        blank();
        if (*c == '{') {
            v.kind = Json::Object;
            c++;
            for (bool more = !next_is('}'); more; more = next_is(',') || (expect('}'), false)) {
                blank();
                std::string key = text();
                expect(':');
                v.members[key] = value();
            }
        } else if (*c == '[') {
            v.kind = Json::Array;
            c++;
            for (bool more = !next_is(']'); more; more = next_is(',') || (expect(']'), false))
                v.items.push_back(value());
        } else if (*c == '"') {
            v.kind = Json::Text;
            v.text = text();
        } else if (*c == 't' || *c == 'f' || *c == 'n') {
            v.kind = *c == 'n' ? Json::Null : Json::Bool;
            v.number = *c == 't';
            c += *c == 'f' ? 5 : 4;
        } else {
            char *end;
            v.kind = Json::Number;
            v.number = strtod(c, &end);
            if (end == c)
                throw std::runtime_error("JSON: a value is missing");
            c = end;
        }
        return v;
    }

  public:
    static Json parse(const std::string &s)
    {
        JsonParser p;
        p.c = s.c_str();
        return p.value();
    }
};
