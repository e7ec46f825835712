internal import Foundation
internal import Synchronization

/// The settings that engines have made on one native queue, so that the end of an engine can undo them.
///
/// All engines that adopt the same queue share one instance. Each engine claims a value; the latest claim
/// counts. When an engine releases its claims, the latest remaining claim counts; without one, the host's
/// value counts. A value that differs from the one last written here comes from the host: it stays, and all
/// claims are void.
final class QueueClaims: Sendable {
    private struct State {
        var width: Claims<Int>
        var suspension: Claims<Bool>
    }

    let queue: OperationQueue
    private let state: Mutex<State>

    private init(_ queue: OperationQueue) {
        self.queue = queue
        state = Mutex(
            State(width: Claims(queue.maxConcurrentOperationCount), suspension: Claims(queue.isSuspended))
        )
    }

    func setWidth(_ width: Int, for holder: ObjectIdentifier) {
        state.withLock { state in
            state.width.claim(width, for: holder, current: queue.maxConcurrentOperationCount)
            queue.maxConcurrentOperationCount = width
            state.width.written = queue.maxConcurrentOperationCount
        }
    }

    func setSuspended(_ isSuspended: Bool, for holder: ObjectIdentifier) {
        state.withLock { state in
            state.suspension.claim(isSuspended, for: holder, current: queue.isSuspended)
            queue.isSuspended = isSuspended
            state.suspension.written = isSuspended
        }
    }

    /// Undoes the settings of an engine.
    func release(_ holder: ObjectIdentifier) {
        state.withLock { state in
            if let width = state.width.release(holder, current: queue.maxConcurrentOperationCount) {
                queue.maxConcurrentOperationCount = width
                state.width.written = queue.maxConcurrentOperationCount
            }
            if let isSuspended = state.suspension.release(holder, current: queue.isSuspended) {
                queue.isSuspended = isSuspended
                state.suspension.written = isSuspended
            }
        }
    }

    // MARK: One for each queue

    private struct Entry {
        weak var claims: QueueClaims?
    }

    /// The claims for each native queue. Claims hold their queue, so its address is not reused while they exist.
    private static let all = Mutex<[ObjectIdentifier: Entry]>([:])

    static func of(_ queue: OperationQueue) -> QueueClaims {
        all.withLock { all in
            if let claims = all[ObjectIdentifier(queue)]?.claims { return claims }
            all = all.filter { $0.value.claims != nil }
            let claims = QueueClaims(queue)
            all[ObjectIdentifier(queue)] = Entry(claims: claims)
            return claims
        }
    }
}

/// The claims to one property of a queue.
struct Claims<Value: Equatable & Sendable>: Sendable {
    /// The value that the host had set.
    private var base: Value
    /// The value that was last written on behalf of an engine; meaningless without claims.
    var written: Value
    /// The latest one is the last.
    private var claims: [(holder: ObjectIdentifier, value: Value)] = []

    init(_ value: Value) {
        base = value
        written = value
    }

    /// Notes a value that is about to be written.
    mutating func claim(_ value: Value, for holder: ObjectIdentifier, current: Value) {
        forgetIfChanged(current)
        if claims.isEmpty { base = current }
        claims.removeAll { $0.holder == holder }
        claims.append((holder, value))
    }

    /// Removes a claim; returns the value to write, if that differs from the current one.
    mutating func release(_ holder: ObjectIdentifier, current: Value) -> Value? {
        forgetIfChanged(current)
        guard claims.contains(where: { $0.holder == holder }) else { return nil }
        claims.removeAll { $0.holder == holder }
        let value = claims.last?.value ?? base
        return value == current ? nil : value
    }

    private mutating func forgetIfChanged(_ current: Value) {
        if current != written { claims = [] }
    }
}
