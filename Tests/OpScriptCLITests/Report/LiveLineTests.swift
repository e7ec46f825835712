import SystemPackage
import Testing

@testable import OpScriptCLI

/// The screen that a person sees while live lines are shown.
@Suite struct LiveLineTests {
    /// The ways to write a line to the terminal; `%d` is its number. Each is over when the call returns.
    private static let ways = [
        "print('line %d')",
        "io.write('line %d\\n')",
        "io.write('line ') io.write('%d\\n') io.flush()",
        "io.stdout:write('line %d\\n')",
        "io.stderr:write('line %d\\n')",
        "os.execute 'echo line %d'",
        "os.execute 'echo line %d >&2'",
        "await(work.process.run { 'echo', 'line %d', output = 'inherit' })",
        "await(isolate(function() print('line %d') end)())",
        "await(async(function() print('line %d') end))",
        "io.write('line ') io.flush() os.execute 'sleep 0.15; echo %d'",
        "os.execute 'tput smcup; sleep 0.15; tput rmcup; echo line %d'",
        "io.write('\\27[31mline %d\\27[0m\\n')",
    ]

    /// Runs a script on a terminal of its own, and returns everything that the terminal got.
    private static func onTerminal(
        _ rows: Int,
        _ columns: Int,
        _ script: String,
        _ rest: String = ""
    ) async throws -> String {
        let folder = try Scratch()
        try folder.file("job.lua", script)
        let command = "'\(CommandRun.commandPath)' job.lua \(rest)"
        let run = try await CommandRun.program(
            "/usr/bin/script",
            ["-qec", "stty rows \(rows) cols \(columns); export CI= TERM=xterm; \(command)", "/dev/null"],
            folder: folder.path
        )
        #expect(run.status == 0, "\(run.text)")
        return run.text
    }

    /// A way to shuffle that is the same in each run.
    private struct Numbers: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return state
        }
    }

    @Test(arguments: [(20, 60), (30, 100), (5, 20), (20, 40)])
    func `no way to write loses a line`(_ rows: Int, _ columns: Int) async throws {
        var random = Numbers(state: UInt64(rows * 1000 + columns))
        var script = """
            local queue = OperationQueue.default
            for i = 1, 3 do
                queue:addOperation(work.process.run { "sleep", "3.5" }).name = "a name that is long " .. i
            end
            sleep(0.6)

            """
        let order = (Self.ways + Self.ways).shuffled(using: &random)
        for (number, way) in order.enumerated() {
            script += way.replacing("%d", with: "\(number)") + "\n"
            if Bool.random(using: &random) { script += "sleep(0.12)\n" }
        }
        // Longer than the screen, and without an end.
        script += "sleep(0.2) print(('x'):rep(70)) sleep(0.2) io.write 'last'"
        let text = try await Self.onTerminal(rows, columns, script)
        #expect(text.contains("so far done"), "no live line was shown: \(text)")
        var screen = ScreenModel(columns: columns)
        screen.write(text)
        var expected = ScreenModel(columns: columns)
        for number in order.indices { expected.write("line \(number)\r\n") }
        expected.write(String(repeating: "x", count: 70) + "\r\nlast")
        var shown = screen.lines
        // The totals begin a line of their own, which may take several rows.
        let totals = shown.lastIndex { $0.hasPrefix("opscript: ") } ?? shown.endIndex
        #expect(shown[totals...].joined().hasPrefix("opscript: "))
        shown.removeSubrange(totals...)
        #expect(shown == expected.lines)
    }

    @Test func `in a pipeline to the same terminal nothing is drawn over`() async throws {
        let script = """
            OperationQueue.default:addOperation(work.process.run { "sleep", "1.2" })
            for i = 1, 5 do sleep(0.2) print(i) end
            """
        let text = try await Self.onTerminal(20, 60, script, "| cat")
        let lines = text.split(separator: "\r\n").filter { !CommandRun.isProgress($0) }
        #expect(lines == ["1", "2", "3", "4", "5"])
        #expect(text.contains(/\r\n\[\d+\/\d+\] process\.run  \d/))
    }

    @Test func `output in a file leaves the terminal to the live lines`() async throws {
        let script = """
            OperationQueue.default:addOperation(work.process.run { "sleep", "1.2" })
            for i = 1, 5 do sleep(0.2) print(i) end
            """
        let text = try await Self.onTerminal(20, 60, script, "> out.txt; cat out.txt")
        #expect(text.contains("running"))
        var screen = ScreenModel(columns: 60)
        screen.write(text)
        #expect(screen.lines.first?.hasPrefix("opscript: 1 succeeded in ") == true)
        #expect(screen.lines.dropFirst() == ["1", "2", "3", "4", "5"])
    }

    @Test func `the cursor is followed through colours, titles and other screens`() {
        func takesLiveLines(_ pieces: String...) -> Bool {
            var position = ScreenPosition()
            for piece in pieces { position.follow(Array(piece.utf8)) }
            return position.takesLiveLines
        }
        #expect(takesLiveLines(""))
        #expect(takesLiveLines("a\n"))
        #expect(!takesLiveLines("a"))
        #expect(!takesLiveLines("50 %\r"))
        #expect(takesLiveLines("a\r\n\r"))
        #expect(takesLiveLines("\u{1B}[31ma\n\u{1B}[0m"))
        #expect(takesLiveLines("a\n\u{1B}", "[", "0m"))
        #expect(!takesLiveLines("a\n\u{1B}[0mb"))
        #expect(takesLiveLines("a\n\u{1B}]0;a title\u{7}"))
        #expect(takesLiveLines("a\n\u{1B}]0;a title\u{1B}\\"))
        #expect(!takesLiveLines("a\n\u{1B}[3A"))
        #expect(!takesLiveLines("\u{1B}[?1049h\n"))
        #expect(takesLiveLines("\u{1B}[?1049hx\u{1B}[?10", "49l\n"))
    }
}
