@testable import Scheduling

extension ProtocolJob {
    /// Jobs for each action of users, as small as possible.
    static let small: [ProtocolJob] = [
        ProtocolJob(
            name: "one lane, two operations",
            queues: [Queue()],
            operations: [Operation(), Operation()],
            users: [[.add(0, to: 0), .add(1, to: 0)]],
            departures: 1
        ),
        ProtocolJob(
            name: "two lanes, one is cancelled",
            queues: [Queue(), Queue()],
            operations: [Operation(), Operation(quality: .utility)],
            users: [[.add(0, to: 0), .cancel(0)], [.add(1, to: 1)]]
        ),
        ProtocolJob(
            name: "two lanes, one queue is suspended",
            queues: [Queue(), Queue()],
            operations: [Operation(), Operation(quality: .utility)],
            users: [[.add(0, to: 0), .suspend(0), .resume(0)], [.add(1, to: 1)]]
        ),
        ProtocolJob(
            name: "two lanes of a queue that is suspended",
            queues: [Queue()],
            operations: [Operation(), Operation(quality: .utility)],
            users: [[.suspend(0), .add(0, to: 0), .add(1, to: 0), .resume(0)]]
        ),
        ProtocolJob(
            name: "two lanes of a queue with a width that is suspended",
            queues: [Queue(width: 2)],
            operations: [Operation(), Operation(quality: .utility)],
            users: [[.suspend(0), .add(0, to: 0), .add(1, to: 0), .resume(0)]]
        ),
        ProtocolJob(
            name: "two lanes of one queue, all is cancelled",
            workers: 1,
            queues: [Queue()],
            operations: [Operation(), Operation(quality: .utility), Operation(quality: .utility)],
            users: [[.add(0, to: 0), .add(1, to: 0), .cancelAll(0), .add(2, to: 0)]]
        ),
        ProtocolJob(
            name: "a ready operation gets a dependency",
            queues: [Queue(), Queue()],
            operations: [Operation(), Operation(quality: .utility), Operation(quality: .utility)],
            users: [[.add(0, to: 0), .addDependency(0, on: 2)], [.add(1, to: 1), .add(2, to: 1)]]
        ),
        ProtocolJob(
            name: "a width of two, three operations",
            queues: [Queue(width: 2)],
            operations: [Operation(), Operation(), Operation()],
            users: [[.suspend(0), .add(0, to: 0), .add(1, to: 0), .add(2, to: 0), .resume(0)]]
        ),
        ProtocolJob(
            name: "a width of one, two lanes, one operation is cancelled while it executes",
            queues: [Queue(width: 1)],
            operations: [Operation(), Operation(quality: .utility)],
            users: [[.add(0, to: 0), .add(1, to: 0), .cancel(0)]]
        ),
        ProtocolJob(
            name: "a queue gets a width",
            queues: [Queue(), Queue()],
            operations: [Operation(), Operation(quality: .utility)],
            users: [[.add(0, to: 0), .setWidth(0, 1)], [.add(1, to: 1)]]
        ),
        ProtocolJob(
            name: "priorities change",
            queues: [Queue(width: 1)],
            operations: [Operation(), Operation(quality: .utility), Operation(priority: .high)],
            users: [[.add(0, to: 0), .add(1, to: 0), .add(2, to: 0), .setPriority(1, .veryHigh)]]
        ),
        ProtocolJob(
            name: "two depend on one",
            queues: [Queue()],
            operations: [
                Operation(), Operation(dependencies: [0]), Operation(quality: .utility, dependencies: [0]),
            ],
            users: [[.add(0, to: 0), .add(1, to: 0), .add(2, to: 0)]]
        ),
        ProtocolJob(
            name: "a barrier between two",
            queues: [Queue()],
            operations: [Operation(), Operation(quality: .utility, isBarrier: true), Operation()],
            users: [[.add(0, to: 0), .add(1, to: 0), .add(2, to: 0)], [.cancel(1)]]
        ),
        ProtocolJob(
            name: "a serial queue under a serial queue",
            queues: [Queue(kind: .serial), Queue(kind: .serial, target: 0)],
            operations: [Operation(), Operation(quality: .utility), Operation()],
            users: [[.add(0, to: 0), .add(1, to: 1)], [.add(2, to: 1), .cancel(1)]]
        ),
        ProtocolJob(
            name: "a concurrent queue under a suspended one",
            queues: [Queue(kind: .serial), Queue(kind: .concurrent, target: 0)],
            operations: [Operation(), Operation(quality: .utility)],
            users: [[.add(0, to: 1), .add(1, to: 1)], [.suspend(0), .resume(0)]]
        ),
        ProtocolJob(
            name: "a body waits for another one",
            workers: 1,
            queues: [Queue()],
            operations: [Operation(waitsFor: 1, blocks: true), Operation(quality: .utility)],
            users: [[.add(0, to: 0), .add(1, to: 0)]]
        ),
        ProtocolJob(
            name: "two bodies wait for a third one",
            workers: 2,
            queues: [Queue()],
            operations: [
                Operation(waitsFor: 2, blocks: true), Operation(waitsFor: 2, blocks: true), Operation(),
            ],
            users: [[.add(0, to: 0), .add(1, to: 0), .add(2, to: 0)]]
        ),
        ProtocolJob(
            name: "one closure at a time",
            limit: 1,
            queues: [Queue(), Queue(width: 1)],
            operations: [Operation(), Operation(quality: .utility), Operation()],
            users: [[.add(0, to: 0), .add(1, to: 0)], [.add(2, to: 1)]]
        ),
        ProtocolJob(
            name: "additions without the lock",
            queues: [Queue()],
            operations: [Operation(), Operation(), Operation()],
            users: [[.addUnlocked(0, to: 0), .addUnlocked(1, to: 0)], [.add(2, to: 0)]]
        ),
        ProtocolJob(
            name: "a core is needed elsewhere for a while",
            queues: [Queue()],
            operations: [Operation(), Operation(quality: .utility)],
            users: [[.needCore(true), .add(0, to: 0), .add(1, to: 0), .needCore(false)]]
        ),
        ProtocolJob(
            name: "threads are refused for a while",
            queues: [Queue(), Queue()],
            operations: [Operation(), Operation(quality: .utility)],
            users: [[.refuse(.utility), .add(1, to: 1), .grant], [.add(0, to: 0)]]
        ),
        ProtocolJob(
            name: "another lane gets no thread",
            queues: [Queue(), Queue()],
            operations: [Operation(), Operation(quality: .utility)],
            users: [[.refuse(.default), .add(0, to: 0), .grant], [.add(1, to: 1)]]
        ),
        ProtocolJob(
            name: "another lane has no thread left",
            threadsPerLane: 1,
            queues: [Queue(width: 1), Queue()],
            operations: [Operation(waitsFor: 2), Operation(), Operation(quality: .utility)],
            users: [[.add(0, to: 0), .add(1, to: 1)], [.add(2, to: 1)]]
        ),
        ProtocolJob(
            name: "a worker leaves while it is called",
            queues: [Queue()],
            operations: [Operation(), Operation()],
            users: [[.add(0, to: 0), .add(1, to: 0)]],
            departures: 2
        ),
    ]
}
