#if HTTP
internal import AsyncHTTPClient
internal import Glibc
internal import NIOCore
internal import NIOPosix
internal import NIOSSL
internal import Synchronization

/// The HTTP clients of the process: one for each proxy and each file of certificates, made when they are needed.
final class WebClients: Sendable {
    static let shared = WebClients()

    /// How many redirects are followed.
    static let redirectLimit = 10
    /// Seconds for a connection to come about.
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
            // How long a silent server is waited for is the script's to say.
            configuration.timeout = .init(connect: .seconds(Self.connectSeconds), read: nil)
            // What cannot be connected to is told at once, and not tried again until the time runs out.
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
            // Its threads are the process's; they start with the first request.
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
