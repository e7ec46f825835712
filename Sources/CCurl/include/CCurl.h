// libcurl, opened when it is first needed: a program that sends no request does not load it, and the machine need not
// have it. Call `ccurl_open` first; the other functions forward to the library.
//
// The headers of libcurl are needed only for a build with the package trait `HTTP`.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define CURL_DISABLE_DEPRECATION
#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>

#pragma clang assume_nonnull begin

/// The functions that a transfer calls, each with its owner as the last argument or the first, as libcurl defines it.
typedef struct {
    size_t (*write)(char *bytes, size_t size, size_t count, void *owner);
    size_t (*head)(char *bytes, size_t size, size_t count, void *owner);
    size_t (*read)(char *room, size_t size, size_t count, void *owner);
    int (*seek)(void *owner, curl_off_t offset, int origin);
    int (*progress)(void *owner, curl_off_t total, curl_off_t received, curl_off_t size, curl_off_t sent);
    curl_socket_t (*open)(void *_Nullable owner, curlsocktype purpose, struct curl_sockaddr *address);
} ccurl_functions;

/// Opens the library, once; from any thread. NULL, or the reason why it cannot be used.
const char *_Nullable ccurl_open(void);

// One transfer.
CURL *_Nullable ccurl_make_transfer(void);
void ccurl_free_transfer(CURL *transfer);
CURLcode ccurl_set_number(CURL *transfer, CURLoption option, long value);
CURLcode ccurl_set_size(CURL *transfer, CURLoption option, int64_t value);
CURLcode ccurl_set_text(CURL *transfer, CURLoption option, const char *_Nullable value);
CURLcode ccurl_set_pointer(CURL *transfer, CURLoption option, void *_Nullable value);
void ccurl_set_functions(CURL *transfer, const ccurl_functions *functions, void *owner);
/// Allows `http` and `https`, for the URL and for redirects, and nothing else.
void ccurl_allow_web_only(CURL *transfer);
long ccurl_number(CURL *transfer, CURLINFO information);
/// Continues a transfer that its function `write` has paused.
void ccurl_continue(CURL *transfer);
const char *ccurl_reason(CURLcode code);

// A list of texts, which copies them. NULL is the empty list.
struct curl_slist *_Nullable ccurl_append(struct curl_slist *_Nullable list, const char *text);
void ccurl_free_list(struct curl_slist *_Nullable list);

// All transfers of a thread.
CURLM *_Nullable ccurl_make_group(void);
void ccurl_free_group(CURLM *group);
CURLMcode ccurl_add(CURLM *group, CURL *transfer);
void ccurl_remove(CURLM *group, CURL *transfer);
CURLMcode ccurl_perform(CURLM *group);
CURLMcode ccurl_poll(CURLM *group, struct curl_waitfd *_Nullable others, unsigned count, int milliseconds);
/// Ends a poll; from any thread.
void ccurl_wake(CURLM *group);
/// The next transfer that has ended, with its code; NULL if there is none.
CURL *_Nullable ccurl_next_ended(CURLM *group, CURLcode *code);

#pragma clang assume_nonnull end
