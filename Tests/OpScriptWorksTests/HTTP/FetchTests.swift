#if HTTP
import Glibc
import HTTPTestServer
import OpScript
import SystemPackage
import Testing

@testable import OpScriptWorks

@Suite(.timeLimit(.minutes(20))) struct FetchTests {
    let server: HTTPTestServer
    let scratch: Scratch
    let context = WorkContext()

    init() throws {
        server = try HTTPTestServer()
        scratch = try Scratch()
    }

    private func get(_ path: String, _ options: ScriptTable = [:]) async throws -> ScriptValue {
        let address = try WebAddress(scriptValue: .text(server.url(path)))
        return try await fetch(context, WebRequest("GET", address, WebOptions(scriptValue: .table(options))))
    }

    private func field(_ name: String, _ value: ScriptValue) -> ScriptValue? {
        guard case .table(let table) = value else { return nil }
        return table[name]
    }

    @Test func `status, headers and body come back`() async throws {
        let result = try await get("/hello")
        #expect(field("status", result) == .integer(200))
        #expect(field("body", result) == .text("hello\n"))
        let headers = try #require(field("headers", result))
        #expect(field("content-length", headers) == .text("6"))
        #expect(field("x-twice", headers) == .text("a, b"))
        #expect(context.progress.completedUnitCount == 6)
        #expect(context.progress.totalUnitCount == 6)
    }

    @Test func `a status of failure is not an error, unless the body goes to a file`() async throws {
        let result = try await get("/status/404")
        #expect(field("status", result) == .integer(404))
        #expect(field("body", result) == .text("body of 404"))
        #expect(
            await message { _ = try await get("/status/503", ["to": .text(scratch["x"].string)]) }
                == "cannot get '\(server.url("/status/503"))': the server answered 503 Service Unavailable"
        )
        #expect(try scratch.names() == [])
    }

    @Test func `headers are sent`() async throws {
        let result = try await get(
            "/echo",
            ["headers": .table(["X-Mine": .text("v"), "X-Number": .integer(5)])]
        )
        guard case .string(let bytes)? = field("body", result) else {
            Issue.record("no body")
            return
        }
        let head = String(decoding: bytes, as: UTF8.self)
        #expect(head.contains("X-Mine: v\r\n") && head.contains("X-Number: 5\r\n"))
        #expect(head.contains("User-Agent: opscript\r\n"))
    }

    @Test func `redirects are followed, ten of them`() async throws {
        #expect(field("body", try await get("/redirect/3")) == .text("arrived"))
        #expect(field("body", try await get("/redirect/10")) == .text("arrived"))
        #expect(
            await message { _ = try await get("/far/1") }
                == "cannot get '\(server.url("/far/1"))': more than 10 redirects"
        )
        #expect(
            await message { _ = try await get("/loop") }
                == "cannot get '\(server.url("/loop"))': its redirects form a cycle"
        )
    }

    @Test func `a body that is shorter than announced fails, and leaves no file`() async throws {
        let text =
            "cannot get '\(server.url("/short"))': the server closed the connection before the end of its answer"
        #expect(await message { _ = try await get("/short") } == text)
        #expect(await message { _ = try await get("/short", ["to": .text(scratch["x"].string)]) } == text)
        #expect(try scratch.names() == [])
    }

    @Test func `an answer in chunks is assembled, garbage is refused`() async throws {
        #expect(field("body", try await get("/chunked")) == .text("onetwo"))
        let text = await message { _ = try await get("/garbage") }
        // The server closes after its answer: on a busy machine that can be before the request is written.
        let reasons = ["the server's answer is broken", "the server closed the connection"]
        #expect(
            reasons.contains { text.hasPrefix("cannot get '\(server.url("/garbage"))': \($0)") },
            "\(text)"
        )
    }

    @Test func `no server listens, and no host has the name`() async throws {
        server.stop()
        #expect(
            await message { _ = try await get("/hello") }
                == "cannot get '\(server.url("/hello"))': connection refused"
        )
        let address = try WebAddress(scriptValue: .text("http://no-such-host.invalid/"))
        let text = await message { _ = try await fetch(context, WebRequest("GET", address, WebOptions())) }
        // On a busy machine the system's lookup can take longer than a connection may.
        let reasons = [
            "there is no host 'no-such-host.invalid', or it cannot be looked up",
            "no connection within 30 s",
        ]
        #expect(reasons.map { "cannot get 'http://no-such-host.invalid/': \($0)" }.contains(text), "\(text)")
    }

    @Test func `the time runs out for a server that never answers`() async throws {
        #expect(
            await message { _ = try await get("/held", ["timeout": .number(0.05)]) }
                == "cannot get '\(server.url("/held"))': not done after 0.05 s"
        )
        #expect(
            await message {
                _ = try await get("/drip", ["timeout": .number(0.05), "to": .text(scratch["x"].string)])
            }
                == "cannot get '\(server.url("/drip"))': not done after 0.05 s"
        )
        #expect(try scratch.names() == [])
    }

    @Test(arguments: ["/held", "/drip"]) func `a cancellation closes the connection`(_ path: String)
        async throws
    {
        let file = scratch["x"].string
        let task = Task { [self] in try await get(path, ["to": .text(file)]) }
        var events = server.events.makeAsyncIterator()
        #expect(await events.next() == "held \(path)")
        task.cancel()
        #expect(await events.next() == "left \(path)")
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(try scratch.names() == [])
    }

    @Test func `a process that was started meanwhile does not keep the connection open`() async throws {
        let task = Task { [self] in try await get("/drip") }
        var events = server.events.makeAsyncIterator()
        #expect(await events.next() == "held /drip")
        // It reads from a pipe without input, until the pipe is closed.
        let process = try #require(popen("read line", "w"))
        defer { pclose(process) }
        task.cancel()
        #expect(await events.next() == "left /drip")
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test func `a file gets the body in one step`() async throws {
        try scratch.file("x", "old")
        let path = scratch["x"].string
        #expect(try await get("/big/3000000", ["to": .text(path)]) == .text(path))
        #expect(try scratch.text("x") == String(repeating: "x", count: 3_000_000))
        #expect(try scratch.names() == ["x"])
        #expect(context.progress.completedUnitCount == 3_000_000)
        #expect(
            await message { _ = try await get("/hello", ["to": .text("/nowhere/at/all")]) }
                == "cannot write '/nowhere/at/all': no such directory"
        )
    }

    @Test func `name and password of a URL are sent, unless the script sets the header`() async throws {
        let url = server.url("/echo").replacing("http://", with: "http://me:secret@")
        func head(_ options: ScriptTable = [:]) async throws -> String {
            let address = try WebAddress(scriptValue: .text(url))
            let request = WebRequest("GET", address, try WebOptions(scriptValue: .table(options)))
            let value = try await fetch(context, request)
            guard case .table(let table) = value, case .string(let body)? = table["body"] else { return "" }
            return String(decoding: body, as: UTF8.self)
        }
        #expect(try await head().contains("Authorization: Basic bWU6c2VjcmV0\r\n"))
        let own = try await head(["headers": .table(["Authorization": .text("Bearer x")])])
        #expect(own.contains("Authorization: Bearer x\r\n") && !own.contains("Basic"))
        let wrong = try WebAddress(scriptValue: .text("http://me:secret@127.0.0.1:1/x"))
        let text = await message { _ = try await fetch(context, WebRequest("GET", wrong, WebOptions())) }
        #expect(text == "cannot get 'http://me:•••@127.0.0.1:1/x': connection refused")
    }

    @Test func `a body that is larger than the limit is refused`() async throws {
        let error = try #require(
            await #expect(throws: ScriptError.self) {
                _ = try await get("/big/5001", ["limit": .integer(5000)])
            }
        )
        #expect(error.code == .limit)
        #expect(
            error.message == "cannot get '\(server.url("/big/5001"))': the body has more than 5000 bytes; "
                + "set the option 'limit' or give 'to' for a file"
        )
        _ = try await get("/big/5000", ["limit": .integer(5000)])
    }

    @Test func `the standard limit is 256 MiB`() async throws {
        let size = MemoryRoom.standardLimit + 1
        #expect(await message { _ = try await get("/big/\(size)") }.contains("more than 256 MiB"))
    }
}
#endif
