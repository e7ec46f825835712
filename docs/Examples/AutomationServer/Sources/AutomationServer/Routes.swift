import Hummingbird
import OpScript

/// A request, and whose it is.
struct TenantContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    var tenant: Tenant?

    init(source: Source) { coreContext = CoreRequestContextStorage(source: source) }

    /// - Throws: 401 without a known token.
    var known: Tenant {
        get throws {
            guard let tenant else {
                throw HTTPError(.unauthorized, message: "send 'Authorization: Bearer TOKEN'")
            }
            return tenant
        }
    }
}

/// Finds the tenant of each request.
struct Authentication: RouterMiddleware {
    typealias Context = TenantContext

    let tenants: [String: Tenant]

    init(_ tenants: [Tenant]) {
        self.tenants = Dictionary(uniqueKeysWithValues: tenants.map { ($0.token, $0) })
    }

    func handle(
        _ request: Request,
        context: TenantContext,
        next: (Request, TenantContext) async throws -> Response
    ) async throws -> Response {
        var context = context
        if let header = request.headers[.authorization], header.hasPrefix("Bearer ") {
            context.tenant = tenants[String(header.dropFirst(7))]
        }
        return try await next(request, context)
    }
}

extension JobView: ResponseEncodable {}

/// The longest script, in bytes.
private let longestScript = 256 << 10

func makeRouter(_ board: JobBoard, _ tenants: [Tenant]) -> Router<TenantContext> {
    let router = Router(context: TenantContext.self)
    router.add(middleware: Authentication(tenants))

    router.get("health") { _, _ in "ok\n" }
    router.get("metrics") { _, _ in board.metrics }

    // The body is the script.
    router.post("jobs") { request, context in
        let tenant = try context.known
        let body = try await request.body.collect(upTo: longestScript)
        do {
            let job = try await board.submit(String(buffer: body), for: tenant)
            return EditedResponse(
                status: .accepted,
                headers: [.location: "/jobs/\(job.id)"],
                response: job.view
            )
        } catch JobBoard.Refusal.syntax(let error) {
            throw HTTPError(.badRequest, message: error.message)
        } catch JobBoard.Refusal.quota {
            throw HTTPError(.tooManyRequests, message: "\(tenant.name) has as many jobs as its quota allows")
        } catch JobBoard.Refusal.isClosing {
            throw HTTPError(.serviceUnavailable, message: "the server ends: try again later")
        }
    }

    router.get("jobs/:id") { _, context in try find(board, context).view }

    router.delete("jobs/:id") { _, context in
        let job = try find(board, context)
        job.cancel()
        return job.view
    }

    // Server-sent events: `state` and `output`, until the job is over.
    router.get("jobs/:id/events") { _, context in
        let events = try find(board, context).events().map { ByteBuffer(string: text(of: $0)) }
        return Response(
            status: .ok,
            headers: [.contentType: "text/event-stream", .cacheControl: "no-cache"],
            body: ResponseBody(asyncSequence: events)
        )
    }
    return router
}

private func find(_ board: JobBoard, _ context: TenantContext) throws -> Job {
    guard let job = board.job(try context.parameters.require("id"), of: try context.known) else {
        throw HTTPError(.notFound, message: "there is no such job")
    }
    return job
}

private func text(of event: Job.Event) -> String {
    switch event {
    case .state(let state): return "event: state\ndata: \(state.rawValue)\n\n"
    case .output(let text):
        // Each line has a field of its own; the client puts them together again.
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        return "event: output\n" + lines.map { "data: \($0)\n" }.joined() + "\n"
    }
}
