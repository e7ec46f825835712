// Making and closing a universe.
#include "internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Unreachable: everything that can raise is called in protected mode. [-0, +0, -]
static int panic(lua_State *L) {
    const char *text = lua_type(L, -1) == LUA_TSTRING ? lua_tostring(L, -1) : "an error object";
    fprintf(stderr, "OpScript: a Lua error reached a frame that nothing protects: %s\n", text);
    fflush(stderr);
    abort();
}

static void warn(void *data, const char *text, int continues) {
    clua_context *context = data;
    if (context->warn == NULL) return;
    context->depth++;
    context->warn(context->owner, text, continues);
    context->depth--;
}

clua_context *clua_open(int is_reproducible) {
    clua_context *context = aligned_alloc(64, (sizeof(clua_context) + 63) / 64 * 64);
    if (context == NULL) return NULL;
    memset(context, 0, sizeof *context);
    context->depth = 1;
    context->soft_limit = SIZE_MAX;
    context->hard_limit = SIZE_MAX;
    context->frames = malloc(sizeof(clua_frame) * CLUA_FRAME_CAPACITY);
    context->is_reproducible = is_reproducible != 0;
    lua_Alloc allocate = is_reproducible ? clua_allocate_numbered : clua_allocate;
    lua_State *L = context->frames ? lua_newstate(allocate, context) : NULL;
    if (L == NULL) {
        free(context->frames);
        clua_free_chunks(context);
        free(context);
        return NULL;
    }
    *(clua_context **)lua_getextraspace(L) = context;
    context->main = L;
    lua_atpanic(L, panic);
    lua_setwarnf(L, warn, context);
    return context;
}

void clua_close(clua_context *context) {
    context->soft_limit = SIZE_MAX;
    context->hard_limit = SIZE_MAX;
    clua_flush_output(context);
    lua_close(context->main);
    clua_free_output(context);
    clua_free_coverage(context);
    clua_free_chunks(context);
    clua_free_sources(context);
    free(context->frames);
    free(context);
}

void clua_set_memory_limit(clua_context *context, size_t soft, size_t hard) {
    context->soft_limit = soft ? soft : SIZE_MAX;
    context->hard_limit = hard ? hard : SIZE_MAX;
}

void clua_set_instruction_limit(clua_context *context, int64_t limit) {
    context->instruction_limit = limit > 0 ? limit : 0;
    if (limit > 0) {
        clua_set_attention(context, CLUA_ATTEND_INSTRUCTIONS);
    } else {
        clua_clear_attention(context, CLUA_ATTEND_INSTRUCTIONS);
    }
}

void clua_set_hostile(clua_context *context, int hostile) {
    if (hostile) context->call_checks |= CLUA_CHECK_COLLECTS;
    // Parameters are kept divided by four: a pause of 1 becomes 0, a whole cycle at each allocation.
    if (hostile) lua_gc(context->main, LUA_GCINC, 1, 1000, 63);
}

int clua_is_active(clua_context *context, lua_State *L) {
    for (clua_slice *slice = context->slice; slice != NULL; slice = slice->previous) {
        if (slice->state == L) return 1;
    }
    return 0;
}

void clua_collect(lua_State *L) { lua_gc(L, LUA_GCCOLLECT); }

// While a finalizer runs, `lua_gc` refuses everything since 5.4.4. Earlier releases report that the collector is
// stopped, which a script can also ask for, so the call stacks decide.
int clua_is_finalizing(lua_State *L) {
    if (lua_gc(L, LUA_GCCOUNT) < 0) return 1;
    return !lua_gc(L, LUA_GCISRUNNING) && clua_finds_finalizer(L);
}

void clua_push_weak_table(lua_State *L, const void *key) {
    if (lua_rawgetp(L, LUA_REGISTRYINDEX, key) == LUA_TTABLE) return;
    lua_pop(L, 1);
    lua_newtable(L);
    lua_newtable(L);
    lua_pushliteral(L, "k");
    lua_setfield(L, -2, "__mode");
    lua_setmetatable(L, -2);
    lua_pushvalue(L, -1);
    lua_rawsetp(L, LUA_REGISTRYINDEX, key);
}

CLUA_END_JUMPED_OVER
