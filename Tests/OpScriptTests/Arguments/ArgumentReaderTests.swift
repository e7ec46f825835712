import Testing

@testable import OpScript

/// The words of a command line, read by declarations.
@Suite struct ArgumentReaderTests {
    private func read(_ words: String, _ set: ArgumentSet, takesTasks: Bool = false) -> ArgumentReader.Outcome
    {
        let words = words.split(separator: " ").map { Array($0.utf8) }
        return ArgumentReader.read(words, by: set, takesTasks: takesTasks)
    }

    private func declared(_ declarations: ArgumentDeclaration...) throws -> ArgumentSet {
        var set = ArgumentSet()
        for declaration in declarations { try set.add(declaration) }
        return set
    }

    private func text(_ text: String) -> ArgumentDeclaration.Value { .text(Array(text.utf8)) }

    @Test(arguments: ["--jobs 4", "--jobs=4", "-j 4", "-j4", "-j=4", "-vj4", "--jobs 9 -j 4"])
    func `an option and its value are written in several ways`(_ words: String) throws {
        let set = try declared(
            ArgumentDeclaration(names: ["--jobs", "-j"], kind: .integer),
            ArgumentDeclaration(names: ["-v"], kind: .boolean)
        )
        guard case .values(let values, _) = read(words, set) else {
            Issue.record("\(words) was refused")
            return
        }
        #expect(values["jobs"] == [.integer(4)])
    }

    @Test func `words in the middle leave the required ones at the end to others`() throws {
        let set = try declared(
            ArgumentDeclaration(names: ["from"], isMany: true),
            ArgumentDeclaration(names: ["to"], isRequired: true)
        )
        #expect(
            read("a b c", set) == .values(["from": [text("a"), text("b")], "to": [text("c")]], tasks: [])
        )
        #expect(read("c", set) == .values(["to": [text("c")]], tasks: []))
        #expect(read("", set) == .wrong("<to> is missing"))
    }

    @Test func `negative numbers are values where numbers are expected`() throws {
        let number = try declared(ArgumentDeclaration(names: ["n"], kind: .integer))
        #expect(read("-3", number) == .values(["n": [.integer(-3)]], tasks: []))
        let word = try declared(ArgumentDeclaration(names: ["word"]))
        #expect(read("-3", word) == .wrong("there is no option '-3'", option: "-3"))
        #expect(read("-- -3", word) == .values(["word": [text("-3")]], tasks: []))
        #expect(read("-", word) == .values(["word": [text("-")]], tasks: []))
    }

    @Test(arguments: ["--help", "-h", "--nothing --help", "x --help y", "-qh"])
    func `help comes before complaints`(_ words: String) throws {
        #expect(read(words, try declared(ArgumentDeclaration(names: ["-q"], kind: .boolean))) == .help)
    }

    @Test func `a script may use -h for something else`() throws {
        let set = try declared(ArgumentDeclaration(names: ["-h"], kind: .integer))
        #expect(read("-h 3", set) == .values(["h": [.integer(3)]], tasks: []))
        #expect(!set.helpIsShort)
    }

    @Test func `without a positional argument all words are tasks, otherwise the first one is`() throws {
        #expect(read("a b", ArgumentSet(), takesTasks: true) == .values([:], tasks: ["a", "b"]))
        let set = try declared(ArgumentDeclaration(names: ["file"], isRequired: true))
        #expect(read("a b", set, takesTasks: true) == .values(["file": [text("b")]], tasks: ["a"]))
        #expect(read("a", set, takesTasks: true) == .wrong("<file> is missing"))
        #expect(read("", set, takesTasks: true) == .values([:], tasks: []))
    }

    @Test func `a word with one dash is compared with long names`() throws {
        let set = try declared(ArgumentDeclaration(names: ["--jobs", "-j"], kind: .integer))
        #expect(
            read("-jobs 3", set)
                == .wrong("there is no option '-jobs' (did you mean '--jobs'?)", option: "-jobs")
        )
        #expect(
            read("--jbos", set)
                == .wrong("there is no option '--jbos' (did you mean '--jobs'?)", option: "--jbos")
        )
    }

    @Test func `bytes that are not text are values`() throws {
        let set = try declared(ArgumentDeclaration(names: ["--name", "-n"]))
        for word in [Array("--name=".utf8) + [0xFF], Array("-n".utf8) + [0xFF]] {
            #expect(
                ArgumentReader.read([word], by: set) == .values(["name": [.text([0xFF])]], tasks: [])
            )
        }
    }
}
