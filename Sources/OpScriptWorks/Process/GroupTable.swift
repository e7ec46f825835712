internal import Glibc
internal import CLinux
internal import Synchronization

/// Numbers of process groups, in memory that another process can read as a file of lines.
///
/// A line is one word of memory, so that a reader finds a whole number or nothing even if this process was
/// killed in between.
final class GroupTable: Sendable {
    private struct State {
        var lines: UnsafeMutableBufferPointer<UInt64>
        var free: [Int] = []
        var used = 0
        var places: [pid_t: Int] = [:]
    }

    private static let linesOfPage = 512

    private let file: SharedDescriptor
    private let state: Mutex<State>

    init() throws(SystemCallError) {
        let file = try SharedDescriptor {
            linux_memory_file("process groups", linux_memory_file_is_private)
        }
        state = Mutex(State(lines: try Self.map(file, Self.linesOfPage)))
        self.file = file
    }

    deinit {
        state.withLock { Self.unmap($0.lines) }
    }

    /// A descriptor for the reader of the lines.
    func readersDescriptor() throws(SystemCallError) -> SharedDescriptor { try file.aboveStandard() }

    /// Adds a group, unless no memory is left.
    func add(_ group: pid_t) {
        state.withLock { state in
            guard state.places[group] == nil else { return }
            if state.free.isEmpty, state.used == state.lines.count {
                guard let lines = try? Self.map(file, state.lines.count + Self.linesOfPage) else { return }
                Self.unmap(state.lines)
                state.lines = lines
            }
            let place = state.free.popLast() ?? state.used
            if place == state.used { state.used += 1 }
            state.places[group] = place
            state.lines[place] = Self.line("\(group)")
        }
    }

    func remove(_ group: pid_t) {
        state.withLock { state in
            guard let place = state.places.removeValue(forKey: group) else { return }
            state.lines[place] = Self.line("")
            state.free.append(place)
        }
    }

    /// Seven characters, which the kernel's largest number has, and the end of the line.
    private static func line(_ text: String) -> UInt64 {
        var line: UInt64 = 0
        let end: [UInt8] = [UInt8(ascii: "\n")]
        let bytes = text.utf8 + Array(repeating: UInt8(ascii: " "), count: max(0, 7 - text.utf8.count)) + end
        for (index, byte) in bytes.prefix(8).enumerated() { line |= UInt64(byte) << UInt64(8 * index) }
        return UInt64(littleEndian: line)
    }

    /// Makes the file this many lines long, and maps it.
    private static func map(_ file: SharedDescriptor, _ count: Int) throws(SystemCallError)
        -> UnsafeMutableBufferPointer<UInt64>
    {
        let size = count * MemoryLayout<UInt64>.size
        // Allocated from now on: a page that was missing later would end this process.
        let code = posix_fallocate(file.number, 0, size)
        guard code == 0 else { throw SystemCallError(code: code) }
        guard let memory = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_SHARED, file.number, 0),
            memory != MAP_FAILED
        else { throw SystemCallError(code: errno) }
        return UnsafeMutableBufferPointer(
            start: memory.bindMemory(to: UInt64.self, capacity: count),
            count: count
        )
    }

    private static func unmap(_ lines: UnsafeMutableBufferPointer<UInt64>) {
        munmap(lines.baseAddress, lines.count * MemoryLayout<UInt64>.size)
    }
}
