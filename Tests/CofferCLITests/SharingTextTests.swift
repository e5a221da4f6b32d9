import BrokerProtocol
import Courier
import Testing

@testable import Coffer
@testable import CofferClient
@testable import coffer_cli

/// What `coffer sync` says, and what it reads.
@Suite struct SharingTextTests {
    private static let now: Int64 = 1_800_000_000_000

    private func outcome(_ obstacles: [String: Int] = [:], given: Int = 0, waiting: Int = 0) -> ExchangeOutcome {
        var outcome = ExchangeOutcome()
        (outcome.added, outcome.updated, outcome.deleted) = (3, 1, 0)
        (outcome.obstacles, outcome.givenSegments, outcome.waiting) = (obstacles, given, waiting)
        return outcome
    }

    @Test func anExchangeIsSummedUp() {
        #expect(SharingText.summary(outcome(), settings: 0) == "3 new, 1 changed, 0 deleted here")
        #expect(
            SharingText.summary(outcome(["to-release": 1, "this-device-only": 2]), settings: 1)
                == "3 new, 1 changed, 0 deleted here; 2 secrets are not shared: 1 is for this device only, 1 requires you "
                + "and was set before the other machines joined (run: coffer sync release)")
        #expect(SharingText.obstacles(["gated": 2])?.contains("2 require an application password, or") == true)
        #expect(SharingText.obstacles(["not-released": 1])?.contains("1 requires you and waits to be released") == true)
        #expect(SharingText.obstacles(["undecided": 2])?.contains("set them again there") == true)
        #expect(
            SharingText.summary(outcome(["too-long": 1], given: 2, waiting: 1), settings: 0)
                == "3 new, 1 changed, 0 deleted here; changes of this machine are in the folder now; "
                + "1 change waits for something that has not come yet; 1 secret is not shared: 1 is too long")
    }

    @Test func whatIsNotSharedIsNamed() {
        var outcome = outcome(["too-long": 3, "unreadable": 1, "this-device-only": 2, "unheard-of": 1])
        #expect(SharingText.unshared(outcome) == [])
        outcome.unshared = [
            "unreadable": [.init(service: "bank", account: "me")],
            "too-long": [.init(service: "a\u{1b}[2J", account: ""), .init(service: "b", account: "c", kind: "key")],
            "unheard-of": [.init(service: "d", account: "e")],
        ]
        #expect(
            SharingText.unshared(outcome) == [
                #"  too long: "a\u{1b}[2J"/"", b/c (key), and 1 more"#, "  cannot be read here: bank/me",
            ])
    }

    @Test func whatWasReleasedIsReadAtTheNextExchange() {
        let machine = Sync.Machine(device: "02", name: "lap", role: "writer", own: false)
        let paper = Sync.Machine(device: "03", role: "paper", own: false)
        #expect(SyncReleaseCommand.next(for: [machine, paper]).contains("run there: coffer sync now"))
        // Nothing can be run there.
        #expect(SyncReleaseCommand.next(for: [paper]).contains("copies of the folder that you make from now on"))
    }

    @Test func openConflictsAreNamedWithTheirCommand() {
        var exchanged = outcome()
        exchanged.conflicts = 1
        #expect(
            SharingText.summary(exchanged, settings: 0)
                == "3 new, 1 changed, 0 deleted here; "
                + "1 thing was changed on several machines at the same time, see: coffer sync conflicts")
        var state = Sync.State.Reply(circle: "ab", machines: [machine("desk", own: true)], joined: true)
        for (count, line) in [
            (nil, nil), (0, nil),
            (2, "Conflicts: 2 things were changed on several machines at the same time, see: coffer sync conflicts"),
        ] as [(Int64?, String?)] {
            state.conflicts = count
            #expect(SharingText.status(state, folder: "/x", width: nil).first { $0.hasPrefix("Conflicts") } == line)
        }
    }

    /// The item that has the folder is for this device only, and nobody waits for it elsewhere.
    @Test func theOwnItemIsNotCounted() {
        #expect(
            SharingText.summary(outcome(["this-device-only": 1]), settings: 1) == "3 new, 1 changed, 0 deleted here")
        #expect(SharingText.notShared(outcome(["this-device-only": 1, "gated": 2]), settings: 3) == ["gated": 2])
    }

    private func machine(_ name: String?, own: Bool = false, heard: Int64? = nil, forked: Bool = false) -> Sync.Machine
    {
        .init(
            device: "0123456789abcdef0123456789abcdef", name: name, role: "admin", protection: "tpm", own: own,
            heard: heard, forked: forked)
    }

    @Test func statusNamesTheMachinesAndWhatWaits() {
        let state = Sync.State.Reply(
            circle: "ab", machines: [machine("desk", own: true), machine(nil)], joined: true, pending: 2, waiting: 1)
        #expect(
            SharingText.status(state, folder: "/x", width: nil) == [
                "Folder: /x", "Machines: 2",
                "  desk              admin  this machine",
                "  machine 01234567  admin  nothing heard yet",
                "Paper: none; to survive the loss of all machines: coffer sync paper",
                "Not in the folder yet: 2 changes of this machine; run: coffer sync now",
                "Waiting: 1 change waits for something that has not come yet; run on the other machines: "
                    + "coffer sync now",
            ])
    }

    @Test func whatAMachineCouldReadIsNamedWithItsWay() {
        func exposed(_ protection: String, _ items: [Sync.Exposure], name: String = "laptop") -> ExposedMachine {
            var machine = machine(name)
            machine.protection = protection
            return ExposedMachine(machine: machine, name: name, items: items)
        }
        let items = [
            Sync.Exposure(service: "bank", account: "me", fields: ["secret", "otp"], asks: true),
            Sync.Exposure(service: "a\u{1B}b", account: "", fields: ["secret"], asks: false),
        ]
        let (laptop, stick) = (exposed("tpm", items), exposed("software", [items[0]], name: "stick"))
        #expect(
            ExposedMachine.table([laptop, stick], aligned: false) == [
                "SECRET\tFIELDS\tMACHINE\tREADABLE",
                "bank/me\tsecret, otp\tlaptop\tthere after its person agrees",
                "\"a\\u{1b}b\"/\"\"\tsecret\tlaptop\tthere",
                "bank/me\tsecret, otp\tstick\tthere after its person agrees (keys on its disk)",
            ])
        var state = Sync.State.Reply(circle: "ab", machines: [laptop.machine], joined: true)
        #expect(laptop.notes(word: "laptop", state).first?.hasSuffix("coffer sync remove laptop") == true)
        state.machines = []
        #expect(laptop.notes(word: "laptop", state).first?.contains("leave this list") == true)
        #expect(
            exposed("tpm", []).notes(word: "laptop", state) == [
                "laptop could read none of your secrets as they are now."
            ])
        #expect(
            SharingText.removal(of: ["my laptop"], words: ["abcdef01"]).contains {
                $0.contains("coffer sync exposed abcdef01")
            })
    }

    @Test func thePaperIsNoMachine() {
        var state = Sync.State.Reply(circle: "ab", machines: [machine("desk", own: true)], joined: true)
        state.paper = Sync.Paper(device: String(repeating: "ee", count: 16), made: 1_800_000_000_000)
        func line(_ unreleased: Int?) -> String? {
            SharingText.status(state, folder: "", unreleased: unreleased, width: nil).first { $0.hasPrefix("Paper") }
        }
        #expect(SharingText.status(state, folder: "", width: nil).contains("Machines: 1"))
        #expect(line(nil) == "Paper: made 2027-01-15" && line(0) == line(nil))
        #expect(line(1)?.contains("1 secret that requires you is not on it yet, run: coffer sync release") == true)
        #expect(line(2)?.contains("2 secrets that require you are not on it yet") == true)
        state.paper?.made = nil
        #expect(line(nil) == "Paper: made at a time that is not known here yet")
        #expect(state.readers.map(\.name) == ["desk", "paper"] && state.readers.map(\.isPaper) == [false, true])
        let read = ExposedMachine(
            machine: state.readers[1], name: "paper",
            items: [.init(service: "bank", account: "me", fields: ["secret"], asks: true)])
        #expect(ExposedMachine.table([read], aligned: false)[1].hasSuffix("with the code and a copy of the folder"))
    }

    @Test func statusNamesTheNextStep() {
        let alone = Sync.State.Reply(circle: "ab", machines: [machine("desk", own: true)], joined: true)
        #expect(SharingText.status(alone, folder: "", width: nil).last?.contains("coffer sync join FOLDER") == true)
        #expect(SharingText.status(.init(), folder: "", width: nil).joined().contains("coffer sync init FOLDER"))
        #expect(
            SharingText.status(.init(requested: true), folder: "", width: nil) == [
                "This machine waits to join others. Go on with: coffer sync join FOLDER"
            ])
        let forked = Sync.State.Reply(circle: "ab", machines: [machine("desk", forked: true)], joined: true)
        #expect(SharingText.status(forked, folder: "", width: nil).contains { $0.hasPrefix("Problem: two copies") })
    }

    @Test func aFolderIsAbsolute() {
        for (path, whole) in [
            ("/a/b", "/a/b"), ("/a/b//", "/a/b"), ("b", "/w/b"), ("./b/", "/w/b"), ("././b", "/w/b"), (".", "/w"),
            ("./", "/w"), ("../b", "/w/../b"), ("/", "/"), (".b", "/w/.b"),
        ] {
            #expect(SharedFolder.absolute(path, in: "/w") == whole, "\(path)")
        }
    }

    @Test func aSettingNamesAFolderOrNothing() throws {
        let device = String(repeating: "01", count: 16)
        for (text, folder, isLeaving) in [
            ("folder:/a b/ü", "/a b/ü", false), ("leaving:\(device) folder:/a b", "/a b", true),
        ] {
            let content = try SharingSetting.content(in: Array(text.utf8))
            #expect(content.folder == folder && (content.leaving != nil) == isLeaving)
            #expect(SharingSetting.text(of: content) == text)
        }
        for text in [
            "", "folder:", "folder:x", "/a", "webdav:/a", "folder :/a", "leaving:", "leaving:\(device)",
            "leaving:\(device) x", "leaving:01 folder:/a", "leaving: folder:/a", "leaving:\(device)0 folder:/a",
        ] {
            #expect(throws: KeychainError(.damaged, "")) { try SharingSetting.content(in: Array(text.utf8)) }
        }
        #expect(throws: KeychainError(.damaged, "")) {
            try SharingSetting.content(in: Array("folder:/".utf8) + [0xFF])
        }
    }

    /// The code of Tests/Vectors/circle.json.
    private static let code = "JOIN-XHQS6-9JEQ4-DQCMD-45ZK6-8ZQAJ-XMJ57"

    @Test(arguments: [
        code, code + "\n", code.lowercased() + "\r\n", code.replacing("-", with: " "), code.replacing("0", with: "o"),
    ])
    func aCodeIsReadInEverySpelling(typed: String) throws {
        #expect(try JoinCodeInput.code(in: Array(typed.utf8)) == Self.code)
    }

    @Test(arguments: [
        ("", "begins with JOIN"), ("XHQS6-9JEQ4-DQCMD-45ZK6-8ZQAJ-XMJ57", "begins with JOIN"),
        ("JOIN-XHQS6", "has 5 characters after JOIN, and should have 30"),
        (code + "X", "has 31 characters"), (code.replacing("Q4", with: "4Q"), "a character of the code is wrong"),
        (code.replacing("Q4", with: "U4"), "no code has the character “U”"),
    ])
    func aMistypedCodeIsRefusedBeforeTheBrokerIsAsked(typed: String, words: String) {
        let error = #expect(throws: KeychainError.self) { try JoinCodeInput.code(in: Array(typed.utf8)) }
        #expect(
            error?.code == .invalidArgument && error?.message.contains(words) == true, "\(String(describing: error))")
        #expect(error?.advice.isEmpty == false)
    }

    @Test func aHostsNameIsMadeFit() {
        #expect(SyncCommand.hostName("desk.example.com").text == "desk")
        #expect(SyncCommand.hostName("-my host").text == "my-host")
        #expect(SyncCommand.hostName("").text == "machine")
    }
}
