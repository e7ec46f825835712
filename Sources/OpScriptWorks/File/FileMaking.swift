internal import Glibc
internal import OpScript
internal import SystemPackage

/// Creates a directory and those above it; existing ones are not an error.
///
/// - Returns: the path.
func makeDirectory(_ context: WorkContext, _ path: FilePath) throws -> FilePath {
    var missing: [FilePath] = []
    var next = path
    while true {
        do throws(SystemCallError) {
            try systemCall { next.withPlatformString { mkdir($0, 0o777) } }
        } catch {
            switch error.code {
            case ENOENT where !next.parent.isEmpty && next.parent != next && !isRemoved(next.parent):
                // The directory above first, then this one again.
                missing.append(next)
                next = next.parent
                continue
            case EEXIST:
                let status = try describing("make directory", next) { () throws(SystemCallError) in
                    try fileStatus(of: next)
                }
                guard status?.isDirectory == true else {
                    throw ScriptError.cannot(
                        "make directory",
                        path,
                        "'\(next.string)' exists and is not a directory"
                    )
                }
            default:
                throw ScriptError.cannot("make directory", isRemoved(next.parent) ? next : path, error.code)
            }
        }
        guard let last = missing.popLast() else { return path }
        next = last
    }
}

/// The options of `file.temporary`.
struct TemporaryOptions: Codable {
    /// Whether to make a directory instead of a file.
    var directory: Bool?
    /// The ending of the name, as in `".ppm"`.
    var suffix: String?
}

/// Creates an empty file or directory that only this user can use, in `TMPDIR` or `/tmp`.
///
/// - Returns: its path. The caller has to remove it.
func makeTemporary(_ context: WorkContext, _ options: TemporaryOptions? = nil) throws -> FilePath {
    let wanted = getenv("TMPDIR").map { FilePath(platformString: $0) } ?? ""
    let directory: FilePath = wanted.isEmpty ? "/tmp" : wanted
    let suffix = options?.suffix ?? ""
    let what = options?.directory == true ? "a temporary directory" : "a temporary file"
    guard !suffix.contains("/"), !suffix.contains("\0") else {
        let culprit = suffix.contains("/") ? "'/'" : "a NUL"
        throw ScriptError(
            .argument,
            "cannot make \(what) in '\(directory.string)': "
                + "its 'suffix' is '\(VisibleText.line(suffix))', which has \(culprit) inside"
        )
    }
    while true {
        let mark = String(UInt64.random(in: .min ... .max), radix: 36)
        let path = directory.appending("opscript-\(mark)\(suffix)")
        do throws(SystemCallError) {
            if options?.directory == true {
                try systemCall { path.withPlatformString { mkdir($0, 0o700) } }
            } else {
                _ = try FileHandle(path, O_CREAT | O_EXCL | O_WRONLY, mode: 0o600)
            }
            return path
        } catch {
            if error.code == EEXIST { continue }
            throw ScriptError.cannot(
                "make \(what) in",
                directory,
                error.code,
                missing: "no such directory"
            )
        }
    }
}
