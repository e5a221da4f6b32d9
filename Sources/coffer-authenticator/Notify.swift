import Authenticator
import Platform

/// Shows one notification on a user's desktop, for a conversation of this program.
enum Notify {
    static func run() throws {
        try ProcessHardening.apply()
        try OwnProcess.clearEnvironment()
        let line = try OwnProcess.adopt(3)
        try OwnProcess.closeDescriptors(from: 4)
        NotificationHelper.run(on: line)
    }
}
