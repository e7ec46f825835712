import SystemPackage
import Testing

/// The jobs that ship as examples.
@Suite struct ExampleTests {
    private static let digests = SourceTree.examples.appending("digests.lua").string
    private static let images = SourceTree.examples.appending("images.lua").string
    private static let emptySum = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    private static let abcSum = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"

    @Test func `digests are those of the files, in the order of their names`() async throws {
        let scratch = try Scratch()
        let made = try await CommandRun.shell(
            #"mkdir -p t/b && printf abc >t/b/c && : >t/-a && printf abc >"t/n\\l" && : >"$(printf 't/x\ny\rz')""#,
            folder: scratch.path
        )
        #expect(made.status == 0)
        let run = try await CommandRun.command(Self.digests, "t", folder: scratch.path)
        #expect(run.status == 0, "\(run.errors)")
        #expect(
            run.text == """
                \(Self.emptySum)  t/-a
                \(Self.abcSum)  t/b/c
                \\\(Self.abcSum)  t/n\\\\l
                \\\(Self.emptySum)  t/x\\ny\\rz

                """
        )
        #expect(run.errors.isEmpty)
    }

    @Test func `sha256sum accepts the digests of names of any bytes`() async throws {
        let scratch = try Scratch()
        let run = try await CommandRun.shell(
            #"mkdir t; for n in ' a' 'a ' '\' '-' '\n' '*' "$(printf '\377\376')" "$(printf 'l\nm')"; do echo "$n" >"t/$n"; done;"#
                + #" "$opscript" '\#(Self.digests)' t | sha256sum --check --strict --status && ls t | wc -l"#,
            folder: scratch.path
        )
        #expect(run.status == 0, "\(run.errors)")
    }

    @Test func `what cannot be read is named and the rest goes on`() async throws {
        let scratch = try Scratch()
        try scratch.file("b", "abc")
        _ = try await CommandRun.shell(
            "ln -s missing a; ln -s loop loop; ln -s /proc/self/mem c",
            folder: scratch.path
        )
        let run = try await CommandRun.command(Self.digests, ".", folder: scratch.path)
        #expect(run.status == 1)
        #expect(run.text == "\(Self.abcSum)  ./b\n")
        #expect(
            Set(run.errorLines) == [
                "digests: cannot stat './a': no such file",
                "digests: cannot read './c': input/output error",
                "digests: cannot stat './loop': too many levels of symbolic links",
            ]
        )
    }

    @Test func `images are shown, filtered and written; one that is none is named`() async throws {
        let scratch = try Scratch()
        try scratch.file("bad.pgm", "no picture")
        try scratch.file("dark.pgm", "P2\n4 2\n9\n0 0 0 0 0 0 0 0\n")
        try scratch.file("light.ppm", "P3\n2 2\n9\n9 9 9 9 9 9 9 9 9 9 9 9\n")
        let run = try await CommandRun.command(Self.images, ".", "out", folder: scratch.path)
        #expect(run.status == 1)
        #expect(
            run.text == """
                3 pictures of '.', filtered, go to 'out'
                dark.pgm: 4 x 2, 1 channel

                dark.pgm, filtered: 4 x 2, 1 channel

                light.ppm: 2 x 2, 3 channels
                @@
                light.ppm, filtered: 2 x 2, 1 channel
                @@
                2 of 3 written to 'out'

                """
        )
        // The timer's lines come where the machine is slow.
        #expect(run.errorLines.filter { !$0.hasSuffix(" of 3 written") }.count == 1, "\(run.errors)")
        #expect(run.errors.contains("failed: 'read bad.pgm' ("))
        #expect(run.errors.contains("cannot read './bad.pgm': not a PBM, PGM, PPM or PAM image"))
        let written = try await CommandRun.shell("cd out && ls && head -c 11 dark.pgm", folder: scratch.path)
        #expect(written.text == "dark.pgm\nlight.ppm\nP5\n4 2\n255\n")
    }

    @Test(arguments: [["nowhere"], ["."], [".", "out", "more"]])
    func `a folder without images is refused`(_ words: [String]) async throws {
        let scratch = try Scratch()
        let run = try await CommandRun.program(
            CommandRun.commandPath,
            [Self.images] + words,
            folder: scratch.path
        )
        #expect(run.status == (words.count > 2 ? 2 : 1))
        #expect(run.errorLines.count == 1, "\(run.errors)")
        #expect(try scratch.names().isEmpty)
    }
}
