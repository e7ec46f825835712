import Foundation
import SystemPackage
import Testing

/// The page of a record in a real browser, if one is installed: Debian's `chromium`.
@Suite struct PageTests {
    private static let browser = ["/usr/bin/chromium", "/usr/bin/chromium-browser"].first {
        FileManager.default.isExecutableFile(atPath: $0)
    }

    /// Runs a script in a page that the command has written, and returns the result of `check()` there.
    private func check(_ job: String, _ script: String) async throws -> [String: Any] {
        let scratch = try Scratch()
        try scratch.file("job.lua", job)
        let run = try await CommandRun.command(
            "--report",
            "page.html",
            "--virtual",
            "job.lua",
            folder: scratch.path
        )
        #expect(run.errors == "")
        let page = scratch.path.appending("page.html").string
        let harness = """
            <script>
            let result;
            try { if (errors.length) throw errors[0]; result = (() => { \(script) })(); }
            catch (error) { result = { error: String(error) }; }
            const box = document.createElement("pre");
            box.id = "result";
            box.textContent = btoa(unescape(encodeURIComponent(JSON.stringify(result))));
            document.body.appendChild(box);
            </script>
            """
        let text = try String(contentsOfFile: page, encoding: .utf8)
        let early =
            "<script>const errors = []; addEventListener('error', e => errors.push(e.message));</script>"
        let changed = text.replacingOccurrences(of: "<main>", with: early + "<main>") + harness
        try changed.write(toFile: page, atomically: true, encoding: .utf8)
        let shown = try await CommandRun.program(
            FilePath(Self.browser ?? ""),
            [
                "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                "--user-data-dir=\(scratch.path.string)/profile", "--window-size=1200,900", "--dump-dom",
                "file://\(page)",
            ]
        )
        let found = try #require(
            shown.text.firstMatch(of: #/<pre id="result">([^<]*)</pre>/#),
            "\(shown.errors)"
        )
        let data = try #require(Data(base64Encoded: String(found.1)))
        return try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
    }

    @Test(.enabled(if: browser != nil, "needs Debian's chromium"))
    func `each attempt is drawn`() async throws {
        let job = """
            local tries = 0
            OperationQueue():addOperations({ Operation {
                name = "flaky", retry = { attempts = 3, delay = 2 },
                main = function() sleep(1) tries = tries + 1 if tries < 3 then error("no") end end,
            } }, true)
            """
        let result = try await check(
            job,
            """
            const page = window.opscript, seen = [];
            for (let i = 0; i < 3; i++) {
                document.getElementById("next").click();
                seen.push(document.getElementById("details").textContent);
            }
            page.timeline.draw();
            return { seen, matches: page.timeline.matches, drawn: page.timeline.state().drawn };
            """
        )
        #expect(result["error"] == nil)
        let seen = try #require(result["seen"] as? [String])
        #expect(seen.filter { $0.contains("an attempt that another one followed") }.count == 2)
        #expect(seen.filter { $0.contains("job.lua:4: no") }.count == 2, "\(seen)")
        #expect(seen.last?.contains("3 attempts") == true)
        #expect(result["matches"] as? Int == 1 && result["drawn"] as? Int == 3)
    }

    @Test(.enabled(if: browser != nil, "needs Debian's chromium"))
    func `the page shows a known run, zooms and filters, and executes no name`() async throws {
        let job = """
            executed = "</script><script>executed = true</script>"
            local queue = OperationQueue { name = "q" .. executed, maxConcurrentOperationCount = 2 }
            local list = {}
            for place = 1, 300 do
                local op = Operation {
                    name = (place % 3 == 0 and "pack " or executed) .. place % 10, allowsFailure = true,
                    main = function() sleep(place / 100) if place == 7 then error("bad " .. executed) end end,
                }
                if place > 10 then op:addDependency(list[place - 10], "finished") end
                list[place] = op
                queue:addOperation(op)
            end
            queue:waitUntilAllOperationsAreFinished()
            """
        let result = try await check(
            job,
            """
            const page = window.opscript, text = id => document.getElementById(id).textContent;
            const all = page.timeline.state();
            page.timeline.zoom(0.01);
            const near = page.timeline.state();
            page.timeline.show(0, page.data.run.duration);
            const press = key => document.getElementById("timeline")
                .dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
            press("n"); press("z");
            const single = page.timeline.state(), details = text("details");
            document.getElementById("filter").value = "PACK";
            document.getElementById("filter").dispatchEvent(new Event("input"));
            const matches = page.timeline.matches, status = text("matches");
            page.timeline.arrange("queues"); page.timeline.draw();
            return { all, near, single, details, matches, status, queues: page.timeline.state().rows,
              sums: text("sums"), title: text("title"), failures: text("failures"), nodes: page.graph.nodes,
              works: document.querySelectorAll("#works tbody tr").length, executed: typeof executed,
              path: page.data.path.reduce((t, p) => t + p[3] - p[2], 0), duration: page.data.run.duration };
            """
        )
        #expect(result["error"] == nil, "\(result)")
        let all = try #require(result["all"] as? [String: Double])
        let near = try #require(result["near"] as? [String: Double])
        let single = try #require(result["single"] as? [String: Double])
        #expect(all["drawn"] ?? 0 > near["drawn"] ?? 0)
        #expect((near["to"] ?? 0) - (near["from"] ?? 0) < ((all["to"] ?? 0) - (all["from"] ?? 0)) / 50)
        #expect(single["selected"] == 0 && (single["drawn"] ?? 99) < 10)
        #expect(
            (result["details"] as? String)?.contains("</script><script>executed = true</script>1") == true
        )
        #expect(result["matches"] as? Int == 100 && result["status"] as? String == "100 of 300")
        #expect(result["queues"] as? Int == 2)
        #expect((result["sums"] as? String)?.hasPrefix("operations300succeeded299failed1") == true)
        #expect(result["title"] as? String == "job.lua")
        #expect((result["failures"] as? String)?.contains("bad </script><script>") == true)
        #expect(result["nodes"] as? Int == 20 && result["works"] as? Int == 20)
        #expect(result["executed"] as? String == "undefined")
        #expect(result["path"] as? Double == result["duration"] as? Double)
    }
}
