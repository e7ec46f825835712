import Testing

@testable import Scheduling

@Suite struct OperationStoreTests {
    @Test func `a slot that was freed is taken next, by another identity`() {
        var store = OperationStore()
        let ids = (0..<3).map { _ in store.allocate() }
        store.free(ids[1].slot)
        let again = store.allocate()
        #expect(again.slot == ids[1].slot && again != ids[1])
        #expect(store.live(ids[1]) == nil)
        let new = store.allocate()
        #expect(new.slot == 3)
        #expect(store.faults == [])
    }

    @Test func `once none is left, new slots are adjacent again, after any order of ends`() {
        var store = OperationStore()
        let first = (0..<5).map { _ in store.allocate() }
        for index in [3, 1, 4, 0, 2] { store.free(first[index].slot) }
        #expect(store.faults == [])
        let second = (0..<7).map { _ in store.allocate() }
        #expect(second.map(\.slot) == [0, 1, 2, 3, 4, 5, 6])
        for id in first { #expect(store.live(id) == nil) }
        for id in second { #expect(store.live(id) != nil) }
        #expect(store.capacity == 7)
        #expect(store.faults == [])
    }

    @Test func `those that were not taken again yet are free`() {
        var store = OperationStore()
        let first = (0..<5).map { _ in store.allocate() }
        for id in first { store.free(id.slot) }
        let second = store.allocate()
        store.free(second.slot)
        for id in first + [second] { #expect(store.live(id) == nil) }
        #expect(store.liveCount == 0)
        #expect(store.faults == [])
    }
}
