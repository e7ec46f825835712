import Testing

@testable import LuaVM

/// Recorded lines, together with limits that use the same hook.
@Suite struct CoverageTests {
    private func lines(_ host: TestHost) -> [Int] {
        guard let file = host.vm.coveredFiles.first else { return [] }
        return file.counts.indices.filter { file.counts[$0] > 0 }
    }

    @Test func `lines of files are recorded, with their numbers`() throws {
        let host = TestHost()
        host.vm.startCoverage()
        let root = try host.root(
            "local n = 0\nfor i = 1, 3 do\n  n = n + i\nend\nif n > 9 then\n  n = 0\nend\nwait()\nn = 1",
            name: "@job.lua"
        )
        #expect(root.start() == .waiting)
        #expect(lines(host) == [1, 2, 3, 5, 8])
        #expect(host.vm.coveredFiles.first?.name == "job.lua")
        #expect(host.vm.coveredFiles.first?.counts[3] == 3)
        #expect(host.goOn(root) == .finished(0))
        #expect(lines(host) == [1, 2, 3, 5, 8, 9])
    }

    @Test func `lines of texts without a file are not recorded`() throws {
        let host = TestHost()
        host.vm.startCoverage()
        #expect(try host.results("return 1") == ["1"])
        #expect(host.vm.coveredFiles.isEmpty)
    }

    @Test func `a limit of instructions still counts, and counts instructions`() throws {
        let host = TestHost()
        host.vm.setInstructionLimit(100_000)
        host.vm.startCoverage()
        // Many lines and few instructions: lines must not be counted for them.
        let body = String(repeating: "n = n\n", count: 20)
        let few = try host.root("local n = 0\nfor i = 1, 500 do\n\(body)end", name: "@few.lua")
        #expect(few.start() == .finished(0))
        let endless = try host.root("while true do\nlocal x = 1\nend", name: "@endless.lua")
        #expect(endless.start() == .failed)
        #expect(endless.state.string(-1)?.contains("limit of 100000 instructions") == true)
        // Both continue afterwards.
        let again = try host.root("local x = 1\nx = 2", name: "@again.lua")
        #expect(again.start() == .finished(0))
        #expect(host.vm.coveredFiles.contains { $0.name == "again.lua" && $0.counts[2] == 1 })
    }

    @Test
    func `an interrupt ends a recorded script, and lines of the next script are recorded`() throws {
        let host = TestHost()
        host.define("interrupt") { raw in
            LuaState(raw).vm.interrupt()
            return 0
        }
        host.vm.startCoverage()
        let root = try host.root("interrupt()\nwhile true do\nend", name: "@job.lua")
        #expect(root.start() == .failed)
        let next = try host.root(
            "local co = coroutine.wrap(function()\n  coroutine.yield(1)\n  return 2\nend)\nco()\nco()",
            name: "@next.lua"
        )
        #expect(next.start() == .finished(0))
        let file = try #require(host.vm.coveredFiles.first { $0.name == "next.lua" })
        #expect(
            file.counts.indices.filter { file.counts[$0] > 0 }
                == [1, 2, 3, 4, 5, 6].filter { file.counts[$0] > 0 }
        )
        #expect(file.counts[2] == 1 && file.counts[3] == 1 && file.counts[6] == 1)
    }

    @Test func `a limit of memory still counts`() throws {
        let host = TestHost()
        host.vm.setMemoryLimit(host.vm.memoryInUse + (2 << 20))
        host.vm.startCoverage()
        let root = try host.root(
            "local t = {}\nwhile true do\n  t[#t + 1] = ('x'):rep(1000) .. #t\nend",
            name: "@job.lua"
        )
        #expect(root.start() == .failed)
        #expect(lines(host) == [1, 2, 3] || lines(host) == [1, 3])
    }

    @Test(
        arguments: [
            ("", []),
            ("local a\nlocal b = 1\n\n-- words\nreturn b", [1, 2, 5]),
            // A function is made where it ends.
            ("local function f()\n  return 1\nend", [2, 3]),
            ("local x <const> = 5\nprint(\n  x,\n  ...\n)", [2, 3]),
            (
                String(repeating: "\n", count: 500) + "f()\n" + String(repeating: "g()\n", count: 300),
                Array(501...801)
            ),
            ("local t = { 'a', 1.5, 2, true, nil, ('x'):rep(3) }\nreturn t", [1, 2]),
            ("return '\(String(repeating: "long", count: 50))'", [1]),
        ] as [(String, [Int])]
    ) func `lines that can be executed are known`(_ text: String, _ expected: [Int]) {
        #expect(LuaVM.activeLines(of: Array(text.utf8)) == expected)
    }

    @Test func `a text that does not compile has no such lines`() {
        #expect(LuaVM.activeLines(of: Array("x =".utf8)) == nil)
    }
}
