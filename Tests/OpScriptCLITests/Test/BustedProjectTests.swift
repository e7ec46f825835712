import Foundation
import SystemPackage
import Testing

/// Unchanged projects with tests for busted.
@Suite struct BustedProjectTests {
    private func project() throws -> Scratch {
        let scratch = try Scratch()
        for folder in ["src", "lib", "spec", "spec/deep"] { try scratch.folder(folder) }
        try scratch.file("src/one.lua", "return { name = 'one' }")
        try scratch.file("lib/two.lua", "return { name = 'two' }")
        try scratch.file(
            "spec/a_spec.lua",
            "it('a #quick', function() assert.equals('one', require('one').name) end)"
        )
        try scratch.file("spec/deep/b_spec.lua", "describe('d', function() it('b', function() end) end)")
        try scratch.file("spec/helper.lua", "helped = table.concat(arg, ' ')")
        try scratch.file("other_spec.lua", "it('other', function() end)")
        return scratch
    }

    private func names(_ scratch: Scratch, _ words: String...) async throws -> [String] {
        let run = try await CommandRun.program(CommandRun.commandPath, ["test"] + words, folder: scratch.path)
        return run.text.split(separator: "\n").filter { $0.hasPrefix("  ") }.map { String($0.dropFirst(2)) }
            + (run.errors.isEmpty ? [] : [run.errors])
    }

    @Test func `the folders spec and src are found by default`() async throws {
        #expect(try await names(project()) == ["pass a #quick", "pass d b"])
    }

    @Test func `the file of the project has its settings`() async throws {
        let scratch = try project()
        try scratch.file(
            ".busted",
            """
            return {
                _all = { lpath = "./lib/?.lua", helper = "spec/helper.lua", Xhelper = "x,y" },
                default = { ROOT = { "spec/c_test.lua" }, colour = "red" },
                deep = { ROOT = "spec/deep", pattern = { "_spec" } },
            }
            """
        )
        try scratch.file(
            "spec/c_test.lua",
            "it('c', function() assert.equals('two', require('two').name) assert.equals('x y', helped) end)"
        )
        #expect(
            try await names(scratch) == [
                "pass c", "opscript: 'colour' in the file of the project has no effect here\n",
            ]
        )
        #expect(try await names(scratch, "-r", "deep") == ["pass d b"])
        #expect(try await names(scratch, "--run=deep", "--pattern=_test", "spec") == ["pass c"])
        let wrong = try await CommandRun.command("test", "-r", "none", folder: scratch.path)
        #expect(wrong.status == 2 && wrong.errors.contains("has no section 'none'"), "\(wrong.errors)")
    }

    @Test func `the texts of an installed luassert are used`() async throws {
        let scratch = try project()
        for folder in ["lib/luassert", "lib/luassert/languages"] { try scratch.folder(folder) }
        let text = { (word: String) in
            """
            local say = require 'say'
            say:set_namespace('\(word)')
            say:set('assertion.equals.positive', '\(word): %s, %s')
            """
        }
        try scratch.file("lib/luassert/languages/en.lua", text("en"))
        try scratch.file("lib/luassert/languages/xx.lua", text("xx"))
        try scratch.file(
            "spec/a_spec.lua",
            "it('a', function() print(select(2, pcall(assert.equals, 1, 2))) print(require('say')._registry.xx) end)"
        )
        for (language, name) in [([], "en"), (["--lang", "xx"], "xx")] {
            let words = ["test", "-m", "lib/?.lua", "spec/a_spec.lua"] + language
            let run = try await CommandRun.program(CommandRun.commandPath, words, folder: scratch.path)
            #expect(run.text.contains("\(name): (number) 2, (number) 1\nnil\n"), "\(run.text)")
        }
        let missing = try await CommandRun.command(
            "test",
            "spec/a_spec.lua",
            "--lang",
            "yy",
            folder: scratch.path
        )
        #expect(
            missing.text.contains("--lang yy: there is no module 'luassert.languages.yy'"),
            "\(missing.text)"
        )
    }

    @Test func `scenarios that have passed can be left out of the next run`() async throws {
        let scratch = try project()
        try scratch.file(
            "spec/a_spec.lua",
            """
            describe('d', function()
                it('passes (1)', function() end)
                it('in two\\nlines', function() end)
                it('fails', function() error('x') end)
                pending('later')
            end)
            """
        )
        let words = ["--log-success=passed.txt", "--exclude-names-file", "passed.txt", "spec/a_spec.lua"]
        func run(_ words: [String]) async throws -> CommandRun {
            try await CommandRun.program(CommandRun.commandPath, ["test"] + words, folder: scratch.path)
        }
        func passed() throws -> String {
            try String(contentsOfFile: scratch.path.appending("passed.txt").string, encoding: .utf8)
        }
        #expect(try await run(words).text.contains("2 passed, 1 failed, 1 pending"))
        #expect(try passed() == "d passes (1)\nd in two\\nlines\n")
        #expect(try await run(words).text.contains("0 passed, 1 failed, 1 pending, 2 not chosen"))
        #expect(try passed() == "d passes (1)\nd in two\\nlines\n")
        #expect(try await run(["--exclude-names-file=none"]).text.contains("3 passed, 1 failed"))
        let folder = try await run(["--exclude-names-file", "spec"])
        #expect(folder.status == 2 && folder.errors.contains("cannot read 'spec'"), "\(folder.errors)")
        let unwritable = try await run(["--log-success", "none/passed.txt"])
        #expect(unwritable.status == 2 && unwritable.errors.contains("there is no folder 'none'"))
    }

    @Test func `code that fails before each file is one problem, and ends the run`() async throws {
        let scratch = try project()
        try scratch.file("spec/helper.lua", "error('no database')")
        for name in ["a", "b", "c"] {
            try scratch.file("spec/\(name)_spec.lua", "it('\(name)', function() end)")
        }
        let run = try await CommandRun.program(
            CommandRun.commandPath,
            ["test", "--helper=spec/helper.lua", "spec"],
            folder: scratch.path
        )
        #expect(run.status == 1 && run.text.components(separatedBy: "no database").count == 2, "\(run.text)")
        #expect(run.text.contains("0 passed, 1 error outside of scenarios"), "\(run.text)")
    }

    @Test func `the document of junit goes to the file of Xoutput`() async throws {
        let scratch = try project()
        try scratch.file(".busted", "return { default = { output = 'junit', Xoutput = 'report.xml' } }")
        try scratch.file("spec/a_spec.lua", "it('a', function() end)")
        let run = try await CommandRun.command("test", folder: scratch.path)
        #expect(run.status == 0 && run.text.isEmpty && run.errors.isEmpty, "\(run.text)\(run.errors)")
        let report = scratch.path.appending("report.xml").string
        let document = try String(contentsOfFile: report, encoding: .utf8)
        #expect(document.contains("<testcase") && document.contains("name=\"a\""), "\(document)")
        let list = try await CommandRun.program(CommandRun.commandPath, ["test", "-l"], folder: scratch.path)
        #expect(list.status == 0 && list.text.contains("a_spec.lua"), "\(list.text)\(list.errors)")
        #expect(try String(contentsOfFile: report, encoding: .utf8) == document, "a list is no report")
        let words = ["test", "-o", "JUnit", "-Xoutput", "none/report.xml"]
        let wrong = try await CommandRun.program(CommandRun.commandPath, words, folder: scratch.path)
        #expect(wrong.status == 2 && wrong.errors.contains("there is no folder 'none'"), "\(wrong.errors)")
    }

    @Test func `modules of the project come before those beside the file and built-in ones`() async throws {
        let scratch = try project()
        for folder in ["src", "src/say"] { try scratch.folder(folder) }
        try scratch.file("src/say/init.lua", "return { name = ... }")
        try scratch.file("thing.lua", "return 'of the project'")
        try scratch.file("spec/thing.lua", "return 'beside'")
        try scratch.file("spec/other.lua", "return 'beside'")
        try scratch.file(
            "spec/a_spec.lua",
            """
            it('a', function()
                assert.is_nil(require('say').name)
                package.loaded.say = false
                assert.equals('say', require('say').name)
                assert.equals('of the project', (require 'thing'))
                assert.equals('beside', (require 'other'))
            end)
            """
        )
        #expect(try await names(scratch, "spec/a_spec.lua") == ["pass a"])
    }

    @Test func `a group without a function is a note`() async throws {
        let scratch = try project()
        try scratch.file("spec/a_spec.lua", "describe('x')\nit(1, function() end)")
        let run = try await CommandRun.command("test", "spec/a_spec.lua", folder: scratch.path)
        #expect(run.status == 0 && run.text.contains("1 passed ("), "\(run.text)")
        #expect(run.text.contains("note: spec/a_spec.lua:1: describe 'x' has no function"), "\(run.text)")
    }

    @Test func `empty words choose all, and a tag cannot be chosen and left out`() async throws {
        let scratch = try project()
        try scratch.file("spec/a_spec.lua", "it('a #x', function() end)")
        #expect(try await names(scratch, "--filter=", "-t", "", "spec/a_spec.lua") == ["pass a #x"])
        let wrong = try await CommandRun.command(
            "test",
            "-t",
            "x",
            "--exclude-tags=y,x",
            folder: scratch.path
        )
        #expect(wrong.status == 2 && wrong.errors.contains("both have 'x'"), "\(wrong.errors)")
    }

    @Test func `arg names a program that runs Lua`() async throws {
        let scratch = try project()
        try scratch.file(
            "spec/a_spec.lua",
            """
            it('a', function() assert.is_true(os.execute("'" .. arg[-1] .. "' -e 'os.exit(0)'")) end)
            it('b', function() assert.is_nil(os.execute("'" .. arg[-1] .. "' -e 'os.exit(3)'")) end)
            """
        )
        let run = try await CommandRun.command("test", "spec/a_spec.lua", folder: scratch.path)
        #expect(run.text.contains("2 passed"), "\(run.text)")
    }

    @Test func `options have busted's names and meanings`() async throws {
        let scratch = try project()
        #expect(try await names(scratch, "-t", "quick") == ["pass a #quick"])
        #expect(try await names(scratch, "--exclude-tags=quick") == ["pass d b"])
        #expect(try await names(scratch, "--name", "d b") == ["pass d b"])
        #expect(try await names(scratch, "--filter-out", "^d") == ["pass a #quick"])
        #expect(try await names(scratch, "--exclude-pattern", "^a", "spec") == ["pass d b"])
        #expect(try await names(scratch, "--no-recursive", "spec") == ["pass a #quick"])
        #expect(try await names(scratch, "-p", "helper", "-e", "arg = {}", "spec") == [])
        #expect(
            try await names(scratch, "-C", "spec", "-m", "../src/?.lua", "-v", "-k", "a_spec.lua") == [
                "pass a #quick"
            ]
        )
        #expect(
            try await names(
                scratch,
                "-e",
                "package.preload.one = function() return { name = 'none' } end",
                "-t",
                "quick"
            )
            .first == "FAIL a #quick"
        )
    }

    @Test func `a character stands for each scenario`() async throws {
        let scratch = try project()
        let run = try await CommandRun.command("test", "-o", "utfTerminal", folder: scratch.path)
        #expect(run.text.hasPrefix("●●\n2 successes / 0 failures / 0 errors / 0 pending : "))
    }

    @Test func `wrong words are status 2`() async throws {
        let scratch = try project()
        for (words, message) in [
            (["-r", "x"], "--run=x is a section of the file .busted, which is not here."),
            (["-p", "("], "--pattern: '(' is not a Lua pattern"),
            (["-C", "none"], "--directory: cannot change to 'none'"),
            (
                ["--only-failed"],
                "--only-failed is for --watch: use both, or --log-success with --exclude-names-file."
            ),
            (["-p", "zzz", "spec"], "there is no file with such a name in 'spec'"),
        ] {
            let run = try await CommandRun.program(
                CommandRun.commandPath,
                ["test"] + words,
                folder: scratch.path
            )
            #expect(run.status == 2 && run.errors.contains(message), "\(run.errors)")
        }
    }
}
