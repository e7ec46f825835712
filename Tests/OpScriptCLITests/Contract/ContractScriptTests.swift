import Foundation
import SystemPackage
import TestSupport
import Testing

/// Runs the contract scripts with the command; `README.md` beside them describes the expectations in their
/// heads.
@Suite struct ContractScriptTests {
    @Test(arguments: try scripts()) func `the command keeps the contract`(_ script: ContractScript)
        async throws
    {
        let run = try await CommandRun.program(
            CommandRun.commandPath,
            script.options + [script.path] + script.arguments,
            folder: SourceTree.scripts
        )
        let complaints = await script.complaints(about: run)
        #expect(
            complaints.isEmpty,
            "\(complaints.joined(separator: "\n"))\nstandard error:\n\(run.errors.prefix(3000))"
        )
    }

    @Test func `there are scripts for every part of the contract`() throws {
        let areas = Set(try Self.scripts().compactMap { $0.path.split(separator: "/").first })
        #expect(areas.count >= 26)
    }

    @Test func `a run that differs from its expectations is detected`() async throws {
        let head = "-- A sentence.\n-- expect-status: 3\n-- expect-stdout: one\n-- expect-stdout: two\n"
        let script = try ContractScript(
            path: "x.lua",
            text: head + "-- expect-stderr: l%d+:\nprint()\n-- expect-status: 4\n"
        )
        func run(_ end: CommandRun.End, _ output: String, _ errors: String) -> CommandRun {
            CommandRun(end: end, output: Array(output.utf8), errorOutput: Array(errors.utf8))
        }
        #expect(await script.complaints(about: run(.exited(3), "one\ntwo\n", "a\nl12: b")).isEmpty)
        #expect(await script.complaints(about: run(.exited(4), "one\ntwo\n", "l12:")).count == 1)
        #expect(await script.complaints(about: run(.signalled(3), "one\ntwo\n", "l12:")).count == 1)
        #expect(await script.complaints(about: run(.exited(3), "one\ntwo", "l12:")).count == 1)
        #expect(await script.complaints(about: run(.exited(3), "one\ntwo\n", "lx:")).count == 1)
    }

    /// All scripts but the modules that they require: those are in folders `modules` inside an area.
    private static func scripts() throws -> [ContractScript] {
        guard let names = FileManager.default.enumerator(atPath: SourceTree.scripts.string) else { return [] }
        return try names.compactMap { $0 as? String }.sorted().compactMap { name -> ContractScript? in
            guard name.hasSuffix(".lua"), !name.split(separator: "/").dropFirst().contains("modules") else {
                return nil
            }
            let text = try String(contentsOfFile: SourceTree.scripts.appending(name).string, encoding: .utf8)
            let script = try ContractScript(path: name, text: text)
            return script.measuresMemory && Sanitizer.current != nil ? nil : script
        }
    }
}
