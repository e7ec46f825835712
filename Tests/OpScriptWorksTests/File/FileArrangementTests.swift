import Glibc
import OpScript
import SystemPackage
import Testing

@testable import OpScriptWorks

@Suite struct FileArrangementTests {
    let scratch: Scratch
    let context = WorkContext()

    init() throws { scratch = try Scratch() }

    @Test func `a copy has contents and mode of the original`() throws {
        let data = noise(5 << 20)
        _ = try writeFile(context, scratch["a"], ScriptData(data))
        #expect(chmod(scratch["a"].string, 0o700) == 0)
        #expect(try copyFile(context, scratch["a"], scratch["b"]) == scratch["b"])
        #expect(try readFile(context, scratch["b"]) == data)
        #expect(try fileStatus(of: scratch["b"])?.permissions == 0o700)
        _ = try copyFile(context, scratch["a"], scratch["a"])
        #expect(try readFile(context, scratch["a"]) == data)
        #expect(try scratch.names() == ["a", "b"])
    }

    @Test func `a copy of an empty file is empty and of a directory an error`() throws {
        try scratch.file("empty")
        _ = try copyFile(context, scratch["empty"], scratch["b"])
        #expect(try scratch.text("b") == "")
        #expect(
            message { _ = try copyFile(context, scratch.path, scratch["c"]) }.hasSuffix("': is a directory")
        )
        #expect(
            message { _ = try copyFile(context, scratch["none"], scratch["c"]) }
                == "cannot copy '\(scratch["none"])': no such file"
        )
        #expect(try scratch.names() == ["b", "empty"])
    }

    @Test func `moving renames files and directories`() throws {
        try scratch.directory("d")
        try scratch.file("d/a", "x")
        #expect(try moveFile(context, scratch["d"], scratch["e"]) == scratch["e"])
        _ = try moveFile(context, scratch["e/a"], scratch["f"])
        #expect(try scratch.names() == ["e", "f"])
        #expect(
            message { _ = try moveFile(context, scratch["f"], scratch["no/f"]) }
                == "cannot move '\(scratch["f"])': there is no directory '\(scratch["no"])'"
        )
        #expect(message { _ = try moveFile(context, scratch["no"], scratch["g"]) }.hasSuffix("no such file"))
    }

    @Test func `moving to another device copies and removes`() throws {
        let other = FilePath("/dev/shm/opscript-test-\(getpid())")
        try #require(try fileStatus(of: "/dev/shm")?.st_dev != fileStatus(of: scratch.path)?.st_dev)
        defer { unlink(other.string) }
        try scratch.file("a", "x")
        _ = try moveFile(context, scratch["a"], other)
        #expect(try readFile(context, other) == [120])
        #expect(try scratch.names() == [])
        #expect(symlink("nowhere", scratch["link"].string) == 0)
        unlink(other.string)
        _ = try moveFile(context, scratch["link"], other)
        #expect(try readLink(other) == "nowhere")
    }

    @Test func `remove takes files, links and empty directories, and trees only with recursive`() throws {
        try scratch.directory("d/e/f")
        try scratch.file("d/e/a")
        try scratch.file("kept", "x")
        #expect(symlink("../kept", scratch["d/link"].string) == 0)
        #expect(symlink("..", scratch["d/up"].string) == 0)
        #expect(
            message { try removeFile(context, scratch["d"]) }.hasSuffix(
                "recursive = true removes its contents, too"
            )
        )
        try removeFile(context, scratch["d"], RemoveOptions(recursive: true))
        #expect(try scratch.names() == ["kept"])
        try scratch.directory("empty")
        try removeFile(context, scratch["empty"])
        try removeFile(context, scratch["kept"], RemoveOptions(recursive: true))
        #expect(try scratch.names() == [])
        #expect(
            message { try removeFile(context, scratch["kept"]) }
                == "cannot remove '\(scratch["kept"])': no such file"
        )
    }

    @Test func `making a directory makes those above and accepts existing ones`() throws {
        #expect(try makeDirectory(context, scratch["a/b/c"]) == scratch["a/b/c"])
        _ = try makeDirectory(context, scratch["a/b/c"])
        _ = try makeDirectory(context, "/")
        _ = try makeDirectory(context, ".")
        try scratch.file("file")
        #expect(
            message { _ = try makeDirectory(context, scratch["file"]) }.hasSuffix(
                "exists and is not a directory"
            )
        )
        #expect(message { _ = try makeDirectory(context, scratch["file/x"]) }.hasSuffix("not a directory"))
    }

    @Test func `status has size, type and time`() throws {
        try scratch.file("a", "abc")
        #expect(symlink("a", scratch["link"].string) == 0)
        let file = try describeFile(context, scratch["a"])
        #expect(file["size"] == .integer(3))
        #expect(file["type"] == .text("file"))
        guard case .number(let modified)? = file["modified"] else { Issue.record("no time"); return }
        #expect(abs(modified - Double(time(nil))) < 60)
        #expect(try describeFile(context, scratch["link"])["type"] == .text("file"))
        let link = try describeFile(context, scratch["link"], StatusOptions(follow: false))
        #expect(link["type"] == .text("link"))
        #expect(link["target"] == .text("a"))
        #expect(try describeFile(context, scratch.path)["type"] == .text("directory"))
        #expect(
            message { _ = try describeFile(context, scratch["no"]) }
                == "cannot stat '\(scratch["no"])': no such file"
        )
    }

    @Test func `temporary files and directories are new each time`() throws {
        let a = try makeTemporary(context, TemporaryOptions(suffix: ".ppm"))
        let b = try makeTemporary(context, TemporaryOptions(suffix: ".ppm"))
        defer { for path in [a, b] { unlink(path.string) } }
        #expect(a != b)
        #expect(a.extension == "ppm")
        #expect(try fileStatus(of: a)?.permissions == 0o600)
        let file = message { _ = try makeTemporary(context, TemporaryOptions(suffix: "/x")) }
        #expect(file.hasPrefix("cannot make a temporary file in '/"))
        #expect(file.hasSuffix("': its 'suffix' is '/x', which has '/' inside"))
        let directory = message {
            _ = try makeTemporary(context, TemporaryOptions(directory: true, suffix: "a\0"))
        }
        #expect(directory.hasPrefix("cannot make a temporary directory in '/"))
        #expect(directory.hasSuffix("': its 'suffix' is 'a?', which has a NUL inside"))
    }
}
