import OpScriptRecord
import Testing

@testable import OpScriptCLI

/// The answers to requests to the live page, decided without a socket.
@Suite struct DashboardGateTests {
    private let gate = DashboardGate(token: DashboardToken(text: "secret"))

    private func answer(
        _ target: String,
        method: String = "GET",
        hosts: [String] = ["127.0.0.1:8080"],
        authorization: String? = nil,
        lastEvent: String? = nil
    ) -> DashboardGate.Answer {
        gate.answer(
            DashboardRequest(
                method: method,
                target: target,
                hosts: hosts,
                authorization: authorization,
                lastEvent: lastEvent
            )
        )
    }

    private func status(_ answer: DashboardGate.Answer) -> Int? {
        if case .refusal(let status, _) = answer { status } else { nil }
    }

    @Test func `every path needs the token`() {
        for path in ["/", "/events", "/report", "/suspend", "/nowhere"] {
            for query in ["", "?token=", "?token=secre", "?token=secrets", "?token=Secret", "?x=secret"] {
                #expect(status(answer(path + query)) == 403, "\(path)\(query)")
            }
        }
        #expect(status(answer("/", authorization: "Bearer wrong")) == 403)
        #expect(status(answer("/", authorization: "secret")) == 403)
        #expect(answer("/?token=secret") == .page)
        #expect(answer("/", authorization: "Bearer secret") == .page)
    }

    @Test func `pages are read by GET, and orders are sent by POST`() {
        #expect(answer("/events?token=secret&since=1.2.3") == .events(LiveCursor("1.2.3")))
        #expect(
            answer("/events?token=secret&since=1.2.3", lastEvent: "4.5.6") == .events(LiveCursor("4.5.6"))
        )
        #expect(answer("/report?token=secret") == .report)
        #expect(answer("/suspend?token=secret&queue=3", method: "POST") == .order(.suspend(queue: 3)))
        #expect(answer("/resume?queue=3&token=secret", method: "POST") == .order(.resume(queue: 3)))
        #expect(answer("/cancel?operation=0&token=secret", method: "POST") == .order(.cancelOperation(0)))
        #expect(answer("/cancelRun?token=secret", method: "POST") == .order(.cancelRun))
        #expect(status(answer("/cancelRun?token=secret")) == 405)
        #expect(status(answer("/?token=secret", method: "POST")) == 405)
        #expect(status(answer("/nowhere?token=secret")) == 404)
    }

    @Test(arguments: ["", "queue=", "queue=-1", "queue=x", "queue=99999999999999999999", "operation=1"])
    func `an order needs a number`(_ field: String) {
        #expect(status(answer("/suspend?token=secret&\(field)", method: "POST")) == 400)
    }

    @Test func `a refused order names the field that is missing or wrong`() {
        #expect(
            answer("/suspend?token=secret&queue=x", method: "POST")
                == .refusal(400, "a number expected for 'queue' in the query, got 'x': queue=1")
        )
        #expect(
            answer("/cancel?token=secret", method: "POST")
                == .refusal(400, "a number expected for 'operation' in the query, got none: operation=1")
        )
    }

    @Test(arguments: ["http://127.0.0.1/?token=secret", "*", "", "token=secret"])
    func `a target is a path`(_ target: String) {
        #expect(status(answer(target)) == 400)
    }

    @Test func `a name that another owner can point here is refused before anything else`() {
        for host in [
            "127.0.0.1", "127.0.0.1:80", "localhost", "LOCALHOST:9", "[::1]:8080", "[::1]", "192.168.1.2:1",
            "[fe80::1:2]",
        ] {
            #expect(answer("/?token=secret", hosts: [host]) == .page, "\(host)")
        }
        for host in [
            "evil.example", "localhost.evil.example", "127.0.0.1.evil.example", "evil.example:8080", "",
            "::1",
            "127.0.0.1:80:80", "[::1", "[evil.example]", "127.0.0.1@evil.example", "1.2.3", "1.2.3.256",
            "localhost:x",
        ] {
            #expect(status(answer("/?token=secret", hosts: [host])) == 403, "\(host)")
        }
        #expect(status(answer("/?token=secret", hosts: [])) == 400)
        #expect(status(answer("/?token=secret", hosts: ["127.0.0.1", "127.0.0.1"])) == 400)
    }

    @Test func `tokens differ, and a comparison sees every digit`() {
        let tokens = (0..<100).map { _ in DashboardToken().text }
        #expect(
            Set(tokens).count == 100 && tokens.allSatisfy { $0.count == 32 && $0.allSatisfy(\.isHexDigit) }
        )
        let token = DashboardToken(text: tokens[0])
        #expect(token.matches(tokens[0]))
        for place in tokens[0].indices {
            var other = tokens[0]
            other.replaceSubrange(place...place, with: other[place] == "0" ? "1" : "0")
            #expect(!token.matches(other))
        }
        #expect(
            !token.matches("") && !token.matches(tokens[0] + "0")
                && !token.matches(String(tokens[0].dropLast()))
        )
    }

    @Test func `an address is a port, an IP address, or both`() {
        let known = [
            ("8080", "127.0.0.1", 8080), (":8080", "127.0.0.1", 8080), ("127.0.0.1", "127.0.0.1", 0),
            ("0.0.0.0:80", "0.0.0.0", 80), ("localhost:1", "127.0.0.1", 1), ("localhost", "127.0.0.1", 0),
            ("[::1]:8080", "::1", 8080), ("[::]", "::", 0), ("0", "127.0.0.1", 0),
        ]
        for (text, host, port) in known {
            #expect(DashboardAddress(text) == DashboardAddress(host: host, port: port), "\(text)")
        }
        for text in [
            "", "job.lua", "65536", "host:80", "127.0.0.1:", "127.0.0.1:x", "1.2.3", "::1", "[::1]8080",
            "[1.2.3.4]:5",
            "-1", "a/b:1",
        ] {
            #expect(DashboardAddress(text) == nil, "\(text)")
        }
        let token = DashboardToken(text: "t")
        #expect(
            DashboardAddress(host: "::", port: 0).page(port: 5, token: token) == "http://[::1]:5/?token=t"
        )
        #expect(
            DashboardAddress(host: "0.0.0.0", port: 0).page(port: 5, token: token)
                == "http://127.0.0.1:5/?token=t"
        )
    }

    @Test func `a word after the option is its value only if it is an address`() {
        func cut(_ words: String...) -> (options: [String], script: String?) {
            let cut = CommandLineWords(["opscript"] + words)
            return (cut.options, cut.script)
        }
        #expect(cut("--dashboard", "job.lua") == (["--dashboard"], "job.lua"))
        #expect(cut("--dashboard", "8080", "job.lua") == (["--dashboard", "8080"], "job.lua"))
        #expect(cut("--dashboard", "[::1]:80", "-q", "a") == (["--dashboard", "[::1]:80", "-q"], "a"))
        #expect(cut("--dashboard", "-e", "x") == (["--dashboard", "-e", "x"], nil))
        #expect(cut("--dashboard=8080", "7") == (["--dashboard=8080"], "7"))
        // Wrong addresses, which are refused as such.
        for address in ["99999", "127.0.0.1:99999", "localhost:99999", "[::1]:99999", ":99999"] {
            #expect(cut("--dashboard", address, "job.lua") == (["--dashboard", address], "job.lua"))
        }
        for script in ["localhost", "jobs/8080", "job:8080", "a:b", "[job]"] {
            #expect(cut("--dashboard", script) == (["--dashboard"], script))
        }
    }

    #if Dashboard
    @Test func `the options say where the page is and whether it stays`() {
        func wishes(_ words: String...) -> RecordWishes? {
            guard case .options(let options) = CommandOptions.parse(words) else { return nil }
            return options.record
        }
        #expect(wishes("-q")?.dashboard == nil)
        #expect(wishes("--dashboard", "-q")?.dashboard == .loopback)
        #expect(wishes("--dashboard", "0.0.0.0:80")?.dashboard == DashboardAddress(host: "0.0.0.0", port: 80))
        #expect(wishes("--dashboard=[::1]:80", "--dashboard-keep")?.keepsDashboard == true)
        #expect(wishes("--dashboard=example.com:80") == nil)
        for address in ["65536", "99999", "0.0.0.0:99999", "[::1]:99999999999999999999"] {
            #expect(
                CommandOptions.parse(["--dashboard", address])
                    == .usage("--dashboard is '\(address)', but a port is at most 65535.")
            )
        }
        #expect(wishes("--dashboard-keep") == nil)
        #expect(wishes("--dashboard", "--plan") == nil)
        #expect(wishes("--dashboard", "--virtual", "--explore", "random") == nil)
        #expect(wishes("--dashboard", "--check-determinism") == nil)
    }
    #endif
}
