import Glibc
import OpScript
import SystemPackage
import TestSupport
import Testing

@testable import OpScriptWorks

@Suite struct FileContentsTests {
    let scratch: Scratch
    let context = WorkContext()

    init() throws { scratch = try Scratch() }

    @Test func `written bytes are read back unchanged`() throws {
        let data = ScriptData(noise(3 << 20))
        #expect(try writeFile(context, scratch["a"], data) == scratch["a"])
        #expect(try readFile(context, scratch["a"]) == data.bytes)
        #expect(context.progress.fractionCompleted == 1)
        #expect(try scratch.names() == ["a"])
    }

    @Test func `files of the kernel are read though their size is 0`() throws {
        #expect(!(try readFile(context, "/proc/self/status")).isEmpty)
    }

    @Test func `errors name the file and the reason`() throws {
        try scratch.file("file")
        let missing = scratch["missing"]
        let inMissing = scratch["missing/x"]
        #expect(message { _ = try readFile(context, missing) } == "cannot read '\(missing)': no such file")
        #expect(
            message { _ = try readFile(context, scratch.path) }
                == "cannot read '\(scratch.path)': is a directory"
        )
        #expect(
            message { _ = try readFile(context, scratch["file/x"]) }
                == "cannot read '\(scratch["file/x"])': not a directory"
        )
        #expect(
            message { _ = try writeFile(context, inMissing, ScriptData([])) }
                == "cannot write '\(inMissing)': no such directory"
        )
        #expect(
            message { _ = try writeFile(context, scratch.path, ScriptData([])) }
                == "cannot write '\(scratch.path)': is a directory"
        )
        #expect(
            message { _ = try appendToFile(context, inMissing, ScriptData([])) }
                == "cannot append to '\(inMissing)': no such directory"
        )
    }

    @Test func `a file larger than the limit is refused at once`() throws {
        try scratch.file("sparse")
        #expect(truncate(scratch["sparse"].string, 1 << 42) == 0)
        #expect(
            message { _ = try readFile(context, scratch["sparse"]) }
                == "cannot read '\(scratch["sparse"])': it holds more than 256 MiB; set the option 'limit'"
        )
    }

    @Test func `writing keeps the mode of the old file and a new one gets what umask leaves`() throws {
        try scratch.file("old", "1")
        #expect(chmod(scratch["old"].string, 0o640) == 0)
        try scratch.file("old", "2")
        #expect(try scratch.text("old") == "2")
        #expect(try fileStatus(of: scratch["old"])?.permissions == 0o640)
        let mask = umask(0o22)
        umask(mask)
        try scratch.file("new")
        #expect(try fileStatus(of: scratch["new"])?.permissions == 0o666 & ~mask)
    }

    @Test func `writing through a symbolic link replaces its target`() throws {
        try scratch.file("real", "old")
        #expect(symlink("real", scratch["link"].string) == 0)
        #expect(symlink("made", scratch["dangling"].string) == 0)
        #expect(symlink("loop", scratch["loop"].string) == 0)
        try scratch.file("link", "new")
        try scratch.file("dangling", "made")
        #expect(try scratch.text("real") == "new")
        #expect(try scratch.text("made") == "made")
        #expect(try fileStatus(of: scratch["link"], follow: false)?.kind == S_IFLNK)
        #expect(message { try scratch.file("loop") }.hasSuffix("too many levels of symbolic links"))
    }

    @Test func `a cancelled or failed write leaves the old file and nothing beside it`() throws {
        try scratch.file("a", "old")
        context.cancel()
        #expect(throws: CancellationError.self) {
            try writeFile(context, scratch["a"], ScriptData(noise(100)))
        }
        #expect(throws: ScriptError.self) {
            try replaceFile(WorkContext(), scratch["a"]) { descriptor in
                try writeAll(WorkContext(), noise(100), to: descriptor)
                throw ScriptError(.failed, "in the middle")
            }
        }
        #expect(try scratch.text("a") == "old")
        #expect(try scratch.names() == ["a"])
    }

    @Test func `a process that is killed in the middle of a write leaves no trace of it`() async throws {
        try scratch.file("a", "old")
        await #expect(processExitsWith: .signal(SIGKILL)) { [path = scratch.path.string as String] in
            for name in ["a", "b"] {
                let inTheMiddle = name == "b"
                try replaceFile(WorkContext(), FilePath(path).appending(name)) { descriptor in
                    try writeAll(WorkContext(), [110, 101, 119], to: descriptor)
                    if inTheMiddle { kill(getpid(), SIGKILL) }
                }
            }
        }
        #expect(try scratch.text("a") == "new")
        #expect(try scratch.names() == ["a"])
    }

    @Test func `a draft has no name until it is published and none when it is dropped`() throws {
        var draft = try Draft(besides: scratch["a"], mode: 0o666)
        try writeAll(context, [1, 2, 3], to: draft.descriptor)
        #expect(try scratch.names() == [])
        try draft.publish(replacing: false)
        #expect(try scratch.names() == ["a"])
    }

    @Test func `a file that another process creates meanwhile is replaced`() throws {
        var draft = try Draft(besides: scratch["a"], mode: 0o666)
        try scratch.file("a", "meanwhile")
        try draft.publish(replacing: false)
        #expect(try scratch.text("a") == "")
        #expect(try scratch.names() == ["a"])
    }

    @Test func `appending adds to an existing file and creates a missing one`() throws {
        _ = try appendToFile(context, scratch["a"], ScriptData([65]))
        _ = try appendToFile(context, scratch["a"], ScriptData([66]))
        #expect(try scratch.text("a") == "AB")
    }

    @Test func `devices and pipes are written in place`() throws {
        _ = try writeFile(context, "/dev/null", ScriptData([1]))
        #expect(try fileStatus(of: "/dev/null")?.kind == S_IFCHR)
    }

    @Test(.timeLimit(.minutes(20))) func `a write to a pipe waits for its partner until cancelled`()
        async throws
    {
        let pipe = scratch["pipe"]
        #expect(mkfifo(pipe.string, 0o600) == 0)
        for body in [
            { @Sendable (context: WorkContext) throws in _ = try readFile(context, pipe) },
            { @Sendable (context: WorkContext) throws in _ = try writeFile(context, pipe, ScriptData([1])) },
        ] {
            let context = WorkContext()
            let task = Task { try await blocking { try body(context) } }
            context.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
        }
        // With one they meet.
        async let written = blocking { try writeFile(WorkContext(), pipe, ScriptData(noise(200_000))) }
        #expect(try await blocking { try readFile(WorkContext(), pipe) } == noise(200_000))
        _ = try await written
    }
}
