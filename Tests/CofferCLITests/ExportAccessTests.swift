import BrokerProtocol
import Foundation
import Item
import TestSupport
import Testing

/// An item gets another access control between the list and the reading of its value. Neither of the two may get into an export with that value.
@Suite struct ExportAccessTests {
    /// Of nobody's key.
    private static let recipient = "age1zvkyg2lqzraa2lnjvqej32nkuu0ues2s82hzrye869xeexvn73equnujwj"

    private static func item(isGuarded: Bool) -> Keychain.Item {
        FakeCoffer.item(require: isGuarded ? [.userPresence] : [])
    }

    @Test(arguments: [false, true], [false, true])
    func anItemWithAnotherAccessControlIsNotWritten(wasGuarded: Bool, isGuarded: Bool) throws {
        let value = Keychain.ItemValue(value: "YQ==", item: Self.item(isGuarded: isGuarded))
        let fixture = try FakeCoffer(broker: [
            "List": [.answer(Keychain.ItemsReply(items: [Self.item(isGuarded: wasGuarded)]))],
            "GetAll": [.answer(Keychain.GetAll.Reply(items: [value]))],
        ])
        let file = fixture.scratch.file("out.age")
        let result = try fixture.program.run("export", "--to", Self.recipient, "--output", file)
        let isSame = wasGuarded == isGuarded
        #expect(result.status == (isSame ? 0 : 1), "\(result)")
        #expect(FileManager.default.fileExists(atPath: file) == isSame)
        #expect(
            result.errors.contains("github/me was changed meanwhile, so nothing was written") == !isSame, "\(result)")
    }
}
