import Testing

@testable import OpScriptCLI

/// The choices for the word before the cursor.
@Suite struct CompletionTests {
    @Test(arguments: [
        ("", CompletionPlace.Subject.variable, ""),
        ("pri", .variable, "pri"),
        ("x = pri", .variable, "pri"),
        ("work.fi", .member(path: ["work"], isMethod: false), "fi"),
        ("print(a.b.", .member(path: ["a", "b"], isMethod: false), ""),
        ("queue:ad", .member(path: ["queue"], isMethod: true), "ad"),
        ("f().x", .nothing, "x"),
        ("a:b().c", .nothing, "c"),
        ("OperationQueue { max", .option(call: ["OperationQueue"], isMethod: false), "max"),
        (
            "Timer.scheduledTimer { interval = 1, bl",
            .option(call: ["Timer", "scheduledTimer"], isMethod: false), "bl"
        ),
        ("q:map(list, fn, { li", .option(call: ["q", "map"], isMethod: true), "li"),
        ("x = { a", .variable, "a"),
        ("f { a = { b", .variable, "b"),
        ("io.open('src/ma", .file, "src/ma"),
        ("x = 12", .nothing, ""),
        ("x = 1 -- wor", .nothing, ""),
        ("a .. b", .variable, "b"),
        ("if x then y", .variable, "y"),
    ])
    func `the subject of a text`(_ text: String, _ subject: CompletionPlace.Subject, _ prefix: String) {
        let place = CompletionPlace(Array(text.utf8))
        #expect(place.subject == subject)
        if subject != .nothing { #expect(place.prefix == prefix) }
    }

    private func complete(_ text: String, type: String = "", names: [String] = []) -> [String] {
        Completion(["file.read", "file.remove", "sleep"]) { _ in (names, type) }
            .choices(at: CompletionPlace(Array(text.utf8))).choices
    }

    @Test func `works, members and options are choices`() {
        #expect(complete("work.f") == ["file"])
        #expect(complete("work.file.re") == ["read", "remove"])
        #expect(complete("op.isCan", type: "Operation") == ["isCancelled"])
        #expect(complete("op:addD", type: "Operation") == ["addDependency"])
        #expect(complete("OperationQueue { maxC") == ["maxConcurrentOperationCount = "])
        #expect(
            complete("OperationQueue.defaultM", type: "OperationQueue") == [
                "defaultMaxConcurrentOperationCount"
            ]
        )
        #expect(complete("q:map(l, f, { li") == ["limit = "])
        #expect(complete("whi") == ["while"])
    }

    @Test func `files and folders are choices within quotes`() throws {
        let scratch = try Scratch()
        _ = try scratch.file("notes.txt", "")
        try scratch.folder("nothing")
        let found = Completion.files("\(scratch.path)/not")
        #expect(found.choices == ["notes.txt", "nothing/"])
        #expect(found.taken == 3)
    }

    @Test func `choices are shown in columns`() {
        #expect(ChoiceTable.text(["a", "b", "c"], columns: 6) == "a  c\nb\n")
        #expect(ChoiceTable.text(["long name"], columns: 5) == "long…\n")
    }
}
