import BrokerProtocol
import Coffer
import FoundationEssentials

/// How a command reads one item's value.
struct ItemReading {
    var version: Int64?
    var reason: String?
    var noPrompt = false
    /// Ask for the application password at once, if there is a choice.
    var choosingPassword = false
    /// The command to run in a terminal if nobody can be asked here.
    var command: String

    /// A value and its item.
    struct Value {
        let bytes: [UInt8]
        let item: Keychain.Item
    }

    func read(_ name: PartialName, _ session: CommandSession) throws(KeychainError) -> Value {
        let reply = try session.finding(name) { () throws(KeychainError) in
            try session.call(
                Keychain.Get(
                    service: name.service, account: name.account, kind: name.kind, version: version, reason: reason,
                    unlock: true),
                for: name.shownName, noPrompt: noPrompt, choosingPassword: choosingPassword, command: command)
        }
        guard let data = Data(base64Encoded: reply.value) else {
            throw KeychainError(
                .protocolViolation, "the broker's answer holds no value",
                advice: "install coffer and cofferd of the same version")
        }
        return Value(bytes: Array(data), item: reply.item)
    }
}
