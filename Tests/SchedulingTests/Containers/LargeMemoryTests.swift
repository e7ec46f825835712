#if canImport(Glibc)
import Glibc
#endif
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

    @Test func `a caller that must not try huge pages leaves that to another one`() {
        let pages = SmallPages()
        #expect(!pages.takesSmallOnes(tries: false))
        pages.hugeOneWasSlow()
        for _ in 0..<100 { #expect(pages.takesSmallOnes(tries: false)) }
        #expect(pages.takesSmallOnes())
        #expect(!pages.takesSmallOnes())
    }

    @Test func `growing moves pages of both kinds, and copies none`() throws {
        let megabyte = 1 << 20
        // No block: the thread of the shared supply touches those while they are in use.
        var memory = LargeMemory(byteCount: 4 * megabyte)
        for size in [8, 16, 32] {
            #if canImport(Glibc)
            // Few pages, and two kinds of them, which the system does not move in one call.
            madvise(memory.start, size / 2 * megabyte, MADV_DONTNEED)
            madvise(memory.start, LargeMemory.hugePage, MADV_NOHUGEPAGE)
            #endif
            for place in stride(from: 0, to: size / 2, by: 1) {
                memory.start.storeBytes(
                    of: UInt64(place),
                    toByteOffset: place * megabyte + 8,
                    as: UInt64.self
                )
            }
            #if canImport(Glibc)
            // Copied, all of them would be.
            let all = size / 2 * 256
            #expect(residentPages(memory.start, size / 2 * megabyte) < all)
            #endif
            memory.grow(to: size * megabyte)
            #expect(Int(bitPattern: memory.start) % LargeMemory.hugePage == 0)
            #if canImport(Glibc)
            #expect(residentPages(memory.start, size / 2 * megabyte) < all)
            #endif
            for place in stride(from: 0, to: size / 2, by: 1) {
                #expect(
                    memory.start.load(fromByteOffset: place * megabyte + 8, as: UInt64.self) == UInt64(place)
                )
            }
            memory.start.storeBytes(of: 7, toByteOffset: size * megabyte - 1, as: UInt8.self)
        }
        let start = memory.start
        memory.grow(to: 31 * megabyte)
        #expect(memory.start == start)
        memory.deallocate()
    }

    @Test func `a block is as large as requested, aligned and writable to its end`() {
        for size in [1, 3 << 20, 4 << 20] {
            let memory = LargeMemory(byteCount: size)
            #expect(Int(bitPattern: memory.start) % LargeMemory.hugePage == 0)
            memory.start.storeBytes(of: 7, toByteOffset: size - 1, as: UInt8.self)
            #expect(memory.start.load(fromByteOffset: size - 1, as: UInt8.self) == 7)
            memory.deallocate()
        }
    }
}
