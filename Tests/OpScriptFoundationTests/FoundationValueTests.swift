import Foundation
import OpScript
import OpScriptFoundation
import Testing

/// Foundation's values as scripts see them.
@Suite struct FoundationValueTests {
    private struct Parcel: Codable, Equatable, Sendable {
        var sent: Date
        var address: URL
        var content: Data
    }

    private func makeEngine() -> ScriptEngine {
        let engine = ScriptEngine()
        engine.register("reverse") { (data: Data) in Data(data.reversed()) }
        engine.register("later") { (date: Date, seconds: Double) in date.addingTimeInterval(seconds) }
        engine.register("host") { (url: URL) in url.host() }
        engine.register("send") { (parcels: [Parcel]) in parcels }
        return engine
    }

    @Test(arguments: [
        (#"await(work.reverse("\0a\255")):string() == "\255a\0""#, "true"),
        ("#await(work.reverse(await(work.reverse('abc'))))", "3"),
        ("await(work.later(1000, 0.5))", "1000.5"),
        ("await(work.host('https://example.org/a'))", "example.org"),
        (
            "await(work.send { { sent = 10, address = 'http://a/', content = 'xyz' } })[1].content:string()",
            "xyz"
        ),
        ("await(work.send { { sent = 10, address = 'http://a/', content = 'xyz' } })[1].sent", "10.0"),
    ])
    func `they keep their types`(expression: String, result: String) async throws {
        #expect(try await makeEngine().evaluate("tostring((\(expression)))", as: String.self) == result)
    }

    @Test(arguments: [
        ("work.reverse(1)", "bad argument #1 to 'reverse' (string or Data expected, got number)"),
        (
            "work.later('x', 1)",
            "bad argument #1 to 'later' (number of seconds since 1970 expected, got string)"
        ),
        ("work.host(2)", "bad argument #1 to 'host' (string expected, got number)"),
        (
            "work.send { { sent = 'x', address = 'http://a/', content = '' } }",
            "bad argument #1 to 'send' (field '[1].sent': number of seconds since 1970 expected, got string)"
        ),
    ])
    func `other values are refused`(expression: String, message: String) async throws {
        let found = try await makeEngine().evaluate(
            "select(2, pcall(function() return \(expression) end)).message:gsub('^.-:1: ', '')",
            as: String.self
        )
        #expect(found == message)
    }
}
