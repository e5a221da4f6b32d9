import BrokerProtocol
import Platform
import Varlink

/// A notification on the desktop of the user who is asked, there as long as this value: it says elsewhere than the program that asks what the
/// program asks for. A process of its own shows it, with the user's rights: nothing that a session's bus does can hold up a conversation.
struct DesktopNotification: ~Copyable {
    private let helper: HelperProcess

    /// How long its removal may take.
    private static let patience = Duration.seconds(1)

    /// - Parameter folder: has each user's runtime folder in it; nil for no notifications.
    /// - Returns: nil where the user has none, or the process cannot be started: a person is asked all the same.
    init?(for account: Account, folder: String?, text: String, seconds: Int) {
        // Only names are looked at: what lies in the user's own folder may be a file system of the user's. No folder, no desktop.
        guard let folder, let names = try? Folder.entries(folder), names.contains("\(account.uid)") else { return nil }
        let order = NotificationOrder(
            account, bus: "\(folder)/\(account.uid)/bus", text: text, seconds: seconds)
        // As the comment above says: nothing that fails here may keep a person from being asked.
        guard let bytes = try? Varlink.encode(order),
            let helper = try? HelperProcess(["coffer-authenticator", "notify"], telling: bytes)
        else { return nil }
        self.helper = helper
    }

    /// Takes it away, and waits for that for a moment. What is not done by then ends with this process.
    consuming func withdraw() { _ = helper.finish(until: .now + Self.patience) }
}
