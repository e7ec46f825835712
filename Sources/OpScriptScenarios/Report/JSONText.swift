/// One JSON object in one line, with its fields in the order of addition.
struct JSONText {
    private var fields: [String] = []

    mutating func add(_ name: String, _ text: String?) {
        guard let text else { return }
        add(name, raw: TextEscapes.json(text))
    }

    mutating func add(_ name: String, _ number: Int?) {
        if let number { add(name, raw: "\(number)") }
    }

    mutating func add(_ name: String, _ flag: Bool) { add(name, raw: flag ? "true" : "false") }

    mutating func add(_ name: String, seconds: Double?) {
        if let seconds { add(name, raw: TextEscapes.seconds(seconds)) }
    }

    mutating func add(_ name: String, _ texts: [String]) {
        add(name, raw: "[" + texts.map(TextEscapes.json).joined(separator: ",") + "]")
    }

    mutating func add(_ name: String, _ objects: [JSONText]) {
        add(name, raw: "[" + objects.map(\.text).joined(separator: ",") + "]")
    }

    private mutating func add(_ name: String, raw: String) {
        fields.append(TextEscapes.json(name) + ":" + raw)
    }

    var text: String { "{" + fields.joined(separator: ",") + "}" }
}
