// Interrupts from other threads: a signal to the thread that runs Lua, since no other thread may touch its state.
#define _GNU_SOURCE
#include "internal.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

// Ignored by default, so that a late signal does no harm, and rarely used by programs.
enum { WATCH_SIGNAL = SIGURG };

struct clua_watch {
    clua_context *context;
    /// Counts beginnings and ends of slices: odd while one runs.
    _Atomic uint64_t slice;
    /// The slice that is to be interrupted.
    _Atomic uint64_t overdue;
    _Atomic int stopping;
    /// The thread that runs the state; 0: none.
    _Atomic pid_t thread;
    /// The watch that the same thread had entered before.
    clua_watch *previous;
    /// The moment of the pause, in nanoseconds of the monotonic clock; 0: none. Only the thread of the state uses
    /// these.
    volatile int64_t pause_at;
    /// The timer that calls the thread at that moment, and the thread that it calls; 0: there is no timer.
    timer_t timer;
    pid_t timer_thread;
};

static _Thread_local clua_watch *current;
static struct sigaction former;

static int64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

// Only what may be done in a signal handler: atomics, and `lua_sethook`.
static void handle(int number, siginfo_t *information, void *extra) {
    int error = errno;
    for (clua_watch *watch = current; watch; watch = watch->previous) {
        if (watch->context == NULL) continue;
        if (atomic_load(&watch->stopping)) {
            watch->context->stopping = 1;
            watch->context->interrupt_kind = CLUA_LIMIT_TIME;
            clua_set_attention(watch->context, CLUA_ATTEND_INTERRUPT);
            if (watch->context->running) clua_attend(watch->context, watch->context->running);
        } else if (atomic_load(&watch->overdue) == atomic_load(&watch->slice)) {
            clua_interrupt(watch->context, CLUA_LIMIT_TIME);
        } else if (watch->pause_at != 0 && now() >= watch->pause_at) {
            clua_set_attention(watch->context, CLUA_ATTEND_PAUSE);
            if (watch->context->running) clua_attend(watch->context, watch->context->running);
        }
    }
    // A former handler of the signal still gets it.
    if (former.sa_flags & SA_SIGINFO) {
        if (former.sa_sigaction) former.sa_sigaction(number, information, extra);
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
    sigaction(WATCH_SIGNAL, &action, &former);
}

clua_watch *clua_watch_open(clua_context *context) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, install);
    clua_watch *watch = calloc(1, sizeof(clua_watch));
    if (watch == NULL) return NULL;
    watch->context = context;
    // Slices begin with the number 1; if they are not counted, none is overdue.
    atomic_store(&watch->overdue, UINT64_MAX);
    return watch;
}

void clua_watch_detach(clua_watch *watch) {
    clua_context *context = watch->context;
    watch->context = NULL;
    // Closing the state must not be interrupted.
    context->stopping = 0;
    clua_clear_attention(context, CLUA_ATTEND_INTERRUPT);
}

static void delete_timer(clua_watch *watch) {
    if (watch->timer_thread != 0) timer_delete(watch->timer);
    watch->timer_thread = 0;
}

void clua_watch_free(clua_watch *watch) {
    delete_timer(watch);
    free(watch);
}

void clua_watch_enter(clua_watch *watch) {
    watch->previous = current;
    current = watch;
    // Threads made by libdispatch or Swift block the signal.
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, WATCH_SIGNAL);
    pthread_sigmask(SIG_UNBLOCK, &signals, NULL);
    atomic_store(&watch->thread, (pid_t)syscall(SYS_gettid));
}

#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid
#endif

// A timer that signals this thread. 0: the system refuses it.
static int make_timer(clua_watch *watch) {
    pid_t thread = atomic_load(&watch->thread);
    if (watch->timer_thread == thread) return 1;
    delete_timer(watch);
    struct sigevent event = {0};
    event.sigev_notify = SIGEV_THREAD_ID;
    event.sigev_signo = WATCH_SIGNAL;
    event.sigev_notify_thread_id = thread;
    if (timer_create(CLOCK_MONOTONIC, &event, &watch->timer) != 0) return 0;
    watch->timer_thread = thread;
    return 1;
}

void clua_watch_pause_at(clua_watch *watch, int64_t moment) {
    if (watch->context == NULL || !make_timer(watch)) return;
    watch->pause_at = moment;
    struct itimerspec time = {0};
    time.it_value.tv_sec = (time_t)(moment / 1000000000);
    time.it_value.tv_nsec = (long)(moment % 1000000000);
    timer_settime(watch->timer, TIMER_ABSTIME, &time, NULL);
}

void clua_watch_pause_never(clua_watch *watch) {
    if (watch->pause_at == 0) return;
    watch->pause_at = 0;
    struct itimerspec never = {0};
    if (watch->timer_thread != 0) timer_settime(watch->timer, 0, &never, NULL);
    if (watch->context != NULL) clua_clear_attention(watch->context, CLUA_ATTEND_PAUSE);
}

void clua_watch_leave(clua_watch *watch) {
    atomic_store(&watch->thread, 0);
    current = watch->previous;
}

void clua_watch_step(clua_watch *watch) { atomic_fetch_add(&watch->slice, 1); }

uint64_t clua_watch_slice(clua_watch *watch) { return atomic_load(&watch->slice); }

static void call(clua_watch *watch) {
    pid_t thread = atomic_load(&watch->thread);
    // The thread may be gone by now; there is then nothing to interrupt.
    if (thread != 0) syscall(SYS_tgkill, getpid(), thread, WATCH_SIGNAL);
}

void clua_watch_expire(clua_watch *watch, uint64_t slice) {
    atomic_store(&watch->overdue, slice);
    call(watch);
}

void clua_watch_stop(clua_watch *watch) {
    atomic_store(&watch->stopping, 1);
    call(watch);
}

CLUA_END_JUMPED_OVER
