/// Patterns of Lua, as `string.find` reads them.
package enum LuaPattern {
    /// The pattern that matches exactly this text.
    package static func quoted(_ text: String) -> String {
        String(text.flatMap { $0.isLetter || $0.isNumber || !$0.isASCII ? [$0] : ["%", $0] })
    }

    /// The fault in a pattern; nil if it is valid.
    package static func problem(in pattern: String) -> String? {
        var bytes = Array(pattern.utf8)[...]
        if bytes.first == UInt8(ascii: "^") { bytes.removeFirst() }
        var open = 0
        while let byte = bytes.popFirst() {
            switch byte {
            case UInt8(ascii: "("): open += 1
            case UInt8(ascii: ")"):
                open -= 1
                if open < 0 { return "')' without '('" }
            case UInt8(ascii: "["):
                if !endClass(&bytes) { return "'[' without ']'" }
            case UInt8(ascii: "%"):
                guard let next = bytes.popFirst() else { return "it ends with '%'" }
                if next == UInt8(ascii: "b"), bytes.count < 2 { return "'%b' needs two characters behind it" }
                if next == UInt8(ascii: "b") { bytes.removeFirst(2) }
                if next == UInt8(ascii: "f"), bytes.first != UInt8(ascii: "[") {
                    return "'%f' needs a '[' behind it"
                }
            default: break
            }
        }
        return open > 0 ? "'(' without ')'" : nil
    }

    /// Takes the rest of a class, behind its `[`.
    private static func endClass(_ bytes: inout ArraySlice<UInt8>) -> Bool {
        if bytes.first == UInt8(ascii: "^") { bytes.removeFirst() }
        var isFirst = true
        while let byte = bytes.popFirst() {
            if byte == UInt8(ascii: "]"), !isFirst { return true }
            if byte == UInt8(ascii: "%"), bytes.popFirst() == nil { return false }
            isFirst = false
        }
        return false
    }
}
