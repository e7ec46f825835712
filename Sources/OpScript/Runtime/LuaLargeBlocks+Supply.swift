internal import LuaVM
internal import Scheduling

extension LuaLargeBlocks {
    /// Blocks that are prefaulted before they are needed.
    static let fromSupply = LuaLargeBlocks(
        size: MemorySupply.blockSize,
        take: { MemorySupply.shared.takeBlock() },
        give: { MemorySupply.shared.giveBlock($0) }
    )
}
