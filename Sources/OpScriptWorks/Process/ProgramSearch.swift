internal import Glibc
internal import OpScript
internal import SystemPackage

/// Finds a program as a shell does: along a search path, unless its name has a slash.
///
/// The search is done here, since the system call that starts a program would try to start each candidate.
///
/// - Throws: ``ScriptError`` if there is no such program, or it cannot be executed.
func findProgram(_ name: [UInt8], searchPath: String?) throws(ScriptError) -> FilePath {
    let program = FilePath(String(decoding: name, as: UTF8.self))
    if name.contains(UInt8(ascii: "/")) {
        // The path as it is written, relative to the directory in which the program will run.
        return (try? FilePath(scriptValue: .string(name))) ?? program
    }
    let path = searchPath ?? getenv("PATH").map { String(cString: $0) } ?? "/usr/local/bin:/usr/bin:/bin"
    var isForbidden = false
    for directory in path.split(separator: ":", omittingEmptySubsequences: false) where !name.isEmpty {
        let candidate = FilePath(directory.isEmpty ? "." : String(directory)).appending(program.components)
        guard let status = try? fileStatus(of: candidate), status.isRegular else { continue }
        if candidate.withPlatformString({ access($0, X_OK) }) == 0 { return candidate }
        isForbidden = true
    }
    throw ScriptError(
        .failed,
        "cannot run '\(program.string)': \(isForbidden ? "permission denied" : "no such program")"
    )
}
