import OpScript
import Testing

/// Objects of the main actor, in engines that live there and elsewhere.
@Suite(.timeLimit(.minutes(10))) struct MainActorObjectTests {
    @MainActor final class Window {
        var title: String
        private(set) var size = [640, 480]

        init(_ title: String) { self.title = title }

        struct TooSmall: Error {}

        func resize(_ width: Int, _ height: Int) throws -> Int {
            if width < 1 { throw TooSmall() }
            size = [width, height]
            return width * height
        }

        func fade() async -> String {
            await Task.yield()
            return "faded \(title)"
        }
    }

    private func makeEngine(_ executor: ScriptEngine.Configuration.ScriptExecutor) -> ScriptEngine {
        var configuration = ScriptEngine.Configuration()
        configuration.scriptExecutor = executor
        let engine = ScriptEngine(configuration)
        engine.exposeOnMainActor(Window.self) { type in
            type.initializer { (title: String) in Window(title) }
            type.function("pair") { (a: String, b: String) in [Window(a), Window(b)] }
            type.property("title", get: { $0.title }, set: { $0.title = $1 })
            type.property("width") { $0.size[0] }
            type.method("resize") { (window: Window, width: Int, height: Int) in
                try window.resize(width, height)
            }
            type.method("fade") { (window: Window) async in await window.fade() }
            type.implement(.length) { (window: Window) in window.title.count }
            type.implement(.equal) { (a: Window, b: Window) in a.title == b.title }
        }
        return engine
    }

    @Test func `their members are used where Lua runs`() async throws {
        let engine = makeEngine(.mainActor)
        let window = await Window("first")
        try await engine.set("window", window)
        let text = try await engine.evaluate(
            """
            local other, third = Window("second"), Window.pair("a", "b")[2]
            window.title = window.title .. "!"
            local ok, problem = pcall(window.resize, window, 0, 1)
            return table.concat({ #window, window:resize(3, 4), window.width, other:fade(), third.title,
                tostring(other == Window("second")), tostring(ok), problem.code }, " ")
            """,
            as: String.self
        )
        #expect(text == "6 12 3 faded second b true false failed")
        #expect(await window.title == "first!")
        engine.shutdown()
        await engine.waitUntilClosed()
    }

    @Test func `on another thread, only async members work`() async throws {
        let engine = makeEngine(.dedicatedThread)
        try await engine.set("window", await Window("far"))
        let text = try await engine.evaluate(
            """
            local texts = { window:fade() }
            for _, use in ipairs { function() return window.title end, function() window.title = "x" end,
                function() return window:resize(1, 2) end, function() return Window("new") end } do
                local ok, problem = pcall(use)
                texts[#texts + 1] = tostring(ok) .. " " .. problem.code
            end
            return table.concat(texts, ", ")
            """,
            as: String.self
        )
        #expect(text == "faded far, false misuse, false misuse, false misuse, false misuse")
        let problem = try await engine.evaluate(
            "return tostring(select(2, pcall(function() return window.title end)))",
            as: String.self
        )
        #expect(problem.contains("its engine has to live there (scriptExecutor = .mainActor)"), "\(problem)")
        engine.shutdown()
        await engine.waitUntilClosed()
    }
}
