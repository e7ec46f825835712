internal import OpScript
internal import Synchronization

/// The file `.busted` of a project: a Lua file that returns a table of sections.
package struct ProjectFile: Sendable {
    /// The reason why it cannot be used.
    package struct Unusable: Error {
        /// One sentence that names the file.
        package var message: String
    }

    /// One key of a section.
    package struct Setting: Sendable {
        /// Its name.
        package var key: String
        /// Its value, or the values in its list.
        package var texts: [String]
        /// Its value, if that is true or false.
        package var flag: Bool?
    }

    private let path: String
    private let sections: ScriptTable

    /// Reads it while the calling thread waits.
    package static func read(_ path: String) throws(Unusable) -> ProjectFile {
        guard let source = ScenarioFinder.text(path) else {
            throw Unusable(message: "cannot read '\(path)', the file of the project")
        }
        switch evaluate(String(decoding: source, as: UTF8.self), named: "@\(path)") {
        case .success(.table(let sections)): return ProjectFile(path: path, sections: sections)
        case .success(let value):
            throw Unusable(
                message: "'\(path)' returns a \(value.typeName), but it must return a table of sections"
            )
        case .failure(let error): throw Unusable(message: "'\(path)' cannot be used: \(error.message)")
        }
    }

    /// The names that match one of some patterns of Lua.
    package static func matching(_ names: [String], _ patterns: [String]) throws(Unusable) -> Set<String> {
        func quoted(_ texts: [String]) -> String {
            texts.map {
                "\"\($0.utf8.map { "\\x\(String($0 >> 4, radix: 16))\(String($0 & 15, radix: 16))" }.joined())\""
            }
            .joined(separator: ",")
        }
        let source = """
            local found = {}
            for _, name in ipairs { \(quoted(names)) } do
                for _, pattern in ipairs { \(quoted(patterns)) } do
                    if name:find(pattern) then found[#found + 1] = name break end
                end
            end
            return found
            """
        switch evaluate(source, named: "=patterns") {
        case .success(.array(let found)):
            return Set(
                found.map {
                    if case .string(let bytes) = $0 { String(decoding: bytes, as: UTF8.self) } else { "" }
                }
            )
        case .success: return []
        case .failure(let error): throw Unusable(message: error.message)
        }
    }

    /// The settings of a section, completed by those of `_all`; nil for the section `default`, which may be
    /// missing.
    package func settings(of run: String?) throws(Unusable) -> [Setting] {
        var merged: [String: Setting] = [:]
        if case .table(let all)? = sections["_all"] { Self.merge(all, into: &merged) }
        switch sections[run ?? "default"] {
        case .table(let section)?: Self.merge(section, into: &merged)
        case nil where run == nil: break
        default:
            let names = sections.entries.compactMap { entry -> String? in
                if case .string(let bytes) = entry.key { String(decoding: bytes, as: UTF8.self) } else { nil }
            }
            throw Unusable(
                message:
                    "'\(path)' has no section '\(run ?? "default")'; it has \(names.sorted().joined(separator: ", "))"
            )
        }
        return merged.values.sorted { $0.key < $1.key }
    }

    private static func merge(_ section: ScriptTable, into merged: inout [String: Setting]) {
        for entry in section.entries {
            guard case .string(let bytes) = entry.key else { continue }
            let key = String(decoding: bytes, as: UTF8.self)
            var setting = Setting(key: key, texts: [], flag: nil)
            switch entry.value {
            case .boolean(let flag): setting.flag = flag
            case .array(let values): setting.texts = values.compactMap(text)
            default: setting.texts = [entry.value].compactMap(text)
            }
            merged[key] = setting
        }
    }

    private static func text(_ value: ScriptValue) -> String? {
        switch value {
        case .string(let bytes): String(decoding: bytes, as: UTF8.self)
        case .integer(let number): "\(number)"
        case .number(let number): "\(number)"
        default: nil
        }
    }

    /// The result of a chunk; the calling thread waits, and no Swift task does.
    private static func evaluate(_ source: String, named name: String) -> Result<ScriptValue, ScriptError> {
        let (waiter, told) = (Waiter(), Told())
        var configuration = ScriptEngine.Configuration()
        configuration.libraries = .all
        // Such a file may require modules, as in busted.
        configuration.capabilities = [.modulesFromDisk, .nativeModules]
        let engine = ScriptEngine(configuration)
        let driver = ScriptDriver(chunks: [chunk], arguments: .nil) { value in
            told.value.withLock { $0 = value }
        }
        engine.start(
            source: Array(source.utf8),
            named: name,
            script: nil,
            interpreter: [],
            arguments: [],
            driver: driver
        ) { report in
            told.error.withLock { $0 = report.error }
            waiter.signal()
        }
        while !waiter.wait(60) {}
        engine.shutdown()
        if let error = told.error.withLock({ $0 }) { return .failure(error) }
        guard case .table(let table) = told.value.withLock({ $0 }) else { return .success(.nil) }
        if let problem = table.text("problem") { return .failure(ScriptError(.failed, problem)) }
        return .success(table["value"] ?? .nil)
    }

    private static let chunk = ScriptDriver.Chunk(
        name: "[opscript project]",
        source: """
            local inside, _, script, problem = ...
            if not script then return inside.tell { problem = problem } end
            local ok, value = pcall(script)
            if ok then inside.tell { value = value } else inside.tell { problem = tostring(value) } end
            """
    )
}

/// The box that receives the value of a file.
private final class Told: Sendable {
    let value = Mutex(ScriptValue.nil)
    let error = Mutex<ScriptError?>(nil)
}
