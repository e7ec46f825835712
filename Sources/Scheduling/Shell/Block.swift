/// A closure that is an operation without a handle.
enum Block: Sendable {
    case plain(GenericClosure<@Sendable () -> Void>)
    case throwing(GenericClosure<@Sendable () throws -> Void>)

    @inline(__always)
    func run() throws {
        switch self {
        case .plain(let closure): closure.value()
        case .throwing(let closure): try closure.value()
        }
    }
}

/// A closure as an array holds it.
///
/// Swift calls closures in another way in generic code than elsewhere, and puts a closure around each one that crosses
/// the border. As long as it stays in generic types, from the array to its call, it is the only allocation.
struct GenericClosure<Closure> {
    let value: Closure

    init(_ value: Closure) { self.value = value }
}

extension GenericClosure: Sendable where Closure: Sendable {}

/// A block where the body of an operation is expected.
final class BlockBody: OperationBody {
    private let block: Block

    init(_ block: Block) { self.block = block }

    package func execute() throws { try block.run() }

    /// A block cannot see a cancellation.
    package func cancelExecution() {}
}
