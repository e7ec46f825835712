import Testing

@testable import OpScript

/// Secrets in output that comes in pieces.
@Suite struct SecretStreamTests {
    /// Divides a text in all ways into three pieces, and compares the results with that of the whole text.
    @Test(arguments: [
        "x abcdef y", "abcabcdabcdef", "ab abc abcd", "xabcdefabcdefx", "xabcxcdefghx", "abcdefgh", "abcabab",
    ])
    func `the pieces do not matter`(_ text: String) throws {
        let secrets = Secrets()
        for secret in ["abcdef", "cdefgh", "abab"] { try secrets.add(Array(secret.utf8)) }
        let bytes = Array(text.utf8)
        let expected = secrets.hidden(in: bytes)
        for first in 0...bytes.count {
            for second in first...bytes.count {
                var stream = SecretStream(secrets)
                var shown = stream.take(bytes[..<first])
                shown += stream.take(bytes[first..<second])
                shown += stream.take(bytes[second...])
                shown += stream.takeAll()
                #expect(shown == expected, "\(first) \(second)")
            }
        }
    }

    @Test func `only what may begin a secret waits`() throws {
        let secrets = Secrets()
        try secrets.add(Array("abcdef".utf8))
        var stream = SecretStream(secrets)
        func take(_ text: String) -> String {
            String(decoding: stream.take(Array(text.utf8)[...]), as: UTF8.self)
        }
        #expect(take("name? ") == "name? ")
        #expect(take("x abc") == "x ")
        #expect(take("x ab") == "abcx ")
        #expect(take("cdef") == "•••")
        #expect(stream.takeAll() == [])
    }

    @Test func `a secret that is made later is found from then on`() throws {
        let secrets = Secrets()
        var stream = SecretStream(secrets)
        #expect(stream.take(Array("abcd".utf8)[...]) == Array("abcd".utf8))
        try secrets.add(Array("abcd".utf8))
        #expect(stream.take(Array("abcd".utf8)[...]) == Array("•••".utf8))
    }
}
