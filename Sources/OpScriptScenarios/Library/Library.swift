internal import OpScript

/// The Lua code that makes a script a file of scenarios.
enum Library {
    /// Its parts, in the order of their loading.
    static let chunks = parts + [.init(name: "[opscript run]", source: RunLibrary.source)]

    /// The same for the reports to an output handler.
    static let handlerChunks = parts + [.init(name: "[opscript handler]", source: HandlerLibrary.source)]

    private static let parts: [ScriptDriver.Chunk] = [
        .init(name: "[opscript format]", source: FormatLibrary.source),
        .init(name: "[opscript describe]", source: DescribeLibrary.source),
        .init(name: "[opscript say]", source: SayLibrary.source),
        .init(name: "[opscript failure text]", source: FailureTextLibrary.source),
        .init(name: "[opscript assert]", source: AssertLibrary.source),
        .init(name: "[opscript assertions]", source: AssertionLibrary.source),
        .init(name: "[opscript spy]", source: SpyLibrary.source),
        .init(name: "[opscript timeline]", source: TimelineLibrary.source),
        .init(name: "[opscript context]", source: ContextLibrary.source),
        .init(name: "[opscript events]", source: EventLibrary.source),
        .init(name: "[opscript spec]", source: SpecLibrary.source),
        .init(name: "[opscript modules]", source: ModuleLibrary.source),
        .init(name: "[opscript fixtures]", source: FixtureLibrary.source),
        .init(name: "[opscript lfs]", source: FileSystemLibrary.source),
    ]
}
