/// The host's works, as scripts see them.
///
/// Owns a copy of the catalogue, which it brings up to date before a run. Called by the binding of `work`, and by
/// whoever starts one.
final class Works: RuntimePart {
    let catalogue: WorkCatalogue
    /// A copy of the catalogue, and of which revision.
    var definitions: [WorkDefinition] = []
    var definitionsRevision = -1

    init(_ foundation: RuntimeFoundation, _ catalogue: WorkCatalogue) {
        self.catalogue = catalogue
        super.init(foundation)
    }

    /// A definition by its index, without asking other threads unless something was registered.
    func definition(_ index: Int) -> WorkDefinition {
        if catalogue.revision != definitionsRevision {
            definitionsRevision = catalogue.revision
            definitions =
                runtime.virtualTime.simulation.map { $0.definitions(of: catalogue) } ?? catalogue.definitions
        }
        return definitions[index]
    }
}
