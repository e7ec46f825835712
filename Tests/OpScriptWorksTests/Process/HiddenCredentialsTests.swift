import OpScript
import Testing

@testable import OpScriptWorks

/// Passwords in command lines.
@Suite struct HiddenCredentialsTests {
    @Test(arguments: [
        ("curl https://me:secret@host/x", "curl https://me:•••@host/x"),
        (
            "git clone 'ssh://a:b@c' && wget ftp://d:e@f/g:h@i",
            "git clone 'ssh://a:•••@c' && wget ftp://d:•••@f/g:h@i"
        ),
        ("curl \"http://u:p@q@host\"", "curl \"http://u:•••@host\""),
        ("echo a:b@c://d x@y:z", "echo a:b@c://d x@y:z"),
        ("http://host:80/a@b", "http://host:80/a@b"),
    ])
    func `dots replace the passwords of URLs`(_ text: String, _ shown: String) {
        #expect(HiddenCredentials.hidden(in: text) == shown)
        #expect(Command(shell: Array(text.utf8), options: ProcessOptions()).line == shown)
    }
}
