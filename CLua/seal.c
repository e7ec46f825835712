// A universe that runs one function after the other. No function sees traces of another one: each gets a table of
// globals of its own. Libraries are copied into it when they are first used. A function that changes anything outside
// of this table taints the universe.
#include "internal.h"

#include <string.h>

static const char sealed_key = 0, globals_metatable_key = 0;

// Libraries with a state of their own, in the registry or outside their tables.
static int leaves_traces(const char *name) {
    return strcmp(name, LUA_IOLIBNAME) == 0 || strcmp(name, LUA_DBLIBNAME) == 0
        || strcmp(name, LUA_LOADLIBNAME) == 0 || strcmp(name, "require") == 0;
}

// Pushes a copy of the library on top, or the value itself. [-1, +1, m]
static void copy_library(lua_State *L, const char *name) {
    if (leaves_traces(name)) clua_of(L)->is_tainted = 1;
    // `require` uses `package` itself, not a copy of it.
    if (lua_type(L, -1) != LUA_TTABLE || strcmp(name, LUA_LOADLIBNAME) == 0) return;
    lua_newtable(L);
    lua_pushnil(L);
    while (lua_next(L, -3)) {
        lua_pushvalue(L, -2);
        lua_insert(L, -2);
        lua_rawset(L, -4);
    }
    lua_remove(L, -2);
}

// `__index` of globals. Upvalues: 1 sealed globals, 2 names that are refused.
static int read_global(lua_State *L) {
    // With the library `debug` a script can call it with anything.
    luaL_checktype(L, 1, LUA_TTABLE);
    lua_settop(L, 2);
    if (lua_type(L, 2) != LUA_TSTRING) return 0;
    const char *name = lua_tostring(L, 2);
    if (strcmp(name, LUA_GNAME) == 0) {
        lua_pushvalue(L, 1);
    } else {
        lua_pushvalue(L, 2);
        if (lua_rawget(L, lua_upvalueindex(1)) == LUA_TNIL) {
            lua_pushvalue(L, 2);
            if (lua_rawget(L, lua_upvalueindex(2)) == LUA_TNIL) return 0;
            return luaL_error(L, "'%s' is not there inside an isolate, which schedules nothing: it gets arguments and "
                "returns results", name);
        }
        copy_library(L, name);
    }
    lua_pushvalue(L, 2);
    lua_pushvalue(L, -2);
    lua_rawset(L, 1);
    return 1;
}

// `__pairs` of globals: all of them.
static int list_globals(lua_State *L) {
    lua_settop(L, 1);
    lua_pushnil(L);
    while (lua_next(L, lua_upvalueindex(1))) {
        lua_settop(L, -2);
        lua_pushvalue(L, -1);
        lua_gettable(L, 1);
        lua_settop(L, -2);
    }
    lua_getfield(L, 1, LUA_GNAME);
    lua_getfield(L, 1, "next");
    lua_pushvalue(L, 1);
    lua_pushnil(L);
    return 3;
}

// Calls the stock function, which is the upvalue, with all arguments.
static int call_stock(lua_State *L) {
    lua_pushvalue(L, lua_upvalueindex(1));
    lua_insert(L, 1);
    lua_call(L, lua_gettop(L) - 1, LUA_MULTRET);
    return lua_gettop(L);
}

// The next function must not see the numbers that follow this seed.
static int randomseed(lua_State *L) {
    clua_of(L)->is_tainted = 1;
    return call_stock(L);
}

// Finalizers run later, maybe while another function runs.
static int setmetatable(lua_State *L) {
    if (lua_type(L, 2) == LUA_TTABLE) {
        lua_pushliteral(L, "__gc");
        if (lua_rawget(L, 2) != LUA_TNIL) clua_of(L)->is_tainted = 1;
        lua_settop(L, -2);
    }
    return call_stock(L);
}

static int refuse_exit(lua_State *L) {
    return luaL_error(L, "os.exit cannot be called inside an isolate: return, or raise an error");
}

// Wraps a function of the table at an index.
static void wrap(lua_State *L, int table, const char *name, lua_CFunction function) {
    if (lua_getfield(L, table, name) == LUA_TFUNCTION) {
        lua_pushcclosure(L, function, 1);
        lua_setfield(L, table, name);
    } else {
        lua_settop(L, -2);
    }
}

// 1: names that are refused.
static int seal(lua_State *L) {
    lua_rawgeti(L, LUA_REGISTRYINDEX, LUA_RIDX_GLOBALS);
    lua_pushnil(L);
    lua_setfield(L, 2, LUA_GNAME);
    wrap(L, 2, "setmetatable", setmetatable);
    if (lua_getfield(L, 2, LUA_MATHLIBNAME) == LUA_TTABLE) wrap(L, 3, "randomseed", randomseed);
    lua_settop(L, 2);
    if (lua_getfield(L, 2, LUA_OSLIBNAME) == LUA_TTABLE && lua_getfield(L, 3, "exit") == LUA_TFUNCTION) {
        lua_pushcfunction(L, refuse_exit);
        lua_setfield(L, 3, "exit");
    }
    lua_settop(L, 2);
    // Strings share one metatable, whose `__index` is the library itself.
    lua_pushliteral(L, "");
    if (lua_getmetatable(L, -1)) {
        lua_pushliteral(L, "string");
        lua_setfield(L, -2, "__metatable");
    }
    lua_settop(L, 2);
    clua_of(L)->restricts_collector = 1;
    lua_newtable(L);
    lua_pushvalue(L, 2);
    lua_pushvalue(L, 1);
    lua_pushcclosure(L, read_global, 2);
    lua_setfield(L, -2, "__index");
    lua_pushvalue(L, 2);
    lua_pushcclosure(L, list_globals, 1);
    lua_setfield(L, -2, "__pairs");
    lua_pushboolean(L, 0);
    lua_setfield(L, -2, "__metatable");
    lua_rawsetp(L, LUA_REGISTRYINDEX, &globals_metatable_key);
    lua_rawsetp(L, LUA_REGISTRYINDEX, &sealed_key);
    return 0;
}

int clua_seal(lua_State *L, int refused) {
    lua_pushvalue(L, refused);
    lua_pushcfunction(L, seal);
    lua_insert(L, -2);
    return lua_pcallk(L, 1, 0, 0, 0, NULL);
}

void clua_push_fresh_globals(lua_State *L) {
    lua_checkstack(L, 4);
    lua_newtable(L);
    lua_rawgetp(L, LUA_REGISTRYINDEX, &globals_metatable_key);
    lua_setmetatable(L, -2);
    lua_pushvalue(L, -1);
    lua_rawseti(L, LUA_REGISTRYINDEX, LUA_RIDX_GLOBALS);
}

void clua_push_library_value(lua_State *L, const char *name) {
    lua_checkstack(L, 6);
    const char *dot = strchr(name, '.');
    if (dot != NULL) {
        // Copies of a library hold the same functions.
        lua_rawgetp(L, LUA_REGISTRYINDEX, &sealed_key);
        lua_pushlstring(L, name, (size_t)(dot - name));
        if (leaves_traces(lua_tostring(L, -1))) clua_of(L)->is_tainted = 1;
        lua_rawget(L, -2);
        if (lua_type(L, -1) == LUA_TTABLE) {
            lua_pushstring(L, dot + 1);
            lua_rawget(L, -2);
        } else {
            lua_pushnil(L);
        }
        lua_replace(L, -3);
        lua_settop(L, -2);
        return;
    }
    // A library is one table, the same as in the globals.
    lua_rawgeti(L, LUA_REGISTRYINDEX, LUA_RIDX_GLOBALS);
    lua_pushstring(L, name);
    if (lua_rawget(L, -2) == LUA_TNIL) {
        lua_settop(L, -2);
        lua_rawgetp(L, LUA_REGISTRYINDEX, &sealed_key);
        lua_pushstring(L, name);
        lua_rawget(L, -2);
        lua_replace(L, -2);
        copy_library(L, name);
        lua_pushstring(L, name);
        lua_pushvalue(L, -2);
        lua_rawset(L, -4);
    }
    lua_replace(L, -2);
}

CLUA_END_JUMPED_OVER
