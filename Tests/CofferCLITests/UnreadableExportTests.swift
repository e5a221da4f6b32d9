import BrokerProtocol
import Foundation
import TestSupport
import Testing

/// One secret cannot be read. An export must not pass for a whole one, and must not be impossible either.
@Suite struct UnreadableExportTests {
    /// Of nobody's key.
    private static let recipient = "age1zvkyg2lqzraa2lnjvqej32nkuu0ues2s82hzrye869xeexvn73equnujwj"
    private static let damaged = FakeServer.Step.fault(
        .damaged, .init(message: "its value is damaged", advice: "set it"))

    private static func item(_ number: Int) -> Keychain.Item {
        var item = FakeCoffer.item("s", "\(number)")
        item.id = "00112233-4455-6677-8899-aabbccddee0\(number)"
        return item
    }

    private static func answer(_ number: Int) -> FakeServer.Step {
        .answer(Keychain.GetAll.Reply(items: [Keychain.ItemValue(value: "YQ==", item: item(number))]))
    }

    private static func fixture(_ steps: [FakeServer.Step]) throws -> FakeCoffer {
        try FakeCoffer(broker: [
            "List": [.answer(Keychain.ItemsReply(items: [item(1), item(2), item(3)]))], "GetAll": steps,
        ])
    }

    @Test func withoutTheOptionNothingIsWrittenAndTheErrorNamesIt() throws {
        let fixture = try Self.fixture([Self.damaged])
        let file = fixture.scratch.file("out.age")
        let result = try fixture.program.run("export", "--to", Self.recipient, "--output", file)
        #expect(result.status == 7, "\(result)")
        #expect(
            result.errors.contains(
                "its value is damaged; set it; to leave out what cannot be read, add: --skip-unreadable"), "\(result)")
        #expect(!FileManager.default.fileExists(atPath: file))
        #expect(fixture.broker.calls("GetAll").count == 1)
    }

    @Test func withItTheOthersAreWrittenAndTheOneIsNamed() throws {
        // All three, the first, the other two, and each of them.
        let fixture = try Self.fixture([
            Self.damaged, Self.answer(1), Self.damaged, Self.damaged, Self.answer(3),
        ])
        let file = fixture.scratch.file("out.age")
        let result = try fixture.program.run(
            "export", "--to", Self.recipient, "--skip-unreadable", "--output", file)
        #expect(result.status == 1, "\(result)")
        #expect(result.errors.contains("left out  s/2  (its value is damaged)"), "\(result)")
        #expect(result.errors.contains("Exported 2 secrets; left out 1"), "\(result)")
        #expect(FileManager.default.fileExists(atPath: file))
        #expect(fixture.broker.calls("GetAll").count == 5)
    }

    /// What is wrong with the machine or the person is wrong for all, and a half must not pass for what there is.
    @Test func whatConcernsAllEndsItWithTheOptionToo() throws {
        let fixture = try Self.fixture([.fault(.locked, .init(message: "locked"))])
        let file = fixture.scratch.file("out.age")
        let result = try fixture.program.run(
            "export", "--to", Self.recipient, "--skip-unreadable", "--no-prompt", "--output", file)
        #expect(result.status == 5, "\(result)")
        #expect(!FileManager.default.fileExists(atPath: file))
    }
}
