import Glibc
import OpScript
import SystemPackage
import Testing

@testable import OpScriptWorks

/// Groups of processes: their members, and the table for the guardian.
@Suite struct GroupTests {
    @Test func `the group is behind the name, which may contain anything`() {
        func group(_ line: String) -> pid_t? { LiveProcess(17, status: Array(line.utf8))?.group }
        #expect(group("17 (sh) S 1 42 42 0 -1 4194560") == 42)
        #expect(group("17 (a) R 9 (b) S 1 43 42 0") == 43)
        #expect(group("17 (x) Z 1 42 42 0") == nil)
        #expect(group("17 (x) X 1 42 42 0") == nil)
        #expect(group("17 (x) S 1 17") == nil)
        #expect(group("17 (x") == nil)
        #expect(group("") == nil)
    }

    @Test func `a process is found in its own group until it has ended`() throws {
        let pipe = try Pipe()
        let process = try ProcessStart(
            program: "/bin/cat",
            words: [Array("cat".utf8)],
            descriptors: [pipe.reading, nil, nil]
        )()
        #expect(LiveProcess.members(of: process) == [process])
        kill(process, SIGKILL)
        // Ended, and not reaped.
        var information = siginfo_t()
        while waitid(P_PID, id_t(process), &information, WEXITED | WNOWAIT) < 0 {}
        #expect(LiveProcess.members(of: process) == [])
        #expect(kill(-process, 0) == 0)
        var status: CInt = 0
        while waitpid(process, &status, 0) < 0 {}
    }

    @Test func `the table is a file with a line for each group`() throws {
        let table = try GroupTable()
        let file = try table.readersDescriptor()
        func groups() throws -> Set<pid_t> {
            let bytes = try readFile(WorkContext(), FilePath("/proc/self/fd/\(file.number)"))
            let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
            return Set(lines.compactMap { pid_t($0.prefix { $0 != " " && $0 != "\0" }) })
        }
        #expect(try groups() == [])
        table.add(17)
        table.add(4_194_304)
        table.add(17)
        #expect(try groups() == [17, 4_194_304])
        table.remove(17)
        table.remove(18)
        #expect(try groups() == [4_194_304])
        // More than fit into one page of memory.
        let many = Set<pid_t>(1000..<2200)
        for group in many { table.add(group) }
        #expect(try groups() == many.union([4_194_304]))
        for group in many { table.remove(group) }
        table.remove(4_194_304)
        #expect(try groups() == [])
        table.add(5)
        #expect(try groups() == [5])
    }
}
