// Functions of the C library for threads that are declared only for programs which request its extensions; its
// module for Swift does not request them. They have names of our own here, and its headers
// are not included, so that its types stay in that module.
#ifndef LINUX_THREADS_H
#define LINUX_THREADS_H

#include <sys/resource.h>

#pragma clang assume_nonnull begin

/// `gettid`, of glibc 2.30 and newer: the kernel's ID of the calling thread.
extern int linux_thread_id(void) __asm__("gettid");
/// `pthread_setname_np`: names a thread for debuggers; at most 15 bytes, then a zero.
extern int linux_name_thread(unsigned long thread, const char *name) __asm__("pthread_setname_np");
/// `mallopt`.
extern int linux_set_heap_option(int option, int value) __asm__("mallopt");

/// All threads share one heap (M_ARENA_MAX), if the addresses of this process are limited.
static inline void linux_save_addresses(void) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY) linux_set_heap_option(-8, 1);
}

#pragma clang assume_nonnull end
/// A pause in a loop that polls memory: the processor saves power, and leaves its units to the other thread of
/// the core.
static inline void linux_pause(void) {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

#endif
