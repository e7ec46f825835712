/// The names to which the word before the cursor can be completed.
///
/// Pure: it is found in the text alone, which may be unfinished.
struct CompletionPlace: Equatable {
    /// The sort of names that fit.
    enum Subject: Equatable {
        /// A global, a local variable or a keyword.
        case variable
        /// A member of the value at a path: `work.file`, `queue`. Behind a colon only methods fit.
        case member(path: [String], isMethod: Bool)
        /// An option in the table that a call takes, or a variable: the path of the call.
        case option(call: [String], isMethod: Bool)
        /// A path in the file system.
        case file
        case nothing
    }

    var subject: Subject
    /// The part of the name that is there.
    var prefix: String

    /// Looks at the text up to the cursor.
    init(_ text: [UInt8]) {
        let words = LuaWords(text)
        var list = words.words[...]
        subject = .variable
        prefix = ""
        guard let last = list.last else { return }
        if case .string(isOpen: true) = last.kind {
            subject = .file
            prefix = String(decoding: text[last.range].dropFirst(), as: UTF8.self)
            return
        }
        if last.kind == .openComment || Self.isInComment(text, behind: last) {
            subject = .nothing
            return
        }
        if last.range.upperBound == text.count {
            if last.kind == .name {
                prefix = words.text(of: last)
                list.removeLast()
            } else if last.kind == .number {
                subject = .nothing
                return
            }
        }
        guard let sign = list.last, sign.kind == .sign else { return }
        switch words.text(of: sign) {
        case ".", ":":
            let isMethod = words.text(of: sign) == ":"
            if let path = Self.path(words, list.dropLast()) {
                subject = .member(path: path, isMethod: isMethod)
            } else {
                subject = .nothing
            }
        case "..", "...": break
        default:
            if let (call, isMethod) = Self.call(around: list, words) {
                subject = .option(call: call, isMethod: isMethod)
            }
        }
    }

    /// Whether the end of the text belongs to a comment of one line.
    private static func isInComment(_ text: [UInt8], behind word: LuaWords.Word) -> Bool {
        let rest = text[word.range.upperBound...]
        guard let line = rest.split(separator: 10, omittingEmptySubsequences: false).last else {
            return false
        }
        return line.drop { $0 == 32 || $0 == 9 }.starts(with: Array("--".utf8))
    }

    /// The names of `a.b.c` at the end of a list; nil if something else is there, such as a call.
    private static func path(
        _ words: LuaWords,
        _ list: ArraySlice<LuaWords.Word>,
        isCallee: Bool = false
    ) -> [String]? {
        var list = list
        var names: [String] = []
        while let name = list.popLast() {
            if case .string(isOpen: false) = name.kind, names.isEmpty { return ["\"\""] }
            guard name.kind == .name else { return nil }
            let text = words.text(of: name)
            if LuaWords.keywords.contains(text) { return nil }
            names.insert(text, at: 0)
            guard let sign = list.last, sign.kind == .sign else { return names }
            // The result of a call is not known.
            if words.text(of: sign) == ":", !isCallee { return nil }
            if words.text(of: sign) != "." { return names }
            list.removeLast()
        }
        return nil
    }

    /// The call whose table of options contains the end of the list, if the next word may be the name of an option.
    private static func call(
        around list: ArraySlice<LuaWords.Word>,
        _ words: LuaWords
    ) -> (path: [String], isMethod: Bool)? {
        guard let last = list.last, ["{", ",", ";"].contains(words.text(of: last)) else { return nil }
        var depth = 0
        var isInTable = false
        for place in list.indices.reversed() where list[place].kind == .sign || list[place].kind == .name {
            switch words.text(of: list[place]) {
            case ")", "}", "]", "end": depth += 1
            case "function", "do", "then": depth -= 1
            case "{", "(", "[":
                depth -= 1
                guard depth < 0 else { continue }
                let sign = words.text(of: list[place])
                if sign == "{" {
                    if isInTable { return nil }
                    isInTable = true
                } else if sign != "(" || !isInTable {
                    return nil
                }
                depth = 0
                if let found = callee(words, list[..<place]) { return found }
                if sign == "(" { return nil }
            default: break
            }
            if depth < 0 { return nil }
        }
        return nil
    }

    private static func callee(
        _ words: LuaWords,
        _ list: ArraySlice<LuaWords.Word>
    ) -> (path: [String], isMethod: Bool)? {
        guard let name = list.last, name.kind == .name, var path = path(words, list, isCallee: true) else {
            return nil
        }
        let before = list.dropLast(2 * path.count - 1)
        guard path.count == 1, let colon = before.last, words.text(of: colon) == ":" else {
            return (path, false)
        }
        path = (Self.path(words, before.dropLast()) ?? ["?"]) + path
        return (path, true)
    }
}
