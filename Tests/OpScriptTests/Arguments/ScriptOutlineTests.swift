import Testing

@testable import OpScript

/// The use that the text of a script makes of its arguments.
@Suite struct ScriptOutlineTests {
    private func outline(_ text: String) -> ScriptOutline { ScriptOutline([Array(text.utf8)]) }

    @Test(arguments: [
        "print(arg[1])", "local words = { ... }", "arguments {}", "task('a', 'b', print)", "print(_G.arg)",
        "print(_G['arg'])", "opscript.arguments {}", "if x then print(...) end",
        "local f = function() return arg end",
    ])
    func `a script that reads its arguments`(_ text: String) { #expect(outline(text).readsArguments) }

    @Test(arguments: [
        "print 'arg ...'", "-- arg ...", "local function f(...) print(...) end", "local arg = 1 print(arg)",
        "local function task() end task('a')", "print(x.arg, x:task())",
        "#!/usr/bin/env opscript arg\nprint(1)", "",
        "print('unfinished", "function end end ) ( [[", "task(", "arguments {",
    ])
    func `a text without a use of them is no danger`(_ text: String) {
        let outline = outline(text)
        #expect(!outline.readsArguments || text.hasSuffix("(") || text.hasSuffix("{"))
    }

    @Test func `tasks and options that are plain strings are found`() {
        let outline = outline(
            """
            local options = arguments {
                usage = "x",
                { "--jobs", "-j", type = "integer", help = 'How "many".' },
                { "file", help = "--not" },
                { "--format", choices = { "--a" }, default = "--a" },
            }
            task("build", [[Builds it.]], function() end)
            task("a" .. name, "Computed.", function() end)
            """
        )
        #expect(outline.declaresTasks)
        #expect(outline.tasks == [.init(names: ["build"], help: "Builds it.")])
        #expect(
            outline.options == [
                .init(names: ["--jobs", "-j"], help: "How \"many\"."), .init(names: ["--format"], help: ""),
            ]
        )
    }
}
