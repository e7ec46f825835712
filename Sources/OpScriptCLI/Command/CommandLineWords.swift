/// The words of a command line, divided into the command's own words and those of the script.
///
/// As with `lua`, options come before the script; all words after it belong to the script, even if they look
/// like options.
struct CommandLineWords: Equatable {
    /// The name under which the command was called.
    var program: String
    /// The options with their values, as they were written, without a closing `--`.
    var options: [String] = []
    /// The script's path, `-` for standard input, or nil if none was named.
    var script: String?
    /// Whether standard input was named as the script: `-`, but not behind `--`, where that is the name of a file.
    var namesStandardInput = false
    /// The options that run code or change the run from their place on, in order.
    var pieces: [StartPiece] = []
    /// The arguments of the script.
    var scriptArguments: [String] = []
    /// All words before the script, which it sees as `arg[-1]` and below.
    var interpreter: [String]

    /// The long options that take the next word as their value.
    private static let longWithValue: Set<String> = [
        "--jobs", "--timeout", "--seed", "--trace", "--explore", "--iterations", "--depth", "--replay",
        "--max-steps", "--max-time", "--report", "--progress",
        "--longest-first", "--virtual-start", "--time-zone", "--max-failures", "--output", "--redact",
        "--journal", "--again", "--resolve", "--on", "--share",
    ]
    /// The short options that take the rest of their word, or the next word, as their value.
    private static let shortWithValue: Set<Character> = ["e", "j", "l"]

    /// Divides the words of a command line; the first one is the program.
    init(_ words: [String]) {
        program = words.first ?? "opscript"
        var index = 1
        var isClosed = false
        while index < words.count, words[index].hasPrefix("-"), words[index] != "-" {
            let word = words[index]
            index += 1
            isClosed = word == "--"
            if isClosed { break }
            var option = Self.joinedShortOption(word) ?? [word]
            if option.count == 1, index < words.count,
                Self.takesNextWord(word)
                    || Self.takes(words[index], after: word, before: words.dropFirst(index + 1).first)
            {
                option.append(words[index])
                index += 1
            }
            options += option
            if let piece = StartPiece(option: option[0], value: option.dropFirst().first) {
                pieces.append(piece)
            }
        }
        interpreter = Array(words.prefix(index))
        if interpreter.isEmpty { interpreter = [program] }
        if index < words.count {
            script = words[index]
            namesStandardInput = words[index] == "-" && !isClosed
            scriptArguments = Array(words.dropFirst(index + 1))
        }
    }

    /// Whether an option that may have a value takes this word as its value; otherwise the word is the script.
    private static func takes(_ word: String, after option: String, before next: String?) -> Bool {
        switch option {
        case "--dashboard": DashboardAddress.isMeant(by: word)
        case "--explain": JournalOptions.isName(word, before: next)
        default: false
        }
    }

    private static func takesNextWord(_ option: String) -> Bool {
        if option.hasPrefix("--") { return longWithValue.contains(option) }
        return option.count == 2 && option.last.map(shortWithValue.contains) == true
    }

    /// `-ePRINT`, `-j4` and `-lmodule` as two words each; nil for everything else.
    private static func joinedShortOption(_ word: String) -> [String]? {
        guard !word.hasPrefix("--"), word.count > 2 else { return nil }
        let letter = word[word.index(after: word.startIndex)]
        guard shortWithValue.contains(letter) else { return nil }
        return ["-\(letter)", String(word.dropFirst(2))]
    }
}
