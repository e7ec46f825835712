#if HTTP
internal import AsyncHTTPClient
internal import Glibc
internal import NIOCore
internal import NIOPosix
internal import NIOSSL
internal import Synchronization

/// The HTTP clients of the process: one for each proxy and each file of certificates, created when needed.
final class WebClients: Sendable {
    static let shared = WebClients()

    /// How many redirects are followed.
    static let redirectLimit = 10
    /// Seconds that establishing a connection may take.
    static let connectSeconds: Int64 = 30

    private struct Key: Hashable {
        var proxy: WebProxy?
        var certificates: String?
    }

    private let clients = Mutex<[Key: HTTPClient]>([:])

    /// - Parameter certificates: The path of a file with the certificates to trust, instead of those of the system.
    func client(_ proxy: WebProxy?, certificates: String?) -> HTTPClient {
        let key = Key(proxy: proxy, certificates: certificates)
        return clients.withLock { clients in
            if let client = clients[key] { return client }
            var configuration = HTTPClient.Configuration()
            configuration.redirectConfiguration = .follow(max: Self.redirectLimit, allowCycles: false)
            // The script decides how long to wait for a silent server.
            configuration.timeout = .init(connect: .seconds(Self.connectSeconds), read: nil)
            // A failure to connect is reported at once, and not retried until the time runs out.
            configuration.connectionPool.retryConnectionEstablishment = false
            configuration.http1_1ConnectionDebugInitializer = closeOnExecution
            configuration.http2ConnectionDebugInitializer = closeOnExecution
            if let certificates {
                var tls = TLSConfiguration.makeClientConfiguration()
                tls.trustRoots = .file(certificates)
                configuration.tlsConfiguration = tls
            }
            if let proxy {
                configuration.proxy = .server(
                    host: proxy.host,
                    port: proxy.port,
                    authorization: proxy.user.map { .basic(username: $0, password: proxy.password ?? "") }
                )
            }
            // Its threads are shared by the process; they start with the first request.
            let client = HTTPClient(
                eventLoopGroup: HTTPClient.defaultEventLoopGroup,
                configuration: configuration
            )
            clients[key] = client
            return client
        }
    }
}

/// Keeps the socket of a connection out of the processes that the script starts with `io.popen` and `os.execute`.
///
/// A socket of NIO is inherited. The server would see the end of a closed connection only when that process ends, too.
@Sendable private func closeOnExecution(_ channel: any Channel) -> EventLoopFuture<Void> {
    channel.eventLoop.submit {
        _ = try channel.pipeline.syncOperations.withUnsafeTransportIfAvailable(of: NIOBSDSocket.Handle.self) {
            fcntl($0, F_SETFD, FD_CLOEXEC)
        }
    }
}
#endif
