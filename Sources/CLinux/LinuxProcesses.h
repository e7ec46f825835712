// Functions of the C library that start processes and that are declared only for programs which request its
// extensions; its module for Swift does not request them. They have names of our own here, and its
// headers are not included, so that its types stay in that module.
#ifndef LINUX_PROCESSES_H
#define LINUX_PROCESSES_H

#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#pragma clang assume_nonnull begin

/// `posix_spawn_file_actions_addchdir_np`, of glibc 2.29 and newer.
extern int linux_spawn_in(void *actions, const char *directory) __asm__("posix_spawn_file_actions_addchdir_np");
/// `posix_spawn_file_actions_addclosefrom_np`, of glibc 2.34 and newer.
extern int linux_spawn_without(void *actions, int first) __asm__("posix_spawn_file_actions_addclosefrom_np");
/// `posix_spawn_file_actions_addtcsetpgrp_np`, of glibc 2.35 and newer.
extern int linux_spawn_in_foreground(void *actions, int terminal)
    __asm__("posix_spawn_file_actions_addtcsetpgrp_np");
/// `pipe2`, with room for two descriptors.
extern int linux_pipe(void *ends, int flags) __asm__("pipe2");
/// `memfd_create`.
extern int linux_memory_file(const char *name, unsigned int flags) __asm__("memfd_create");

/// POSIX_SPAWN_SETSID: the process leads a session of its own.
static const short linux_spawn_session = 0x80;
/// MFD_CLOEXEC.
static const unsigned int linux_memory_file_is_private = 1;

#ifndef SYS_pidfd_send_signal
#define SYS_pidfd_send_signal 424
#endif

/// Sends a signal to the process that a descriptor represents; -1 with `errno`.
static inline int linux_signal_process(int descriptor, int signal) {
    return (int)syscall(SYS_pidfd_send_signal, descriptor, signal, (void *)0, 0u);
}

/// `waitid` for the process that a descriptor represents (P_PIDFD), with room for a `siginfo_t` and a `struct rusage`,
/// which the function of the C library lacks; -1 with `errno`.
static inline int linux_reap(int descriptor, void *information, int options, void *usage) {
    return (int)syscall(SYS_waitid, 3, descriptor, information, options, usage);
}

/// Makes this process the parent of its descendants whose parents end; -1 with `errno`.
static inline int linux_adopt_orphans(void) {
    return prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
}

/// How many bytes can be read from a descriptor at once; -1 with `errno`.
static inline int linux_readable_count(int descriptor) {
    int count = 0;
    return ioctl(descriptor, FIONREAD, &count) == 0 ? count : -1;
}

#pragma clang assume_nonnull end
#endif
