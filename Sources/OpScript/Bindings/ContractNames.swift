/// The names of what scripts can use, for the completion of a line that is being typed.
package struct ContractNames: Sendable {
    /// The members of the values of a type.
    package struct Members: Sendable, Equatable {
        /// Names that are read without a call.
        package var properties: [String]
        /// Names that are called with a colon.
        package var methods: [String]
    }

    /// The members of each type, by the name that `getmetatable` returns for its values.
    package let types: [String: Members]
    /// Names in the tables of constructors, by the name of the table, also of those that are made at their first use.
    package let members: [String: [String]]
    /// The options of calls that take a table of options, by the path of the call: `OperationQueue`, `Timer.cron`.
    package let options: [String: [String]]

    /// All names.
    package init() {
        var types: [String: Members] = [:]
        var members: [String: [String]] = [:]
        for type in ScriptType.all {
            let methods = type.calls.map(\.name)
            let others = type.otherNames.filter { !methods.contains($0) }
            types[type.name] = Members(properties: type.members.map(\.name) + others, methods: methods)
            for constructor in type.constructors {
                members[constructor.name.description] =
                    constructor.functions.map(\.name.description)
                    + constructor.constants.map(\.0.description)
                    + constructor.lookups.map(\.0.description)
                    + constructor.otherNames
            }
        }
        for (name, methods) in [("Data", DataBinding.methods), ("Observation", ObservationBinding.methods)] {
            types[name] = Members(properties: [], methods: methods.map(\.name.description))
        }
        self.types = types
        self.members = members
        var options: [String: [String]] = [:]
        for call in ScriptCall.all {
            let names = call.arguments.flatMap { Self.options(of: call.requiredKind(of: $0)) }
            if !names.isEmpty { options[call.path, default: []] += names }
        }
        self.options = options.mapValues { Array(Set($0)).sorted() }
    }

    private static func options(of kind: ScriptKind?) -> [String] {
        (kind?.forms ?? []).flatMap { form -> [String] in
            switch form {
            case .options(let key, _), .numberWithOptions(_, let key), .optionsAlone(let key):
                guard let table = ScriptContract.options[key] else { return [] }
                let type = ScriptType.all.first { $0.name == table.type }
                return (type?.settableNames ?? []) + table.own.map(\.name)
            default: return []
            }
        }
    }
}
