// Stopping a universe from another thread: a signal to its thread arms the hook there. From another thread the hook
// must not be touched, and one that is always armed would cost at every instruction.
// For `sigaction`, which plain C does not have.
#define _DEFAULT_SOURCE 1
#include "internal.h"

#include <errno.h>
#include <signal.h>

// Ignored where nobody handles it, so that one that comes late does no harm. A debugger lets it pass.
enum { STOP_SIGNAL = SIGURG };

static _Thread_local clua_context *volatile entered;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static struct sigaction former;
static int is_installed;

static void handle(int number, siginfo_t *info, void *machine) {
    int error = errno;
    clua_context *context = entered;
    if (context != NULL && context->stop_request != 0) {
        // Where Lua does not run just now, it looks when it begins.
        if (!clua_interrupt(context, context->stop_request)) {
            context->interrupt_kind = context->stop_request;
            clua_set_attention(context, CLUA_ATTEND_INTERRUPT);
        }
    } else if (former.sa_flags & SA_SIGINFO) {
        former.sa_sigaction(number, info, machine);
    } else if (former.sa_handler != SIG_DFL && former.sa_handler != SIG_IGN) {
        former.sa_handler(number);
    }
    errno = error;
}

static void install(void) {
    struct sigaction action = {0};
    action.sa_sigaction = handle;
    action.sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK;
    sigemptyset(&action.sa_mask);
    is_installed = sigaction(STOP_SIGNAL, &action, &former) == 0;
}

int clua_enter_thread(clua_context *context) {
    static _Thread_local int is_unblocked;
    pthread_once(&once, install);
    if (!is_unblocked) {
        sigset_t signals;
        sigemptyset(&signals);
        sigaddset(&signals, STOP_SIGNAL);
        if (pthread_sigmask(SIG_UNBLOCK, &signals, NULL) != 0) return 0;
        is_unblocked = 1;
    }
    context->thread = pthread_self();
    entered = context;
    return is_installed;
}

void clua_leave_thread(clua_context *context) {
    entered = NULL;
    if (context->stop_request == 0) return;
    context->stop_request = 0;
    clua_clear_attention(context, CLUA_ATTEND_INTERRUPT);
}

void clua_stop(clua_context *context, int kind) {
    context->stop_request = kind;
    pthread_kill(context->thread, STOP_SIGNAL);
}

CLUA_END_JUMPED_OVER
