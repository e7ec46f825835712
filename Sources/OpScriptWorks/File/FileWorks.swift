public import OpScript
internal import SystemPackage

extension ScriptEngine {
    /// Registers `work.file`: reading, writing and arranging files.
    public func registerFileWorks() {
        registerFileContents()
        registerFileArrangement()
    }

    private func registerFileContents() {
        register(
            "file.read",
            "Reads a whole file. Option: limit.",
            parameters: ["path", "options"],
            onlyReads: true,
            recording: .never
        ) {
            (context: WorkContext, path: FilePath, options: ReadOptions?) throws -> [UInt8] in
            try readFile(context, path, limit: options?.limit ?? MemoryRoom.standardLimit)
        }
        register(
            "file.write",
            "Writes a file in one step and returns its path. Option: sync.",
            parameters: ["path", "data", "options"]
        ) {
            (context: WorkContext, path: FilePath, data: ScriptData, options: WriteOptions?) throws
                -> FilePath in
            try writeFile(context, path, data, options)
        }
        register(
            "file.append",
            "Appends to a file and returns its path.",
            parameters: ["path", "data"]
        ) {
            (context: WorkContext, path: FilePath, data: ScriptData) throws -> FilePath in
            try appendToFile(context, path, data)
        }
    }

    private func registerFileArrangement() {
        register(
            "file.copy",
            "Copies a file and returns the path of the copy.",
            parameters: ["path", "target"]
        ) {
            (context: WorkContext, path: FilePath, target: FilePath) throws -> FilePath in
            try copyFile(context, path, target)
        }
        register(
            "file.move",
            "Renames a file or directory and returns its new path.",
            parameters: ["path", "target"]
        ) {
            (context: WorkContext, path: FilePath, target: FilePath) throws -> FilePath in
            try moveFile(context, path, target)
        }
        register(
            "file.remove",
            "Removes a file or an empty directory. Option: recursive.",
            parameters: ["path", "options"]
        ) { (context: WorkContext, path: FilePath, options: RemoveOptions?) throws -> Void in
            try removeFile(context, path, options)
        }
        register(
            "file.makeDirectory",
            "Makes a directory and those above it, and returns its path.",
            parameters: ["path"]
        ) { (context: WorkContext, path: FilePath) throws -> FilePath in
            try makeDirectory(context, path)
        }
        register(
            "file.stat",
            "Size, type, times and permissions of a file. Option: follow.",
            parameters: ["path", "options"],
            onlyReads: true,
            recording: .never
        ) { (context: WorkContext, path: FilePath, options: StatusOptions?) throws -> ScriptTable in
            try describeFile(context, path, options)
        }
        register(
            "file.list",
            "Sorted names of the entries of a directory. Options: pattern, recursive, skipUnreadable.",
            parameters: ["directory", "options"],
            onlyReads: true,
            recording: .never
        ) { (context: WorkContext, directory: FilePath, options: ListOptions?) throws -> [[UInt8]] in
            try listDirectory(context, directory, options)
        }
        register(
            "file.temporary",
            "Makes an empty temporary file, or with directory = true a directory, and returns its path. Options: "
                + "directory, suffix.",
            parameters: ["options"],
            recording: .never
        ) { (context: WorkContext, options: TemporaryOptions?) throws -> FilePath in
            try makeTemporary(context, options)
        }
    }
}
