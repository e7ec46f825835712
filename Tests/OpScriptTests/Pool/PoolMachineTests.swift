import Scheduling
import Testing

@testable import OpScript

/// The rules of a pool, without engines and threads.
struct PoolMachineTests {
    private typealias Machine = PoolMachine<String, Int>

    private func text(_ effects: [Machine.Effect]) -> String {
        effects.map { effect in
            switch effect {
            case .begin(let waiter, let engine): "\(waiter) gets \(engine)"
            case .beginWithNew(let waiter): "\(waiter) makes one"
            case .makeEngine: "make"
            case .refuse(let waiter): "refuse \(waiter)"
            case .close(let engine): "close \(engine)"
            }
        }.joined(separator: ", ")
    }

    @Test func `engines are prepared in advance, and runs take them in order`() {
        var machine = Machine(count: 2)
        #expect(text(machine.warmUp()) == "make, make")
        #expect(text(machine.engineIsReady(1)) == "")
        #expect(text(machine.engineIsReady(2)) == "")
        #expect(text(machine.request("a").1) == "a gets 2")
        #expect(text(machine.request("b").1) == "b gets 1, make")
        #expect(text(machine.request("c").1) == "")
        #expect(text(machine.request("d").1) == "")
        #expect(machine.waitingCount == 2 && machine.runningCount == 2)
        #expect(text(machine.engineIsReady(3)) == "")
        #expect(text(machine.runEnded(2)) == "close 2, c gets 3, make")
        #expect(text(machine.runEnded(1)) == "close 1, d makes one")
        #expect(machine.waitingCount == 0 && machine.runningCount == 2)
    }

    @Test func `a run that is cancelled while it waits leaves its place to others`() {
        var machine = Machine(count: 1)
        _ = machine.warmUp()
        _ = machine.engineIsReady(1)
        _ = machine.request("a")
        let (number, _) = machine.request("b")
        _ = machine.request("c")
        #expect(machine.cancel(number) == "b")
        #expect(machine.cancel(number) == nil)
        #expect(text(machine.runEnded(1)).hasPrefix("close 1, c makes one"))
    }

    @Test func `after the end nothing begins, and nothing is left`() {
        var machine = Machine(count: 2)
        _ = machine.warmUp()
        _ = machine.engineIsReady(1)
        _ = machine.request("a")
        _ = machine.request("b")
        _ = machine.request("c")
        #expect(text(machine.shutDown()) == "refuse c")
        #expect(text(machine.request("d").1) == "refuse d")
        #expect(text(machine.engineIsReady(2)) == "close 2")
        #expect(text(machine.runEnded(1)) == "close 1")
        #expect(text(machine.shutDown()) == "")
    }

    @Test func `there are never more runs than the count, and never more prepared engines`() {
        var random = RandomSequence(seed: 1)
        for count in 1...4 {
            var machine = Machine(count: count)
            var (made, running, waiting, ahead, engine) = (0, [Int](), 0, 0, 0)
            func take(_ effects: [Machine.Effect]) {
                for effect in effects {
                    switch effect {
                    case .begin(_, let number):
                        (running, waiting, ahead) = (running + [number], waiting - 1, ahead - 1)
                    case .beginWithNew:
                        engine += 1
                        (running, waiting) = (running + [engine], waiting - 1)
                    case .makeEngine: made += 1
                    case .refuse: Issue.record("refused")
                    case .close: break
                    }
                }
                #expect(running.count <= count && ahead + made <= count)
                #expect(waiting == 0 || running.count == count)
            }
            take(machine.warmUp())
            for _ in 1...2000 {
                switch Int.random(in: 0...2, using: &random) {
                case 0:
                    waiting += 1
                    take(machine.request("x").1)
                case 1 where made > 0:
                    (made, ahead, engine) = (made - 1, ahead + 1, engine + 1)
                    take(machine.engineIsReady(engine))
                case 2 where !running.isEmpty: take(machine.runEnded(running.removeFirst()))
                default: break
                }
            }
        }
    }
}
