import OpScript
import OpScriptCLI

OpScriptCommand.main(name: "greeter", version: "1.0") { engine in
    engine.register("greet", "Returns a greeting.") { (name: String) in "hello, \(name)" }
}
