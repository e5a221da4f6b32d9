import BrokerProtocol
import Testing

@testable import Coffer
@testable import coffer_cli

/// What `coffer doctor` says of the machines that share the secrets.
@Suite struct SharingCheckTests {
    private static let now: Int64 = 1_800_000_000_000
    private static let day: Int64 = 86_400_000

    private func machine(
        _ name: String, own: Bool = false, heard days: Int64? = 0, forked: Bool = false, role: String = "admin"
    ) -> Sync.Machine {
        .init(
            device: String(repeating: name.prefix(1) == "d" ? "d" : "1", count: 32), name: name, role: role,
            protection: "tpm", own: own, heard: days.map { Self.now - $0 * Self.day }, forked: forked)
    }

    private func findings(
        _ other: Sync.Machine? = nil, folder: SharingFacts.Folder = .usable("/shared"),
        _ change: (inout SharingFacts) -> Void = { _ in }
    ) -> [DoctorFinding] {
        let gone = KeychainError(.brokerUnreachable, "gone")
        var facts = DoctorFacts(
            status: .failure(gone), biometry: .failure(gone), authenticatorUser: nil, items: .failure(gone),
            diagnosis: .failure(gone))
        var sharing = SharingFacts(
            state: .init(
                circle: "ab", machines: [machine("desk", own: true), other ?? machine("laptop")], joined: true),
            folder: folder, now: Self.now)
        change(&sharing)
        facts.sharing = sharing
        return SharingCheck.findings(facts)
    }

    /// Those that are not in order, with what to do.
    private func open(_ findings: [DoctorFinding]) -> [String] {
        findings.filter { $0.verdict != .ok }.map(\.line)
    }

    @Test func whatIsInOrderIsOneLine() {
        #expect(findings().map(\.line) == ["ok     2 machines share the secrets, through /shared"])
        #expect(findings().map(\.check) == ["sharing"])
        #expect(findings(folder: .locked).map(\.verdict) == [.ok])
        let alone = findings { $0.state.machines.removeLast() }
        #expect(alone.map(\.line) == ["ok     no other machine shares the secrets yet, through /shared"])
    }

    @Test func aFolderThatCannotBeUsedIsNamed() {
        let failure = CommandFailure(
            code: "folder-read-only", message: "it is read-only", advice: "mount it again", status: .failure)
        for (folder, words) in [
            (.unknown, "coffer sync now --folder FOLDER"), (.empty("/shared"), "/shared has nothing of what"),
            (.unusable(failure), "it is read-only; mount it again"),
        ] as [(SharingFacts.Folder, String)] {
            let lines = open(findings(folder: folder))
            #expect(lines.count == 1 && lines[0].hasPrefix("TO DO") && lines[0].contains(words), "\(lines)")
        }
    }

    @Test func aMachineThatIsQuietIsNamed() {
        for (days, mark) in [(2, ""), (3, "note"), (29, "note"), (30, "TO DO"), (400, "TO DO")] as [(Int64, String)] {
            let lines = open(findings(machine("laptop", heard: days)))
            #expect(lines.count == (mark.isEmpty ? 0 : 1))
            #expect(lines.allSatisfy { $0.hasPrefix(mark) && $0.contains("laptop for \(days) days") }, "\(lines)")
        }
        #expect(open(findings(machine("laptop", heard: 30)))[0].hasSuffix("coffer sync remove laptop"))
        #expect(open(findings(machine("laptop", heard: nil)))[0].contains("nothing was heard of laptop yet"))
        // A time that no machine has.
        #expect(open(findings { $0.state.machines[1].heard = .min }).isEmpty)
        // Its own silence tells nothing.
        let own = findings { $0.state.machines[0].heard = 0 }
        #expect(open(own).isEmpty)
    }

    /// A reader gives a sign of life about every 20 days. Neither a reader nor a writer can have removed another machine.
    @Test func whatTheSilenceOfOthersMeans() {
        for (role, days, mark) in [
            ("reader", 3, ""), ("reader", 29, ""), ("reader", 30, "TO DO"), ("writer", 3, "note"),
            ("writer", 30, "TO DO"),
        ] as [(String, Int64, String)] {
            let lines = open(findings(machine("laptop", heard: days, role: role)))
            #expect(lines.count == (mark.isEmpty ? 0 : 1) && lines.allSatisfy { $0.hasPrefix(mark) }, "\(lines)")
            #expect(!lines.contains { $0.contains("reads on") })
        }
        let lines = open(findings(machine("laptop", heard: 30, role: "reader")))
        #expect(lines.first?.hasSuffix("coffer sync remove laptop") == true)
        for (role, isWarned) in [("admin", true), ("writer", false), ("reader", false)] {
            let state = Sync.State.Reply(
                circle: "ab", machines: [machine("desk", own: true), machine("laptop", heard: 30, role: role)],
                joined: true)
            #expect((Silence.warning(state, now: Self.now) != nil) == isWarned)
        }
    }

    @Test func aClockThatIsAheadIsNamed() {
        #expect(open(findings(machine("laptop", heard: -2)))[0].contains("the clock of laptop is 2 days ahead"))
        let nearly = findings { $0.state.machines[1].heard = Self.now + Self.day - 1 }
        #expect(open(nearly).isEmpty)
    }

    @Test func copiesWaitingChangesAndRemovalsAreNamed() {
        func begins(_ findings: [DoctorFinding], _ words: String) -> Bool {
            open(findings).first?.hasPrefix(words) == true
        }
        #expect(begins(findings(machine("laptop", forked: true)), "TO DO  two copies of the vault of laptop"))
        #expect(begins(findings { $0.state.waiting = 2 }, "note   2 changes wait"))
        #expect(
            begins(
                findings { $0.state.machines[1].missing = 1 },
                "note   laptop was heard, but 1 of its changes is missing or damaged"))
        #expect(begins(findings(folder: .behind("/shared")), "TO DO  what this machine gave out last"))
        for (agrees, count) in [(true, 0), (nil, 0), (false, 1)] as [(Bool?, Int)] {
            let lines = open(findings { $0.state.machines[1].agrees = agrees })
            #expect(lines.count == count && lines.allSatisfy { $0.hasPrefix("TO DO  this machine and laptop have") })
        }
        let removed = findings { $0.state.joined = false }
        #expect(open(removed).count == 1 && open(removed).allSatisfy { $0.hasSuffix("coffer sync leave") })
    }

    /// Who keeps the folder can hide a removal. A person who seals something to all machines is told.
    @Test func whoSealsToAMachineThatIsSilentIsWarned() {
        func warning(_ days: Int64, joined: Bool = true) -> String? {
            Silence.warning(
                .init(
                    circle: "ab", machines: [machine("desk", own: true, heard: 100), machine("laptop", heard: days)],
                    joined: joined), now: Self.now)
        }
        #expect(warning(29) == nil && warning(30, joined: false) == nil)
        #expect(
            warning(30)
                == "coffer: warning: nothing was heard of laptop for 30 days. If a machine was removed there, this one does "
                + "not know, and that machine reads on. Run there: coffer sync now; if it is gone, run here: coffer sync "
                + "remove laptop")
    }

    @Test func aRemovedMachineIsNamedWhileItKnowsSomething() {
        let device = String(repeating: "2", count: 32)
        func lines(_ count: Int?) -> [String] {
            open(
                findings {
                    $0.state.former = [.init(device: device, name: "laptop", protection: nil)]
                    $0.exposed[device] = count
                })
        }
        // Another one is called so, too.
        #expect(
            lines(3) == [
                "note   laptop (22222222) was removed, and could read 3 secrets as they are now; "
                    + "see what to change: coffer sync exposed 22222222"
            ])
        #expect(lines(0).isEmpty && lines(nil).isEmpty)
    }
}
