import OpScript

struct Picture: Codable {
    var name: String
    var width: Int
}

struct NoSuchPicture: Error, CustomStringConvertible {
    var name: String
    var description: String { "there is no picture '\(name)'" }
}

let engine = ScriptEngine()
engine.register("load", "Loads a picture.") { (name: String) throws in
    if name == "unicorn" { throw NoSuchPicture(name: name) }
    return Picture(name: name, width: 100 * name.count)
}
engine.register("scale", "Makes a picture smaller.") { (picture: Picture, width: Int) async throws in
    try await Task.sleep(for: .milliseconds(10))
    return Picture(name: picture.name, width: min(width, picture.width))
}
let report = try await engine.run(file: CommandLine.arguments.dropFirst().first ?? "job.lua")
print(report.succeeded, "succeeded,", report.failed, "failed,", report.skipped, "skipped")
for failure in report.failures where failure.error.underlying is NoSuchPicture {
    print("\(failure.createdAt): \(failure.message)")
}
