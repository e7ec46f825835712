// Root coroutines: the host's bodies run in them, under a base call that records and catches.
#include "internal.h"

static int base_finished(lua_State *L, int status, lua_KContext extra) {
    (void)extra;
    if (status == LUA_OK || status == LUA_YIELD) return lua_gettop(L) - 1;
    clua_of(L)->failed = 1;
    return 1;
}

// recorder, function, arguments…
static int base(lua_State *L) {
    return base_finished(L, lua_pcallk(L, lua_gettop(L) - 2, LUA_MULTRET, 1, 0, base_finished), 0);
}

lua_State *clua_push_root(lua_State *L) {
    lua_State *root = lua_newthread(L);
    lua_sethook(root, NULL, 0, 0);
    clua_add_marks(root, CLUA_MARK_ROOT);
    return root;
}

static int run(lua_State *root, int count) {
    clua_context *context = clua_of(root);
    lua_State *from = context->running;
    uint8_t failed = context->failed;
    context->failed = 0;
    int given, status;
    for (;;) {
        clua_slice slice;
        clua_begin_slice(context, &slice, root, 1);
        status = lua_resume(root, from, count, &given);
        clua_end_slice(context, &slice);
        if (status != LUA_YIELD) break;
        if (context->waiting) {
            context->waiting = 0;
            context->failed = failed;
            clua_add_marks(root, CLUA_MARK_WAITING);
            return CLUA_ROOT_WAITING;
        }
        // Somebody's own yield: nobody would ever resume it, so the script gets an error there.
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
    lua_xmove(root, context->main, 1);
    if (lua_status(root) != LUA_OK) clua_close_thread(from, root);
    lua_settop(root, 0);
    lua_xmove(context->main, root, 1);
    return CLUA_ROOT_FAILED;
}

int clua_root_start(lua_State *root) {
    clua_context *context = clua_of(root);
    int count = lua_gettop(root);
    context->frame_count = 0;
    lua_pushcfunction(root, base);
    lua_pushcfunction(root, clua_recorder);
    lua_rotate(root, 1, 2);
    return run(root, count + 1);
}

int clua_root_deliver(lua_State *root, int count) {
    clua_of(root)->frame_count = 0;
    clua_remove_marks(root, CLUA_MARK_WAITING);
    return run(root, count);
}
