// Limits and interrupts: one hook, armed only when there is something to check.
#include "internal.h"

#include <poll.h>
#include <stdint.h>

// Instructions that all close variables together get after an interrupt, before it is raised again; then it is raised
// in each of them at once.
enum { GRACE = 100000, GRACE_STEP = 1000, INSTRUCTION_STEP = 10000, FIRST_STEP = 100, SWITCH_COST = 50 };

static void hook(lua_State *L, lua_Debug *ar);

int clua_raise_limit(lua_State *L, clua_context *context, int kind) {
    clua_record_frames(L, 0);
    context->frames_mode = CLUA_FRAMES_KEEP;
    lua_checkstack(L, LUA_MINSTACK);
    if (context->push_limit) {
        int32_t depth = context->depth;
        context->depth = depth + 1;
        context->push_limit(L, kind);
        context->depth = depth;
    } else {
        lua_pushliteral(L, "limit reached");
    }
    return lua_error(L);
}

static void raise_interrupt(lua_State *L, clua_context *context) {
    if (!context->raised) context->grace = GRACE;
    context->raised = 1;
    lua_sethook(L, hook, LUA_MASKCOUNT, context->grace > 0 ? GRACE_STEP : 1);
    clua_raise_limit(L, context, context->interrupt_kind);
}

// The running code has met a limit.
static void meet_limit(lua_State *L, clua_context *context, int kind) {
    context->interrupt_kind = kind;
    clua_set_attention(context, CLUA_ATTEND_INTERRUPT);
    raise_interrupt(L, context);
}

void clua_memory_refused(lua_State *L, lua_State *place) {
    clua_context *context = clua_of(L);
    // A finalizer continues: no hook would stop it, and its errors are warnings.
    if (context->hard_limit == SIZE_MAX || context->raised || clua_is_finalizing(L)) return;
    context->frames_mode = CLUA_FRAMES_REPLACE;
    if (context->frame_count == 0) clua_record_frames(place, 0);
    context->frames_mode = CLUA_FRAMES_KEEP;
    context->interrupt_kind = CLUA_LIMIT_MEMORY;
    context->raised = 1;
    context->grace = GRACE;
    clua_set_attention(context, CLUA_ATTEND_INTERRUPT);
    if (context->running != NULL) clua_attend(context, context->running);
    if (context->push_limit == NULL) return;
    lua_settop(L, -2);
    int32_t depth = context->depth;
    context->depth = depth + 1;
    context->push_limit(L, CLUA_LIMIT_MEMORY);
    context->depth = depth;
}

static void count_instructions(lua_State *L, clua_context *context, int64_t count) {
    context->instructions += count;
    if (context->instructions < context->instruction_limit) return;
    meet_limit(L, context, CLUA_LIMIT_INSTRUCTIONS);
}

// How many instructions code runs that cannot be paused where it is, until the next attempt.
enum { PAUSE_STEP = 1000 };

// Yields to the host in the middle of the running code, if that is possible here; otherwise tries again soon. The
// caller returns to Lua at once, which then leaves the coroutine.
static void pause_here(lua_State *L, clua_context *context) {
    if (!(context->can_wait & CLUA_CAN_PAUSE) || context->running != L || !lua_isyieldable(L)) {
        lua_sethook(L, hook, LUA_MASKCOUNT, PAUSE_STEP);
        return;
    }
    clua_clear_attention(context, CLUA_ATTEND_PAUSE);
    context->waiting = 1;
    context->pausing = 1;
    lua_yield(L, 0);
}

// Sets the hook for continuous checks: instructions that are counted in steps, and lines that are recorded. Sets no
// hook if there is neither.
static void watch_steadily(clua_context *context, lua_State *L, int step) {
    uint32_t attention = context->attention;
    int mask = 0;
    if (attention & CLUA_ATTEND_INSTRUCTIONS) {
        mask |= LUA_MASKCOUNT;
        if (context->instruction_limit < step) step = (int)context->instruction_limit;
    }
    if (attention & CLUA_ATTEND_LINES) mask |= LUA_MASKLINE;
    lua_sethook(L, mask ? hook : NULL, mask, step);
    // A signal may have arrived meanwhile, whose hook this one has replaced.
    if (context->attention & CLUA_ATTEND_INTERRUPT) clua_attend(context, L);
}

static void hook(lua_State *L, lua_Debug *ar) {
    clua_context *context = clua_of(L);
    if (clua_marks(L) & CLUA_MARK_STRAY) {
        clua_remove_marks(L, CLUA_MARK_STRAY);
        lua_sethook(L, NULL, 0, 0);
        lua_pushliteral(L, "attempt to yield from outside a coroutine");
        lua_error(L);
    }
    if (ar->event == LUA_HOOKLINE && (context->attention & CLUA_ATTEND_LINES)) clua_note_line(context, L, ar);
    if (context->attention & CLUA_ATTEND_INTERRUPT) {
        if (context->raised) {
            context->grace -= ar->event == LUA_HOOKCOUNT ? lua_gethookcount(L) : 1;
            if (context->grace > 0) return;
        }
        raise_interrupt(L, context);
    }
    if (context->attention & CLUA_ATTEND_MEMORY) {
        // In a finalizer nothing can be collected, and the amount of garbage is unknown.
        if (clua_is_finalizing(L)) return;
        lua_sethook(L, NULL, 0, 0);
        lua_gc(L, LUA_GCCOLLECT);
        clua_clear_attention(context, CLUA_ATTEND_MEMORY);
        int is_full = context->used > context->soft_limit - context->soft_limit / 16;
        if (context->attention) clua_attend(context, L);
        if (is_full) meet_limit(L, context, CLUA_LIMIT_MEMORY);
        return;
    }
    if (context->attention & CLUA_ATTEND_PAUSE) {
        // Lua lets a hook yield only at these.
        if (ar->event == LUA_HOOKCOUNT || ar->event == LUA_HOOKLINE) pause_here(L, context);
        return;
    }
    // A line is not a counted instruction.
    if (ar->event == LUA_HOOKLINE && (context->attention & CLUA_ATTEND_LINES)) return;
    if (context->attention & CLUA_ATTEND_INSTRUCTIONS) {
        int step = lua_gethookcount(L);
        count_instructions(L, context, step);
        if (step < INSTRUCTION_STEP) {
            watch_steadily(context, L, 2 * step < INSTRUCTION_STEP ? 2 * step : INSTRUCTION_STEP);
        }
        return;
    }
    watch_steadily(context, L, INSTRUCTION_STEP);
}

// A coroutine that does little would end before anything is counted: so it begins with small steps.
void clua_attend_new(clua_context *context, lua_State *co) {
    if ((context->attention & (CLUA_ATTEND_INSTRUCTIONS | CLUA_ATTEND_INTERRUPT)) == CLUA_ATTEND_INSTRUCTIONS)
        watch_steadily(context, co, FIRST_STEP);
}

static int is_without_lines(clua_context *context, lua_State *L) {
    return (context->attention & CLUA_ATTEND_LINES) && !(lua_gethookmask(L) & LUA_MASKLINE);
}

#if __has_feature(thread_sanitizer)
static void let_in(lua_State *L, lua_Debug *ar) {
    (void)L;
    (void)ar;
    poll(NULL, 0, 0);
}

void clua_let_signals_in(lua_State *L) {
    if (lua_gethook(L) == NULL) lua_sethook(L, let_in, LUA_MASKCOUNT, INSTRUCTION_STEP);
}
#endif

// Called inside a long C call, where no hook runs. `steps` is the number of steps since the last call of this function,
// `all` that of the whole C call. A step counts as an instruction. After an interrupt, `all` may not exceed the grace
// that close variables have.
void clua_long_call(lua_State *L, int64_t steps, int64_t all) {
    clua_context *context = clua_of(L);
    if (context->attention & CLUA_ATTEND_INTERRUPT) {
        if (context->raised) context->grace -= steps;
        if (!context->raised || context->grace <= 0 || all > GRACE) raise_interrupt(L, context);
    } else if (context->attention & CLUA_ATTEND_INSTRUCTIONS) {
        count_instructions(L, context, steps);
    }
}

// Called when `L` begins to run and something has to be checked. Also from a signal handler, and by the allocator.
void clua_attend(clua_context *context, lua_State *L) {
    uint32_t attention = context->attention;
    if (attention & CLUA_ATTEND_INTERRUPT) {
        if (context->raised) {
            // Switching costs too, and a hook that counts already continues to count.
            context->grace -= SWITCH_COST;
            if (context->grace <= 0 || lua_gethook(L) != hook)
                lua_sethook(L, hook, LUA_MASKCOUNT, context->grace > 0 ? GRACE_STEP : 1);
        } else {
            lua_sethook(L, hook, LUA_MASKCALL | LUA_MASKRET | LUA_MASKLINE | LUA_MASKCOUNT, 1);
        }
    } else if (attention & CLUA_ATTEND_MEMORY) {
        lua_sethook(L, hook, LUA_MASKCOUNT, 1);
    } else if (attention & CLUA_ATTEND_PAUSE) {
        lua_sethook(L, hook, LUA_MASKCOUNT, 1);
    } else if (attention & CLUA_ATTEND_INSTRUCTIONS) {
        // Switching counts as work, too; otherwise many short coroutines would count nothing.
        context->instructions += SWITCH_COST;
        if (context->instructions >= context->instruction_limit) {
            lua_sethook(L, hook, LUA_MASKCOUNT, 1);
        } else if (lua_gethook(L) != hook || is_without_lines(context, L)) {
            watch_steadily(context, L, INSTRUCTION_STEP);
        }
    } else if (attention & CLUA_ATTEND_LINES) {
        if (lua_gethook(L) != hook || lua_gethookmask(L) != LUA_MASKLINE) watch_steadily(context, L, INSTRUCTION_STEP);
    }
}

// Nothing runs now: an interrupt has done its work, unless all later code has to be stopped as well, and
// instructions are counted anew.
void clua_end_last_slice(clua_context *context) {
    clua_clear_attention(context, context->stopping ? CLUA_ATTEND_MEMORY : CLUA_ATTEND_INTERRUPT | CLUA_ATTEND_MEMORY);
    // A signal may have set it meanwhile.
    if (context->stopping) clua_set_attention(context, CLUA_ATTEND_INTERRUPT);
    context->raised = 0;
    // After a pause the same slice continues.
    if (!context->pausing) context->instructions = 0;
}

void clua_interrupt_next(clua_context *context, int kind) {
    context->interrupt_kind = kind;
    clua_set_attention(context, CLUA_ATTEND_INTERRUPT);
}

int clua_interrupt(clua_context *context, int kind) {
    lua_State *running = context->running;
    if (running == NULL) return 0;
    context->interrupt_kind = kind;
    // A repeated interrupt: the code that still runs has had the same time once more.
    if (context->raised) context->grace = 0;
    clua_set_attention(context, CLUA_ATTEND_INTERRUPT);
    clua_attend(context, running);
    return 1;
}

void clua_leave(clua_context *context) {
    if (context->running == NULL) return;
    context->interrupt_kind = CLUA_LIMIT_EXIT;
    context->raised = 1;
    context->grace = 0;
    clua_set_attention(context, CLUA_ATTEND_INTERRUPT);
    clua_attend(context, context->running);
}

void clua_arm_stray_yield(lua_State *L) {
    clua_add_marks(L, CLUA_MARK_STRAY);
    lua_sethook(L, hook, LUA_MASKCALL | LUA_MASKRET | LUA_MASKLINE | LUA_MASKCOUNT, 1);
}

CLUA_END_JUMPED_OVER
