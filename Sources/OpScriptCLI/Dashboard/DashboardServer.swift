#if Dashboard
internal import Glibc
internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix
internal import Synchronization

/// Serves the live page by HTTP/1.1, on one thread of its own.
final class DashboardServer: Sendable {
    /// The most connections at once, and the most streams of events among them.
    private static let mostConnections = 64
    static let mostStreams = 16
    /// A connection without a stream is closed when it has been silent for so long.
    private static let patience = TimeAmount.seconds(60)

    private let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    private let listener: any Channel
    private let traffic = Traffic()
    /// The port that the system has given.
    let port: Int

    /// The numbers of open connections and of streams among them.
    final class Traffic: Sendable {
        let connections = Atomic<Int>(0)
        let streams = Atomic<Int>(0)
    }

    /// Listens from now on.
    init(_ dashboard: Dashboard, at address: DashboardAddress) throws(Dashboard.Failure) {
        let traffic = traffic
        do {
            listener = try ServerBootstrap(group: group)
                .serverChannelOption(.backlog, value: 64)
                .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
                .serverChannelInitializer(Self.closeOnExecution)
                .childChannelInitializer { channel in
                    Self.closeOnExecution(channel).flatMapThrowing {
                        guard Self.admit(channel, traffic) else { return channel.close(promise: nil) }
                        let pipeline = channel.pipeline.syncOperations
                        try pipeline.addHandler(IdleStateHandler(readTimeout: Self.patience))
                        try pipeline.configureHTTPServerPipeline(withErrorHandling: true)
                        try pipeline.addHandler(DashboardConnection(dashboard, traffic))
                    }
                }
                .bind(to: try SocketAddress(ipAddress: address.host, port: address.port))
                .wait()
            port = listener.localAddress?.port ?? address.port
        } catch {
            try? group.syncShutdownGracefully()
            let place = "\(address.host.contains(":") ? "[\(address.host)]" : address.host):\(address.port)"
            guard let code = (error as? IOError)?.errnoCode else {
                throw Dashboard.Failure(message: "cannot serve the page at \(place): \(error)")
            }
            let reason = code == EADDRINUSE ? "something else listens there" : SystemReason.describe(code)
            throw Dashboard.Failure(message: "cannot serve the page at \(place): \(reason)")
        }
    }

    /// How many pages receive events.
    var streamCount: Int { traffic.streams.load(ordering: .acquiring) }

    /// Closes everything.
    func close() { try? group.syncShutdownGracefully() }

    /// Counts a connection; false if there are too many.
    private static func admit(_ channel: any Channel, _ traffic: Traffic) -> Bool {
        let count = traffic.connections.wrappingAdd(1, ordering: .relaxed).newValue
        channel.closeFuture.whenComplete { _ in
            traffic.connections.wrappingSubtract(1, ordering: .relaxed)
        }
        return count <= mostConnections
    }

    /// Keeps a socket out of the processes that the script starts: a socket of NIO is inherited.
    @Sendable private static func closeOnExecution(_ channel: any Channel) -> EventLoopFuture<Void> {
        channel.eventLoop.submit {
            _ = try channel.pipeline.syncOperations.withUnsafeTransportIfAvailable(
                of: NIOBSDSocket.Handle.self
            ) { fcntl($0, F_SETFD, FD_CLOEXEC) }
        }
    }
}

#endif
