internal import Glibc
internal import Scheduling

extension Shape {
    /// The resident memory of a waiting operation with a name and a dependency, in bytes.
    static let pendingMemory = weighed("scheduling.pending") { n, tally in
        let scheduler = Scheduler()
        let queue = ScheduledQueue(scheduler)
        queue.isSuspended = true
        let before = try residentBytes()
        var last: ScheduledOperation?
        for i in 0..<n {
            let operation = ScheduledOperation(scheduler, name: "op \(i)") { () throws in tally.add() }
            if let last { try operation.addDependency(last) }
            try queue.add(operation)
            last = operation
        }
        let after = try residentBytes()
        last = nil
        queue.isSuspended = false
        queue.waitUntilAllOperationsAreFinished()
        return after - before
    }

    /// The memory of this process that is in RAM.
    private static func residentBytes() throws -> Int {
        guard let file = fopen("/proc/self/statm", "r") else {
            throw BenchError("this system has no /proc/self/statm")
        }
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 128)
        guard fgets(&line, Int32(line.count), file) != nil else {
            throw BenchError("/proc/self/statm is empty")
        }
        let text = String(decoding: line.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        let fields = text.split(separator: " ")
        guard fields.count > 1, let pages = Int(fields[1]) else {
            throw BenchError("/proc/self/statm reads '\(text)'")
        }
        return pages * sysconf(Int32(_SC_PAGESIZE))
    }
}
