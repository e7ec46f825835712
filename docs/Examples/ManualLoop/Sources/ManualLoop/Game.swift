import OpScript
import Synchronization

/// `ManualLoop level.lua [frames]`: with a number of frames, the loop ends after them, and shows how long they took.
@main struct Game {
    /// How long scripts may run in each frame.
    private static let budget = Duration.milliseconds(2)

    static func main() async throws {
        let words = Array(CommandLine.arguments.dropFirst())
        let script = words.first ?? "level.lua"
        let mostFrames = words.count > 1 ? Int(words[1]) : nil
        let hero = Hero()

        // Lua runs inside of `poll`, and nowhere else.
        var configuration = ScriptEngine.Configuration()
        configuration.scriptExecutor = .manual
        let engine = ScriptEngine(configuration)
        engine.expose(Hero.self) { type in
            type.property("x") { $0.x }
            type.method("move") { (hero: Hero, distance: Int) in hero.move(distance) }
        }
        engine.register("spawn") { hero }

        let isOver = Atomic<Bool>(false)
        let level = Task {
            defer { isOver.store(true, ordering: .releasing) }
            return try await engine.run(file: script)
        }

        var drawn: [Int] = []
        var times = FrameTimes(budget: budget)
        while !isOver.load(ordering: .acquiring), times.count < mostFrames ?? .max {
            // A script that has more to do continues in the next frame, even in the middle of a loop.
            try times.measure { try engine.poll(budget: budget) }
            if drawn.last != hero.x {
                drawn.append(hero.x)
                print("the hero is at \(hero.x)")
            }
            // Where a game would wait for the display.
            try await Task.sleep(for: .milliseconds(1))
        }
        guard mostFrames == nil else {
            print(times.histogram)
            return engine.shutdown()
        }
        print("status \(try await level.value.exitCode)")
    }
}
