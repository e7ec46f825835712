internal import Glibc

/// The folder for what the command keeps between its runs, as the XDG Base Directory Specification says.
enum StateFolder {
    /// A folder in it, which only this user can read; nil if it cannot be made.
    ///
    /// - Parameter name: Its name; the state folder itself if that is empty.
    static func make(_ name: String) -> String? {
        guard let base = absolute("XDG_STATE_HOME") ?? absolute("HOME").map({ $0 + "/.local/state" }) else {
            return nil
        }
        let folder = base + "/opscript" + (name.isEmpty ? "" : "/" + name)
        for place in folder.indices.dropFirst() where folder[place] == "/" {
            mkdir(String(folder[..<place]), 0o700)
        }
        return mkdir(folder, 0o700) == 0 || errno == EEXIST ? folder : nil
    }

    private static func absolute(_ variable: String) -> String? {
        guard let value = getenv(variable).map({ String(cString: $0) }), value.hasPrefix("/") else {
            return nil
        }
        return value
    }
}
