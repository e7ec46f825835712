#!/usr/bin/env bash
# Comments, docstrings, messages and pages are in plain English: refuses constructions that a reader has to read twice.
#
#   scripts/check-words.sh            checks all files of the repository that hold prose
#   scripts/check-words.sh FILE…      checks these files
#
# It prints file, line, the words that it found, and the words to use instead. Exit status: 0 nothing found, 1 otherwise.
# Before it checks files, it checks itself: each rule must find its own example.
set -euo pipefail
cd "$(dirname "$0")/.."

if ! command -v perl >/dev/null; then
    echo "check-words: needs perl (Debian: apt-get install perl-base)" >&2
    exit 2
fi

# The refused constructions, one in each line: pattern (Perl) | words to use instead | an example that the pattern finds.
# `<start>` is the beginning of a sentence.
rules='
<start>(What|Whatever)\b(?![^.!]*\?) | name the thing: "The result of …", "An operation that …" | What is left is freed.
<start>(Who|Whom|Whose|Whoever)\b(?![^.!]*\?) | name the subject: "A waiter that …", "A caller that …" | Who waits is served.
<start>So (does|do|is|are|has|it has)\b | repeat the verb: "X does this, too" | So does the next one.
\b(is|are|was|were|be|been|being|gets?) told\b | is notified, is reported, receives | The reader is told at once.
\btold (of|about|that|to|by|when|where|why)\b | notified of, reported | One is told to stop, or told of the end.
\btells\b | reports, returns, shows, has | An error tells where it was raised.
\btell (of|who|whom|why|what|nobody)\b | report, return, show | They tell of it.
\b(no|some|any|every)body\b(?![:-]) | name the subject: "no thread", "another caller" | Nobody waits.
\b(whoever|whomever|whom)\b | the caller that, each thread that | It serves whoever comes first.
\b(for|of|by|to) who\b | for anyone who, of the caller that | A page for who wants more.
\b(go|goes|going|went|gone) on\b(?! (standard|the)\b) | continue, proceed, advance | The run goes on.
\b(by|for) (himself|herself)\b | without being woken, on its own | It comes by himself.
\bof (its|their) own accord\b | on its own | It ends of its own accord.
\bin turns\b(?! of)(?! through) | alternating | The two builds run in turns.
(?<!there )\b(that|which|it|one) (is|are) none\b | is not one, is invalid | A file that is none is named.
\b(is|are) no good\b | is invalid | A name that is no good is refused.
\bstays? in (it|the lock)\b | critical section | Each stay in the lock is short.
\b(made|touched) ahead\b | prepared in advance, prefaulted | Engines are made ahead.
\blies? in a row\b | is contiguous, are adjacent | They lie in a row.
\bin whatever (way|order|queue)\b | with any outcome, in any order | It ended in whatever way.
\b(loud|dear|dearly)\b | noisy, expensive | A wake-up is dear.
\bcomes by\b | arrives, polls | A worker comes by.
\b(look|looks|looking) again\b|\blooks? at it again\b | recheck, poll | It looks again.
\b(come|comes|came) to nothing\b | has no effect | It comes to nothing.
\b(come|comes|came) about\b | arises, is established | A connection comes about.
\balso (if|when|after)\b | even if, even when, even after | It returns, also if it failed.
\bno more than that\b | only that | It is that and no more than that.
\bas well as it can\b | as far as possible | It ends as well as it can.
\blet(s|ting)? go of\b | release | It lets go of its function.
\b(what|who) is not asked for\b|\bwithout being asked\b | not requested, unasked | It comes without being asked.
\bstood against it\b | prevented it from running | The dependency that stood against it.
'

# Files that are not checked: this script, texts of others, and the changelog.
excluded=(scripts/check-words.sh LICENSE CHANGELOG.md)

find_words() {  # the files come on standard input, NUL between them; prints `file:line: found: "…"; write: …`
    RULES="$rules" perl -0 -ne 'chomp; push @files, $_;
    END {
        $/ = "\n";
        my @rules;
        for (split /\n/, $ENV{RULES}) {
            next unless /\S/;
            my ($pattern, $instead, $example) = /^(.*) \| (.*) \| (.*)$/ or die "check-words: not a rule: $_\n";
            my $first = $pattern =~ s/<start>/(?:^|(?<=[.!?] ))/g;
            my $rule = [$first ? qr/$pattern/ : qr/$pattern/i, $instead];
            $example =~ $rule->[0] or die "check-words: the rule $pattern does not find its example: $example\n";
            push @rules, $rule;
        }
        my $found = 0;
        for my $file (@files) {
            open my $in, "<", $file or die "check-words: cannot read $file: $!\n";
            my (@paragraph, @numbers, $mark);
            my $check = sub {
                return unless @paragraph;
                my $text = join " ", @paragraph;
                for my $rule (@rules) {
                    while ($text =~ /$rule->[0]/g) {
                        my ($from, $words, $place, $line) = ($-[0], substr($text, $-[0], $+[0] - $-[0]), 0, 0);
                        for (@paragraph) {
                            last if $place + length($_) + 1 > $from;
                            $place += length($_) + 1;
                            $line++;
                        }
                        print "  $file:$numbers[$line]: \"$words\"; write: $rule->[1]\n";
                        $found = 1;
                    }
                }
                @paragraph = @numbers = ();
            };
            my $isPage = $file =~ /\.(md|tutorial)$/;
            my $isCode = $file =~ /\.(swift|c|h|cpp)$/;
            my $marker = $isPage ? qr/(?!)/ : $isCode ? qr{(///?)} : $file =~ /\.lua$/ ? qr/(--+)/ : qr/(#+)/;
            my $isText = 0;  # inside a text of several lines
            while (<$in>) {
                s/\s+$//;
                my $wasText = $isText;
                $isText = !$isText if $isCode && (() = /"""/g) % 2;
                if (!$wasText && !/^#!/ && /^\s*$marker\s?(.*)$/) {
                    # Consecutive comment lines are one paragraph; an item of a list begins another one.
                    my ($this, $body) = ($1, $2);
                    my $isItem = $body =~ s/^\s*([-*]|\d+\.) (\w[\w ]*: )?(\w+: (?=[A-Z]))?//;
                    $check->() if !defined $mark || $mark ne $this || $body !~ /\S/ || $isItem;
                    $mark = $this;
                    $body =~ s/^MARK: //;
                    push @paragraph, $body;
                    push @numbers, $.;
                } elsif ($isPage && /\S/ && !/^(#|\||```)/) {
                    my $isItem = s/^\s*([-*]|\d+\.) //;
                    $check->() if $isItem;
                    push @paragraph, $_;
                    push @numbers, $.;
                } else {
                    # A line of code is checked for its texts, the names of tests, and its comment. A dash in front: it
                    # begins no sentence, and neither does a heading or a cell of a page.
                    $check->();
                    undef $mark;
                    my $line = $_;
                    if ($isCode && !$wasText) {
                        my $comment = $line =~ s{(?<![:"])//+ (.*)$}{} ? $1 : "";
                        my $names = join " ", map { "\u$_" } $line =~ /(?:func `|\@Test\(")([^`"]+)/g;
                        $line = join " ", $names, map({ "- $_" } $line =~ /"((?:[^"\\]|\\.)*)"/g), $comment ne "" ? ". $comment" : ();
                        $line =~ s/^ +//;
                    } else {
                        $line =~ s/^\s*(--|\/\/) // or $line = "- $line";
                    }
                    @paragraph = ($line);
                    @numbers = ($.);
                    $check->();
                }
            }
            $check->();
            close $in;
        }
        exit $found;
    }'
}

self_check() {  # plants a construction in each kind of file, and expects it at its line
    local folder expected
    folder=$(mktemp -d)
    trap 'rm -rf "$folder"' RETURN
    printf '/// Serves the waiters. What is\n/// left waits, and is\n/// told later.\nlet a = "nobody waits"\n' > "$folder/a.swift"
    printf 'local a = 1 -- it goes on\n-- Who waits?\n' > "$folder/b.lua"
    printf '# What a page may say\n\nThe reader is\ntold of it.\n' > "$folder/c.md"
    expected='a.swift:1 a.swift:2 a.swift:4 b.lua:1 c.md:3 c.md:4 '
    local got
    got=$(printf '%s\0' "$folder"/* | find_words | sed -E "s|^ *$folder/([^:]*:[0-9]*):.*|\1|" | sort -u | tr '\n' ' ' || true)
    if [ "$got" != "$expected" ]; then
        printf 'check-words: finds planted words at "%s" instead of "%s"\n' "$got" "$expected" >&2
        exit 2
    fi
}

files() {
    if [ $# -gt 0 ]; then
        printf '%s\0' "$@"
        return
    fi
    local skip=(':!docs/pictures/*.html' ':!*.ppm' ':!*.pgm' ':!*.pam' ':!*.png' ':!*.svg' ':!*.txt' ':!*.expected') path
    for path in "${excluded[@]}"; do skip+=(":!$path"); done
    git ls-files -z -- Sources CLua Tests scripts docs Makefile Package.swift '*.md' "${skip[@]}"
}

self_check
if found=$(files "$@" | find_words); then exit 0; fi
printf 'check-words: words that have to be read twice (docs/glossary.md; each line has a suggestion):\n%s\n' "$found" >&2
exit 1
