// libcurl, opened when it is first needed: a program that sends no request does not load it, and the machine need not
// have it. Call `ccurl_open` first; the other functions forward to the library.
//
// This header includes no other one of the system, so that types such as sigset_t stay in Swift's module for the C
// library. It repeats those numbers of libcurl that are used; curl.c compares them with the library's own headers,
// which are needed only for a build with the package trait `HTTP`.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum {
    CCURLOPT_ACCEPT_ENCODING = 10102,
    CCURLOPT_CAINFO = 10065,
    CCURLOPT_CONNECTTIMEOUT_MS = 156,
    CCURLOPT_COOKIE = 10022,
    CCURLOPT_COOKIEFILE = 10031,
    CCURLOPT_COOKIEJAR = 10082,
    CCURLOPT_COOKIELIST = 10135,
    CCURLOPT_CUSTOMREQUEST = 10036,
    CCURLOPT_ERRORBUFFER = 10010,
    CCURLOPT_FOLLOWLOCATION = 52,
    CCURLOPT_FORBID_REUSE = 75,
    CCURLOPT_FRESH_CONNECT = 74,
    CCURLOPT_HTTPAUTH = 107,
    CCURLOPT_HTTPHEADER = 10023,
    CCURLOPT_HTTP_VERSION = 84,
    CCURLOPT_INFILESIZE_LARGE = 30115,
    CCURLOPT_KEYPASSWD = 10026,
    CCURLOPT_MAXREDIRS = 68,
    CCURLOPT_NOBODY = 44,
    CCURLOPT_NOPROXY = 10177,
    CCURLOPT_NOSIGNAL = 99,
    CCURLOPT_PASSWORD = 10174,
    CCURLOPT_PIPEWAIT = 237,
    CCURLOPT_POST = 47,
    CCURLOPT_POSTFIELDSIZE_LARGE = 30120,
    CCURLOPT_PROXY = 10004,
    CCURLOPT_PROXYPASSWORD = 10176,
    CCURLOPT_PROXYUSERNAME = 10175,
    CCURLOPT_RANGE = 10007,
    CCURLOPT_SSLCERT = 10025,
    CCURLOPT_SSLKEY = 10087,
    CCURLOPT_SSL_VERIFYHOST = 81,
    CCURLOPT_SSL_VERIFYPEER = 64,
    CCURLOPT_SUPPRESS_CONNECT_HEADERS = 265,
    CCURLOPT_TIMEOUT_MS = 155,
    CCURLOPT_UPLOAD = 46,
    CCURLOPT_URL = 10002,
    CCURLOPT_USERAGENT = 10018,
    CCURLOPT_USERNAME = 10173,
    CCURLOPT_XOAUTH2_BEARER = 10220,
} ccurl_option;

typedef enum {
    CCURLE_BAD_CONTENT_ENCODING = 61,
    CCURLE_COULDNT_CONNECT = 7,
    CCURLE_COULDNT_RESOLVE_HOST = 6,
    CCURLE_GOT_NOTHING = 52,
    CCURLE_OK = 0,
    CCURLE_OPERATION_TIMEDOUT = 28,
    CCURLE_OUT_OF_MEMORY = 27,
    CCURLE_PARTIAL_FILE = 18,
    CCURLE_PEER_FAILED_VERIFICATION = 60,
    CCURLE_RECV_ERROR = 56,
    CCURLE_SEND_ERROR = 55,
    CCURLE_SSL_CACERT_BADFILE = 77,
    CCURLE_SSL_CERTPROBLEM = 58,
    CCURLE_SSL_CONNECT_ERROR = 35,
    CCURLE_TOO_MANY_REDIRECTS = 47,
    CCURLE_UNSUPPORTED_PROTOCOL = 1,
    CCURLE_WEIRD_SERVER_REPLY = 8,
} ccurl_code;

enum {
    CCURL_ERROR_SIZE = 256,
    CCURL_WRITEFUNC_PAUSE = 0x10000001,
    CCURL_READFUNC_ABORT = 0x10000000,
    CCURL_SEEKFUNC_OK = 0,
    CCURL_SEEKFUNC_CANTSEEK = 2,
    CCURL_WAIT_POLLOUT = 4,
};

/// A descriptor to wait for, beside those of the transfers.
typedef struct {
    int fd;
    short events;
    short revents;
} ccurl_wait;

/// The beginning of the description of a socket.
typedef struct {
    int family;
    int socktype;
    int protocol;
} ccurl_socket;

#pragma clang assume_nonnull begin

/// The functions that a transfer calls, each with its owner as the last argument or the first, as libcurl defines it.
typedef struct {
    size_t (*write)(char *bytes, size_t size, size_t count, void *owner);
    size_t (*head)(char *bytes, size_t size, size_t count, void *owner);
    size_t (*read)(char *room, size_t size, size_t count, void *owner);
    int (*seek)(void *owner, int64_t offset, int origin);
    int (*progress)(void *owner, int64_t total, int64_t received, int64_t size, int64_t sent);
    int (*open)(void *_Nullable owner, int purpose, ccurl_socket *address);
} ccurl_functions;

/// Opens the library, once; from any thread. NULL, or the reason why it cannot be used.
const char *_Nullable ccurl_open(void);

// One transfer.
void *_Nullable ccurl_make_transfer(void);
void ccurl_free_transfer(void *transfer);
ccurl_code ccurl_set_number(void *transfer, ccurl_option option, long value);
ccurl_code ccurl_set_size(void *transfer, ccurl_option option, int64_t value);
ccurl_code ccurl_set_text(void *transfer, ccurl_option option, const char *_Nullable value);
ccurl_code ccurl_set_pointer(void *transfer, ccurl_option option, void *_Nullable value);
void ccurl_set_functions(void *transfer, const ccurl_functions *functions, void *owner);
/// Allows `http` and `https`, for the URL and for redirects, and nothing else.
void ccurl_allow_web_only(void *transfer);
/// The number with which the system refused the connection (errno); 0 if it did not.
long ccurl_system_error(void *transfer);
/// The URL to which the last redirect led; NULL without a redirect.
const char *_Nullable ccurl_redirected(void *transfer);
/// Continues a transfer that its function `write` has paused.
void ccurl_continue(void *transfer);
const char *ccurl_reason(ccurl_code code);

// A list of texts, which copies them. NULL is the empty list.
void *_Nullable ccurl_append(void *_Nullable list, const char *text);
void ccurl_free_list(void *_Nullable list);

// All transfers of a thread.
void *_Nullable ccurl_make_group(void);
void ccurl_free_group(void *group);
int ccurl_add(void *group, void *transfer);
void ccurl_remove(void *group, void *transfer);
int ccurl_perform(void *group);
int ccurl_poll(void *group, ccurl_wait *_Nullable others, unsigned count, int milliseconds);
/// Ends a poll; from any thread.
void ccurl_wake(void *group);
/// The next transfer that has ended, with its code; NULL if there is none.
void *_Nullable ccurl_next_ended(void *group, ccurl_code *code);

#pragma clang assume_nonnull end
