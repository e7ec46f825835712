// Whether Lua keeps things where clua_layout.h says: in a release whose sources were looked at, and tried besides.
#include "internal.h"

#include <string.h>

// How it lies in memory is the same in these.
enum { FIRST_RELEASE = 4, LAST_RELEASE = 6 };

static int release_is_known(void) {
    static const char name[] = "$LuaVersion: Lua 5.4.";
    // That of the library that runs, which may be another one than that of the headers.
    if (strncmp(lua_ident, name, sizeof name - 1) != 0) return 0;
    const char *digit = lua_ident + sizeof name - 1;
    return *digit >= '0' + FIRST_RELEASE && *digit <= '0' + LAST_RELEASE && digit[1] == ' ';
}

// MARK: trial

// Nothing is read through an address before that was compared with what Lua's interface gives, or lies where it must be memory of the same
// object: a trial that fails must not crash.

enum { CALLS = 4, MOST_USER_VALUES = 5, ARRAY = 4 };

typedef struct trial {
    const uint32_t *instructions[CALLS];
    int count, is_bad;
} trial;

static int call_is_known(const clua_stack *stack, const lua_Debug *own, const lua_Debug *caller) {
    return (void *)stack->call == (void *)own->i_ci && (void *)stack->call->caller == (void *)caller->i_ci
        && (stack->call->marks & CLUA_CALL_OF_NATIVE_FUNCTION) && !(stack->call->caller->marks & CLUA_CALL_OF_NATIVE_FUNCTION);
}

static int try_function(lua_State *L);

// Upvalues: 1 the trial, 2 a string.
static int function_is_known(lua_State *L, lua_Debug *own) {
    lua_getinfo(L, "f", own);
    const void *address = lua_topointer(L, -1);
    lua_settop(L, -2);
    const clua_value *value = clua_stack_of(L)->call->function;
    if ((value->tag & CLUA_TYPE_OF_TAG) != LUA_TFUNCTION || value->as.address != address) return 0;
    if (((const clua_closure *)address)->function != try_function) return 0;
    return clua_upvalue_at(L, 1)->as.address == lua_touserdata(L, lua_upvalueindex(1))
        && clua_upvalue_at(L, 2)->tag == CLUA_TAG_SHORT_STRING
        && clua_upvalue_at(L, 2)->as.address == lua_topointer(L, lua_upvalueindex(2));
}

// Their user values are their numbers.
static int userdata_is_known(lua_State *L, int index, const clua_value *value) {
    char *memory = lua_touserdata(L, index);
    clua_header *header = (clua_header *)value->as.address;
    size_t distance = (size_t)(memory - (char *)header);
    if (value->tag != CLUA_TAG_USERDATA || distance < offsetof(clua_header, gray)
        || distance > sizeof(clua_header) + MOST_USER_VALUES * sizeof(clua_value)) return 0;
    if (header->length != lua_rawlen(L, index) || clua_memory_of(header) != memory) return 0;
    if (header->user_values > 0 && clua_header_of(memory, header->user_values) != header) return 0;
    int top = lua_gettop(L), count = 0;
    while (lua_getiuservalue(L, index, count + 1) != LUA_TNONE) count++;
    lua_settop(L, top);
    if (header->user_values != count) return 0;
    for (int number = 1; number <= count; number++) {
        clua_value *found = &header->values[number - 1];
        if (found->tag != CLUA_TAG_INTEGER || found->as.integer != number) return 0;
        clua_push_value(L, found);
        found->tag = CLUA_TAG_NIL;
        int is_moved = lua_getiuservalue(L, index, number) == LUA_TNIL && lua_tointeger(L, -2) == number;
        lua_settop(L, -2);
        lua_setiuservalue(L, index, number);
        if (!is_moved || lua_gettop(L) != top) return 0;
    }
    return 1;
}

// An array: of integers that are their places, or none.
static int table_is_known(lua_State *L, int index, const clua_value *value) {
    if (value->tag != CLUA_TAG_TABLE || value->as.address != lua_topointer(L, index)) return 0;
    clua_table *table = (clua_table *)value->as.address;
    int top = lua_gettop(L), length = (int)lua_rawlen(L, index);
    if (table->limit != (uint32_t)length || clua_put(table, length + 1, value) || clua_put(table, 0, value)) return 0;
    for (int place = 1; place <= length; place++) {
        clua_value *element = &table->array[place - 1];
        if (element->tag != CLUA_TAG_INTEGER || element->as.integer != place || !clua_put_false(table, place)) return 0;
        int is_false = lua_rawgeti(L, index, place) == LUA_TBOOLEAN && !lua_toboolean(L, -1);
        lua_pushinteger(L, place);
        int is_put = clua_put(table, place, clua_value_at(L, -1)) && lua_rawgeti(L, index, place) == LUA_TNUMBER;
        int is_same = is_put && lua_tointeger(L, -1) == place;
        lua_settop(L, top);
        if (!is_false || !is_same) return 0;
    }
    return 1;
}

static int value_is_known(lua_State *L, int index) {
    int top = lua_gettop(L), type = lua_type(L, index);
    const clua_value *value = clua_value_at(L, index);
    if (value == NULL || value != clua_value_at(L, index - top - 1) || (value->tag & CLUA_TYPE_OF_TAG) != type) return 0;
    clua_push_value(L, value);
    int is_copied = lua_gettop(L) == top + 1 && lua_type(L, -1) == type && (type == LUA_TNIL || lua_rawequal(L, -1, index));
    lua_settop(L, top);
    if (!is_copied) return 0;
    switch (type) {
    case LUA_TNIL: return value->tag == CLUA_TAG_NIL;
    case LUA_TNUMBER:
        if (lua_isinteger(L, index) != (value->tag == CLUA_TAG_INTEGER)) return 0;
        return value->tag != CLUA_TAG_INTEGER || value->as.integer == lua_tointeger(L, index);
    case LUA_TSTRING:
        if (value->as.address != lua_topointer(L, index)) return 0;
        return (lua_rawlen(L, index) <= 40) == (value->tag == CLUA_TAG_SHORT_STRING);
    case LUA_TLIGHTUSERDATA: return value->tag != CLUA_TAG_USERDATA && value->as.address == lua_touserdata(L, index);
    case LUA_TUSERDATA: return userdata_is_known(L, index, value);
    case LUA_TTABLE: return table_is_known(L, index, value);
    default: return 1;
    }
}

static int layout_is_known(lua_State *L, trial *trial) {
    const clua_stack *stack = clua_stack_of(L);
    lua_Debug own, caller;
    if (trial->count == CALLS || !lua_getstack(L, 0, &own) || !lua_getstack(L, 1, &caller)) return 0;
    if (!call_is_known(stack, &own, &caller)) return 0;
    trial->instructions[trial->count++] = stack->call->caller->next_instruction;
    int top = lua_gettop(L);
    if ((char *)stack->top - (char *)stack->call->function != (top + 1) * (ptrdiff_t)sizeof(clua_value)) return 0;
    if (!function_is_known(L, &own) || clua_value_at(L, top + 1) != NULL) return 0;
    for (int index = 1; index <= top; index++) {
        if (!value_is_known(L, index)) return 0;
    }
    return lua_gettop(L) == top;
}

static int try_function(lua_State *L) {
    trial *trial = lua_touserdata(L, lua_upvalueindex(1));
    if (!layout_is_known(L, trial)) trial->is_bad = 1;
    return 0;
}

static void push_values(lua_State *L, trial *trial) {
    static const char text[] = "a string that is too long for Lua to have it once only, as it has short ones";
    lua_pushlightuserdata(L, trial);
    lua_pushliteral(L, "upvalue");
    lua_pushcclosure(L, try_function, 2);
    lua_pushinteger(L, -7);
    lua_pushnumber(L, 0.5);
    lua_pushliteral(L, "short");
    lua_pushlstring(L, text, sizeof text - 1);
    lua_pushlstring(L, text, 40);
    lua_pushboolean(L, 0);
    lua_pushboolean(L, 1);
    lua_pushnil(L);
    lua_pushlightuserdata(L, trial);
    lua_createtable(L, ARRAY, 0);
    for (int place = 1; place <= ARRAY; place++) {
        lua_pushinteger(L, place);
        lua_rawseti(L, -2, place);
    }
    lua_newtable(L);
    lua_pushcfunction(L, try_function);
    lua_newthread(L);
    for (int count = 0; count <= MOST_USER_VALUES; count++) {
        memset(lua_newuserdatauv(L, 24, count), 0, 24);
        for (int number = 1; number <= count; number++) {
            lua_pushinteger(L, number);
            lua_setiuservalue(L, -2, number);
        }
    }
}

// Two calls one after the other, and both again: with what lies between, three instructions apart, and the same.
static int try_calls(lua_State *L, lua_State *from) {
    static const char code[] = "local f = ... for _ = 1, 2 do f(...) f(...) end";
    trial trial = {.count = 0};
    if (luaL_loadbufferx(L, code, sizeof code - 1, "=trial", "t") != LUA_OK) return 0;
    push_values(L, &trial);
    int count = lua_gettop(L) - 1, given;
    int status = from != NULL ? lua_resume(L, from, count, &given) : lua_pcall(L, count, 0, 0);
    if (status != LUA_OK || trial.count != CALLS || trial.is_bad) return 0;
    const uint32_t *const *found = trial.instructions;
    return found[0] != NULL && found[1] == found[0] + 3 && found[2] == found[0] && found[3] == found[1];
}

static uint8_t mark_of(lua_State *L, int index) {
    // Of tables and userdata it lies at the same place.
    return ((const clua_table *)clua_value_at(L, index)->as.address)->mark;
}

// A collector with generations has seen all that is old, and one without nothing that is new.
static int try_marks(lua_State *L) {
    int table = lua_gettop(L) + 1, userdata = table + 1;
    lua_createtable(L, ARRAY, 0);
    lua_newuserdatauv(L, 24, 1);
    int is_known = !(mark_of(L, table) & CLUA_SEEN) && !(mark_of(L, userdata) & CLUA_SEEN);
    lua_gc(L, LUA_GCGEN, 0, 0);
    is_known = is_known && (mark_of(L, table) & CLUA_SEEN) && (mark_of(L, userdata) & CLUA_SEEN);
    lua_newuserdatauv(L, 24, 1);
    is_known = is_known && !(mark_of(L, -1) & CLUA_SEEN);
    lua_gc(L, LUA_GCINC, 0, 0, 0);
    is_known = is_known && !(mark_of(L, table) & CLUA_SEEN) && !(mark_of(L, userdata) & CLUA_SEEN);
    lua_settop(L, table - 1);
    return is_known;
}

// What a metatable is known not to have is forgotten when it gets something, and found out again when it is asked for a finalizer.
static int try_metatables(lua_State *L) {
    enum { ALL = 0x3f };
    int userdata = lua_gettop(L) + 1, meta = userdata + 1;
    lua_newuserdatauv(L, 24, 1);
    lua_createtable(L, 0, 4);
    const clua_table *table = (const clua_table *)clua_value_at(L, meta)->as.address;
    lua_pushboolean(L, 0);
    lua_setfield(L, meta, "__len");
    int is_known = (table->without & ALL) == 0;
    lua_pushvalue(L, meta);
    lua_setmetatable(L, userdata);
    const clua_header *header = (const clua_header *)clua_value_at(L, userdata)->as.address;
    is_known = is_known && header->metatable == lua_topointer(L, meta) && (table->without & ALL) == CLUA_WITHOUT_FINALIZER;
    lua_pushboolean(L, 0);
    lua_setfield(L, meta, "__gc");
    is_known = is_known && (table->without & ALL) == 0;
    lua_settop(L, userdata - 1);
    return is_known;
}

static int try_layout(void) {
    lua_State *L = luaL_newstate();
    if (L == NULL) return 0;
    int is_known = try_calls(L, NULL) && try_marks(L) && try_metatables(L);
    if (is_known) {
        // A stack that has moved.
        lua_State *coroutine = lua_newthread(L);
        is_known = lua_checkstack(coroutine, 1000) && try_calls(coroutine, L);
    }
    lua_close(L);
    return is_known;
}

int clua_finds_layout(void) {
    enum { UNTRIED, KNOWN, UNKNOWN };
    static int state = UNTRIED;
    int known = __atomic_load_n(&state, __ATOMIC_RELAXED);
    if (known == UNTRIED) {
        known = release_is_known() && try_layout() ? KNOWN : UNKNOWN;
        __atomic_store_n(&state, known, __ATOMIC_RELAXED);
    }
    return known == KNOWN;
}

CLUA_END_JUMPED_OVER
