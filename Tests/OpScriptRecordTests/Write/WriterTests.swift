import Testing

@testable import OpScriptRecord

/// The text formats, and names that mean something in them.
@Suite struct WriterTests {
    static let hostile = "a\"b\\c\n</script><b>&`#;\u{2028}\u{1}é"

    private func run() -> RunRecord {
        let run = SampleRun()
        let first = run.add("fetch", work: "http.get", queue: ("net", nil), started: 0, ended: 1500)
        run.add(
            Self.hostile,
            queue: ("q\"</script>", 2),
            after: [first],
            ready: 1500,
            readyBecause: .dependency,
            readyBy: first,
            started: 1600,
            ended: 2600,
            outcome: .failed
        )
        run.fail(1, "bad </script>\nline", traceback: "job.lua:3: <x>")
        run.add("never", started: nil, ended: nil)
        return run.finish(at: 3000)
    }

    @Test func `lines of JSON have a stable schema`() throws {
        let lines = try run().text(.jsonLines).split(separator: "\n").map(String.init)
        #expect(lines.count == 4)
        #expect(
            lines[0] == #"{"type":"run","schema":1,"name":"job.lua","virtual":true,"seed":"7","workers":2,"#
                + #""duration":3000,"end":"finished","complete":true,"operations":3,"succeeded":1,"failed":1,"#
                + #""cancelled":0,"skipped":0,"steps":0,"unfinished":1,"criticalPath":2500,"bound":2500,"#
                + #""queues":[{"name":"net"},{"name":"q\"\u003c/script\u003e","width":2}]}"#
        )
        #expect(
            lines[1] == #"{"type":"operation","number":0,"identity":100,"name":"fetch","work":"http.get","#
                + #""place":"job.lua:1","queue":"net","attempts":1,"made":0,"added":0,"ready":0,"started":0,"#
                + #""ended":1500,"delivered":1500,"runner":"worker 1","outcome":"succeeded","#
                + #""addition":{"cause":"script"},"readiness":{"cause":"addition"}}"#
        )
        #expect(
            lines[2].contains(#""name":"a\"b\\c\n\u003c/script\u003e\u003cb\u003e\u0026`#;\u2028\u0001é""#)
        )
        #expect(lines[2].contains(#""dependencies":[{"on":0,"when":"notFailed"}]"#))
        #expect(lines[2].contains(#""error":"bad \u003c/script\u003e\nline""#))
        #expect(!lines[3].contains("started") && !lines[3].contains("outcome"))
    }

    @Test func `a run that ended early is marked`() throws {
        for end in [RunEnd.cancelled, .exited(3), .limit("too long"), .failed("no")] {
            let record = SampleRun().finish(at: 1, end)
            #expect(try record.text(.jsonLines).contains(#""complete":false"#))
            #expect(try record.text(.html).contains(#""early":true"#))
            #expect(try record.text(.dot).contains(end.text))
        }
    }

    @Test func `a graph for Graphviz quotes names`() throws {
        let text = try run().text(.dot)
        #expect(text.hasPrefix("digraph run {\n"))
        #expect(text.contains(#"o1 [label="a\"b\\c\n</script><b>&amp;`#;"#))
        #expect(text.contains("  o0 -> o1;\n"))
        #expect(text.contains("penwidth=3"))
        #expect(text.contains("style=\"filled,dashed\""))
    }

    @Test func `a graph for Mermaid writes characters with a meaning as entities`() throws {
        let text = try run().text(.mermaid)
        #expect(text.hasPrefix("flowchart LR\n"))
        #expect(text.contains(#"o1["a#34;b#92;c<br/>#60;/script#62;#60;b#62;#38;#96;#35;#59;"#))
        #expect(text.contains("  o0 --> o1\n"))
        #expect(text.contains("]:::failed\n"))
    }

    @Test func `no text of a run ends the data of its page`() throws {
        let text = try run().text(.html)
        #expect(text.components(separatedBy: "</script>") == 3)
        #expect(!text.contains("<b>&"))
        #expect(text.contains(#"\u003c/script\u003e"#))
        #expect(text.contains("default-src 'none'"))
    }

    @Test func `large graphs are drawn by name`() throws {
        let run = SampleRun()
        let first = run.add("first", started: 0, ended: 1)
        for _ in 0..<1200 { run.add("many", after: [first], started: 1, ended: 2) }
        let record = run.finish(at: 2)
        var text = ""
        final class Sum {
            var bytes: [UInt8] = []
        }
        let sum = Sum()
        try record.writeDotToDraw { sum.bytes += $0 }
        text = String(decoding: sum.bytes, as: UTF8.self)
        #expect(text.contains("many × 1200"))
        #expect(text.contains("n0 -> n1 [label=\"1200\"]"))
    }

    @Test func `an ending picks the format`() {
        #expect(RecordFormat(fileName: "a/b.HTML") == .html)
        #expect(RecordFormat(fileName: "x.pftrace") == .perfetto)
        #expect(RecordFormat(fileName: "x.mmd") == .mermaid)
        #expect(RecordFormat(fileName: "x.foo") == nil)
        #expect(RecordFormat(fileName: "html") == nil)
        #expect(RecordFormat(fileName: "x.") == nil)
    }

    @Test func `an error of the receiver ends the writing`() {
        struct Full: Error {}
        let record = run()
        for format in RecordFormat.allCases {
            #expect(throws: Full.self) { try record.write(format) { _ in throw Full() } }
        }
    }
}

extension String {
    /// The number of pieces that a separator yields.
    fileprivate func components(separatedBy separator: String) -> Int {
        var count = 1
        var rest = self[...]
        while let range = rest.firstRange(of: separator) {
            count += 1
            rest = rest[range.upperBound...]
        }
        return count
    }
}
