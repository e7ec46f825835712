internal import CLinux
internal import Glibc

/// A descriptor that can be read when something changes in the folders of some files.
package final class FolderWatch {
    package let descriptor: Int32

    /// Watches the folders, because many programs replace a file by a new one; nil if the system gives no watch.
    ///
    /// - Parameter others: More folders.
    package init?(ofFiles paths: some Sequence<String>, in others: some Sequence<String> = []) {
        descriptor = inotify_init1(Int32(IN_CLOEXEC | IN_NONBLOCK))
        guard descriptor >= 0 else { return nil }
        var folders = Set(others)
        for path in paths {
            guard let slash = path.lastIndex(of: "/") else {
                folders.insert(".")
                continue
            }
            folders.insert(slash == path.startIndex ? "/" : String(path[..<slash]))
        }
        let events =
            IN_CLOSE_WRITE | IN_MODIFY | IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_ATTRIB
        for folder in folders { inotify_add_watch(descriptor, folder, UInt32(events)) }
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Drops the events that have come; false if there were none.
    @discardableResult
    package func takeEvents() -> Bool {
        var buffer = [UInt8](repeating: 0, count: 1 << 14)
        var hadSome = false
        while read(descriptor, &buffer, buffer.count) > 0 { hadSome = true }
        return hadSome
    }
}
