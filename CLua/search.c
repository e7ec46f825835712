// `string.find`, `match`, `gmatch` and `gsub` for universes with limits: as the stock ones, over a matcher that can be stopped.
//
// As in patterns.c, order of trials and messages are those of lstrlib.c of Lua 5.4 (Copyright 1994-2022 Lua.org, PUC-Rio, MIT
// licence).
#include "patterns.h"

#include <ctype.h>
#include <string.h>

enum { ESCAPE = '%' };

typedef clua_search search;

// MARK: captures

// The bytes of a capture, or, for a position, its number on the stack. [-0, +0 | 1, e]
static ptrdiff_t capture(search *ms, int number, const char *s, const char *e, const char **bytes) {
    if (number >= ms->level) {
        if (number != 0) luaL_error(ms->L, "invalid capture index %%%d", number + 1);
        *bytes = s;
        return e - s;
    }
    ptrdiff_t length = ms->captures[number].length;
    *bytes = ms->captures[number].begin;
    if (length == CLUA_UNFINISHED) luaL_error(ms->L, "unfinished capture");
    if (length == CLUA_POSITION) lua_pushinteger(ms->L, *bytes - ms->begin + 1);
    return length;
}

static void push_capture(search *ms, int number, const char *s, const char *e) {
    const char *bytes;
    ptrdiff_t length = capture(ms, number, s, e, &bytes);
    if (length != CLUA_POSITION) lua_pushlstring(ms->L, bytes, (size_t)length);
}

// All captures, or the whole match where there are none and `s` is not NULL.
static int push_captures(search *ms, const char *s, const char *e) {
    int count = ms->level == 0 && s != NULL ? 1 : ms->level;
    luaL_checkstack(ms->L, count, "too many captures");
    for (int i = 0; i < count; i++) push_capture(ms, i, s, e);
    return count;
}

// MARK: functions

static size_t start_offset(lua_State *L, size_t length) {
    lua_Integer place = luaL_optinteger(L, 3, 1);
    if (place > 0) return (size_t)place - 1;
    if (place == 0 || place < -(lua_Integer)length) return 0;
    return length + (size_t)place;
}

static int is_plain(const char *p, size_t length) {
    for (size_t i = 0; i < length; i++)
        if (p[i] != 0 && strchr("^$*+?.([%-", p[i]) != NULL) return 0;
    return 1;
}

static const char *find_plain(search *ms, const char *s, const char *p, size_t length) {
    if (length == 0) return s;
    while ((size_t)(ms->end - s) >= length) {
        const char *first = memchr(s, *p, (size_t)(ms->end - s) - length + 1);
        if (first == NULL) return NULL;
        clua_count_steps(ms, 1 + (first - s + (ptrdiff_t)length) / 16);
        if (memcmp(first, p, length) == 0) return first;
        s = first + 1;
    }
    return NULL;
}

static int find_or_match(lua_State *L, int finds) {
    size_t length, pattern_length;
    const char *text = luaL_checklstring(L, 1, &length), *p = luaL_checklstring(L, 2, &pattern_length);
    size_t offset = start_offset(L, length);
    if (offset > length) {
        luaL_pushfail(L);
        return 1;
    }
    search ms;
    if (finds && (lua_toboolean(L, 4) || is_plain(p, pattern_length))) {
        clua_begin_search(&ms, L, text, length, p, pattern_length);
        const char *found = find_plain(&ms, text + offset, p, pattern_length);
        if (found != NULL) {
            lua_pushinteger(L, found - text + 1);
            lua_pushinteger(L, found - text + (lua_Integer)pattern_length);
            return 2;
        }
        luaL_pushfail(L);
        return 1;
    }
    int is_anchored = *p == '^';
    clua_begin_search(&ms, L, text, length, p, pattern_length);
    if (is_anchored) p++;
    const char *s = text + offset;
    do {
        const char *e = clua_match_at(&ms, s, p);
        if (e == NULL) continue;
        if (!finds) return push_captures(&ms, s, e);
        lua_pushinteger(L, s - text + 1);
        lua_pushinteger(L, e - text);
        return push_captures(&ms, NULL, NULL) + 2;
    } while (s++ < ms.end && !is_anchored);
    luaL_pushfail(L);
    return 1;
}

int clua_string_find(lua_State *L) { return find_or_match(L, 1); }

int clua_string_match(lua_State *L) { return find_or_match(L, 0); }

typedef struct {
    const char *s, *p, *last;
    search ms;
} iteration;

// Upvalues: text, pattern, iteration.
static int next_match(lua_State *L) {
    iteration *it = lua_touserdata(L, lua_upvalueindex(3));
    it->ms.L = L;
    it->ms.all_steps = 0;
    for (const char *s = it->s; s <= it->ms.end; s++) {
        const char *e = clua_match_at(&it->ms, s, it->p);
        if (e == NULL || e == it->last) continue;
        it->s = it->last = e;
        return push_captures(&it->ms, s, e);
    }
    return 0;
}

int clua_string_gmatch(lua_State *L) {
    size_t length, pattern_length;
    const char *text = luaL_checklstring(L, 1, &length), *p = luaL_checklstring(L, 2, &pattern_length);
    size_t offset = start_offset(L, length);
    lua_settop(L, 2);
    iteration *it = lua_newuserdatauv(L, sizeof(iteration), 0);
    clua_begin_search(&it->ms, L, text, length, p, pattern_length);
    it->s = text + (offset > length ? length + 1 : offset);
    it->p = p;
    it->last = NULL;
    lua_pushcclosure(L, next_match, 3);
    return 1;
}

static void add_template(search *ms, luaL_Buffer *buffer, const char *s, const char *e) {
    size_t length;
    const char *text = lua_tolstring(ms->L, 3, &length), *escape;
    while ((escape = memchr(text, ESCAPE, length)) != NULL) {
        luaL_addlstring(buffer, text, (size_t)(escape - text));
        const char *p = escape + 1;
        if (*p == ESCAPE) {
            luaL_addchar(buffer, *p);
        } else if (*p == '0') {
            luaL_addlstring(buffer, s, (size_t)(e - s));
        } else if (isdigit((unsigned char)*p)) {
            const char *bytes;
            ptrdiff_t count = capture(ms, *p - '1', s, e, &bytes);
            if (count == CLUA_POSITION) luaL_addvalue(buffer);
            else luaL_addlstring(buffer, bytes, (size_t)count);
        } else {
            luaL_error(ms->L, "invalid use of '%c' in replacement string", ESCAPE);
        }
        length -= (size_t)(p + 1 - text);
        text = p + 1;
    }
    luaL_addlstring(buffer, text, length);
}

// Adds what stands for a match; whether that is something else than the match.
static int add_replacement(search *ms, luaL_Buffer *buffer, const char *s, const char *e, int kind) {
    lua_State *L = ms->L;
    if (kind == LUA_TFUNCTION) {
        lua_pushvalue(L, 3);
        lua_call(L, push_captures(ms, s, e), 1);
    } else if (kind == LUA_TTABLE) {
        push_capture(ms, 0, s, e);
        lua_gettable(L, 3);
    } else {
        add_template(ms, buffer, s, e);
        return 1;
    }
    if (!lua_toboolean(L, -1)) {
        lua_settop(L, -2);
        luaL_addlstring(buffer, s, (size_t)(e - s));
        return 0;
    }
    if (!lua_isstring(L, -1)) return luaL_error(L, "invalid replacement value (a %s)", luaL_typename(L, -1));
    luaL_addvalue(buffer);
    return 1;
}

int clua_string_gsub(lua_State *L) {
    size_t length, pattern_length;
    const char *s = luaL_checklstring(L, 1, &length), *p = luaL_checklstring(L, 2, &pattern_length);
    const char *last = NULL;
    int kind = lua_type(L, 3), has_changed = 0;
    lua_Integer most = luaL_optinteger(L, 4, (lua_Integer)length + 1), times = 0;
    luaL_argexpected(L, kind == LUA_TNUMBER || kind == LUA_TSTRING || kind == LUA_TFUNCTION || kind == LUA_TTABLE, 3,
        "string/function/table");
    search ms;
    clua_begin_search(&ms, L, s, length, p, pattern_length);
    int is_anchored = *p == '^';
    if (is_anchored) p++;
    luaL_Buffer buffer;
    luaL_buffinit(L, &buffer);
    while (times < most) {
        const char *e = clua_match_at(&ms, s, p);
        if (e != NULL && e != last) {
            times++;
            has_changed |= add_replacement(&ms, &buffer, s, e, kind);
            s = last = e;
        } else if (s < ms.end) {
            luaL_addchar(&buffer, *s++);
        } else {
            break;
        }
        if (is_anchored) break;
    }
    if (has_changed) {
        luaL_addlstring(&buffer, s, (size_t)(ms.end - s));
        luaL_pushresult(&buffer);
    } else {
        lua_pushvalue(L, 1);
    }
    lua_pushinteger(L, times);
    return 2;
}

CLUA_END_JUMPED_OVER
