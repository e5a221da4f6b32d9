import BrokerProtocol
import TestSupport
import Testing

/// What could not be written must not pass for a success. An empty file would be taken for an empty list.
@Suite struct OutputFailureTests {
    private static let item: Keychain.Item = {
        var item = FakeCoffer.item()
        item.deleted = 1_700_000_000_000
        return item
    }()

    private static let history = Keychain.History.Reply(
        item: FakeCoffer.item(),
        versions: [
            Keychain.FormerVersion(
                version: 1, set: 1_700_000_000_000, access: .whenUnlocked, until: 1_900_000_000_000)
        ])

    private static let log = Keychain.Log.Reply(
        records: [
            Keychain.LogRecord(sequence: 1, time: 1, event: "read", outcome: "done", resolved: true, require: [])
        ], more: false, problem: nil)

    private static let status = Keychain.Status.Reply(
        vault: .init(state: .unlocked), sealer: .init(kind: "tpm"), version: "1", sandbox: false, warnings: [],
        history: .init(values: 3, days: 30, bin: 7))

    private static let seed = Array("otpauth://totp/x?secret=JBSWY3DPEHPK3PXP".utf8)

    private static let script: [String: [FakeServer.Step]] = [
        "List": [.answer(Keychain.ItemsReply(items: [item]))],
        "Search": [.answer(Keychain.ItemsReply(items: [FakeCoffer.item()]))],
        "Show": [.answer(Keychain.ItemReply(item: FakeCoffer.item()))],
        "Get": [FakeCoffer.value(seed)],
        "History": [.answer(history)],
        "Restore": [.answer(Keychain.ChangedItemReply(item: FakeCoffer.item()))],
        "Delete": [.answer(Keychain.Delete.Reply(item: FakeCoffer.item(), until: 1_900_000_000_000))],
        "Log": [.answer(log)],
        "VerifyLog": [.answer(Keychain.VerifyLog.Reply(whole: true, problem: nil, records: 1, first: 1, last: 1))],
        "Status": [.answer(status)],
        "Lock": [.answer(Keychain.VaultReply(vault: .init(state: .locked, since: 1_700_000_000_000)))],
        "Boot": [.answer(Keychain.BootReply())],
    ]

    /// Runs a command twice: as it is, which is a success with output, and with an output that takes nothing.
    private func check(_ fixture: FakeCoffer, _ words: String, input: [UInt8] = []) throws {
        var shell = fixture.program
        shell.executable = "/bin/sh"
        let whole = try shell.run("-c", "\(Program.path) \(words)", input: .bytes(input))
        #expect(whole.status == 0 && !whole.output.isEmpty, "\(whole)")
        let lost = try shell.run("-c", "\(Program.path) \(words) >/dev/full", input: .bytes(input))
        #expect(lost.status == 1, "\(lost)")
        #expect(lost.errors.contains("cannot write to standard output: it is closed, or no space is left"), "\(lost)")
    }

    @Test(arguments: [
        "list", "list --json", "list --deleted", "list --deleted --json", "search git", "search git --json",
        "show github me", "show github me --json", "get github me --json", "read coffer://github/me --json",
        "history github me", "history github me --json", "history", "history --json", "log", "log --json",
        "log --verify", "log --verify --json", "status", "status --json", "lock --json", "rm -f github me --json",
        "restore -f github me --json", "boot show", "boot show --json", "completion bash", "--version",
        "help", "help get", "get --help", "vault",
    ])
    func aListThatCannotBeWrittenIsAFailure(words: String) throws {
        try check(try FakeCoffer(broker: Self.script), words)
    }

    @Test(arguments: ["", " --json"]) func aOneTimePasswordThatCannotBeWrittenIsAFailure(option: String) throws {
        let fixture = try FakeCoffer(broker: Self.script.merging(["Show": [FakeCoffer.absent]]) { $1 })
        try check(fixture, "otp github me --at 1970-01-01T00:00:59Z" + option)
    }

    @Test func whatWasStoredAndCannotBeToldIsAFailure() throws {
        let fixture = try FakeCoffer(broker: ["Show": [FakeCoffer.absent], "Set": [FakeCoffer.stored()]])
        try check(fixture, "set github me --json", input: [1])
    }

    @Test(arguments: ["now", "status", "store show"]) func whatIsSharedAndCannotBeWrittenIsAFailure(
        command: String
    ) throws {
        let fixture = try SyncFixture(["State": [SyncFixture.shared]])
        defer { fixture.remove() }
        for option in ["", " --json"] { try check(fixture.fake, "sync " + command + option) }
    }

    @Test(arguments: ["conflicts", "exposed lap"]) func whatIsToBeDoneAndCannotBeWrittenIsAFailure(
        command: String
    ) throws {
        let exposed = Sync.Exposed.Reply(
            items: [Sync.Exposure(service: "github", account: "me", fields: ["secret"], asks: false)])
        let fixture = try SyncFixture.inConflict(
            SyncFixture.listed(SyncFixture.conflict()), more: ["Exposed": [.answer(exposed)]])
        defer { fixture.remove() }
        for option in ["", " --json"] { try check(fixture.fake, "sync " + command + option) }
    }
}
