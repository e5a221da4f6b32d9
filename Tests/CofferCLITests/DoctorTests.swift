import BrokerProtocol
import Foundation
import Glibc
import TestSupport
import Testing

@testable import Coffer
@testable import CofferClient
@testable import coffer_cli

/// `coffer doctor`: its list of checks, and its report if nobody answers.
@Suite struct DoctorTests {
    /// `COFFER_UPDATE_GOLDEN=1` writes the list into the document.
    @Test func theDocumentListsEveryCheck() throws {
        let text = try SourceTree.text("docs/doctor.md")
        let start = try #require(text.firstRange(of: "<!-- checks:"))
        let lineEnd = try #require(text[start.upperBound...].firstIndex(of: "\n"))
        let end = try #require(text.firstRange(of: "<!-- end of checks -->"))
        var table = "\n| check | what is looked at | by |\n|---|---|---|\n"
        for check in Keychain.Check.allCases {
            table += "| `\(check.rawValue)` | \(check.abstract) | \(check.isBrokers ? "broker" : "`coffer`") |\n"
        }
        if ProcessInfo.processInfo.environment["COFFER_UPDATE_GOLDEN"] == "1" {
            let updated = text[..<lineEnd] + "\n" + table.dropFirst() + text[end.lowerBound...]
            try Data(updated.utf8).write(to: URL(filePath: SourceTree.path("docs/doctor.md")))
        } else {
            #expect(text[lineEnd..<end.lowerBound] == table[...])
        }
    }

    @Test func withoutABrokerThereIsSomethingToDoAndNothingIsGuessed() throws {
        let scratch = try Scratch()
        var program = Program(scratch: scratch)
        program.environment["COFFER_SOCKET"] = scratch.path + "/nowhere.sock"
        let result = try program.run(["doctor", "--json"], input: .bytes([]), output: .file)
        #expect(result.status == 1)
        struct Finding: Decodable {
            let check: String
            let verdict: String
            let advice: String?
        }
        let findings = try JSONDecoder().decode([Finding].self, from: Data(result.text.utf8))
        #expect(findings.map(\.check) == ["broker", "authenticator"])
        #expect(findings.allSatisfy { $0.verdict == "problem" && $0.advice != nil })
    }

    /// The kernel knows whose the authenticator is. A broker that does not answer does not make it root's.
    @Test(arguments: [(UInt32(0), "and runs as root"), (1000, "but runs as uid 1000 and not as root")])
    func theAuthenticatorIsRootsOnlyWhereItsProcessIs(uid: UInt32, words: String) throws {
        let gone = KeychainError(.brokerUnreachable, "gone")
        let facts = DoctorFacts(
            status: .failure(gone), biometry: .success(.init(usable: false, type: "fingerprint")),
            authenticatorUser: uid, items: .failure(gone), diagnosis: .failure(gone))
        let finding = try #require(AuthenticatorCheck.findings(facts).first)
        #expect(finding.message == "the authenticator answers, \(words)")
        #expect(finding.verdict == (uid == 0 ? .ok : .note))
    }

    @Test func theAuthenticatorsUserIsAskedOfTheKernel() throws {
        let fixture = try FakeCoffer(authenticator: [
            "Biometry": [.answer(Authentication.Biometry.Reply(usable: false, type: "fingerprint"))]
        ])
        let paths = SocketPaths(environment: fixture.program.environment)
        let facts = DoctorFacts(asking: KeychainClient(paths: paths, caller: getuid()))
        #expect(facts.authenticatorUser == getuid())
    }

    /// A vault that cannot be used fails every question about it. The broker's findings say why, once.
    @Test func oneCauseIsOneThingToDo() {
        let missing = KeychainError(.damaged, "a part is missing", advice: "restore it")
        let finding = Keychain.Finding(.files, .problem, "a part is missing", advice: "restore it")
        let facts = DoctorFacts(
            status: .failure(missing), biometry: .success(.init(usable: true, type: "fingerprint")),
            authenticatorUser: 0, items: .failure(missing),
            diagnosis: .success(.init(findings: [finding, finding])))
        let findings = Doctor.findings(facts)
        #expect(findings.filter { $0.verdict == .problem }.map(\.check) == ["files"])
        #expect(findings.contains { $0.check == "broker" && $0.verdict == .ok })
    }

    @Test func whatABrokerSaysCannotDriveTheTerminal() {
        var finding = Keychain.Finding(.tpm, .problem, "gone\u{1B}[2J\nok     all is well", advice: "run:\u{202E}")
        finding.check = "x\u{1B}"
        let line = DoctorFinding(finding).line
        #expect(!line.contains("\u{1B}") && !line.contains("\n") && !line.contains("\u{202E}"))
    }

    @Test(arguments: [
        ([Wire.Finding.Verdict](), "Nothing to do (in order: 0, notes: 0)"),
        ([.ok, .note, .ok], "Nothing to do (in order: 2, notes: 1)"),
        ([.ok, .problem], "1 thing to do (in order: 1, notes: 0)"),
        ([.problem, .note, .problem], "2 things to do (in order: 0, notes: 1)"),
    ])
    func theSummaryCountsEachKind(verdicts: [Wire.Finding.Verdict], line: String) {
        let findings = verdicts.map { DoctorFinding(check: .tpm, verdict: $0, message: "x") }
        #expect(Doctor.summary(findings) == line)
    }

    @Test func onlyWhatThereIsToDoIsShownIfAskedFor() throws {
        let scratch = try Scratch()
        var program = Program(scratch: scratch)
        program.environment["COFFER_SOCKET"] = scratch.path + "/nowhere.sock"
        let result = try program.run(["doctor", "--problems"], input: .bytes([]), output: .file)
        let lines = result.text.split(separator: "\n")
        #expect(result.status == 1)
        #expect(lines.count == 3 && lines[0] == "2 things to do (in order: 0, notes: 0)")
        #expect(lines.dropFirst().allSatisfy { $0.hasPrefix("TO DO  ") })
    }

    private func bound(_ account: String, to set: String?) -> ItemAttributes {
        var item = ItemAttributes(
            id: account, name: ItemName(service: "s", account: account),
            times: ItemTimes(created: .now, modified: .now), version: 1, revision: "r")
        item.biometrySet = set
        return item
    }

    /// A folder that is not mounted, or that others can write, takes nothing away. Setting an item again would.
    @Test func fingersThatAreNotKnownAreNotCalledChanged() throws {
        func look(_ current: String?, _ items: [ItemAttributes]) -> [DoctorFinding] {
            FingersCheck.findings(
                DoctorFacts(
                    status: .failure(KeychainError(.brokerUnreachable, "gone")),
                    biometry: .success(.init(usable: false, type: "fingerprint", currentSet: current)),
                    authenticatorUser: 0, items: .success(items),
                    diagnosis: .failure(KeychainError(.brokerUnreachable, "gone"))))
        }
        let items = ["a", "b", "c", "d", "e"].map { bound($0, to: "01") } + [bound("free", to: nil)]
        let unknown = look(nil, items)
        #expect(unknown.map(\.verdict) == [.note], "\(unknown)")
        #expect(unknown.first?.message.hasSuffix("open s/a, s/b, s/c, s/d and 1 more") == true, "\(unknown)")
        #expect(unknown.first?.advice?.contains("coffer set") == false, "\(unknown)")
        #expect(look(nil, [bound("free", to: nil)]).isEmpty)
        #expect(look("01", items).map(\.verdict) == [.ok])
        let changed = look("02", items)
        #expect(changed.count == 5 && changed.allSatisfy { $0.verdict == .problem }, "\(changed)")
        let advice = try #require(changed.first?.advice)
        let restore = try #require(advice.range(of: "have root first restore"), "\(advice)")
        let again = try #require(advice.range(of: "set it again with: coffer set s a"), "\(advice)")
        #expect(restore.lowerBound < again.lowerBound)
    }
}
