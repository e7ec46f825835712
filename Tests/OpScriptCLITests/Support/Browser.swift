import Foundation

/// A headless browser, driven through its debugging pipe. Its calls block: see ``onOwnThread(_:)``.
final class Browser {
    struct Failure: Error {
        let text: String
    }

    /// Where Debian's browser is; nil if it is not installed.
    static let path = ["/usr/bin/chromium", "/usr/bin/chromium-browser"].first {
        FileManager.default.isExecutableFile(atPath: $0)
    }

    private let process: ChildProcess
    private let input = Pipe()
    private let output = Pipe()
    private var messages: LineReader
    private var count = 0
    private var session: String?

    /// Starts the browser with an empty profile in a folder, and opens a page.
    init(profile: String, page: String) throws {
        let options = [
            "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
            "--user-data-dir=\(profile)", "--window-size=1200,900", "--remote-debugging-pipe",
        ]
        // It reads orders from descriptor 3 and writes answers to descriptor 4.
        let words = ["-c", "exec \"$@\" 3<&0 4>&1 </dev/null >/dev/null 2>&1", "sh", Self.path ?? ""]
        process = try ChildProcess("/bin/sh", words + options, input: input, output: output)
        messages = LineReader(output.fileHandleForReading)
        let target = try call("Target.createTarget", ["url": "about:blank"])["targetId"] as? String
        let attached = try call("Target.attachToTarget", ["targetId": target ?? "", "flatten": true])
        session = attached["sessionId"] as? String
        try open(page)
    }

    deinit {
        _ = try? call("Browser.close", [:])
        process.wait()
    }

    /// Goes to a page.
    func open(_ page: String) throws { _ = try call("Page.navigate", ["url": page]) }

    /// The value of an expression of the page, as soon as it is neither false nor an error; fails after two minutes.
    func wait(for expression: String) throws -> Any? {
        try evaluate(
            """
            new Promise((done, fail) => {
              const limit = performance.now() + 120000;
              const look = () => {
                let result;
                try { result = \(expression); } catch (error) {}
                if (result) done(result);
                else if (performance.now() > limit) fail(new Error("it was not true within two minutes"));
                else setTimeout(look, 20);
              };
              look();
            })
            """
        )
    }

    /// The value of an expression of the page.
    func evaluate(_ expression: String) throws -> Any? {
        while true {
            let answer = try call(
                "Runtime.evaluate",
                ["expression": expression, "awaitPromise": true, "returnByValue": true]
            )
            if let problem = answer["exceptionDetails"] { throw Failure(text: "\(problem)") }
            // The page that was asked may have given way to the one that was opened.
            if answer["lost"] != nil { continue }
            return (answer["result"] as? [String: Any])?["value"]
        }
    }

    /// Changes the size of the page, in points.
    func resize(width: Int, height: Int) throws {
        _ = try call(
            "Emulation.setDeviceMetricsOverride",
            ["width": width, "height": height, "deviceScaleFactor": 1, "mobile": true]
        )
    }

    /// Shows the page in a colour scheme, `light` or `dark`.
    func setColourScheme(_ scheme: String) throws {
        _ = try call(
            "Emulation.setEmulatedMedia",
            ["features": [["name": "prefers-color-scheme", "value": scheme]]]
        )
    }

    private func call(_ method: String, _ parameters: [String: Any]) throws -> [String: Any] {
        count += 1
        var message: [String: Any] = ["id": count, "method": method, "params": parameters]
        if let session { message["sessionId"] = session }
        if method == "Browser.close" { message["sessionId"] = nil }
        var data = try JSONSerialization.data(withJSONObject: message)
        data.append(0)
        try input.fileHandleForWriting.write(contentsOf: data)
        while let text = messages.next(endingWith: 0) {
            let answer = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
            guard let answer, answer["id"] as? Int == count else { continue }
            if let error = answer["error"] as? [String: Any] {
                let text = error["message"] as? String ?? "\(error)"
                if text.contains("context was destroyed") || text.contains("navigated") {
                    return ["lost": true]
                }
                throw Failure(text: "\(method): \(text)")
            }
            return answer["result"] as? [String: Any] ?? [:]
        }
        throw Failure(text: "the browser has gone")
    }
}
