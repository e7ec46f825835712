#if Journal
/// The dependency file that a compiler writes: rules of Make, without commands.
enum Depfile {
    /// The files on which the targets depend, each once; nil if it is not such a file.
    static func dependencies(_ bytes: [UInt8]) -> [String]? {
        var words: [String] = []
        var seen: Set<String> = []
        var word: [UInt8] = []
        var isBehindColon = false
        var hasRule = false
        func endWord() {
            guard !word.isEmpty else { return }
            let text = String(decoding: word, as: UTF8.self)
            if isBehindColon, seen.insert(text).inserted { words.append(text) }
            word = []
        }
        var place = 0
        while place < bytes.count {
            let byte = bytes[place]
            let next = place + 1 < bytes.count ? bytes[place + 1] : 0
            switch byte {
            case 0: return nil
            case UInt8(ascii: "\\"):
                // The last one before a space, a number sign or a colon stands for that character. Before a space,
                // two of the others stand for one. Elsewhere each is itself.
                var count = 1
                while place + count < bytes.count, bytes[place + count] == byte { count += 1 }
                let behind = place + count < bytes.count ? bytes[place + count] : 0
                let isSpace = behind == UInt8(ascii: " ") || behind == UInt8(ascii: "\t")
                let escapes = isSpace ? count % 2 == 1 : "#:".utf8.contains(behind)
                let endsLine = count % 2 == 1 && behind == UInt8(ascii: "\n")
                let kept = escapes && isSpace ? count / 2 : escapes || endsLine ? count - 1 : count
                word += [UInt8](repeating: byte, count: kept)
                if escapes { word.append(behind) }
                if endsLine { endWord() }
                // On the last byte that was read.
                place += escapes || endsLine ? count : count - 1
            case UInt8(ascii: "$") where next == UInt8(ascii: "$"):
                word.append(byte)
                place += 1
            case UInt8(ascii: "\n"):
                if !isBehindColon, !word.isEmpty { return nil }
                endWord()
                isBehindColon = false
            case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"): endWord()
            case UInt8(ascii: ":") where !isBehindColon && (next == 0 || " \t\n\r\\".utf8.contains(next)):
                endWord()
                isBehindColon = true
                hasRule = true
            default: word.append(byte)
            }
            place += 1
        }
        endWord()
        return hasRule ? words : nil
    }
}
#endif
