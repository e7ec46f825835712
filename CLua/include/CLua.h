// Lua 5.4 for Swift: see README.md. Notation: [-taken, +pushed, raises] as in Lua's manual; `-` never raises,
// `m` only for lack of memory (which cannot happen at host depth >= 1), `e` any error.
#ifndef CLUA_H
#define CLUA_H

#include "clua_context.h"
#include "clua_spellings.h"

#pragma clang assume_nonnull begin

// MARK: universe

/// Creates a universe; NULL if there is no memory. Its host depth is 1. In a reproducible universe, `next` and
/// `pairs` have an order: numbers, strings and booleans sorted, then everything else in order of creation.
clua_context *_Nullable clua_open(int is_reproducible);
/// Closes a universe: runs all finalizers, frees all memory.
void clua_close(clua_context *context);
/// Soft and hard limit in bytes; 0: none.
void clua_set_memory_limit(clua_context *context, size_t soft, size_t hard);
/// Full collections at every allocation that may collect, and at each host call.
void clua_set_hostile(clua_context *context, int hostile);
/// [-0, +0, -] The number of blocks made up to and including an object of a reproducible universe; 0 for a value that
/// is not an object.
uint64_t clua_number_of(lua_State *L, int index);
/// [-0, +0, e] Collects all garbage; raises only for warnings of finalizers.
void clua_collect(lua_State *L);
/// Whether a finalizer runs; it may run during any call that creates an object.
int clua_is_finalizing(lua_State *L);
/// Instructions per slice; 0: none.
void clua_set_instruction_limit(clua_context *context, int64_t limit);

// MARK: libraries

enum {
    CLUA_LIB_BASE = 1 << 0, CLUA_LIB_COROUTINE = 1 << 1, CLUA_LIB_TABLE = 1 << 2, CLUA_LIB_STRING = 1 << 3,
    CLUA_LIB_MATH = 1 << 4, CLUA_LIB_UTF8 = 1 << 5, CLUA_LIB_OS = 1 << 6, CLUA_LIB_IO = 1 << 7,
    CLUA_LIB_DEBUG = 1 << 8, CLUA_LIB_PACKAGE = 1 << 9,
};
/// The extent of the libraries: only functions that reach nothing outside; all but modules in C; everything.
enum { CLUA_SAFE = 0, CLUA_WITHOUT_NATIVE_MODULES = 1, CLUA_FULL = 2 };
/// Opens libraries. Returns a status; on failure [-0, +1, -].
int clua_open_libraries(lua_State *L, unsigned libraries, int extent);

/// Sends what `io.write` and `io.stdout` write to `print`, in pieces. Needs the library io. 0: no memory.
int clua_capture_output(clua_context *context);

/// Flushes the files that scripts have opened for writing. [-0, +0, -]
void clua_flush_files(lua_State *L);

// MARK: coverage

/// From now on, counts how often each line of a file is executed.
void clua_set_coverage(clua_context *context);
/// The next file with executed lines: its name, and how often each line was executed, from line 0 on. `place` is NULL
/// at first. 0: none.
int clua_next_covered(clua_context *context, const void *_Nullable *_Nonnull place,
    const char *_Nullable *_Nonnull name,
                      const uint32_t *_Nullable *_Nonnull counts, int *count);
/// Counts from 0 again.
void clua_reset_covered(clua_context *context);
/// [-1, +0, m] Marks the lines that can be executed in the Lua function on top and in all functions inside it. `lines`
/// has `count` elements. 0: this Lua keeps its code in an unknown form.
int clua_mark_active_lines(lua_State *L, uint8_t *lines, int count);

/// The line that `lua -v` prints.
static inline const char *clua_copyright(void) { return LUA_COPYRIGHT; }

// MARK: host functions

/// [-upvalues, +1, m] A Lua function that runs `function`.
void clua_push_function(lua_State *L, clua_function function, int upvalues);
/// [-0, +1, m] A Lua function that runs `function` with at most so many arguments (0 to 5), and `refuse` with more;
/// `refuse` finds the number as its first upvalue.
void clua_push_limited_function(lua_State *L, clua_function function, int most, clua_function refuse);
/// [-0, +1, -] A continuation for CLUA_WAIT_THEN and CLUA_CALL_THEN.
void clua_push_continuation(lua_State *L, clua_continuation continuation);
/// [-1, +1, m] Replaces a table (name -> function, integer or constant) by an `__index` function.
void clua_push_index(lua_State *L, clua_accessor _Nullable getter, clua_function _Nullable fallback);
/// [-1, +1, m] Replaces a table (name -> integer) by a `__newindex` function.
void clua_push_newindex(lua_State *L, clua_accessor _Nullable setter, clua_function _Nullable fallback);
/// [-0, +1, m] The text of a bad argument, with position: `job.lua:1: bad argument #1 to 'f' (text)`.
void clua_push_argument_error(lua_State *L, int argument, const char *text, size_t count);
/// [-0, +1, m] `job.lua:7: ` for the function at a level, or the empty string.
void clua_push_where(lua_State *L, int level);
/// [-0, +1, m] The same for the function that has called the program's own Lua code, which has called the running one.
void clua_push_caller_of_own_code(lua_State *L);

// MARK: userdata

/// [-0, +1, m] A userdata that holds a retained Swift object; give it a metatable at once. `weight` is how many bytes
/// the object holds outside of Lua; call `clua_charge` afterwards if that is not 0.
void clua_push_box(lua_State *L, const void *identity, void *object, int user_values, size_t weight);
/// [-0, +0, m] Makes the collector account for the bytes of the pushed boxes as for memory of Lua's own.
void clua_charge(lua_State *L);
/// The result of `clua_file` for a value that is not a file of Lua's library, and for a closed file.
enum { CLUA_NO_FILE = -1, CLUA_CLOSED_FILE = -2 };
/// [-0, +0, m] The descriptor of a file of Lua's library, and how many bytes it has read ahead.
int clua_file(lua_State *L, int index, size_t *buffered);
/// [-1, +1, m] Gives the metatable on top a `__gc` that releases boxes.
void clua_add_box_finalizer(lua_State *L);

// MARK: protected forms; each returns a status, and with a status other than 0 leaves [-its operands, +1] an error.

/// [-(n + 1), +results | 1, -] A call; frames of an error are recorded.
int clua_call(lua_State *L, int arguments, int results);
/// [-0, +1, -] Loads source text, and binary chunks if the universe does that.
int clua_load(lua_State *L, const char *_Nullable bytes, size_t count, const char *name);
/// [-1, +1, -] The key on top is replaced by the value.
int clua_get(lua_State *L, int index);
/// [-0, +1, -]
int clua_get_field(lua_State *L, int index, const char *name, size_t count);
/// [-2, +0 | 1, -] Key and value on top.
int clua_set(lua_State *L, int index);
/// [-1, +0 | 1, -]
int clua_set_field(lua_State *L, int index, const char *name, size_t count);
/// [-2, +0 | 1, -] Without metamethods; raises for a nil or NaN key.
int clua_raw_set(lua_State *L, int index);
/// [-1, +2 or 0 | 1, -] `more` says whether there was a pair.
int clua_next(lua_State *L, int index, int *more);
/// As `lua_next`, but it cannot raise: for a key whose field is gone meanwhile, it returns -1. Needs one free slot.
/// [-1, +2 | 0, -]
int clua_next_unprotected(lua_State *L, int index);
/// [-0, +0 | 1, -] `operation`: LUA_OPEQ, LUA_OPLT, LUA_OPLE.
int clua_compare(lua_State *L, int first, int second, int operation, int *result);
/// [-n, +1, -]
int clua_concat(lua_State *L, int count);
/// [-0, +1, -] As `tostring`.
int clua_describe(lua_State *L, int index);
/// [-0, +0 | 1, -] As `#`.
int clua_length(lua_State *L, int index, lua_Integer *length);

// MARK: roots

/// [-0, +1, m] A new coroutine for the host's bodies.
lua_State *clua_push_root(lua_State *L);
/// The same, kept in the table that a reference anchors. [-0, +0, m]
lua_State *clua_keep_root(lua_State *L, int table, lua_Integer place);
/// Drops the root at a place in the table that a reference anchors. [-0, +0, -]
void clua_drop_root(lua_State *L, int table, lua_Integer place);
/// Runs the function that is a user value of a userdata, with the userdata as its argument; the userdata is in the
/// table that a reference anchors. The root is idle and empty.
int clua_root_start_body(lua_State *root, int table, lua_Integer place, int user_value);
/// Runs the function at index 1 of an idle root with the values above it as arguments. Finished: all values on the
/// root's stack are results. Failed: the error is the only value.
/// Without `can_wait`, a wait in it raises an error.
int clua_root_start(lua_State *root, int can_wait);
/// The index of the table of a series while the series runs.
enum { CLUA_SERIES_TABLE = 2 };
/// The same; when the function has returned without a wait, `next` may push another one with its arguments onto the
/// root, and returns the number of values. The table that a reference anchors is at CLUA_SERIES_TABLE meanwhile, with
/// nothing above it when `next` is called. Results are dropped.
int clua_root_start_series(lua_State *root, int table, clua_function next);
/// Resumes a waiting root with a boolean and values, `count` in all, on top of its stack; a paused one with none.
int clua_root_deliver(lua_State *root, int count);
/// Whether a script holds this root as a value.
static inline int clua_root_is_exposed(lua_State *root) { return (clua_marks(root) & CLUA_MARK_EXPOSED) != 0; }
static inline int clua_root_is_waiting(lua_State *root) { return (clua_marks(root) & CLUA_MARK_WAITING) != 0; }
/// Whether the function that waits runs for a close variable, which is left normally. [-0, +0, -]
int clua_is_closing(lua_State *L);
/// The same for the stack of a coroutine alone, which may wait. [-0, +0, -]
int clua_closes(lua_State *L);
/// Whether `L`, which is only compared by its address, runs or has resumed the running coroutine. [-0, +0, -]
int clua_is_active(clua_context *context, lua_State *L);
/// Whether a wait is possible for the calling function.
static inline int clua_can_wait(lua_State *L) {
    clua_context *context = clua_of(L);
    return context->can_wait && context->running == L && lua_isyieldable(L);
}

// MARK: objects that the host keeps

enum { CLUA_KEPT_IN_A_LOT = 64, CLUA_KIB_OF_USERDATA = 15 };

/// Gives the collector credit for a lot of objects. [-0, +0, m]
void clua_credit_kept(lua_State *L, clua_kept *kept, int kib);
/// The host is about to make, or has made, an object that it keeps. `kib` is the size of one lot.
///
/// Allocations drive the collector. An object that the host keeps is in use, so a collection because of many such
/// objects would visit each of them and find no garbage. An object counts when the host has dropped it and makes
/// another one in its place. [-0, +0, m]
static inline void clua_count_kept(lua_State *L, clua_kept *kept, int kib) {
    if (kept->dropped_before > 0) {
        kept->dropped_before--;
    } else if (kept->dropped > 0) {
        kept->dropped--;
    } else if (++kept->to_credit == CLUA_KEPT_IN_A_LOT) {
        clua_credit_kept(L, kept, kib);
    }
}
/// A cycle of the collector has ended: objects that were dropped before it began are gone. [-0, +0, -]
void clua_cycle_ended(clua_context *context);
/// All garbage has been collected: no debt is left for dropped objects. [-0, +0, -]
void clua_forget_dropped(clua_context *context);
/// The host is about to keep a userdata in a table. [-0, +0, m]
static inline void clua_note_kept(lua_State *L) {
    clua_count_kept(L, &clua_of(L)->userdata, CLUA_KIB_OF_USERDATA);
}
/// A userdata, however it was made, is no longer kept. [-0, +0, -]
static inline void clua_note_dropped(lua_State *L) { clua_of(L)->userdata.dropped++; }

/// Puts `false` at a place of the table of a reference, so that the table stays an array; the value that is there is
/// ignored. [-0, +0, -]
CLUA_ALWAYS_INLINE void clua_drop_kept(lua_State *L, int reference, lua_Integer place) {
    clua_push_reference(L, reference);
    lua_pushboolean(L, 0);
    lua_rawseti(L, -2, place);
    lua_settop(L, -2);
}

// MARK: interrupting

/// Stops the running code with a limit error. Only on the thread of the state, or in a signal handler there. 0: no
/// code runs.
int clua_interrupt(clua_context *context, int kind);
/// The same for the code that runs next.
void clua_interrupt_next(clua_context *context, int kind);
/// The running code ends at once, and so does each close variable that Lua calls from here on until no code runs: it
/// raises CLUA_LIMIT_EXIT at its first instruction. The caller raises an error. [-0, +0, -]
void clua_leave(clua_context *context);

/// Interrupts a state from other threads, by a signal (SIGURG) to the thread that runs it.
typedef struct clua_watch clua_watch;
/// NULL if there is no memory. Detach it on the context's thread before the context is closed: the stopped code may
/// then run again. Free it when it is no longer used.
clua_watch *_Nullable clua_watch_open(clua_context *context);
void clua_watch_detach(clua_watch *watch);
void clua_watch_free(clua_watch *watch);
/// Notes that this thread will run the state, and that it no longer does. The calls nest.
void clua_watch_enter(clua_watch *watch);
void clua_watch_leave(clua_watch *watch);
/// Lua code that runs at a moment of the monotonic clock, in nanoseconds, is paused there or soon after, if it can
/// yield: its root has the outcome CLUA_ROOT_PAUSED. For the thread that has entered the watch. Without a timer of
/// the system, it is not paused.
void clua_watch_pause_at(clua_watch *watch, int64_t moment);
/// No code is paused any more.
void clua_watch_pause_never(clua_watch *watch);
/// Notes that a slice begins or ends.
void clua_watch_step(clua_watch *watch);
/// How often a slice has begun or ended; odd while one runs. From any thread.
uint64_t clua_watch_slice(clua_watch *watch);
/// Interrupts a slice with the limit of time, if it still runs. From any thread.
void clua_watch_expire(clua_watch *watch, uint64_t slice);
/// Interrupts the running code and all later code. From any thread.
void clua_watch_stop(clua_watch *watch);

// MARK: functions

/// Writes the precompiled form of the Lua function at an index to a writer; 0 if it is not a Lua function. [-0, +0, -]
int clua_dump(lua_State *L, int index, lua_Writer writer, void *_Nullable data);
/// [-0, +1, -] Loads bytes that `clua_dump` wrote, and returns a status. Never use it for bytes of any other
/// origin: they can crash Lua.
int clua_undump(lua_State *L, const char *bytes, size_t count);
/// The place where the Lua function at an index begins: its chunk as messages show it, and the line. [-0, +0, -]
int clua_definition(lua_State *L, int index, char source[_Nonnull LUA_IDSIZE]);

// MARK: isolates

/// Prepares the libraries of a universe for functions that must not see traces of earlier ones: a change that
/// cannot be undone records a taint, and `refused` (a set of names, at an index) raises. Status. [-0, +0 | 1, -]
int clua_seal(lua_State *L, int refused);
/// A new table of globals over the sealed ones; it also becomes the table of globals of chunks. [-0, +1, m]
void clua_push_fresh_globals(lua_State *L);
/// [-0, +1, m] The library or function of a dotted name, such as `table.insert`, or nil.
void clua_push_library_value(lua_State *L, const char *name);

// MARK: frames and places

/// [-0, +0, -] Records the call stack from a level on.
void clua_record_frames(lua_State *L, int level);
/// [-0, +0, -] The place of the first Lua function at or above a level, as a source identity; 0 if there is none.
/// In place of the program's own chunks (`=[opscript]`), that of their caller is returned, if they have one.
int32_t clua_where(lua_State *L, int level, int32_t *line);
/// The name of a source identity.
const char *clua_source_name(clua_context *context, int32_t source);

#pragma clang assume_nonnull end
#endif
