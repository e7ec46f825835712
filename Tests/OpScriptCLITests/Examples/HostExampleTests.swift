import Foundation
import SystemPackage
import Testing

/// The examples of programs that embed the engine, as they were built beside the tests.
@Suite struct HostExampleTests {
    private static let folder = SourceTree.root.appending("docs/Examples")

    private static func program(_ name: String) -> FilePath {
        CommandRun.commandPath.removingLastComponent().appending(name)
    }

    private func run(_ name: String, _ words: [String]) async throws -> CommandRun {
        try await CommandRun.program(Self.program(name), words, folder: Self.folder.appending(name))
    }

    @Test func `a plain host runs a script`() async throws {
        let run = try await run("PlainHost", ["job.lua", "world"])
        #expect(
            run.text == """
                1\t3
                2\t4
                3\t2
                hello, world, from 'greet'
                3 succeeded, 0 failed, status 0

                """
        )
        #expect(run.errors.isEmpty)
        let missing = try await self.run("PlainHost", ["missing.lua"])
        #expect(missing.text == "host: cannot read 'missing.lua': no such file\n")
    }

    @Test func `a recorded run contains its operations and its critical path`() async throws {
        let scratch = try Scratch()
        let page = scratch.path.appending("run.html").string
        let run = try await run("RecordedRun", ["job.lua", page])
        #expect(
            run.text == """
                fetch cat ended after 1.0 s
                fetch dog ended after 1.0 s
                shrink cat ended after 3.0 s
                shrink dog ended after 5.0 s
                5.0 s: fetch cat, shrink cat, shrink dog

                """
        )
        #expect(try String(contentsOfFile: page, encoding: .utf8).hasPrefix("<!DOCTYPE html>"))
    }

    @Test func `a host's own loop runs a script`() async throws {
        let run = try await run("ManualLoop", ["level.lua"])
        #expect(
            run.text == """
                the hero is at 0
                the hero is at 1
                the hero is at 2
                the hero is at 3
                status 0

                """
        )
    }

    /// The sources built here are those of the example's own package.
    @Test(arguments: ["ManualLoop", "OwnCommand", "PlainHost", "RecordedRun"])
    func `an example is a package of its own`(_ name: String) async throws {
        let scratch = try Scratch()
        func manifest(_ folder: FilePath) async throws -> Manifest {
            // The process that runs these tests holds the lock of the usual folder.
            let run = try await CommandRun.shell(
                "swift package --package-path '\(folder)' --scratch-path '\(scratch.path)/built' dump-package"
            )
            #expect(run.status == 0, "\(run.errors)")
            return try JSONDecoder().decode(Manifest.self, from: Data(run.output))
        }
        let own = try await manifest(Self.folder.appending(name))
        let ours = try await manifest(SourceTree.root)
        let target = try #require(own.targets.first)
        #expect(own.targets.count == 1 && target.name == name)
        #expect(target.names == ours.targets.first { $0.name == name }?.names)
    }

    private struct Manifest: Decodable {
        struct Target: Decodable {
            struct Dependency: Decodable {
                var name: String
                init(from decoder: any Decoder) throws {
                    let kinds = try decoder.singleValueContainer().decode([String: [Part?]].self)
                    name = kinds.values.first?.first??.text ?? "?"
                }
            }
            /// A name, or another token that does not matter here.
            struct Part: Decodable {
                var text: String?
                init(from decoder: any Decoder) throws {
                    text = try? decoder.singleValueContainer().decode(String.self)
                }
            }
            var name: String
            var dependencies: [Dependency]
            var names: [String] { dependencies.map(\.name) }
        }
        var targets: [Target]
    }
}
