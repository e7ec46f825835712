/// The host's works, as scripts see them.
///
/// Owns a copy of the catalogue, which it brings up to date before a run. Called by the binding of `work`, and by the
/// parts that start a work.
final class Works: RuntimePart {
    let catalogue: WorkCatalogue
    /// A copy of the catalogue, with the revision that was copied.
    private var definitions: [WorkDefinition] = []
    private var definitionsRevision = -1

    init(_ foundation: RuntimeFoundation, _ catalogue: WorkCatalogue) {
        self.catalogue = catalogue
        super.init(foundation)
    }

    /// A simulation has changed the behaviour of a work: invalidates the copy.
    func definitionsChanged() { definitionsRevision = -1 }

    /// A definition by its index; takes the catalogue's lock only if something was registered.
    func definition(_ index: Int) -> WorkDefinition {
        if catalogue.revision != definitionsRevision {
            definitionsRevision = catalogue.revision
            definitions =
                runtime.virtualTime.simulation.map { $0.definitions(of: catalogue) } ?? catalogue.definitions
        }
        return definitions[index]
    }
}
