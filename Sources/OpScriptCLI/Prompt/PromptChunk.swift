/// A piece of Lua that a person has typed, and the variables at its top level that later pieces have to see.
///
/// Pure. The text is known to compile.
struct PromptChunk: Equatable {
    /// The text.
    let text: [UInt8]
    /// All names in it, each once.
    private(set) var names: [String] = []
    /// The variables that it declares with `local` outside of any block, in order.
    private(set) var locals: [String] = []
    /// The place where all of them are in scope: the end, or a `return` at the top level.
    private(set) var end: Int

    init(_ text: [UInt8]) {
        self.text = text
        end = text.count
        let words = LuaWords(text)
        names = Set(words.words.filter { $0.kind == .name }.map(words.text)).sorted()
        findLocals(words)
    }

    private mutating func findLocals(_ words: LuaWords) {
        var depth = 0
        var place = 0
        let texts = words.words.map(words.text)
        /// `for` and `while` have a `do` of their own.
        var awaitsDo = 0
        while place < texts.count {
            let isName = words.words[place].kind == .name
            let word = texts[place]
            place += 1
            guard isName || words.words[place - 1].kind == .sign else { continue }
            switch word {
            case "function", "if", "repeat", "(", "{", "[": depth += 1
            case "for", "while":
                depth += 1
                awaitsDo += 1
            case "do":
                if awaitsDo > 0 { awaitsDo -= 1 } else { depth += 1 }
            case "end", "until", ")", "}", "]": depth -= 1
            case "return" where depth == 0:
                end = words.words[place - 1].range.lowerBound
                return
            case "local" where depth == 0:
                place = readNames(texts, from: place)
            default: break
            }
        }
    }

    /// Reads the names of a declaration, and returns the place behind them.
    private mutating func readNames(_ texts: [String], from start: Int) -> Int {
        var place = start
        func word() -> String? { place < texts.count ? texts[place] : nil }
        if word() == "function" {
            if place + 1 < texts.count { add(texts[place + 1]) }
            return place
        }
        while let name = word() {
            place += 1
            var isClosed = false
            if word() == "<" {
                isClosed = place + 1 < texts.count && texts[place + 1] == "close"
                place += 3
            }
            // A variable that is closed at the end of its piece has no value later.
            if !isClosed { add(name) }
            guard word() == "," else { return place }
            place += 1
        }
        return place
    }

    private mutating func add(_ name: String) {
        // Another environment counts for its piece alone.
        if name != "_ENV", !locals.contains(name) { locals.append(name) }
    }
}
