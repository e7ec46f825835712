// Pattern matching that limits can stop, for universes with limits. The stock functions are single C calls, inside which no hook
// runs, and some patterns take them longer than anybody waits.
//
// The language, its order of trials and its messages are those of lstrlib.c of Lua 5.4 (Copyright 1994-2022 Lua.org, PUC-Rio,
// MIT licence), which this follows; what is added is a count of steps that lets limits look in.
#include "patterns.h"

#include <ctype.h>
#include <string.h>

enum { MOST_DEPTH = 200, ESCAPE = '%', STEPS_UNSEEN = 1024 };

typedef clua_search search;

static const char *match(search *ms, const char *s, const char *p);

static inline int byte_at(const char *s) { return (unsigned char)*s; }

static inline void count(search *ms, ptrdiff_t steps) {
    ms->steps += steps;
    if (ms->steps < STEPS_UNSEEN) return;
    ms->all_steps += ms->steps;
    clua_long_call(ms->L, ms->steps, ms->all_steps);
    ms->steps = 0;
}

void clua_count_steps(search *ms, ptrdiff_t steps) { count(ms, steps); }

static int capture_number(search *ms, int digit) {
    int number = digit - '1';
    if (number < 0 || number >= ms->level || ms->captures[number].length == CLUA_UNFINISHED)
        return luaL_error(ms->L, "invalid capture index %%%d", number + 1);
    return number;
}

static int open_capture(search *ms) {
    for (int level = ms->level - 1; level >= 0; level--)
        if (ms->captures[level].length == CLUA_UNFINISHED) return level;
    return luaL_error(ms->L, "invalid pattern capture");
}

// Where the single character class at `p` ends.
static const char *class_end(search *ms, const char *p) {
    switch (*p++) {
    case ESCAPE:
        if (p == ms->pattern_end) luaL_error(ms->L, "malformed pattern (ends with '%%')");
        return p + 1;
    case '[':
        if (*p == '^') p++;
        do {
            if (p == ms->pattern_end) luaL_error(ms->L, "malformed pattern (missing ']')");
            if (*p++ == ESCAPE && p < ms->pattern_end) p++;
        } while (*p != ']');
        return p + 1;
    default: return p;
    }
}

static int is_of_class(int c, int class) {
    int is;
    switch (tolower(class)) {
    case 'a': is = isalpha(c); break;
    case 'c': is = iscntrl(c); break;
    case 'd': is = isdigit(c); break;
    case 'g': is = isgraph(c); break;
    case 'l': is = islower(c); break;
    case 'p': is = ispunct(c); break;
    case 's': is = isspace(c); break;
    case 'u': is = isupper(c); break;
    case 'w': is = isalnum(c); break;
    case 'x': is = isxdigit(c); break;
    case 'z': is = c == 0; break;
    default: return class == c;
    }
    return islower(class) ? is != 0 : is == 0;
}

// Whether `c` is in the set that begins at `p` and whose `]` is at `last`.
static int is_in_set(int c, const char *p, const char *last) {
    int found = 1;
    if (p[1] == '^') {
        found = 0;
        p++;
    }
    while (++p < last) {
        if (*p == ESCAPE) {
            p++;
            if (is_of_class(c, byte_at(p))) return found;
        } else if (p[1] == '-' && p + 2 < last) {
            p += 2;
            if (byte_at(p - 2) <= c && c <= byte_at(p)) return found;
        } else if (byte_at(p) == c) {
            return found;
        }
    }
    return !found;
}

static int is_single_match(search *ms, const char *s, const char *p, const char *end) {
    if (s >= ms->end) return 0;
    switch (*p) {
    case '.': return 1;
    case ESCAPE: return is_of_class(byte_at(s), byte_at(p + 1));
    case '[': return is_in_set(byte_at(s), p, end - 1);
    default: return *p == *s;
    }
}

static const char *match_balanced(search *ms, const char *s, const char *p) {
    if (p >= ms->pattern_end - 1) luaL_error(ms->L, "malformed pattern (missing arguments to '%%b')");
    if (*s != *p) return NULL;
    const char *first = s;
    int open = 1;
    while (++s < ms->end) {
        if (*s == p[1]) {
            if (--open == 0) break;
        } else if (*s == *p) {
            open++;
        }
    }
    count(ms, s - first);
    return s < ms->end ? s + 1 : NULL;
}

static const char *match_most(search *ms, const char *s, const char *p, const char *end) {
    ptrdiff_t times = 0;
    while (is_single_match(ms, s + times, p, end)) times++;
    count(ms, times);
    for (; times >= 0; times--) {
        const char *rest = match(ms, s + times, end + 1);
        if (rest != NULL) return rest;
    }
    return NULL;
}

static const char *match_least(search *ms, const char *s, const char *p, const char *end) {
    for (;;) {
        const char *rest = match(ms, s, end + 1);
        if (rest != NULL) return rest;
        if (!is_single_match(ms, s, p, end)) return NULL;
        s++;
    }
}

static const char *begin_capture(search *ms, const char *s, const char *p, int kind) {
    if (ms->level >= CLUA_MOST_CAPTURES) luaL_error(ms->L, "too many captures");
    ms->captures[ms->level].begin = s;
    ms->captures[ms->level].length = kind;
    ms->level++;
    const char *rest = match(ms, s, p);
    if (rest == NULL) ms->level--;
    return rest;
}

static const char *end_capture(search *ms, const char *s, const char *p) {
    int number = open_capture(ms);
    ms->captures[number].length = s - ms->captures[number].begin;
    const char *rest = match(ms, s, p);
    if (rest == NULL) ms->captures[number].length = CLUA_UNFINISHED;
    return rest;
}

static const char *match_capture(search *ms, const char *s, int digit) {
    int number = capture_number(ms, digit);
    size_t length = (size_t)ms->captures[number].length;
    if ((size_t)(ms->end - s) < length) return NULL;
    count(ms, (ptrdiff_t)(length / 16));
    return memcmp(ms->captures[number].begin, s, length) == 0 ? s + length : NULL;
}

static int is_frontier(search *ms, const char *s, const char *set, const char *end) {
    int before = s == ms->begin ? 0 : byte_at(s - 1);
    return !is_in_set(before, set, end - 1) && is_in_set(byte_at(s), set, end - 1);
}

// Where the match of the rest of the pattern ends; NULL where there is none.
static const char *match(search *ms, const char *s, const char *p) {
    if (ms->depth-- == 0) luaL_error(ms->L, "pattern too complex");
    while (s != NULL && p != ms->pattern_end) {
        count(ms, 1);
        if (*p == '(') {
            s = p[1] == ')' ? begin_capture(ms, s, p + 2, CLUA_POSITION) : begin_capture(ms, s, p + 1, CLUA_UNFINISHED);
            break;
        }
        if (*p == ')') {
            s = end_capture(ms, s, p + 1);
            break;
        }
        if (*p == '$' && p + 1 == ms->pattern_end) {
            if (s != ms->end) s = NULL;
            break;
        }
        if (*p == ESCAPE && p[1] == 'b') {
            s = match_balanced(ms, s, p + 2);
            p += 4;
            continue;
        }
        if (*p == ESCAPE && p[1] == 'f') {
            p += 2;
            if (*p != '[') luaL_error(ms->L, "missing '[' after '%%f' in pattern");
            const char *end = class_end(ms, p);
            if (!is_frontier(ms, s, p, end)) s = NULL;
            p = end;
            continue;
        }
        if (*p == ESCAPE && isdigit(byte_at(p + 1))) {
            s = match_capture(ms, s, byte_at(p + 1));
            p += 2;
            continue;
        }
        const char *end = class_end(ms, p);
        int matches = is_single_match(ms, s, p, end);
        if (*end == '?') {
            const char *rest = matches ? match(ms, s + 1, end + 1) : NULL;
            if (rest != NULL) {
                s = rest;
                break;
            }
            p = end + 1;
        } else if (!matches && (*end == '*' || *end == '-')) {
            p = end + 1;
        } else if (*end == '*') {
            s = match_most(ms, s, p, end);
            break;
        } else if (*end == '+') {
            s = matches ? match_most(ms, s + 1, p, end) : NULL;
            break;
        } else if (*end == '-') {
            s = match_least(ms, s, p, end);
            break;
        } else {
            s = matches ? s + 1 : NULL;
            p = end;
        }
    }
    ms->depth++;
    return s;
}

void clua_begin_search(search *ms, lua_State *L, const char *s, size_t length, const char *p, size_t pattern_length) {
    ms->L = L;
    ms->begin = s;
    ms->end = s + length;
    ms->pattern_end = p + pattern_length;
    ms->steps = 0;
    ms->all_steps = 0;
}

const char *clua_match_at(search *ms, const char *s, const char *p) {
    ms->level = 0;
    ms->depth = MOST_DEPTH;
    return match(ms, s, p);
}

CLUA_END_JUMPED_OVER
