import Testing

@testable import Scheduling

/// The translation of inotify's records; the bits are those of the kernel.
@Suite struct FileObserverTests {
    private static let modify: UInt32 = 0x2
    private static let attrib: UInt32 = 0x4
    private static let movedFrom: UInt32 = 0x40
    private static let create: UInt32 = 0x100
    private static let delete: UInt32 = 0x200
    private static let deleteSelf: UInt32 = 0x400
    private static let moveSelf: UInt32 = 0x800
    private static let ignored: UInt32 = 0x8000
    private static let isDirectory: UInt32 = 0x4000_0000

    private func facts(inode: UInt = 1, links: UInt = 1, size: Int = 10) -> FileFacts {
        FileFacts(device: 1, inode: inode, linkCount: links, size: size)
    }

    @Test func `a write that makes the file longer extends it`() {
        var file = FileObserver(isDirectory: false, facts: facts())
        #expect(file.needsLook(Self.modify))
        #expect(file.happened(Self.modify, look: .facts(facts(size: 12))).changes == [.write, .extend])
        #expect(file.happened(Self.modify, look: .facts(facts(size: 12))).changes == .write)
        #expect(file.happened(Self.modify, look: .facts(facts(size: 3))).changes == .write)
        #expect(file.happened(Self.modify, look: .facts(facts(size: 4))).changes == [.write, .extend])
    }

    @Test func `links are distinguished from other attributes`() {
        var file = FileObserver(isDirectory: false, facts: facts())
        #expect(file.happened(Self.attrib, look: .facts(facts())).changes == .attrib)
        #expect(file.happened(Self.attrib, look: .facts(facts(links: 2))).changes == [.attrib, .link])
    }

    @Test func `a file that is unlinked while it is open is gone`() {
        var file = FileObserver(isDirectory: false, facts: facts())
        let verdict = file.happened(Self.attrib, look: .nothing)
        #expect(verdict.changes == [.delete, .link])
        #expect(verdict.isGone && !verdict.wasReplaced)
    }

    @Test func `a file that another one has replaced is followed`() {
        var file = FileObserver(isDirectory: false, facts: facts(size: 10))
        let verdict = file.happened(Self.attrib, look: .facts(facts(inode: 2, size: 20)))
        #expect(verdict.changes == [.delete, .write])
        #expect(verdict.wasReplaced && !verdict.isGone)
        // The new one is the measure from now on.
        #expect(file.happened(Self.modify, look: .facts(facts(inode: 2, size: 20))).changes == .write)
    }

    @Test func `a moved file is not searched for at its old path`() {
        var file = FileObserver(isDirectory: false, facts: facts())
        #expect(file.happened(Self.moveSelf, look: nil).changes == .rename)
        #expect(!file.needsLook(Self.attrib))
        #expect(file.happened(Self.attrib, look: nil) == FileObserver.Verdict(changes: .attrib))
        #expect(file.happened(Self.deleteSelf, look: nil).isGone)
    }

    @Test func `entries of a directory are writes, folders among them links`() {
        var folder = FileObserver(isDirectory: true, facts: facts())
        #expect(folder.happened(Self.create, look: nil).changes == .write)
        #expect(folder.happened(Self.delete, look: nil).changes == .write)
        #expect(folder.happened(Self.movedFrom, look: nil).changes == .write)
        #expect(folder.happened(Self.create | Self.isDirectory, look: nil).changes == [.write, .link])
        #expect(!folder.needsLook(Self.attrib))
        let end = folder.happened(Self.ignored, look: nil)
        #expect(end.changes == .delete && end.isGone)
    }

    @Test func `writes into entries of a directory are not requested`() {
        #expect(FileObserver(isDirectory: true, facts: facts()).mask & Self.modify == 0)
        #expect(FileObserver(isDirectory: false, facts: facts()).mask & Self.modify != 0)
    }
}
