import Foundation
import TestSupport
import Testing

/// A login with all that people keep of one, in a shell in tmux, with the programs that write to it.
@Suite(
    .enabled(
        if: ["tmux", "git", "secret-tool"].allSatisfy {
            FileManager.default.isExecutableFile(atPath: "/usr/bin/\($0)")
        },
        "needs tmux, git and secret-tool"))
struct EntrySessionTests {
    private static let seed = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"
    private static let password = TmuxSession.Answer(wait: "Login password: ", type: "sandbox")

    private let sandbox: Sandbox
    private let session: TmuxSession

    init() throws {
        sandbox = try Sandbox(["--desktop"])
        session = try TmuxSession(
            in: sandbox.scratch, environment: ". \(sandbox.folder)/env; cd \(sandbox.scratch.path)")
    }

    /// Types a line that must go well.
    @discardableResult private func typed(
        _ line: String, _ answers: TmuxSession.Answer..., location: SourceLocation = #_sourceLocation
    ) throws -> String {
        let (text, status) = try session.run(line, answers)
        #expect(status == 0, "\(line)\n\(text)", sourceLocation: location)
        return text
    }

    @Test func aLoginIsKeptInOnePlace() throws {
        // Made: a password, a code, notes and two addresses.
        try typed(
            "coffer set github.com me --require presence --attribute url=https://github.com --attribute url2=https://gist.github.com",
            .init(wait: "Secret for github.com/me: ", type: "hunter2"), .init(wait: "Once more: ", type: "hunter2"))
        try typed(
            "coffer set github.com me --otp", .init(wait: "github.com/me, field otp: ", type: Self.seed),
            .init(wait: "Once more: ", type: Self.seed))
        try typed("printf 'Ask Mona\\nthen Octo\\n' | coffer set github.com me --field notes")

        // Read: a field, all of them with one password, a code, what is open without one.
        #expect(try typed("coffer get github.com me", Self.password).contains("\nhunter2"))
        let all = try typed("coffer get github.com me --all", Self.password)
        #expect(
            all.contains("secret: hunter2\notp: otpauth://totp/") && all.contains("  Ask Mona\n  then Octo"), "\(all)")
        #expect(all.components(separatedBy: "Login password: ").count == 2)
        let code = "coffer otp github.com me --at 1970-01-01T00:00:59Z"
        #expect(try typed(code, Self.password).contains("287082"))
        #expect(try typed("coffer search --attribute url2=https://gist.github.com").contains(#/github\.com +me /#))

        // Changed field by field, which needs nobody; what is not named stays.
        try typed("printf 4321 | coffer set github.com me --field pin")
        try typed("printf 'Ask Octo' | coffer set github.com me --field notes")
        try typed("printf correct-horse | coffer set github.com me")
        let changed = try typed("coffer get github.com me --all", Self.password)
        for text in ["secret: correct-horse", "otp: otpauth://totp/", "notes: Ask Octo", "pin: 4321"] {
            #expect(changed.contains(text), "\(changed)")
        }

        // Renamed: its slots are bound to its name, so it is read.
        try typed("coffer rename github.com me github.com mona", Self.password)
        #expect(try session.run("coffer get github.com me", []).status == 3)
        #expect(try typed("coffer get github.com mona --field pin", Self.password).contains("4321"))

        // Into the bin and back.
        try typed("coffer rm github.com mona", .init(wait: "[y/N]", type: "y"))
        #expect(try typed("coffer list").contains("github.com") == false)
        #expect(try typed("coffer list --deleted").contains("mona"))
        try typed("coffer restore github.com mona")
        #expect(try typed(code.replacing(" me ", with: " mona "), Self.password).contains("287082"))
        #expect(try typed("coffer get github.com mona --field notes", Self.password).contains("Ask Octo"))
    }

    @Test func whatAnImportStoredBesideALoginIsJoined() throws {
        try typed("printf hunter2 | coffer set github.com me")
        try typed("printf 'otpauth://totp/x?secret=\(Self.seed)' | coffer set github.com me:otp --require presence")
        try typed("printf 'Ask Mona' | coffer set github.com me:notes")
        let trial = try typed("coffer edit --join --dry-run")
        #expect(trial.contains("would join github.com/me:otp") && trial.contains("Would join 2 secrets"), "\(trial)")
        // The seed is read for it. The login requires presence from then on, as the seed did.
        let joined = try typed("coffer edit --join", Self.password)
        #expect(joined.contains("Joined 2 secrets"), "\(joined)")
        #expect(try !typed("coffer list").contains("me:"))
        let all = try typed("coffer get github.com me --all", Self.password)
        for text in ["secret: hunter2", "otp: otpauth://totp/", "notes: Ask Mona"] {
            #expect(all.contains(text), "\(all)")
        }
    }

    @Test func otherProgramsReplaceThePasswordAndKeepTheRest() throws {
        let approve = "printf 'protocol=https\\nhost=example.com\\nusername=me\\npassword=%s\\n\\n'"
        let git = "git -c credential.helper=coffer credential approve"
        let docker = "docker-credential-coffer store"
        let login = "printf '{\"ServerURL\":\"https://index.docker.io/v1/\",\"Username\":\"me\",\"Secret\":\"%s\"}'"
        let desktop = "secret-tool store --label=Mail server mail.example.com user me"
        for (store, program, name) in [
            (approve, git, "git:https://example.com me --kind internet"),
            (login, docker, "docker:https://index.docker.io/v1 me --kind internet"),
            ("printf %s", desktop, "mail.example.com me"),
        ] {
            try typed("\(store) one | \(program)")
            try typed("printf 4321 | coffer set \(name) --field pin")
            try typed("echo \(Self.seed) | coffer set \(name) --otp")
            try typed("\(store) two | \(program)")
            let all = try typed("coffer get \(name) --all")
            for text in ["secret: two", "pin: 4321", "otp: otpauth://totp/"] { #expect(all.contains(text), "\(all)") }
        }
    }
}
