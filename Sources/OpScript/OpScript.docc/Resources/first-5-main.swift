import OpScript

struct Picture: Codable {
    var name: String
    var width: Int
}

let engine = ScriptEngine()
engine.register("load", "Loads a picture.") { (name: String) in
    Picture(name: name, width: 100 * name.count)
}
engine.register("scale", "Makes a picture smaller.") { (picture: Picture, width: Int) async throws in
    try await Task.sleep(for: .milliseconds(10))
    return Picture(name: picture.name, width: min(width, picture.width))
}
let report = try await engine.run(file: CommandLine.arguments.dropFirst().first ?? "job.lua")
print(report.succeeded, "succeeded")
