import Foundation
import TestSupport
import Testing

/// git and a container tool log in through the helpers, against real servers on the loopback and the real broker.
@Suite struct CredentialHelperTests {
    private let sandbox: Sandbox
    private var scratch: Scratch { sandbox.scratch }

    init() throws { sandbox = try Sandbox() }

    /// Runs a shell without a terminal, in which git and containers' tools find only what the test gives them.
    private func shell(_ script: String, input: String = "") throws -> Program.Result {
        var shell = Program(scratch: scratch)
        shell.executable = "/bin/sh"
        shell.environment["HOME"] = scratch.file("home")
        shell.environment["XDG_RUNTIME_DIR"] = scratch.file("home")
        shell.environment["GIT_CONFIG_NOSYSTEM"] = "1"
        shell.environment["GIT_TERMINAL_PROMPT"] = "0"
        let begin = ". \(sandbox.folder)/env; mkdir -p $HOME; cd \(scratch.path); exec 2>&1\n"
        return try shell.run("-c", begin + script, input: .bytes(Array(input.utf8)))
    }

    private func users(_ lines: String) throws {
        try Data(lines.utf8).write(to: URL(filePath: scratch.file("users")))
    }

    @Test func gitClonesPushesForgetsAndKnowsSeveralUsers() throws {
        try users("me:one\nyou:two\n")
        let made = try shell(
            """
            set -e
            git config --global credential.helper coffer
            git config --global user.name Me; git config --global user.email me@example.com
            git config --global init.defaultBranch main
            git init -q --bare repositories/r.git; git -C repositories/r.git config http.receivepack true
            printf '#!/bin/sh\\necho "$1" >>\(scratch.path)/asked; case $1 in User*) echo me ;; *) cat \(scratch.path)/answer ;; esac' >ask
            chmod +x ask; printf one >answer; : >asked
            """)
        #expect(made.status == 0, "\(made.text)")
        let server = try LoopbackServer("git_http.py", [scratch.path])
        let url = "http://127.0.0.1:\(server.port)/r.git"

        // git asks once. The password that worked is kept, and serves a push.
        let first = try shell(
            "set -e; GIT_ASKPASS=$PWD/ask git clone -q \(url) w; cd w; echo 1 >f; git add f; git commit -qm 1; git push -q origin main; coffer list"
        )
        #expect(first.status == 0, "\(first.text)")
        #expect(first.text.contains("git:http://127.0.0.1:\(server.port)\tme\t"))
        #expect(try scratch.contents("asked").count { $0 == UInt8(ascii: "\n") } == 2)
        #expect(try shell("git -C w pull -q && git clone -q \(url) again && cat again/f").text.hasSuffix("1\n"))
        // git has stored it after each login. It was written once.
        #expect(
            try shell("coffer show git:http://127.0.0.1:\(server.port) me --kind internet").text.contains(
                "Version     1\n"))

        // A second user has an entry of their own.
        let second = try shell(
            "printf two >answer; GIT_ASKPASS=$PWD/ask git clone -q http://you@127.0.0.1:\(server.port)/r.git y && git -C y pull -q && git -C w -c credential.username=me pull -q; coffer list | wc -l"
        )
        #expect(second.text.hasSuffix("3\n"), "\(second.text)")
        #expect(String(decoding: try scratch.contents("requests"), as: UTF8.self).contains("you\n"))

        // The server refuses the password, so it goes. The other user's stays.
        try users("me:changed\nyou:two\n")
        let refused = try shell("git -C w -c credential.username=me pull -q; echo $?; coffer list")
        #expect(!refused.text.hasPrefix("0\n") && !refused.text.contains("\tme\t"), "\(refused.text)")
        #expect(refused.text.contains("\tyou\t"))
        #expect(try shell("git -C y pull -q").status == 0)
        // No password is in an argument, a log or a file of git's.
        let traces = try shell(
            "GIT_TRACE=1 GIT_CURL_VERBOSE=1 git -C y pull -q; coffer log; cat home/.gitconfig y/.git/config")
        #expect(!traces.text.contains("two"))
    }

    /// An entry that requires a person, where nobody can be asked: git asks by itself, and the reason is on standard error.
    @Test func aGatedEntryAsksAndSaysWhereNobodyCanBeAsked() throws {
        let fill = "printf 'protocol=https\\nhost=example.com\\n\\n' | git credential fill"
        _ = try shell(
            "git config --global credential.helper 'coffer --require presence'; printf 'protocol=https\\nhost=example.com\\nusername=me\\npassword=one\\n\\n' | git credential approve"
        )
        let nobody = try shell(fill)
        #expect(nobody.status == 128)
        #expect(
            nobody.text.hasPrefix(
                "git-credential-coffer: \"git:https://example.com\"/me needs authentication, but there is no terminal to ask at; "
            ), "\(nobody.text)")
        #expect(nobody.text.contains("terminal prompts disabled"))
        let asked = try shell("COFFER_ASKPASS=\(sandbox.folder)/askpass; export COFFER_ASKPASS; \(fill)")
        #expect(asked.text.hasSuffix("protocol=https\nhost=example.com\nusername=me\npassword=one\n"), "\(asked.text)")
        // Storing after use asks nobody, and the entry stays as strict.
        let stored = try shell(
            "printf 'protocol=https\\nhost=example.com\\nusername=me\\npassword=two\\n\\n' | git credential approve; coffer list"
        )
        #expect(stored.text.contains("\tpresence\t") && !stored.text.contains("authentication"), "\(stored.text)")
        let log = try shell("coffer log").text
        #expect(log.contains("reason: \"Log in to https://example.com\""), "\(log)")
    }

    /// Attacker 7. Input without an end is not kept, whichever line it is in, and costs neither memory nor the vault.
    @Test(arguments: ["", "host=", "password=", "wwwauth[]=", "\u{0}"])
    func endlessInputEndsInAnError(beginning: String) throws {
        let result = try shell(
            """
            ulimit -v 600000
            { printf 'protocol=https\\n\(beginning == "\u{0}" ? "\\000" : beginning)'; head -c 100000000 /dev/zero | tr '\\000' a; } | git-credential-coffer get
            """)
        #expect(result.status == 1)
        #expect(result.text.hasPrefix("git-credential-coffer: "), "\(result.text)")
        #expect(result.text.contains("bytes;") || result.text.contains("no host") || result.text.contains("key=value"))
    }

    @Test func anEndlessServerEndsInAnErrorAndTheLongestIsRead() throws {
        let docker = try shell(
            "ulimit -v 600000; head -c 100000000 /dev/zero | tr '\\000' a | docker-credential-coffer get")
        #expect(docker.status == 1 && docker.text.hasPrefix("the input has more than "), "\(docker.text)")
        // Exactly as much as is taken. It is no server's name, but it was read.
        let whole = try shell("head -c 8388608 /dev/zero | tr '\\000' a | docker-credential-coffer get")
        #expect(whole.status == 1 && !whole.text.contains("the input has more than"), "\(whole.text.prefix(200))")
    }

    /// Operations that are not known are ignored, and their input is read, so that git is not ended by a signal.
    @Test func anUnknownOperationReadsItsInput() throws {
        let result = try shell(
            "{ head -c 10000000 /dev/zero && echo written >done; } | git-credential-coffer later; echo $?; cat done")
        #expect(result.text == "0\nwritten\n")
    }

    /// Runs a shell at a terminal. It finds what a test has written into the file `request`.
    private func typed(_ script: String, _ turns: [Program.Turn]) throws -> Program.Result {
        var shell = Program(scratch: scratch)
        shell.executable = "/bin/bash"
        return try shell.run("-c", ". \(sandbox.folder)/env; cd \(scratch.path); \(script)", turns: turns)
    }

    /// Stores a login that requires a person, and writes the request for it.
    private static func login(_ program: String) -> String {
        program == "git"
            ? """
            printf 'protocol=https\\nhost=h\\nusername=me\\npassword=one\\n' \
            | git-credential-coffer --require presence store
            printf 'protocol=https\\nhost=h\\n' >request
            """
            : """
            printf '{"ServerURL":"h","Username":"me","Secret":"one"}' \
            | docker-credential-coffer --require presence store
            echo h >request
            """
    }

    /// As with sudo. A fourth time, nobody is asked.
    @Test func aWrongPasswordMayBeTypedThreeTimes() throws {
        let made = try shell(Self.login("git"))
        #expect(made.status == 0 && made.text.isEmpty, "\(made.text)")
        let wrong = Program.Turn(wait: "Login password: ", type: "wrong\r")
        let result = try typed("git-credential-coffer get <request", [wrong, wrong, wrong])
        #expect(result.status == 1 && result.text.isEmpty, "\(result)")
        #expect(result.screen.components(separatedBy: "Login password: ").count == 4, "\(result)")
        #expect(result.errors.contains("wrong password"), "\(result)")
    }

    /// A program that git or docker starts ends by the signal, so that it ends a shell's loop, too.
    @Test(arguments: ["git", "docker"]) func ctrlCAtAQuestionEndsTheLoopOfAShell(program: String) throws {
        let made = try shell(Self.login(program))
        #expect(made.status == 0 && made.text.isEmpty, "\(made.text)")
        let loop = "for i in 1 2 3; do \(program)-credential-coffer get <request; done; echo went on"
        let result = try typed(loop, [.init(wait: "Login password: ", type: "\u{3}")])
        #expect(!result.text.contains("went on"), "\(result)")
        // The reason comes before the end. docker reads it from standard output.
        let said = program == "git" ? result.errors : result.text
        #expect(said.components(separatedBy: "cancelled").count == 2, "\(result)")
    }

    /// It holds a secret. The program that asks looks at it meanwhile.
    @Test(arguments: ["git", "docker"]) func aHelperLeavesNoCoreFile(program: String) throws {
        let result = try shell(
            """
            \(Self.login(program))
            { echo '#!/bin/sh'; echo 'grep "core file" /proc/$(cat \(scratch.path)/pid)/limits >\(scratch.path)/limits'
            echo 'exec \(sandbox.folder)/askpass "$@"'; } >look; chmod +x look
            ulimit -c unlimited 2>/dev/null
            COFFER_ASKPASS=$PWD/look; export COFFER_ASKPASS
            sh -c 'echo $$ >pid; exec \(program)-credential-coffer get <request' >answer && cat limits
            """)
        let words = result.text.split(whereSeparator: \.isWhitespace)
        #expect(words.suffix(3) == ["0", "0", "bytes"], "\(result.text)")
        #expect(String(decoding: try scratch.contents("answer"), as: UTF8.self).contains("one"))
    }

    /// A server's answer can be long. What comes after it counts.
    @Test func aRequestMayComeInSeveralParts() throws {
        let result = try shell(
            """
            printf 'protocol=https\\nhost=h\\nusername=me\\npassword=one\\n' | git-credential-coffer store
            long=$(head -c 100000 /dev/zero | tr '\\000' a)
            { printf 'protocol=https\\nwwwauth[]='; printf %s "$long$long"; printf '\\nhost=h\\n\\n'; } \
            | git-credential-coffer get
            """)
        #expect(result.status == 0 && result.text == "username=me\npassword=one\n", "\(result.text)")
    }

    /// The last line may lack its line break.
    @Test func aRequestMayEndWithoutALineBreak() throws {
        let stored = try shell(
            """
            printf 'protocol=https\\nhost=h\\nusername=me\\npassword=one' | git-credential-coffer store
            printf 'protocol=https\\nhost=h' | git-credential-coffer get
            """)
        #expect(stored.status == 0 && stored.text == "username=me\npassword=one\n", "\(stored.text)")
        let refused = try shell("printf 'protocol=https\\nhost=h\\nnonsense' | git-credential-coffer get")
        #expect(refused.status == 1 && refused.text.contains("is not key=value"), "\(refused.text)")
    }

    /// A full disk is told, and where: standard output has no room for it.
    @Test(arguments: ["git", "docker"]) func whatCannotBeWrittenIsSaid(program: String) throws {
        for word in ["--help", "--version"] {
            let result = try shell("\(program)-credential-coffer \(word) >/dev/full")
            #expect(result.status == 1, "\(word)")
            #expect(
                result.text.hasPrefix("\(program)-credential-coffer: the answer cannot be written"), "\(result.text)")
            let whole = try shell("\(program)-credential-coffer \(word)")
            #expect(whole.status == 0 && whole.text.contains("\(program)-credential-coffer"), "\(whole.text)")
        }
    }

    private static let skopeo = "/usr/bin/skopeo"

    @Test(
        .enabled(
            if: FileManager.default.isExecutableFile(atPath: skopeo),
            "skopeo is no dependency of Coffer; continuous integration installs it"),
        arguments: ["basic", "token"])
    func skopeoLogsInAndOut(kind: String) throws {
        let server = try LoopbackServer("registry.py", ["me:one", kind])
        let registry = "127.0.0.1:\(server.port)"
        let result = try shell(
            """
            mkdir -p home/.config/containers
            printf 'credential-helpers = ["coffer"]\\n' >home/.config/containers/registries.conf
            printf one | skopeo login --tls-verify=false --username me --password-stdin \(registry)
            docker-credential-coffer list; coffer list; skopeo login --tls-verify=false --get-login \(registry)
            find home -type f
            skopeo logout \(registry); docker-credential-coffer list
            printf wrong | skopeo login --tls-verify=false --username me --password-stdin \(registry) || docker-credential-coffer list
            """)
        #expect(result.text.contains("Login Succeeded!"), "\(result.text)")
        #expect(result.text.contains("{\"\(registry)\":\"me\"}"))
        #expect(result.text.contains("docker:https://\(registry)\tme\t"))
        #expect(result.text.contains("\nme\n"))
        #expect(!result.text.contains("auth.json"))
        #expect(result.text.hasSuffix("{}\n") || result.text.split(separator: "\n").last == "{}")
    }
}
