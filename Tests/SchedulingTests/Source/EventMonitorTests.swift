import Glibc
import Synchronization
import Testing

@testable import Scheduling

/// The monitor with real descriptors, files and processes, driven by the thread of a scheduler.
@Suite struct EventMonitorTests {
    /// Keeps the reported events.
    private final class Told: Sendable {
        let events = Mutex<[EventMonitor.Event]>([])
        let count = Counter()

        var all: [EventMonitor.Event] { events.withLock { $0 } }

        func handler() -> EventMonitor.Handler {
            { event in
                self.events.withLock { $0.append(event) }
                self.count.add()
            }
        }
    }

    /// A pipe that closes itself.
    private final class Pipe {
        private(set) var reading: Int32
        private(set) var writing: Int32

        init() {
            var ends: [Int32] = [-1, -1]
            #expect(pipe(&ends) == 0)
            for end in ends {
                _ = fcntl(end, F_SETFD, FD_CLOEXEC)
                _ = fcntl(end, F_SETFL, O_NONBLOCK)
            }
            (reading, writing) = (ends[0], ends[1])
        }

        deinit {
            closeReading()
            closeWriting()
        }

        func put(_ count: Int) {
            #expect(write(writing, [UInt8](repeating: 1, count: count), count) == count)
        }

        func take(_ count: Int) {
            var bytes = [UInt8](repeating: 0, count: count)
            #expect(read(reading, &bytes, count) == count)
        }

        func closeReading() {
            if reading >= 0 { close(reading) }
            reading = -1
        }

        func closeWriting() {
            if writing >= 0 { close(writing) }
            writing = -1
        }
    }

    @Test func `a pipe is reported once for each arming`() throws {
        let scheduler = Scheduler()
        defer { withExtendedLifetime(scheduler) {} }
        let monitor = try scheduler.eventMonitor()
        withExtendedLifetime(Pipe()) { pipe in
            let told = Told()
            do {
                let watch = try DescriptorWatch(pipe.reading, .read)
                #expect(watch.look() == .notYet)
                let token = monitor.add(watch, told.handler())
                try monitor.arm(token)
                pipe.put(3)
                #expect(told.count.wait(for: 1))
                #expect(watch.look() == .ready(3))
                pipe.put(2)
                #expect(watch.look() == .ready(5))
                try monitor.arm(token)
                #expect(told.count.wait(for: 2))
                pipe.take(5)
                pipe.closeWriting()
                try monitor.arm(token)
                #expect(told.count.wait(for: 3))
                #expect(watch.look() == .ended)
                #expect(told.all == [.ready, .ready, .ready])
                monitor.remove(token)
                #expect(monitor.count == 0)
            } catch {
                Issue.record(error)
            }
        }
    }

    @Test func `room for writing, and a reader that has closed the pipe`() throws {
        SignalRelay.surviveBrokenPipes()
        let pipe = Pipe()
        let watch = try DescriptorWatch(pipe.writing, .write)
        guard case .ready(let room) = watch.look() else {
            Issue.record("an empty pipe has room")
            return
        }
        #expect(room >= 4096)
        pipe.put(room)
        #expect(watch.look() == .notYet)
        pipe.closeReading()
        #expect(watch.look() == .ended)
        #expect(write(pipe.writing, [1], 1) == -1 && errno == EPIPE)
    }

    @Test func `both ends of a socket`() throws {
        var ends: [Int32] = [-1, -1]
        #expect(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
        defer { close(ends[0]) }
        let scheduler = Scheduler()
        defer { withExtendedLifetime(scheduler) {} }
        let monitor = try scheduler.eventMonitor()
        let reading = Told()
        let writing = Told()
        let input = try DescriptorWatch(ends[0], .read)
        let output = try DescriptorWatch(ends[0], .write)
        let tokens = [monitor.add(input, reading.handler()), monitor.add(output, writing.handler())]
        for token in tokens { try monitor.arm(token) }
        // Two watches of one descriptor: each reports its own events.
        #expect(writing.count.wait(for: 1))
        #expect(reading.all.isEmpty)
        #expect(write(ends[1], [1, 2], 2) == 2)
        #expect(reading.count.wait(for: 1))
        #expect(input.look() == .ready(2))
        var bytes: [UInt8] = [0, 0]
        #expect(read(ends[0], &bytes, 2) == 2)
        shutdown(ends[1], Int32(SHUT_WR))
        #expect(input.look() == .ended)
        guard case .ready = output.look() else {
            Issue.record("half a socket that is closed leaves the other half")
            return
        }
        close(ends[1])
        for token in tokens { monitor.remove(token) }
    }

    @Test
    func `a number that was closed and given to another file is noticed, and does not disturb its new owner`()
        throws
    {
        let scheduler = Scheduler()
        defer { withExtendedLifetime(scheduler) {} }
        let monitor = try scheduler.eventMonitor()
        let first = Pipe()
        let watch = try DescriptorWatch(first.reading, .read)
        let token = monitor.add(watch, Told().handler())
        try monitor.arm(token)
        // Another pipe takes the number.
        let second = Pipe()
        #expect(dup2(second.reading, first.reading) == first.reading)
        #expect(!watch.isOpen)
        #expect(watch.look() == .closed)
        let told = Told()
        let newer = monitor.add(try DescriptorWatch(first.reading, .read), told.handler())
        try monitor.arm(newer)
        monitor.remove(token)
        second.put(1)
        #expect(told.count.wait(for: 1))
        monitor.remove(newer)
    }

    @Test func `files are always ready, to their end`() throws {
        var path = Array("/tmp/opscript-XXXXXX".utf8CString)
        let file = mkstemp(&path)
        defer {
            close(file)
            unlink(path)
        }
        #expect(write(file, [1, 2, 3, 4, 5], 5) == 5)
        lseek(file, 2, SEEK_SET)
        let watch = try DescriptorWatch(file, .read)
        #expect(!watch.isStream)
        #expect(watch.look() == .ready(3))
        #expect(watch.look(buffered: 2) == .ready(5))
        lseek(file, 0, SEEK_END)
        #expect(watch.look() == .ended)
    }

    @Test func `descriptors that cannot be watched are refused`() throws {
        let pipe = Pipe()
        #expect(throws: SystemFailure.notOpen) { try DescriptorWatch(-1, .read) }
        #expect(throws: SystemFailure.notOpen) { try DescriptorWatch(9999, .read) }
        #expect(throws: SystemFailure.wrongWay) { try DescriptorWatch(pipe.writing, .read) }
        let folder = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        defer { close(folder) }
        #expect(throws: SystemFailure.directory) { try DescriptorWatch(folder, .read) }
        #expect(throws: SystemFailure(code: ENOENT)) { try SystemProbe.checkFile(Array("/nowhere".utf8)) }
        #expect(throws: SystemFailure(code: ESRCH)) { try SystemProbe.checkProcess(0) }
        #expect(SystemFailure(code: ENOENT).description == "no such file or directory")
    }

    @Test func `signals are counted for each observer, and get their former action back`() throws {
        let scheduler = Scheduler()
        defer { withExtendedLifetime(scheduler) {} }
        let monitor = try scheduler.eventMonitor()
        let other = Scheduler()
        defer { withExtendedLifetime(other) {} }
        let otherMonitor = try other.eventMonitor()
        // A disposition of the host's own.
        let number = Int32(39)
        var own = sigaction()
        own.__sigaction_handler.sa_handler = SIG_IGN
        sigaction(number, &own, nil)
        let first = Told()
        let second = Told()
        let third = Told()
        let one = try monitor.add(signal: number, first.handler())
        let two = try monitor.add(signal: number, second.handler())
        let three = try otherMonitor.add(signal: number, third.handler())
        kill(getpid(), number)
        for told in [first, second, third] { #expect(told.count.wait(for: 1)) }
        #expect(first.all == [.signals(1)] && second.all == [.signals(1)] && third.all == [.signals(1)])
        monitor.remove(one)
        kill(getpid(), number)
        #expect(second.count.wait(for: 2) && third.count.wait(for: 2))
        #expect(first.all.count == 1)
        monitor.remove(two)
        otherMonitor.remove(three)
        var present = sigaction()
        sigaction(number, nil, &present)
        #expect(
            unsafeBitCast(present.__sigaction_handler.sa_handler, to: Int.self)
                == unsafeBitCast(SIG_IGN, to: Int.self)
        )
        own.__sigaction_handler.sa_handler = SIG_DFL
        sigaction(number, &own, nil)
        #expect(throws: SystemFailure.self) { try monitor.add(signal: SIGKILL, first.handler()) }
    }

    @Test func `names of signals`() {
        #expect(SignalName.number(of: "SIGUSR1") == SIGUSR1)
        #expect(SignalName.number(of: "usr1") == SIGUSR1)
        #expect(SignalName.number(of: "SIGRTMIN") == 34 && SignalName.number(of: "RTMAX-1") == 63)
        #expect(SignalName.number(of: "SIGRTMIN+31") == nil && SignalName.number(of: "SIGNO") == nil)
        #expect(SignalName.name(of: SIGTERM) == "SIGTERM" && SignalName.name(of: 36) == "SIGRTMIN+2")
        for (name, number) in SignalName.numbers {
            #expect(SignalName.number(of: name) == number && SignalName.name(of: number) == name)
        }
    }

    @Test func `each watcher of a file receives its own kinds of changes`() throws {
        var path = Array("/tmp/opscript-XXXXXX".utf8CString)
        let file = mkstemp(&path)
        defer { close(file) }
        let bytes = path.dropLast().map { UInt8(bitPattern: $0) }
        let scheduler = Scheduler()
        defer { withExtendedLifetime(scheduler) {} }
        let monitor = try scheduler.eventMonitor()
        let writes = Told()
        let ends = Told()
        let one = try monitor.add(file: bytes, [.write, .extend], writes.handler())
        let two = try monitor.add(file: bytes, .delete, ends.handler())
        #expect(write(file, [1], 1) == 1)
        #expect(writes.count.wait(for: 1))
        #expect(writes.all == [.changed([.write, .extend], isGone: false)])
        monitor.remove(one)
        #expect(write(file, [1], 1) == 1)
        unlink(path)
        #expect(ends.count.wait(for: 1))
        #expect(ends.all == [.changed(.delete, isGone: true)])
        #expect(writes.all.count == 1)
        monitor.remove(two)
        #expect(throws: SystemFailure(code: ENOENT)) { try monitor.add(file: bytes, .write, ends.handler()) }
    }

    @Test func `a child's exit is reported with its status, which is left for its parent`() throws {
        let scheduler = Scheduler()
        defer { withExtendedLifetime(scheduler) {} }
        let monitor = try scheduler.eventMonitor()
        let pipe = Pipe()
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        _ = fcntl(pipe.reading, F_SETFL, 0)
        posix_spawn_file_actions_adddup2(&actions, pipe.reading, 0)
        var child: pid_t = 0
        let words: [UnsafeMutablePointer<CChar>?] = [
            strdup("sh"), strdup("-c"), strdup("read x; exit 3"), nil,
        ]
        defer { for word in words { free(word) } }
        #expect(posix_spawn(&child, "/bin/sh", &actions, nil, words, environ) == 0)
        posix_spawn_file_actions_destroy(&actions)
        let told = Told()
        let token = try monitor.add(process: child, told.handler())
        #expect(told.all.isEmpty)
        #expect(write(pipe.writing, "\n", 1) == 1)
        #expect(told.count.wait(for: 1))
        #expect(told.all == [.exited(.exited(3))])
        var status: Int32 = 0
        #expect(waitpid(child, &status, 0) == child)
        monitor.remove(token)
        #expect(throws: SystemFailure(code: ESRCH)) { try monitor.add(process: child, told.handler()) }
    }

    /// Opens a gate when it is released.
    private final class Farewell: Sendable {
        let gate: Gate

        init(_ gate: Gate) { self.gate = gate }

        deinit { gate.open() }
    }

    @Test func `a scheduler releases its monitor`() throws {
        let pipe = Pipe()
        let gate = Gate()
        do {
            let scheduler = Scheduler()
            let monitor = try scheduler.eventMonitor()
            let farewell = Farewell(gate)
            let handler: EventMonitor.Handler = { _ in withExtendedLifetime(farewell) {} }
            for direction in [DescriptorWatch.Direction.read, .read] {
                try monitor.arm(monitor.add(try DescriptorWatch(pipe.reading, direction), handler))
            }
            _ = try monitor.add(file: Array("/tmp".utf8), .all, handler)
            _ = try monitor.add(process: getpid(), handler)
            _ = try monitor.add(signal: 40, handler)
            #expect(monitor.count == 5)
        }
        #expect(gate.pass())
    }

    @Test func `timers of the scheduler fire while it waits for descriptors`() throws {
        let scheduler = Scheduler()
        defer { withExtendedLifetime(scheduler) {} }
        let monitor = try scheduler.eventMonitor()
        let pipe = Pipe()
        let told = Told()
        let token = monitor.add(try DescriptorWatch(pipe.reading, .read), told.handler())
        try monitor.arm(token)
        let queue = ScheduledQueue(scheduler)
        let fires = Counter()
        let timer = ScheduledTimer(queue, interval: 0.001, repeats: true) { _ in fires.add() }
        #expect(fires.wait(for: 5))
        pipe.put(1)
        #expect(told.count.wait(for: 1))
        timer.invalidate()
        monitor.remove(token)
    }
}
