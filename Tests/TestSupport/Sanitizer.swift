internal import Glibc

/// A sanitizer that watches this run.
public enum Sanitizer: Sendable {
    case address
    case thread

    /// The one that does, if any.
    public static let current: Sanitizer? =
        if dlsym(nil, "__tsan_init") != nil {
            .thread
        } else if dlsym(nil, "__asan_init") != nil {
            .address
        } else {
            nil
        }
}
