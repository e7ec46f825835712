internal import OpScriptRecord

/// The request of a client of the live page: the parts that matter.
struct DashboardRequest: Equatable {
    var method: String
    /// Path and query, as they were sent.
    var target: String
    /// All values of the header `Host`.
    var hosts: [String]
    var authorization: String?
    /// The header `Last-Event-ID`, which a browser sends when it comes back.
    var lastEvent: String?
}

/// A request to change the run.
enum DashboardOrder: Equatable, Sendable {
    case suspend(queue: Int)
    case resume(queue: Int)
    case cancelOperation(Int)
    case cancelRun
}

/// Decides what each request gets. Pure.
struct DashboardGate: Sendable {
    enum Answer: Equatable {
        case page
        /// The stream of events after a cursor.
        case events(LiveCursor)
        /// The page of the record, after the run.
        case report
        case order(DashboardOrder)
        case refusal(Int, String)
    }

    let token: DashboardToken

    func answer(_ request: DashboardRequest) -> Answer {
        // A foreign page can make a browser send requests here under a name of its own, but not without that name.
        guard request.hosts.count == 1 else { return .refusal(400, "one Host header expected") }
        guard HostName.isSafe(request.hosts[0]) else {
            return .refusal(403, "open this page by an IP address or as localhost")
        }
        guard let (path, query) = Self.parse(request.target) else { return .refusal(400, "a path expected") }
        let bearer = request.authorization.flatMap { $0.hasPrefix("Bearer ") ? String($0.dropFirst(7)) : nil }
        guard token.matches(query["token"] ?? bearer ?? "") else {
            return .refusal(403, "the token is missing or wrong; the command has printed the whole address")
        }
        switch path {
        case "/": return reading(request, .page)
        case "/events":
            return reading(request, .events(LiveCursor(request.lastEvent ?? query["since"] ?? "")))
        case "/report": return reading(request, .report)
        case "/suspend": return order(request, query, "queue") { .suspend(queue: $0) }
        case "/resume": return order(request, query, "queue") { .resume(queue: $0) }
        case "/cancel": return order(request, query, "operation") { .cancelOperation($0) }
        case "/cancelRun":
            return request.method == "POST" ? .order(.cancelRun) : .refusal(405, "POST expected")
        default: return .refusal(404, "there is nothing at this path")
        }
    }

    private func reading(_ request: DashboardRequest, _ answer: Answer) -> Answer {
        request.method == "GET" ? answer : .refusal(405, "GET expected")
    }

    /// An order for the queue or the operation whose number is in the query.
    private func order(
        _ request: DashboardRequest,
        _ query: [String: String],
        _ name: String,
        _ make: (Int) -> DashboardOrder
    ) -> Answer {
        guard request.method == "POST" else { return .refusal(405, "POST expected") }
        guard let number = number(query[name]) else {
            let got = query[name].map { "got '\($0)'" } ?? "got none"
            return .refusal(400, "a number expected for '\(name)' in the query, \(got): \(name)=1")
        }
        return .order(make(number))
    }

    private func number(_ text: String?) -> Int? {
        guard let text, text.utf8.count <= 10, let number = Int(text), number >= 0 else { return nil }
        return number
    }

    /// The path and the fields of the query; the first of each name counts. No value that matters is ever escaped.
    static func parse(_ target: String) -> (path: String, query: [String: String])? {
        guard target.hasPrefix("/") else { return nil }
        let parts = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        let fields = (parts.count > 1 ? parts[1] : "").split(separator: "&").map { field in
            let sides = field.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return (String(sides[0]), sides.count > 1 ? String(sides[1]) : "")
        }
        return (String(parts[0]), Dictionary(fields) { first, _ in first })
    }
}
