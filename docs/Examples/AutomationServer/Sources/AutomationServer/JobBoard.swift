import Foundation
import OpScript
import ServiceLifecycle
import Synchronization

/// Runs the jobs of all tenants, and keeps them until the server ends.
final class JobBoard: Service {
    enum Refusal: Error {
        /// The text does not compile.
        case syntax(ScriptError)
        /// The tenant has as many jobs as the quota allows.
        case quota
        case isClosing
    }

    /// The use of one tenant.
    private struct Place: Sendable {
        let tenant: Tenant
        let pool: ScriptEnginePool
        /// Compiles scripts, without running one.
        let checker: ScriptEngine
    }

    private struct State {
        var jobs: [String: Job] = [:]
        var unfinished = 0
        var isClosing = false
        var whenEmpty: [CheckedContinuation<Void, Never>] = []
    }

    private let places: [String: Place]
    private let grace: Duration
    private let state = Mutex(State())

    /// - Parameters:
    ///   - threads: Where the scripts of all tenants run.
    ///   - grace: How long jobs may continue when the server ends.
    init(_ tenants: [Tenant], on threads: ScriptThreads, grace: Duration) {
        self.grace = grace
        places = Dictionary(
            uniqueKeysWithValues: tenants.map { tenant in
                var configuration = ScriptEngine.Configuration.untrusted
                configuration.runLimit = .seconds(tenant.secondsPerRun)
                configuration.scriptExecutor = .threads(threads)
                let pool = ScriptEnginePool(configuration, count: tenant.running, prepare: Self.register)
                let checker = ScriptEngine(configuration)
                Self.register(checker)
                return (tenant.name, Place(tenant: tenant, pool: pool, checker: checker))
            }
        )
    }

    /// The functions that scripts can use here.
    private static func register(_ engine: ScriptEngine) {
        engine.register("checksum") { (text: String) in
            text.utf8.reduce(into: UInt32(1)) { $0 = $0 &* 31 &+ UInt32($1) }.description
        }
        engine.register("fetch") { (name: String, seconds: Double) async throws -> String in
            try await Task.sleep(for: .seconds(seconds))
            return "the content of \(name)"
        }
    }

    // MARK: Requests

    /// Begins a job.
    ///
    /// - Throws: ``Refusal``.
    func submit(_ code: String, for tenant: Tenant) async throws -> Job {
        guard let place = places[tenant.name] else { throw Refusal.quota }
        do {
            _ = try await place.checker.check(code: code, named: "@job.lua")
        } catch let error as ScriptError where error.code == .syntax {
            throw Refusal.syntax(error)
        }
        guard place.pool.runningCount + place.pool.waitingCount < tenant.running + tenant.waiting else {
            throw Refusal.quota
        }
        let job = Job(id: UUID().uuidString.lowercased(), tenant: tenant.name)
        let isAccepted = state.withLock { state in
            guard !state.isClosing else { return false }
            state.jobs[job.id] = job
            state.unfinished += 1
            return true
        }
        guard isAccepted else { throw Refusal.isClosing }
        let task = Task {
            await Self.run(job, code, in: place.pool)
            self.jobEnded()
        }
        job.whenCancelled { task.cancel() }
        return job
    }

    /// A job of the tenant; nil if there is none, or it belongs to another tenant.
    func job(_ id: String, of tenant: Tenant) -> Job? {
        state.withLock { $0.jobs[id] }.flatMap { $0.tenant == tenant.name ? $0 : nil }
    }

    private static func run(_ job: Job, _ code: String, in pool: ScriptEnginePool) async {
        do {
            _ = try await pool.withEngine({ job.write(String(decoding: $0, as: UTF8.self)) }) { engine in
                job.begin()
                return try await engine.run(code: code, named: "@job.lua")
            }
            job.end(.succeeded)
        } catch let error as ScriptError {
            job.end(error.code == .cancelled ? .cancelled : .failed, JobView.Problem(error))
        } catch {
            job.end(.failed, JobView.Problem(ScriptError(.failed, "\(error)")))
        }
    }

    // MARK: Metrics

    /// For Prometheus.
    var metrics: String {
        let jobs = state.withLock { Array($0.jobs.values) }
        var counts: [String: Int] = [:]
        for job in jobs { counts["\(job.tenant)\",state=\"\(job.state.rawValue)", default: 0] += 1 }
        let lines = counts.sorted { $0.key < $1.key }.map { "jobs{tenant=\"\($0.key)\"} \($0.value)" }
        return "# TYPE jobs gauge\n" + lines.map { $0 + "\n" }.joined()
    }

    // MARK: The end

    private func jobEnded() {
        let waiting = state.withLock { state in
            state.unfinished -= 1
            guard state.unfinished == 0 else { return [CheckedContinuation<Void, Never>]() }
            defer { state.whenEmpty = [] }
            return state.whenEmpty
        }
        for continuation in waiting { continuation.resume() }
    }

    private func waitUntilEmpty() async {
        await withCheckedContinuation { continuation in
            let isEmpty = state.withLock { state in
                if state.unfinished > 0 { state.whenEmpty.append(continuation) }
                return state.unfinished == 0
            }
            if isEmpty { continuation.resume() }
        }
    }

    /// Lives until the server ends; then jobs have their grace, and jobs that run after it are cancelled.
    func run() async throws {
        try? await gracefulShutdown()
        let jobs = state.withLock { state in
            state.isClosing = true
            return Array(state.jobs.values)
        }
        let end = Task { [grace] in
            try await Task.sleep(for: grace)
            for job in jobs { job.cancel() }
        }
        await waitUntilEmpty()
        end.cancel()
        for place in places.values {
            place.pool.shutdown()
            place.checker.shutdown()
        }
    }
}
