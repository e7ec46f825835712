@preconcurrency internal import Glibc
internal import CLinux
internal import SystemPackage

/// Starts a process as a leader of a group of its own.
///
/// The C library shares our memory with the new process until it has become the program, so nothing is
/// copied, no matter how large this process is. The new process inherits only the descriptors that are named
/// here and no blocked signal, and every signal has its default action.
struct ProcessStart {
    /// Looked up relative to ``directory``.
    var program: FilePath
    /// Its arguments, its own name first.
    var words: [[UInt8]]
    var environment = ProcessEnvironment()
    /// Its working directory; nil for that of this process.
    var directory: FilePath?
    /// Whether it leads a session of its own, too, so that no terminal reaches it.
    var leadsSession = false
    /// The terminal whose foreground its group has from the beginning; nil for no change.
    var terminal: SharedDescriptor?
    /// Its descriptors from 0 on, none of them below 3 here; nil for the descriptor that this process has
    /// under that number.
    var descriptors: [SharedDescriptor?] = []

    /// Starts it; returns when it has become the program.
    ///
    /// - Throws: the system's error number, even if the directory or the program is at fault.
    func callAsFunction() throws(SystemCallError) -> pid_t {
        var actions = posix_spawn_file_actions_t()
        try check(posix_spawn_file_actions_init(&actions))
        defer { posix_spawn_file_actions_destroy(&actions) }
        // Before all others, which could close its descriptor. The signal that stops a background process which does
        // this is still blocked.
        if let terminal { try check(linux_spawn_in_foreground(&actions, terminal.number)) }
        for (number, descriptor) in descriptors.enumerated() {
            guard let descriptor else { continue }
            try check(posix_spawn_file_actions_adddup2(&actions, descriptor.number, CInt(number)))
        }
        try check(linux_spawn_without(&actions, CInt(max(3, descriptors.count))))
        if let directory {
            try check(
                directory.withPlatformString { linux_spawn_in(&actions, $0) }
            )
        }
        var attributes = posix_spawnattr_t()
        try check(posix_spawnattr_init(&attributes))
        defer { posix_spawnattr_destroy(&attributes) }
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        // Not `sigfillset`, which leaves out two signals that the C library uses; the process would then
        // ignore them.
        withUnsafeMutableBytes(of: &signals) { for index in $0.indices { $0[index] = 0xff } }
        posix_spawnattr_setsigdefault(&attributes, &signals)
        // The leader of a session also leads a group.
        let group = leadsSession ? linux_spawn_session : Int16(POSIX_SPAWN_SETPGROUP)
        posix_spawnattr_setflags(&attributes, group | Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
        var process: pid_t = 0
        var code: CInt = 0
        for pause in [0] + Self.pausesWhileBusy {
            if pause > 0 { usleep(pause) }
            code = withExtendedLifetime((descriptors, terminal)) {
                program.withPlatformString { program in
                    withCStrings(words) { words in
                        environment.withVariables {
                            posix_spawn(&process, program, &actions, &attributes, words, $0)
                        }
                    }
                }
            }
            if code != ETXTBSY { break }
        }
        try check(code)
        return process
    }

    /// In microseconds. A program that is open for writing cannot be run (ETXTBSY). This error can also occur
    /// for a moment after a program was written: a process that another thread starts has copies of our
    /// descriptors until it calls exec.
    private static let pausesWhileBusy: [useconds_t] = [1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 64_000]

    private func check(_ code: CInt) throws(SystemCallError) {
        guard code == 0 else { throw SystemCallError(code: code) }
    }
}

/// A list of C strings in the form that the system needs, with a nil at the end; the bytes have no NUL
/// inside.
typealias CStringList = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>

/// Lends some texts as C strings.
func withCStrings<Result>(_ texts: [[UInt8]], _ body: (CStringList) -> Result) -> Result {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: texts.reduce(1) { $0 + $1.count + 1 }) { bytes in
        withUnsafeTemporaryAllocation(
            of: UnsafeMutablePointer<CChar>?.self,
            capacity: texts.count + 1
        ) { list in
            var place = 0
            list.initialize(repeating: nil)
            for (index, text) in texts.enumerated() {
                list[index] = bytes.baseAddress.map { $0 + place }
                for byte in text {
                    bytes.initializeElement(at: place, to: CChar(bitPattern: byte))
                    place += 1
                }
                bytes.initializeElement(at: place, to: 0)
                place += 1
            }
            guard let base = list.baseAddress else { preconditionFailure("an empty allocation") }
            return body(base)
        }
    }
}
