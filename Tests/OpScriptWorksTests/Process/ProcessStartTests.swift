import Glibc
import CLinux
import OpScript
import SystemPackage
import TestSupport
import Testing

@testable import OpScriptWorks

/// The state that a process inherits from this one, and the state that it does not.
@Suite(.timeLimit(.minutes(20))) struct ProcessStartTests {
    /// Runs a text of a shell, and returns its output.
    private func output(_ text: String, _ options: ProcessOptions = ProcessOptions()) async throws -> String {
        let command = Command(shell: Array(text.utf8), options: options)
        let result = try await runProcess(WorkContext(), command)
        guard case .string(let bytes)? = result["output"] else { return "nothing" }
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test func `no signal is blocked or ignored`() async throws {
        // On a thread of its own, so that no other test sees it.
        let text = "exec grep -E '^Sig(Blk|Ign)' /proc/self/status >&3"
        let lines = try await blocking { () throws -> String in
            var blocked = sigset_t()
            sigemptyset(&blocked)
            sigaddset(&blocked, SIGUSR1)
            sigaddset(&blocked, SIGCHLD)
            pthread_sigmask(SIG_BLOCK, &blocked, nil)
            // As most programs do, this one as well.
            signal(SIGPIPE, SIG_IGN)
            return try run(text)
        }
        #expect(lines == "SigBlk:\t0000000000000000\nSigIgn:\t0000000000000000\n")
    }

    @Test func `a process gets only the descriptors that are meant for it`() async throws {
        // A descriptor that a host has forgotten to mark as close-on-exec.
        let forgotten = fcntl(STDERR_FILENO, F_DUPFD, 50)
        #expect(forgotten >= 50)
        defer { close(forgotten) }
        // A shell's glob opens the folder, and lists that descriptor, too.
        let numbers = try await output("cd /proc/$$/fd; echo *")
        #expect(numbers == "0 1 2\n" || numbers == "0 1 2 3\n")
    }

    @Test func `it leads a group, and a session if requested`() throws {
        let fields =
            "exec 2>&3; read -r p c s pp g ses rest < /proc/$$/stat; echo $(($g == $$)) $(($ses == $$)) >&3"
        #expect(try run(fields) == "1 0\n")
        #expect(try run(fields, leadsSession: true) == "1 1\n")
    }

    @Test func `variables are passed as bytes, except those that are changed`() throws {
        // Of names that begin alike only the very one is meant.
        let changes: [String: String?] = ["OPSCRIPT_A": "1 = ü", "HOME": nil, "PAT": "x"]
        let path = try #require(getenv("PATH").map { String(cString: $0) })
        let text = "echo \"$OPSCRIPT_A|${HOME-none}|$PAT|$PATH\" >&3"
        #expect(try run(text, ProcessEnvironment(changes: changes)) == "1 = ü|none|x|\(path)\n")
        let few = ProcessEnvironment(inherits: false, changes: ["PATH": "y", "HOME": nil])
        #expect(try run(text, few) == "|none||y\n")
        #expect(ProcessEnvironment(inherits: false).withVariables { $0.pointee == nil })
    }

    @Test func `a program that cannot be run is reported with the system's number`() throws {
        func code(_ start: ProcessStart) -> CInt {
            do throws(SystemCallError) {
                _ = try start()
                return 0
            } catch {
                return error.code
            }
        }
        let words = [Array("x".utf8)]
        #expect(code(ProcessStart(program: "/no/such", words: words)) == ENOENT)
        #expect(code(ProcessStart(program: "/etc", words: words)) == EACCES)
        #expect(code(ProcessStart(program: "/bin/true", words: words, directory: "/etc/passwd")) == ENOTDIR)
        let long = Array(repeating: UInt8(ascii: "x"), count: 1 << 22)
        #expect(code(ProcessStart(program: "/bin/true", words: words + [long])) == E2BIG)
    }

    @Test func `the end of exactly one child is taken`() throws {
        let one = try ProcessStart(
            program: "/bin/sh",
            words: ["sh", "-c", "exit 3"].map { Array($0.utf8) }
        )()
        let other = try ProcessStart(
            program: "/bin/sh",
            words: ["sh", "-c", "kill $$"].map { Array($0.utf8) }
        )()
        for (process, end) in [(other, ProcessEnd.signalled(SIGTERM)), (one, .exited(3))] {
            let descriptor = SharedDescriptor(owning: linux_open_process(process))
            var event = pollfd(fd: descriptor.number, events: Int16(POLLIN), revents: 0)
            while poll(&event, 1, -1) < 0 {}
            #expect(ProcessEnd.reap(descriptor.number) == end)
            // It is gone.
            #expect(kill(process, 0) == -1)
        }
    }

    @Test func `a status that another waiter has taken is not invented`() throws {
        let process = try ProcessStart(
            program: "/bin/sh",
            words: ["sh", "-c", "exit 3"].map { Array($0.utf8) }
        )()
        let descriptor = SharedDescriptor(owning: linux_open_process(process))
        var status: CInt = 0
        while waitpid(process, &status, 0) < 0 {}
        // Kernels from 6.15 on remember.
        let end = ProcessEnd.reap(descriptor.number)
        #expect(end == nil || end == .exited(3))
    }

    /// Runs a text of a shell whose descriptor 3 is a pipe, and returns the bytes that came through it.
    private func run(
        _ text: String,
        _ environment: ProcessEnvironment = ProcessEnvironment(),
        leadsSession: Bool = false
    ) throws -> String {
        var pipe: Pipe? = try Pipe()
        let reading = try #require(pipe?.reading)
        let process = try ProcessStart(
            program: "/bin/sh",
            words: ["sh", "-c", text].map { Array($0.utf8) },
            environment: environment,
            leadsSession: leadsSession,
            descriptors: [nil, nil, nil, pipe?.writing]
        )()
        pipe = nil
        var bytes: [UInt8] = []
        while true {
            var piece = [UInt8](repeating: 0, count: 4096)
            let count = try systemCall { read(reading.number, &piece, piece.count) }
            if count == 0 { break }
            bytes += piece[..<count]
        }
        var status: CInt = 0
        while waitpid(process, &status, 0) < 0 {}
        return String(decoding: bytes, as: UTF8.self)
    }
}
