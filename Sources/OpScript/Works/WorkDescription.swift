/// A registered work, for lists.
package struct WorkDescription: Sendable {
    /// An argument that a script passes.
    package struct Parameter: Sendable {
        package var name: String
        /// The type as scripts know it.
        package var type: String
        package var isOptional: Bool
    }

    package var name: String
    package var summary: String
    package var parameters: [Parameter]
    /// Whether it takes any arguments after these.
    package var isVariadic: Bool
}

extension ScriptEngine {
    /// All works that are registered, sorted by their names.
    package var workDescriptions: [WorkDescription] {
        catalogue.names.compactMap { catalogue.index(of: $0) }.map { index in
            let definition = catalogue[index]
            return WorkDescription(
                name: definition.name,
                summary: definition.summary,
                parameters: definition.parameters.map {
                    WorkDescription.Parameter(name: $0.name, type: $0.type, isOptional: $0.isOptional)
                },
                isVariadic: definition.isVariadic
            )
        }
    }
}
