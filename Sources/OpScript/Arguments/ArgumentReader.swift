/// Reads the words of a command line by the declarations of a script. Pure: it prints nothing and ends nothing.
///
/// Options may stand before, between and after other words; `--` ends them. `--jobs 4`, `--jobs=4`, `-j 4` and `-j4`
/// mean the same, and `-qv` is `-q -v`. An option that is given twice counts the last time, unless it has `many`.
struct ArgumentReader {
    /// The result of reading.
    enum Outcome: Equatable {
        /// The values by the keys of the arguments, and the words that name tasks.
        case values([String: [ArgumentDeclaration.Value]], tasks: [String])
        /// Help is wanted.
        case help
        /// A word is wrong, or one is missing. `option` is the name of an unknown option.
        case wrong(String, option: String? = nil)
    }

    private let arguments: ArgumentSet
    private let takesTasks: Bool
    private let checksMissing: Bool
    private var values: [String: [ArgumentDeclaration.Value]] = [:]
    private var words: [[UInt8]] = []
    private var wantsHelp = false
    private var problem: Outcome?

    /// Reads words.
    ///
    /// - Parameters:
    ///   - takesTasks: Whether words name tasks: the first one if the script declares positional arguments, otherwise
    ///     all of them. Without a task, nothing is missing: the tasks are listed then.
    ///   - checksMissing: Whether required arguments must be there.
    static func read(
        _ words: [[UInt8]],
        by arguments: ArgumentSet,
        takesTasks: Bool = false,
        checksMissing: Bool = true
    ) -> Outcome {
        var reader = ArgumentReader(arguments, takesTasks, checksMissing)
        reader.divide(words)
        if reader.wantsHelp { return .help }
        let tasks = reader.takeTasks()
        reader.assignPositionals(isTaskMissing: takesTasks && tasks.isEmpty)
        if let problem = reader.problem { return problem }
        return .values(reader.values, tasks: tasks)
    }

    private init(_ arguments: ArgumentSet, _ takesTasks: Bool, _ checksMissing: Bool) {
        self.arguments = arguments
        self.takesTasks = takesTasks
        self.checksMissing = checksMissing
    }

    // MARK: Options

    /// Takes the options out of the words; the others remain.
    private mutating func divide(_ all: [[UInt8]]) {
        var rest = all[...]
        while let word = rest.popFirst() {
            let text = String(decoding: word, as: UTF8.self)
            if text == "--" {
                words += rest
                return
            }
            if text.hasPrefix("--") {
                readLong(word, &rest)
            } else if text.hasPrefix("-"), text != "-", !isNegativeNumber(text) {
                readShort(word, &rest)
            } else {
                words.append(word)
            }
        }
    }

    /// Whether a word such as `-3` is a value: a positional argument takes numbers, and no option has this name.
    private func isNegativeNumber(_ text: String) -> Bool {
        guard Double(text) != nil, arguments.option(named: String(text.prefix(2))) == nil else {
            return false
        }
        return arguments.positionals.contains { $0.kind == .integer || $0.kind == .number }
    }

    private mutating func readLong(_ word: [UInt8], _ rest: inout ArraySlice<[UInt8]>) {
        let end = word.firstIndex(of: UInt8(ascii: "=")) ?? word.endIndex
        let name = String(decoding: word[..<end], as: UTF8.self)
        let value = end < word.endIndex ? Array(word[(end + 1)...]) : nil
        if name == "--help", value == nil {
            wantsHelp = true
        } else if let option = arguments.option(named: name) {
            take(option, name, value, &rest)
        } else if let flag = arguments.flag(turnedOffBy: name) {
            if let value {
                complain("\(name) takes no value, got '\(String(decoding: value, as: UTF8.self))'")
            } else {
                values[flag.key] = [.boolean(false)]
            }
        } else {
            complainOfUnknown(name)
        }
    }

    private mutating func readShort(_ word: [UInt8], _ rest: inout ArraySlice<[UInt8]>) {
        let text = String(decoding: word, as: UTF8.self)
        var letters = text.dropFirst()
        while let letter = letters.popFirst() {
            let name = "-\(letter)"
            guard let option = arguments.option(named: name) else {
                if name == "-h" {
                    wantsHelp = true
                } else if text.count > 2, arguments.option(named: "-" + text) != nil {
                    complainOfUnknown(text, meant: "-" + text)
                } else {
                    complainOfUnknown(name)
                }
                return
            }
            if option.isFlag {
                values[option.key] = [.boolean(true)]
                continue
            }
            // The rest of the word is the value, as bytes: it need not be UTF-8.
            let taken = text.count - letters.count
            var value: [UInt8]?
            if !letters.isEmpty {
                value = Array(word.dropFirst(text.prefix(taken).utf8.count))
                if value?.first == UInt8(ascii: "=") { value?.removeFirst() }
                if text.count > 2, let bytes = value, option.value(of: bytes) == nil,
                    arguments.option(named: "-" + text) != nil
                {
                    return complainOfUnknown(text, meant: "-" + text)
                }
            }
            return take(option, name, value, &rest)
        }
    }

    private mutating func take(
        _ option: ArgumentDeclaration,
        _ name: String,
        _ given: [UInt8]?,
        _ rest: inout ArraySlice<[UInt8]>
    ) {
        if option.isFlag {
            guard let given else {
                values[option.key] = [.boolean(true)]
                return
            }
            guard let value = option.value(of: given) else {
                return complain("\(name) takes no value, got '\(String(decoding: given, as: UTF8.self))'")
            }
            values[option.key] = [value]
            return
        }
        guard let word = given ?? nextValue(&rest) else {
            return complain("\(name) needs a value\(option.remark)")
        }
        store(word, of: option, name)
    }

    /// The next word as the value of an option, unless it is an option itself.
    private func nextValue(_ rest: inout ArraySlice<[UInt8]>) -> [UInt8]? {
        guard let word = rest.first else { return nil }
        let text = String(decoding: word.prefix { $0 != UInt8(ascii: "=") }, as: UTF8.self)
        let isOption =
            text == "--" || text == "--help" || arguments.option(named: text) != nil
            || arguments.flag(turnedOffBy: text) != nil
        return isOption ? nil : rest.popFirst()
    }

    private mutating func store(_ word: [UInt8], of argument: ArgumentDeclaration, _ name: String) {
        let text = String(decoding: word, as: UTF8.self)
        guard let value = argument.value(of: word),
            argument.allows(value)
        else {
            let near = suggestion(for: text, among: argument.choices.map(\.shown))
            return complain("\(name) is '\(text)', but it must be \(argument.expectation)\(near)")
        }
        if argument.isMany {
            values[argument.key, default: []].append(value)
        } else {
            values[argument.key] = [value]
        }
    }

    // MARK: Other words

    private mutating func takeTasks() -> [String] {
        guard takesTasks else { return [] }
        let count = arguments.positionals.isEmpty ? words.count : min(1, words.count)
        defer { words.removeFirst(count) }
        return words.prefix(count).map { String(decoding: $0, as: UTF8.self) }
    }

    private mutating func assignPositionals(isTaskMissing: Bool) {
        let positionals = arguments.positionals
        var rest = words[...]
        for (place, argument) in positionals.enumerated() {
            // The words that the required arguments after this one need stay for them.
            let later = positionals[(place + 1)...].count { $0.isRequired && !$0.isMany || $0.isRequired }
            let most = max(0, rest.count - later)
            let count = argument.isMany ? most : min(most, 1)
            for word in rest.prefix(count) { store(word, of: argument, argument.name) }
            rest = rest.dropFirst(count)
        }
        if let word = rest.first {
            let text = String(decoding: word, as: UTF8.self)
            complain(
                positionals.isEmpty
                    ? "'\(text)' is not expected: only options are" : "'\(text)' is one word too many"
            )
        }
        guard checksMissing, !isTaskMissing else { return }
        for argument in arguments.all where argument.isRequired && values[argument.key] == nil {
            complain("\(argument.name) is missing\(argument.remark)")
        }
    }

    // MARK: Complaints

    /// The first one counts.
    private mutating func complain(_ text: String) {
        if problem == nil { problem = .wrong(text) }
    }

    private mutating func complainOfUnknown(_ name: String, meant: String? = nil) {
        guard problem == nil else { return }
        let bare = String(name.drop { $0 == "-" })
        let names = arguments.options.flatMap(\.names).filter { $0.hasPrefix("--") } + ["--help"]
        let near =
            meant ?? nearestName(to: bare, among: names.map { String($0.dropFirst(2)) }).map { "--" + $0 }
        let hint = near.map { " (did you mean '\($0)'?)" } ?? ""
        problem = .wrong("there is no option '\(name)'\(hint)", option: name)
    }
}
