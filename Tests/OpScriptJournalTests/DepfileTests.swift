#if Journal
import Testing

@testable import OpScriptJournal

/// Dependency files of compilers.
@Suite struct DepfileTests {
    @Test(arguments: [
        ("a.o: a.c a.h\n", ["a.c", "a.h"]),
        ("a.o: a.c \\\n  a.h \\\n b.h\n", ["a.c", "a.h", "b.h"]),
        ("a.o b.o : a.c", ["a.c"]),
        ("a.o: a.c a.h\n\na.h:\n", ["a.c", "a.h"]),
        ("a.o: with\\ space.h c$$d.h \\#x\n", ["with space.h", "c$d.h", "#x"]),
        ("a.o: x:y.h\n", ["x:y.h"]),
        // A backslash is doubled only before a character that has one of its own.
        ("a.o: k\\\\\\ l.h m\\n.h o\\\\p.h q\\\\#.h\n", ["k\\ l.h", "m\\n.h", "o\\\\p.h", "q\\#.h"]),
        ("a.o: b\\\n c.h d\\\\\\\n e.h\n", ["b", "c.h", "d\\\\", "e.h"]),
        ("a.o:\r\n", []),
    ])
    func `the files behind the colon are the dependencies`(_ text: String, _ expected: [String]) {
        #expect(Depfile.dependencies(Array(text.utf8)) == expected)
    }

    @Test(arguments: ["", "no rule\n", "a.o: a.c\0"])
    func `anything else is unreadable`(_ text: String) {
        #expect(Depfile.dependencies(Array(text.utf8)) == nil)
    }
}
#endif
