import Coffer
import Glibc

/// Waits for a broker that is gone for a while, such as during an update. A person is told once, and it is looked for
/// less and less often.
struct FollowPause {
    private static let longest: UInt32 = 10
    private var seconds: UInt32 = 1
    private var isTold = false

    /// - Throws: the error, if it does not pass by itself.
    mutating func wait(for error: KeychainError) throws(KeychainError) {
        guard error.code == .brokerUnreachable || error.code == .brokerSilent else { throw error }
        if !isTold { Output.note("coffer: \(VisibleText.sentence(error.message)); waiting for it") }
        isTold = true
        sleep(seconds)
        seconds = min(seconds * 2, Self.longest)
    }
}
