#if Journal
import Glibc
import Testing

@testable import OpScript
@testable import OpScriptJournal

/// Inputs that change while the body of their operation runs.
@Suite struct JournalInputTests {
    private let ground = JournalGround()

    /// Runs an operation, with a line of a shell while its body runs; false if it is up to date.
    private func ran(_ input: String, _ meanwhile: String = ":") throws -> Bool {
        let files = DeclaredFiles(inputs: ["\(ground.folder)/\(input)"], outputs: ["\(ground.folder)/out"])
        let step = operation("step", [], files: files)
        let journal = try ground.open(Journal.Options())
        defer { _ = journal.end("ended well", isGood: true) }
        guard case .run(let entry) = try journal.decide(step) else { return false }
        _ = system("cd '\(ground.folder)'; \(meanwhile)")
        try journal.ended(step, entry, .succeeded([]))
        return true
    }

    @Test(arguments: [
        "echo x > in; printf a > in", "cp -p in b; echo x > in; cp -p b in", "mv in b; echo x > in; mv b in",
        "touch -r in b; echo x > in; printf a > in; touch -r b in",
    ])
    func `an input that was written meanwhile does not count, even if it is the same again`(_ change: String)
        throws
    {
        _ = (ground.write("a", to: "in"), ground.write("o", to: "out"))
        #expect(try ran("in", change))
        #expect(try ran("in"))
        #expect(try !ran("in"))
    }

    @Test func `a link that leads elsewhere meanwhile does not count`() throws {
        _ = (ground.write("a", to: "in"), ground.write("b", to: "other"), ground.write("o", to: "out"))
        symlink("in", "\(ground.folder)/link")
        // The times of files are a few milliseconds coarse.
        #expect(try ran("link", "sleep 0.02; ln -sfn other link; ln -sfn in link"))
        #expect(try ran("link"))
        #expect(try !ran("link"))
    }
}
#endif
