import Foundation
import SystemPackage
import Testing

/// Programs that use the terminal, as operations with the command's own input.
///
/// One after the other: each has a terminal of its own, and a person's patience.
@Suite(.serialized) struct TerminalProgramTests {
    /// A program, and a conversation with it.
    struct Talk: Sendable, CustomTestStringConvertible {
        /// The first one has to be installed.
        let words: [String]
        /// In turn a text that the terminal shows and the keys that answer it.
        let turns: [(shows: String, keys: String)]
        /// The last text of the program.
        let end: String
        let status: Int

        var testDescription: String { words.joined(separator: " ") }

        init(_ words: [String], _ turns: [(String, String)], _ end: String, status: Int = 0) {
            self.words = words
            self.turns = turns.map { (shows: $0.0, keys: $0.1) }
            self.end = end
            self.status = status
        }

        var isInstalled: Bool {
            let folders = ["/usr/bin", "/bin", "/usr/sbin"]
            return folders.contains { FileManager.default.isExecutableFile(atPath: "\($0)/\(words[0])") }
        }
    }

    private static let talks = [
        Talk(["bash", "-c", #"read -p "name? " x; echo "got $x""#], [("name?", "joe\r")], "got joe"),
        Talk(["bash", "-c", "read x </dev/tty; echo got $x"], [("", "joe\r")], "got joe"),
        Talk(["bash", "-c", "read -s -p 'secret? ' x; echo; echo ${#x}"], [("secret?", "12345\r")], "5"),
        Talk(
            ["bash", "--norc", "-i"],
            [("bash-", "echo $((6 * 7))\r"), ("42", "sleep 1000\r"), ("sleep 1000", "\u{3}"), ("^C", "exit 7\r")],
            "exit",
            status: 7
        ),
        Talk(
            ["dash", "-c", "trap 'echo cleaned; exit 3' INT; echo ready; read x"],
            [("ready", "\u{3}")],
            "cleaned",
            status: 3
        ),
        Talk(["stty", "size"], [], "24 80"),
        Talk(["tput", "cols"], [], "80"),
        Talk(["less", "poem.txt"], [("a line of a poem", "q")], ""),
        Talk(["more", "poem.txt"], [], "a line of a poem"),
        Talk(["man", "-P", "less", "./page.1"], [("a page of a manual", "q")], ""),
        Talk(["vi", "-u", "NONE", "poem.txt"], [("a line of a poem", ":q!\r")], ""),
        Talk(["ed", "poem.txt"], [("17", "p\r"), ("a line of a poem", "q\r")], ""),
        Talk(["nano", "poem.txt"], [("a line of a poem", "\u{18}")], ""),
        Talk(["top"], [("load average", "q")], ""),
        Talk(["watch", "-n", "1000", "cat", "poem.txt"], [("a line of a poem", "q")], ""),
        Talk(
            ["ssh-keygen", "-q", "-t", "ed25519", "-f", "key"],
            [("Enter passphrase", "abcde\r"), ("again", "abcde\r")],
            ""
        ),
        Talk(
            ["python3", "-c", "import getpass; print(len(getpass.getpass()), 'characters')"],
            [("Password:", "abc\r")],
            "3 characters"
        ),
        Talk(["python3", "-q"], [(">>>", "print(6 * 7)\r"), ("42", "\u{4}")], ""),
        Talk(["lua5.4"], [("> ", "print(6 * 7)\r"), ("42", "\u{4}")], ""),
        Talk(["git", "add", "-p"], [("Stage this hunk", "y\r")], ""),
        Talk(["perl", "-e", #"print "go? "; $x = <STDIN>; print "got $x""#], [("go?", "on\r")], "got on"),
        Talk(["openssl", "passwd", "-6"], [("Password:", "abc\r"), ("Verifying", "abc\r")], "$6$"),
        Talk(["su", "-c", "read x; echo got $x"], [("", "joe\r")], "got joe"),
        Talk(["sudo", "-S", "-p", "word? ", "true"], [], ""),
        Talk(["sqlite3"], [("sqlite>", "select 6 * 7;\r"), ("42", ".quit\r")], ""),
        Talk(["bc", "-q"], [("", "6 * 7\r"), ("42", "quit\r")], ""),
        Talk(["script", "-qec", "read x; echo got $x", "/dev/null"], [("", "joe\r")], "got joe"),
        Talk(["tmux", "-L", "opscript-test", "-f", "/dev/null", "new", "read x"], [("", "joe\r")], "[exited]"),
        Talk(["gdb", "-q", "-nx"], [("(gdb)", "print 6 * 7\r"), ("= 42", "quit\r")], ""),
        Talk(["whiptail", "--yesno", "go on with it?", "8", "40"], [("go on with it?", "\r")], ""),
    ].filter { $0.isInstalled && ($0.words[0] != "su" && $0.words[0] != "sudo" || geteuid() == 0) }

    private static let limit = TimeLimitTrait.Duration.minutes(5)

    @Test(.timeLimit(limit), arguments: talks)
    func `a program that uses the terminal works`(_ talk: Talk) async throws {
        let scratch = try Scratch()
        try scratch.file("poem.txt", "a line of a poem\n")
        try scratch.file("page.1", ".TH page 1\n.SH NAME\na page of a manual\n")
        if talk.words[0] == "git" {
            let line = """
                git init -q . && git add poem.txt && echo another >>poem.txt
                """
            #expect(try await CommandRun.shell(line, folder: scratch.path).status == 0)
        }
        let words = talk.words.map { "[==[\($0)]==]" }.joined(separator: ", ")
        try scratch.file(
            "job.lua",
            """
            OperationQueue.default:addOperation(work.sleep(0.7))
            local run = work.process.run { \(words), input = "inherit", output = "inherit", check = false }
            print("ended", await(run).status)
            """
        )
        let folder = scratch.path.string
        try await onOwnThread {
            let terminal = try TypedTerminal("\"$opscript\" job.lua", folder: folder)
            for (shows, keys) in talk.turns {
                // A program without a prompt may not have begun: the terminal keeps the keys for it.
                if !shows.isEmpty { try terminal.waitForBytes(shows) }
                terminal.type(keys)
            }
            try terminal.waitForBytes(talk.end)
            try terminal.waitForBytes("ended\t\(talk.status)")
            try terminal.wait(for: "status 0")
        }
    }

    @Test func `there are at least a few of them`() {
        #expect(Self.talks.count >= 8)
    }
}
