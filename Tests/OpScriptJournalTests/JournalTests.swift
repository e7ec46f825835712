#if Journal
import Glibc
import Scheduling
import Testing

@testable import OpScript
@testable import OpScriptJournal

/// The decisions of a journal, without an engine.
@Suite struct JournalTests {
    @Test func `a run that did not end well is continued, and its results are used`() throws {
        let ground = JournalGround()
        let journal = try ground.open()
        #expect(try perform(journal, operation("a"), .text("first")) == nil)
        journal.flush()
        _ = try perform(journal, operation("lost"))
        journal.abandon()
        let second = try ground.open()
        #expect(second.notes.first?.contains("continues run 1") == true)
        #expect(try perform(second, operation("a")) == .text("first"))
        #expect(try perform(second, operation("b")) == nil)
        let report = second.end("ended well", isGood: true)
        #expect(report.recorded == 1 && report.ran == 1 && report.unasked == 0)
        let third = try ground.open()
        #expect(third.notes == ["begins run 2: run 1 ended well"])
        #expect(try perform(third, operation("a")) == nil)
    }

    @Test func `a body that ends after the journal was closed leaves nothing to write`() throws {
        let ground = JournalGround()
        let journal = try ground.open()
        guard case .run(let first) = try journal.decide(operation("a")),
            case .run(let second) = try journal.decide(operation("b"))
        else {
            Issue.record("an operation of an empty journal was not run")
            return
        }
        _ = journal.end("cancelled", isGood: false)
        try journal.ended(operation("a"), first, .succeeded([.integer(1)]))
        try journal.ended(operation("b"), second, .failed("late"))
        // The thread that writes groups ends when there is nothing to write.
        journal.flush()
        #expect(journal.rows.isEmpty && journal.unwritten.isEmpty)
        withExtendedLifetime(ground) {}
    }

    @Test func `no effect begins after the end of its run`() throws {
        let ground = JournalGround()
        let journal = try ground.open()
        guard case .run(let entry) = try journal.decide(operation("under way", [], .once)) else {
            Issue.record("an effect of an empty journal was not run")
            return
        }
        let report = journal.end("ended well", isGood: true)
        #expect(report.unknownEffects.count == 1)
        #expect(throws: ScriptError.self) { try journal.decide(operation("late", [], .once)) }
        #expect(throws: ScriptError.self) {
            try journal.ended(operation("under way", [], .once), entry, .succeeded([.integer(1)]))
        }
        withExtendedLifetime(ground) {}
    }

    @Test func `equal operations get their own results, and a third one runs`() throws {
        let ground = JournalGround()
        let journal = try ground.open()
        _ = try perform(journal, operation("a", number: 1), .integer(1))
        _ = try perform(journal, operation("a", number: 2), .integer(2))
        _ = journal.end("failed", isGood: false)
        let second = try ground.open()
        #expect(try perform(second, operation("a", number: 2)) == .integer(2))
        #expect(try perform(second, operation("a", number: 1)) == .integer(1))
        #expect(try perform(second, operation("a", number: 3)) == nil)
    }

    @Test func `many equal operations get their own results, in any order`() throws {
        let ground = JournalGround()
        let journal = try ground.open()
        for number in 0..<300 {
            _ = try perform(journal, operation("a", number: number), .integer(Int64(number)))
        }
        _ = journal.end("failed", isGood: false)
        let second = try ground.open()
        for number in (1..<300).reversed() {
            #expect(try perform(second, operation("a", number: number)) == .integer(Int64(number)))
        }
        // Another number runs, and so does one that was served before.
        #expect(try perform(second, operation("a", number: 300)) == nil)
        #expect(try perform(second, operation("a", number: 1)) == nil)
        #expect(second.end("failed", isGood: false).unasked == 1)
    }

    @Test func `another argument is another operation, and entries without one are counted`() throws {
        let ground = JournalGround()
        let journal = try ground.open()
        _ = try perform(journal, operation("a", [.integer(1)]))
        _ = journal.end("failed", isGood: false)
        let second = try ground.open()
        #expect(try perform(second, operation("a", [.integer(2)])) == nil)
        #expect(second.end("failed", isGood: false).unasked == 1)
    }

    @Test func `results above the limit are files named by their digests`() throws {
        let ground = JournalGround()
        let large = ScriptValue.string([UInt8](repeating: 7, count: 300 << 10))
        let journal = try ground.open()
        _ = try perform(journal, operation("a"), large)
        _ = journal.end("failed", isGood: false)
        let second = try ground.open()
        #expect(try perform(second, operation("a")) == large)
        _ = second.end("failed", isGood: false)
        // A file that was changed is not used.
        _ = system("for f in '\(ground.path)'.results/*; do echo x >>\"$f\"; done")
        let third = try ground.open()
        #expect(try perform(third, operation("a")) == nil)
    }

    @Test func `an effect that has begun is not repeated until the user says so`() throws {
        let ground = JournalGround()
        let mail = operation("mail", [], .once)
        let journal = try ground.open()
        _ = try journal.decide(mail)
        journal.abandon()
        let second = try ground.open()
        let error = #expect(throws: ScriptError.self) { try second.decide(mail) }
        #expect(error?.code == .unknown)
        #expect(error?.message.contains("'mail'") == true && error?.message.contains("run 1") == true)
        _ = second.end("failed", isGood: false)
        var options = Journal.Options(resumes: true)
        options.resolutions = ["mail": .done(.text("sent")), "other": .again]
        let refused = #expect(throws: ScriptError.self) { try ground.open(options) }
        #expect(refused?.message.contains("'other'") == true)
        options.resolutions["other"] = nil
        let third = try ground.open(options)
        #expect(try perform(third, mail) == .text("sent"))
        _ = third.end("failed", isGood: false)
        let fourth = try ground.open()
        #expect(try perform(fourth, mail) == .text("sent"))
    }

    @Test func `an effect that is not known is not repeated by --again, and --explain says so`() throws {
        let ground = JournalGround()
        var mail = operation("mail", [], .once)
        let journal = try ground.open()
        _ = try journal.decide(mail)
        journal.abandon()
        mail.firstEntry = .max
        let second = try ground.open()
        let error = #expect(throws: ScriptError.self) { try second.decide(mail) }
        #expect(error?.code == .unknown)
        _ = second.end("failed", isGood: false)
        var options = Journal.Options(resumes: true)
        options.onlyExplains = true
        let third = try ground.open(options)
        let explained = #expect(throws: ScriptError.self) { try third.decide(mail) }
        #expect(explained?.code == .unknown)
        third.abandon()
        options.onlyExplains = false
        options.resolutions = ["mail": .done(.text("sent"))]
        options.again = ["mail"]
        let fourth = try ground.open(options)
        mail.firstEntry = try #require(fourth.firstEntries["mail"])
        // The answer is about this effect alone, and --again is not.
        #expect(try perform(fourth, mail, .integer(2)) == .text("sent"))
    }

    @Test func `a lock that a killed run has left for a moment is awaited`() throws {
        let ground = JournalGround()
        _ = try ground.open().end("ended well", isGood: true)
        let descriptor = Glibc.open(ground.path, O_RDWR | O_CLOEXEC)
        var range = flock()
        (range.l_type, range.l_start, range.l_len) = (Int16(F_WRLCK), 1 << 46, 1)
        let command: Int32 = 37  // F_OFD_SETLK
        #expect(fcntl(descriptor, command, &range) == 0)
        // As the child of a killed process does, when it becomes another program. Tasks would all wait, too.
        _ = SystemThread.start(name: "child") { close(descriptor) }
        _ = try ground.open().end("ended well", isGood: true)
    }

    @Test func `the answer again runs an effect once more`() throws {
        let ground = JournalGround()
        let mail = operation("mail", [], .once)
        let journal = try ground.open()
        _ = try journal.decide(mail)
        journal.abandon()
        var options = Journal.Options(resumes: true)
        options.resolutions = ["mail": .again]
        let second = try ground.open(options)
        #expect(try perform(second, mail, .integer(2)) == nil)
        _ = second.end("failed", isGood: false)
        let third = try ground.open()
        #expect(try perform(third, mail) == .integer(2))
    }

    // MARK: Files

    @Test func `an operation is up to date in any run while its files are as they were`() throws {
        let ground = JournalGround()
        let input = ground.write("one", to: "in"), output = ground.write("1", to: "out")
        let step = operation("step", [], files: DeclaredFiles(inputs: [input], outputs: [output]))
        func ran() throws -> Bool {
            let journal = try ground.open(Journal.Options())
            defer { _ = journal.end("ended well", isGood: true) }
            return try perform(journal, step) == nil
        }
        #expect(try ran())
        #expect(try !ran())
        // The same content in a new file.
        _ = ground.write("one", to: "in")
        #expect(try !ran())
        _ = ground.write("two", to: "in")
        #expect(try ran())
        #expect(try !ran())
        _ = ground.write("2", to: "out")
        #expect(try ran())
        unlink(output)
        #expect(try ran())
    }

    @Test func `files that a dependency file names count, and without it the operation runs`() throws {
        let ground = JournalGround()
        let source = ground.write("c", to: "a.c"), header = ground.write("h", to: "a.h")
        let object = ground.write("o", to: "a.o"),
            depfile = ground.write("a.o: \(source) \(header)\n", to: "a.d")
        let files = DeclaredFiles(inputs: [source], outputs: [object], depfile: depfile)
        let step = operation("compile", [], files: files)
        func ran() throws -> Bool {
            let journal = try ground.open(Journal.Options())
            defer { _ = journal.end("ended well", isGood: true) }
            return try perform(journal, step) == nil
        }
        // The header is younger than the start of the operation allows, so the first run may be repeated once.
        while try ran() {}
        _ = ground.write("h2", to: "a.h")
        #expect(try ran())
        while try ran() {}
        unlink(depfile)
        #expect(try ran())
        #expect(try ran())
    }

    @Test func `an operation that was under way is not up to date`() throws {
        let ground = JournalGround()
        let output = ground.write("1", to: "out")
        let step = operation("step", [], files: DeclaredFiles(inputs: [], outputs: [output]))
        let first = try ground.open()
        _ = try perform(first, step)
        _ = first.end("ended well", isGood: true)
        let journal = try ground.open(Journal.Options())
        var forced = step
        forced.firstEntry = .max
        _ = try journal.decide(forced)
        journal.flush()
        journal.abandon()
        let last = try ground.open()
        #expect(try perform(last, step) == nil)
    }

    @Test func `a clock that was set back, and files of the future, are never up to date by mistake`() throws
    {
        let ground = JournalGround()
        let input = ground.write("one", to: "in"), output = ground.write("1", to: "out")
        let step = operation("step", [], files: DeclaredFiles(inputs: [input], outputs: [output]))
        let future = time_t(4_000_000_000)
        func setTimes() {
            var times = [timespec(tv_sec: future, tv_nsec: 0), timespec(tv_sec: future, tv_nsec: 0)]
            utimensat(AT_FDCWD, input, &times, 0)
        }
        func ran() throws -> Bool {
            let journal = try ground.open(Journal.Options())
            defer { _ = journal.end("ended well", isGood: true) }
            return try perform(journal, step) == nil
        }
        setTimes()
        #expect(try ran())
        #expect(try !ran())
        // All that was read and recorded lies in the future now, as after a clock was set back.
        let database = try Database(ground.path, isReadOnly: false)
        try database.execute("UPDATE files SET readat = readat + 4000000000000000000")
        try database.execute("UPDATE entries SET ended = ended + 4000000000000000000")
        #expect(try !ran())
        // The same length and the same time of modification.
        _ = ground.write("two", to: "in")
        setTimes()
        #expect(try ran())
        #expect(try !ran())
    }

    @Test func `a dependency that was made and read just before its reader began is no doubt`() throws {
        let ground = JournalGround()
        let header = ground.write("h", to: "a.h"), object = ground.write("o", to: "a.o")
        let depfile = ground.write("a.o: \(header)\n", to: "a.d")
        let make = operation("make", [], files: DeclaredFiles(inputs: [], outputs: [header]))
        let use = operation("use", [], files: DeclaredFiles(inputs: [], outputs: [object], depfile: depfile))
        let journal = try ground.open(Journal.Options())
        _ = ground.write("h", to: "a.h")
        #expect(try perform(journal, make) == nil)
        #expect(try perform(journal, use) == nil)
        _ = journal.end("ended well", isGood: true)
        let second = try ground.open(Journal.Options())
        #expect(try perform(second, make) != nil)
        #expect(try perform(second, use) != nil)
    }

    @Test func `an operation whose dependency file is new or gone runs`() throws {
        let ground = JournalGround()
        let source = ground.write("c", to: "a.c"), object = ground.write("o", to: "a.o")
        let depfile = ground.write("a.o: \(source)\n", to: "a.d")
        func ran(_ depfile: String?) throws -> Bool {
            let files = DeclaredFiles(inputs: [source], outputs: [object], depfile: depfile)
            let journal = try ground.open(Journal.Options())
            defer { _ = journal.end("ended well", isGood: true) }
            return try perform(journal, operation("compile", [], files: files)) == nil
        }
        #expect(try ran(nil))
        #expect(try !ran(nil))
        #expect(try ran(depfile))
        #expect(try !ran(depfile))
        #expect(try ran(nil))
    }

    @Test func `recorded files that were cut are refused`() {
        let files = [
            RecordedFile(role: .input, path: "a b", content: .missing),
            RecordedFile(
                role: .output,
                path: "c",
                content: .digest(Array("x".utf8).withUnsafeBytes { Digest256(of: $0) })
            ),
        ]
        let bytes = RecordedFile.encode(files)
        let read = RecordedFile.decode(bytes)
        #expect(read?.map(\.path) == ["a b", "c"] && read?.map(\.content) == files.map(\.content))
        for length in 1..<bytes.count where length != 9 {
            #expect(RecordedFile.decode(Array(bytes[..<length])) == nil)
        }
    }

    // MARK: Unusable files

    @Test func `on a file system of another machine, there is no write-ahead log, and a note`() throws {
        let ground = JournalGround()
        // The number of NFS.
        let journal = try Journal(ground.path, Journal.Options(resumes: true), fileSystem: 0x6969)
        try journal.begin("job.lua")
        #expect(journal.notes.contains { $0.contains("file system of another machine") })
        _ = try perform(journal, operation("a"), .integer(5))
        journal.flush()
        #expect(access("\(ground.path)-wal", F_OK) != 0)
        journal.abandon()
        let second = try Journal(ground.path, Journal.Options(resumes: true), fileSystem: 0x6573_5546)
        try second.begin("job.lua")
        #expect(try perform(second, operation("a")) == .integer(5))
    }

    @Test func `a second writer is refused with the number of the first`() throws {
        let ground = JournalGround()
        let journal = try ground.open()
        let error = #expect(throws: ScriptError.self) { try Journal(ground.path) }
        #expect(error?.message.contains("process \(getpid())") == true)
        _ = journal.end("ended well", isGood: true)
        _ = try Journal(ground.path)
    }

    @Test func `a journal that was cut at any byte is refused, or whole`() throws {
        let ground = JournalGround()
        let journal = try ground.open()
        for number in 0..<20 { _ = try perform(journal, operation("a\(number)"), .integer(Int64(number))) }
        _ = journal.end("failed", isGood: false)
        let whole = try #require(FileReading.bytes(ground.path))
        for length in stride(from: 0, to: whole.count, by: 509) {
            _ = FileReading.write(Array(whole[..<length]), to: ground.path, isSynced: false)
            do {
                let journal = try ground.open()
                // Only an empty file is a new journal.
                #expect(length == 0)
                #expect(try perform(journal, operation("a1")) == nil)
                _ = journal.end("failed", isGood: false)
            } catch let error as ScriptError {
                #expect(error.message.contains(ground.path) && error.message.contains("move it away"))
            }
            unlink("\(ground.path)-wal")
            unlink("\(ground.path)-shm")
        }
    }

    @Test func `a log that was moved into the file in part is no damage`() throws {
        let ground = JournalGround()
        let journal = try ground.open()
        for number in 0..<20 { _ = try perform(journal, operation("a\(number)"), .integer(Int64(number))) }
        journal.flush()
        let log = try #require(FileReading.bytes("\(ground.path)-wal"))
        _ = journal.end("failed", isGood: false)
        let whole = try #require(FileReading.bytes(ground.path))
        // As a full disk leaves it: the first page, and the log.
        _ = FileReading.write(Array(whole[..<4096]), to: ground.path, isSynced: false)
        _ = FileReading.write(log, to: "\(ground.path)-wal", isSynced: false)
        let second = try ground.open()
        #expect(try perform(second, operation("a3")) == .integer(3))
    }

    @Test func `zeros, other databases and later formats are refused`() throws {
        let ground = JournalGround()
        _ = FileReading.write([UInt8](repeating: 0, count: 8192), to: ground.path, isSynced: false)
        #expect(throws: ScriptError.self) { try ground.open() }
        unlink(ground.path)
        let journal = try ground.open()
        _ = journal.end("ended well", isGood: true)
        let database = try Database(ground.path, isReadOnly: false)
        try database.execute("PRAGMA user_version=\(JournalFile.format + 1)")
        let later = #expect(throws: ScriptError.self) { try ground.open() }
        #expect(later?.message.contains("later version") == true)
        try database.execute("PRAGMA user_version=\(JournalFile.format - 1)")
        let earlier = #expect(throws: ScriptError.self) { try ground.open() }
        #expect(earlier?.message.contains("earlier version") == true)
        try database.execute("PRAGMA application_id=1")
        let other = #expect(throws: ScriptError.self) { try ground.open() }
        #expect(other?.message.contains("another program") == true)
    }

    @Test func `a place that cannot be written is named`() throws {
        let error = #expect(throws: ScriptError.self) { try Journal("/proc/journal") }
        #expect(error?.message.contains("'/proc/journal'") == true)
    }
}
#endif
