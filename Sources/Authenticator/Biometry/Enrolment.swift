import Authorization
import BrokerProtocol
import FoundationEssentials
import Platform

/// Checks, before an item is bound to fingers, that fingers are enrolled. If the item is bound to exactly these, the broker provides a key for them.
/// Nobody is asked, because writing needs no presence.
struct Enrolment {
    let challenge: String
    let account: Account
    let biometry: Biometry
    let registry: Registry

    /// - Throws: ``ConversationError``; an invalid argument if the item could never be read.
    func perform(
        _ kinds: [AuthorizationKind], for record: RegistryRecord, through broker: inout BrokerConnection
    ) throws(ConversationError) {
        let set: [UInt8]?
        do throws(BiometryObstacle) {
            try biometry.checkEnrolment(of: account)
            set = kinds.contains(.biometryCurrentSet) ? try biometry.currentSet(of: account) : nil
        } catch {
            throw Self.refusal(error)
        }
        if kinds.contains(.biometryCurrentSet) {
            guard let set else { throw Self.refusal(.noneEnrolled) }
            try provideKey(for: set, record, &broker)
        }
        do throws(BrokerFailure) {
            _ = try broker.call(BrokerInterface.ConfirmEnrolment(challenge: challenge), within: BrokerLimits.call)
        } catch {
            throw ConversationError(error)
        }
    }

    private static func refusal(_ obstacle: BiometryObstacle) -> ConversationError {
        .refused(
            .invalidArgument(
                "nobody could read an item that requires biometry here, because \(obstacle.words.reason)",
                advice: obstacle.words.advice))
    }

    /// The broker puts the key into the vault before the registry names it. A crash in between leaves a key that nobody uses.
    private func provideKey(
        for set: [UInt8], _ record: RegistryRecord, _ broker: inout BrokerConnection
    ) throws(ConversationError) {
        let name: [UInt8]
        do throws(BrokerFailure) {
            let reply = try broker.call(
                BrokerInterface.ProvideKey(
                    challenge: challenge, kind: AuthorizationKind.biometryCurrentSet.rawValue,
                    setDigest: Data(set).base64EncodedString()), within: BrokerLimits.sealing)
            guard let bytes = Data(base64Encoded: reply.name), bytes.count == 34 else {
                throw .unreachable("the broker's key for the enrolled fingers has no Name")
            }
            name = [UInt8](bytes)
        } catch {
            throw ConversationError(error)
        }
        let present = record.objects
        guard present[.biometryCurrentSet] == name || !present.values.contains(name) else {
            throw .refused(.notCompleted("the broker named another key as the key of your fingers", kind: "failed"))
        }
        guard record.biometrySet != set || present[.biometryCurrentSet] != name else { return }
        do throws(RegistryError) {
            try registry.replace(record, with: record.with(biometrySet: set, key: name))
        } catch {
            throw .refused(
                .notCompleted("the key for your fingers cannot be registered", error))
        }
    }
}
