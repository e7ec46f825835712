import Synchronization
import Testing

@testable import OpScript

/// The hub of batches, for any kind of batch.
@Suite struct BatchHubTests {
    @Test func `a subscriber receives the batches after its subscription, and then the end`() async {
        let hub = BatchHub<[Int]>()
        hub.publish([1])
        let first = hub.subscribe()
        hub.publish([2, 3])
        let second = hub.subscribe()
        hub.publish([4])
        hub.end()
        #expect(await first.next()?.batches == [[2, 3], [4]])
        #expect(await first.next() == nil)
        #expect(await second.next()?.batches == [[4]])
        #expect(await hub.subscribe().next() == nil)
    }

    @Test func `beyond its limit a subscriber loses the oldest batches`() async {
        let hub = BatchHub<[Int]>(limit: 4)
        let subscription = hub.subscribe()
        for batch in [[1, 2], [3], [4, 5], [6]] { hub.publish(batch) }
        let content = await subscription.next()
        #expect(content?.lost == 2)
        #expect(content?.batches == [[3], [4, 5], [6]])
        hub.publish([7])
        #expect(await subscription.next()?.lost == 0)
    }

    @Test func `the hub reports its first subscriber and the departure of the last`() {
        let reports = Mutex<[Bool]>([])
        let hub = BatchHub<[Int]> { isObserved in reports.withLock { $0.append(isObserved) } }
        var one: BatchSubscription<[Int]>? = hub.subscribe()
        var other: BatchSubscription<[Int]>? = hub.subscribe()
        #expect(hub.isObserved)
        withExtendedLifetime(one) {}
        one = nil
        #expect(reports.withLock { $0 } == [true])
        withExtendedLifetime(other) {}
        other = nil
        #expect(reports.withLock { $0 } == [true, false])
        #expect(!hub.isObserved)
    }

    @Test func `a cancelled subscriber keeps nothing`() async {
        let hub = BatchHub<[Int]>()
        let subscription = hub.subscribe()
        let reader = Task { await subscription.next() == nil }
        reader.cancel()
        #expect(await reader.value)
        hub.publish([1])
        #expect(await subscription.next() == nil)
    }
}
