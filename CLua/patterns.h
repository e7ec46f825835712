// The matcher of patterns, as the functions that search use it.
#ifndef CLUA_PATTERNS_H
#define CLUA_PATTERNS_H

#include "internal.h"

#include <stddef.h>

/// Lengths of captures that are none, and how many there may be.
enum { CLUA_UNFINISHED = -1, CLUA_POSITION = -2, CLUA_MOST_CAPTURES = 32 };

/// One search of a pattern in a text.
typedef struct clua_search {
    const char *begin, *end, *pattern_end;
    lua_State *L;
    int depth;
    int level;
    /// Steps since somebody looked, and all of this call.
    int64_t steps, all_steps;
    struct {
        const char *begin;
        ptrdiff_t length;
    } captures[CLUA_MOST_CAPTURES];
} clua_search;

void clua_begin_search(clua_search *search, lua_State *L, const char *s, size_t length, const char *p, size_t pattern_length);
/// Where the match that begins at `s` ends, NULL where there is none; raises where the pattern is none, and at a limit.
const char *clua_match_at(clua_search *search, const char *s, const char *p);
/// Some work was done: now and then limits look whether it was too much, and raise.
void clua_count_steps(clua_search *search, ptrdiff_t steps);

#endif
