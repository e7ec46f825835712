import SystemPackage
import Testing

/// Options of the command that stand after the script.
@Suite struct MisplacedOptionTests {
    @Test(arguments: [
        ("print 'hi'", "--profile", "--profile"), ("print 'hi'", "a -j4 --jobs=4", "--jobs"),
        ("arguments {}", "--profile", "--profile"), ("local function f(...) end", "-q", "-q"),
    ])
    func `an option of the command behind the script is named`(
        _ code: String,
        _ words: String,
        _ option: String
    ) async throws {
        let scratch = try Scratch()
        _ = try scratch.file("job.lua", code)
        let run = try await CommandRun.shell("\"$opscript\" job.lua \(words)", folder: scratch.path)
        #expect(
            run.errors.hasSuffix(
                "opscript: '\(option)' stands after the script, so the script got it; for the command it stands before\n"
            )
        )
    }

    @Test(arguments: [
        ("print(arg[1])", "--profile"), ("print(...)", "--profile"), ("require 'words'", "--profile"),
        ("print 'hi'", "--own"), ("print 'hi'", "-- --profile"), ("arguments { { '--jobs' } }", "--jobs 3"),
    ])
    func `a script that reads its words, or gets other ones, causes no hint`(
        _ code: String,
        _ words: String
    ) async throws {
        let scratch = try Scratch()
        _ = try scratch.file("job.lua", code)
        _ = try scratch.file("words.lua", "return arg[1]")
        let run = try await CommandRun.shell("\"$opscript\" job.lua \(words)", folder: scratch.path)
        #expect(run.errors.isEmpty)
    }

    @Test func `quiet runs give no hint`() async throws {
        let scratch = try Scratch()
        let path = try scratch.file("job.lua", "print 'hi'")
        #expect(try await CommandRun.command("-q", path.string, "--profile").errors.isEmpty)
    }
}
