internal import Glibc
internal import OpScript
internal import SystemPackage

/// Finds a program as a shell does: along a search path, unless its name has a slash.
///
/// The search is done here, since the system call that starts a program would try to start each candidate.
///
/// - Throws: ``ScriptError`` if there is no such program, or it cannot be executed.
func findProgram(_ name: [UInt8], searchPath: String?) throws(ScriptError) -> FilePath {
    let program = (try? FilePath(scriptValue: .string(name))) ?? FilePath("")
    // The path as it is written, relative to the directory in which the program will run.
    if name.contains(UInt8(ascii: "/")) { return program }
    let path =
        searchPath ?? getenv("PATH").map { RawText.text(ofCString: $0) } ?? "/usr/local/bin:/usr/bin:/bin"
    var isForbidden = false
    for directory in path.split(separator: ":", omittingEmptySubsequences: false) where !name.isEmpty {
        let folder = directory.isEmpty ? [UInt8(ascii: ".")] : RawText.bytes(of: String(directory))
        guard let candidate = (try? FilePath(scriptValue: .string(folder)))?.appending(program.components)
        else {
            continue
        }
        guard let status = try? fileStatus(of: candidate), status.isRegular else { continue }
        if candidate.withPlatformString({ access($0, X_OK) }) == 0 { return candidate }
        isForbidden = true
    }
    throw ScriptError(
        .failed,
        "cannot run '\(program.string)': \(isForbidden ? "permission denied" : "no such program")"
    )
}
