let words = Array(CommandLine.arguments.dropFirst())
guard let script = words.first, let port = Int(words.dropFirst().first ?? "8080") else {
    fatalError("usage: HTTPServer SCRIPT [PORT]")
}
try await Server(routes: Routes(file: script)).run(port: port)
