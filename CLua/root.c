// Root coroutines: the host's bodies run in them, under a base call that records and catches.
#include "internal.h"

#include <string.h>

// A close variable waits while an error unwinds. Other code will run meanwhile, so the frames are saved.
static void keep_frames(clua_context *context, lua_State *root) {
    lua_State *L = context->main;
    if (!lua_checkstack(L, 2)) return;
    size_t size = sizeof(clua_frame) * (size_t)context->frame_count;
    memcpy(lua_newuserdatauv(L, size, 0), context->frames, size);
    lua_rawsetp(L, LUA_REGISTRYINDEX, root);
    clua_add_marks(root, CLUA_MARK_FRAMES);
}

static void bring_frames_back(clua_context *context, lua_State *root) {
    clua_remove_marks(root, CLUA_MARK_FRAMES);
    lua_State *L = context->main;
    if (!lua_checkstack(L, 2)) return;
    if (lua_rawgetp(L, LUA_REGISTRYINDEX, root) == LUA_TUSERDATA) {
        size_t size = lua_rawlen(L, -1);
        memcpy(context->frames, lua_touserdata(L, -1), size);
        context->frame_count = (int32_t)(size / sizeof(clua_frame));
    }
    lua_settop(L, -2);
    lua_pushnil(L);
    lua_rawsetp(L, LUA_REGISTRYINDEX, root);
}

// `is_series`: the values on the stack are not results.
static int base_finished(lua_State *L, int status, lua_KContext is_series) {
    if (status == LUA_OK || status == LUA_YIELD) return is_series ? 0 : lua_gettop(L) - 1;
    if (status == LUA_ERRMEM) clua_memory_refused(L, L);
    clua_of(L)->failed = 1;
    return 1;
}

// Pushes the next function of a series with its arguments, if there is one, and returns the number of values.
// [-0, +?, -]
static int push_next(lua_State *L, clua_context *context) {
    if (context->series != L || context->attention || (clua_marks(L) & CLUA_MARK_EXPOSED)) return 0;
    if (context->call_checks & CLUA_CHECK_COLLECTS) lua_gc(L, LUA_GCCOLLECT);
    context->frame_count = 0;
    int32_t depth = context->depth;
    context->depth = depth + 1;
    int count = context->next_of_series(L);
    context->depth = depth;
    return count;
}

// With the library `debug` a script can find the first function of a root, and could call it anywhere.
static void check_is_first(lua_State *L) {
    lua_Debug ar;
    if (!(clua_marks(L) & CLUA_MARK_ROOT) || lua_getstack(L, 1, &ar)) luaL_error(L, "this function is the host's");
}

// recorder, function, arguments…
static int base(lua_State *L) {
    check_is_first(L);
    return base_finished(L, lua_pcallk(L, lua_gettop(L) - 2, LUA_MULTRET, 1, 0, base_finished), 0);
}

// recorder, table, function, arguments…
static int base_of_series(lua_State *L) {
    check_is_first(L);
    clua_context *context = clua_of(L);
    int values = lua_gettop(L) - CLUA_SERIES_TABLE;
    do {
        int status = lua_pcallk(L, values - 1, 0, 1, 1, base_finished);
        if (status != LUA_OK) return base_finished(L, status, 1);
        lua_settop(L, CLUA_SERIES_TABLE);
        values = push_next(L, context);
    } while (values > 0);
    return 0;
}

lua_State *clua_push_root(lua_State *L) {
    lua_State *root = lua_newthread(L);
    lua_sethook(root, NULL, 0, 0);
    clua_add_marks(root, CLUA_MARK_ROOT);
    return root;
}

enum { KIB_OF_ROOTS = 72 };

lua_State *clua_keep_root(lua_State *L, int table, lua_Integer place) {
    lua_rawgeti(L, LUA_REGISTRYINDEX, table);
    lua_State *root = clua_push_root(L);
    lua_rawseti(L, -2, place);
    lua_settop(L, -2);
    clua_count_kept(L, &clua_of(L)->roots, KIB_OF_ROOTS);
    return root;
}

void clua_drop_root(lua_State *L, int table, lua_Integer place) {
    lua_rawgeti(L, LUA_REGISTRYINDEX, table);
    // Not nil, so that the table keeps its size.
    lua_pushboolean(L, 0);
    lua_rawseti(L, -2, place);
    lua_settop(L, -2);
    clua_of(L)->roots.dropped++;
}

// `can_wait`: whether the body may wait.
static int run(clua_context *context, lua_State *root, int count, int can_wait) {
    lua_State *from = context->running;
    if (can_wait) can_wait = from == NULL ? CLUA_CAN_WAIT | CLUA_CAN_PAUSE : CLUA_CAN_WAIT;
    uint8_t failed = context->failed;
    context->failed = 0;
    int given, status;
    for (;;) {
        clua_slice slice;
        clua_begin_slice(context, &slice, root, can_wait);
        status = lua_resume(root, from, count, &given);
        clua_end_slice(context, &slice);
        if (status != LUA_YIELD) break;
        if (context->waiting) {
            int is_pause = context->pausing;
            context->waiting = 0;
            context->pausing = 0;
            context->failed = failed;
            clua_add_marks(root, CLUA_MARK_WAITING);
            if (context->frame_count) keep_frames(context, root);
            return is_pause ? CLUA_ROOT_PAUSED : CLUA_ROOT_WAITING;
        }
        // A stray yield: nothing would ever resume it, so the script gets an error there.
        lua_settop(root, -given - 1);
        clua_arm_stray_yield(root);
        count = 0;
    }
    int has_failed = context->failed;
    context->failed = failed;
    if (status == LUA_OK) {
        if (!has_failed) return CLUA_ROOT_FINISHED;
        context->frames_mode = CLUA_FRAMES_REPLACE;
        return CLUA_ROOT_FAILED;
    }
    // The base call itself could not run: too deep, or no memory.
    context->frames_mode = CLUA_FRAMES_REPLACE;
    lua_checkstack(context->main, 1);
    lua_xmove(root, context->main, 1);
    if (lua_status(root) != LUA_OK) clua_close_thread(from, root);
    lua_settop(root, 0);
    lua_xmove(context->main, root, 1);
    return CLUA_ROOT_FAILED;
}

// Puts the base call, with its first values, below the values on the stack, and runs it.
static int start(lua_State *root, lua_CFunction base, int table, int can_wait) {
    clua_context *context = clua_of(root);
    int count = lua_gettop(root);
    context->frame_count = 0;
    if (!lua_checkstack(root, 5)) {
        lua_settop(root, 0);
        lua_pushliteral(root, "stack overflow: too many arguments");
        return CLUA_ROOT_FAILED;
    }
    lua_pushcfunction(root, base);
    lua_pushcfunction(root, clua_recorder);
    if (table != LUA_NOREF) lua_rawgeti(root, LUA_REGISTRYINDEX, table);
    int below = lua_gettop(root) - count;
    lua_rotate(root, 1, below);
    return run(context, root, count + below - 1, can_wait);
}

int clua_root_start(lua_State *root, int can_wait) { return start(root, base, LUA_NOREF, can_wait); }

int clua_root_start_body(lua_State *root, int table, lua_Integer place, int user_value) {
    clua_context *context = clua_of(root);
    context->frame_count = 0;
    lua_pushcfunction(root, base);
    lua_pushcfunction(root, clua_recorder);
    lua_rawgeti(root, LUA_REGISTRYINDEX, table);
    lua_rawgeti(root, -1, place);
    lua_getiuservalue(root, -1, user_value);
    lua_replace(root, -3);
    return run(context, root, 3, 1);
}

int clua_root_start_series(lua_State *root, int table, clua_function next) {
    clua_context *context = clua_of(root);
    lua_State *outer = context->series;
    clua_function next_of_outer = context->next_of_series;
    context->series = root;
    context->next_of_series = next;
    int outcome = start(root, base_of_series, table, 1);
    context->series = outer;
    context->next_of_series = next_of_outer;
    return outcome;
}

int clua_root_deliver(lua_State *root, int count) {
    clua_context *context = clua_of(root);
    context->frame_count = 0;
    if (clua_marks(root) & CLUA_MARK_FRAMES) bring_frames_back(context, root);
    clua_remove_marks(root, CLUA_MARK_WAITING);
    return run(context, root, count, 1);
}

CLUA_END_JUMPED_OVER
