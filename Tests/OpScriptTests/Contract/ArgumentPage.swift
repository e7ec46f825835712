@testable import OpScript

/// The part of docs/contract.md about arguments, options and properties, from the data of the contract.
enum ArgumentPage {
    static var text: String {
        """

        ## What each argument takes

        Any other value is refused with an error `argument` that names the argument, the option or the property.
        An unknown name, where a name is expected, is `misuse`, `host` or `argument`. A number is not a string, and a
        string is not a number. The tests give each of them \(TrialValue.all.count) values of all sorts.

        Arguments in brackets can be left out, or be nil. So can options.

        \(arguments)
        ### Values of properties

        \(properties)
        """ + options + "\n"
    }

    private static var arguments: String {
        var groups = Groups()
        for call in ScriptCall.all {
            for argument in call.arguments {
                let own = argument.isOptional ? "[\(argument.name)]" : argument.name
                groups.add(call.path, own, call.requiredKind(of: argument)?.sentence ?? "?")
            }
        }
        return groups.table("argument")
    }

    private static var properties: String {
        var groups = Groups()
        for type in ScriptType.all {
            for name in type.settableNames {
                groups.add(
                    type.name,
                    name,
                    ScriptContract.kind(ofProperty: name, of: type.name)?.sentence ?? "?"
                )
            }
        }
        return groups.table("property")
    }

    private static var options: String {
        ScriptContract.options.sorted { $0.value.title < $1.value.title }.map { _, table in
            let title = table.title.prefix(1).uppercased() + table.title.dropFirst()
            let own = table.own.map { "- `\($0.name)`: \($0.kind.sentence)" }
            let properties = table.type.map { ["- the settable properties of `\($0)`, as above"] } ?? []
            return "\n### \(title)\n\n" + (own + properties).joined(separator: "\n") + "\n"
        }
        .joined()
    }

    /// Groups that take the same values, in the order of their first members.
    private struct Groups {
        private var groups: [(sentence: String, names: [(name: String, owners: [String])])] = []

        mutating func add(_ owner: String, _ name: String, _ sentence: String) {
            let group =
                groups.firstIndex { $0.sentence == sentence }
                ?? {
                    groups.append((sentence, []))
                    return groups.count - 1
                }()
            if let place = groups[group].names.firstIndex(where: { $0.name == name }) {
                groups[group].names[place].owners.append(owner)
            } else {
                groups[group].names.append((name, [owner]))
            }
        }

        func table(_ heading: String) -> String {
            var text = "| takes | \(heading) |\n|---|---|\n"
            for group in groups {
                let names = group.names.map { name, owners in
                    "`\(name)` of \(owners.map { "`\($0)`" }.joined(separator: ", "))"
                }
                text += "| \(group.sentence) | \(names.joined(separator: "; ")) |\n"
            }
            return text
        }
    }
}
