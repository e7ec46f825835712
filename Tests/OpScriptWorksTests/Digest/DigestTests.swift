import OpScript
import SystemPackage
import Testing

@testable import OpScriptWorks

@Suite struct DigestTests {
    private func sum(_ algorithm: DigestAlgorithm, _ text: String) throws -> String {
        try digest(algorithm, WorkContext(), ScriptData(Array(text.utf8)))
    }

    @Test func `digests are those of the standards for abc and for nothing`() throws {
        #expect(try sum(.crc32, "123456789") == "cbf43926")
        #expect(try sum(.crc32, "") == "00000000")
        #expect(try sum(.md5, "abc") == "900150983cd24fb0d6963f7d28e17f72")
        #expect(try sum(.md5, "") == "d41d8cd98f00b204e9800998ecf8427e")
        #expect(try sum(.sha1, "abc") == "a9993e364706816aba3e25717850c26c9cd0d89d")
        #expect(try sum(.sha256, "abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
        #expect(
            try sum(.sha512, "abc")
                == "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
                + "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f"
        )
    }

    @Test(arguments: [0, 1, 7, 8, 9, 1 << 20, (1 << 20) + 13])
    func `crc32 by eight bytes agrees with crc32 bit by bit`(count: Int) throws {
        let bytes = noise(count)
        var expected: UInt32 = ~0
        for byte in bytes {
            expected ^= UInt32(byte)
            for _ in 0..<8 { expected = expected & 1 == 1 ? expected >> 1 ^ 0xEDB8_8320 : expected >> 1 }
        }
        var sum = CRC32()
        bytes.withUnsafeBytes { bytes in
            // In two pieces, so that the second starts anywhere.
            sum.update(UnsafeRawBufferPointer(rebasing: bytes[..<(count / 3)]))
            sum.update(UnsafeRawBufferPointer(rebasing: bytes[(count / 3)...]))
        }
        #expect(sum.value == ~expected)
    }

    @Test func `a file has the digest of its bytes and that of the system's own tools`() async throws {
        let scratch = try Scratch()
        let context = WorkContext()
        let bytes = noise((3 << 20) + 5)
        _ = try writeFile(context, scratch["a"], ScriptData(bytes))
        for (algorithm, tool) in [
            (DigestAlgorithm.sha256, "sha256sum"), (.sha1, "sha1sum"), (.sha512, "sha512sum"),
            (.md5, "md5sum"),
        ] {
            let ours = try digestFile(algorithm, context, scratch["a"])
            #expect(ours == (try digest(algorithm, context, ScriptData(bytes))))
            let words = [tool, scratch["a"].string].map { Array($0.utf8) }
            let theirs = try await runProcess(context, Command(words: words))
            guard case .string(let output)? = theirs["output"] else { Issue.record("no output"); return }
            #expect(String(decoding: output, as: UTF8.self).hasPrefix(ours + " "))
        }
        #expect(context.progress.fractionCompleted == 1)
    }

    @Test func `a missing file is named, and the error about an unknown algorithm lists the known ones`()
        throws
    {
        #expect(
            message { _ = try digestFile(.md5, WorkContext(), "/no/such") }
                == "cannot read '/no/such': no such file"
        )
        let converter = try #require(ScriptConverter<DigestAlgorithm>.make())
        do throws(ScriptConversionError) {
            _ = try converter.decode(.text("sha3"))
        } catch {
            #expect(
                error.description == "one of 'sha256', 'sha1', 'sha512', 'md5', 'crc32' expected, got 'sha3'"
            )
        }
    }

    @Test func `a cancelled digest stops`() {
        let context = WorkContext()
        context.cancel()
        #expect(throws: CancellationError.self) { try digest(.md5, context, ScriptData([1])) }
        #expect(throws: CancellationError.self) { try digestFile(.md5, context, "/dev/zero") }
    }
}
