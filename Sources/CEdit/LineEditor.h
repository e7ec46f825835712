// The calls of libedit that Swift cannot make, since they take any number of arguments.
#pragma once

#include <histedit.h>
#include <locale.h>
#include <stdio.h>
#include <wchar.h>

#pragma clang assume_nonnull begin

typedef char *_Nonnull (*edit_prompt_function)(EditLine *editor);
typedef int (*edit_read_function)(EditLine *editor, wchar_t *character);
typedef unsigned char (*edit_key_function)(EditLine *editor, int key);

/// Makes an editor with the keys of Emacs; NULL if the terminal is not usable.
static inline EditLine *_Nullable edit_open(const char *name, FILE *input, FILE *output) {
    EditLine *editor = el_init(name, input, output, output);
    if (editor == NULL) return NULL;
    el_set(editor, EL_EDITOR, "emacs");
    el_set(editor, EL_SIGNAL, 0);
    // Control keys come as characters while a line is edited, and leave no mark between two lines.
    el_set(editor, EL_SETTY, "-d", "-isig", NULL);
    el_set(editor, EL_SETTY, "-x", "-echoctl", NULL);
    return editor;
}

/// Sets the object that `edit_owner` returns.
static inline void edit_set_owner(EditLine *editor, void *owner) { el_set(editor, EL_CLIENTDATA, owner); }

/// The object to which an editor belongs.
static inline void *_Nullable edit_owner(EditLine *editor) {
    void *owner = NULL;
    el_get(editor, EL_CLIENTDATA, &owner);
    return owner;
}

/// Sets the function that gives the prompt. Between two characters `\1`, the prompt takes no columns.
static inline void edit_set_prompt(EditLine *editor, edit_prompt_function prompt) {
    el_set(editor, EL_PROMPT_ESC, prompt, '\1');
}

/// Sets the function that reads a character.
static inline void edit_set_reader(EditLine *editor, edit_read_function read) {
    el_set(editor, EL_GETCFN, read);
}

/// Sets the history, from which the keys recall lines.
static inline void edit_set_history(EditLine *editor, History *lines) {
    el_set(editor, EL_HIST, history, lines);
}

/// Adds a function with a name for `edit_bind`.
static inline void edit_add_function(EditLine *editor, const char *name, edit_key_function function) {
    el_set(editor, EL_ADDFN, name, name, function);
}

/// Binds a key, in the notation of editrc(5), to a function.
static inline void edit_bind(EditLine *editor, const char *key, const char *name) {
    el_set(editor, EL_BIND, key, name, NULL);
}

/// Draws the prompt and the line again, at the place of the cursor.
static inline void edit_draw(EditLine *editor) { el_set(editor, EL_REFRESH); }

/// Gives the terminal its settings for editing (1), or those from before (0).
static inline void edit_prepare_terminal(EditLine *editor, int edits) { el_set(editor, EL_PREP_TERM, edits); }

/// Limits the lines that a history keeps.
static inline void edit_limit_history(History *lines, int count) {
    HistEvent event;
    history(lines, &event, H_SETSIZE, count);
}

/// Adds a line to a history.
static inline void edit_enter(History *lines, const char *line) {
    HistEvent event;
    history(lines, &event, H_ENTER, line);
}

/// Makes the calling thread read and write UTF-8, whatever the process does; 0 if the system cannot.
static inline int edit_use_utf8(void) {
    locale_t place = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
    if (place == (locale_t)0) place = newlocale(LC_CTYPE_MASK, "", (locale_t)0);
    if (place == (locale_t)0) return 0;
    uselocale(place);
    return 1;
}

#pragma clang assume_nonnull end
