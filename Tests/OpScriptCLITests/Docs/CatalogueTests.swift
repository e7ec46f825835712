import Foundation
import SystemPackage
import TestSupport
import Testing

/// The catalogue of OpScript's documentation: its tutorial can be followed, and its links lead somewhere.
@Suite struct CatalogueTests {
    private static let catalogue = SourceTree.root.appending("Sources/OpScript/OpScript.docc")

    /// A file to write, or a command to run.
    private struct Step {
        var name: String
        var text: String
    }

    private static func steps() throws -> [Step] {
        let page = catalogue.appending("Tutorials/FirstScript.tutorial").string
        let text = try String(contentsOfFile: page, encoding: .utf8)
        return try text.matches(of: /@Code\(name: "([^"]+)", file: "([^"]+)"\)/).map { match in
            let file = catalogue.appending("Resources").appending(String(match.2)).string
            return Step(name: String(match.1), text: try String(contentsOfFile: file, encoding: .utf8))
        }
    }

    /// In an empty folder beside a checkout, as it says. What it builds stays for the next time.
    @Test(.timeLimit(.minutes(20)), .enabled(if: Sanitizer.current == nil, "it builds a package of its own"))
    func `the tutorial works when it is followed`() async throws {
        let ground = PackageGround()
        let folder = try ground.emptyFolder("Pictures")
        let built = ground.scratch
        var commands = 0
        for step in try Self.steps() {
            guard step.name == "Terminal" else {
                let file = folder.appending(FilePath(step.name).components)
                try FileManager.default.createDirectory(
                    atPath: file.removingLastComponent().string,
                    withIntermediateDirectories: true
                )
                try Data(step.text.utf8).write(to: URL(fileURLWithPath: file.string))
                continue
            }
            commands += 1
            let end = try #require(step.text.firstIndex(of: "\n"))
            let line = step.text[..<end]
            let command = try #require(line.hasPrefix("$ swift run ") ? line.dropFirst(12) : nil)
            let run = try await CommandRun.shell(
                "swift run --scratch-path '\(built)' \(command)",
                folder: folder
            )
            #expect(run.status == 0, "\(line): \(run.errors)")
            #expect(run.text == String(step.text[step.text.index(after: end)...]), "\(line): \(run.errors)")
        }
        #expect(commands == 3)
        // Who imports the engine alone builds none of what only the command needs.
        let modules = try FileManager.default.contentsOfDirectory(
            atPath: built.appending("debug/Modules").string
        )
        #expect(modules.contains("OpScript.swiftmodule"))
        for heavy in [
            "Subprocess", "Crypto", "NIOCore", "AsyncHTTPClient", "ArgumentParser", "OpScriptWorks",
        ] {
            #expect(!modules.contains("\(heavy).swiftmodule"), "\(heavy) was built")
        }
    }

    /// Converted as Xcode and `swift package generate-documentation` do; what is wrong with a link is a warning.
    @Test(.timeLimit(.minutes(10)))
    func `links and tutorials of the catalogue are good`() async throws {
        let scratch = try Scratch()
        let products = CommandRun.commandPath.removingLastComponent()
        let run = try await CommandRun.shell(
            """
            mkdir graphs && swift symbolgraph-extract -module-name OpScript -minimum-access-level public \
                -target x86_64-unknown-linux-gnu -I '\(products)/Modules' -I '\(SourceTree.root)/CLua/include' \
                -Xcc -fmodule-map-file='\(products)/CLua.build/module.modulemap' \
                -Xcc -fmodule-map-file='\(SourceTree.root)/Sources/CLinux/module.modulemap' \
                -skip-synthesized-members -output-dir graphs &&
            docc convert '\(Self.catalogue)' --additional-symbol-graph-dir graphs --output-path documentation \
                --fallback-display-name OpScript --fallback-bundle-identifier opscript --warnings-as-errors \
                --ide-console-output
            """,
            folder: scratch.path
        )
        #expect(run.status == 0, "\(run.errors)\n\(run.text)")
        let found = try FileManager.default.subpathsOfDirectory(
            atPath: scratch.path.appending("documentation/data").string
        )
        #expect(found.contains("tutorials/opscript/firstscript.json"))
        #expect(found.contains("documentation/opscript/scriptengine.json"))
    }
}
