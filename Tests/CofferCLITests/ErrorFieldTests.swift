import BrokerProtocol
import Foundation
import TestSupport
import Testing
import Varlink

/// What happened, what to do, and the cause are fields of an error from the broker to the exit, and nobody searches in words.
@Suite struct ErrorFieldTests {
    struct Report: Decodable {
        var message: String
        var advice: String?
        var cause: String?
        var tpmCode: Int64?
    }

    private func report(_ fault: Fault) throws -> Report {
        let fixture = try FakeCoffer(broker: ["Get": [.reply(FakeServer.encode(fault))]])
        let result = try fixture.program.run("get", "github", "me", "--json")
        return try JSONDecoder().decode(Report.self, from: Data(result.errors.utf8))
    }

    private func line(_ fault: Fault) throws -> String {
        let fixture = try FakeCoffer(broker: ["Get": [.reply(FakeServer.encode(fault))]])
        return try fixture.program.run("get", "github", "me").errors
    }

    @Test func theSendersWordsAreKeptAsTheyAre() throws {
        let fault = Fault(.damaged, "row 7 is damaged", advice: "restore it from a backup", cause: "sqlite 11")
        let report = try report(fault)
        #expect(report.message == "row 7 is damaged")
        #expect(report.advice == "restore it from a backup")
        #expect(report.cause == "sqlite 11")
        #expect(try line(fault) == "coffer: row 7 is damaged; restore it from a backup\n")
    }

    @Test(arguments: [
        (Fault(.notFound, "it is gone"), "list your items with: coffer list"),
        (Fault(.locked, "it is closed"), "open it with: coffer unlock"),
        (Fault(.alreadyExists, "it is there"), "choose another name"),
        (Fault(.fingersChanged, "other fingers"), "set it again with: coffer set"),
        (Fault(.challengeRefused, "it is too old"), "run the command again"),
        (
            Fault(.tpm, .init(message: "no answer", kind: "unavailable")),
            "check that /dev/tpmrm0 exists and that cofferd may use it"
        ),
        (Fault(.tpm, .init(message: "strange", kind: "new-kind")), "see why with: journalctl -u cofferd"),
    ])
    func adviceThatIsLeftOutComesFromTheTable(fault: Fault, advice: String) throws {
        #expect(try report(fault).advice == advice)
        var own = fault
        own.details.advice = "ask root"
        #expect(try report(own).advice == "ask root")
    }

    @Test func anErrorWithoutWordsHasThoseOfTheTable() throws {
        let report = try report(Fault(.tpm, .init(kind: "lockout", code: 0x921)))
        #expect(report.message == "the TPM is in lockout after too many wrong tries")
        #expect(report.advice == "wait until the lockout ends")
        #expect(report.tpmCode == 0x921)
    }

    /// A name may hold what looks like advice. It stays in the message, and the advice is the table's.
    @Test(arguments: ["“a; b” is locked", "“with: coffer unlock” is locked", "“a: b” is locked."])
    func nothingIsCutOutOfAMessage(message: String) throws {
        let report = try report(Fault(.locked, message))
        #expect(report.message == message)
        #expect(report.advice == "open it with: coffer unlock")
    }

    @Test func theAuthenticatorsAdviceArrivesToo() throws {
        var script = FakeCoffer.asksPassword
        let fault = Fault(
            .notCompleted, .init(message: "the TPM is busy", advice: "ask it later", kind: "busy", code: 0x922))
        script["Continue"] = [.reply(FakeServer.encode(fault))]
        let fixture = try FakeCoffer(broker: ["Get": [FakeCoffer.personNeeded()]], authenticator: script)
        let result = try fixture.program.run("get", "github", "me", turns: [.init(wait: "Password: ", type: "x\r")])
        #expect(result.status == 8)
        #expect(result.errors == "coffer: the TPM is busy; ask it later\n")
    }
}
