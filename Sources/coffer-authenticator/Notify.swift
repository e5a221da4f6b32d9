import Authenticator
import Platform

/// Shows one notification on a user's desktop, for a conversation of this program.
enum Notify {
    static func run() throws {
        try ProcessHardening.apply()
        try ProcessSurroundings.clearEnvironment()
        let line = try ProcessSurroundings.adopt(3)
        try ProcessSurroundings.closeDescriptors(from: 4)
        NotificationHelper.run(on: line)
    }
}
