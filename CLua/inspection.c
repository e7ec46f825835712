// The library `debug`, limited where it could reach the host's values in Lua: addresses of functions in upvalues
// and on the stack, the registry, metatables and user values of its objects. A script can inspect and change
// everything of its own.
#include "internal.h"

#include <stdatomic.h>
#include <string.h>

// The same in each universe.
static _Atomic lua_CFunction traceback;

int clua_is_traceback(lua_State *L, int index) {
    lua_CFunction function = lua_tocfunction(L, index);
    return function != NULL && function == atomic_load_explicit(&traceback, memory_order_relaxed);
}

static int call_stock(lua_State *L) {
    return ((lua_CFunction)lua_touserdata(L, lua_upvalueindex(1)))(L);
}

static int is_host_source(const lua_Debug *ar) {
    return strcmp(ar->what, "C") == 0 || clua_is_own_chunk(ar->source);
}

static int is_host_function(lua_State *L, int index) {
    if (lua_type(L, index) != LUA_TFUNCTION) return 0;
    lua_Debug ar;
    lua_pushvalue(L, index);
    lua_getinfo(L, ">S", &ar);
    return is_host_source(&ar);
}

// Whether the value at an index has a metatable of the host; if so, pushes its `__metatable`. [-0, +1 or 0, m]
static int push_protection(lua_State *L, int index) {
    luaL_checkstack(L, 3, NULL);
    if (!lua_getmetatable(L, index)) return 0;
    int top = lua_gettop(L);
    lua_pushliteral(L, "__metatable");
    int is_protected = lua_rawget(L, top) != LUA_TNIL;
    if (is_protected && lua_type(L, index) != LUA_TUSERDATA) {
        // A script may protect tables of its own.
        lua_pushliteral(L, "__index");
        lua_rawget(L, top);
        is_protected = clua_calls_host(lua_tocfunction(L, -1));
        lua_settop(L, top + 1);
    }
    if (is_protected) {
        lua_replace(L, top);
        return 1;
    }
    lua_settop(L, top - 1);
    return 0;
}

static int getregistry(lua_State *L) {
    return luaL_error(L, "debug.getregistry is not there: what it gives belongs to the host");
}

static int getmetatable(lua_State *L) {
    luaL_checkany(L, 1);
    return push_protection(L, 1) ? 1 : call_stock(L);
}

static int setmetatable(lua_State *L) {
    luaL_checkany(L, 1);
    luaL_argcheck(L, !push_protection(L, 1), 1, "its metatable belongs to the host");
    return call_stock(L);
}

// As for a userdata without user values.
static int getuservalue(lua_State *L) {
    luaL_checkany(L, 1);
    luaL_pushfail(L);
    return 1;
}

static int setuservalue(lua_State *L) {
    luaL_checktype(L, 1, LUA_TUSERDATA);
    luaL_checkany(L, 2);
    luaL_pushfail(L);
    return 1;
}

// As for a function without upvalues.
static int upvalue(lua_State *L) {
    return is_host_function(L, 1) ? 0 : call_stock(L);
}

static int upvaluejoin(lua_State *L) {
    luaL_argcheck(L, !is_host_function(L, 1), 1, "Lua function of a script expected");
    luaL_argcheck(L, !is_host_function(L, 3), 3, "Lua function of a script expected");
    return call_stock(L);
}

// Whether a script must not set a variable at a level: the compiler and the virtual machine trust its value.
static int is_hidden(lua_State *of, lua_Debug *ar, lua_Integer number) {
    if (number < 0 || number > 255 || !lua_checkstack(of, 1)) return 0;
    const char *name = lua_getlocal(of, ar, (int)number);
    if (name == NULL) return 0;
    lua_settop(of, -2);
    return name[0] == '(';
}

// As for a level without variables: C functions work with the values of their level. Upvalue 2: whether it sets.
static int local(lua_State *L) {
    int has_thread = lua_type(L, 1) == LUA_TTHREAD;
    lua_State *of = has_thread ? lua_tothread(L, 1) : L;
    int level = has_thread + 1;
    lua_Debug ar;
    // Lua's own functions also accept 2.0 and "2" as levels.
    int is_level, is_place;
    lua_Integer number = lua_tointegerx(L, level, &is_level), place = lua_tointegerx(L, level + 1, &is_place);
    if (lua_type(L, level) != LUA_TFUNCTION && is_level) {
        if (number >= 0 && number < 1 << 30 && lua_getstack(of, (int)number, &ar) && lua_getinfo(of, "S", &ar)
            && (is_host_source(&ar)
                || (lua_toboolean(L, lua_upvalueindex(2)) && is_place && is_hidden(of, &ar, place)))) {
            luaL_pushfail(L);
            return 1;
        }
    }
    return call_stock(L);
}

int clua_open_debug(lua_State *L) {
    static const luaL_Reg functions[] = {
        {"getregistry", getregistry}, {"getmetatable", getmetatable}, {"setmetatable", setmetatable},
        {"getuservalue", getuservalue}, {"setuservalue", setuservalue}, {"getupvalue", upvalue},
        {"setupvalue", upvalue}, {"upvaluejoin", upvaluejoin}, {"getlocal", local}, {"setlocal", local},
        {NULL, NULL},
    };
    luaopen_debug(L);
    lua_getfield(L, -1, "traceback");
    atomic_store_explicit(&traceback, lua_tocfunction(L, -1), memory_order_relaxed);
    lua_settop(L, -2);
    for (const luaL_Reg *function = functions; function->name != NULL; function++) {
        if (lua_getfield(L, -1, function->name) == LUA_TFUNCTION) {
            lua_pushlightuserdata(L, (void *)lua_tocfunction(L, -1));
            lua_pushboolean(L, strncmp(function->name, "set", 3) == 0);
            lua_pushcclosure(L, function->func, 2);
            lua_setfield(L, -3, function->name);
        }
        lua_settop(L, -2);
    }
    return 1;
}

CLUA_END_JUMPED_OVER
