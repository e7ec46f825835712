// From Lua to the host and back. Only this file raises errors and yields coroutines on the host's behalf.
#include "internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int run_continuation(lua_State *L, clua_context *context, int base) {
    clua_continuation continuation = (clua_continuation)lua_touserdata(L, base - 1);
    int went_well = lua_toboolean(L, base);
    int32_t depth = context->depth;
    context->depth = depth + 1;
    int reply = continuation(L, base);
    context->depth = depth;
    // An error that is raised again keeps the frames of the first raise, which are more informative.
    if (reply == CLUA_RAISE && !went_well && context->frame_count) context->frames_mode = CLUA_FRAMES_KEEP;
    return reply;
}

// `base`: how many values of the function lie below the delivered ones.
static int waited(lua_State *L, int status, lua_KContext base) {
    (void)status;
    if (lua_toboolean(L, (int)base + 1)) return lua_gettop(L) - (int)base - 1;
    lua_settop(L, (int)base + 2);
    return lua_error(L);
}

static int waited_then(lua_State *L, int status, lua_KContext base) {
    (void)status;
    clua_context *context = clua_of(L);
    return clua_finish(L, context, run_continuation(L, context, (int)base + 1));
}

static int called(lua_State *L, int status, lua_KContext base) {
    (void)status;
    return lua_gettop(L) - (int)base;
}

// Values are: …, continuation, recorder, results or the error; `base` is the continuation's index.
static int settle_call(lua_State *L, clua_context *context, int status, int base) {
    int went_well = status == LUA_OK || status == LUA_YIELD;
    if (!went_well) context->unwinding = 0;
    if (status == LUA_ERRMEM) clua_memory_refused(L, L);
    lua_pushboolean(L, went_well);
    lua_replace(L, base + 1);
    if (went_well || status == LUA_ERRMEM) context->frames_mode = CLUA_FRAMES_REPLACE;
    int reply = run_continuation(L, context, base + 1);
    if (reply != CLUA_RAISE) context->frame_count = 0;
    return reply;
}

static int called_then(lua_State *L, int status, lua_KContext base) {
    clua_context *context = clua_of(L);
    return clua_finish(L, context, settle_call(L, context, status, (int)base));
}

static void check_wait(lua_State *L, clua_context *context) {
    if (context->can_wait && context->running == L && lua_isyieldable(L)) return;
    clua_raise_cannot_wait(L);
}

// Executes the reply of the host's function. [-?, +?, e]
int clua_finish(lua_State *L, clua_context *context, int reply) {
    for (;;) {
        if (reply >= 0) return reply;
        if (reply == CLUA_RAISE) return lua_error(L);
        if (reply == CLUA_WAIT) {
            check_wait(L, context);
            context->waiting = 1;
            return lua_yieldk(L, 0, lua_gettop(L), waited);
        }
        if (reply == CLUA_WAIT_THEN) {
            check_wait(L, context);
            context->waiting = 1;
            return lua_yieldk(L, 0, lua_gettop(L), waited_then);
        }
        luaL_checkstack(L, 4, NULL);
        if (reply > CLUA_CALL_THEN) {
            int base = lua_gettop(L) - (CLUA_CALL - reply) - 1;
            lua_callk(L, CLUA_CALL - reply, LUA_MULTRET, base, called);
            return lua_gettop(L) - base;
        }
        // …, function, arguments, continuation becomes …, continuation, recorder, function, arguments.
        int arguments = CLUA_CALL_THEN - reply;
        int base = lua_gettop(L) - arguments - 1;
        lua_pushcfunction(L, clua_recorder);
        lua_rotate(L, base, 2);
        int status = lua_pcallk(L, arguments, LUA_MULTRET, base + 1, base, called_then);
        reply = settle_call(L, context, status, base);
    }
}

// [-0, +0, m]
static void check_call(lua_State *L, clua_context *context) {
    if (context->call_checks & CLUA_CHECK_COLLECTS) lua_gc(L, LUA_GCCOLLECT);
    if (context->call_checks & CLUA_CHECK_MEMORY) clua_require_spare(L, context);
}

static int run_function(lua_State *L, clua_function function) {
    clua_context *context = clua_of(L);
    if (context->call_checks) check_call(L, context);
    int32_t depth = context->depth;
    context->depth = depth + 1;
    int reply = function(L);
    context->depth = depth;
    return reply >= 0 ? reply : clua_finish(L, context, reply);
}

int clua_trampoline(lua_State *L) {
    return run_function(L, (clua_function)lua_touserdata(L, lua_upvalueindex(1)));
}

// More arguments than the function takes; a nil at the end is not an argument. The upvalues are the function, how
// many arguments it takes, and the function that refuses more.
static int run_with_more(lua_State *L, int most) {
    int count = lua_gettop(L);
    while (count > most && lua_isnil(L, count)) count--;
    if (count > most) return run_function(L, (clua_function)lua_touserdata(L, lua_upvalueindex(3)));
    lua_settop(L, count);
    return clua_trampoline(L);
}

// One function for each number, so that a call need not look the number up.
#define LIMITED(most) \
    static int limited_##most(lua_State *L) { \
        return lua_gettop(L) <= most ? clua_trampoline(L) : run_with_more(L, most); \
    }
LIMITED(0)
LIMITED(1)
LIMITED(2)
LIMITED(3)
LIMITED(4)
LIMITED(5)
static const lua_CFunction limited[] = { limited_0, limited_1, limited_2, limited_3, limited_4, limited_5 };
enum { limited_count = sizeof limited / sizeof *limited };

int clua_calls_host(lua_CFunction function) {
    if (function == clua_trampoline) return 1;
    for (int most = 0; most < limited_count; most++) {
        if (function == limited[most]) return 1;
    }
    return 0;
}

void clua_push_limited_function(lua_State *L, clua_function function, int most, clua_function refuse) {
    if (most >= limited_count) abort();
    lua_pushlightuserdata(L, (void *)function);
    lua_pushinteger(L, most);
    lua_pushlightuserdata(L, (void *)refuse);
    lua_pushcclosure(L, limited[most], 3);
}

void clua_push_function(lua_State *L, clua_function function, int upvalues) {
    lua_pushlightuserdata(L, (void *)function);
    if (upvalues) lua_insert(L, -upvalues - 1);
    lua_pushcclosure(L, clua_trampoline, upvalues + 1);
}

void clua_push_continuation(lua_State *L, clua_continuation continuation) {
    lua_pushlightuserdata(L, (void *)continuation);
}

// MARK: finalizers

// Whether the call that `lua_getstack` found is that of a finalizer. [-0, +0, -]
static int is_finalizer(lua_State *L, lua_Debug *ar) {
    lua_getinfo(L, "n", ar);
    return strcmp(ar->namewhat, "metamethod") == 0 && ar->name != NULL && strcmp(ar->name, "__gc") == 0;
}

static int has_finalizer(lua_State *L) {
    lua_Debug ar;
    for (int level = 0; lua_getstack(L, level, &ar); level++) {
        if (is_finalizer(L, &ar)) return 1;
    }
    return 0;
}

int clua_finds_finalizer(lua_State *L) {
    if (has_finalizer(L)) return 1;
    for (clua_slice *slice = clua_of(L)->slice; slice != NULL; slice = slice->previous) {
        if (slice->state != L && has_finalizer(slice->state)) return 1;
    }
    return 0;
}

static int calls_host(lua_CFunction function) { return clua_calls_host(function) || clua_serves_userdata(function); }

// Finalizers are not nested, no hook runs in them, and the host calls Lua only in a slice. Therefore a finalizer
// has called the host only if the host is on top. There is a free place above any top. [-0, +0, -]
int clua_is_called_by_finalizer(lua_State *L) {
    lua_Debug ar;
    for (int level = 0; lua_getstack(L, level, &ar); level++) {
        if (level == 0) {
            lua_getinfo(L, "f", &ar);
            int is_of_host = calls_host(lua_tocfunction(L, -1));
            lua_settop(L, -2);
            if (is_of_host) return 0;
        }
        if (is_finalizer(L, &ar)) return 1;
    }
    return 0;
}

// MARK: why one cannot wait

// Pushes `table.sort` for the function on top, or nil. [-1, +1, m]
static void push_library_name(lua_State *L) {
    int function = lua_gettop(L);
    luaL_checkstack(L, 8, NULL);
    lua_getfield(L, LUA_REGISTRYINDEX, LUA_LOADED_TABLE);
    lua_pushnil(L);
    while (lua_type(L, function + 1) == LUA_TTABLE && lua_next(L, function + 1)) {
        if (lua_type(L, -2) == LUA_TSTRING && lua_type(L, -1) == LUA_TTABLE) {
            lua_pushnil(L);
            while (lua_next(L, -2)) {
                if (lua_type(L, -2) == LUA_TSTRING && lua_rawequal(L, -1, function)) {
                    const char *module = lua_tostring(L, -4), *name = lua_tostring(L, -2);
                    if (strcmp(module, LUA_GNAME) == 0) lua_pushstring(L, name);
                    else lua_pushfstring(L, "%s.%s", module, name);
                    lua_replace(L, function);
                    lua_settop(L, function);
                    return;
                }
                lua_settop(L, -2);
            }
        }
        lua_settop(L, -2);
    }
    lua_settop(L, function - 1);
    lua_pushnil(L);
}

static int passes_waits(lua_CFunction function) {
    return function == clua_pcall || clua_is_xpcall(function) || function == clua_coroutine_resume
        || function == clua_coroutine_step;
}

// Pushes the name of the function that runs in `co` above a level and cannot yield, if there is one. [-0, +0 | 1,
// m]
static int push_blocker(lua_State *L, lua_State *co, int level) {
    lua_Debug ar;
    for (; lua_getstack(co, level, &ar); level++) {
        if (is_finalizer(co, &ar)) {
            lua_pushliteral(L, "__gc");
            return 1;
        }
        lua_getinfo(co, "S", &ar);
        if (ar.what[0] != 'C') continue;
        if (!lua_checkstack(co, 2)) return 0;
        lua_getinfo(co, "f", &ar);
        if (passes_waits(lua_tocfunction(co, -1))) {
            lua_settop(co, -2);
            continue;
        }
        lua_xmove(co, L, 1);
        push_library_name(L);
        const char *name = lua_tostring(L, -1);
        if (name != NULL
            && (strcmp(name, "tostring") == 0 || strcmp(name, "print") == 0 || strcmp(name, "string.format") == 0)) {
            // These call back only for this metamethod.
            lua_settop(L, -2);
            lua_pushliteral(L, "__tostring");
        } else if (name == NULL) {
            lua_settop(L, -2);
            lua_pushstring(L, ar.name != NULL ? ar.name : "a native function");
        }
        return 1;
    }
    return 0;
}

int clua_raise_cannot_wait(lua_State *L) {
    clua_context *context = clua_of(L);
    lua_settop(L, 0);
    luaL_where(L, 1);
    int found = 0;
    if (!lua_isyieldable(L)) found = push_blocker(L, L, 1);
    // Or one of the resumers of this coroutine cannot yield.
    for (clua_slice *slice = context->slice; slice != NULL && !found; slice = slice->previous) {
        if (slice->state != L && !lua_isyieldable(slice->state)) found = push_blocker(L, slice->state, 0);
    }
    // Or it runs while a coroutine is being closed, by a function that could yield itself.
    if (!found && context->slice != NULL && context->slice->previous != NULL) {
        lua_State *closer = context->slice->previous->state;
        lua_Debug ar;
        if (lua_getstack(closer, 0, &ar) && lua_checkstack(closer, 2)) {
            lua_getinfo(closer, "f", &ar);
            lua_xmove(closer, L, 1);
            push_library_name(L);
            found = lua_type(L, -1) == LUA_TSTRING;
            if (!found) {
                lua_settop(L, -2);
                lua_pushliteral(L, "a close variable of a coroutine that failed");
                found = 1;
            }
        }
    }
    if (!found) lua_pushliteral(L, "a call of the host");
    lua_pushfstring(L, "%scannot wait here: inside %s", lua_tostring(L, 1), lua_tostring(L, 2));
    return lua_error(L);
}

CLUA_END_JUMPED_OVER
