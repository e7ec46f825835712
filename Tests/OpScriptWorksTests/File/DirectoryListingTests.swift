import Glibc
import OpScript
import SystemPackage
import Testing

@testable import OpScriptWorks

@Suite struct DirectoryListingTests {
    let scratch: Scratch
    let context = WorkContext()

    init() throws { scratch = try Scratch() }

    private func list(_ options: ListOptions? = nil) throws -> [String] {
        try listDirectory(context, scratch.path, options).map { String(decoding: $0, as: UTF8.self) }
    }

    @Test func `names are sorted and patterns are those of a shell`() throws {
        for name in ["b.lua", "a.lua", "A.lua", ".hidden.lua", "c.txt"] { try scratch.file(name) }
        #expect(try list() == [".hidden.lua", "A.lua", "a.lua", "b.lua", "c.txt"])
        #expect(try list(ListOptions(pattern: Array("*.lua".utf8))) == ["A.lua", "a.lua", "b.lua"])
        #expect(try list(ListOptions(pattern: Array("[ab].???".utf8))) == ["a.lua", "b.lua"])
    }

    @Test func `recursion returns paths and does not follow links`() throws {
        try scratch.directory("d/e")
        try scratch.file("d/e/x.lua")
        try scratch.file("d/x.lua")
        #expect(symlink("..", scratch["d/up"].string) == 0)
        #expect(try list(ListOptions(recursive: true)) == ["d", "d/e", "d/e/x.lua", "d/up", "d/x.lua"])
        #expect(
            try list(ListOptions(pattern: Array("*.lua".utf8), recursive: true)) == ["d/e/x.lua", "d/x.lua"]
        )
    }

    @Test func `names keep their bytes`() throws {
        let name: [CChar] = [0x61, -1, 0x0A, 0]
        let descriptor = open(scratch.path.string, O_RDONLY)
        defer { close(descriptor) }
        close(openat(descriptor, name, O_CREAT | O_WRONLY, 0o666))
        #expect(try listDirectory(context, scratch.path) == [[0x61, 0xFF, 0x0A]])
        let path = try FilePath(scriptValue: .string(scratch.path.bytes + [0x2F, 0x61, 0xFF, 0x0A]))
        #expect(try readFile(context, path) == [])
    }

    @Test func `ten thousand names and a deep tree are no trouble`() throws {
        try scratch.directory("many")
        for number in 0..<10_000 { close(open(scratch["many/\(number)"].string, O_CREAT | O_WRONLY, 0o666)) }
        try scratch.directory(Array(repeating: "d", count: 200).joined(separator: "/"))
        #expect(try list(ListOptions(recursive: true)).count == 10_201)
        try removeFile(context, scratch["many"], RemoveOptions(recursive: true))
        try removeFile(context, scratch["d"], RemoveOptions(recursive: true))
        #expect(try list() == [])
    }

    @Test func `errors name the directory`() throws {
        try scratch.file("file")
        let missing = scratch["missing"]
        #expect(
            message { _ = try listDirectory(context, missing) }
                == "cannot list '\(missing)': no such directory"
        )
        #expect(message { _ = try listDirectory(context, scratch["file"]) }.hasSuffix("not a directory"))
    }

    @Test(.enabled(if: geteuid() != 0, "root may read everything"))
    func `an unreadable directory is an error unless it is skipped`() throws {
        try scratch.directory("locked")
        try scratch.file("open")
        chmod(scratch["locked"].string, 0)
        defer { chmod(scratch["locked"].string, 0o700) }
        #expect(
            message { _ = try list(ListOptions(recursive: true)) }
                == "cannot list '\(scratch["locked"])': permission denied"
        )
        #expect(try list(ListOptions(recursive: true, skipUnreadable: true)) == ["locked", "open"])
    }

    @Test func `a cancelled listing stops`() throws {
        context.cancel()
        #expect(throws: CancellationError.self) { try listDirectory(context, scratch.path) }
    }

    @Test func `an unknown option is refused with the nearest known one`() throws {
        let converter = try #require(ScriptConverter<ListOptions?>.make())
        #expect(throws: ScriptConversionError.self) { try converter.decode(.table(["patern": .text("*")])) }
        do throws(ScriptConversionError) {
            _ = try converter.decode(.table(["patern": .text("*")]))
        } catch {
            #expect(error.description == "unknown option 'patern' (did you mean 'pattern'?)")
        }
        #expect(try converter.decode(.table(["pattern": .text("*")]))?.pattern == [42])
    }

    @Test func `a path holds any bytes but NUL`() {
        #expect(throws: ScriptConversionError.self) { try FilePath(scriptValue: .string([97, 0, 98])) }
        #expect(throws: ScriptConversionError.self) { try FilePath(scriptValue: .string([])) }
    }
}
