import Testing

@testable import OpScript

/// The search for secrets, without an engine.
@Suite struct SecretTableTests {
    private func hidden(_ text: String, _ secrets: [String]) throws -> String {
        let all = Secrets()
        for secret in secrets { try all.add(Array(secret.utf8)) }
        #expect(String(decoding: all.hidden(in: Array(text.utf8)), as: UTF8.self) == all.hidden(in: text))
        return all.hidden(in: text)
    }

    @Test(arguments: [
        // Alone, at both ends, several times, side by side.
        ("abcd", ["abcd"], "•••"), ("abcd x abcd", ["abcd"], "••• x •••"), ("abcdabcd", ["abcd"], "••••••"),
        // Not all of it, and a false start.
        ("abc", ["abcd"], "abc"), ("aabcd", ["abcd"], "a•••"), ("abcabcd", ["abcd"], "abc•••"),
        // One inside another, in both orders; two that overlap, and one that overlaps itself.
        ("1abcdef2", ["abcd", "abcdef"], "1•••2"), ("1abcdef2", ["abcdef", "abcd"], "1•••2"),
        ("1abcdef2", ["bcde", "abcdef"], "1•••2"), ("1abcdef2", ["abcd", "cdef"], "1•••2"),
        ("1abababab2", ["abab"], "1•••2"),
        // White space at the ends is not needed.
        ("<key1>", [" key1\r\n"], "<•••>"),
        // Other characters than those of ASCII.
        ("Größe", ["röße"], "G•••"), ("•••", ["••••"], "•••"),
    ])
    func `dots replace each of them, the longest first`(_ text: String, _ secrets: [String], _ shown: String)
        throws
    {
        #expect(try hidden(text, secrets) == shown)
    }

    @Test func `each long line of a secret is hidden by itself`() throws {
        let key = "-----BEGIN KEY-----\nMIIBOgIBAAJBAKj3\r\n  4wzVhUBZjtpy  \nabc\n-----END KEY-----\n"
        #expect(try hidden("<\(key)>", [key]) == "<•••\n>")
        #expect(try hidden("4wzVhUBZjtpy MIIBOgIBAAJBAKj3", [key]) == "••• •••")
        // A short one could be a word.
        #expect(try hidden("abc", [key]) == "abc")
    }

    @Test func `the beginning of a secret is hidden where a text was cut`() throws {
        let secret = "0123456789abcdef"
        #expect(try hidden("'0123456789...'", [secret]) == "'•••...'")
        #expect(try hidden("'0123456789…'", [secret]) == "'•••…'")
        #expect(try hidden("0123456789 012345…", [secret]) == "0123456789 012345…")
    }

    @Test func `bytes that are not UTF-8 are found in both kinds of texts`() throws {
        let secrets = Secrets()
        let value: [UInt8] = [0x61, 0xff, 0x62, 0xfe, 0x63]
        try secrets.add(value)
        #expect(secrets.hidden(in: [0x2d] + value + [0x2d]) == Array("-•••-".utf8))
        #expect(secrets.hidden(in: "-\(String(decoding: value, as: UTF8.self))-") == "-•••-")
        #expect(secrets.hidden(in: "-\(RawText.text(of: value))-") == "-•••-")
    }

    @Test(arguments: ["", "abc", " \n\tabc \n"])
    func `a secret that is too short is refused`(_ value: String) {
        let secrets = Secrets()
        #expect(throws: ScriptError.self) { try secrets.add(Array(value.utf8)) }
        #expect(secrets.isEmpty)
    }

    @Test func `there is a most of each`() throws {
        let secrets = Secrets()
        #expect(throws: ScriptError.self) {
            try secrets.add([UInt8](repeating: 0x61, count: SecretTable.mostBytes + 1))
        }
        for number in 1...SecretTable.mostValues { try secrets.add(Array("secret \(number)".utf8)) }
        // A known one takes no place.
        try secrets.add(Array("secret 1".utf8))
        #expect(throws: ScriptError.self) { try secrets.add(Array("one more".utf8)) }
        #expect(secrets.hidden(in: "secret 77") == "•••")
    }

    @Test(arguments: [
        ("correct horse", true), ("12345678", false), ("-1234.5678", false), ("true", false),
        ("1234567a", true),
        ("1234567", false), ("       x        ", false),
    ])
    func `a variable with a number or a short word is a setting`(_ value: String, _ isSecret: Bool) {
        #expect(SecretVariables.isSecret(Array(value.utf8)) == isSecret)
    }
}
