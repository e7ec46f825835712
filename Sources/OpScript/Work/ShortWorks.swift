internal import Scheduling

/// The works that most scripts call most often: a Swift closure with at most one plain argument.
///
/// What a call needs of the definition lies in plain memory: workers count references to the same object at the same time.
final class ShortWorks {
    struct Work: BitwiseCopyable {
        /// What cells keep alive; nil where the work is longer.
        fileprivate(set) var definition: UnsafeRawPointer?
        /// How many arguments it takes.
        fileprivate(set) var count: Int32 = 0
        /// What the only one has to be.
        fileprivate(set) var kind = WorkDefinition.PlainKind.any

        /// The definition, which lives as long as the cells do.
        @inline(__always)
        var unmanaged: Unmanaged<WorkDefinition>? { definition.map { Unmanaged.fromOpaque($0) } }
    }

    private let works = PlainBuffer<Work>()

    /// Takes the definitions of the catalogue, by index.
    func take(_ definitions: [WorkDefinition]) {
        works.truncate()
        for definition in definitions {
            var work = Work()
            if definition.isShort {
                work.definition = UnsafeRawPointer(Unmanaged.passUnretained(definition).toOpaque())
                work.count = Int32(definition.parameters.count)
                work.kind = definition.parameters.first?.plainKind ?? .any
            }
            works.append(work)
        }
    }

    /// The work at an index, if it is a short one.
    @inline(__always)
    subscript(index: Int) -> Work? {
        guard index < works.count else { return nil }
        let work = works[index]
        return work.definition == nil ? nil : work
    }
}
