// Pattern matching that limits can stop: `string.find`, `match`, `gmatch` and `gsub` for universes with limits. The
// stock functions are single C calls, inside which no hook runs, and some patterns take them far too long.
//
// A pattern is compiled into a sequence of nodes, since its language has no alternatives and no repeated groups: a
// search can take back one choice for each repeated node, in the order of the nodes. Therefore it needs no
// recursion, and no more memory than the pattern. An error in a pattern is a node, too. It raises when a search
// reaches it, as in Lua's own library.
#include "patterns.h"

#include <ctype.h>
#include <string.h>

enum { ESCAPE = '%', STEPS_UNSEEN = 1024 };

typedef enum {
    BYTE, ANY, CLASS, SET,                               // one byte, may be repeated
    BEGIN_CAPTURE, END_CAPTURE, POSITION_CAPTURE, SAME,  // captures, and text that must equal one
    BALANCED, FRONTIER, AT_END, DONE,
    BAD_CAPTURE_INDEX, BAD_CAPTURE, TOO_MANY_CAPTURES, BAD_ESCAPE, BAD_SET, BAD_BALANCED, BAD_FRONTIER,
} operation;

typedef clua_pattern_node node;
typedef clua_set_item item;
typedef clua_choice choice;
typedef clua_search search;

static inline uint8_t byte_at(const char *s) { return (uint8_t)*s; }

// Counts work; now and then, limits check whether it was too much, and raise an error.
static inline void count(search *search, ptrdiff_t steps) {
    search->steps += steps;
    if (search->steps < STEPS_UNSEEN) return;
    search->all_steps += search->steps;
    clua_long_call(search->L, search->steps, search->all_steps);
    search->steps = 0;
}

// MARK: Compiling

typedef struct {
    const char *next, *end;
    search *search;
    uint32_t node_count, item_count;
    /// Whether a capture is still open, by its number.
    uint8_t is_open[CLUA_MOST_CAPTURES];
} compiler;

static node *emit(compiler *compiler, operation operation) {
    node *node = &compiler->search->nodes[compiler->node_count++];
    memset(node, 0, sizeof *node);
    node->operation = (uint8_t)operation;
    return node;
}

// The error is known here; nodes after it would never be reached.
static void emit_error(compiler *compiler, operation error, uint8_t number) {
    emit(compiler, error)->first = number;
    compiler->next = compiler->end;
}

// The `]` of the set that begins behind `[`; NULL if there is none. A first `]` is a member, and so is an escaped one.
static const char *end_of_set(const char *s, const char *end) {
    if (s < end && *s == '^') s++;
    const char *first = s;
    while (s < end) {
        if (*s == ']' && s > first) return s;
        s += *s == ESCAPE && s + 1 < end ? 2 : 1;
    }
    return NULL;
}

// The set behind `[`, up to its `]` at `end`.
static void emit_set(compiler *compiler, operation operation, const char *s, const char *end) {
    node *node = emit(compiler, operation);
    node->items = compiler->item_count;
    uint8_t is_negated = *s == '^';
    if (is_negated) s++;
    while (s < end) {
        item *item = &compiler->search->items[compiler->item_count++];
        item->is_class = 0;
        item->is_negated = is_negated;
        item->low = item->high = byte_at(s);
        if (*s == ESCAPE) {
            item->is_class = 1;
            item->low = byte_at(s + 1);
            s += 2;
        } else if (end - s > 2 && s[1] == '-') {
            item->high = byte_at(s + 2);
            s += 3;
        } else {
            s++;
        }
    }
    node->item_count = compiler->item_count - node->items;
    compiler->next = end + 1;
}

static void read_repeat(compiler *compiler) {
    if (compiler->next == compiler->end || memchr("*+-?", *compiler->next, 4) == NULL) return;
    compiler->search->nodes[compiler->node_count - 1].repeat = byte_at(compiler->next++);
}

static void compile_begin_of_capture(compiler *compiler) {
    int number = compiler->search->capture_count;
    if (number == CLUA_MOST_CAPTURES) return emit_error(compiler, TOO_MANY_CAPTURES, 0);
    int is_position = compiler->next < compiler->end && *compiler->next == ')';
    if (is_position) compiler->next++;
    compiler->is_open[number] = !is_position;
    emit(compiler, is_position ? POSITION_CAPTURE : BEGIN_CAPTURE)->first = (uint8_t)number;
    compiler->search->capture_count++;
}

static void compile_end_of_capture(compiler *compiler) {
    int number = compiler->search->capture_count - 1;
    while (number >= 0 && !compiler->is_open[number]) number--;
    if (number < 0) return emit_error(compiler, BAD_CAPTURE, 0);
    compiler->is_open[number] = 0;
    emit(compiler, END_CAPTURE)->first = (uint8_t)number;
}

static void compile_escape(compiler *compiler) {
    if (compiler->next == compiler->end) return emit_error(compiler, BAD_ESCAPE, 0);
    uint8_t what = byte_at(compiler->next++);
    if (what == 'b') {
        if (compiler->end - compiler->next < 2) return emit_error(compiler, BAD_BALANCED, 0);
        node *node = emit(compiler, BALANCED);
        node->first = byte_at(compiler->next++);
        node->second = byte_at(compiler->next++);
    } else if (what == 'f') {
        if (compiler->next == compiler->end || *compiler->next != '[') return emit_error(compiler, BAD_FRONTIER, 0);
        const char *end = end_of_set(++compiler->next, compiler->end);
        if (end == NULL) return emit_error(compiler, BAD_SET, 0);
        emit_set(compiler, FRONTIER, compiler->next, end);
    } else if (what >= '0' && what <= '9') {
        int number = what - '1';
        int is_known = number >= 0 && number < compiler->search->capture_count && !compiler->is_open[number];
        if (!is_known) return emit_error(compiler, BAD_CAPTURE_INDEX, what - '0');
        emit(compiler, SAME)->first = (uint8_t)number;
    } else {
        emit(compiler, isalpha(what) ? CLASS : BYTE)->first = what;
        read_repeat(compiler);
    }
}

static void compile_next(compiler *compiler) {
    char c = *compiler->next++;
    switch (c) {
    case '(': return compile_begin_of_capture(compiler);
    case ')': return compile_end_of_capture(compiler);
    case ESCAPE: return compile_escape(compiler);
    case '$':
        if (compiler->next == compiler->end) {
            emit(compiler, AT_END);
            return;
        }
        emit(compiler, BYTE)->first = '$';
        break;
    case '[': {
        const char *end = end_of_set(compiler->next, compiler->end);
        if (end == NULL) return emit_error(compiler, BAD_SET, 0);
        emit_set(compiler, SET, compiler->next, end);
        break;
    }
    default:
        emit(compiler, c == '.' ? ANY : BYTE)->first = (uint8_t)c;
    }
    read_repeat(compiler);
}

void clua_begin_search(
    search *search, clua_search_room *room, lua_State *L, const char *text, size_t length, const char *p,
    size_t pattern_length) {
    search->L = L;
    search->begin = text;
    search->end = text + length;
    search->steps = search->all_steps = 0;
    search->capture_count = 0;
    search->nodes = room->nodes;
    search->items = room->items;
    search->choices = room->choices;
    if (pattern_length >= CLUA_INLINE_NODES) {
        size_t each = sizeof(choice) + sizeof(node) + sizeof(item);
        search->choices = lua_newuserdatauv(L, (pattern_length + 1) * each, 0);
        search->nodes = (node *)(search->choices + pattern_length + 1);
        search->items = (item *)(search->nodes + pattern_length + 1);
    }
    compiler compiler = {.next = p, .end = p + pattern_length, .search = search};
    while (compiler.next < compiler.end) compile_next(&compiler);
    emit(&compiler, DONE);
}

// MARK: Searching

static int is_of_class(uint8_t c, uint8_t class) {
    int is;
    switch (class | 0x20) {
    case 'a': is = isalpha(c); break;
    case 'c': is = iscntrl(c); break;
    case 'd': is = isdigit(c); break;
    case 'g': is = isgraph(c); break;
    case 'l': is = islower(c); break;
    case 'p': is = ispunct(c); break;
    case 's': is = isspace(c); break;
    case 'u': is = isupper(c); break;
    case 'w': is = isalnum(c); break;
    case 'x': is = isxdigit(c); break;
    case 'z': is = c == 0; break;
    default: return class == c;
    }
    return (is != 0) == ((class & 0x20) != 0);
}

static int is_in_set(const search *search, const node *node, uint8_t c) {
    const item *item = search->items + node->items, *end = item + node->item_count;
    int is_negated = item->is_negated;
    for (; item < end; item++) {
        int is = item->is_class ? (isalpha(item->low) ? is_of_class(c, item->low) : item->low == c)
                                : item->low <= c && c <= item->high;
        if (is) return !is_negated;
    }
    return is_negated;
}

static inline int takes(const search *search, const node *node, uint8_t c) {
    switch (node->operation) {
    case BYTE: return node->first == c;
    case ANY: return 1;
    case CLASS: return is_of_class(c, node->first);
    default: return is_in_set(search, node, c);
    }
}

// The farthest place that a repeated node can reach from `s`.
static const char *farthest(search *search, const node *node, const char *s) {
    const char *from = s;
    if (node->operation == ANY) s = search->end;
    else
        while (s < search->end && takes(search, node, byte_at(s))) s++;
    count(search, s - from);
    return s;
}

static const char *end_of_balanced(search *search, const node *node, const char *s) {
    if (s == search->end || byte_at(s) != node->first) return NULL;
    const char *from = s;
    int64_t depth = 1;
    while (++s < search->end && depth > 0) {
        if (byte_at(s) == node->second) depth--;
        else if (byte_at(s) == node->first) depth++;
    }
    count(search, s - from);
    return depth == 0 ? s : NULL;
}

static int is_at_frontier(const search *search, const node *node, const char *s) {
    uint8_t before = s == search->begin ? 0 : byte_at(s - 1), here = s == search->end ? 0 : byte_at(s);
    return !is_in_set(search, node, before) && is_in_set(search, node, here);
}

static const char *end_of_same(search *search, const node *node, const char *s) {
    clua_span capture = search->captures[node->first];
    if (capture.length < 0 || search->end - s < capture.length) return NULL;
    count(search, capture.length);
    return memcmp(capture.begin, s, (size_t)capture.length) == 0 ? s + capture.length : NULL;
}

static void raise_bad_pattern(lua_State *L, const node *node) {
    switch (node->operation) {
    case BAD_CAPTURE_INDEX: luaL_error(L, "invalid capture index %%%d", (int)node->first); break;
    case BAD_CAPTURE: luaL_error(L, "invalid pattern capture"); break;
    case TOO_MANY_CAPTURES: luaL_error(L, "too many captures"); break;
    case BAD_ESCAPE: luaL_error(L, "malformed pattern (ends with '%%')"); break;
    case BAD_SET: luaL_error(L, "malformed pattern (missing ']')"); break;
    case BAD_BALANCED: luaL_error(L, "malformed pattern (missing arguments to '%%b')"); break;
    default: luaL_error(L, "missing '[' after '%%f' in pattern"); break;
    }
}

// Matches a node that takes bytes. Returns where the next node continues; NULL if it does not match. A repeated node
// that has other possibilities leaves a choice.
static const char *take(search *search, uint32_t place, const char *s, choice **choices) {
    const node *node = search->nodes + place;
    const char *next;
    switch (node->repeat) {
    case '-':
        *(*choices)++ = (choice){place, s, s};
        return s;
    case '*':
    case '+':
        next = farthest(search, node, s);
        if (node->repeat == '+' && next == s++) return NULL;
        break;
    case '?':
        next = s < search->end && takes(search, node, byte_at(s)) ? s + 1 : s;
        break;
    default:
        return s < search->end && takes(search, node, byte_at(s)) ? s + 1 : NULL;
    }
    if (next > s) *(*choices)++ = (choice){place, next, s};
    return next;
}

// Takes the next possibility of the latest choice that has one. Returns where the next node continues; NULL if none.
static const char *take_back(search *search, uint32_t *place, choice **choices) {
    while (*choices > search->choices) {
        choice *last = *choices - 1;
        const node *node = search->nodes + last->node;
        *place = last->node;
        if (node->repeat == '-') {
            if (last->place < search->end && takes(search, node, byte_at(last->place))) return ++last->place;
        } else if (last->place > last->least) {
            return --last->place;
        }
        *choices = last;
    }
    return NULL;
}

// The end of the match that begins at `s`; NULL if there is none.
static const char *match(search *search, const char *s) {
    choice *choices = search->choices;
    uint32_t place = 0;
    for (;; place++) {
        const node *node = search->nodes + place;
        count(search, 1);
        switch ((operation)node->operation) {
        case BYTE:
        case ANY:
        case CLASS:
        case SET: s = take(search, place, s, &choices); break;
        case BEGIN_CAPTURE: search->captures[node->first] = (clua_span){s, CLUA_OPEN}; break;
        case POSITION_CAPTURE: search->captures[node->first] = (clua_span){s, CLUA_POSITION}; break;
        case END_CAPTURE: search->captures[node->first].length = s - search->captures[node->first].begin; break;
        case SAME: s = end_of_same(search, node, s); break;
        case BALANCED: s = end_of_balanced(search, node, s); break;
        case FRONTIER: s = is_at_frontier(search, node, s) ? s : NULL; break;
        case AT_END: s = s == search->end ? s : NULL; break;
        case DONE: return s;
        default: raise_bad_pattern(search->L, node);
        }
        if (s == NULL) s = take_back(search, &place, &choices);
        if (s == NULL) return NULL;
    }
}

const char *clua_match_from(search *search, const char **s, int is_anchored) {
    const node *first = search->nodes;
    int is_byte = first->operation == BYTE && (first->repeat == 0 || first->repeat == '+') && !is_anchored;
    for (; *s <= search->end; ++*s) {
        if (is_byte) {
            const char *found = *s < search->end ? memchr(*s, first->first, (size_t)(search->end - *s)) : NULL;
            count(search, ((found ? found : search->end) - *s) / 16);
            if (found == NULL) return NULL;
            *s = found;
        }
        const char *end = match(search, *s);
        if (end != NULL || is_anchored) return end;
    }
    return NULL;
}

CLUA_END_JUMPED_OVER
