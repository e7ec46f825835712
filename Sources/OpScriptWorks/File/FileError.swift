internal import Glibc
internal import OpScript
internal import SystemPackage

extension ScriptError {
    /// `cannot read 'x.txt': no such file`: a refusal of the system.
    ///
    /// - Parameters:
    ///   - action: The attempted action, as in `"read"`.
    ///   - code: The system's error number.
    ///   - missing: The thing that does not exist, for the error "no such file".
    static func cannot(
        _ action: String,
        _ path: FilePath,
        _ code: CInt,
        missing: String = "no such file"
    ) -> ScriptError {
        // The system's answers in a folder that was removed while a process is in it.
        if code == ENOENT || code == EPERM, isRemoved(path.parent) {
            return cannot(action, path, "its folder was removed")
        }
        return cannot(action, path, code == ENOENT ? missing : describe(code))
    }

    /// The same with a reason of our own.
    static func cannot(_ action: String, _ path: FilePath, _ reason: String) -> ScriptError {
        ScriptError(.failed, "cannot \(action) '\(path.string)': \(reason)")
    }

    /// The system's words for an error number, in lower case: `permission denied`.
    package static func describe(_ code: CInt) -> String {
        switch code {
        case EISDIR: return "is a directory"
        case ENOTDIR: return "not a directory"
        case EACCES: return "permission denied"
        case EMFILE: return "too many open files in this process (see ulimit -n)"
        default:
            let words = Errno(rawValue: code).description
            return words.prefix(1).lowercased() + words.dropFirst()
        }
    }
}

/// Whether a folder was removed while a process is in it, so that nothing can be made there.
func isRemoved(_ folder: FilePath) -> Bool {
    guard let status = try? fileStatus(of: folder) else { return false }
    return status.st_nlink == 0
}
