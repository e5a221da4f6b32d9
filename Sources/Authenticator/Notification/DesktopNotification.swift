import BrokerProtocol
import Platform
import Varlink

/// A notification on the desktop of the user who is asked, shown for as long as this value lives. It shows the request where the requesting program
/// cannot change it. A separate process shows it with the user's rights, so that the user's session bus cannot hold up a conversation.
struct DesktopNotification: ~Copyable {
    private let helper: HelperProcess

    /// - Parameter folder: the folder that holds each user's runtime folder; nil for no notifications.
    /// - Returns: nil if the user has no runtime folder, or if the process cannot be started. The person is asked all the same.
    init?(for account: Account, folder: String?, text: String, seconds: Int) {
        // Only names are read, because the user's own folder may be a file system of the user's making. Without a folder there is no desktop.
        guard let folder, let names = try? Folder.entries(folder), names.contains("\(account.uid)") else { return nil }
        let order = NotificationOrder(
            account, bus: "\(folder)/\(account.uid)/bus", text: text, seconds: seconds)
        // No failure here may keep a person from being asked.
        guard let bytes = try? Varlink.encode(order),
            let helper = try? HelperProcess(["coffer-authenticator", "notify"], telling: bytes)
        else { return nil }
        self.helper = helper
    }

    /// Removes the notification and waits a moment for that. Anything left ends with this process.
    consuming func withdraw() { _ = helper.finish(until: .now + NotificationLimits.removal) }
}
