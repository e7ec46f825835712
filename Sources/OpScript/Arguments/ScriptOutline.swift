/// The use that the text of a script makes of its arguments, without running it.
///
/// It is a guess: the names of tasks that a script computes are not in it. Where the guess decides something, the
/// manual's page about arguments says so.
package struct ScriptOutline {
    /// Names with their help, if the script has them as plain strings.
    package struct Entry: Equatable {
        package var names: [String]
        package var help: String
    }

    /// Whether it reads `arg`, the `...` of the main chunk, or calls `arguments` or `task`.
    package var readsArguments: Bool { readsNames || readsDots }
    /// The same without `...`, which is something else in a module.
    private(set) var readsNames = false
    private var readsDots = false
    /// Whether it calls `arguments` or `task`, and therefore answers `--help`.
    package private(set) var declaresArguments = false
    /// Whether it calls `task`.
    package private(set) var declaresTasks = false
    /// Its tasks.
    package private(set) var tasks: [Entry] = []
    /// Its options.
    package private(set) var options: [Entry] = []

    /// Reads the text of a main chunk, or of several that are one script.
    package init(_ texts: [[UInt8]]) {
        for text in texts { read(text) }
    }

    private mutating func read(_ text: [UInt8]) {
        let names = FreeNames(text).uses.compactMap { use in
            ["_G", "_ENV", "opscript"].contains(use.name)
                ? use.path.first ?? (use.name == "_G" ? "arg" : nil) : use.name
        }
        let callsTask = names.contains("task")
        let callsArguments = names.contains("arguments")
        declaresTasks = declaresTasks || callsTask
        declaresArguments = declaresArguments || callsTask || callsArguments
        readsNames = readsNames || callsTask || callsArguments || names.contains("arg")
        let source = LuaTokens(text)
        readsDots = readsDots || Self.readsDots(source)
        for (place, token) in source.tokens.enumerated() {
            switch token {
            case .word("task") where callsTask: readTask(source, place + 1)
            case .word("arguments") where callsArguments: readOptions(source, place + 1)
            default: break
            }
        }
    }

    /// Whether `...` is in the main chunk, outside of its functions.
    private static func readsDots(_ source: LuaTokens) -> Bool {
        /// For each block that has not ended, whether it is a function.
        var blocks: [Bool] = []
        for token in source.tokens {
            switch token {
            case .word("function"): blocks.append(true)
            case .word("if"), .word("do"), .word("repeat"): blocks.append(false)
            case .word("end"), .word("until"): _ = blocks.popLast()
            case .dots where !blocks.contains(true): return true
            default: break
            }
        }
        return false
    }

    /// Reads `("build", "Builds it.", …`.
    private mutating func readTask(_ source: LuaTokens, _ start: Int) {
        let tokens = source.tokens.dropFirst(start).prefix(4)
        guard tokens.count == 4, tokens[start] == .sign("("), case .text(let name) = tokens[start + 1],
            tokens[start + 2] == .sign(","), case .text(let help) = tokens[start + 3]
        else { return }
        tasks.append(Entry(names: [source.contents(name)], help: source.contents(help)))
    }

    /// Reads `{ { "--jobs", "-j", help = "…" }, … }`.
    private mutating func readOptions(_ source: LuaTokens, _ start: Int) {
        let tokens = source.tokens
        var depth = 0
        var entry = Entry(names: [], help: "")
        for place in start..<tokens.count {
            switch tokens[place] {
            case .sign("{"):
                depth += 1
                if depth == 2 { entry = Entry(names: [], help: "") }
            case .sign("}"):
                if depth == 2, !entry.names.isEmpty { options.append(entry) }
                depth -= 1
                if depth == 0 { return }
            case .text(let range) where depth == 2:
                let text = source.contents(range)
                if tokens[place - 1] == .sign("=") {
                    if tokens[place - 2] == .word("help") { entry.help = text }
                } else if text.hasPrefix("-") {
                    entry.names.append(text)
                }
            default: break
            }
        }
    }
}
