// pcall and xpcall that do not catch errors of the host: a script cannot catch its own termination.
#include "internal.h"

// The contexts of protected calls: how many values below the results are not results, and whether the call is part of
// the cleanup after another error, which then continues after an error of the call.
static lua_KContext context_of(lua_State *L, int extra) { return extra | (lua_KContext)clua_of(L)->unwinding << 8; }

static int finished(lua_State *L, int status, lua_KContext call) {
    if (status == LUA_OK || status == LUA_YIELD) return lua_gettop(L) - (int)(call & 0xff);
    clua_context *context = clua_of(L);
    if (status == LUA_ERRMEM) clua_memory_refused(L, L);
    if (!clua_may_catch(context)) return lua_error(L);
    context->frames_mode = CLUA_FRAMES_REPLACE;
    context->frame_count = 0;
    context->unwinding = (uint8_t)(call >> 8);
    lua_pushboolean(L, 0);
    lua_insert(L, -2);
    return 2;
}

// The message handler of `pcall`: close variables run as cleanup. [-1, +1, -]
static int unwind(lua_State *L) {
    clua_of(L)->unwinding = 1;
    return 1;
}

int clua_pcall(lua_State *L) {
    luaL_checkany(L, 1);
    // function, arguments… becomes handler, true, function, arguments…
    lua_pushcfunction(L, unwind);
    lua_pushboolean(L, 1);
    lua_rotate(L, 1, 2);
    lua_KContext call = context_of(L, 1);
    return finished(L, lua_pcallk(L, lua_gettop(L) - 3, LUA_MULTRET, 1, call, finished), call);
}

// Runs the script's message handler, unless the error cannot be caught. Written in Lua, since a tail call leaves its
// place on the stack to the handler, which then sees the same levels as with the stock function.
static const char guard[] =
    "local mayCatch = ... return function(handler) return function(problem) "
    "if mayCatch() then return handler(problem) end return problem end end";

static int may_catch(lua_State *L) {
    clua_of(L)->unwinding = 1;
    lua_pushboolean(L, clua_may_catch(clua_of(L)));
    return 1;
}

// Upvalue: the function that makes a guard for a handler.
static int xpcall(lua_State *L) {
    int count = lua_gettop(L);
    luaL_checktype(L, 2, LUA_TFUNCTION);
    // function, handler, arguments… becomes function, guard, true, function, arguments…
    // A tail call of a native function would leave the guard on the stack; `debug.traceback` only reads.
    if (!clua_is_traceback(L, 2)) {
        lua_pushvalue(L, lua_upvalueindex(1));
        lua_pushvalue(L, 2);
        lua_call(L, 1, 1);
        lua_replace(L, 2);
    }
    lua_pushboolean(L, 1);
    lua_pushvalue(L, 1);
    lua_rotate(L, 3, 2);
    lua_KContext call = context_of(L, 2);
    return finished(L, lua_pcallk(L, count - 2, LUA_MULTRET, 2, call, finished), call);
}

int clua_is_xpcall(lua_CFunction function) { return function == xpcall; }

void clua_push_xpcall(lua_State *L) {
    if (luaL_loadbufferx(L, guard, sizeof guard - 1, "=[opscript]", "t") != LUA_OK) lua_error(L);
    lua_pushcfunction(L, may_catch);
    lua_call(L, 1, 1);
    lua_pushcclosure(L, xpcall, 1);
}

CLUA_END_JUMPED_OVER
