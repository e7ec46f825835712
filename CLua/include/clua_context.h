// The context of a universe: one per Lua state and all its coroutines.
#ifndef CLUA_CONTEXT_H
#define CLUA_CONTEXT_H

#if __has_include(<lua5.4/lua.h>)
#include <lua5.4/lauxlib.h>
#include <lua5.4/lua.h>
#include <lua5.4/lualib.h>
#else
#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>
#endif
#include <stddef.h>
#include <stdint.h>

#if LUA_VERSION_NUM != 504
#error "CLua needs Lua 5.4"
#endif

#pragma clang assume_nonnull begin

/// A host function. Returns n >= 0 (that many results lie on top) or one of the CLUA_… replies.
typedef int (*clua_function)(lua_State *L);
/// A continuation, which runs after a wait or a call. `base` is the index of a boolean "succeeded"; the values are
/// above it.
typedef int (*clua_continuation)(lua_State *L, int base);
/// A property accessor: the object is at index 1 and, for a setter, the value at index 3.
typedef int (*clua_accessor)(lua_State *L, int property);

/// Replies of a host function.
enum {
    CLUA_RAISE = -1,     ///< Raise the value on top.
    CLUA_WAIT = -2,      ///< The calling coroutine waits; the resumer delivers the results.
    CLUA_WAIT_THEN = -3, ///< As CLUA_WAIT; a continuation (light userdata) lies on top and handles the delivery.
    CLUA_CALL = -16,     ///< CLUA_CALL - n: call the function below n arguments, return all its results.
    CLUA_CALL_THEN = -(1 << 24), ///< CLUA_CALL_THEN - n: protected; above the arguments lies a continuation.
};

/// Outcomes of resuming a root coroutine.
enum { CLUA_ROOT_FINISHED = 0, CLUA_ROOT_WAITING = 1, CLUA_ROOT_FAILED = 2, CLUA_ROOT_PAUSED = 3 };

/// Kinds of limit, as given to `push_limit`.
enum {
    CLUA_LIMIT_MEMORY = 1,
    CLUA_LIMIT_TIME = 2,
    CLUA_LIMIT_INSTRUCTIONS = 3,
    CLUA_LIMIT_STRAY_YIELD = 4,
    CLUA_LIMIT_OUTPUT = 5,
    CLUA_LIMIT_FILES = 6,
    CLUA_LIMIT_PROCESSES = 7,
    CLUA_LIMIT_EXIT = 8 ///< No limit: the script ended the run, and close variables do not run.
};

/// Kinds of handles of the library `io`.
enum { CLUA_HANDLE_FILE = 0, CLUA_HANDLE_PROCESS = 1, CLUA_HANDLE_KINDS = 2 };

/// Marks of a coroutine: the low bits of the word in front of its lua_State.
/// A context is aligned to 64 bytes, so that six bits are free.
enum {
    CLUA_MARK_ROOT = 1,
    CLUA_MARK_WAITING = 2,
    CLUA_MARK_EXPOSED = 4, ///< A script asked for the root as a value.
    CLUA_MARK_STRAY = 8,   ///< It yielded where nothing can resume it: its next step raises.
    CLUA_MARK_FRAMES = 16, ///< It waits while an error unwinds, whose frames are kept in the registry.
    CLUA_MARKS = 63,
};

/// Reasons for a check: bits of `attention`.
enum {
    CLUA_ATTEND_INTERRUPT = 1,
    CLUA_ATTEND_MEMORY = 2,
    CLUA_ATTEND_INSTRUCTIONS = 4,
    CLUA_ATTEND_LINES = 8,
    CLUA_ATTEND_PAUSE = 16,
};

/// How the running coroutine may leave its resumers. Each resumer up to the root can yield in both cases; for a pause,
/// nothing of the host is below the root either.
enum { CLUA_CAN_WAIT = 1, CLUA_CAN_PAUSE = 2 };

/// Steps before a host call: bits of `call_checks`. Memory is collected, or there has to be some left.
enum { CLUA_CHECK_COLLECTS = 1, CLUA_CHECK_MEMORY = 2 };

/// How the next recording of frames treats those recorded before.
enum { CLUA_FRAMES_REPLACE = 0, CLUA_FRAMES_KEEP = 1, CLUA_FRAMES_APPEND = 2 };

/// One level of a call stack, copied so that it outlives the stack.
typedef struct clua_frame {
    char source[LUA_IDSIZE]; ///< As messages show it: `job.lua`, `[C]`.
    char name[48];           ///< Empty when unknown.
    char name_kind[16];      ///< `global`, `local`, `method`, `field`, … or empty.
    int32_t line;            ///< -1 when there is none.
    int32_t defined;         ///< The line where the function begins, 0 for a main chunk.
    uint8_t is_native;       ///< A C or Swift function.
    uint8_t is_main;         ///< The main function of a chunk.
    uint8_t is_tail;         ///< Called by a tail call: callers in between are lost.
    uint8_t gap;             ///< Levels were left out in front of this one.
} clua_frame;

enum { CLUA_FRAME_CAPACITY = 44, CLUA_FRAME_FIRST = 10, CLUA_FRAME_LAST = 11 };
/// Lua aligns nothing to more than a pointer.
enum { CLUA_SIZE_CLASSES = 128, CLUA_SIZE_STEP = 8 };

typedef struct clua_block {
    struct clua_block *_Nullable next;
} clua_block;

struct clua_slice;
struct clua_sources;
struct clua_coverage;

/// Objects that the host keeps until it drops them, as the collector should count them.
typedef struct clua_kept {
    /// Dropped objects that no new object has replaced yet: those dropped since the collector's last cycle ended,
    /// and those dropped in the cycle before.
    size_t dropped, dropped_before;
    /// New objects, which are credited in lots.
    size_t to_credit;
} clua_kept;

typedef struct clua_context {
    /// How many host frames are on the stack. 0 only while Lua itself runs: only then an allocation may fail.
    int32_t depth;
    /// CLUA_ATTEND_… bits. Also written by a signal handler on the thread of the state.
    volatile uint32_t attention;
    uint8_t waiting;     ///< A wait is on its way to its root.
    uint8_t pausing;     ///< That wait is a pause: its root continues at the same place, with nothing delivered.
    uint8_t can_wait;    ///< CLUA_CAN_… bits.
    uint8_t terminating; ///< Errors are no longer caught by scripts. Set by the host per root.
    uint8_t unwinding;   ///< An error is unwinding the stack: close variables run.
    uint8_t failed;      ///< The base call of a root caught an error.
    int32_t grace;       ///< How many instructions are left to close variables once an interrupt has been raised.
    uint8_t raised;      ///< The interrupt has been raised: close variables have some grace.
    uint8_t call_checks; ///< CLUA_CHECK_… bits: before each host call.
    uint8_t refuses_finalizers;
    uint8_t bounds_patterns; ///< String functions that search can be stopped. Set before libraries are opened.
    uint8_t loads_binary; ///< Scripts may load and make binary chunks. Set before libraries are opened.
    /// `package.path` and `package.cpath` are the defaults, whatever the environment says. Set before libraries are
    /// opened.
    uint8_t ignores_environment;
    uint8_t warnings;    ///< `warn` is on.
    uint8_t frames_mode;
    uint8_t restricts_collector;
    uint8_t is_reproducible; ///< Objects are numbered, and tables are traversed in an order.
    /// The universe has a change that outlives a call: it must not be used for another isolate.
    uint8_t is_tainted;
    volatile uint8_t stopping; ///< The host forbids any further code to run. Written by a signal handler.
    int32_t interrupt_kind;
    /// The coroutine that runs now, NULL outside of Lua.
    lua_State *_Nullable volatile running;
    struct clua_slice *_Nullable slice;
    /// The root that runs a series of functions, and the function that pushes the next one.
    lua_State *_Nullable series;
    clua_function _Nullable next_of_series;
    lua_State *_Nullable main;
    /// The Swift object that owns the universe, and one word for its host.
    void *_Nullable owner;
    void *_Nullable host;
    /// The metatable of error objects: string functions take their text.
    const void *_Nullable error_metatable;

    /// Bytes of memory, those of `native` included.
    size_t used;
    /// Bytes that boxed objects hold outside of Lua, and those of them that the collector has not been charged with.
    size_t native, to_charge;
    size_t peak;
    size_t soft_limit; ///< SIZE_MAX: none.
    size_t hard_limit;
    clua_block *_Nullable free_blocks[CLUA_SIZE_CLASSES + 1];
    char *_Nullable chunk_next;
    char *_Nullable chunk_end;
    size_t chunk_bytes; ///< In all chunks.
    size_t unchecked;   ///< Bytes taken from the system since it was asked whether it has more.
    uint32_t refusals;  ///< Host calls that were refused since memory became scarce.
    clua_block *_Nullable chunks;
    /// Called by the allocator over the soft limit: returns by how many bytes the limits grow, or 0. It must not
    /// use the state. NULL: the limits do not grow.
    size_t (*_Nullable more_memory)(void *owner, size_t wanted);

    /// Whether the host allows one more open handle of a kind; NULL: it does not count them. With it, the two functions
    /// after it are set, too.
    int (*_Nullable has_room)(void *owner, int kind);
    void (*_Nullable handle_opened)(void *owner, int kind);
    void (*_Nullable handle_closed)(void *owner, int kind);
    /// The functions that close the counted handles.
    lua_CFunction _Nullable close_handle[CLUA_HANDLE_KINDS];

    clua_kept roots;      ///< The host's coroutines.
    clua_kept userdata;   ///< The userdata that the host anchors: operations.

    uint64_t last_number; ///< Of an object, if objects are numbered.
    int64_t instruction_limit; ///< Per slice; 0: none.
    int64_t instructions;

    /// Releases a retained Swift object. Must not call Lua.
    void (*_Nullable release)(void *object);
    /// Pushes the error value for a limit that was hit.
    void (*_Nullable push_limit)(lua_State *L, int kind);
    /// Writes a whole line of `print`, with its newline.
    void (*_Nullable print)(lua_State *L, const char *bytes, size_t count);
    /// Takes a piece of a warning.
    void (*_Nullable warn)(void *_Nullable owner, const char *text, int continues);
    /// Pushes the text of the error object at an index, if its first user value is not a string.
    void (*_Nullable push_error_text)(lua_State *L, int index);
    /// A script is about to collect garbage.
    void (*_Nullable before_collection)(lua_State *L);

    clua_frame *_Nullable frames;
    int32_t frame_count;
    struct clua_sources *_Nullable sources;
    /// The executed lines, if they are recorded.
    struct clua_coverage *_Nullable coverage;
    /// The file of the C library that `io.stdout` represents, if its output goes to `print`.
    void *_Nullable output;
} clua_context;

/// For functions that Swift calls on its hot paths: without this attribute, the compiler does not inline even the
/// smallest of them.
#define CLUA_ALWAYS_INLINE static inline __attribute__((always_inline))

/// The context of a state. [-0, +0, -]
CLUA_ALWAYS_INLINE clua_context *clua_of(lua_State *L) {
    return (clua_context *)(*(uintptr_t *)lua_getextraspace(L) & ~(uintptr_t)CLUA_MARKS);
}

/// The marks of a coroutine. [-0, +0, -]
static inline unsigned clua_marks(lua_State *L) {
    return (unsigned)(*(uintptr_t *)lua_getextraspace(L) & CLUA_MARKS);
}

static inline void clua_add_marks(lua_State *L, unsigned marks) {
    *(uintptr_t *)lua_getextraspace(L) |= marks;
}

static inline void clua_remove_marks(lua_State *L, unsigned marks) {
    *(uintptr_t *)lua_getextraspace(L) &= ~(uintptr_t)marks;
}

#pragma clang assume_nonnull end
#endif
