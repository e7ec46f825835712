#if HTTP
import Glibc
import HTTPTestServer
import OpScript
import SystemPackage
import Testing

@testable import OpScriptWorks

/// Requests with a body, with options, and into files that continue.
@Suite(.timeLimit(.minutes(20))) struct RequestTests {
    let server: HTTPTestServer
    let scratch: Scratch
    let context = WorkContext()

    init() throws {
        server = try HTTPTestServer()
        scratch = try Scratch()
    }

    private func send(_ method: String, _ path: String, _ options: ScriptTable = [:]) async throws
        -> ScriptValue
    {
        let address = try WebAddress(scriptValue: .text(server.url(path)))
        return try await fetch(context, WebRequest(method, address, WebOptions(scriptValue: .table(options))))
    }

    private func body(_ value: ScriptValue) -> String {
        guard case .table(let table) = value, case .string(let bytes)? = table["body"] else {
            return "no body"
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    // MARK: Bodies

    @Test(arguments: ["POST", "PUT", "PATCH", "DELETE", "MERGE"])
    func `a body is sent as it is`(_ method: String) async throws {
        let answer = try await send(method, "/sent", ["body": .text("a\0b")])
        #expect(body(answer) == "\(method) no type\na\0b")
    }

    @Test(arguments: ["POST", "PUT", "PATCH", "DELETE"])
    func `a request needs no body`(_ method: String) async throws {
        #expect(body(try await send(method, "/sent")) == "\(method) no type\n")
    }

    @Test func `a value is sent as JSON, and fields as a form`() async throws {
        let value = ScriptValue.table(["a": .array([.integer(1), .text("ü")])])
        #expect(
            body(try await send("POST", "/sent", ["json": value]))
                == "POST application/json\n{\"a\":[1,\"ü\"]}"
        )
        let form = ScriptValue.table(["b c": .text("d&e ü"), "a": .array([.integer(1), .boolean(true)])])
        #expect(
            body(try await send("POST", "/sent", ["form": form]))
                == "POST application/x-www-form-urlencoded\na=1&a=true&b+c=d%26e+%C3%BC"
        )
        let own = ScriptValue.table(["Content-Type": .text("text/x")])
        #expect(
            body(try await send("POST", "/sent", ["json": .integer(1), "headers": own])) == "POST text/x\n1"
        )
    }

    @Test func `files and data are parts of a form`() async throws {
        let text = String(repeating: "x", count: 300_000)
        try scratch.file("a \"b\".txt", text)
        try scratch.file("empty", "")
        let form = ScriptValue.table([
            "bytes": .data(ScriptData(Array("raw".utf8))),
            "n": .array([.integer(1), .text("ü\r\n")]),
            "named": .table(["data": .text("{}"), "name": .text("x.json"), "type": .text("text/json")]),
            "photo": .array([
                .table(["file": .text(scratch["a \"b\".txt"].string), "type": .text("image/x")]),
                .table(["file": .text(scratch["empty"].string), "name": .text("void")]),
            ]),
        ])
        let lines = body(try await send("POST", "/sent", ["form": form])).split(
            separator: "\r\n",
            omittingEmptySubsequences: false
        )
        let head = lines[0].split(separator: "\n")
        let boundary = try #require(head[0].split(separator: "boundary=").last)
        #expect(head[0] == "POST multipart/form-data; boundary=\(boundary)")
        let shown = ([head[1]] + lines.dropFirst()).map { line in
            line.replacing(boundary, with: "B").replacing(text, with: "TEXT")
        }
        let disposition = "Content-Disposition: form-data; name="
        #expect(
            shown == [
                "--B", "\(disposition)\"bytes\"", "", "raw",
                "--B", "\(disposition)\"n\"", "", "1",
                "--B", "\(disposition)\"n\"", "", "ü", "",
                "--B", "\(disposition)\"named\"; filename=\"x.json\"", "Content-Type: text/json", "", "{}",
                "--B", "\(disposition)\"photo\"; filename=\"a %22b%22.txt\"", "Content-Type: image/x", "",
                "TEXT",
                "--B", "\(disposition)\"photo\"; filename=\"void\"", "Content-Type: application/octet-stream",
                "",
                "",
                "--B--", "",
            ]
        )
        let missing = ScriptValue.table(["f": .table(["file": .text(scratch["none"].string)])])
        #expect(
            await message { _ = try await send("POST", "/sent", ["form": missing]) }
                == "cannot read '\(scratch["none"].string)': no such file"
        )
    }

    @Test func `a file is sent, and progress counts its bytes`() async throws {
        let text = String(repeating: "x", count: 3_000_000)
        try scratch.file("up", text)
        let answer = try await send("PUT", "/sent", ["file": .text(scratch["up"].string)])
        #expect(body(answer) == "PUT no type\n\(text)")
        #expect(context.progress.totalUnitCount == 6_000_012)
        #expect(context.progress.completedUnitCount == 6_000_012)
        #expect(
            await message { _ = try await send("PUT", "/sent", ["file": .text(scratch["none"].string)]) }
                == "cannot read '\(scratch["none"].string)': no such file"
        )
    }

    @Test func `the answer to HEAD has no body`() async throws {
        let answer = try await send("HEAD", "/sent")
        #expect(body(answer) == "")
    }

    // MARK: Options

    @Test func `a compressed body is unpacked on request`() async throws {
        #expect(
            body(try await send("GET", "/packed", ["compressed": .boolean(true)])) == "packed and unpacked"
        )
        #expect(body(try await send("GET", "/packed")) == "packed and unpacked")
    }

    @Test func `a redirect can be kept for the script`() async throws {
        guard case .table(let answer) = try await send("GET", "/redirect/1", ["redirects": .integer(0)]),
            case .table(let headers)? = answer["headers"]
        else {
            Issue.record("no answer")
            return
        }
        #expect(answer["status"] == .integer(302) && headers["location"] == .text("/redirect/0"))
        #expect(
            await message { _ = try await send("GET", "/redirect/3", ["redirects": .integer(2)]) }
                == "cannot get '\(server.url("/redirect/3"))': more than 2 redirects"
        )
    }

    @Test func `a password is proved by a digest, and a token is sent`() async throws {
        let login = ScriptValue.table([
            "user": .text("me"), "password": .text("word"), "scheme": .text("digest"),
        ])
        #expect(body(try await send("GET", "/locked", ["auth": login])) == "open")
        #expect(body(try await send("GET", "/locked")) == "locked")
        let token = ScriptValue.table(["bearer": .text("abc")])
        #expect(
            body(try await send("GET", "/echo", ["auth": token])).contains("Authorization: Bearer abc\r\n")
        )
    }

    @Test func `cookies are kept for redirects, given, or in a file`() async throws {
        #expect(
            body(try await send("GET", "/bake", ["cookies": .boolean(true)])).contains(
                "Cookie: taste=sweet\r\n"
            )
        )
        #expect(!body(try await send("GET", "/bake")).contains("Cookie"))
        let given = ScriptValue.table(["a": .integer(1), "b": .text("x")])
        #expect(
            body(try await send("GET", "/echo", ["cookies": given])).contains("Cookie: a=1; b=x\r\n")
        )
        let jar = ScriptValue.text(scratch["jar"].string)
        _ = try await send("GET", "/bake", ["cookies": jar])
        #expect(body(try await send("GET", "/echo", ["cookies": jar])).contains("Cookie: taste=sweet\r\n"))
    }

    @Test func `a connection is used again`() async throws {
        // None if the connection to an earlier server with the same port serves it.
        #expect(body(try await send("GET", "/keep")) == "kept")
        let count = server.connectionCount
        for _ in 0..<3 { #expect(body(try await send("GET", "/keep")) == "kept") }
        #expect(count <= 1 && server.connectionCount == count)
    }

    @Test func `fifty requests at a time are answered`() async throws {
        try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<50 { group.addTask { body(try await send("GET", "/hello")) } }
            for try await text in group { #expect(text == "hello\n") }
        }
    }

    @Test func `the option proxy names a proxy, or none`() async throws {
        let proxy = try HTTPTestServer()
        defer { proxy.stop() }
        let url = ScriptValue.text("http://me:w%40rd@127.0.0.1:\(proxy.port)")
        #expect(body(try await send("GET", "/hello", ["proxy": url])) == "hello\n")
        var events = proxy.events.makeAsyncIterator()
        #expect(await events.next() == "forward \(server.url("/hello")) bWU6d0ByZA==")
        // No TLS comes out of this tunnel.
        let secure = try WebAddress(scriptValue: .text("https://far.example/"))
        let options = try WebOptions(scriptValue: .table(["proxy": url, "connectTimeout": .integer(5)]))
        await #expect(throws: ScriptError.self) {
            _ = try await fetch(context, WebRequest("GET", secure, options))
        }
        #expect(await events.next() == "connect far.example:443 bWU6d0ByZA==")
        #expect(body(try await send("GET", "/hello", ["proxy": .boolean(false)])) == "hello\n")
    }

    // MARK: Files that continue

    @Test func `a file continues where an earlier attempt ended`() async throws {
        let path = scratch["x"].string
        let options: ScriptTable = ["to": .text(path), "resume": .boolean(true)]
        #expect(
            await message { _ = try await send("GET", "/cut/1000", options) }
                == "cannot get '\(server.url("/cut/1000"))': the server closed the connection before the end of its "
                + "answer"
        )
        #expect(try scratch.names() == ["x.part", "x.part.validator"])
        #expect(try await send("GET", "/range/1000", options) == .text(path))
        #expect(try scratch.names() == ["x"])
        #expect(try readFile(context, scratch["x"]) == HTTPTestServer.counting(0..<1000))
        #expect(context.progress.completedUnitCount == 1000 && context.progress.totalUnitCount == 1000)
    }

    @Test(arguments: [1, 2])
    func `a part is continued only if the server still has the same file`(_ edition: Int) async throws {
        let options: ScriptTable = ["to": .text(scratch["x"].string), "resume": .boolean(true)]
        _ = await message { _ = try await send("GET", "/edition/1000", options) }
        #expect(try readFile(context, scratch["x.part"]) == HTTPTestServer.counting(1..<501))
        #expect(try scratch.text("x.part.validator") == "\"1\"")
        server.edition = edition
        _ = try await send("GET", "/edition/1000", options)
        #expect(try readFile(context, scratch["x"]) == HTTPTestServer.counting(edition..<edition + 1000))
        #expect(try scratch.names() == ["x"])
    }

    @Test func `a part that is whole gets its name`() async throws {
        try scratch.file("x.part", "0123456789")
        try scratch.file("x.part.validator", "\"counting\"")
        let options: ScriptTable = ["to": .text(scratch["x"].string), "resume": .boolean(true)]
        _ = try await send("GET", "/range/10", options)
        #expect(try scratch.text("x") == "0123456789")
    }

    @Test func `a server that sends everything again replaces the part`() async throws {
        try scratch.file("x.part", "old and longer than the new one")
        try scratch.file("x.part.validator", "\"old\"")
        let options: ScriptTable = ["to": .text(scratch["x"].string), "resume": .boolean(true)]
        _ = try await send("GET", "/hello", options)
        #expect(try scratch.text("x") == "hello\n")
        try scratch.file("y.part", "old")
        _ = try await send("GET", "/big/0", ["to": .text(scratch["y"].string), "resume": .boolean(true)])
        #expect(try scratch.text("y") == "")
    }

    @Test(arguments: ["/range/5", "/part/7/100"])
    func `a part for which there is no rest is removed`(_ path: String) async throws {
        try scratch.file("x.part", "0123456789")
        try scratch.file("x.part.validator", "\"counting\"")
        let options: ScriptTable = ["to": .text(scratch["x"].string), "resume": .boolean(true)]
        #expect(await message { _ = try await send("GET", path, options) }.contains("which was removed"))
        #expect(try scratch.names() == [])
    }

    @Test func `a part without a validator, or with another one than the rest, is not continued`()
        async throws
    {
        try scratch.file("x.part", "stray")
        let options: ScriptTable = ["to": .text(scratch["x"].string), "resume": .boolean(true)]
        _ = try await send("GET", "/range/10", options)
        #expect(try readFile(context, scratch["x"]) == HTTPTestServer.counting(0..<10))
        try scratch.file("x.part", "other")
        try scratch.file("x.part.validator", "\"other\"")
        // This server answers with the rest of its own file, whatever was asked.
        #expect(
            await message { _ = try await send("GET", "/range/10", options) }.contains("which was removed")
        )
        _ = try await send("GET", "/range/10", options)
        #expect(try readFile(context, scratch["x"]) == HTTPTestServer.counting(0..<10))
    }

    @Test func `one request at a time writes a part`() async throws {
        let path = scratch["x"].string
        let options: ScriptTable = ["to": .text(path), "resume": .boolean(true)]
        var events = server.events.makeAsyncIterator()
        let first = Task { try await send("GET", "/drip", options) }
        #expect(await events.next() == "held /drip")
        #expect(
            await message { _ = try await send("GET", "/drip", options) }
                == "cannot get '\(server.url("/drip"))': another request writes '\(path).part'"
        )
        first.cancel()
        _ = await first.result
    }

    @Test func `a small body is sent without asking first`() async throws {
        #expect(!body(try await send("PUT", "/echo", ["body": .text("x")])).contains("Expect"))
    }

    @Test func `a file takes no more than the limit`() async throws {
        let options: ScriptTable = ["to": .text(scratch["x"].string), "limit": .integer(5000)]
        let error = try #require(
            await #expect(throws: ScriptError.self) { _ = try await send("GET", "/big/5001", options) }
        )
        #expect(error.code == .limit)
        #expect(
            error.message
                == "cannot get '\(server.url("/big/5001"))': the body has more than 5000 bytes; set the option 'limit'"
        )
        #expect(try scratch.names() == [])
        _ = try await send("GET", "/big/5000", options)
    }

    @Test func `a named pipe takes the body at the pace of its reader`() async throws {
        #expect(mkfifo(scratch["pipe"].string, 0o600) == 0)
        let reader = open(scratch["pipe"].string, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        defer { close(reader) }
        let task = Task { try await send("GET", "/big/1000000", ["to": .text(scratch["pipe"].string)]) }
        var count = 0
        var piece = [UInt8](repeating: 0, count: 4096)
        var file = pollfd(fd: reader, events: Int16(POLLIN), revents: 0)
        while count < 1_000_000 {
            poll(&file, 1, -1)
            let more = read(reader, &piece, piece.count)
            if more > 0 { count += more }
        }
        _ = try await task.value
        #expect(count == 1_000_000)
    }

    // MARK: Servers that misbehave

    @Test func `half a head is awaited until the time runs out`() async throws {
        #expect(
            await message { _ = try await send("GET", "/slow", ["timeout": .number(0.05)]) }
                == "cannot get '\(server.url("/slow"))': not done after 0.05 s"
        )
    }

    @Test func `errors name the URL to which a redirect led`() async throws {
        let start = "cannot get '\(server.url("/leave"))"
        let gone = try HTTPTestServer()
        gone.stop()
        #expect(
            await message { _ = try await send("GET", "/leave/http/127.0.0.1:\(gone.port)/x") }
                == "\(start)/http/127.0.0.1:\(gone.port)/x', redirected to '\(gone.url("/x"))': connection refused"
        )
        let time: ScriptTable = ["connectTimeout": .integer(2)]
        let lost = await message { _ = try await send("GET", "/leave/http/me:secret@lost.invalid/x", time) }
        // On a busy machine the system's lookup can take longer than a connection may.
        #expect(lost.contains("redirected to 'http://me:•••@lost.invalid/x': "), "\(lost)")
        #expect(!lost.contains("127.0.0.1', or"), "\(lost)")
        #expect(
            await message { _ = try await send("GET", "/leave/ftp/127.0.0.1/x") }.hasSuffix(
                "redirected to 'ftp://127.0.0.1/x': redirects are followed to http:// and https:// only"
            )
        )
        let file = ScriptValue.text(scratch["x"].string)
        let path = "/leave/http/127.0.0.1:\(server.port)/status/404"
        let refused = await message { _ = try await send("GET", path, ["to": file]) }
        #expect(
            refused.hasSuffix(
                "redirected to '\(server.url("/status/404"))': the server answered 404 Not Found"
            ),
            "\(refused)"
        )
    }

    @Test func `errors name the proxy that fails`() async throws {
        let gone = try HTTPTestServer()
        gone.stop()
        let url = ScriptValue.text("http://me:secret@127.0.0.1:\(gone.port)")
        #expect(
            await message { _ = try await send("GET", "/hello", ["proxy": url]) }.hasSuffix(
                ": the proxy 'http://me:•••@127.0.0.1:\(gone.port)': connection refused"
            )
        )
        let secure = try WebAddress(scriptValue: .text("https://refused.example/"))
        let refusing = ScriptValue.text("http://127.0.0.1:\(server.port)")
        let options = try WebOptions(scriptValue: .table(["proxy": refusing]))
        let text = await message { _ = try await fetch(context, WebRequest("GET", secure, options)) }
        #expect(text.contains(": the proxy 'http://127.0.0.1:\(server.port)' opens no tunnel: "), "\(text)")
    }

    @Test func `a file of cookies that cannot be written is named`() async throws {
        for (path, reason) in [("none/jar", "no such directory"), (".", "is a directory")] {
            let jar = scratch[path].string
            #expect(
                await message { _ = try await send("GET", "/hello", ["cookies": .text(jar)]) }
                    == "cannot write '\(jar)': \(reason)"
            )
        }
    }

    @Test func `the answer to HEAD is not put into a file`() async throws {
        let file = ScriptValue.text(scratch["x"].string)
        #expect(await message { _ = try await send("HEAD", "/hello", ["to": file]) }.contains("has no body"))
        #expect(try scratch.names() == [])
    }

    @Test func `errors name the action`() async throws {
        server.stop()
        for (method, words) in [
            ("POST", "post to"), ("PUT", "put to"), ("PATCH", "patch"), ("MOVE", "request"),
        ] {
            #expect(
                await message { _ = try await send(method, "/x") }
                    == "cannot \(words) '\(server.url("/x"))': connection refused"
            )
        }
    }
}
#endif
