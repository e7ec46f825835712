internal import OpScript
internal import SystemPackage

/// A command for `process.run`: `{ "cc", "-c", "a.c", cwd = "src", check = false }`.
struct Command: ScriptConvertible {
    /// The program and its arguments, as bytes.
    var words: [[UInt8]]
    var options: ProcessOptions
    /// The values that no message shows; nil for none.
    var secrets: Secrets?

    static var scriptTypeName: String { "table of a program and its arguments" }

    init(words: [[UInt8]], options: ProcessOptions = ProcessOptions()) {
        self.words = words
        self.options = options
    }

    /// A text for `/bin/sh`.
    init(shell text: [UInt8], options: ProcessOptions) {
        self.init(words: [Array("/bin/sh".utf8), Array("-c".utf8), text], options: options)
    }

    init(scriptValue: ScriptValue) throws(ScriptConversionError) {
        let table: ScriptTable
        do throws(ScriptConversionError) {
            table = try ScriptTable(scriptValue: scriptValue)
        } catch {
            throw ScriptConversionError(expected: Self.scriptTypeName, got: error.got, path: error.path)
        }
        var words: [Int64: ScriptValue] = [:]
        var named = ScriptTable()
        for entry in table.entries {
            if case .integer(let index) = entry.key {
                words[index] = entry.value
            } else {
                named.entries.append(entry)
            }
        }
        self.words = []
        for index in 1...Int64(words.count + 1) {
            guard let word = words[index] else { break }
            do throws(ScriptConversionError) {
                self.words.append(try Self.word(word))
            } catch {
                throw error.inside(index: Int(index))
            }
        }
        guard !words.isEmpty else {
            throw ScriptConversionError(expected: Self.scriptTypeName, got: "a table without a program")
        }
        guard self.words.count == words.count else {
            throw ScriptConversionError(expected: "string", got: "nil").inside(index: self.words.count + 1)
        }
        options = try ProcessOptions(scriptValue: .table(named))
    }

    var scriptValue: ScriptValue { .array(words.map(ScriptValue.string)) }

    /// The name of the command in messages: its program, or the text for the shell.
    var name: String {
        let isShell = words.count == 3 && words[0].elementsEqual("/bin/sh".utf8)
        let name = HiddenCredentials.hidden(in: text(of: isShell ? words[2] : words[0]))
        return name.count > 60 ? name.prefix(60) + "…" : name
    }

    /// The command line for people: as it is typed into a shell, or the text for the shell, without secrets and
    /// passwords of URLs.
    var line: String {
        let isShell = words.count == 3 && words[0].elementsEqual("/bin/sh".utf8)
        let line =
            isShell
            ? text(of: words[2]) : words.map { ShellWord.quoted(text(of: $0)) }.joined(separator: " ")
        let shown = HiddenCredentials.hidden(in: line)
        return shown.count > 300 ? shown.prefix(300) + "…" : shown
    }

    /// A word without secrets. They are hidden before quotes change them and before a long text is cut.
    private func text(of word: [UInt8]) -> String {
        String(decoding: secrets?.hidden(in: word) ?? word, as: UTF8.self)
    }

    /// A text that can be passed to a shell, so it contains no NUL.
    static func shellText(_ text: [UInt8]) throws(ScriptError) -> [UInt8] {
        guard !text.contains(0) else {
            throw ScriptError(.argument, "the text for the shell has a NUL inside")
        }
        return text
    }

    /// An argument: a string, or a number as it is written.
    private static func word(_ value: ScriptValue) throws(ScriptConversionError) -> [UInt8] {
        switch value {
        case .integer(let integer): return Array("\(integer)".utf8)
        case .number(let number): return Array("\(number)".utf8)
        case .string(let bytes):
            guard !bytes.contains(0) else {
                throw ScriptConversionError(expected: "string", got: "a string with a NUL inside")
            }
            return bytes
        default: throw ScriptConversionError(expected: "string", value: value)
        }
    }
}

/// The options of a process.
struct ProcessOptions: ScriptConvertible {
    /// The destination of standard output, and with `inherit` also of standard error.
    enum Output: Equatable {
        case capture
        case inherit
        case file(FilePath)
    }

    /// The source of standard input.
    enum Input: Equatable {
        /// There is none.
        case nothing
        /// The same as for this process.
        case inherit
        case bytes([UInt8])
    }

    var directory: FilePath?
    /// Variables that differ from those of this process; nil removes a variable.
    var environment: [String: String?] = [:]
    var input = Input.nothing
    var output = Output.capture
    /// Whether a status other than 0 is a failure.
    var check = true
    /// Seconds between SIGTERM and SIGKILL.
    var grace = 5.0
    /// The most bytes of captured output, and of captured error output.
    var limit = MemoryRoom.standardLimit

    static var scriptTypeName: String { "table of options" }

    private static let names = ["cwd", "env", "input", "output", "check", "grace", "limit"]

    init() {}

    init(scriptValue: ScriptValue) throws(ScriptConversionError) {
        for (name, value) in try scriptValue.fields(expected: Self.scriptTypeName) {
            do throws(ScriptConversionError) {
                switch name {
                case "cwd": directory = try FilePath?(scriptValue: value)
                case "env": environment = try Self.environment(value)
                case "input": input = try Self.input(value)
                case "output": output = try Self.output(value)
                case "check": check = try Bool(scriptValue: value)
                case "grace":
                    grace = try Double(scriptValue: value)
                    guard grace >= 0, grace <= 1e6 else {
                        throw ScriptConversionError(expected: "seconds of at least 0", got: "\(grace)")
                    }
                case "limit": limit = try limitOption(value)
                default:
                    throw ScriptConversionError(
                        expected: "",
                        got: "unknown option '\(name)'" + suggestion(forOption: name, among: Self.names)
                    )
                }
            } catch {
                throw error.expected.isEmpty ? error : error.inside(field: name)
            }
        }
    }

    var scriptValue: ScriptValue { .table(ScriptTable()) }

    private static func output(_ value: ScriptValue) throws(ScriptConversionError) -> Output {
        switch try FilePath(scriptValue: value) {
        case "capture": .capture
        case "inherit": .inherit
        case let path: .file(path)
        }
    }

    /// `"inherit"`, other text, or a `Data`.
    private static func input(_ value: ScriptValue) throws(ScriptConversionError) -> Input {
        if value == .text("inherit") { return .inherit }
        return try ScriptData?(scriptValue: value).map { .bytes($0.bytes) } ?? .nothing
    }

    private static func environment(_ value: ScriptValue) throws(ScriptConversionError) -> [String: String?] {
        var variables: [String: String?] = [:]
        for (name, value) in try value.fields(expected: "table of strings") {
            guard !name.isEmpty, !name.contains("="), !name.contains("\0") else {
                throw ScriptConversionError(expected: "name of a variable", got: "'\(name)'")
            }
            switch value {
            case .boolean(false): variables[name] = .some(nil)
            case .integer(let integer): variables[name] = "\(integer)"
            case .number(let number): variables[name] = "\(number)"
            default:
                guard case .string(let bytes) = value, !bytes.contains(0) else {
                    var got = value.typeName
                    if case .string = value { got = "a string with a NUL inside" }
                    throw ScriptConversionError(expected: "string, number or false", got: got)
                        .inside(field: name)
                }
                variables[name] = RawText.text(of: bytes)
            }
        }
        return variables
    }
}

extension ScriptValue {
    /// Names and values of a table whose keys are strings.
    fileprivate func fields(expected: String) throws(ScriptConversionError) -> [(String, ScriptValue)] {
        switch self {
        case .nil, .null: return []
        default: break
        }
        return try [String: ScriptValue](scriptValue: self).sorted { $0.key < $1.key }
    }
}
