import HTTPTestServer
import SystemPackage
import Testing

/// The jobs that ship as examples.
@Suite struct ExampleTests {
    private static let digests = SourceTree.examples.appending("digests.lua").string
    private static let images = SourceTree.examples.appending("images.lua").string
    private static let emptySum = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    private static let abcSum = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"

    @Test func `digests are those of the files, in the order of their names`() async throws {
        let scratch = try Scratch()
        let made = try await CommandRun.shell(
            #"mkdir -p t/b && printf abc >t/b/c && : >t/-a && printf abc >"t/n\\l" && : >"$(printf 't/x\ny\rz')""#,
            folder: scratch.path
        )
        #expect(made.status == 0)
        let run = try await CommandRun.command(Self.digests, "t", folder: scratch.path)
        #expect(run.status == 0, "\(run.errors)")
        #expect(
            run.text == """
                \(Self.emptySum)  t/-a
                \(Self.abcSum)  t/b/c
                \\\(Self.abcSum)  t/n\\\\l
                \\\(Self.emptySum)  t/x\\ny\\rz

                """
        )
        #expect(run.complaints.isEmpty)
    }

    @Test func `sha256sum accepts the digests of names of any bytes`() async throws {
        let scratch = try Scratch()
        let run = try await CommandRun.shell(
            #"mkdir t; for n in ' a' 'a ' '\' '-' '\n' '*' "$(printf '\377\376')" "$(printf 'l\nm')"; do echo "$n" >"t/$n"; done;"#
                + #" "$opscript" '\#(Self.digests)' t | sha256sum --check --strict --status && ls t | wc -l"#,
            folder: scratch.path
        )
        #expect(run.status == 0, "\(run.errors)")
    }

    @Test func `a file that cannot be read is named and the others are processed`() async throws {
        let scratch = try Scratch()
        try scratch.file("b", "abc")
        _ = try await CommandRun.shell(
            "ln -s missing a; ln -s loop loop; ln -s /proc/self/mem c",
            folder: scratch.path
        )
        let run = try await CommandRun.command(Self.digests, ".", folder: scratch.path)
        #expect(run.status == 1)
        #expect(run.text == "\(Self.abcSum)  ./b\n")
        #expect(
            Set(run.complaints.split(separator: "\n")) == [
                "digests: cannot stat './a': no such file",
                "digests: cannot read './c': input/output error",
                "digests: cannot stat './loop': too many levels of symbolic links",
            ]
        )
    }

    @Test func `images are shown, filtered and written; a file that is not an image is named`() async throws {
        let scratch = try Scratch()
        try scratch.file("bad.pgm", "no picture")
        try scratch.file("dark.pgm", "P2\n4 2\n9\n0 0 0 0 0 0 0 0\n")
        try scratch.file("light.ppm", "P3\n2 2\n9\n9 9 9 9 9 9 9 9 9 9 9 9\n")
        let run = try await CommandRun.command(Self.images, ".", "out", folder: scratch.path)
        #expect(run.status == 1)
        #expect(
            run.text == """
                3 pictures of '.', filtered, go to 'out'
                dark.pgm: 4 x 2, 1 channel

                dark.pgm, filtered: 4 x 2, 1 channel

                light.ppm: 2 x 2, 3 channels
                @@
                light.ppm, filtered: 2 x 2, 1 channel
                @@
                2 of 3 written to 'out'

                """
        )
        // If the machine is slow, there are the timer's lines, and one with the totals.
        #expect(run.errorLines.count { $0.hasPrefix("failed: ") } == 1, "\(run.errors)")
        #expect(run.errors.contains("failed: 'read bad.pgm' ("))
        #expect(run.errors.contains("cannot read './bad.pgm': not a JPEG, PNG, "))
        let written = try await CommandRun.shell("cd out && ls && head -c 11 dark.pgm", folder: scratch.path)
        #expect(written.text == "dark.pgm\nlight.ppm\nP5\n4 2\n255\n")
    }

    @Test func `a semaphore bounds how many pictures are in a pipeline`() async throws {
        let script = SourceTree.examples.appending("semaphore_pipeline.lua").string
        let scratch = try Scratch()
        let run = try await CommandRun.command(script, "5", folder: scratch.path)
        #expect(run.status == 0, "\(run.errors)")
        let lines = run.text.split(separator: "\n")
        #expect(lines.last == "5 pictures, at most 3 at a time")
        // Each blur differs, and each picture went through all steps.
        let digests = lines.dropLast().compactMap { $0.split(separator: "\t").last }
        #expect(Set(digests).count == 5)
        #expect(digests.allSatisfy { $0.count == 12 && $0.allSatisfy(\.isHexDigit) })
        #expect(try await CommandRun.command(script, "x", folder: scratch.path).status == 2)
    }

    @Test func `producers and consumers lose nothing, and their buffer stays small`() async throws {
        let script = SourceTree.examples.appending("producer_consumer.lua").string
        let scratch = try Scratch()
        let run = try await CommandRun.command(script, folder: scratch.path)
        #expect(run.status == 0, "\(run.errors)")
        #expect(run.text == "30 items, 3003 primes, at most 4 in the buffer\n")
    }

    @Test func `queues and groups replace locks`() async throws {
        let script = SourceTree.examples.appending("replacing_locks.lua").string
        let scratch = try Scratch()
        let run = try await CommandRun.command(script, folder: scratch.path)
        #expect(run.status == 0, "\(run.errors)")
        #expect(
            run.text == """
                balance\t210
                half\t105.0
                overlaps\t0
                squares\t1 4 9
                readers\t4\twrites alone\ttrue
                ready\ttrue
                line\t1
                line\t2
                line\t3

                """
        )
    }

    @Test(arguments: [["nowhere"], ["."], [".", "out", "more"]])
    func `a folder without images is refused`(_ words: [String]) async throws {
        let scratch = try Scratch()
        let run = try await CommandRun.program(
            CommandRun.commandPath,
            [Self.images] + words,
            folder: scratch.path
        )
        #expect(run.status == (words.count > 2 ? 2 : 1))
        #expect(run.errorLines.count == 1, "\(run.errors)")
        #expect(try scratch.names().isEmpty)
    }

    private static func example(_ name: String) -> String { SourceTree.examples.appending(name).string }

    @Test func `operations are run by hand`() async throws {
        let run = try await CommandRun.command(Self.example("operations_by_hand.lua"))
        #expect(run.status == 0, "\(run.errors)")
        #expect(
            run.text == """
                collect  pending   ready true  -
                count    pending   ready true  -
                report   pending   ready false -
                not yet: 'report' is not ready: it depends on 'collect', which has not finished
                collect  finished  ready true  succeeded
                count    finished  ready true  succeeded
                report   pending   ready true  -
                report says: 5 squares, 25 primes
                report   finished  ready true  succeeded
                never    finished  ready true  cancelled

                """
        )
        #expect(run.complaints.isEmpty)
    }

    @Test func `custom operations run, synchronous and asynchronous ones`() async throws {
        let run = try await CommandRun.command(Self.example("custom_operations.lua"), "aeiou", "xyz", "One")
        #expect(run.status == 0, "\(run.errors)")
        #expect(
            run.text == """
                aeiou has 5 vowels
                xyz has 0 vowels
                One has 2 vowels
                together 7
                countdown: lift-off after 3
                abandoned was cancelled

                """
        )
        #expect(run.complaints.isEmpty)
    }

    @Test func `three counters count on three threads`() async throws {
        let run = try await CommandRun.command(Self.example("three_counters.lua"), "1200")
        #expect(run.status == 0, "\(run.errors)")
        #expect(
            run.text == """
                3 threads, none of them started: Thread 'by 2' (not started)
                by 2: 600 of 1200
                by 3: 400 of 1200
                by 4: 300 of 1200
                together 1300

                """
        )
        #expect(run.complaints.isEmpty)
    }

    #if HTTP
    @Test func `pictures are downloaded, filtered, shown and written; one that is missing is reported`()
        async throws
    {
        let server = try HTTPTestServer(folder: SourceTree.examples.string)
        defer { server.stop() }
        let scratch = try Scratch()
        let run = try await CommandRun.command(
            Self.example("image_pipeline.lua"),
            "out",
            server.url("/file/hopper.ppm"),
            server.url("/file/missing.ppm"),
            folder: scratch.path
        )
        #expect(run.status == 1)
        #expect(
            run.text == """
                hopper.ppm: 256 x 300, 3 channels, to 16 x 16, 1 channel
                1 of 2 written

                """
        )
        #expect(run.errors.contains("failed: 'download missing.ppm' ("))
        #expect(run.errors.contains("the server answered 404 Not Found"))
        let written = try await CommandRun.shell("ls out && head -c 9 out/hopper.ppm", folder: scratch.path)
        #expect(
            written.text == "hopper.ppm\nP6\n16 16\n" || written.text == "hopper.ppm\nP5\n16 16\n",
            "\(written.text)"
        )
    }

    @Test func `a large body goes to a file in little memory`() async throws {
        let server = try HTTPTestServer()
        defer { server.stop() }
        let scratch = try Scratch()
        // 300 MB through a process that may grow by a fifth of that.
        let script = """
            local function peak()
                for line in io.lines("/proc/self/status") do
                    local kilobytes = line:match("^VmHWM:%s+(%d+) kB")
                    if kilobytes then return kilobytes // 1 end
                end
            end
            await(work.http.get("\(server.url("/hello"))", { to = "small" }))
            local before = peak()
            await(work.http.get("\(server.url("/big/300000000"))", { to = "big" }))
            assert(await(work.file.stat("big")).size == 300000000)
            local grown = peak() - before
            assert(grown < 60000, grown .. " kB more")
            """
        let run = try await CommandRun.program(
            CommandRun.commandPath,
            ["-"],
            input: script,
            folder: scratch.path
        )
        #expect(run.status == 0, "\(run.errors)")
    }

    @Test func `requests go through the proxy that the environment names`() async throws {
        let server = try HTTPTestServer()
        defer { server.stop() }
        let run = try await CommandRun.shell(
            "http_proxy=http://user:word@127.0.0.1:\(server.port) $opscript -e '"
                + "io.write(await(work.http.get(\"http://far.example/echo\")).body)'"
        )
        #expect(run.status == 0, "\(run.errors)")
        #expect(
            run.text.hasPrefix("GET http://far.example/echo HTTP/1.1\r\n")
                && run.text.lowercased().contains("host: far.example\r\n")
        )
        var events = server.events.makeAsyncIterator()
        #expect(await events.next() == "forward http://far.example/echo dXNlcjp3b3Jk")
    }
    #endif
}
