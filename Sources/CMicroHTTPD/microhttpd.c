// The table of libmicrohttpd's functions, and a server whose connections have a thread each.
#ifdef OPSCRIPT_DASHBOARD

#define _POSIX_C_SOURCE 200809L

#include "CLibrary.h"
#include "CMicroHTTPD.h"

#include <microhttpd.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// MARK: the library

static struct {
    struct MHD_Daemon *(*start_daemon)(unsigned flags, uint16_t port, MHD_AcceptPolicyCallback, void *,
        MHD_AccessHandlerCallback, void *, ...);
    void (*stop_daemon)(struct MHD_Daemon *);
    int (*get_connection_values)(struct MHD_Connection *, enum MHD_ValueKind, MHD_KeyValueIterator, void *);
    struct MHD_Response *(*create_response_from_buffer)(size_t, void *, enum MHD_ResponseMemoryMode);
    struct MHD_Response *(*create_response_from_callback)(uint64_t, size_t, MHD_ContentReaderCallback, void *,
        MHD_ContentReaderFreeCallback);
    enum MHD_Result (*add_response_header)(struct MHD_Response *, const char *, const char *);
    enum MHD_Result (*queue_response)(struct MHD_Connection *, unsigned, struct MHD_Response *);
    void (*destroy_response)(struct MHD_Response *);
} mhd;

static const clibrary_symbol names[] = {
    {"MHD_start_daemon", (void **)&mhd.start_daemon},
    {"MHD_stop_daemon", (void **)&mhd.stop_daemon},
    {"MHD_get_connection_values", (void **)&mhd.get_connection_values},
    {"MHD_create_response_from_buffer", (void **)&mhd.create_response_from_buffer},
    {"MHD_create_response_from_callback", (void **)&mhd.create_response_from_callback},
    {"MHD_add_response_header", (void **)&mhd.add_response_header},
    {"MHD_queue_response", (void **)&mhd.queue_response},
    {"MHD_destroy_response", (void **)&mhd.destroy_response},
};

static char problem[512];
static const char *result;

static void open_library(void) {
    size_t count = sizeof names / sizeof names[0];
    void *library = clibrary_open(
        "libmicrohttpd", "libmicrohttpd.so.12", "libmicrohttpd12", names, count, problem, sizeof problem);
    if (library == NULL) result = problem;
}

const char *cmhd_open(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, open_library);
    return result;
}

// MARK: requests

struct cmhd_server {
    struct MHD_Daemon *daemon;
    cmhd_calls calls;
    size_t most_of_body;
};

struct cmhd_request {
    struct MHD_Connection *connection;
    const char *method;
    char *target;
    size_t body;
    bool has_head;
    bool is_answered;
};

// Called with the first line of each request. Its result is the request's own pointer in all later calls.
static void *begin(void *owner, const char *target, struct MHD_Connection *connection) {
    (void)owner;
    cmhd_request *request = calloc(1, sizeof *request);
    if (request == NULL) return NULL;
    request->connection = connection;
    request->target = strdup(target);
    if (request->target == NULL) {
        free(request);
        return NULL;
    }
    return request;
}

static void end(void *owner, struct MHD_Connection *connection, void **place, enum MHD_RequestTerminationCode code) {
    (void)owner;
    (void)connection;
    (void)code;
    cmhd_request *request = *place;
    if (request == NULL) return;
    free(request->target);
    free(request);
    *place = NULL;
}

// Called when the head is there, then for each piece of the body, then at its end.
static enum MHD_Result receive(void *owner, struct MHD_Connection *connection, const char *path, const char *method,
    const char *version, const char *bytes, size_t *count, void **place) {
    (void)connection;
    (void)path;
    (void)version;
    (void)bytes;
    cmhd_server *server = owner;
    cmhd_request *request = *place;
    if (request == NULL) return MHD_NO;
    request->method = method;
    if (!request->has_head) {
        request->has_head = true;
        return MHD_YES;
    }
    if (*count > 0) {
        request->body += *count;
        *count = 0;
        return request->body <= server->most_of_body ? MHD_YES : MHD_NO;
    }
    server->calls.answer(server->calls.owner, request);
    return request->is_answered ? MHD_YES : MHD_NO;
}

const char *cmhd_method(const cmhd_request *request) { return request->method; }

const char *cmhd_target(const cmhd_request *request) { return request->target; }

typedef struct {
    void *owner;
    void (*each)(void *, const char *, const char *);
} visitor;

static enum MHD_Result visit(void *owner, enum MHD_ValueKind kind, const char *name, const char *value) {
    (void)kind;
    const visitor *visitor = owner;
    visitor->each(visitor->owner, name, value != NULL ? value : "");
    return MHD_YES;
}

void cmhd_each_field(const cmhd_request *request, void *owner, void (*each)(void *, const char *, const char *)) {
    visitor visitor = {owner, each};
    mhd.get_connection_values(request->connection, MHD_HEADER_KIND, visit, &visitor);
}

// MARK: responses

static bool answer(cmhd_request *request, unsigned status, const cmhd_field *fields, size_t count,
    struct MHD_Response *response) {
    bool is_whole = true;
    for (size_t i = 0; i < count; i++) {
        if (mhd.add_response_header(response, fields[i].name, fields[i].value) != MHD_YES) is_whole = false;
    }
    if (is_whole && mhd.queue_response(request->connection, status, response) == MHD_YES) request->is_answered = true;
    // The connection holds it as long as it needs it.
    mhd.destroy_response(response);
    return request->is_answered;
}

bool cmhd_send(cmhd_request *request, unsigned status, const cmhd_field *fields, size_t count, const void *body,
    size_t size) {
    // The library copies it.
    struct MHD_Response *response = mhd.create_response_from_buffer(size, (void *)body, MHD_RESPMEM_MUST_COPY);
    return response != NULL && answer(request, status, fields, count, response);
}

enum { PIECE = 1 << 15 };

static ssize_t read_piece(void *owner, uint64_t position, char *buffer, size_t size) {
    (void)position;
    const cmhd_reader *reader = owner;
    long count = reader->read(reader->owner, buffer, size);
    if (count > 0) return count;
    return count == CMHD_END ? MHD_CONTENT_READER_END_OF_STREAM : MHD_CONTENT_READER_END_WITH_ERROR;
}

static void release(void *owner) {
    cmhd_reader *reader = owner;
    reader->release(reader->owner);
    free(reader);
}

bool cmhd_stream(
    cmhd_request *request, unsigned status, const cmhd_field *fields, size_t count, cmhd_reader reader) {
    cmhd_reader *kept = malloc(sizeof *kept);
    if (kept == NULL) {
        reader.release(reader.owner);
        return false;
    }
    *kept = reader;
    struct MHD_Response *response =
        mhd.create_response_from_callback(MHD_SIZE_UNKNOWN, PIECE, read_piece, kept, release);
    if (response == NULL) {
        release(kept);
        return false;
    }
    return answer(request, status, fields, count, response);
}

// MARK: the server

// A mistake of a client concerns its connection only; it is not reported.
static void log_nothing(void *owner, const char *format, va_list arguments) {
    (void)owner;
    (void)format;
    (void)arguments;
}

cmhd_server *cmhd_start(int listener, unsigned connections, unsigned seconds, size_t body, cmhd_calls calls) {
    cmhd_server *server = malloc(sizeof *server);
    if (server == NULL) return NULL;
    server->calls = calls;
    server->most_of_body = body;
    unsigned flags = MHD_USE_THREAD_PER_CONNECTION | MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_POLL | MHD_USE_ITC
        | MHD_USE_ERROR_LOG;
    server->daemon = mhd.start_daemon(flags, 0, NULL, NULL, receive, server, MHD_OPTION_EXTERNAL_LOGGER, log_nothing,
        NULL, MHD_OPTION_LISTEN_SOCKET, listener, MHD_OPTION_CONNECTION_LIMIT, connections,
        MHD_OPTION_CONNECTION_TIMEOUT, seconds, MHD_OPTION_URI_LOG_CALLBACK, begin, NULL, MHD_OPTION_NOTIFY_COMPLETED,
        end, NULL, MHD_OPTION_END);
    if (server->daemon == NULL) {
        free(server);
        return NULL;
    }
    return server;
}

void cmhd_stop(cmhd_server *server) {
    mhd.stop_daemon(server->daemon);
    free(server);
}

#endif
