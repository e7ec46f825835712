import Foundation
import Testing

/// A program that uses the terminal, and a conversation with it.
struct Conversation: Sendable, CustomTestStringConvertible {
    /// The program and its arguments.
    let words: [String]
    /// In turn a text that the terminal shows and the keys that answer it. Without a text, the keys do not wait: the
    /// terminal keeps them for the program.
    let turns: [(shows: String, keys: String)]
    /// The last text of the program.
    let end: String
    let status: Int
    /// The programs that have to be installed.
    private let programs: [String]
    private let needsRoot: Bool

    init(
        _ words: [String],
        _ turns: [(String, String)],
        _ end: String,
        status: Int = 0,
        needs others: [String] = [],
        needsRoot: Bool = false
    ) {
        self.words = words
        self.turns = turns.map { (shows: $0.0, keys: $0.1) }
        self.end = end
        self.status = status
        programs = [words[0]] + others
        self.needsRoot = needsRoot
    }

    var testDescription: String { words.joined(separator: " ") }

    /// The arguments of `work.process.run` in Lua.
    var luaWords: String { words.map { "[==[\($0)]==]" }.joined(separator: ", ") }

    /// The reason why it cannot be tested here; nil if it can.
    var obstacle: String? {
        let folders = ["/usr/bin", "/bin", "/usr/sbin", "/sbin"]
        let missing = programs.first { program in
            !folders.contains { FileManager.default.isExecutableFile(atPath: "\($0)/\(program)") }
        }
        if let missing { return "\(missing) is not installed" }
        return needsRoot && geteuid() != 0 ? "\(words[0]) needs root" : nil
    }
}

extension Conversation {
    private static let shells = [
        Conversation(["bash", "-c", #"read -p "name? " x; echo "got $x""#], [("name?", "joe\r")], "got joe"),
        Conversation(
            ["bash", "-c", "echo ready; read x </dev/tty; echo got $x"],
            [("ready", "joe\r")],
            "got joe"
        ),
        Conversation(
            ["bash", "-c", "read -s -p 'secret? ' x; echo; echo ${#x}"],
            [("secret?", "12345\r")],
            "5"
        ),
        Conversation(
            ["bash", "--norc", "-i"],
            [
                ("bash-", "echo $((6 * 7))\r"), ("42", "sh -c 'echo now; exec sleep 1000'\r"),
                ("now\r\n", "\u{3}"), ("bash-", "exit 7\r"),
            ],
            "exit",
            status: 7
        ),
        // The inner shell leaves the terminal to a process group that is gone.
        Conversation(
            ["bash", "-c", #"bash --norc -ic 'kill -9 $$'; read -p "again? " x; echo got $x"#],
            [("again?", "joe\r")],
            "got joe"
        ),
        Conversation(
            ["dash", "-c", "trap 'echo cleaned; exit 3' INT; echo ready; read x"],
            [("ready", "\u{3}")],
            "cleaned",
            status: 3
        ),
        Conversation(
            ["su", "-c", "echo ready; read x; echo got $x"],
            [("ready", "joe\r")],
            "got joe",
            needsRoot: true
        ),
        Conversation(
            [
                "setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "sudo", "-S", "-p",
                "word? ", "true",
            ],
            [("word?", "\u{3}")],
            "password is required",
            status: 1,
            needs: ["sudo"],
            needsRoot: true
        ),
        Conversation(
            ["script", "-qec", "echo ready; read x; echo got $x", "/dev/null"],
            [("ready", "joe\r")],
            "got joe"
        ),
        Conversation(
            ["tmux", "-L", "opscript-test", "-f", "/dev/null", "new", "echo ready; read x"],
            [("ready", "joe\r")],
            "[exited]"
        ),
    ]

    private static let wholeScreen = [
        Conversation(["less", "poem.txt"], [("a line of a poem", "q")], ""),
        Conversation(["more", "poem.txt"], [("a line of a poem", "q")], ""),
        Conversation(["man", "-P", "less", "./page.1"], [("a page of a manual", "q")], "", needs: ["less"]),
        Conversation(["vi", "-u", "NONE", "poem.txt"], [("a line of a poem", ":q!\r")], ""),
        Conversation(["nano", "poem.txt"], [("a line of a poem", "\u{18}")], ""),
        Conversation(["top"], [("load average", "q")], ""),
        Conversation(["watch", "-n", "1000", "cat", "poem.txt"], [("a line of a poem", "\u{3}")], ""),
        Conversation(["whiptail", "--yesno", "another round?", "8", "40"], [("another round?", "\r")], ""),
    ]

    private static let questions = [
        Conversation(["stty", "size"], [], "24 80"),
        Conversation(["tput", "cols"], [], "80"),
        Conversation(["tty"], [], "/dev/pts/"),
        Conversation(["rm", "-i", "poem.txt"], [("remove regular file", "y\r")], ""),
        Conversation(
            ["ssh-keygen", "-q", "-t", "ed25519", "-f", "key"],
            [("Enter passphrase", "abcde\r"), ("again", "abcde\r")],
            ""
        ),
        Conversation(["git", "add", "-p"], [("Stage this hunk", "y\r")], ""),
        Conversation(
            ["sh", "-c", #"printf 'protocol=https\nhost=example.invalid\n\n' | git credential fill"#],
            [("Username for", "joe\r"), ("Password for", "secret\r")],
            "password=secret",
            needs: ["git"]
        ),
        Conversation(["openssl", "passwd", "-6"], [("Password:", "abc\r"), ("Verifying", "abc\r")], "$6$"),
        Conversation(
            ["python3", "-c", "import getpass; print(len(getpass.getpass()), 'characters')"],
            [("Password:", "abc\r")],
            "3 characters"
        ),
        Conversation(
            ["perl", "-e", #"print "go? "; $x = <STDIN>; print "got $x""#],
            [("go?", "on\r")],
            "got on"
        ),
    ]

    private static let prompts = [
        Conversation(["ed", "poem.txt"], [("17", "p\r"), ("a line of a poem", "q\r")], ""),
        Conversation(["bc", "-q"], [("", "6 * 7\r"), ("42", "quit\r")], ""),
        Conversation(["python3", "-q"], [(">>>", "print(6 * 7)\r"), ("42", ""), (">>>", "\u{4}")], ""),
        Conversation(["lua5.4"], [("> ", "print(6 * 7)\r"), ("42", ""), ("> ", "\u{4}")], ""),
        Conversation(["node"], [("> ", "6 * 7\r"), ("42", ".exit\r")], ""),
        Conversation(["sqlite3"], [("sqlite>", "select 6 * 7;\r"), ("42", ".quit\r")], ""),
        Conversation(["gdb", "-q", "-nx"], [("(gdb)", "print 6 * 7\r"), ("= 42", "quit\r")], ""),
    ]

    /// All of them, whether their programs are installed or not.
    static let all = shells + wholeScreen + questions + prompts
}
