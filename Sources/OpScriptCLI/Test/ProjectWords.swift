internal import OpScriptScenarios

/// The settings in the file of a project, as words of the command line in front of the given ones.
enum ProjectWords {
    /// Keys that take one value or several, with their short names.
    private static let values: [String: Character?] = [
        "pattern": "p", "exclude-pattern": nil, "e": "e", "lpath": "m", "cpath": nil, "helper": nil,
        "filter": nil, "filter-out": nil, "name": nil, "exclude-names-file": nil,
        "log-success": nil, "tags": "t", "exclude-tags": nil, "repeat": nil,
        "seed": nil, "lang": nil, "loaders": nil, "lua": nil, "Xhelper": nil, "Xoutput": nil, "output": "o",
        "coverage-config-file": nil, "timeout": nil, "jobs": nil, "slowest": nil,
    ]
    /// Keys that are true or false.
    private static let flags: [String: Character?] = [
        "coverage": "c", "verbose": "v", "enable-sound": "s", "list": "l", "lazy": nil, "auto-insulate": nil,
        "keep-going": "k", "recursive": "R", "shuffle": nil, "shuffle-files": nil, "shuffle-tests": nil,
        "sort": nil, "sort-files": nil, "sort-tests": nil, "suppress-pending": nil, "defer-print": nil,
        "ignore-lua": nil, "isolate": nil, "real": nil,
    ]
    /// Keys that have been used when the file is read.
    private static let used: Set<String> = ["directory", "config-file", "run", "standalone", "color"]

    /// The words, the paths, and the warnings.
    struct Reading {
        var words: [String] = []
        var paths: [String] = []
        var warnings: [String] = []
    }

    /// Reads the settings of a project; the given words take precedence.
    static func read(_ settings: [ProjectFile.Setting], given words: [String]) -> Reading {
        var reading = Reading()
        let given = words.prefix { $0 != "--" }
        for setting in settings {
            let key = setting.key.replacing("_", with: "-")
            if key == "ROOT" {
                reading.paths = setting.texts.flatMap { $0.split(separator: ",").map(String.init) }
            } else if let short = values[key] {
                if isGiven(key, short, given) { continue }
                let dash = key.hasPrefix("X") || key.count == 1 ? "-" : "--"
                for text in setting.texts {
                    if key == "output", TestOptions.Output(argument: text) == nil {
                        // A format that the project defines.
                        reading.words.append("--output-handler=\(text)")
                        continue
                    }
                    reading.words += dash == "-" ? ["-\(key)", text] : ["--\(key)=\(text)"]
                }
            } else if let short = flags[key] {
                guard !isGiven(key, short, given), let isOn = setting.flag else { continue }
                if isOn { reading.words.append("--\(key)") }
                if !isOn, !["list", "ignore-lua", "isolate", "real", "shuffle"].contains(key) {
                    reading.words.append("--no-\(key)")
                }
            } else if !used.contains(key) {
                reading.warnings.append("'\(setting.key)' in the file of the project has no effect here")
            }
        }
        return reading
    }

    private static func isGiven(_ key: String, _ short: Character?, _ words: some Sequence<String>) -> Bool {
        words.contains { word in
            word == "--\(key)" || word.hasPrefix("--\(key)=") || word == "--no-\(key)" || word == "-\(key)"
                || (short.map { word.hasPrefix("-\($0)") && !word.hasPrefix("--") } ?? false)
        }
    }
}
