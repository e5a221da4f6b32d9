import Authorization
import BrokerProtocol
import Platform
import Varlink

/// Puts a vault under new roots. The broker writes them to the file before the registry names them, and uses them after that. So a crash in between
/// leaves the vault as it was.
struct Resealing {
    let record: RegistryRecord
    let registry: Registry
    let challenge: String

    /// - Parameters:
    ///   - method: has the broker seal the new roots.
    ///   - next: checks the broker's reply and returns the record that names the new roots.
    func perform<Method: VarlinkMethod>(
        _ method: Method, through broker: inout BrokerConnection,
        next: (Method.Reply) throws(BrokerFailure) -> RegistryRecord
    ) throws(ConversationError) {
        let lock = try claim()
        defer { lock.keep() }
        do throws(BrokerFailure) {
            let next = try next(broker.call(method, within: BrokerLimits.sealing))
            do throws(RegistryError) { try registry.replace(record, with: next) } catch {
                throw .unreachable(
                    "the registry cannot be changed, so the vault is as it was: \(error.reason)", advice: error.advice)
            }
            _ = try broker.call(BrokerInterface.AdoptRoots(challenge: challenge), within: BrokerLimits.sealing)
        } catch {
            throw ConversationError(error)
        }
    }

    /// From sealing to Adopt, no other conversation may have the broker replace the roots that the registry is about to name.
    private func claim() throws(ConversationError) -> FileLock {
        do throws(SystemError) {
            let directory = "\(registry.directory)/bindings"
            try Folder.make(directory, mode: 0o700)
            if let lock = try FileLock(unlessHeld: "\(directory)/\(uid).claim") { return lock }
        } catch {
            throw .refused(.misconfigured(error))
        }
        throw .refused(
            .notCompleted("your vault is already being sealed anew", advice: "try again in a moment", kind: "failed"))
    }

    private var uid: UInt32 {
        guard case .user(let uid) = record.owner else { return .max }
        return uid
    }
}
