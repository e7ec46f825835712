/// All arguments that a script declares, checked against each other.
struct ArgumentSet: Equatable {
    /// A mistake in the declarations; the sentence names the argument and the remedy.
    struct Mistake: Error, Equatable {
        var message: String
    }

    /// The usage that the script gives; nil for the one that follows from the declarations.
    var usage: String?
    /// The sentences above the arguments in the help.
    var help: String?
    private(set) var all: [ArgumentDeclaration] = []

    var options: [ArgumentDeclaration] { all.filter(\.isOption) }
    var positionals: [ArgumentDeclaration] { all.filter { !$0.isOption } }

    /// Whether `-h` asks for help; a script may use it for something else.
    var helpIsShort: Bool { option(named: "-h") == nil }

    /// The option of a name.
    func option(named name: String) -> ArgumentDeclaration? {
        all.first { $0.isOption && $0.names.contains(name) }
    }

    /// The flag that `--no-NAME` turns off.
    func flag(turnedOffBy name: String) -> ArgumentDeclaration? {
        guard name.hasPrefix("--no-") else { return nil }
        return option(named: "--" + name.dropFirst(5)).flatMap { $0.isFlag ? $0 : nil }
    }

    /// Adds an argument.
    mutating func add(_ new: ArgumentDeclaration) throws(Mistake) {
        let first = new.names[0]
        for name in new.names {
            guard name.hasPrefix("-") == first.hasPrefix("-") else {
                throw Mistake(
                    message:
                        "'\(first)' and '\(name)' cannot be one argument: all names of an option begin with '-'"
                )
            }
            if let problem = Self.problem(of: name) { throw Mistake(message: problem) }
            if all.contains(where: { $0.names.contains(name) }) || new.names.filter({ $0 == name }).count > 1
            {
                throw Mistake(message: "'\(name)' is declared twice: remove one")
            }
        }
        if !new.isOption, new.names.count > 1 {
            throw Mistake(
                message:
                    "'\(first)' has several names: a positional argument has one, and those of an option begin with '-'"
            )
        }
        if let other = all.first(where: {
            !Set([$0.key] + $0.otherKeys).isDisjoint(with: [new.key] + new.otherKeys)
        }) {
            throw Mistake(
                message:
                    "'\(other.names[0])' and '\(first)' would both be the field '\(new.key)' of the options: rename one"
            )
        }
        if new.isMany, new.isFlag {
            throw Mistake(
                message:
                    "'\(first)' is a boolean with 'many': a flag has one value, so remove 'many' or give another 'type'"
            )
        }
        if new.isRequired, new.initial != nil {
            throw Mistake(message: "'\(first)' has both 'required' and 'default': remove one")
        }
        if new.isRequired, new.isFlag {
            throw Mistake(
                message:
                    "'\(first)' is a boolean with 'required': a flag that is not given is false, so remove 'required'"
            )
        }
        if new.isMany, !new.isOption, let other = positionals.first(where: \.isMany) {
            throw Mistake(
                message:
                    "'\(other.names[0])' and '\(first)' have both 'many': only one positional argument takes the rest"
            )
        }
        all.append(new)
    }

    private static func problem(of name: String) -> String? {
        if name == "--help" { return "'--help' is answered by 'arguments' itself: remove it" }
        let dashes = name.prefix { $0 == "-" }.count
        let bare = name.dropFirst(dashes)
        if bare.isEmpty || dashes > 2 {
            return "'\(name)' is no name of an argument: write '--name', '-n' or 'name'"
        }
        if dashes == 1, bare.unicodeScalars.count > 1 {
            return "'\(name)' has one dash and several letters: write '--\(bare)', or one letter"
        }
        if let other = bare.unicodeScalars.first(where: { !isAllowed($0) }) {
            return "'\(name)' has the character '\(other)': a name consists of letters, digits, '-' and '_'"
        }
        return nil
    }

    private static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
        scalar == "-" || scalar == "_" || scalar.properties.isAlphabetic || ("0"..."9").contains(scalar)
            || scalar == "?"
    }
}
