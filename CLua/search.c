// `string.find`, `match`, `gmatch` and `gsub` for universes with limits, over searches that can be stopped.
#define _GNU_SOURCE
#include "patterns.h"

#include <string.h>

enum { ESCAPE = '%' };

typedef clua_search search;
typedef clua_span span;

// MARK: Captures

// A capture of a match from `s` to `e`: its bytes, or where it is, with POSITION.
static span capture(const search *search, int number, const char *s, const char *e) {
    if (number == 0 && search->capture_count == 0) return (span){s, e - s};
    if (number < 0 || number >= search->capture_count) luaL_error(search->L, "invalid capture index %%%d", number + 1);
    if (search->captures[number].length == CLUA_OPEN) luaL_error(search->L, "unfinished capture");
    return search->captures[number];
}

static void push_capture(const search *search, int number, const char *s, const char *e) {
    span span = capture(search, number, s, e);
    if (span.length == CLUA_POSITION) lua_pushinteger(search->L, span.begin - search->begin + 1);
    else lua_pushlstring(search->L, span.begin, (size_t)span.length);
}

// Pushes all captures; without any, the whole match, if `whole` is set.
static int push_captures(const search *search, const char *s, const char *e, int whole) {
    int number = search->capture_count == 0 && whole ? 1 : search->capture_count;
    luaL_checkstack(search->L, number, "too many captures");
    for (int i = 0; i < number; i++) push_capture(search, i, s, e);
    return number;
}

// MARK: The functions

// The argument `init` as an offset: counted from the end if it is negative, and not before the beginning.
static size_t start_offset(lua_State *L, size_t length) {
    lua_Integer place = luaL_optinteger(L, 3, 1);
    if (place > 0) return (size_t)place - 1;
    if (place == 0 || place < -(lua_Integer)length) return 0;
    return length + (size_t)place;
}

static int has_specials(const char *p, size_t length) {
    for (size_t i = 0; i < length; i++)
        if (memchr("^$*+?.([%-", p[i], 10) != NULL) return 1;
    return 0;
}

static int find_or_match(lua_State *L, int finds) {
    size_t length, pattern_length;
    const char *text = luaL_checklstring(L, 1, &length), *p = luaL_checklstring(L, 2, &pattern_length);
    size_t offset = start_offset(L, length);
    if (offset > length) {
        luaL_pushfail(L);
        return 1;
    }
    const char *s = text + offset;
    if (finds && (lua_toboolean(L, 4) || !has_specials(p, pattern_length))) {
        // Linear in both lengths, for any contents.
        const char *found = memmem(s, length - offset, p, pattern_length);
        if (found == NULL) {
            luaL_pushfail(L);
            return 1;
        }
        lua_pushinteger(L, found - text + 1);
        lua_pushinteger(L, found - text + (lua_Integer)pattern_length);
        return 2;
    }
    int is_anchored = pattern_length > 0 && *p == '^';
    search search;
    clua_search_room room;
    clua_begin_search(&search, &room, L, text, length, p + is_anchored, pattern_length - (size_t)is_anchored);
    const char *end = clua_match_from(&search, &s, is_anchored);
    if (end == NULL) {
        luaL_pushfail(L);
        return 1;
    }
    if (!finds) return push_captures(&search, s, end, 1);
    lua_pushinteger(L, s - text + 1);
    lua_pushinteger(L, end - text);
    return push_captures(&search, s, end, 0) + 2;
}

int clua_string_find(lua_State *L) { return find_or_match(L, 1); }

int clua_string_match(lua_State *L) { return find_or_match(L, 0); }

/// The state with which `gmatch` continues.
typedef struct {
    const char *next, *last_end;
    search search;
    clua_search_room room;
} iteration;

// Upvalues: text, pattern, iteration, memory of the search.
static int next_match(lua_State *L) {
    iteration *iteration = lua_touserdata(L, lua_upvalueindex(3));
    search *search = &iteration->search;
    search->L = L;
    search->all_steps = 0;
    const char *s = iteration->next, *end;
    // An empty match at the end of the last one would repeat it.
    while ((end = clua_match_from(search, &s, 0)) != NULL && end == iteration->last_end) s++;
    if (end == NULL) {
        iteration->next = search->end + 1;
        return 0;
    }
    iteration->next = iteration->last_end = end;
    return push_captures(search, s, end, 1);
}

int clua_string_gmatch(lua_State *L) {
    size_t length, pattern_length;
    const char *text = luaL_checklstring(L, 1, &length), *p = luaL_checklstring(L, 2, &pattern_length);
    size_t offset = start_offset(L, length);
    lua_settop(L, 2);
    iteration *iteration = lua_newuserdatauv(L, sizeof *iteration, 0);
    clua_begin_search(&iteration->search, &iteration->room, L, text, length, p, pattern_length);
    iteration->next = text + (offset > length ? length + 1 : offset);
    iteration->last_end = NULL;
    lua_pushcclosure(L, next_match, lua_gettop(L));
    return 1;
}

// Adds the third argument, with its `%0` to `%9` filled in.
static void add_template(const search *search, luaL_Buffer *buffer, const char *s, const char *e) {
    size_t length;
    const char *text = lua_tolstring(search->L, 3, &length), *end = text + length;
    while (text < end) {
        const char *escape = memchr(text, ESCAPE, (size_t)(end - text));
        if (escape == NULL) escape = end;
        luaL_addlstring(buffer, text, (size_t)(escape - text));
        if (escape == end) return;
        char what = escape + 1 < end ? escape[1] : 0;
        if (what == ESCAPE) {
            luaL_addchar(buffer, ESCAPE);
        } else if (what == '0') {
            luaL_addlstring(buffer, s, (size_t)(e - s));
        } else if (what >= '1' && what <= '9') {
            span span = capture(search, what - '1', s, e);
            if (span.length == CLUA_POSITION) {
                lua_pushinteger(search->L, span.begin - search->begin + 1);
                luaL_addvalue(buffer);
            } else {
                luaL_addlstring(buffer, span.begin, (size_t)span.length);
            }
        } else {
            luaL_error(search->L, "invalid use of '%c' in replacement string", ESCAPE);
        }
        text = escape + 2;
    }
}

// Adds the replacement of a match, or the match itself. Returns whether there is a replacement.
static int add_replacement(const search *search, luaL_Buffer *buffer, const char *s, const char *e, int kind) {
    lua_State *L = search->L;
    switch (kind) {
    case LUA_TFUNCTION:
        lua_pushvalue(L, 3);
        lua_call(L, push_captures(search, s, e, 1), 1);
        break;
    case LUA_TTABLE:
        push_capture(search, 0, s, e);
        lua_gettable(L, 3);
        break;
    default:
        add_template(search, buffer, s, e);
        return 1;
    }
    if (!lua_toboolean(L, -1)) {
        lua_pop(L, 1);
        luaL_addlstring(buffer, s, (size_t)(e - s));
        return 0;
    }
    if (!lua_isstring(L, -1)) luaL_error(L, "invalid replacement value (a %s)", luaL_typename(L, -1));
    luaL_addvalue(buffer);
    return 1;
}

int clua_string_gsub(lua_State *L) {
    size_t length, pattern_length;
    const char *text = luaL_checklstring(L, 1, &length), *p = luaL_checklstring(L, 2, &pattern_length);
    int kind = lua_type(L, 3), has_changed = 0;
    lua_Integer most = luaL_optinteger(L, 4, (lua_Integer)length + 1), times = 0;
    int can_replace = kind == LUA_TNUMBER || kind == LUA_TSTRING || kind == LUA_TFUNCTION || kind == LUA_TTABLE;
    luaL_argexpected(L, can_replace, 3, "string/function/table");
    int is_anchored = pattern_length > 0 && *p == '^';
    search search;
    clua_search_room room;
    clua_begin_search(&search, &room, L, text, length, p + is_anchored, pattern_length - (size_t)is_anchored);
    luaL_Buffer buffer;
    luaL_buffinit(L, &buffer);
    const char *copied = text, *s = text, *last_end = NULL;
    while (times < most && s <= search.end) {
        const char *end = clua_match_from(&search, &s, is_anchored);
        if (end == NULL) break;
        if (end == last_end) {
            s++;
        } else {
            luaL_addlstring(&buffer, copied, (size_t)(s - copied));
            times++;
            has_changed |= add_replacement(&search, &buffer, s, end, kind);
            copied = s = last_end = end;
        }
        if (is_anchored) break;
    }
    if (has_changed) {
        luaL_addlstring(&buffer, copied, (size_t)(search.end - copied));
        luaL_pushresult(&buffer);
    } else {
        lua_pushvalue(L, 1);
    }
    lua_pushinteger(L, times);
    return 2;
}

CLUA_END_JUMPED_OVER
