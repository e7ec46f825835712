import Foundation
import SystemPackage
import TestSupport
import Testing

/// The examples of programs that embed the engine, built from their own manifests.
@Suite(.serialized, .enabled(if: Sanitizer.current == nil, "it builds packages of its own"))
struct ExamplePackageTests {
    private static let examples = SourceTree.root.appending("docs/Examples")

    /// The resolved versions of this checkout; otherwise each package would request the newest versions.
    private func copyVersions(to folder: FilePath) throws {
        let versions = SourceTree.root.appending("Package.resolved").string
        let copy = folder.appending("Package.resolved").string
        guard FileManager.default.fileExists(atPath: versions) else { return }
        try? FileManager.default.removeItem(atPath: copy)
        try FileManager.default.copyItem(atPath: versions, toPath: copy)
    }

    /// Beside a checkout, as a user's package is; only the path of the engine differs.
    @Test(
        .timeLimit(.minutes(20)),
        arguments: [
            ("PlainHost", "job.lua world", "hello, world, from 'greet'"),
            ("ManualLoop", "level.lua", "the hero is at 3"),
            ("RecordedRun", "job.lua run.html", "5.0 s: fetch cat, shrink cat, shrink dog"),
        ]
    )
    func `an example is built and run from its own manifest`(
        _ name: String,
        _ words: String,
        _ line: String
    ) async throws {
        let ground = PackageGround()
        let folder = try ground.emptyFolder(name)
        for file in try FileManager.default.contentsOfDirectory(atPath: Self.examples.appending(name).string)
        where !file.hasPrefix(".") && file != "Package.resolved" {
            try FileManager.default.copyItem(
                atPath: Self.examples.appending(name).appending(file).string,
                toPath: folder.appending(file).string
            )
        }
        let manifest = folder.appending("Package.swift").string
        let text = try String(contentsOfFile: manifest, encoding: .utf8)
        try #require(text.contains(#"path: "../../..""#))
        let moved = text.replacingOccurrences(of: #"path: "../../..""#, with: #"path: "../OpScript""#)
        try Data(moved.utf8).write(to: URL(fileURLWithPath: manifest))
        try copyVersions(to: folder)
        let run = try await CommandRun.shell(
            "swift run --scratch-path '\(ground.scratch)' '\(name)' \(words)",
            folder: folder
        )
        #expect(run.status == 0, "\(run.errors)")
        #expect(run.text.split(separator: "\n").contains { $0 == line }, "\(run.text) \(run.errors)")
    }

    /// At its place in the checkout: the checkout, all packages and all products that it names exist.
    @Test(
        .timeLimit(.minutes(20)),
        arguments: ["ManualLoop", "OwnCommand", "PlainHost", "RecordedRun"]
    )
    func `the dependencies of an example exist`(_ name: String) async throws {
        let folder = Self.examples.appending(name)
        try copyVersions(to: folder)
        let run = try await CommandRun.shell(
            "swift package --package-path '\(folder)' --scratch-path '\(PackageGround().scratch)' show-dependencies --format json"
        )
        #expect(run.status == 0, "\(run.errors)")
        #expect(
            run.text.contains(#""identity": "opscript""#)
                || run.text.contains("\"path\": \"\(SourceTree.root)\"")
        )
    }
}
