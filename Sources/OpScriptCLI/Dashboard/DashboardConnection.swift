#if Dashboard
internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix
internal import OpScript
internal import OpScriptRecord
internal import Synchronization

/// One connection of a client: reads a request, has the gate decide, and writes what comes of it.
///
/// Confined to the event loop of its channel.
final class DashboardConnection: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    /// How often a page gets a message.
    private static let interval = TimeAmount.milliseconds(250)
    /// The most bytes of a request's body, which nothing needs.
    private static let mostOfBody = 4096

    private let dashboard: Dashboard
    private let traffic: DashboardServer.Traffic
    private var head: HTTPRequestHead?
    private var bodyCount = 0
    /// Whether another request may follow on this connection.
    private var isKeptAlive = true
    /// The end of the last message, while events are streamed.
    private var cursor: LiveCursor?
    private var tick: Scheduled<Void>?

    init(_ dashboard: Dashboard, _ traffic: DashboardServer.Traffic) {
        self.dashboard = dashboard
        self.traffic = traffic
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            self.head = head
            bodyCount = 0
        case .body(let buffer):
            bodyCount += buffer.readableBytes
            if bodyCount > Self.mostOfBody { context.close(promise: nil) }
        case .end:
            guard let head = head.take(), cursor == nil else { return }
            answer(head, context)
        }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event is IdleStateHandler.IdleStateEvent, cursor == nil { context.close(promise: nil) }
        context.fireUserInboundEventTriggered(event)
    }

    func channelInactive(context: ChannelHandlerContext) {
        endStream()
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // A mistake of a client concerns its connection only.
        context.close(promise: nil)
    }

    // MARK: Answers

    private func answer(_ head: HTTPRequestHead, _ context: ChannelHandlerContext) {
        isKeptAlive = head.isKeepAlive
        let request = DashboardRequest(
            method: head.method.rawValue,
            target: head.uri,
            hosts: head.headers["host"],
            authorization: head.headers.first(name: "authorization"),
            lastEvent: head.headers.first(name: "last-event-id")
        )
        switch dashboard.gate.answer(request) {
        case .page: send(.ok, "text/html; charset=utf-8", LivePage.bytes, context)
        case .events(let cursor): stream(after: cursor, context)
        case .report: sendReport(context)
        case .refusal(let status, let reason): refuse(status, reason, context)
        case .order(let order):
            let place = NIOLoopBound((self, context), eventLoop: context.eventLoop)
            let loop = context.eventLoop
            dashboard.follow(order) { result in
                loop.execute {
                    let (connection, context) = place.value
                    switch result {
                    case .done:
                        connection.send(.ok, "text/plain; charset=utf-8", Array("done\n".utf8), context)
                    case .refused(let reason): connection.refuse(409, reason, context)
                    }
                }
            }
        }
    }

    private func refuse(_ status: Int, _ reason: String, _ context: ChannelHandlerContext) {
        send(
            HTTPResponseStatus(statusCode: status),
            "text/plain; charset=utf-8",
            Array("\(reason)\n".utf8),
            context
        )
    }

    private func send(
        _ status: HTTPResponseStatus,
        _ type: String,
        _ bytes: [UInt8],
        _ context: ChannelHandlerContext
    ) {
        var headers = Self.headers(type)
        headers.add(name: "content-length", value: "\(bytes.count)")
        write(.head(HTTPResponseHead(version: .http1_1, status: status, headers: headers)), context)
        write(.body(.byteBuffer(context.channel.allocator.buffer(bytes: bytes))), context)
        end(context)
    }

    private static func headers(_ type: String) -> HTTPHeaders {
        [
            "content-type": type,
            "content-security-policy": LivePage.policy,
            "cache-control": "no-store",
            "referrer-policy": "no-referrer",
            "x-content-type-options": "nosniff",
        ]
    }

    private func write(_ part: HTTPServerResponsePart, _ context: ChannelHandlerContext) {
        context.write(wrapOutboundOut(part), promise: nil)
    }

    private func end(_ context: ChannelHandlerContext) {
        let place = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        context.writeAndFlush(wrapOutboundOut(.end(nil))).whenComplete { _ in
            let (connection, context) = place.value
            if !connection.isKeptAlive { context.close(promise: nil) }
        }
    }

    // MARK: The whole report

    private func sendReport(_ context: ChannelHandlerContext) {
        guard let record = dashboard.run.record else {
            return refuse(404, "the whole report is here after the run, with --dashboard-keep", context)
        }
        var headers = Self.headers("text/html; charset=utf-8")
        headers.add(name: "transfer-encoding", value: "chunked")
        write(.head(HTTPResponseHead(version: .http1_1, status: .ok, headers: headers)), context)
        let (channel, isKeptAlive) = (context.channel, isKeptAlive)
        // On another thread: a large record takes seconds. Each piece is gone before the next one is made.
        NIOThreadPool.singleton.submit { _ in
            do {
                try record.write(.html) { bytes in
                    let part = HTTPServerResponsePart.body(.byteBuffer(ByteBuffer(bytes: bytes)))
                    try channel.writeAndFlush(part).wait()
                }
                try channel.writeAndFlush(HTTPServerResponsePart.end(nil)).wait()
                if !isKeptAlive { channel.close(promise: nil) }
            } catch {
                channel.close(promise: nil)
            }
        }
    }

    // MARK: Events

    private func stream(after cursor: LiveCursor, _ context: ChannelHandlerContext) {
        let count = traffic.streams.wrappingAdd(1, ordering: .acquiringAndReleasing).newValue
        guard count <= DashboardServer.mostStreams else {
            traffic.streams.wrappingSubtract(1, ordering: .acquiringAndReleasing)
            return refuse(503, "too many pages are open", context)
        }
        self.cursor = cursor
        var headers = Self.headers("text/event-stream")
        headers.add(name: "transfer-encoding", value: "chunked")
        write(.head(HTTPResponseHead(version: .http1_1, status: .ok, headers: headers)), context)
        sendMessage(context)
    }

    /// Sends what is new, and does so again after a while. A client that does not keep up gets less often more.
    private func sendMessage(_ context: ChannelHandlerContext) {
        guard let cursor else { return }
        if context.channel.isWritable {
            let message = dashboard.run.message(since: cursor)
            var buffer = context.channel.allocator.buffer(capacity: message.bytes.count + 64)
            buffer.writeString("id: \(message.cursor.text)\ndata: ")
            buffer.writeBytes(message.bytes)
            buffer.writeString("\n\n")
            self.cursor = message.cursor
            context.writeAndFlush(wrapOutboundOut(.body(.byteBuffer(buffer))), promise: nil)
            if message.isLast { return sendLast(context) }
        }
        let place = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        tick = context.eventLoop.scheduleTask(in: Self.interval) {
            let (connection, context) = place.value
            connection.sendMessage(context)
        }
    }

    /// Ends the stream, and counts it until what it says has left.
    private func sendLast(_ context: ChannelHandlerContext) {
        let place = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        context.writeAndFlush(wrapOutboundOut(.end(nil))).whenComplete { _ in
            place.value.0.endStream()
            place.value.1.close(promise: nil)
        }
    }

    private func endStream() {
        tick?.cancel()
        tick = nil
        guard cursor.take() != nil else { return }
        traffic.streams.wrappingSubtract(1, ordering: .acquiringAndReleasing)
        WakePipe.call()
    }
}
#endif
