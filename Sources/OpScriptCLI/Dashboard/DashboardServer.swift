#if Dashboard
internal import CMicroHTTPD
internal import Glibc
internal import OpScript
internal import Synchronization

/// Serves the live page by HTTP/1.1. The library gives each connection a thread of its own.
final class DashboardServer: Sendable {
    /// The most connections at once, and the most streams of events among them.
    private static let mostConnections: UInt32 = 64
    private static let mostStreams = 16
    /// A connection is closed when it has been silent for so many seconds.
    private static let patience: UInt32 = 60
    /// The most bytes of a request's body, which nothing needs.
    private static let mostOfBody = 4096

    let dashboard: Dashboard
    /// Ends the waits of all connections.
    let closing: OneTimeSignal
    private let streams = Atomic<Int>(0)

    private init(_ dashboard: Dashboard, _ closing: OneTimeSignal) {
        self.dashboard = dashboard
        self.closing = closing
    }

    /// How many pages receive events.
    var streamCount: Int { streams.load(ordering: .acquiring) }

    /// Counts a stream; false if there are too many.
    func beginStream() -> Bool {
        let count = streams.wrappingAdd(1, ordering: .acquiringAndReleasing).newValue
        if count > Self.mostStreams { streams.wrappingSubtract(1, ordering: .acquiringAndReleasing) }
        return count <= Self.mostStreams
    }

    func endStream() {
        streams.wrappingSubtract(1, ordering: .acquiringAndReleasing)
        WakePipe.call()
    }

    // MARK: Listening

    /// A server that listens; it has to be closed.
    struct Listening: Sendable {
        let server: DashboardServer
        /// The port that the system has given.
        let port: Int
        /// Only `close` uses it, once, and the library locks what its threads share.
        nonisolated(unsafe) private let handle: OpaquePointer

        fileprivate init(_ server: DashboardServer, port: Int, handle: OpaquePointer) {
            self.server = server
            self.port = port
            self.handle = handle
        }

        /// Closes all connections, and returns when their threads have ended.
        consuming func close() {
            server.closing.send()
            cmhd_stop(handle)
        }
    }

    /// Listens from now on.
    static func start(_ dashboard: Dashboard, at address: DashboardAddress) throws(Dashboard.Failure)
        -> Listening
    {
        if let reason = cmhd_open() {
            throw Dashboard.Failure(message: "cannot serve the page: \(String(cString: reason))")
        }
        let (listener, port) = try DashboardListener.open(at: address)
        guard let closing = OneTimeSignal() else {
            Glibc.close(listener)
            throw Dashboard.Failure(message: "cannot serve the page: \(SystemReason.describe(errno))")
        }
        let server = DashboardServer(dashboard, closing)
        // The caller keeps the server until the last connection has ended.
        let calls = cmhd_calls(owner: Unmanaged.passUnretained(server).toOpaque()) { owner, request in
            guard let owner, let request else { return }
            let server = Unmanaged<DashboardServer>.fromOpaque(owner).takeUnretainedValue()
            DashboardExchange(server, request).answer()
        }
        guard let handle = cmhd_start(listener, mostConnections, patience, mostOfBody, calls) else {
            Glibc.close(listener)
            throw Dashboard.Failure(message: "cannot serve the page: the system refuses a thread")
        }
        return Listening(server, port: port, handle: handle)
    }
}
#endif
