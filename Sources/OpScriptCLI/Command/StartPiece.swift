internal import Glibc
internal import OpScript

/// A step before the script: first that of the environment, then the options `-e`, `-l` and `-W` in the order of the
/// command line, as with `lua`.
enum StartPiece: Equatable {
    /// Code, and its name in messages.
    case code(String, name: String)
    /// A file with code, of the variable `LUA_INIT`.
    case file(String)
    /// A module, and the global that receives its value.
    case library(global: String, module: String)
    /// Warnings are printed from here on.
    case warnings

    /// The name of code on the command line.
    static let commandLine = "=(command line)"

    /// The piece of an option and its value; nil for all other options.
    init?(option: String, value: String?) {
        switch (option, value) {
        case ("-W", _): self = .warnings
        case ("-e", let value?): self = .code(value, name: Self.commandLine)
        case ("-l", let value?):
            let parts = value.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            self = .library(global: String(parts[0]), module: String(parts.last ?? parts[0]))
        default: return nil
        }
    }

    /// The piece of the variable `LUA_INIT_5_4`, or of `LUA_INIT` if that is not set.
    static var ofEnvironment: [StartPiece] {
        for variable in ["LUA_INIT_5_4", "LUA_INIT"] {
            guard let value = getenv(variable) else { continue }
            let text = RawText.text(ofCString: value)
            if text.isEmpty { return [] }
            return [text.first == "@" ? .file(String(text.dropFirst())) : .code(text, name: "=\(variable)")]
        }
        return []
    }

    /// The words that ask for it on a command line; none if the environment does.
    var words: [String] {
        switch self {
        case .code(let code, Self.commandLine): ["-e", code]
        case .library(let global, let module): ["-l", global == module ? module : "\(global)=\(module)"]
        case .warnings: ["-W"]
        case .code, .file: []
        }
    }
}
