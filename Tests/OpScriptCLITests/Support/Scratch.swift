import Foundation
import SystemPackage

/// A folder of a test's own, which is removed at the end with everything in it.
final class Scratch: Sendable {
    let path: FilePath

    init() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
            "opscript-\(UUID().uuidString)"
        )
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        path = FilePath(folder.path)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path.string)
    }

    /// Puts a file there.
    @discardableResult
    func file(_ name: String, _ text: String) throws -> FilePath {
        let file = path.appending(name)
        try Data(text.utf8).write(to: URL(fileURLWithPath: file.string))
        return file
    }

    /// Puts a job for the tests of journals there, as `job.lua`.
    func script(_ name: String) throws {
        try FileManager.default.copyItem(
            atPath: SourceTree.journalScripts.appending(name).string,
            toPath: path.appending("job.lua").string
        )
    }

    /// Makes a folder there, and those above it.
    func folder(_ name: String) throws {
        try FileManager.default.createDirectory(
            atPath: path.appending(name).string,
            withIntermediateDirectories: true
        )
    }

    /// Makes a symbolic link there.
    func link(_ name: String, to target: FilePath) throws {
        try FileManager.default.createSymbolicLink(
            atPath: path.appending(name).string,
            withDestinationPath: target.string
        )
    }

    /// All names inside, hidden ones as well.
    func names() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: path.string).sorted()
    }
}
