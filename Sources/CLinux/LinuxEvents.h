// The kernel's headers for waiting on descriptors, files and processes, which the C library's module for Swift
// leaves out, and calls that older C libraries do not have. This header is not compiled separately.
#ifndef LINUX_EVENTS_H
#define LINUX_EVENTS_H

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#pragma clang assume_nonnull begin

#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#endif
#ifndef SYS_epoll_pwait2
#define SYS_epoll_pwait2 441
#endif

/// Moves pages to another place and replaces any mapping there; false with `errno` (mremap(2)).
static inline bool linux_move_pages(void *from, size_t size, void *to) {
    // MREMAP_MAYMOVE and MREMAP_FIXED.
    return (void *)syscall(SYS_mremap, from, size, size, 1 | 2, to) == to;
}

/// A descriptor that represents a process; it can be waited for. -1 with `errno`.
static inline int linux_open_process(int32_t process) {
    return (int)syscall(SYS_pidfd_open, process, 0);
}

/// The status that `waitpid` returned for a process, read from the process's descriptor; -1 on kernels before 6.15.
static inline int linux_exit_code(int descriptor, int32_t *code) {
    // The first version of the kernel's `struct pidfd_info`: the mask at 0, the code at 60.
    unsigned char information[64];
    uint64_t mask = 1 << 3;
    memset(information, 0, sizeof information);
    memcpy(information, &mask, sizeof mask);
    if (ioctl(descriptor, _IOWR(0xff, 11, unsigned char[64]), information) != 0) return -1;
    memcpy(&mask, information, sizeof mask);
    if ((mask & 1 << 3) == 0) return -1;
    memcpy(code, information + 60, sizeof *code);
    return 0;
}

/// Waits for events, at most so many nanoseconds; below 0 for ever. Kernels before 5.11 round up to milliseconds.
static inline int linux_wait(int poll, struct epoll_event *events, int capacity, int64_t nanoseconds) {
    if (nanoseconds < 0) return epoll_wait(poll, events, capacity, -1);
    struct timespec limit = { (time_t)(nanoseconds / 1000000000), (long)(nanoseconds % 1000000000) };
    int count = (int)syscall(SYS_epoll_pwait2, poll, events, capacity, &limit, (void *)0, (size_t)0);
    if (count >= 0 || errno != ENOSYS) return count;
    int64_t milliseconds = (nanoseconds + 999999) / 1000000;
    return epoll_wait(poll, events, capacity, milliseconds > 3600000 ? 3600000 : (int)milliseconds);
}

#pragma clang assume_nonnull end
#endif
