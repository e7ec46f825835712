import Foundation
import SystemPackage
import Testing

/// The command on virtual time: its options, the trace, the comparison of two runs.
@Suite struct SimulationTests {
    @Test func `a seed is a whole number, decimal or with 0x`() async throws {
        for seed in ["x", "-1", "1.5", "", "0x", "+1", "18446744073709551616"] {
            let run = try await CommandRun.command("--seed", seed, "-e", "print(1)")
            #expect(
                run.status == 2 && run.text == "" && run.errors.contains("--seed is '\(seed)'"),
                "\(seed)"
            )
        }
        let decimal = try await CommandRun.script(
            "print(math.random(0))",
            options: ["--virtual", "--seed", "7994"]
        )
        let hexadecimal = try await CommandRun.script(
            "print(math.random(0))",
            options: ["--virtual", "--seed", "0x1f3a"]
        )
        #expect(decimal.status == 0 && decimal.text == hexadecimal.text)
    }

    @Test func `strict needs virtual time`() async throws {
        let run = try await CommandRun.command("--strict", "--seed", "1", "-e", "print(1)")
        #expect(run.status == 2 && run.errors.contains("--strict needs --virtual"))
    }

    @Test func `the trace of one seed is the same bytes in other processes`() async throws {
        let scratch = try Scratch()
        let job = try scratch.file(
            "job.lua",
            """
            local set = {}
            for place = 1, 20 do set[work.sleep(math.random(5))], set["key" .. place] = place, place end
            for key in pairs(set) do if type(key) == "userdata" then OperationQueue.default:addOperation(key) else print(key) end end
            """
        )
        var traces: Set<String> = []
        for number in 1...5 {
            let file = scratch.path.appending("trace\(number)")
            let run = try await CommandRun.command("--virtual", "--trace", file.string, job.string)
            #expect(run.status == 0 && run.errors == "")
            traces.insert(try String(contentsOfFile: file.string, encoding: .utf8))
        }
        #expect(traces.count == 1)
        let lines = traces.first?.split(separator: "\n") ?? []
        #expect(lines.first == "# opscript trace 1, seed 0" && lines.count == 101)
    }

    @Test func `the trace is the same with other addresses, languages, time zones and surroundings`()
        async throws
    {
        let scratch = try Scratch()
        let job = try scratch.file(
            "job.lua",
            """
            local set, queue = {}, OperationQueue { maxConcurrentOperationCount = 2 }
            for place = 1, 30 do set[place % 3 == 0 and {} or work.sleep(math.random())] = place end
            for key, place in pairs(set) do
                if type(key) == "userdata" then queue:addOperation(key) else print(place, os.date("%c %A %Z"), os.time()) end
            end
            """
        )
        // If addresses cannot be fixed, they are random as in any run.
        let surroundings = [
            "", "LANG=C LC_ALL=C", "LANG=de_DE.UTF-8 LC_ALL=C.UTF-8", "TZ=Asia/Tokyo", "env -i",
            "cd / && LONG=$(printf %9000s x)", "$(setarch -R true 2>/dev/null && echo setarch -R)",
        ]
        var traces: Set<String> = []
        for each in surroundings {
            let run = try await CommandRun.shell("\(each) $opscript --virtual --seed 3 --trace - '\(job)'")
            #expect(run.status == 0)
            #expect(run.text.contains("Saturday"))
            traces.insert("\(run.text)\n\(run.errors)")
        }
        #expect(traces.count == 1)
        #expect(traces.first?.split(separator: "\n").count ?? 0 > 100)
    }

    @Test func `a trace that cannot be written is reported`() async throws {
        let run = try await CommandRun.command("--trace", "/nowhere/trace", "-e", "print(1)")
        #expect(
            run.status == 1 && run.text == ""
                && run.errors.contains("cannot write '/nowhere/trace': there is no folder '/nowhere'")
        )
    }

    @Test func `two runs are compared, and the second prints nothing`() async throws {
        let same = try await CommandRun.command(
            "--check-determinism",
            "-e",
            "print(os.time()) io.write('x\\n') os.execute('echo child')"
        )
        #expect(same.status == 0 && same.text.split(separator: "\n").sorted() == ["946684800", "child", "x"])
        #expect(same.errors.contains("two runs, the same trace (lines: 2)"))
        let other = try await CommandRun.command(
            "--check-determinism",
            "-q",
            "-e",
            "print(io.open('/proc/sys/kernel/random/uuid'):read())"
        )
        #expect(other.status == 1 && other.errors.contains("differs from the first, from line 2"))
        #expect(other.text.split(separator: "\n").count == 1)
        let failed = try await CommandRun.command("--check-determinism", "-e", "error('no')")
        #expect(failed.status == 1 && failed.errors.contains("two runs, the same trace (lines: 1)"))
        #expect(failed.errorLines.count { $0.contains(": no") } == 1)
    }
}
