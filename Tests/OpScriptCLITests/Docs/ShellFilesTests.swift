import Foundation
import Testing

/// The files for shells that `make install` installs.
@Suite struct ShellFilesTests {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../../scripts/install").standardized

    private static func path(_ name: String) -> String { folder.appending(path: name).path() }

    /// The descriptions of the options are those of the parser. `OPSCRIPT_WRITE_CONTRACT=1` writes the page anew.
    @Test func `the manual page has the options of the command`() async throws {
        let version = try await CommandRun.command("--version").text.trimmingCharacters(in: .newlines)
        let page = RoffPage(
            try await HelpDump.read(),
            below: [try await HelpDump.read("test"), try await HelpDump.read("works")],
            version: version
        )
        for option in ["\\fB\\-\\-timeout\\fR \\fIseconds\\fR", "\\fB\\-\\-fail\\-fast\\fR"] {
            #expect(page.text.contains(option))
        }
        let path = Self.path("opscript.1")
        if ProcessInfo.processInfo.environment["OPSCRIPT_WRITE_CONTRACT"] != nil {
            try page.text.write(toFile: path, atomically: true, encoding: .utf8)
        }
        #expect(
            try String(contentsOfFile: path, encoding: .utf8) == page.text,
            "scripts/install/opscript.1 is old: OPSCRIPT_WRITE_CONTRACT=1 with this test writes it"
        )
    }

    // MARK: Completion

    private func complete(_ words: String...) async throws -> [String] {
        let scratch = try Scratch()
        _ = try scratch.file("job.lua", Self.script)
        let list = words.map { "'\($0)'" }.joined(separator: " ")
        let run = try await CommandRun.shell(
            "\"$opscript\" ---complete \(words.count) opscript \(list); test -e job.lua",
            folder: scratch.path
        )
        #expect(run.status == 0, "the script has run")
        return run.text.split(separator: "\n").map(String.init)
    }

    private static let script = """
        os.remove "job.lua"
        arguments { { "--jobs", "-j", type = "integer", help = "How many." } }
        task("build", "Builds it.", print)
        """

    @Test func `options are completed with their descriptions`() async throws {
        #expect(
            try await complete("--timeo") == ["--timeout\tSeconds after which the whole run is cancelled."]
        )
        #expect(try await complete("-q", "--prof").map { $0.prefix(10) } == ["--profile\t"])
        #expect(try await complete("test", "--fail-f").map { $0.prefix(11) } == ["--fail-fast"])
    }

    @Test func `subcommands, values and files are completed`() async throws {
        #expect(try await complete("te") == [":files", "test\tRuns scenarios."])
        #expect(try await complete("--progress", "p") == ["plain"])
        #expect(try await complete("--report", "") == [":files"])
        #expect(try await complete("--jobs", "") == [])
        #expect(
            try await complete("works", "digest.sha5") == [
                "digest.sha512\tThe sha512 of data, as hexadecimal digits."
            ]
        )
    }

    @Test func `words of a script are completed without running it`() async throws {
        #expect(try await complete("job.lua", "") == ["build\tBuilds it."])
        #expect(try await complete("-q", "job.lua", "b") == ["build\tBuilds it."])
        #expect(
            try await complete("job.lua", "build", "--") == [
                "--jobs\tHow many.", "--help\tShow the help of the script.",
            ]
        )
        #expect(try await complete("none.lua", "") == [":files"])
    }

    @Test func `bash completes words with the script`() async throws {
        let scratch = try Scratch()
        _ = try scratch.file("job.lua", Self.script)
        let run = try await CommandRun.shell(
            """
            exec bash -c 'source "$1"; tried() { COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)); _opscript; echo "${COMPREPLY[*]}"; }
            tried "$0" --tim; tried "$0" jo; tried "$0" job.lua ""' "$opscript" '\(Self.path("opscript.bash"))'
            """,
            folder: scratch.path
        )
        #expect(run.text == "--timeout --time-zone\njob.lua journal\nbuild\n")
    }
}
