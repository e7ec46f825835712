internal import Glibc

/// The reason for a refusal of the system, in words.
enum SystemReason {
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
