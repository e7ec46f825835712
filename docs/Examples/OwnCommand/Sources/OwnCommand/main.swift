import OpScript
import OpScriptCLI

OpScriptCommand.main { engine in
    engine.register("greet", "Greets somebody.") { (name: String) in "hello, \(name)" }
}
