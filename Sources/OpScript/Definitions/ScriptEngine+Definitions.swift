#if canImport(Glibc)
internal import Glibc
#else
internal import Darwin
#endif

extension ScriptEngine {
    /// Writes definitions for editors: annotated Lua from which the Lua language server (LuaLS or EmmyLua) completes
    /// names, shows what a call takes, and marks wrong arguments.
    ///
    /// The folder is an addon of LuaLS: `library/opscript.lua` has the types and calls of all scripts,
    /// `library/host.lua` the works, functions and types that are registered with this engine, `config.json` the
    /// settings. Name the folder `library` in the editor's setting `Lua.workspace.library`.
    /// - Parameter directory: The folder; it is made if there is none. Files of these names are replaced.
    /// - Throws: ``ScriptError`` with code `host` if a file cannot be written.
    public func writeDefinitions(to directory: String) throws {
        try writeDefinitions(to: directory) { _ in nil }
    }

    /// - Parameter describe: The text about a call or a property of the contract; see ``DefinitionText``.
    package func writeDefinitions(to directory: String, describe: @escaping (String) -> String?) throws {
        var contract = DefinitionText(describe: describe)
        contract.addContract()
        var host = DefinitionText { _ in nil }
        host.add(workDescriptions)
        for function in catalogue.functions { host.add(function) }
        for type in catalogue.exposedTypes { host.add(type) }
        let library = directory + "/library"
        try DefinitionFile.makeFolder(directory)
        try DefinitionFile.makeFolder(library)
        try DefinitionFile.write(contract.text, to: library + "/opscript.lua")
        try DefinitionFile.write(host.text, to: library + "/host.lua")
        try DefinitionFile.write(Self.addonSettings, to: directory + "/config.json")
    }

    private static let addonSettings = """
        {
          "name": "OpScript",
          "words": ["OperationQueue", "DispatchQueue", "work%."],
          "settings": { "Lua.runtime.version": "Lua 5.4" }
        }

        """
}

/// A file of definitions.
private enum DefinitionFile {
    static func makeFolder(_ path: String) throws {
        guard mkdir(path, 0o777) != 0, errno != EEXIST else { return }
        throw failure("make the folder", path, errno)
    }

    static func write(_ text: String, to path: String) throws {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
        guard descriptor >= 0 else { throw failure("write", path, errno) }
        defer { close(descriptor) }
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { systemWrite(descriptor, $0) }
            if count < 0, errno != EINTR { throw failure("write", path, errno) }
            rest = rest.dropFirst(max(0, count))
        }
    }

    private static func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
        #if canImport(Glibc)
        Glibc.write(descriptor, bytes.baseAddress, bytes.count)
        #else
        Darwin.write(descriptor, bytes.baseAddress, bytes.count)
        #endif
    }

    private static func failure(_ action: String, _ path: String, _ number: Int32) -> ScriptError {
        let reason = strerror(number).map { String(cString: $0) } ?? "error \(number)"
        return ScriptError(
            .host,
            "cannot \(action) '\(path)': \(reason.prefix(1).lowercased() + reason.dropFirst())"
        )
    }
}
