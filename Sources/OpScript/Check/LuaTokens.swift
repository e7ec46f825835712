/// The words of a Lua source text that compiles, for ``FreeNames`` and ``ScriptOutline``.
///
/// Follows section 3.1 of Lua's manual. Comments are left out.
struct LuaTokens {
    enum Token: Equatable {
        /// A name or a keyword.
        case word(String)
        /// A number.
        case literal
        /// `...`
        case dots
        /// A string, which may be the argument of a call: the place of its contents, without quotes.
        case text(Range<Int>)
        /// One character of an operator. `?` represents `==`, `~=`, `<=`, `>=` and `..`, `@` for `::`.
        case sign(Character)
        case end
    }

    private(set) var tokens: [Token] = []
    /// The line of each token, from 1.
    private(set) var lines: [Int] = []
    private let text: [UInt8]
    private var place = 0
    private var line = 1

    init(_ text: [UInt8]) {
        self.text = text
        skipFirstLine()
        while let token = next() {
            tokens.append(token.0)
            lines.append(token.1)
        }
        tokens.append(.end)
        lines.append(line)
    }

    private func byte(_ offset: Int = 0) -> UInt8? {
        place + offset < text.count ? text[place + offset] : nil
    }

    private func character(_ offset: Int = 0) -> Character? {
        byte(offset).map { Character(UnicodeScalar($0)) }
    }

    /// A byte order mark, and a first line that starts with `#`.
    private mutating func skipFirstLine() {
        if text.starts(with: [0xef, 0xbb, 0xbf]) { place = 3 }
        if character() == "#" { skipLine() }
    }

    private mutating func skipLine() {
        while let found = byte(), found != 10 { place += 1 }
    }

    private mutating func next() -> (Token, Int)? {
        while let found = character() {
            switch found {
            case "\n":
                line += 1
                place += 1
            case "-" where character(1) == "-":
                place += 2
                if skipLong() == nil { skipLine() }
            case "\"", "'":
                let start = line
                let first = place + 1
                skipQuoted(found)
                return (.text(first..<max(first, min(place - 1, text.count))), start)
            case "[":
                let start = line
                if let contents = skipLong() { return (.text(contents), start) }
                place += 1
                return (.sign("["), line)
            default:
                if found.isWhitespace || found == "\u{b}" || found == "\u{c}" {
                    place += 1
                } else if found.isLetter || found == "_" {
                    return (word(), line)
                } else if found.isNumber || found == "." && character(1)?.isNumber == true {
                    skipNumber()
                    return (.literal, line)
                } else {
                    return (sign(found), line)
                }
            }
        }
        return nil
    }

    private mutating func word() -> Token {
        let start = place
        while let found = character(), found.isASCII, found.isLetter || found.isNumber || found == "_" {
            place += 1
        }
        // A letter that is not ASCII is no part of a name; such a text does not compile.
        if place == start { place += 1 }
        return .word(String(decoding: text[start..<place], as: UTF8.self))
    }

    private mutating func skipNumber() {
        let isHexadecimal = character() == "0" && (character(1) == "x" || character(1) == "X")
        while let found = character() {
            let isExponent = isHexadecimal ? "pP".contains(found) : "eE".contains(found)
            if isExponent, character(1) == "+" || character(1) == "-" {
                place += 2
            } else if found.isLetter || found.isNumber || found == "." {
                place += 1
            } else {
                return
            }
        }
    }

    /// Operators that contain `=` and `.` are one token, so that these two characters represent themselves.
    private mutating func sign(_ first: Character) -> Token {
        place += 1
        switch first {
        case "." where character() == ".":
            place += 1
            guard character() == "." else { return .sign("?") }
            place += 1
            return .dots
        case "=", "~", "<", ">":
            guard character() == "=" else { return .sign(first) }
            place += 1
            return .sign("?")
        case ":" where character() == ":":
            place += 1
            return .sign("@")
        default: return .sign(first)
        }
    }

    private mutating func skipQuoted(_ quote: Character) {
        place += 1
        while let found = character(), found != quote {
            if found == "\\" { place += 1 }
            if character() == "\n" { line += 1 }
            place += 1
        }
        place += 1
    }

    /// Skips `[[…]]` or `[==[…]==]` if there is one, and returns the place of its contents.
    private mutating func skipLong() -> Range<Int>? {
        guard character() == "[" else { return nil }
        var level = 0
        while character(1 + level) == "=" { level += 1 }
        guard character(1 + level) == "[" else { return nil }
        place += 2 + level
        let start = place
        while let found = character() {
            if found == "\n" { line += 1 }
            if found == "]", character(1 + level) == "]", (1..<1 + level).allSatisfy({ character($0) == "=" })
            {
                defer { place += 2 + level }
                return start..<place
            }
            place += 1
        }
        return start..<place
    }

    /// The contents of a string as a script would print them; escape sequences other than the commonest stay.
    func contents(_ range: Range<Int>) -> String {
        var bytes: [UInt8] = []
        var rest = text[range]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "\\"), let escaped = rest.popFirst() else {
                bytes.append(byte)
                continue
            }
            switch escaped {
            case UInt8(ascii: "n"): bytes.append(UInt8(ascii: "\n"))
            case UInt8(ascii: "t"): bytes.append(UInt8(ascii: "\t"))
            case UInt8(ascii: "\\"), UInt8(ascii: "\""), UInt8(ascii: "'"): bytes.append(escaped)
            default: bytes += [byte, escaped]
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
