/// The global names that a Lua source text reads and sets, found without running it.
///
/// Follows the scopes of section 3.5 of Lua's manual. The text has to compile, since this parser refuses
/// nothing. Below a local `_ENV`, names are not globals and are left out.
struct FreeNames {
    /// A global that is read.
    struct Use: Equatable {
        let name: String
        /// The names that follow it with dots: `work.image.read` has `image` and `read`.
        let path: [String]
        let line: Int
    }

    /// In the order of the text.
    private(set) var uses: [Use] = []
    /// The names that the text sets, at any place.
    private(set) var assigned: Set<String> = []

    private let source: LuaTokens
    private var place = 0
    /// The local names of the blocks and functions around the current place, the innermost last.
    private var scopes: [Set<String>] = []

    init(_ text: [UInt8]) {
        source = LuaTokens(text)
        block()
    }

    // MARK: Tokens

    private typealias Token = LuaTokens.Token

    private var token: Token { source.tokens[min(place, source.tokens.count - 1)] }

    private func isWord(_ word: String) -> Bool { token == .word(word) }

    private func isSign(_ sign: Character) -> Bool { token == .sign(sign) }

    private mutating func take(word: String) -> Bool {
        guard isWord(word) else { return false }
        place += 1
        return true
    }

    private mutating func take(sign: Character) -> Bool {
        guard isSign(sign) else { return false }
        place += 1
        return true
    }

    private mutating func takeName() -> String? {
        guard case .word(let name) = token, !Self.keywords.contains(name) else { return nil }
        place += 1
        return name
    }

    private static let keywords: Set<String> = [
        "and", "break", "do", "else", "elseif", "end", "false", "for", "function", "goto", "if", "in",
        "local",
        "nil", "not", "or", "repeat", "return", "then", "true", "until", "while",
    ]

    // MARK: Scopes

    private func isLocal(_ name: String) -> Bool {
        scopes.contains { $0.contains(name) || $0.contains("_ENV") }
    }

    private mutating func declare(_ names: [String]) {
        for name in names { scopes[scopes.count - 1].insert(name) }
    }

    private mutating func block(declaring names: [String] = []) {
        scopes.append(Set(names))
        statements()
        scopes.removeLast()
    }

    // MARK: Statements

    private mutating func statements() {
        while true {
            let start = place
            switch token {
            case .end, .word("end"), .word("else"), .word("elseif"), .word("until"): return
            default: statement()
            }
            // A text that does not compile must not end in a loop.
            if place == start { place += 1 }
        }
    }

    private mutating func statement() {
        if take(word: "local") { return local() }
        if take(word: "function") { return function() }
        if take(word: "for") { return loop() }
        if take(word: "do") {
            block()
            _ = take(word: "end")
        } else if take(word: "while") {
            expression()
            _ = take(word: "do")
            block()
            _ = take(word: "end")
        } else if take(word: "repeat") {
            // The condition sees the locals of the block.
            scopes.append([])
            statements()
            _ = take(word: "until")
            expression()
            scopes.removeLast()
        } else if take(word: "if") {
            branches()
        } else if take(word: "return") {
            expressions()
            _ = take(sign: ";")
        } else if take(word: "goto") {
            _ = takeName()
        } else if take(sign: "@") {
            _ = takeName()
            _ = take(sign: "@")
        } else if !take(word: "break"), !take(sign: ";") {
            assignmentOrCall()
        }
    }

    private mutating func local() {
        if take(word: "function") {
            if let name = takeName() { declare([name]) }
            return body()
        }
        var names: [String] = []
        repeat {
            if let name = takeName() { names.append(name) }
            if take(sign: "<") {
                _ = takeName()
                _ = take(sign: ">")
            }
        } while take(sign: ",")
        if take(sign: "=") { expressions() }
        declare(names)
    }

    private mutating func function() {
        let line = source.lines[place]
        guard let name = takeName() else { return }
        if !isSign("."), !isSign(":") {
            if !isLocal(name) { assigned.insert(name) }
            return body()
        }
        var isMethod = false
        var path: [String] = []
        while isSign(".") || isSign(":") {
            isMethod = isSign(":")
            place += 1
            if let field = takeName() { path.append(field) }
        }
        use(name, Array(path.dropLast()), line)
        body(declaring: isMethod ? ["self"] : [])
    }

    private mutating func loop() {
        var names: [String] = []
        repeat {
            if let name = takeName() { names.append(name) }
        } while take(sign: ",")
        _ = take(sign: "=") || take(word: "in")
        expressions()
        _ = take(word: "do")
        block(declaring: names)
        _ = take(word: "end")
    }

    private mutating func branches() {
        repeat {
            expression()
            _ = take(word: "then")
            block()
        } while take(word: "elseif")
        if take(word: "else") { block() }
        _ = take(word: "end")
    }

    private mutating func assignmentOrCall() {
        // The left side of an assignment is known only when its `=` comes.
        let before = uses.count
        var plain: [String] = []
        repeat {
            let start = place
            let count = uses.count
            suffixed()
            if place == start + 1, uses.count == count + 1 { plain.append(uses[count].name) }
        } while take(sign: ",")
        guard take(sign: "=") else { return }
        for name in plain {
            assigned.insert(name)
            if let index = uses[before...].firstIndex(where: { $0.name == name && $0.path.isEmpty }) {
                uses.remove(at: index)
            }
        }
        expressions()
    }

    // MARK: Expressions

    private mutating func expressions() {
        guard startsExpression else { return }
        repeat { expression() } while take(sign: ",")
    }

    private var startsExpression: Bool {
        switch token {
        case .literal, .dots, .text: true
        case .word(let word):
            !Self.keywords.contains(word) || ["nil", "true", "false", "not", "function"].contains(word)
        case .sign(let sign): "{(-#~".contains(sign)
        case .end: false
        }
    }

    private mutating func expression() {
        while true {
            while isWord("not") || isSign("-") || isSign("#") || isSign("~") { place += 1 }
            operand()
            guard isBinary else { return }
            place += 1
            // `//`, `<<` and `>>` are two signs each.
            if isSign("/") || isSign("<") || isSign(">") { place += 1 }
        }
    }

    private var isBinary: Bool {
        switch token {
        case .word("and"), .word("or"): true
        case .sign(let sign): "+-*/%^&|~<>?".contains(sign)
        default: false
        }
    }

    private mutating func operand() {
        switch token {
        case .literal, .dots, .text, .word("nil"), .word("true"), .word("false"):
            place += 1
        case .word("function"):
            place += 1
            body()
        case .sign("{"): table()
        default: suffixed()
        }
    }

    /// A name or an expression in parentheses, with calls, fields and indices behind it.
    private mutating func suffixed() {
        let line = source.lines[min(place, source.lines.count - 1)]
        var name: String?
        if take(sign: "(") {
            expression()
            _ = take(sign: ")")
        } else {
            name = takeName()
        }
        var path: [String] = []
        while name != nil, isSign("."),
            case .word(let field) = source.tokens[min(place + 1, source.tokens.count - 1)]
        {
            path.append(field)
            place += 2
        }
        if let name { use(name, path, line) }
        while true {
            switch token {
            case .sign("."), .sign(":"):
                place += 1
                _ = takeName()
            case .sign("["):
                place += 1
                expression()
                _ = take(sign: "]")
            case .sign("("):
                place += 1
                expressions()
                _ = take(sign: ")")
            case .sign("{"): table()
            case .text: place += 1
            default: return
            }
        }
    }

    private mutating func table() {
        _ = take(sign: "{")
        while !isSign("}"), token != .end {
            let start = place
            if take(sign: "[") {
                expression()
                _ = take(sign: "]")
                _ = take(sign: "=")
            } else if case .word = token, source.tokens[min(place + 1, source.tokens.count - 1)] == .sign("=")
            {
                place += 2
            }
            expression()
            _ = take(sign: ",") || take(sign: ";")
            if place == start { place += 1 }
        }
        _ = take(sign: "}")
    }

    /// Parameters and block of a function.
    private mutating func body(declaring names: [String] = []) {
        var names = names
        _ = take(sign: "(")
        while !isSign(")"), token != .end {
            if let name = takeName() { names.append(name) } else { place += 1 }
        }
        _ = take(sign: ")")
        block(declaring: names)
        _ = take(word: "end")
    }

    private mutating func use(_ name: String, _ path: [String], _ line: Int) {
        guard !isLocal(name), name != "_ENV" else { return }
        uses.append(Use(name: name, path: path, line: line))
    }
}
