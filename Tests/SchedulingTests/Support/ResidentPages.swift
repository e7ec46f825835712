#if canImport(Glibc)
import Glibc

/// How many pages of some memory the system holds.
func residentPages(_ start: UnsafeMutableRawPointer, _ byteCount: Int) -> Int {
    var pages = [UInt8](repeating: 0, count: byteCount / 4096)
    guard mincore(start, byteCount, &pages) == 0 else { return -1 }
    return pages.count { $0 & 1 == 1 }
}
#endif
