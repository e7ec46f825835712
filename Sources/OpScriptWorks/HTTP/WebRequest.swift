#if HTTP
internal import OpScript

/// A method, a URL, and options: the argument of `http.request`.
struct WebRequest: ScriptConvertible {
    let method: String
    let address: WebAddress
    let options: WebOptions

    static var scriptTypeName: String { "table with url and options" }

    init(_ method: String, _ address: WebAddress, _ options: WebOptions) {
        self.method = method
        self.address = address
        self.options = options
    }

    init(scriptValue: ScriptValue) throws(ScriptConversionError) {
        let fields = try [String: ScriptValue](scriptValue: scriptValue)
        guard let url = fields["url"] else {
            throw ScriptConversionError(expected: "", got: "a request needs the field 'url'")
        }
        do throws(ScriptConversionError) {
            address = try WebAddress(scriptValue: url)
        } catch {
            throw error.inside(field: "url")
        }
        var method = "GET"
        if let value = fields["method"] {
            method = try String(scriptValue: value).uppercased()
            guard isToken(method) else {
                throw ScriptConversionError(expected: "name of a method", got: "'\(method)'")
                    .inside(field: "method")
            }
        }
        self.method = method
        options = try WebOptions(fields, besides: ["method", "url"])
    }

    var scriptValue: ScriptValue { .table(ScriptTable()) }

    /// The beginning of its errors: `cannot get 'http://…'`.
    var failureText: String {
        let verb =
            switch method {
            case "GET", "HEAD": "get"
            case "POST": "post to"
            case "PUT": "put to"
            case "PATCH": "patch"
            case "DELETE": "delete"
            default: "request"
            }
        return "cannot \(verb) '\(address.shownText)'"
    }
}
#endif
