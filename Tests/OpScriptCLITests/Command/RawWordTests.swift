import Testing

/// Words that are not UTF-8.
@Suite struct RawWordTests {
    @Test func `words of the script come unchanged, as arg and as its arguments`() async throws {
        let code = "for i = 1, #arg do assert(arg[i] == (select(i, ...))) print(arg[i]:byte(1, -1)) end"
        let run = try await CommandRun.shell(
            #""$opscript" - "$(printf 'a\377')" "$(printf '\300\257')" "#
                + #""$(printf '\355\240\200x')" "$(printf '\364\217\276\200')" ü"#,
            input: code
        )
        #expect(run.status == 0, "\(run.errors)")
        #expect(run.text == "97\t255\n192\t175\n237\t160\t128\t120\n244\t143\t190\t128\n195\t188\n")
    }

    @Test func `a script, its folder and its modules may have any name`() async throws {
        let scratch = try Scratch()
        let run = try await CommandRun.shell(
            #"""
            d=$(printf 'd\377'); mkdir "$d"; echo 'return { name = ... }' >"$d/other.lua"
            echo 'print(require "other".name, arg[0]:byte(2), debug.getinfo(1, "S").source:byte(3))' >"$d/$(printf 'j\376.lua')"
            "$opscript" "$d/$(printf 'j\376.lua')"
            "$opscript" "$d/none.lua"
            """#,
            folder: scratch.path
        )
        #expect(run.text == "other\t255\t255\n", "\(run.errors)")
        #expect(Array(run.errorOutput).contains(255))
    }

    @Test func `programs and their variables may have any name`() async throws {
        let scratch = try Scratch()
        let run = try await CommandRun.shell(
            #"""
            p=$(printf 'p\377'); printf '#!/bin/sh\nprintf %%s "$1$V"' >"$p"; chmod +x "$p"
            "$opscript" -e 'local p = "p\xff"
            for _, path in ipairs { ".", "x\xfe" } do
                local run = await(work.process.run { p, "\xfd", env = { V = "\xfc", PATH = path .. ":" .. os.getenv "PATH" } })
                print(run.output:byte(1, -1))
                os.execute("mkdir x\xfe; mv p\xff x\xfe")
            end'
            """#,
            folder: scratch.path
        )
        #expect(run.text == "253\t252\n253\t252\n", "\(run.errors)")
    }

    @Test func `files that the command writes may have any name`() async throws {
        let scratch = try Scratch()
        let run = try await CommandRun.shell(
            #""$opscript" --report "$(printf 'r\377.jsonl')" --trace "$(printf 't\377')" --virtual -e 'sleep(1)'; ls | od -An -tx1"#,
            folder: scratch.path
        )
        #expect(
            run.text.filter { !$0.isWhitespace } == "72ff2e6a736f6e6c0a74ff0a",
            "\(run.text)\(run.errors)"
        )
    }
}
