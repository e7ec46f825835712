#if canImport(Glibc)
internal import Glibc
#else
internal import Darwin
#endif

/// Names of signals, as `kill -l` gives them.
package enum SignalName {
    /// The names with their numbers, without those of the real-time signals.
    package static let numbers: [(name: String, number: Int32)] = [
        ("SIGHUP", SIGHUP), ("SIGINT", SIGINT), ("SIGQUIT", SIGQUIT), ("SIGILL", SIGILL),
        ("SIGTRAP", SIGTRAP), ("SIGABRT", SIGABRT), ("SIGBUS", SIGBUS), ("SIGFPE", SIGFPE),
        ("SIGKILL", SIGKILL), ("SIGUSR1", SIGUSR1), ("SIGSEGV", SIGSEGV), ("SIGUSR2", SIGUSR2),
        ("SIGPIPE", SIGPIPE), ("SIGALRM", SIGALRM), ("SIGTERM", SIGTERM), ("SIGSTKFLT", 16),
        ("SIGCHLD", SIGCHLD), ("SIGCONT", SIGCONT), ("SIGSTOP", SIGSTOP), ("SIGTSTP", SIGTSTP),
        ("SIGTTIN", SIGTTIN), ("SIGTTOU", SIGTTOU), ("SIGURG", SIGURG), ("SIGXCPU", SIGXCPU),
        ("SIGXFSZ", SIGXFSZ), ("SIGVTALRM", SIGVTALRM), ("SIGPROF", SIGPROF), ("SIGWINCH", SIGWINCH),
        ("SIGIO", SIGIO), ("SIGPWR", 30), ("SIGSYS", SIGSYS),
    ]

    /// The signals that a fault of the running thread raises, or that the system reserves. They cannot be
    /// counted.
    package static let faults: Set<Int32> = [SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV, SIGSYS]

    /// The number of `SIGUSR1`, `usr1` or `SIGRTMIN+2`.
    package static func number(of name: String) -> Int32? {
        var word = name.uppercased()
        if !word.hasPrefix("SIG") { word = "SIG" + word }
        if let known = numbers.first(where: { $0.name == word }) { return known.number }
        // The C library keeps two of the 32 for itself.
        for (base, first) in [("SIGRTMIN", Int32(34)), ("SIGRTMAX", Int32(64))] where word.hasPrefix(base) {
            let rest = word.dropFirst(base.count)
            guard let offset = rest.isEmpty ? 0 : Int32(rest), offset > -64, offset < 64 else { return nil }
            let number = first + offset
            return (34...64).contains(number) ? number : nil
        }
        return nil
    }

    /// The name of a number; the number itself if it has none.
    package static func name(of number: Int32) -> String {
        if let known = numbers.first(where: { $0.number == number }) { return known.name }
        return (34...64).contains(number) ? "SIGRTMIN+\(number - 34)" : "\(number)"
    }
}
