/// An option, or a word without dashes, that a script declares with `arguments`.
struct ArgumentDeclaration: Equatable {
    /// The types of values, by their names in scripts.
    enum Kind: String, CaseIterable {
        case string, integer, number, boolean
    }

    /// A value of an argument. Texts are bytes, since words of a command line need not be UTF-8.
    enum Value: Equatable {
        case text([UInt8])
        case integer(Int)
        case number(Double)
        case boolean(Bool)
    }

    /// `--jobs` and `-j`; for a positional argument its one name, without dashes.
    var names: [String]
    var kind = Kind.string
    /// The values without a word of the command line; nil if it has no default. More than one only with ``isMany``.
    var initial: [Value]?
    /// One sentence or more for the help.
    var help = ""
    /// The values that it may have; empty if all of its type may be given.
    var choices: [Value] = []
    /// The least and the greatest number that it may be.
    var least: Value?
    var greatest: Value?
    var isRequired = false
    /// Whether it may be given several times; its value is then a list.
    var isMany = false
    /// The name of the value in the help; nil for that of the option.
    var valueName: String?

    var isOption: Bool { names[0].hasPrefix("-") }
    /// Whether it is an option that takes no value.
    var isFlag: Bool { isOption && kind == .boolean }

    /// The name in messages: the first long one, or the first.
    var name: String { isOption ? mainName : "<\(names[0])>" }

    private var mainName: String { names.first { $0.hasPrefix("--") } ?? names[0] }

    /// Its name in the table of options: `dry_run` for `--dry-run`.
    var key: String { String(mainName.drop { $0 == "-" }.map { $0 == "-" ? "_" : $0 }) }

    /// Other names in that table: `dry-run` and `dryRun`.
    var otherKeys: [String] {
        let words = mainName.drop { $0 == "-" }.split(separator: "-", omittingEmptySubsequences: true)
        guard words.count > 1 else { return [] }
        let camel = words.dropFirst().reduce(String(words[0])) {
            $0 + $1.prefix(1).uppercased() + $1.dropFirst()
        }
        return [words.joined(separator: "-"), camel]
    }

    /// The value's name in the help, with brackets.
    var shownValue: String {
        "<\(valueName ?? (isOption ? String(mainName.drop { $0 == "-" }) : names[0]))>"
    }

    /// The words for what is expected: `an integer`, or the choices.
    var expectation: String {
        if !choices.isEmpty {
            let shown = choices.map { "'\($0.shown)'" }
            return shown.count == 1 ? shown[0] : "one of \(shown.joined(separator: ", "))"
        }
        return switch kind {
        case .string: "a text"
        case .integer: "an integer" + range
        case .number: "a number" + range
        case .boolean: "true or false"
        }
    }

    /// `from 1 to 8`, after a blank; empty if all numbers may be given.
    private var range: String {
        switch (least, greatest) {
        case (let least?, let greatest?): " from \(least.shown) to \(greatest.shown)"
        case (let least?, nil): ", at least \(least.shown)"
        case (nil, let greatest?): ", at most \(greatest.shown)"
        case (nil, nil): ""
        }
    }

    /// Whether a value of its type may be given.
    func allows(_ value: Value) -> Bool {
        if !choices.isEmpty { return choices.contains(value) }
        guard let number = value.asNumber else { return true }
        return (least?.asNumber).map { number >= $0 } ?? true
            && (greatest?.asNumber).map { number <= $0 } ?? true
    }

    /// The same after a colon; nothing if any text will do.
    var remark: String { kind == .string && choices.isEmpty ? "" : ": \(expectation)" }

    /// The value of a word; nil if the word is of another type.
    func value(of word: [UInt8]) -> Value? {
        let text = String(decoding: word, as: UTF8.self)
        switch kind {
        case .string: return .text(word)
        case .integer: return Self.integer(text).map(Value.integer)
        case .number: return Self.number(text).map(Value.number)
        case .boolean: return text == "true" ? .boolean(true) : text == "false" ? .boolean(false) : nil
        }
    }

    private static func integer(_ text: String) -> Int? {
        let lowercased = text.lowercased()
        if lowercased.hasPrefix("0x") { return Int(lowercased.dropFirst(2), radix: 16) }
        return Int(text)
    }

    private static func number(_ text: String) -> Double? {
        // `Double` also reads `nan`, `inf` and their like, which no user means as a number of something.
        guard let number = Double(text), number.isFinite else { return nil }
        return number
    }
}

extension ArgumentDeclaration.Value {
    var asNumber: Double? {
        switch self {
        case .integer(let integer): Double(integer)
        case .number(let number): number
        case .text, .boolean: nil
        }
    }

    /// The value as a word of the command line.
    var shown: String {
        switch self {
        case .text(let bytes): String(decoding: bytes, as: UTF8.self)
        case .integer(let integer): String(integer)
        case .number(let number):
            number == number.rounded() ? String(String(number).dropLast(2)) : String(number)
        case .boolean(let flag): String(flag)
        }
    }
}
