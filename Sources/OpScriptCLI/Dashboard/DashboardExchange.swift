#if Dashboard
internal import CMicroHTTPD
internal import OpScript
internal import OpScriptRecord
internal import Synchronization

/// One request of a client: has the gate decide, and sends what comes of it.
///
/// It exists on the thread of its connection, which may wait.
struct DashboardExchange {
    private let server: DashboardServer
    private let request: OpaquePointer

    init(_ server: DashboardServer, _ request: OpaquePointer) {
        self.server = server
        self.request = request
    }

    func answer() {
        switch server.dashboard.gate.answer(readRequest()) {
        case .page: send(200, "text/html; charset=utf-8", LivePage.bytes)
        case .events(let cursor): streamEvents(after: cursor)
        case .report: sendReport()
        case .refusal(let status, let reason): refuse(status, reason)
        case .order(let order): follow(order)
        }
    }

    private func readRequest() -> DashboardRequest {
        var parts = DashboardRequest(
            method: String(cString: cmhd_method(request)),
            target: String(cString: cmhd_target(request)),
            hosts: []
        )
        withUnsafeMutablePointer(to: &parts) { parts in
            cmhd_each_field(request, parts) { owner, name, value in
                guard let owner, let name, let value else { return }
                let parts = owner.assumingMemoryBound(to: DashboardRequest.self)
                let text = String(cString: value)
                switch String(cString: name).lowercased() {
                case "host": parts.pointee.hosts.append(text)
                case "authorization": parts.pointee.authorization = parts.pointee.authorization ?? text
                case "last-event-id": parts.pointee.lastEvent = parts.pointee.lastEvent ?? text
                default: break
                }
            }
        }
        return parts
    }

    /// Follows an order, and waits for what comes of it; the engine answers on a thread of its own.
    private func follow(_ order: DashboardOrder) {
        guard let isAnswered = OneTimeSignal() else { return refuse(503, "no descriptor is left") }
        let reply = OrderReply()
        server.dashboard.follow(order) { result in
            reply.result.withLock { $0 = result }
            isAnswered.send()
        }
        _ = OneTimeSignal.wait(for: [isAnswered, server.closing])
        switch reply.result.withLock({ $0 }) {
        case .done: send(200, "text/plain; charset=utf-8", Array("done\n".utf8))
        case .refused(let reason): refuse(409, reason)
        case nil: refuse(409, "the run has ended")
        }
    }

    private final class OrderReply: Sendable {
        let result = Mutex<ScriptEngine.OrderResult?>(nil)
    }

    private func streamEvents(after cursor: LiveCursor) {
        guard server.beginStream() else { return refuse(503, "too many pages are open") }
        stream("text/event-stream", DashboardEvents(server, after: cursor))
    }

    private func sendReport() {
        guard let record = server.dashboard.run.record else {
            return refuse(404, "the whole report is here after the run, with --dashboard-keep")
        }
        guard let report = DashboardReport(record) else {
            return refuse(503, "no thread or descriptor is left")
        }
        stream("text/html; charset=utf-8", report)
    }

    // MARK: Responses

    private static let fields = [
        "content-security-policy": LivePage.policy,
        "cache-control": "no-store",
        "referrer-policy": "no-referrer",
        "x-content-type-options": "nosniff",
    ]

    private func refuse(_ status: Int, _ reason: String) {
        // Such a client has made a mistake; its connection is not kept.
        send(status, "text/plain; charset=utf-8", Array("\(reason)\n".utf8), more: [("connection", "close")])
    }

    private func send(_ status: Int, _ type: String, _ body: [UInt8], more: [(String, String)] = []) {
        withFields(type, more) { fields in
            _ = cmhd_send(request, UInt32(status), fields.baseAddress, fields.count, body, body.count)
        }
    }

    private func stream(_ type: String, _ source: any DashboardSource) {
        // The library releases it when nothing more is read.
        let owner = Unmanaged.passRetained(SourceBox(source)).toOpaque()
        let reader = cmhd_reader(
            owner: owner,
            read: { owner, buffer, size in
                guard let owner, let buffer else { return CMHD_FAULT }
                let box = Unmanaged<SourceBox>.fromOpaque(owner).takeUnretainedValue()
                return box.source.read(UnsafeMutableRawBufferPointer(start: buffer, count: size))
            },
            release: { owner in
                guard let owner else { return }
                Unmanaged<SourceBox>.fromOpaque(owner).takeRetainedValue().source.close()
            }
        )
        withFields(type) { fields in
            _ = cmhd_stream(request, 200, fields.baseAddress, fields.count, reader)
        }
    }

    private final class SourceBox {
        let source: any DashboardSource
        init(_ source: any DashboardSource) { self.source = source }
    }

    private func withFields(
        _ type: String,
        _ more: [(String, String)] = [],
        _ body: (UnsafeBufferPointer<cmhd_field>) -> Void
    ) {
        let texts = Self.fields.map { ($0.key, $0.value) } + [("content-type", type)] + more
        func add(_ rest: ArraySlice<(String, String)>, _ fields: [cmhd_field]) {
            guard let (name, value) = rest.first else { return fields.withUnsafeBufferPointer(body) }
            name.withCString { name in
                value.withCString { value in
                    add(rest.dropFirst(), fields + [cmhd_field(name: name, value: value)])
                }
            }
        }
        add(texts[...], [])
    }
}

/// The body of a response that comes in pieces. It is used on the thread of its connection alone.
protocol DashboardSource: AnyObject {
    /// Writes the next bytes, and waits for them if it has to.
    ///
    /// - Returns: Their number, `CMHD_END`, or `CMHD_FAULT`.
    func read(_ buffer: UnsafeMutableRawBufferPointer) -> Int
    /// Nothing more is read.
    func close()
}
#endif
