#if canImport(Glibc)
import Glibc
#endif
import TestSupport
import Testing

@testable import Scheduling

@Suite struct MemorySupplyTests {
    #if canImport(Glibc)
    /// A supply whose stock grows from now on, since a caller has taken as many blocks as it waits for.
    private func makeSupply() throws -> MemorySupply {
        let supply = MemorySupply(isUseful: true, hasOwnThread: false)
        for _ in 0..<4 { munmap(supply.takeBlock(), MemorySupply.blockSize) }
        #expect(!supply.doNext())
        return supply
    }

    @Test func `once many blocks were taken, one is in stock`() throws {
        let supply = try makeSupply()
        var blocks: [UnsafeMutableRawPointer] = []
        for expected in [1, 1, 1] {
            // Empties the stock, and requests once more.
            while supply.stockCount > 0 { blocks.append(try #require(supply.takeBlock())) }
            blocks.append(try #require(supply.takeBlock()))
            while supply.doNext() {}
            #expect(supply.stockCount == expected)
        }
        #expect(Set(blocks).count == blocks.count)
        for block in blocks {
            #expect(UInt(bitPattern: block) % UInt(MemorySupply.blockSize) == 0)
            block.storeBytes(of: 7, toByteOffset: MemorySupply.blockSize - 1, as: UInt8.self)
            munmap(block, MemorySupply.blockSize)
        }
    }

    @Test func `a block from the stock was touched, and one that is given back is taken again`() throws {
        let supply = try makeSupply()
        let first = try #require(supply.takeBlock())
        while supply.doNext() {}
        let block = try #require(supply.takeBlock())
        #expect(residentPages(block, MemorySupply.blockSize) == MemorySupply.blockSize / 4096)
        // One is wanted, and none is there.
        supply.giveBlock(block)
        #expect(supply.stockCount == 1)
        #expect(supply.takeBlock() == block)
        supply.giveBlock(block)
        supply.giveBlock(first)
        #expect(supply.stockCount == 1)
    }

    @Test func `one of many that is not from the stock is prefaulted after it was taken`() throws {
        let supply = MemorySupply(isUseful: true, hasOwnThread: false)
        for _ in 0..<4 {
            munmap(supply.takeBlock(), MemorySupply.blockSize)
            #expect(!supply.doNext())
        }
        let block = try #require(supply.takeBlock())
        defer { munmap(block, MemorySupply.blockSize) }
        let first = residentPages(block, MemorySupply.step)
        #expect(supply.doNext())
        #expect(supply.stockCount == 0)
        // Linux before 5.14 does not know MADV_POPULATE_WRITE: then nothing was done.
        guard madvise(block + MemorySupply.step, 4096, 23) == 0 else { return }
        #expect(residentPages(block + MemorySupply.step, MemorySupply.step) == MemorySupply.step / 4096)
        #expect(residentPages(block, MemorySupply.step) == first)
        while supply.stockCount == 0, supply.doNext() {}
        let behind = MemorySupply.blockSize - MemorySupply.step
        #expect(residentPages(block + MemorySupply.step, behind) == behind / 4096)
    }

    @Test func `memory of callers is prefaulted piece by piece, and keeps its contents`() throws {
        let supply = MemorySupply(isUseful: true, hasOwnThread: false)
        let size = 1 << 20
        let memory = try #require(
            mmap(nil, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        )
        defer { munmap(memory, size) }
        madvise(memory, size, MADV_NOHUGEPAGE)
        memory.storeBytes(of: 7, toByteOffset: 300_000, as: UInt8.self)
        #expect(residentPages(memory, size) == 1)
        let start = UInt(bitPattern: memory)
        supply.touch(start..<start + UInt(size))
        var steps = 0
        while supply.doNext() { steps += 1 }
        #expect((16...17).contains(steps))
        #expect(memory.load(fromByteOffset: 300_000, as: UInt8.self) == 7)
        // Linux before 5.14 does not know MADV_POPULATE_WRITE: then nothing was done.
        let isKnown = madvise(memory, 4096, 23) == 0
        #expect(residentPages(memory, size) == (isKnown ? size / 4096 : 2))
    }

    @Test func `memory that is given back before it was prefaulted is not touched any more`() throws {
        let supply = MemorySupply(isUseful: true, hasOwnThread: false)
        for _ in 0..<4 {
            munmap(supply.takeBlock(), MemorySupply.blockSize)
            #expect(!supply.doNext())
        }
        let kept = try #require(supply.takeBlock())
        let other = try #require(supply.takeBlock())
        supply.giveBlock(kept)
        #expect(supply.stockCount == 1)
        supply.giveBlock(other)
        #expect(supply.stockCount == 1)
        var steps = 0
        while supply.doNext() { steps += 1 }
        // All behind the first one of the block that is in stock.
        #expect(steps == MemorySupply.blockSize / MemorySupply.step - 1)

        supply.touch(4096..<8192)
        supply.touch(8192..<12288)
        supply.forget(0..<8192)
        #expect(supply.doNext())
        #expect(!supply.doNext())
    }

    @Test func `memory that was given back meanwhile is left alone`() throws {
        let supply = MemorySupply(isUseful: true, hasOwnThread: false)
        let memory = try #require(
            mmap(nil, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        )
        munmap(memory, 1 << 20)
        let start = UInt(bitPattern: memory)
        supply.touch(start..<start + 1 << 20)
        while supply.doNext() {}
    }

    @Test(.enabled(if: Sanitizer.current == nil, "sanitizers have an allocator of their own"))
    func `consecutive small objects have the heap prefaulted, objects in reused memory do not`() {
        let supply = MemorySupply(isUseful: true, hasOwnThread: false)
        let reserve = HeapReserve(supply)
        var objects: [UnsafeMutableRawPointer] = []
        // A heap with holes fills those first, and other tests leave some: after 256 MiB there are none.
        let most = 1 << 22
        while objects.count < most {
            guard let object = malloc(64) else { break }
            objects.append(object)
            reserve.note(object)
            if supply.doNext() { break }
        }
        #expect(objects.count < most, "nothing was prefaulted")
        while supply.doNext() {}
        for object in objects.reversed() { reserve.note(object) }
        #expect(!supply.doNext())
        for object in objects { free(object) }
    }
    #endif

    @Test func `a hole ends before the end of its part of the heap`() {
        let part: UInt = 64 << 20
        let start: UInt = 5 * part
        #expect(HeapReserve.holeSize(at: start) == 8 << 20)
        #expect(HeapReserve.holeSize(at: start + 60 << 20) == 7 << 19)
        #expect(HeapReserve.holeSize(at: start + part - 1) == 0)
        for piece in stride(from: start, to: start + part, by: 1 << 18) {
            let size = UInt(HeapReserve.holeSize(at: piece))
            #expect(size == 0 || size >= 1 << 20 && piece + size < start + part)
        }
    }

    @Test func `with one core nothing is prefaulted`() throws {
        let supply = MemorySupply(isUseful: false, hasOwnThread: false)
        let block = try #require(supply.takeBlock())
        supply.giveBlock(block)
        supply.touch(4096..<8192)
        #expect(!supply.doNext())
    }

    @Test func `its thread leaves without requests, and begins again`() throws {
        let supply = MemorySupply(isUseful: true, hasOwnThread: false)
        for _ in 0..<2 {
            for _ in 0..<4 { munmap(supply.takeBlock(), MemorySupply.blockSize) }
            let block = try #require(supply.takeBlock())
            #expect(!supply.leaves())
            while supply.doNext() {}
            #expect(supply.leaves())
            #expect(supply.stockCount == 0)
            supply.giveBlock(block)
            #expect(supply.stockCount == 0)
        }
    }
}
