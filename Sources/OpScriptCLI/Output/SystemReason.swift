internal import Glibc

/// The reason for a refusal of the system, in words.
enum SystemReason {
    /// The sentence about a file that could not be opened for writing.
    static func cannotWrite(_ path: String, _ code: Int32) -> String {
        let reason =
            switch code {
            case ENOENT: "there is no folder '\(folder(of: path))'"
            case EISDIR: "it is a folder"
            default: describe(code)
            }
        return "cannot write '\(path)': \(reason)"
    }

    /// The line for standard output that failed.
    static func lostOutput(_ code: Int32, name: String) -> String {
        "\(name): cannot write to standard output: \(describe(code))"
    }

    /// The folder of a path, as far as the path names it.
    static func folder(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// The words for an error number, in lower case: `permission denied`.
    static func describe(_ code: Int32) -> String {
        switch code {
        case 0: return "the system gives no reason"
        case ENOENT: return "no such file"
        case EISDIR: return "is a directory"
        case EPIPE: return "its reader has gone"
        default:
            let words = strerror(code).map { String(cString: $0) } ?? "error \(code)"
            return words.prefix(1).lowercased() + words.dropFirst()
        }
    }
}
