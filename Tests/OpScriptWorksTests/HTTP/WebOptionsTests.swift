#if HTTP
import OpScript
import Testing

@testable import OpScriptWorks

@Suite struct WebOptionsTests {
    private func problem(_ options: ScriptTable) -> String {
        do throws(ScriptConversionError) {
            _ = try WebOptions(scriptValue: .table(options))
            return "no error"
        } catch {
            return "\(error)"
        }
    }

    @Test func `wrong options are named`() {
        #expect(problem(["timout": .integer(1)]) == "unknown option 'timout' (did you mean 'timeout'?)")
        #expect(problem(["body": .text(""), "json": .integer(1)]) == "'body' and 'json' both give a body")
        #expect(problem(["resume": .boolean(true)]) == "'resume' needs the option 'to'")
        #expect(problem(["auth": .table([:])]) == "'auth' needs either 'user' or 'bearer'")
        #expect(problem(["timeout": .integer(0)]).contains("seconds above 0 expected"))
        #expect(problem(["redirects": .integer(-1)]).contains("number from 0 to 1000 expected"))
        #expect(problem(["headers": .table(["a": .text("b\r\nc")])]).contains("one line of text expected"))
        #expect(
            problem(["form": .table(["a": .table(["b": .integer(1)])])]).contains(
                "field 'a': unknown field 'b'"
            )
        )
        let part = problem(["form": .table(["a": .table(["fil": .text("x")])])])
        #expect(part.contains("unknown field 'fil' (did you mean 'file'?)"))
        #expect(
            problem(["form": .table(["a": .table(["name": .text("x")])])]).contains("either 'file' or 'data'")
        )
        let form = ScriptValue.table(["a": .table(["data": .text("x")])])
        let headers = ScriptValue.table(["content-type": .text("x")])
        #expect(problem(["form": form, "headers": headers]).contains("leave it out of 'headers'"))
        let scheme = problem(["auth": .table(["user": .text("a"), "scheme": .text("x")])])
        #expect(scheme.contains("'auth.scheme'") && scheme.contains("'digest'"))
    }

    @Test(arguments: ["a\nb", "a\r\nX: y", "a\0b"]) func `a login has no line breaks`(_ text: String) {
        #expect(problem(["auth": .table(["bearer": .text(text)])]).contains("one line of text expected"))
        let login: ScriptTable = ["user": .text("me"), "password": .text(text)]
        #expect(problem(["auth": .table(login)]).contains("one line of text expected"))
    }

    @Test func `options that exclude each other are refused, and an empty list is no field`() throws {
        let both: ScriptTable = ["to": .text("x"), "resume": .boolean(true), "compressed": .boolean(true)]
        #expect(problem(both).contains("exclude each other"))
        #expect(try WebForm(scriptValue: .table(["a": .table([:])])).fields.isEmpty)
    }

    @Test(arguments: [
        "http://me:se/cr#et@host/", "http://me:se cret@host:9/", "https://me:se?cr@et@host/",
        "me:secret@host/",
    ])
    func `no message about a URL shows its password`(_ url: String) throws {
        let error = try #require(
            #expect(throws: ScriptConversionError.self) { try WebAddress(scriptValue: .text(url)) }
        )
        #expect("\(error)".contains("me:•••@host") && !"\(error)".contains("cr"), "\(error)")
        let proxy = problem(["proxy": .text("\(url.replacing("cr", with: " cr"))")])
        #expect(proxy.contains("me:•••@host") && !proxy.contains("cr"), "\(proxy)")
    }

    @Test func `no message shows the password of a proxy`() {
        let text = problem(["proxy": .text("ftp://me:secret@x")])
        #expect(text.contains("me:•••@x") && !text.contains("secret"))
    }

    @Test func `a request has a method and needs a URL`() throws {
        let request = try WebRequest(
            scriptValue: .table(["url": .text("http://x"), "method": .text("post")])
        )
        #expect(request.method == "POST" && request.address.host == "x")
        #expect(throws: ScriptConversionError.self) { try WebRequest(scriptValue: .table([:])) }
        #expect(throws: ScriptConversionError.self) {
            try WebRequest(scriptValue: .table(["url": .text("http://x"), "method": .text("A B")]))
        }
    }
}
#endif
