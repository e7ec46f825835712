internal import CLinux

/// A change of a file or a directory, with the names of Apple's guide.
package struct FileChange: OptionSet, Hashable, Sendable {
    package let rawValue: Int
    package init(rawValue: Int) { self.rawValue = rawValue }

    /// It was removed, or another file took its path.
    package static let delete = FileChange(rawValue: 1)
    /// Its contents changed; of a directory: an entry was made, removed or renamed.
    package static let write = FileChange(rawValue: 2)
    /// It became longer.
    package static let extend = FileChange(rawValue: 4)
    /// Its owner, mode, times or extended attributes changed.
    package static let attrib = FileChange(rawValue: 8)
    /// The number of its hard links changed; of a directory: a folder in it was made or removed.
    package static let link = FileChange(rawValue: 16)
    /// It was moved.
    package static let rename = FileChange(rawValue: 32)

    /// All changes with their names, in the order in which they are reported.
    package static let names: [(name: String, change: FileChange)] = [
        ("write", .write), ("extend", .extend), ("attrib", .attrib), ("link", .link), ("rename", .rename),
        ("delete", .delete),
    ]

    package static let all = FileChange(names.map(\.change))
}

/// The identity and times of a file, kept from one check to the next.
struct FileFacts: Equatable {
    var device: UInt
    var inode: UInt
    var linkCount: UInt
    var size: Int
}

/// Translates what inotify reports about one file into ``FileChange``. Pure.
struct FileObserver {
    /// The file that is at the path now.
    enum Look: Equatable {
        case nothing
        case facts(FileFacts)
    }

    /// The consequences of one record.
    struct Verdict: Equatable {
        var changes: FileChange = []
        /// There will be no more events for this file.
        var isGone = false
        /// Another file is at the path now.
        var wasReplaced = false
    }

    let isDirectory: Bool
    private(set) var facts: FileFacts
    /// It was moved: its path is no longer known.
    private(set) var hasMoved = false

    init(isDirectory: Bool, facts: FileFacts) {
        self.isDirectory = isDirectory
        self.facts = facts
    }

    /// The events that the kernel is asked for.
    var mask: UInt32 {
        let own = IN_ATTRIB | IN_DELETE_SELF | IN_MOVE_SELF
        let inside = IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO
        return UInt32(own | (isDirectory ? inside : IN_MODIFY))
    }

    /// Whether a record requires a check of the path.
    func needsLook(_ mask: UInt32) -> Bool {
        !isDirectory && !hasMoved && mask & UInt32(IN_MODIFY | IN_ATTRIB) != 0
    }

    /// Takes one record. `look` is the file at the path, if ``needsLook(_:)`` required a check.
    mutating func happened(_ mask: UInt32, look: Look?) -> Verdict {
        func says(_ bits: Int32) -> Bool { mask & UInt32(bits) != 0 }
        var verdict = Verdict()
        if isDirectory {
            if says(IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO) {
                verdict.changes.insert(.write)
                if says(IN_ISDIR) { verdict.changes.insert(.link) }
            }
            // The kernel sets this bit for a change of the folder's own attributes, and of those of a folder in it.
            if says(IN_ATTRIB) { verdict.changes.insert(.attrib) }
        } else {
            if says(IN_MODIFY) { verdict.changes.insert(.write) }
            if says(IN_ATTRIB) { verdict.changes.insert(.attrib) }
            take(look, into: &verdict)
        }
        if says(IN_MOVE_SELF) {
            verdict.changes.insert(.rename)
            hasMoved = true
        }
        if says(IN_DELETE_SELF) { end(&verdict) }
        if says(IN_IGNORED | IN_UNMOUNT) { end(&verdict) }
        return verdict
    }

    private func end(_ verdict: inout Verdict) {
        verdict.changes.insert(.delete)
        verdict.isGone = true
    }

    /// An unlinked file is reported as a change of attributes as long as it is open somewhere.
    private mutating func take(_ look: Look?, into verdict: inout Verdict) {
        switch look {
        case nil: break
        case .nothing:
            verdict.changes.remove(.attrib)
            verdict.changes.insert(.link)
            end(&verdict)
        case .facts(let new) where new.device != facts.device || new.inode != facts.inode:
            // The path has new contents, and the file that was there is no longer there.
            verdict.changes = [.delete, .write]
            verdict.wasReplaced = true
            facts = new
        case .facts(let new):
            if new.linkCount != facts.linkCount { verdict.changes.insert(.link) }
            if verdict.changes.contains(.write), new.size > facts.size { verdict.changes.insert(.extend) }
            facts = new
        }
    }
}

extension FileChange {
    init(_ list: [FileChange]) { self = list.reduce(into: []) { $0.formUnion($1) } }
}
