import Glibc
import OpScript
import SystemPackage

@testable import OpScriptWorks

/// A directory of a test's own, which is removed at the end with everything in it.
final class Scratch: Sendable {
    let path: FilePath

    init() throws {
        path = try makeTemporary(WorkContext(), TemporaryOptions(directory: true))
    }

    deinit {
        try? removeFile(WorkContext(), path, RemoveOptions(recursive: true))
    }

    /// A path inside.
    subscript(_ name: String) -> FilePath { path.appending(name) }

    /// Puts a file there.
    @discardableResult
    func file(_ name: String, _ text: String = "") throws -> FilePath {
        try writeFile(WorkContext(), self[name], ScriptData(Array(text.utf8)))
    }

    @discardableResult
    func directory(_ name: String) throws -> FilePath {
        try makeDirectory(WorkContext(), self[name])
    }

    func text(_ name: String) throws -> String {
        String(decoding: try readFile(WorkContext(), self[name]), as: UTF8.self)
    }

    /// All names inside, hidden ones as well.
    func names() throws -> [String] {
        try listDirectory(WorkContext(), path, ListOptions(recursive: true)).map {
            String(decoding: $0, as: UTF8.self)
        }
    }
}

/// The message of the ``ScriptError`` that a body throws; a sentence that matches nothing if it throws no
/// error.
func message(_ body: () throws -> Void) -> String {
    do {
        try body()
    } catch let error as ScriptError {
        return error.message
    } catch {
        return "another error: \(error)"
    }
    return "no error"
}

/// The same for a body that waits.
func message(_ body: () async throws -> Void) async -> String {
    do {
        try await body()
    } catch let error as ScriptError {
        return error.message
    } catch {
        return "another error: \(error)"
    }
    return "no error"
}

/// Pseudo-random bytes that are the same in each run.
func noise(_ count: Int, seed: UInt64 = 1) -> [UInt8] {
    // The thread sanitizer takes the standard library's write to the one empty array for a race.
    if count == 0 { return [] }
    return [UInt8](unsafeUninitializedCapacity: count) { bytes, initialized in
        let raw = UnsafeMutableRawBufferPointer(bytes)
        var state = seed
        var index = 0
        while index < count {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            if index + 4 <= count {
                raw.storeBytes(
                    of: UInt32(truncatingIfNeeded: state >> 32),
                    toByteOffset: index,
                    as: UInt32.self
                )
            } else {
                for rest in index..<count { raw[rest] = UInt8(truncatingIfNeeded: state >> 40) }
            }
            index += 4
        }
        initialized = count
    }
}
