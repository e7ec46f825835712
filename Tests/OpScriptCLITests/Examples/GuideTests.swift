import Foundation
import SystemPackage
import Testing

/// The listings of Apple's guides as scripts, each with its output beside it.
@Suite struct GuideTests {
    private static let folder = SourceTree.examples.appending("guide")

    @Test(arguments: scripts()) func `a listing prints the output beside it, on both clocks`(
        _ script: String
    )
        async throws
    {
        let path = Self.folder.appending(script).string
        let expected = try String(contentsOfFile: path.dropLast(3) + "out", encoding: .utf8)
        let run = try await CommandRun.command(path, folder: Self.folder)
        #expect(run.status == 0)
        #expect(run.text == expected)
        #expect(run.complaints.isEmpty, "\(run.errors)")
        // There, a warning names the sources that no seed fixes.
        let virtual = try await CommandRun.command("--virtual", path, folder: Self.folder)
        #expect(virtual.status == 0, "\(virtual.errors)")
        #expect(virtual.text == expected)
    }

    @Test func `the index names every script once for its listing, and no other`() throws {
        let index = try String(contentsOfFile: Self.folder.appending("README.md").string, encoding: .utf8)
        let links = Set(index.matches(of: /\]\(([a-z_\/]+\.lua)\)/).map { String($0.output.1) })
        #expect(links == Set(Self.scripts()))
        #expect(links.count >= 60)
        for script in Self.scripts() {
            let text = try String(contentsOfFile: Self.folder.appending(script).string, encoding: .utf8)
            #expect(text.contains("\n-- In the guide: "), "\(script) does not say where it belongs")
        }
    }

    private static func scripts() -> [String] {
        let names = FileManager.default.enumerator(atPath: folder.string)?.compactMap { $0 as? String } ?? []
        return names.filter { $0.hasSuffix(".lua") }.sorted()
    }
}
