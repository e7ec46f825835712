internal import CTexts
internal import OpScript

/// The Lua code that makes a script a file of scenarios: files in the folder `Lua`.
enum Library {
    /// Its parts, in the order of their loading.
    static let chunks = parts + [chunk("run", text_scenarios_run())]

    /// The same for the reports to an output handler.
    static let handlerChunks = parts + [chunk("handler", text_scenarios_handler())]

    private static let parts: [ScriptDriver.Chunk] = [
        chunk("format", text_scenarios_format()),
        chunk("describe", text_scenarios_describe()),
        chunk("say", text_scenarios_say()),
        chunk("failure text", text_scenarios_failure_text()),
        chunk("assert", text_scenarios_assert()),
        chunk("assertions", text_scenarios_assertions()),
        chunk("spy", text_scenarios_spy()),
        chunk("timeline", text_scenarios_timeline()),
        chunk("context", text_scenarios_context()),
        chunk("events", text_scenarios_events()),
        chunk("spec", text_scenarios_spec()),
        chunk("modules", text_scenarios_modules()),
        chunk("fixtures", text_scenarios_fixtures()),
        chunk("lfs", text_scenarios_file_system()),
    ]

    private static func chunk(_ name: String, _ text: UnsafePointer<CChar>) -> ScriptDriver.Chunk {
        ScriptDriver.Chunk(name: "[opscript \(name)]", source: String(cString: text))
    }
}
