// The coroutine library: stock behaviour, and waits of the host pass through to the root.
#include "internal.h"

enum { FAILED = -1, WAITS = -2 };

static lua_State *coroutine_at(lua_State *L, int index) {
    lua_State *co = lua_tothread(L, index);
    if (co == NULL) luaL_typeerror(L, index, "thread");
    return co;
}

// Closes pending variables of a dead or suspended coroutine; not 0 leaves an error on its stack.
int clua_close_thread(lua_State *L, lua_State *co) {
    clua_context *context = clua_of(co);
    clua_slice slice;
    clua_begin_slice(context, &slice, co, 0);
#if LUA_VERSION_RELEASE_NUM >= 50406
    int status = lua_closethread(co, L);
#else
    (void)L;
    int status = lua_resetthread(co);
#endif
    clua_end_slice(context, &slice);
    return status;
}

// Resumes `co` with the `count` values on top of `L`. Returns how many values it gave to `L`, or FAILED with an
// error on top of `L`, or WAITS.
static int step(lua_State *L, lua_State *co, int count) {
    if (clua_marks(co) & (CLUA_MARK_WAITING | CLUA_MARK_ROOT)) {
        // An idle root may hold values of the host, so for scripts it is dead.
        lua_Debug ar;
        int is_idle = !(clua_marks(co) & CLUA_MARK_WAITING) && !lua_getstack(co, 0, &ar);
        lua_pushstring(L, is_idle ? "cannot resume dead coroutine" : "cannot resume non-suspended coroutine");
        return FAILED;
    }
    if (!lua_checkstack(co, count)) {
        lua_pushliteral(L, "too many arguments to resume");
        return FAILED;
    }
    lua_xmove(L, co, count);
    clua_context *context = clua_of(L);
    clua_slice slice;
    int given = 0;
    clua_begin_slice(context, &slice, co, lua_isyieldable(L) ? context->can_wait : 0);
    int status = lua_resume(co, L, count, &given);
    clua_end_slice(context, &slice);
    if (status == LUA_YIELD && context->waiting) {
        clua_add_marks(co, CLUA_MARK_WAITING);
        return WAITS;
    }
    if (status == LUA_OK || status == LUA_YIELD) {
        if (!lua_checkstack(L, given + 1)) {
            lua_settop(co, -given - 1);
            lua_pushliteral(L, "too many results to resume");
            return FAILED;
        }
        lua_xmove(co, L, given);
        return given;
    }
    lua_xmove(co, L, 1);
    if (status == LUA_ERRMEM) clua_memory_refused(L, co);
    return FAILED;
}

// After an error that scripts may not catch: `co` ends, and the error continues in `L`.
static int pass_on(lua_State *L, lua_State *co) {
    int status = lua_status(co);
    // After an error about memory, the error from closing is Lua's own text; the error of the limit is kept instead.
    if (status != LUA_OK && status != LUA_YIELD && clua_close_thread(L, co) != LUA_OK && status != LUA_ERRMEM) {
        lua_settop(L, -2);
        lua_xmove(co, L, 1);
    }
    return lua_error(L);
}

// resume

static int resume_waited(lua_State *L, int status, lua_KContext extra);

// `unwinding`: whether the call is part of the cleanup after an error, which continues after an error of the coroutine.
static int resume_result(lua_State *L, lua_State *co, int given, lua_KContext unwinding) {
    if (given >= 0) {
        lua_pushboolean(L, 1);
        lua_insert(L, -given - 1);
        return given + 1;
    }
    if (given == WAITS) return lua_yieldk(L, 0, unwinding, resume_waited);
    clua_context *context = clua_of(L);
    if (!clua_may_catch(context)) return pass_on(L, co);
    context->frames_mode = CLUA_FRAMES_REPLACE;
    context->frame_count = 0;
    context->unwinding = (uint8_t)unwinding;
    lua_pushboolean(L, 0);
    lua_insert(L, -2);
    return 2;
}

// The answer to the wait lies above the coroutine: pass it inwards.
static int resume_waited(lua_State *L, int status, lua_KContext unwinding) {
    (void)status;
    lua_State *co = lua_tothread(L, 1);
    clua_remove_marks(co, CLUA_MARK_WAITING);
    return resume_result(L, co, step(L, co, lua_gettop(L) - 1), unwinding);
}

int clua_coroutine_resume(lua_State *L) {
    lua_State *co = coroutine_at(L, 1);
    lua_KContext unwinding = clua_of(L)->unwinding;
    return resume_result(L, co, step(L, co, lua_gettop(L) - 1), unwinding);
}

// wrap

static int step_waited(lua_State *L, int status, lua_KContext extra);

static int step_result(lua_State *L, lua_State *co, int given) {
    if (given >= 0) return given;
    if (given == WAITS) return lua_yieldk(L, 0, 0, step_waited);
    clua_context *context = clua_of(L);
    int status = lua_status(co);
    int is_memory = 0;
    if (status != LUA_OK && status != LUA_YIELD) {
        // Closing the coroutine loses its stack, so its frames are kept. Frames in a finalizer do not belong to the
        // error that may be unwinding.
        if (context->frames_mode != CLUA_FRAMES_KEEP && status != LUA_ERRMEM && !clua_is_finalizing(L)) {
            context->frames_mode = CLUA_FRAMES_REPLACE;
            clua_record_frames(co, 0);
            context->frames_mode = CLUA_FRAMES_APPEND;
        }
        is_memory = status == LUA_ERRMEM;
        if (clua_close_thread(L, co) != LUA_OK && !is_memory) {
            lua_settop(L, -2);
            lua_xmove(co, L, 1);
        }
    }
    if (!is_memory && lua_type(L, -1) == LUA_TSTRING) {
        luaL_where(L, 1);
        lua_insert(L, -2);
        lua_concat(L, 2);
    }
    return lua_error(L);
}

static int step_waited(lua_State *L, int status, lua_KContext extra) {
    (void)status;
    (void)extra;
    lua_State *co = lua_tothread(L, lua_upvalueindex(1));
    clua_remove_marks(co, CLUA_MARK_WAITING);
    return step_result(L, co, step(L, co, lua_gettop(L)));
}

int clua_coroutine_step(lua_State *L) {
    lua_State *co = lua_tothread(L, lua_upvalueindex(1));
    return step_result(L, co, step(L, co, lua_gettop(L)));
}

static int create(lua_State *L) {
    luaL_checktype(L, 1, LUA_TFUNCTION);
    lua_State *co = lua_newthread(L);
    lua_pushvalue(L, 1);
    lua_xmove(L, co, 1);
    clua_attend_new(clua_of(L), co);
    return 1;
}

static int wrap(lua_State *L) {
    create(L);
    lua_pushcclosure(L, clua_coroutine_step, 1);
    return 1;
}

// the rest

static int yield(lua_State *L) {
    if (clua_marks(L) & CLUA_MARK_ROOT) {
        lua_pushliteral(L, "attempt to yield from outside a coroutine");
        return lua_error(L);
    }
    return lua_yield(L, lua_gettop(L));
}

static const char *status_name(lua_State *L, lua_State *co) {
    if (L == co) return "running";
    if (clua_marks(co) & CLUA_MARK_WAITING) return "normal";
    lua_Debug ar;
    switch (lua_status(co)) {
    case LUA_YIELD: return "suspended";
    case LUA_OK:
        if (lua_getstack(co, 0, &ar)) return "normal";
        if (clua_marks(co) & CLUA_MARK_ROOT) return "dead";
        return lua_gettop(co) == 0 ? "dead" : "suspended";
    default: return "dead";
    }
}

static int status(lua_State *L) {
    lua_pushstring(L, status_name(L, coroutine_at(L, 1)));
    return 1;
}

static int isyieldable(lua_State *L) {
    lua_State *co = lua_isnone(L, 1) ? L : coroutine_at(L, 1);
    lua_pushboolean(L, !(clua_marks(co) & CLUA_MARK_ROOT) && lua_isyieldable(co));
    return 1;
}

static int running(lua_State *L) {
    int is_main = lua_pushthread(L);
    if (clua_marks(L) & CLUA_MARK_ROOT) {
        clua_add_marks(L, CLUA_MARK_EXPOSED);
        is_main = 1;
    }
    lua_pushboolean(L, is_main);
    return 2;
}

static int close(lua_State *L) {
    lua_State *co = coroutine_at(L, 1);
    const char *name = status_name(L, co);
    if (*name != 'd' && *name != 's') return luaL_error(L, "cannot close a %s coroutine", name);
    if ((clua_marks(co) & CLUA_MARK_ROOT) || clua_close_thread(L, co) == LUA_OK) {
        lua_pushboolean(L, 1);
        return 1;
    }
    lua_xmove(co, L, 1);
    if (!clua_may_catch(clua_of(L))) return lua_error(L);
    lua_pushboolean(L, 0);
    lua_insert(L, -2);
    return 2;
}

// [-0, +1, m]
int clua_open_coroutine(lua_State *L) {
    static const luaL_Reg functions[] = {
        {"create", create}, {"resume", clua_coroutine_resume}, {"wrap", wrap}, {"yield", yield},
        {"status", status}, {"isyieldable", isyieldable}, {"running", running}, {"close", close},
        {NULL, NULL},
    };
    luaL_newlib(L, functions);
    return 1;
}

CLUA_END_JUMPED_OVER
