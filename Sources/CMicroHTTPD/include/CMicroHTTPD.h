// libmicrohttpd, opened when the first server starts: a program that serves nothing does not load it, and the machine
// need not have it. Its header is needed only for a build with the package trait `Dashboard`.
//
// Each connection has a thread of its own, on which all functions of `cmhd_calls` and `cmhd_reader` are called, so they
// may wait. Call `cmhd_open` first; `cmhd_stop` returns when all these threads have ended.
#pragma once

#include <stdbool.h>
#include <stddef.h>

typedef struct cmhd_server cmhd_server;
typedef struct cmhd_request cmhd_request;

typedef struct {
    // Passed to `answer`.
    void *owner;
    // A request has arrived with its whole body. If nothing is sent, the connection is closed.
    void (*answer)(void *owner, cmhd_request *request);
} cmhd_calls;

typedef struct {
    const char *name;
    const char *value;
} cmhd_field;

enum { CMHD_END = -1, CMHD_FAULT = -2 };

typedef struct {
    void *owner;
    // Writes the next bytes, at least one and at most `size`, into `buffer`. Gives their number, CMHD_END, or
    // CMHD_FAULT, which closes the connection in the middle.
    long (*read)(void *owner, char *buffer, size_t size);
    // Nothing more is read: all has been sent, or the client has gone.
    void (*release)(void *owner);
} cmhd_reader;

// Opens the library, once for each process; the reason if that is not possible, else NULL.
const char *cmhd_open(void);

// Serves a listening socket, which belongs to the server from now on; NULL if that is not possible.
//
// There are at most `connections` at a time. A connection is closed when it has been silent for `seconds`, and when the
// body of a request is larger than `body` bytes.
cmhd_server *cmhd_start(int listener, unsigned connections, unsigned seconds, size_t body, cmhd_calls calls);

// Closes all connections and the socket.
void cmhd_stop(cmhd_server *server);

const char *cmhd_method(const cmhd_request *request);

// The path and the query, as they were sent.
const char *cmhd_target(const cmhd_request *request);

// Calls `each` for the fields of the request's head, in their order.
void cmhd_each_field(const cmhd_request *request, void *owner, void (*each)(void *owner, const char *, const char *));

// Sends a response whose body is copied; false if it cannot be sent.
bool cmhd_send(cmhd_request *request, unsigned status, const cmhd_field *fields, size_t field_count,
    const void *body, size_t size);

// Sends a response in pieces. The reader is released in any case.
bool cmhd_stream(
    cmhd_request *request, unsigned status, const cmhd_field *fields, size_t field_count, cmhd_reader reader);
