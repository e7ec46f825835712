#if Dashboard
internal import CMicroHTTPD
internal import OpScriptRecord

/// The events of a run, as a page receives them: a message at once, and then one in each interval.
///
/// A message is made when the one before has left, so a client that does not keep up gets less often more.
final class DashboardEvents: DashboardSource {
    /// How often a page gets a message, in milliseconds.
    private static let interval: Int32 = 250

    private let server: DashboardServer
    private var cursor: LiveCursor
    /// The bytes of the last message that have not left yet.
    private var rest: ArraySlice<UInt8> = []
    private var hasBegun = false
    private var isLast = false

    init(_ server: DashboardServer, after cursor: LiveCursor) {
        self.server = server
        self.cursor = cursor
    }

    func read(_ buffer: UnsafeMutableRawBufferPointer) -> Int {
        if rest.isEmpty {
            if isLast { return CMHD_END }
            if hasBegun, OneTimeSignal.wait(for: [server.closing], milliseconds: Self.interval) == [true] {
                return CMHD_FAULT
            }
            makeMessage()
        }
        let count = min(buffer.count, rest.count)
        buffer.copyBytes(from: rest.prefix(count))
        rest = rest.dropFirst(count)
        return count
    }

    private func makeMessage() {
        let message = server.dashboard.run.message(since: cursor)
        rest = (Array("id: \(message.cursor.text)\ndata: ".utf8) + message.bytes + Array("\n\n".utf8))[...]
        cursor = message.cursor
        isLast = message.isLast
        hasBegun = true
    }

    func close() { server.endStream() }
}
#endif
