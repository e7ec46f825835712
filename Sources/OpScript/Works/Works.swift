/// The host's works, as scripts see them.
///
/// Owns a copy of the catalogue, which it brings up to date before a run. Called by the binding of `work`, and by
/// whoever starts one.
final class Works: RuntimePart {
    let catalogue: WorkCatalogue
    /// A copy of the catalogue, and of which revision.
    private var definitions: [WorkDefinition] = []
    private var definitionsRevision = -1

    init(_ foundation: RuntimeFoundation, _ catalogue: WorkCatalogue) {
        self.catalogue = catalogue
        super.init(foundation)
    }

    /// A simulation has changed what a work does: the copy is not true any more.
    func definitionsChanged() { definitionsRevision = -1 }

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
