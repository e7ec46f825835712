import OpScript
import Synchronization

@main struct Game {
    static func main() async throws {
        let frames = Frames()
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
        engine.register("nextFrame") { () async in await frames.next() }

        let isOver = Atomic<Bool>(false)
        let level = Task {
            defer { isOver.store(true, ordering: .releasing) }
            return try await engine.run(file: CommandLine.arguments.dropFirst().first ?? "level.lua")
        }

        var drawn: [Int] = []
        while !isOver.load(ordering: .acquiring) {
            frames.begin()
            // A script that has more to do continues in the next frame.
            try engine.poll(budget: .milliseconds(4))
            if drawn.last != hero.x {
                drawn.append(hero.x)
                print("the hero is at \(hero.x)")
            }
            // Where a game would wait for the display.
            try await Task.sleep(for: .milliseconds(1))
        }
        print("status \(try await level.value.exitCode)")
    }
}
