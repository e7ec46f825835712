import Testing

/// `opscript works`: what works there are.
@Suite struct WorksCommandTests {
    @Test func `works are listed, by the beginning of their names, and described`() async throws {
        let all = try await CommandRun.command("works")
        #expect(all.text.contains("\ncompute.primes") && all.text.contains("\nfile.read "))
        #expect(all.text.contains("Reads a whole file."))
        let group = try await CommandRun.command("works", "digest")
        #expect(group.text.contains("digest.sha1 ") && !group.text.contains("file.read"))
        let one = try await CommandRun.command("works", "work.file.read")
        #expect(
            one.text
                == "work.file.read(path [, options])\n\nReads a whole file. Option: limit.\n\nPARAMETERS:\n"
                + "  path     string\n  options  table of options?, optional\n"
        )
        let wrong = try await CommandRun.command("works", "file.raed")
        #expect(wrong.status == 2)
        #expect(wrong.errors.contains("there is no work 'file.raed' (did you mean 'file.read'?)"))
    }

    @Test func `a script called works is run behind two dashes`() async throws {
        let scratch = try Scratch()
        _ = try scratch.file("works", "print 'a script'")
        for line in ["\"$opscript\" ./works", "\"$opscript\" -- works"] {
            #expect(try await CommandRun.shell(line, folder: scratch.path).text == "a script\n")
        }
    }
}
