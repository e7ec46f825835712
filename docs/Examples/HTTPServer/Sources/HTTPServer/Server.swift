import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix

/// Serves what clients ask for by HTTP/1.1.
struct Server: Sendable {
    let routes: Routes

    private typealias Client = NIOAsyncChannel<HTTPServerRequestPart, HTTPPart<HTTPResponseHead, ByteBuffer>>

    func run(port: Int) async throws {
        let server = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .bind(host: "127.0.0.1", port: port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.configureHTTPServerPipeline()
                    try channel.pipeline.syncOperations.addHandler(ResponseBytes())
                    return try Client(wrappingChannelSynchronously: channel)
                }
            }
        let line = "listening on port \(server.channel.localAddress?.port ?? port)\n"
        try FileHandle.standardOutput.write(contentsOf: Data(line.utf8))
        try await withThrowingDiscardingTaskGroup { group in
            try await server.executeThenClose { clients in
                for try await client in clients {
                    // A client that goes away ends its own task only.
                    group.addTask { try? await serve(client) }
                }
            }
        }
    }

    /// Serves the requests of one connection, one after the other; those of others are served meanwhile.
    private func serve(_ client: Client) async throws {
        try await client.executeThenClose { requests, responses in
            for try await part in requests {
                guard case .head(let head) = part else { continue }
                let (path, query) = Self.split(head.uri)
                let answer = await routes.answer(to: path, query)
                let body = ByteBuffer(string: answer.text)
                let response = HTTPResponseHead(
                    version: head.version,
                    status: HTTPResponseStatus(statusCode: answer.status),
                    headers: ["content-length": "\(body.readableBytes)"]
                )
                try await responses.write(.head(response))
                try await responses.write(.body(body))
                try await responses.write(.end(nil))
                if !head.isKeepAlive { return }
            }
        }
    }

    /// `/digests?texts=a,b` as `digests` and `["texts": "a,b"]`.
    private static func split(_ uri: String) -> (path: String, query: [String: String]) {
        let parts = uri.drop { $0 == "/" }.split(separator: "?", maxSplits: 1)
        let pairs = (parts.dropFirst().first ?? "").split(separator: "&").map { pair in
            let sides = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(
                String.init
            )
            return (sides[0], sides.dropFirst().first ?? "")
        }
        return (parts.first.map(String.init) ?? "", Dictionary(pairs) { $1 })
    }
}
