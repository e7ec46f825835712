// Patterns and searches, for the functions that search.
#ifndef CLUA_PATTERNS_H
#define CLUA_PATTERNS_H

#include "internal.h"

#include <stddef.h>

enum { CLUA_MOST_CAPTURES = 32, CLUA_INLINE_NODES = 24 };

/// Special lengths for captures without a length.
enum { CLUA_OPEN = -1, CLUA_POSITION = -2 };

/// A piece of a compiled pattern.
typedef struct {
    uint8_t operation;
    /// `*`, `+`, `-`, `?`, or 0 for once.
    uint8_t repeat;
    /// A byte, a class, the two ends of a balanced pair, or the number of a capture.
    uint8_t first, second;
    /// The items of a set.
    uint32_t items, item_count;
} clua_pattern_node;

/// A part of a set: bytes from `low` to `high`, or a class. Each says whether the set is negated.
typedef struct {
    uint8_t is_class, is_negated;
    uint8_t low, high;
} clua_set_item;

/// The possibilities that a repeated node still has.
typedef struct {
    uint32_t node;
    /// The place where the next node was tried last.
    const char *place;
    /// The least place, for a node that took as much as it could.
    const char *least;
} clua_choice;

typedef struct {
    const char *begin;
    ptrdiff_t length;
} clua_span;

/// A compiled pattern over a text.
typedef struct {
    lua_State *L;
    const char *begin, *end;
    clua_pattern_node *nodes;
    clua_set_item *items;
    clua_choice *choices;
    int capture_count;
    /// Steps since the last check, and all steps of this call.
    int64_t steps, all_steps;
    clua_span captures[CLUA_MOST_CAPTURES];
} clua_search;

/// Memory for common patterns; longer ones take it from Lua.
typedef struct {
    clua_pattern_node nodes[CLUA_INLINE_NODES];
    clua_set_item items[CLUA_INLINE_NODES];
    clua_choice choices[CLUA_INLINE_NODES];
} clua_search_room;

/// Compiles a pattern for searches of a text. [-0, +0 | 1, m] Memory that does not fit in `room` is left on the stack.
void clua_begin_search(
    clua_search *search, clua_search_room *room, lua_State *L, const char *text, size_t length, const char *p,
    size_t pattern_length);
/// The end of the first match at or behind `*s`, and where it begins; NULL if there is none. Raises for an invalid
/// pattern, and at a limit.
const char *clua_match_from(clua_search *search, const char **s, int is_anchored);

#endif
