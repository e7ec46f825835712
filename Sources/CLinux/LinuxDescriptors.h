// The last descriptors of the process are not for scripts.
#ifndef LINUX_DESCRIPTORS_H
#define LINUX_DESCRIPTORS_H

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <unistd.h>

/// The number from which on descriptors are kept for the process itself: for the last 16 of its limit, and at most a
/// quarter of it.
///
/// libdispatch, on which Swift's tasks run, opens descriptors at any time (its monitor does so each second), and
/// ends the process if it gets none. The kernel returns the lowest free number, so a number above this one means
/// that few are left.
static inline uint64_t linux_reserved_from(void) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return UINT64_MAX;
    return limit.rlim_cur - (limit.rlim_cur / 4 < 16 ? limit.rlim_cur / 4 : 16);
}

/// Whether a descriptor that was opened just now is not one of the last. -1 is not one of them.
static inline bool linux_is_spare(int descriptor) {
    // This saves the call in nearly all processes: no limit under which a script could run reserves these numbers.
    return descriptor < 12 || (uint64_t)descriptor < linux_reserved_from();
}

/// Passes on a descriptor that was opened for a script. If it is one of the last, closes it and returns -1 with
/// EMFILE, as if the system had refused. -1 stays -1.
static inline int linux_spare(int descriptor) {
    if (linux_is_spare(descriptor)) return descriptor;
    close(descriptor);
    errno = EMFILE;
    return -1;
}

/// Whether a script may open another descriptor; false with `errno`. Call it before an action that cannot be
/// undone.
static inline bool linux_has_spare(void) {
    int descriptor = linux_spare(eventfd(0, EFD_CLOEXEC));
    if (descriptor < 0) return false;
    close(descriptor);
    return true;
}

#endif
