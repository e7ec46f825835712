import Testing

@testable import OpScriptCLI

/// The rows of a line that is edited, its output above it, and its history.
@Suite struct EditedTextTests {
    private func text(_ text: String, cursor: Int? = nil, columns: Int = 10) -> EditedText {
        let scalars = Array(text.unicodeScalars)
        return EditedText(prompt: 2, text: scalars, cursor: cursor ?? scalars.count, columns: columns)
    }

    @Test func `a line takes the rows that it needs`() {
        #expect(text("abc").lastRow == 0)
        #expect(text("12345678").lastRow == 1)
        #expect(text("1234567").lastRow == 0)
        #expect(text("123456789", cursor: 3).cursorRow == 0)
        #expect(text("123456789").cursorRow == 1)
        #expect(text("a\nb\nc", cursor: 2).cursorRow == 1)
    }

    @Test func `wide characters are not cut, and marks take no column`() {
        #expect(text("漢漢漢漢").lastRow == 1)
        #expect(text("1234567漢").lastRow == 1)
        #expect(text("e\u{301}234567").lastRow == 0)
        #expect(text("\u{1}234567").lastRow == 1)
    }

    @Test func `output above the line comes in whole rows`() {
        let start = ContinuousClock.now
        var taken: [UInt8]
        var output = OutputAboveLine()
        output.add(Array("one\ntwo".utf8))
        taken = output.take(at: start)
        #expect(taken == Array("one\n".utf8))
        taken = output.take(at: start)
        #expect(taken == [])
        taken = output.take(at: start + .seconds(1))
        #expect(taken == Array("two\n".utf8))
        output.add(Array("three".utf8))
        taken = output.takeAll()
        #expect(taken == Array("three".utf8))
        taken = output.take(at: start + .seconds(1))
        #expect(taken == [])
    }

    @Test func `characters are read byte by byte`() {
        var bytes: [UInt8] = []
        var read = String.UnicodeScalarView()
        for byte in Array("aé漢😀".utf8) + [0xFF, 0xC3, 0x41] {
            bytes.append(byte)
            while let scalar = UTF8Reader.take(&bytes) { read.append(scalar) }
        }
        #expect(String(read) == "aé漢😀\u{FFFD}\u{FFFD}A")
    }

    @Test func `lines are kept across sessions`() throws {
        let scratch = try Scratch()
        let path = "\(scratch.path)/history"
        var history = LineHistory(path: path)
        let loop = "for i = 1, 2 do\n  print('a\\n')\nend"
        let added = [loop, loop, " secret = 1", "", "é"].map { history.add($0) }
        #expect(added == [true, false, false, false, true])
        #expect(LineHistory(path: path).lines == ["for i = 1, 2 do\n  print('a\\n')\nend", "é"])
    }

    @Test func `a long history loses its oldest lines`() throws {
        let scratch = try Scratch()
        let text = (1...5000).map { "x = \($0)\n" }.joined()
        let path = try scratch.file("history", text)
        #expect(LineHistory(path: "\(path)").lines.count == LineHistory.limit)
        #expect(LineHistory(path: "\(path)").lines.last == "x = 5000")
    }
}
