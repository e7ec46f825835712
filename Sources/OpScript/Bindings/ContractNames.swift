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

    /// A table of options, for people.
    package struct OptionList: Sendable, Equatable {
        /// `options of a retry`
        package var title: String
        /// The options, and the values that each takes: `attempts`, `a whole number from 1`.
        package var rows: [Row]
        /// The type whose properties that can be set are options, too.
        package var type: String?

        package struct Row: Sendable, Equatable {
            package var name: String
            package var takes: String
        }
    }

    /// The table of options that a property takes, by `Operation.retry`, and those of a call, by its path.
    package let optionLists: [String: OptionList]

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
        var lists: [String: OptionList] = [:]
        for call in ScriptCall.all {
            for argument in call.arguments {
                lists[call.path] = Self.optionList(of: call.requiredKind(of: argument)) ?? lists[call.path]
            }
        }
        for type in ScriptType.all {
            for name in type.settableNames {
                let kind = ScriptContract.kind(ofProperty: name, of: type.name)
                lists["\(type.name).\(name)"] = Self.optionList(of: kind)
            }
        }
        optionLists = lists
    }

    private static func optionList(of kind: ScriptKind?) -> OptionList? {
        guard let key = (kind?.forms ?? []).lazy.compactMap(\.optionsKey).first,
            let table = ScriptContract.options[key]
        else { return nil }
        let rows = table.own.map { OptionList.Row(name: $0.name, takes: $0.kind.sentence) }
        return OptionList(title: table.title, rows: rows, type: table.type)
    }

    private static func options(of kind: ScriptKind?) -> [String] {
        (kind?.forms ?? []).flatMap { form -> [String] in
            guard let key = form.optionsKey, let table = ScriptContract.options[key] else { return [] }
            let type = ScriptType.all.first { $0.name == table.type }
            return (type?.settableNames ?? []) + table.own.map(\.name)
        }
    }
}

extension ScriptKind.Form {
    /// The key of the table of options that it is.
    fileprivate var optionsKey: String? {
        switch self {
        case .options(let key, _), .numberWithOptions(_, let key), .optionsAlone(let key): key
        default: nil
        }
    }
}
