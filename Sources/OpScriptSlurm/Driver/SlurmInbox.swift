internal import Glibc
internal import OpScript
internal import Synchronization

/// The wishes of other threads for the thread of a cluster. From any thread.
final class SlurmInbox: Sendable {
    enum Wish: Sendable {
        case call(RemoteCall)
        case cancel(UInt64)
        case detach
        case close(keepsFiles: Bool)
    }

    private struct State {
        var wishes: [Wish] = []
        var hasEnded = false
    }

    private let state = Mutex(State())
    /// Readable while there are wishes.
    var bell: Int32 { bells.reading }
    private let bells: Bell
    /// Readable once the thread has ended.
    private let end: Bell

    init() throws(ScriptError) {
        bells = try Bell()
        end = try Bell()
    }

    /// False if the thread has ended.
    @discardableResult
    func put(_ wish: Wish) -> Bool {
        let (hasEnded, isFirst) = state.withLock { state in
            if !state.hasEnded { state.wishes.append(wish) }
            return (state.hasEnded, state.wishes.count == 1)
        }
        if !hasEnded, isFirst { bells.ring() }
        return !hasEnded
    }

    func take() -> [Wish] {
        bells.silence()
        return state.withLock { state in
            defer { state.wishes = [] }
            return state.wishes
        }
    }

    /// The thread has nothing left and takes no wish any more; false if there are wishes.
    func ends() -> Bool {
        let hasEnded = state.withLock { state in
            if state.wishes.isEmpty { state.hasEnded = true }
            return state.hasEnded
        }
        if hasEnded { end.ring() }
        return hasEnded
    }

    func waitForEnd(_ seconds: Double) {
        var request = pollfd(fd: end.reading, events: Int16(POLLIN), revents: 0)
        while poll(&request, 1, Int32(seconds * 1000)) < 0, errno == EINTR {}
    }
}

/// A pipe that can be read once another thread has rung.
private final class Bell: Sendable {
    let reading: Int32
    private let writing: Int32

    init() throws(ScriptError) {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else {
            throw ScriptError(.host, "no descriptors are left for the thread of Slurm")
        }
        for end in ends {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
        }
        (reading, writing) = (ends[0], ends[1])
    }

    deinit {
        close(reading)
        close(writing)
    }

    func ring() {
        var byte: UInt8 = 0
        _ = write(writing, &byte, 1)
    }

    func silence() {
        var bytes: UInt64 = 0
        while read(reading, &bytes, 8) > 0 {}
    }
}

/// Reads from a descriptor; nil if there is nothing, or no more.
func descriptorRead(_ descriptor: Int32, _ scratch: UnsafeMutableRawBufferPointer) -> Int? {
    while true {
        let count = read(descriptor, scratch.baseAddress, scratch.count)
        if count >= 0 { return count }
        if errno != EINTR { return nil }
    }
}
