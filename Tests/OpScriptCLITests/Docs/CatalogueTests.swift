import Foundation
import SystemPackage
import TestSupport
import Testing

/// The tutorials for hosts can be followed, and the links of the catalogue lead somewhere.
@Suite struct CatalogueTests {
    private static let catalogue = SourceTree.root.appending("Sources/OpScript/OpScript.docc")

    private static func walkthroughs() throws -> [Walkthrough] {
        let page = catalogue.appending("Tutorials/FirstScript.tutorial").string
        let markdown = SourceTree.root.appending("docs/embedding-tutorial.md").string
        return [
            try Walkthrough(
                package: "Pictures",
                tutorial: String(contentsOfFile: page, encoding: .utf8),
                resources: catalogue.appending("Resources")
            ),
            Walkthrough(package: "Shop", markdown: try String(contentsOfFile: markdown, encoding: .utf8)),
        ]
    }

    /// In empty folders beside a checkout, as the tutorials say. Their builds stay; the engine is built once.
    @Test(.timeLimit(.minutes(30)), .enabled(if: Sanitizer.current == nil, "it builds packages of its own"))
    func `the tutorials work when they are followed`() async throws {
        let ground = PackageGround()
        let built = ground.scratch
        var commands: [Int] = []
        for walkthrough in try Self.walkthroughs() {
            commands.append(try await walkthrough.follow(on: ground))
        }
        #expect(commands == [3, 5])
        // A package that imports the engine, and tests it, builds none of what only the command needs.
        let modules = try FileManager.default.contentsOfDirectory(
            atPath: built.appending("debug/Modules").string
        )
        #expect(modules.contains("OpScript.swiftmodule"))
        for heavy in [
            "Subprocess", "NIOCore", "ArgumentParser", "OpScriptWorks",
        ] {
            #expect(!modules.contains("\(heavy).swiftmodule"), "\(heavy) was built")
        }
    }

    @Test func `the steps of a page are its named blocks and its transcripts`() {
        let page = """
            The manifest. `Package.swift`:

            ```swift
            let a = 1
            ```

            Words about `b.swift`.

            ```swift
            not a file
            ```
            `job.lua`:

            <!-- test: skip, because it is an example -->
            ```lua
            print(1)
            ```
            ```sh
            $ swift run A job.lua
            1
            $ swift test
            …
            ```
            """
        #expect(
            Walkthrough(package: "A", markdown: page).steps == [
                .file(name: "Package.swift", text: "let a = 1\n"),
                .file(name: "job.lua", text: "print(1)\n"),
                .command(line: "swift run A job.lua", output: ["1"]),
                .command(line: "swift test", output: ["…"]),
            ]
        )
    }

    /// Converted as Xcode and `swift package generate-documentation` do; what is wrong with a link is a warning.
    @Test(.timeLimit(.minutes(10)))
    func `links and tutorials of the catalogue are valid`() async throws {
        let scratch = try Scratch()
        let products = CommandRun.commandPath.removingLastComponent()
        let run = try await CommandRun.shell(
            """
            mkdir graphs && swift symbolgraph-extract -module-name OpScript -minimum-access-level public \
                -target x86_64-unknown-linux-gnu -I '\(products)/Modules' -I '\(SourceTree.root)/CLua/include' \
                -I '\(SourceTree.root)/Sources/CTexts/include' \
                -Xcc -fmodule-map-file='\(products)/CLua.build/module.modulemap' \
                -Xcc -fmodule-map-file='\(products)/CTexts.build/module.modulemap' \
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
