#if canImport(Glibc)
internal import Glibc
#else
internal import Darwin
#endif
internal import Synchronization

/// Prefaults memory on a thread of its own.
///
/// The system clears each page at its first touch, which takes 0.1 to 1.4 ns a byte on virtual machines: as
/// long as all other work on an operation. While many operations are created one after the other and another
/// core is free, that happens here.
///
/// The thread begins with the first request and exits after a second without one; the stock then goes back to the
/// system. All functions may be called on any thread. See decision 0023.
package final class MemorySupply: Sendable {
    package static let shared = MemorySupply()

    /// The size of a block, in bytes.
    package static var blockSize: Int { LargeMemory.hugePage }

    /// How far ahead memory that is filled in order is prefaulted, in bytes.
    static var piece: Int { 256 << 10 }

    /// How much is prefaulted by one call, in bytes. During that call, no thread can map or unmap memory.
    static let step = 64 << 10
    /// The number of blocks not taken from stock after which one block is kept in stock.
    private static let patience = 4
    /// How long the thread waits for more, in nanoseconds.
    private static let idleTime: Int64 = 1_000_000_000

    private let state = Mutex(State())
    private let parker = Parker()
    private let isUseful: Bool
    private let hasOwnThread: Bool

    /// Guarded by `state`. Memory is known by its address.
    private struct State {
        /// Blocks that are prefaulted and not in use yet.
        var stock: [UInt] = []
        /// How many blocks were taken that were not in stock.
        var taken = 0
        /// How many blocks there should be in stock.
        var wanted = 0
        /// Memory of callers that is to be prefaulted.
        var areas: [Range<UInt>] = []
        var hasThread = false
        var isParked = false

        var hasJob: Bool { !areas.isEmpty || stock.count < wanted }

        mutating func forget(_ memory: Range<UInt>) { areas.removeAll { $0.overlaps(memory) } }
    }

    private enum Job {
        case area(Range<UInt>)
        case block
    }

    /// - Parameters:
    ///   - isUseful: Whether another core could prefault memory meanwhile.
    ///   - hasOwnThread: False if the caller carries out the requests, by `doNext`.
    init(isUseful: Bool = SystemThread.coreCount > 1, hasOwnThread: Bool = true) {
        self.isUseful = isUseful
        self.hasOwnThread = hasOwnThread
    }

    deinit {
        for block in state.withLock({ $0.stock }) { Self.unmap(block) }
    }

    // MARK: Requests

    /// A block of memory, aligned to its size; what it holds is undefined.
    ///
    /// It comes from the stock, if there is one. After four blocks that did not, one block is kept in stock,
    /// and each further block that does not come from there is prefaulted after it was taken. Nil if the
    /// system has no memory left.
    package func takeBlock() -> UnsafeMutableRawPointer? {
        guard isUseful else { return LargeMemory.map(Self.blockSize) }
        let (ready, isOneOfMany) = state.withLock { state -> (UInt?, Bool) in
            if let block = state.stock.popLast() { return (block, true) }
            state.taken += 1
            if state.taken > Self.patience { state.wanted = 1 }
            return (nil, state.wanted > 0)
        }
        if let ready {
            request { _ in }
            return UnsafeMutableRawPointer(bitPattern: ready)
        }
        // The thread finds out how fast huge pages are.
        guard let block = LargeMemory.map(Self.blockSize, triesHugePages: !isOneOfMany) else { return nil }
        // This request comes before the next block for the stock.
        let start = UInt(bitPattern: block)
        if isOneOfMany { touch(start + UInt(Self.step)..<start + UInt(Self.blockSize)) }
        return block
    }

    /// Gives back what `takeBlock` returned; it must no longer be in use.
    package func giveBlock(_ block: UnsafeMutableRawPointer) {
        let address = UInt(bitPattern: block)
        let isKept = state.withLock { state in
            // Without a thread, the block would not be released later.
            guard state.hasThread, state.stock.count < state.wanted else {
                state.forget(address..<address + UInt(Self.blockSize))
                return false
            }
            state.stock.append(address)
            return true
        }
        if !isKept { munmap(block, Self.blockSize) }
    }

    /// Requests prefaulting of memory that is about to be used. Its contents stay. The memory may be in use,
    /// and may be given back meanwhile.
    package func touch(_ area: Range<UInt>) {
        if !area.isEmpty { request { $0.areas.append(area) } }
    }

    /// Memory is about to be given back to the system: requests for it that have not begun are dropped.
    func forget(_ memory: Range<UInt>) {
        if isUseful { state.withLock { $0.forget(memory) } }
    }

    private func request<Result: Sendable>(_ change: (inout sending State) -> Result) -> Result? {
        guard isUseful else { return nil }
        let (result, isNew, sleeps) = state.withLock { state -> (Result, Bool, Bool) in
            let result = change(&state)
            guard state.hasJob else { return (result, false, false) }
            defer {
                state.hasThread = true
                state.isParked = false
            }
            return (result, !state.hasThread, state.isParked)
        }
        guard hasOwnThread else { return result }
        if sleeps { parker.unpark() }
        if isNew, !SystemThread.start(name: "opscript-memory", stackSize: 64 << 10, { self.serve() }) {
            // Everything works without the thread, and the next request tries again.
            state.withLock { state in
                state.hasThread = false
                state.areas = []
            }
        }
        return result
    }

    // MARK: The thread

    private func serve() {
        while true {
            if doNext() { continue }
            if !parker.park(nanoseconds: Self.idleTime), leaves() { return }
        }
    }

    /// Carries out a piece of the requests. False if there is nothing to do.
    func doNext() -> Bool {
        let job = state.withLock { state -> Job? in
            if let area = state.areas.first {
                let end = min(area.upperBound, (area.lowerBound & ~UInt(Self.step - 1)) + UInt(Self.step))
                if end == area.upperBound {
                    state.areas.removeFirst()
                } else {
                    state.areas[0] = end..<area.upperBound
                }
                return .area(area.lowerBound..<end)
            }
            state.isParked = !state.hasJob
            return state.hasJob ? .block : nil
        }
        switch job {
        case .area(let area): Self.populate(area)
        case .block:
            let block = Self.makeBlock()
            state.withLock { state in
                if let block { state.stock.append(block) } else { state.wanted = 0 }
            }
        case nil: return false
        }
        return true
    }

    /// Whether there is still nothing to do: then the stock is given back, and the thread ends.
    func leaves() -> Bool {
        let stock = state.withLock { state -> [UInt]? in
            guard state.isParked else { return nil }
            defer { state = State() }
            return state.stock
        }
        guard let stock else { return false }
        for block in stock { Self.unmap(block) }
        return true
    }

    /// How many blocks are in stock. For tests.
    var stockCount: Int { state.withLock { $0.stock.count } }

    private static func unmap(_ block: UInt) {
        if let block = UnsafeMutableRawPointer(bitPattern: block) { munmap(block, blockSize) }
    }

    private static func makeBlock() -> UInt? {
        guard let block = LargeMemory.map(blockSize) else { return nil }
        let start = UInt(bitPattern: block)
        for offset in stride(from: 0, to: UInt(blockSize), by: UInt.Stride(step)) {
            let area = start + offset..<start + offset + UInt(step)
            if populate(area) { continue }
            // The block is not shared yet.
            for page in stride(from: Int(offset), to: Int(offset) + step, by: 4096) {
                block.storeBytes(of: 0, toByteOffset: page, as: UInt8.self)
            }
        }
        return start
    }

    /// Has the system touch pages as a write would, without writing. False if it cannot.
    @discardableResult
    private static func populate(_ area: Range<UInt>) -> Bool {
        #if canImport(Glibc)
        // MADV_POPULATE_WRITE, of Linux 5.14; it fails on older kernels, and for memory that was given back.
        let advice: Int32 = 23
        let start = area.lowerBound & ~4095
        let end = (area.upperBound + 4095) & ~4095
        return madvise(UnsafeMutableRawPointer(bitPattern: start), Int(end - start), advice) == 0
        #else
        return false
        #endif
    }
}
