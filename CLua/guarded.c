// Protected forms of functions that can raise, for calls from Swift.
#include "internal.h"

#include <string.h>

// Calls the function below `arguments` values; Lua may run. [-(arguments + 1), +results | 1, -]
static int run(lua_State *L, int arguments, int results, int handler) {
    clua_context *context = clua_of(L);
    clua_slice slice;
    clua_begin_slice(context, &slice, L, context->can_wait);
    int status = lua_pcallk(L, arguments, results, handler, 0, NULL);
    if (status == LUA_ERRMEM) clua_memory_refused(L, L);
    clua_end_slice(context, &slice);
    return status;
}

static int no_room(lua_State *L, int operands) {
    lua_settop(L, -operands - 1);
    lua_pushliteral(L, "stack overflow");
    return LUA_ERRRUN;
}

int clua_call(lua_State *L, int arguments, int results) {
    if (!lua_checkstack(L, 4)) return no_room(L, arguments + 1);
    clua_context *context = clua_of(L);
    int handler = lua_gettop(L) - arguments;
    lua_pushcfunction(L, clua_recorder);
    lua_insert(L, handler);
    uint8_t unwinding = context->unwinding;
    int status = run(L, arguments, results, handler);
    if (status != LUA_OK) {
        context->frames_mode = CLUA_FRAMES_REPLACE;
        // The error now belongs to the host, which may or may not raise it again.
        context->unwinding = unwinding;
    }
    lua_rotate(L, handler, -1);
    lua_settop(L, -2);
    return status;
}

int clua_load(lua_State *L, const char *bytes, size_t count, const char *name) {
    clua_context *context = clua_of(L);
    if (!lua_checkstack(L, 4)) return no_room(L, 0);
    if (bytes == NULL) bytes = "";
    if (count >= 3 && memcmp(bytes, "\xEF\xBB\xBF", 3) == 0) {
        bytes += 3;
        count -= 3;
    }
    if (count > 0 && bytes[0] == '#') {
        // The line end stays, so that lines keep their numbers.
        const char *end = memchr(bytes, '\n', count);
        count -= end ? (size_t)(end - bytes) : count;
        bytes = end ? end : bytes;
        // Except in front of a binary chunk, which has none.
        if (count > 1 && bytes[1] == LUA_SIGNATURE[0]) {
            bytes++;
            count--;
        }
    }
    if (count > 0 && bytes[0] == LUA_SIGNATURE[0] && !context->loads_binary) {
        // The name as messages show it, without the mark in front.
        lua_pushfstring(L, "%s: a binary chunk is refused; give the source text",
            *name == '@' || *name == '=' ? name + 1 : name);
        return LUA_ERRSYNTAX;
    }
    clua_slice slice;
    clua_begin_slice(context, &slice, L, 0);
    int status = luaL_loadbufferx(L, bytes, count, name, context->loads_binary ? "bt" : "t");
    clua_end_slice(context, &slice);
    return status;
}

static int get(lua_State *L) {
    lua_gettable(L, 1);
    return 1;
}

static int set(lua_State *L) {
    lua_settable(L, 1);
    return 0;
}

static int raw_set(lua_State *L) {
    luaL_checktype(L, 1, LUA_TTABLE);
    lua_rawset(L, 1);
    return 0;
}

static int next(lua_State *L) {
    luaL_checktype(L, 1, LUA_TTABLE);
    if (lua_next(L, 1)) return 2;
    lua_pushnil(L);
    lua_pushnil(L);
    return 2;
}

static int compare(lua_State *L) {
    lua_pushboolean(L, lua_compare(L, 1, 2, (int)lua_tointegerx(L, 3, NULL)));
    return 1;
}

static int concat(lua_State *L) {
    lua_concat(L, lua_gettop(L));
    return 1;
}

static int describe(lua_State *L) {
    luaL_tolstring(L, 1, NULL);
    return 1;
}

static int length(lua_State *L) {
    lua_pushinteger(L, luaL_len(L, 1));
    return 1;
}

static int is_plain_table(lua_State *L, int index) {
    if (lua_type(L, index) != LUA_TTABLE) return 0;
    if (!lua_getmetatable(L, index)) return 1;
    lua_settop(L, -2);
    return 0;
}

static int is_key(lua_State *L, int index) {
    switch (lua_type(L, index)) {
    case LUA_TNIL: return 0;
    case LUA_TNUMBER: {
        lua_Number value = lua_tonumberx(L, index, NULL);
        return value == value;
    }
    default: return 1;
    }
}

int clua_get(lua_State *L, int index) {
    if (is_plain_table(L, index)) {
        lua_rawget(L, index);
        return LUA_OK;
    }
    if (!lua_checkstack(L, 4)) return no_room(L, 1);
    index = lua_absindex(L, index);
    lua_pushcfunction(L, get);
    lua_pushvalue(L, index);
    lua_rotate(L, -3, 2);
    return run(L, 2, 1, 0);
}

int clua_get_field(lua_State *L, int index, const char *name, size_t count) {
    index = lua_absindex(L, index);
    if (!lua_checkstack(L, 4)) return no_room(L, 0);
    lua_pushlstring(L, name, count);
    return clua_get(L, index);
}

int clua_set(lua_State *L, int index) {
    if (is_plain_table(L, index) && is_key(L, -2)) {
        lua_rawset(L, index);
        return LUA_OK;
    }
    if (!lua_checkstack(L, 4)) return no_room(L, 2);
    index = lua_absindex(L, index);
    lua_pushcfunction(L, set);
    lua_pushvalue(L, index);
    lua_rotate(L, -4, 2);
    return run(L, 3, 0, 0);
}

int clua_set_field(lua_State *L, int index, const char *name, size_t count) {
    index = lua_absindex(L, index);
    if (!lua_checkstack(L, 4)) return no_room(L, 1);
    lua_pushlstring(L, name, count);
    lua_insert(L, -2);
    return clua_set(L, index);
}

int clua_raw_set(lua_State *L, int index) {
    if (lua_type(L, index) == LUA_TTABLE && is_key(L, -2)) {
        lua_rawset(L, index);
        return LUA_OK;
    }
    if (!lua_checkstack(L, 4)) return no_room(L, 2);
    index = lua_absindex(L, index);
    lua_pushcfunction(L, raw_set);
    lua_pushvalue(L, index);
    lua_rotate(L, -4, 2);
    return run(L, 3, 0, 0);
}

int clua_next(lua_State *L, int index, int *more) {
    *more = 0;
    if (!lua_checkstack(L, 4)) return no_room(L, 1);
    index = lua_absindex(L, index);
    lua_pushcfunction(L, next);
    lua_pushvalue(L, index);
    lua_rotate(L, -3, 2);
    int status = run(L, 2, 2, 0);
    if (status != LUA_OK) return status;
    *more = lua_type(L, -2) != LUA_TNIL;
    if (!*more) lua_settop(L, -3);
    return LUA_OK;
}

int clua_next_unprotected(lua_State *L, int index) {
    index = lua_absindex(L, index);
    if (lua_type(L, -1) != LUA_TNIL) {
        lua_pushvalue(L, -1);
        int is_gone = lua_rawget(L, index) == LUA_TNIL;
        lua_settop(L, -2);
        if (is_gone) {
            lua_settop(L, -2);
            return -1;
        }
    }
    return lua_next(L, index);
}

int clua_compare(lua_State *L, int first, int second, int operation, int *result) {
    if (!lua_checkstack(L, 5)) return no_room(L, 0);
    first = lua_absindex(L, first);
    second = lua_absindex(L, second);
    lua_pushcfunction(L, compare);
    lua_pushvalue(L, first);
    lua_pushvalue(L, second);
    lua_pushinteger(L, operation);
    int status = run(L, 3, 1, 0);
    if (status != LUA_OK) return status;
    *result = lua_toboolean(L, -1);
    lua_settop(L, -2);
    return LUA_OK;
}

int clua_concat(lua_State *L, int count) {
    if (!lua_checkstack(L, 4)) return no_room(L, count);
    lua_pushcfunction(L, concat);
    lua_insert(L, -count - 1);
    return run(L, count, 1, 0);
}

int clua_describe(lua_State *L, int index) {
    if (!lua_checkstack(L, 4)) return no_room(L, 0);
    index = lua_absindex(L, index);
    lua_pushcfunction(L, describe);
    lua_pushvalue(L, index);
    return run(L, 1, 1, 0);
}

int clua_length(lua_State *L, int index, lua_Integer *result) {
    if (!lua_checkstack(L, 4)) return no_room(L, 0);
    index = lua_absindex(L, index);
    lua_pushcfunction(L, length);
    lua_pushvalue(L, index);
    int status = run(L, 1, 1, 0);
    if (status != LUA_OK) return status;
    *result = lua_tointegerx(L, -1, NULL);
    lua_settop(L, -2);
    return LUA_OK;
}

// MARK: texts of errors; nothing here can raise at host depth >= 1

void clua_push_where(lua_State *L, int level) { luaL_where(L, level); }

void clua_push_caller_of_own_code(lua_State *L) {
    lua_Debug ar;
    int level = 1;
    for (; lua_getstack(L, level, &ar); level++) {
        lua_getinfo(L, "S", &ar);
        if (!clua_is_own_chunk(ar.source)) break;
    }
    luaL_where(L, level);
}

// [-0, +0 | 1, m] Pushes the name under which the table at `table` holds the function at `function`, or a value that
// calls this function when called; also searches tables in that table, down to `depth`.
static int push_name(lua_State *L, int table, int function, int depth) {
    for (lua_pushnil(L); lua_next(L, table); lua_pop(L, 1)) {
        if (lua_type(L, -2) != LUA_TSTRING) continue;
        int found = lua_rawequal(L, -1, function);
        if (!found && luaL_getmetafield(L, -1, "__call") != LUA_TNIL) {
            found = lua_rawequal(L, -1, function);
            lua_pop(L, 1);
        }
        if (found) {
            lua_pop(L, 1);
            return 1;
        }
        if (depth > 1 && lua_type(L, -1) == LUA_TTABLE && push_name(L, lua_gettop(L), function, depth - 1)) {
            lua_pushfstring(L, "%s.%s", lua_tostring(L, -3), lua_tostring(L, -1));
            lua_replace(L, -4);
            lua_pop(L, 2);
            return 1;
        }
    }
    return 0;
}

// [-0, +1, m] The name of a host function that was called without a name, as in `pcall(sleep, "x")`.
static const char *push_global_name(lua_State *L, lua_Debug *ar) {
    int top = lua_gettop(L);
    lua_getinfo(L, "f", ar);
    if (lua_getfield(L, LUA_REGISTRYINDEX, LUA_LOADED_TABLE) == LUA_TTABLE) {
        lua_pushliteral(L, "opscript");
        if (lua_rawget(L, -2) == LUA_TTABLE && push_name(L, lua_gettop(L), top + 1, 2)) {
            lua_replace(L, top + 1);
            lua_settop(L, top + 1);
            return lua_tostring(L, -1);
        }
    }
    lua_settop(L, top);
    lua_pushliteral(L, "?");
    return "?";
}

void clua_push_argument_error(lua_State *L, int argument, const char *text, size_t count) {
    lua_Debug ar;
    lua_checkstack(L, 16);
    luaL_where(L, 1);
    int base = lua_gettop(L);
    const char *name = "?";
    int is_self = 0;
    if (lua_getstack(L, 0, &ar)) {
        lua_getinfo(L, "n", &ar);
        name = ar.name != NULL ? ar.name : push_global_name(L, &ar);
        if (strcmp(ar.namewhat, "method") == 0 && --argument == 0) is_self = 1;
    }
    if (is_self) lua_pushfstring(L, "calling '%s' on bad self (", name);
    else lua_pushfstring(L, "bad argument #%d to '%s' (", argument, name);
    if (lua_gettop(L) > base + 1) {
        lua_replace(L, base + 1);
        lua_settop(L, base + 1);
    }
    lua_pushlstring(L, text, count);
    lua_pushliteral(L, ")");
    lua_concat(L, 4);
}

CLUA_END_JUMPED_OVER
