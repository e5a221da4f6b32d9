import Coffer
import Dispatch
import Platform

/// System calls that may take long: they must not keep a thread that runs other tasks.
enum BlockingCall {
    static func run(_ call: @escaping @Sendable () throws(SystemError) -> Void) async throws(KeychainError) {
        let error: SystemError? = await withCheckedContinuation { continuation in
            // A queue of its own has a thread of its own. Those of the global queues also run Swift's tasks.
            DispatchQueue(label: "org.coffer.files").async {
                do throws(SystemError) {
                    try call()
                    continuation.resume(returning: nil)
                } catch { continuation.resume(returning: error) }
            }
        }
        if let error { throw KeychainError(file: error) }
    }
}
