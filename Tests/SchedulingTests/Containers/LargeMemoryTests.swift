import Testing

@testable import Scheduling

@Suite struct LargeMemoryTests {
    @Test func `after a slow huge page some blocks have small ones, then one is tried again`() {
        let pages = SmallPages()
        #expect(!pages.takesSmallOnes())
        pages.hugeOneWasSlow()
        var blocks = 0
        while pages.takesSmallOnes() { blocks += 1 }
        #expect(blocks == 64)
        #expect(!pages.takesSmallOnes())
    }

    @Test func `a block is as large as asked for, aligned and writable to its end`() {
        for size in [1, 3 << 20, 4 << 20] {
            let memory = LargeMemory(byteCount: size)
            #expect(Int(bitPattern: memory.start) % LargeMemory.hugePage == 0)
            memory.start.storeBytes(of: 7, toByteOffset: size - 1, as: UInt8.self)
            #expect(memory.start.load(fromByteOffset: size - 1, as: UInt8.self) == 7)
            memory.deallocate()
        }
    }
}
