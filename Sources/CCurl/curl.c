// The table of libcurl's functions.
#ifdef OPSCRIPT_HTTP

#include "CCurl.h"
#include "CLibrary.h"

#define CURL_DISABLE_DEPRECATION
#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>

// The numbers of our header are those of libcurl.
#define SAME(name) _Static_assert((long long)C##name == (long long)name, #name)
SAME(CURLOPT_ACCEPT_ENCODING);
SAME(CURLOPT_CAINFO);
SAME(CURLOPT_CONNECTTIMEOUT_MS);
SAME(CURLOPT_COOKIE);
SAME(CURLOPT_COOKIEFILE);
SAME(CURLOPT_COOKIEJAR);
SAME(CURLOPT_COOKIELIST);
SAME(CURLOPT_CUSTOMREQUEST);
SAME(CURLOPT_ERRORBUFFER);
SAME(CURLOPT_FOLLOWLOCATION);
SAME(CURLOPT_FORBID_REUSE);
SAME(CURLOPT_FRESH_CONNECT);
SAME(CURLOPT_HTTPAUTH);
SAME(CURLOPT_HTTPHEADER);
SAME(CURLOPT_HTTP_VERSION);
SAME(CURLOPT_INFILESIZE_LARGE);
SAME(CURLOPT_KEYPASSWD);
SAME(CURLOPT_MAXREDIRS);
SAME(CURLOPT_NOBODY);
SAME(CURLOPT_NOSIGNAL);
SAME(CURLOPT_PASSWORD);
SAME(CURLOPT_NOPROXY);
SAME(CURLOPT_PIPEWAIT);
SAME(CURLOPT_POST);
SAME(CURLOPT_POSTFIELDSIZE_LARGE);
SAME(CURLOPT_PROXY);
SAME(CURLOPT_PROXYPASSWORD);
SAME(CURLOPT_PROXYUSERNAME);
SAME(CURLOPT_RANGE);
SAME(CURLOPT_SSLCERT);
SAME(CURLOPT_SSLKEY);
SAME(CURLOPT_SSL_VERIFYHOST);
SAME(CURLOPT_SSL_VERIFYPEER);
SAME(CURLOPT_SUPPRESS_CONNECT_HEADERS);
SAME(CURLOPT_TIMEOUT_MS);
SAME(CURLOPT_UPLOAD);
SAME(CURLOPT_URL);
SAME(CURLOPT_USERAGENT);
SAME(CURLOPT_USERNAME);
SAME(CURLOPT_XOAUTH2_BEARER);
SAME(CURLE_BAD_CONTENT_ENCODING);
SAME(CURLE_COULDNT_CONNECT);
SAME(CURLE_COULDNT_RESOLVE_HOST);
SAME(CURLE_GOT_NOTHING);
SAME(CURLE_OK);
SAME(CURLE_OPERATION_TIMEDOUT);
SAME(CURLE_OUT_OF_MEMORY);
SAME(CURLE_PARTIAL_FILE);
SAME(CURLE_PEER_FAILED_VERIFICATION);
SAME(CURLE_RECV_ERROR);
SAME(CURLE_SEND_ERROR);
SAME(CURLE_SSL_CACERT_BADFILE);
SAME(CURLE_SSL_CERTPROBLEM);
SAME(CURLE_SSL_CONNECT_ERROR);
SAME(CURLE_TOO_MANY_REDIRECTS);
SAME(CURLE_UNSUPPORTED_PROTOCOL);
SAME(CURLE_WEIRD_SERVER_REPLY);
SAME(CURL_ERROR_SIZE);
SAME(CURL_WRITEFUNC_PAUSE);
SAME(CURL_READFUNC_ABORT);
SAME(CURL_SEEKFUNC_OK);
SAME(CURL_SEEKFUNC_CANTSEEK);
SAME(CURL_WAIT_POLLOUT);
_Static_assert(sizeof(ccurl_wait) == sizeof(struct curl_waitfd), "curl_waitfd");
_Static_assert(offsetof(ccurl_socket, protocol) == offsetof(struct curl_sockaddr, protocol), "curl_sockaddr");
_Static_assert(sizeof(curl_off_t) == sizeof(int64_t), "curl_off_t");

static struct {
    CURLcode (*global_init)(long flags);
    CURL *(*easy_init)(void);
    void (*easy_cleanup)(CURL *transfer);
    CURLcode (*easy_setopt)(CURL *transfer, CURLoption option, ...);
    CURLcode (*easy_getinfo)(CURL *transfer, CURLINFO information, ...);
    CURLcode (*easy_pause)(CURL *transfer, int bits);
    const char *(*easy_strerror)(CURLcode code);
    struct curl_slist *(*slist_append)(struct curl_slist *list, const char *text);
    void (*slist_free_all)(struct curl_slist *list);
    CURLM *(*multi_init)(void);
    CURLMcode (*multi_cleanup)(CURLM *group);
    CURLMcode (*multi_add_handle)(CURLM *group, CURL *transfer);
    CURLMcode (*multi_remove_handle)(CURLM *group, CURL *transfer);
    CURLMcode (*multi_perform)(CURLM *group, int *running);
    CURLMcode (*multi_poll)(CURLM *group, struct curl_waitfd *others, unsigned count, int milliseconds, int *ready);
    CURLMcode (*multi_wakeup)(CURLM *group);
    CURLMsg *(*multi_info_read)(CURLM *group, int *left);
} curl;

static const clibrary_symbol names[] = {
    {"curl_global_init", (void **)&curl.global_init},
    {"curl_easy_init", (void **)&curl.easy_init},
    {"curl_easy_cleanup", (void **)&curl.easy_cleanup},
    {"curl_easy_setopt", (void **)&curl.easy_setopt},
    {"curl_easy_getinfo", (void **)&curl.easy_getinfo},
    {"curl_easy_pause", (void **)&curl.easy_pause},
    {"curl_easy_strerror", (void **)&curl.easy_strerror},
    {"curl_slist_append", (void **)&curl.slist_append},
    {"curl_slist_free_all", (void **)&curl.slist_free_all},
    {"curl_multi_init", (void **)&curl.multi_init},
    {"curl_multi_cleanup", (void **)&curl.multi_cleanup},
    {"curl_multi_add_handle", (void **)&curl.multi_add_handle},
    {"curl_multi_remove_handle", (void **)&curl.multi_remove_handle},
    {"curl_multi_perform", (void **)&curl.multi_perform},
    {"curl_multi_poll", (void **)&curl.multi_poll},
    {"curl_multi_wakeup", (void **)&curl.multi_wakeup},
    {"curl_multi_info_read", (void **)&curl.multi_info_read},
};

static char problem[512];
static const char *result;

static void open_library(void) {
    void *library = clibrary_open(
        "libcurl", "libcurl.so.4", "libcurl4", names, sizeof names / sizeof names[0], problem, sizeof problem);
    if (library == NULL) {
        result = problem;
        return;
    }
    // OpenSSL frees its data in a function that runs at exit; the thread of the transfers may still use them then.
    int (*init_crypto)(uint64_t, const void *) = (int (*)(uint64_t, const void *))dlsym(library, "OPENSSL_init_crypto");
    if (init_crypto != NULL) init_crypto(0x00080000 /* OPENSSL_INIT_NO_ATEXIT */, NULL);
    if (curl.global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) result = "libcurl cannot be initialised";
}

const char *ccurl_open(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, open_library);
    return result;
}

// MARK: one transfer

void *ccurl_make_transfer(void) { return curl.easy_init(); }

void ccurl_free_transfer(void *transfer) { curl.easy_cleanup(transfer); }

ccurl_code ccurl_set_number(void *transfer, ccurl_option option, long value) {
    return (ccurl_code)curl.easy_setopt(transfer, (CURLoption)option, value);
}

ccurl_code ccurl_set_size(void *transfer, ccurl_option option, int64_t value) {
    return (ccurl_code)curl.easy_setopt(transfer, (CURLoption)option, (curl_off_t)value);
}

ccurl_code ccurl_set_text(void *transfer, ccurl_option option, const char *value) {
    return (ccurl_code)curl.easy_setopt(transfer, (CURLoption)option, value);
}

ccurl_code ccurl_set_pointer(void *transfer, ccurl_option option, void *value) {
    return (ccurl_code)curl.easy_setopt(transfer, (CURLoption)option, value);
}

void ccurl_set_functions(void *transfer, const ccurl_functions *functions, void *owner) {
    curl.easy_setopt(transfer, CURLOPT_WRITEFUNCTION, functions->write);
    curl.easy_setopt(transfer, CURLOPT_WRITEDATA, owner);
    curl.easy_setopt(transfer, CURLOPT_HEADERFUNCTION, functions->head);
    curl.easy_setopt(transfer, CURLOPT_HEADERDATA, owner);
    curl.easy_setopt(transfer, CURLOPT_READFUNCTION, functions->read);
    curl.easy_setopt(transfer, CURLOPT_READDATA, owner);
    curl.easy_setopt(transfer, CURLOPT_SEEKFUNCTION, functions->seek);
    curl.easy_setopt(transfer, CURLOPT_SEEKDATA, owner);
    curl.easy_setopt(transfer, CURLOPT_XFERINFOFUNCTION, functions->progress);
    curl.easy_setopt(transfer, CURLOPT_XFERINFODATA, owner);
    curl.easy_setopt(transfer, CURLOPT_NOPROGRESS, 0L);
    curl.easy_setopt(transfer, CURLOPT_OPENSOCKETFUNCTION, functions->open);
}

void ccurl_allow_web_only(void *transfer) {
    // CURLOPT_PROTOCOLS and CURLOPT_REDIR_PROTOCOLS. Their successors take texts, and old versions do not have them.
    long web = CURLPROTO_HTTP | CURLPROTO_HTTPS;
    curl.easy_setopt(transfer, (CURLoption)181, web);
    curl.easy_setopt(transfer, (CURLoption)182, web);
}

long ccurl_system_error(void *transfer) {
    long value = 0;
    curl.easy_getinfo(transfer, CURLINFO_OS_ERRNO, &value);
    return value;
}

const char *ccurl_redirected(void *transfer) {
    long count = 0;
    const char *url = NULL;
    curl.easy_getinfo(transfer, CURLINFO_REDIRECT_COUNT, &count);
    if (count > 0) curl.easy_getinfo(transfer, CURLINFO_EFFECTIVE_URL, &url);
    return url;
}

void ccurl_continue(void *transfer) { curl.easy_pause(transfer, CURLPAUSE_CONT); }

const char *ccurl_reason(ccurl_code code) { return curl.easy_strerror((CURLcode)code); }

void *ccurl_append(void *list, const char *text) {
    struct curl_slist *longer = curl.slist_append(list, text);
    return longer != NULL ? longer : list;
}

void ccurl_free_list(void *list) { curl.slist_free_all(list); }

// MARK: all transfers of a thread

void *ccurl_make_group(void) { return curl.multi_init(); }

void ccurl_free_group(void *group) { curl.multi_cleanup(group); }

int ccurl_add(void *group, void *transfer) { return curl.multi_add_handle(group, transfer); }

void ccurl_remove(void *group, void *transfer) { curl.multi_remove_handle(group, transfer); }

int ccurl_perform(void *group) {
    int running = 0;
    return curl.multi_perform(group, &running);
}

int ccurl_poll(void *group, ccurl_wait *others, unsigned count, int milliseconds) {
    return curl.multi_poll(group, (struct curl_waitfd *)others, count, milliseconds, NULL);
}

void ccurl_wake(void *group) { curl.multi_wakeup(group); }

void *ccurl_next_ended(void *group, ccurl_code *code) {
    int left = 0;
    CURLMsg *message;
    while ((message = curl.multi_info_read(group, &left)) != NULL) {
        if (message->msg != CURLMSG_DONE) continue;
        *code = (ccurl_code)message->data.result;
        return message->easy_handle;
    }
    return NULL;
}

#else
// A file without a declaration is not C.
typedef int ccurl_is_absent;
#endif
