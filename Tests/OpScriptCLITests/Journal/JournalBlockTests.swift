import SystemPackage
import Testing

/// Block operations with further attempts, in runs that last.
@Suite(.timeLimit(.minutes(20))) struct JournalBlockTests {
    @Test(arguments: ["work", "function", "isolate"], ["one", "two", "outside"])
    func `each effect happens once, whatever its body and its neighbours are`(_ kind: String, _ shape: String)
        async throws
    {
        let scratch = try Scratch()
        try scratch.script("block_effects.lua")
        let run = try await CommandRun.shell(
            "\"$opscript\" -q --resume job.lua \(kind) \(shape); wc -l < outbox",
            folder: scratch.path
        )
        #expect(run.text == "succeeded\t3\n\(shape == "one" ? 1 : 2)\n", "\(run.errors)")
    }

    @Test(arguments: ["work", "function"], ["one", "two"])
    func `an effect that is not known is not repeated by a further attempt`(_ kind: String, _ shape: String)
        async throws
    {
        let scratch = try Scratch()
        try scratch.script("block_effects.lua")
        let run = try await CommandRun.shell(
            """
            { "$opscript" -q --resume job.lua \(kind) \(shape) kills; } 2>/dev/null; wc -l < outbox
            touch go; "$opscript" -q --resume job.lua \(kind) \(shape) kills; echo "status $?"; wc -l < outbox
            """,
            folder: scratch.path
        )
        let lines = run.text.split(separator: "\n").map(String.init)
        #expect(lines.count == 4 && lines[1] == "failed\t3" && lines[2] == "status 1", "\(run.text)")
        // The other one has perhaps begun before the kill, too.
        let count = lines.last.flatMap { Int($0) } ?? 0
        #expect(shape == "one" ? count == 1 : (1...2).contains(count), "\(run.text)")
        #expect(run.errors.contains("the effect of 'mail"), "\(run.errors)")
    }

    @Test func `a function has its properties in each attempt, and its result is recorded`() async throws {
        let scratch = try Scratch()
        try scratch.file("in", "1")
        try scratch.script("block_properties.lua")
        let run = try await CommandRun.shell(
            """
            "$opscript" -q --resume job.lua 2>/dev/null
            "$opscript" journal .opscript/job.journal show step | grep -c 'in run 1'
            """,
            folder: scratch.path
        )
        #expect(run.text == "result 7 in, result 7 in, result 7 in\n3\n", "\(run.text)\(run.errors)")
    }
}
