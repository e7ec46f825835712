import Scheduling
import Testing

@Suite("Memory that grows")
struct GrowingMemoryTests {
    @Test(
        "a buffer keeps its elements, from the allocator's memory to large memory",
        arguments: [1, 64, 65, 300_000]
    )
    func growing(count: Int) {
        let buffer = PlainBuffer<UInt64>()
        for value in 0..<UInt64(count) { buffer.append(value * 7) }
        let grown = buffer.count
        #expect(grown == count)
        for index in 0..<count where buffer[index] != UInt64(index) * 7 {
            Issue.record("element \(index) is \(buffer[index])")
            return
        }
    }

    @Test("the last ones are taken first, and dropped elements are overwritten")
    func takingAway() {
        let buffer = PlainBuffer<Int>(capacity: 2)
        for value in 1...5 { buffer.append(value) }
        let last = buffer.popLast()
        #expect(last == 5)
        buffer.truncate(to: 2)
        buffer.append(9)
        let left = Array(buffer.elements)
        #expect(left == [1, 2, 9])
        buffer.truncate()
        let (isEmpty, none) = (buffer.isEmpty, buffer.popLast())
        #expect(isEmpty && none == nil)
    }

    @Test("growing moves values with references unchanged")
    func references() {
        final class Item: Sendable {}
        let item = Item()
        weak var dropped: Item?
        do {
            let last = Item()
            dropped = last
            var memory = GrowingMemory<Item>(capacity: 32_768)
            memory.start.initialize(repeating: item, count: 32_767)
            (memory.start + 32_767).initialize(to: last)
            memory.grow()
            #expect(memory.capacity == 65_536)
            #expect(memory.start[32_766] === item && memory.start[32_767] === last)
            memory.start.deinitialize(count: 32_768)
            memory.deallocate()
        }
        #expect(dropped == nil)
    }

    @Test("a caller that fills it in order asks again at each piece to prefault")
    func room() {
        var memory = GrowingMemory<UInt64>(capacity: 64)
        #expect(memory.roomAhead(of: 64) == 64)
        while memory.capacity < 1 << 16 { memory.grow() }
        #expect(memory.roomAhead(of: 1 << 15) == 1 << 16)
        while memory.capacity < 1 << 20 { memory.grow() }
        #expect(memory.roomAhead(of: 1 << 19) == 1 << 19 + 1 << 15)
        #expect(memory.roomAhead(of: 1 << 20 - 1) == 1 << 20)
        memory.deallocate()
    }

    @Test("large memory is aligned to huge pages, writable to its end, and given back")
    func large() {
        let memory = LargeMemory(byteCount: LargeMemory.hugePage + 1)
        #expect(Int(bitPattern: memory.start) % LargeMemory.hugePage == 0)
        memory.start.storeBytes(of: 1, toByteOffset: 2 * LargeMemory.hugePage - 1, as: UInt8.self)
        memory.deallocate()
    }
}
