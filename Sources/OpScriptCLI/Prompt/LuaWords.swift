/// The words of Lua text that a person types, with their places; the text may be unfinished.
///
/// Follows section 3.1 of Lua's manual. Comments are left out.
struct LuaWords {
    /// The sort of a word.
    enum Kind: Equatable {
        /// A name or a keyword.
        case name
        case number
        /// A string with its quotes; one that is open has no end in the text.
        case string(isOpen: Bool)
        /// A comment that has no end in the text.
        case openComment
        /// An operator, or a part of one: `(`, `.`, `::`, `=`.
        case sign
    }

    /// A word and its place.
    struct Word: Equatable {
        var kind: Kind
        var range: Range<Int>
    }

    let text: [UInt8]
    private(set) var words: [Word] = []
    private var place = 0

    init(_ text: [UInt8]) {
        self.text = text
        while let word = next() { words.append(word) }
    }

    /// The text of a word.
    func text(of word: Word) -> String { String(decoding: text[word.range], as: UTF8.self) }

    private func byte(_ offset: Int = 0) -> UInt8 { place + offset < text.count ? text[place + offset] : 0 }

    private mutating func next() -> Word? {
        while place < text.count {
            let start = place
            switch byte() {
            case 9...13, 32:
                place += 1
            case UInt8(ascii: "-") where byte(1) == UInt8(ascii: "-"):
                place += 2
                if let isOpen = skipLong() {
                    if isOpen { return Word(kind: .openComment, range: start..<place) }
                } else {
                    while place < text.count, byte() != 10 { place += 1 }
                }
            case let byte where Self.beginsName(byte):
                while Self.isInName(self.byte()) { place += 1 }
                return Word(kind: .name, range: start..<place)
            case UInt8(ascii: "0")...UInt8(ascii: "9"):
                skipNumber()
                return Word(kind: .number, range: start..<place)
            case UInt8(ascii: "."):
                if (48...57).contains(byte(1)) {
                    skipNumber()
                    return Word(kind: .number, range: start..<place)
                }
                while byte() == UInt8(ascii: "."), place < start + 3 { place += 1 }
                return Word(kind: .sign, range: start..<place)
            case let quote where quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'"):
                return Word(kind: .string(isOpen: skipQuoted(quote)), range: start..<place)
            case UInt8(ascii: "["):
                if let isOpen = skipLong() {
                    return Word(kind: .string(isOpen: isOpen), range: start..<place)
                }
                place += 1
                return Word(kind: .sign, range: start..<place)
            case let byte:
                place += 1
                let pairs = ["::", "==", "~=", "<=", ">=", "//", "<<", ">>"]
                if pairs.contains(String(decoding: [byte, self.byte()], as: UTF8.self)) { place += 1 }
                return Word(kind: .sign, range: start..<place)
            }
        }
        return nil
    }

    private mutating func skipNumber() {
        var former: UInt8 = 0
        while Self.isInName(byte()) || byte() == UInt8(ascii: ".")
            || [43, 45].contains(byte()) && [69, 80, 101, 112].contains(former)
        {
            former = byte()
            place += 1
        }
    }

    /// Skips a string in quotes; true if its line ends first.
    private mutating func skipQuoted(_ quote: UInt8) -> Bool {
        place += 1
        while place < text.count {
            switch byte() {
            case UInt8(ascii: "\\"): place = min(text.count, place + 2)
            case 10: return true
            case let found:
                place += 1
                if found == quote { return false }
            }
        }
        return true
    }

    /// Skips `[[ … ]]` and `[==[ … ]==]`; true if the end is missing, nil if there is no such thing here.
    private mutating func skipLong() -> Bool? {
        guard byte() == UInt8(ascii: "[") else { return nil }
        var level = 0
        while byte(1 + level) == UInt8(ascii: "=") { level += 1 }
        guard byte(1 + level) == UInt8(ascii: "[") else { return nil }
        place += level + 2
        while place < text.count {
            if byte() == UInt8(ascii: "]"), byte(1 + level) == UInt8(ascii: "]"),
                (0..<level).allSatisfy({ byte(1 + $0) == UInt8(ascii: "=") })
            {
                place += level + 2
                return false
            }
            place += 1
        }
        return true
    }

    private static func beginsName(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"):
            true
        default: false
        }
    }

    private static func isInName(_ byte: UInt8) -> Bool { beginsName(byte) || (48...57).contains(byte) }

    /// Lua's keywords.
    static let keywords: Set<String> = [
        "and", "break", "do", "else", "elseif", "end", "false", "for", "function", "goto", "if", "in",
        "local",
        "nil", "not", "or", "repeat", "return", "then", "true", "until", "while",
    ]
}
