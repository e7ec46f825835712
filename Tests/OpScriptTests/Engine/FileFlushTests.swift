import Glibc
import OpScript
import Synchronization
import Testing

/// Files that scripts leave open at the end of a run.
@Suite(.timeLimit(.minutes(5))) struct FileFlushTests {
    @Test func `they are flushed although a script of another engine reads from a pipe`() async throws {
        var template = Array("/tmp/opscript-flush-XXXXXX".utf8CString)
        let folder = try #require(mkdtemp(&template).map { String(cString: $0) })
        defer { _ = system("rm -rf '\(folder)'") }
        #expect(mkfifo("\(folder)/pipe", 0o600) == 0)
        var configuration = ScriptEngine.Configuration()
        configuration.libraries = .all
        let (reader, writer) = (ScriptEngine(configuration), ScriptEngine(configuration))
        let reads = Atomic(false)
        reader.registerFunction("reads") { reads.store(true, ordering: .releasing) }
        let reading = Task {
            try await reader.evaluate(
                "local f = io.popen('cat \(folder)/pipe') local first = f:read(1) reads() return first .. f:read('a')",
                as: String.self
            )
        }
        let pipe = open("\(folder)/pipe", O_RDWR | O_CLOEXEC)
        #expect(write(pipe, "one", 3) == 3)
        while !reads.load(ordering: .acquiring) { await Task.yield() }
        for count in 1...20 {
            _ = try await writer.run(
                code: """
                    file = file or io.open('\(folder)/text', 'w')
                    file:write(\(count), ' ')
                    temporary = io.tmpfile()
                    assert(io.popen('exit 3'):close() == nil)
                    """
            )
            let text = try Self.text("\(folder)/text")
            #expect(text == (1...count).map { "\($0) " }.joined())
        }
        close(pipe)
        #expect(try await reading.value == "one")
    }

    private static func text(_ path: String) throws -> String {
        let file = try #require(fopen(path, "re"))
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 1_000)
        let count = fread(&bytes, 1, bytes.count, file)
        return String(decoding: bytes[..<count], as: UTF8.self)
    }
}
