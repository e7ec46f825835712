#if Dashboard
internal import CMicroHTTPD
internal import Glibc
internal import OpScriptRecord
internal import Scheduling
internal import Synchronization

/// The page of a whole record. A thread writes it into a socket while the connection's thread reads from the other end,
/// so that it is never in memory as a whole.
final class DashboardReport: DashboardSource {
    private struct ClientLeft: Error {}

    private let readEnd: Int32
    private let isWhole: Flag

    private final class Flag: Sendable {
        let value = Atomic<Bool>(false)
    }

    /// Nil if the system refuses a descriptor or a thread.
    init?(_ record: RunRecord) {
        var ends: [Int32] = [-1, -1]
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else { return nil }
        let (isWhole, writeEnd) = (Flag(), ends[1])
        readEnd = ends[0]
        self.isWhole = isWhole
        let hasBegun = SystemThread.start(name: "report") {
            defer { Glibc.close(writeEnd) }
            // The only failure is a client that has left: its connection reads no more.
            guard (try? record.write(.html) { try Self.send($0, to: writeEnd) }) != nil else { return }
            isWhole.value.store(true, ordering: .releasing)
        }
        guard hasBegun else {
            for end in ends { Glibc.close(end) }
            return nil
        }
    }

    private static func send(_ bytes: [UInt8], to end: Int32) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                Glibc.send(end, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            if count < 0 {
                if errno == EINTR { continue }
                throw ClientLeft()
            }
            rest = rest.dropFirst(count)
        }
    }

    func read(_ buffer: UnsafeMutableRawBufferPointer) -> Int {
        while true {
            let count = recv(readEnd, buffer.baseAddress, buffer.count, 0)
            if count > 0 { return count }
            if count < 0, errno == EINTR { continue }
            let isEnd = count == 0 && isWhole.value.load(ordering: .acquiring)
            return isEnd ? CMHD_END : CMHD_FAULT
        }
    }

    func close() { Glibc.close(readEnd) }
}
#endif
