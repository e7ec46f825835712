internal import Glibc
internal import OpScript

/// Finds what a word can be completed to.
struct Completion {
    private static let contract = ContractNames()

    private let works: [String]
    /// The names in the value at a path, and the name of its type; without a path, the globals.
    private let names: (_ path: [String]) -> (names: [String], type: String)?

    init(_ works: [String], _ names: @escaping (_ path: [String]) -> (names: [String], type: String)?) {
        self.works = works
        self.names = names
    }

    /// The choices at a place, sorted, and how many characters before the cursor they replace.
    func choices(at place: CompletionPlace) -> (taken: Int, choices: [String]) {
        let prefix = place.prefix
        let found: [String]
        switch place.subject {
        case .variable: found = variables()
        case .member(let path, let isMethod): found = members(of: path, isMethod: isMethod)
        case .option(let call, let isMethod):
            found = options(of: call, isMethod: isMethod).map { $0 + " = " } + variables()
        case .file: return Self.files(prefix)
        case .nothing: found = []
        }
        return (prefix.unicodeScalars.count, Set(found.filter { $0.hasPrefix(prefix) }).sorted())
    }

    private func variables() -> [String] { (names([])?.names ?? []) + LuaWords.keywords }

    private func members(of path: [String], isMethod: Bool) -> [String] {
        if path.first == "work", !isMethod {
            let start = path.dropFirst().map { $0 + "." }.joined()
            let below = works.filter { $0.hasPrefix(start) }.map { $0.dropFirst(start.count) }
            return below.compactMap { $0.split(separator: ".").first.map(String.init) }
                + (path.count == 1 ? ["describe"] : [])
        }
        guard let (names, type) = names(path) else { return [] }
        guard let members = Self.contract.types[type] else {
            return names + (isMethod ? [] : Self.contract.members[type] ?? [])
        }
        // A constructor has the name of its type.
        if path.last == type, let own = Self.contract.members[type] { return names + own }
        return names + (isMethod ? members.methods : members.properties)
    }

    private func options(of call: [String], isMethod: Bool) -> [String] {
        if !isMethod { return Self.contract.options[call.joined(separator: ".")] ?? [] }
        guard let method = call.last else { return [] }
        return Self.contract.options.filter { $0.key.hasSuffix(":" + method) }.flatMap(\.value)
    }

    /// The files whose paths begin so; folders end with a slash.
    static func files(_ prefix: String) -> (taken: Int, choices: [String]) {
        let slash = prefix.lastIndex(of: "/")
        let folder = slash.map { String(prefix[...$0]) } ?? ""
        let start = slash.map { String(prefix[prefix.index(after: $0)...]) } ?? prefix
        guard let directory = opendir(folder.isEmpty ? "." : folder) else { return (0, []) }
        defer { closedir(directory) }
        var found: [String] = []
        while let entry = readdir(directory) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            guard name.hasPrefix(start), name != ".", name != "..",
                !name.hasPrefix(".") || start.hasPrefix(".")
            else { continue }
            var status = stat()
            let isFolder = stat(folder + name, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
            found.append(name + (isFolder ? "/" : ""))
        }
        return (start.unicodeScalars.count, found.sorted())
    }
}
