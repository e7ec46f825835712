import Testing

@testable import OpScript

/// Bytes as text and back.
@Suite struct RawTextTests {
    @Test(
        arguments: [
            [], [97], [0xff], [97, 0xff], [0xc3, 0xbc], [0xc3], [0xc0, 0xaf], [0xed, 0xa0, 0x80],
            [0xf0, 0x9f, 0x98, 0x80],
            [0xf0, 0x9f, 0x98], [0xf4, 0x8f, 0xbe, 0x80], [0xf4, 0x8f, 0xbf, 0xbf], [0xf4, 0x8f, 0xbd, 0xbf],
            [0xf5, 0x80],
            [0x80, 0xc3, 0xbc, 0x80],
        ] as [[UInt8]]
    )
    func `bytes come back unchanged`(_ bytes: [UInt8]) {
        #expect(RawText.bytes(of: RawText.text(of: bytes)) == bytes)
    }

    @Test func `valid text stays as it is`() {
        for text in ["", "plain", "ü€😀", "a\u{10FF7F}"] {
            #expect(RawText.text(of: Array(text.utf8)) == text)
        }
    }

    @Test func `different bytes are different texts`() {
        let pieces: [[UInt8]] = [[0x41], [0xff], [0xf4], [0x8f], [0xbe], [0x80], [0xf4, 0x8f, 0xbe, 0x80]]
        var known: [String: [UInt8]] = [:]
        for a in pieces {
            for b in pieces {
                for c in pieces {
                    let bytes = a + b + c
                    let text = RawText.text(of: bytes)
                    #expect(known[text].map { $0 == bytes } ?? true)
                    known[text] = bytes
                }
            }
        }
    }
}
