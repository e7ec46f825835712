import Glibc
import OpScript
import SystemPackage

/// A script of the contract tests, and the expectations in its head.
struct ContractScript: Sendable, CustomStringConvertible {
    /// Its path from the folder of the scripts.
    let path: String
    var status: Int32 = 0
    /// The lines of standard output; nil if they are not checked.
    var output: [String]?
    /// Lua patterns that must be found in standard error.
    var errorPatterns: [String] = []
    var options: [String] = []
    var arguments: [String] = []
    /// Whether it measures the memory of the process, most of which is the sanitizer's own if one is active.
    var measuresMemory = false

    var description: String { path }

    /// A head that cannot be understood.
    struct BadHead: Error {
        let path: String
        let line: String
    }

    /// Reads the head: the comment lines from the first line on.
    init(path: String, text: String) throws {
        self.path = path
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            guard line.hasPrefix("--") else { break }
            guard let (key, value) = Self.annotation(line) else { continue }
            let words = value.split(whereSeparator: \.isWhitespace).map(String.init)
            switch key {
            case "expect-status":
                guard let number = Int32(value) else { throw BadHead(path: path, line: String(line)) }
                status = number
            case "expect-stdout": output = (output ?? []) + [value]
            case "expect-stderr": errorPatterns.append(value)
            case "arguments": options += words
            case "script-arguments": arguments += words
            case "measures": measuresMemory = value == "memory"
            case let other where other.hasPrefix("expect-"): throw BadHead(path: path, line: String(line))
            default: break
            }
        }
    }

    /// The differences between a run and its expectations; empty if there are none.
    func complaints(about run: CommandRun) async -> [String] {
        var complaints: [String] = []
        if run.end != .exited(status) { complaints.append("\(run.end) instead of exited(\(status))") }
        if let output {
            let wanted = output.joined(separator: "\n") + "\n"
            if run.text != wanted { complaints.append("standard output is\n\(run.text)not\n\(wanted)") }
        }
        for pattern in errorPatterns where await !Self.find(pattern, in: run.errors) {
            complaints.append("nothing in standard error matches: \(pattern)")
        }
        return complaints
    }

    /// `-- key: value`.
    private static func annotation(_ line: Substring) -> (key: String, value: String)? {
        guard line.hasPrefix("-- "), let colon = line.firstIndex(of: ":") else { return nil }
        let key = line[..<colon].dropFirst(3)
        guard !key.isEmpty, key.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") }) else {
            return nil
        }
        let value = line[colon...].dropFirst()
        return (String(key), String(value.first == " " ? value.dropFirst() : value))
    }

    /// Whether a Lua pattern is found in a text, as Lua itself sees it.
    private static func find(_ pattern: String, in text: String) async -> Bool {
        let search = "if not arg[1]:find(arg[2]) then error('not found') end"
        let report = try? await ScriptEngine().run(
            Array(search.utf8),
            named: "=find",
            arguments: [text, pattern]
        )
        return report != nil
    }
}
