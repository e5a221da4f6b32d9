import Authorization
import BrokerProtocol
import Platform
import SystemBus

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
        var refusal = ConversationError.Refusal.invalidArgument(
            "nobody could read an item that requires biometry here, because \(obstacle.words.reason)",
            advice: obstacle.words.advice)
        refusal.fault.details.kind = obstacle.words.kind.rawValue
        return .refused(refusal)
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
                    setDigest: Base64.encode(set)), within: BrokerLimits.sealing)
            guard let bytes = Base64.decode(reply.name), bytes.count == 34 else {
                throw .unreachable("the broker's key for the enrolled fingers has no Name")
            }
            name = bytes
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

/// Asks fprintd which readers there are, and whether a user has enrolled fingers.
struct FingerprintReaders: ~Copyable {
    private static let name = "net.reactivated.Fprint"
    private static let manager = "net.reactivated.Fprint.Manager"
    private static let managerPath = "/net/reactivated/Fprint/Manager"
    private static let device = "net.reactivated.Fprint.Device"
    private static let noSuchDevice = "net.reactivated.Fprint.Error.NoSuchDevice"
    private static let noEnrolledPrints = "net.reactivated.Fprint.Error.NoEnrolledPrints"

    private let bus: Bus

    init(_ bus: consuming Bus) { self.bus = bus }

    /// - Throws: `noReader`, `noneEnrolled`, or `unknown` if fprintd does not answer.
    func checkEnrolment(of user: String) throws(BiometryObstacle) {
        let readers = try readers()
        guard !readers.isEmpty else { throw .noReader }
        for reader in readers where try hasFingers(of: user, reader) { return }
        throw .noneEnrolled
    }

    private func readers() throws(BiometryObstacle) -> [String] {
        do throws(BusError) {
            let answer = try bus.call(
                Self.name, Self.managerPath, Self.manager, "GetDevices", values: [], within: BiometryLimits.call)
            var paths: [String] = []
            guard try answer.enter("a", "o") else { return [] }
            while let path = try answer.nextText("o"), paths.count < BiometryLimits.readers { paths.append(path) }
            return paths
        } catch {
            if Self.meansNobody(error) { throw .noReader }
            throw .unknown("fprintd does not answer (\(error))")
        }
    }

    private func hasFingers(of user: String, _ reader: String) throws(BiometryObstacle) -> Bool {
        do throws(BusError) {
            let answer = try bus.call(
                Self.name, reader, Self.device, "ListEnrolledFingers", values: [.text(user)],
                within: BiometryLimits.call)
            guard try answer.enter("a", "s") else { return false }
            return try answer.nextText() != nil
        } catch {
            if error.name == Self.noEnrolledPrints { return false }
            if Self.meansNobody(error) { throw .noReader }
            throw .unknown("fprintd does not say which fingers are enrolled (\(error))")
        }
    }

    /// True if fprintd is not installed, cannot be started, or has lost its reader.
    private static func meansNobody(_ error: BusError) -> Bool {
        switch error.name {
        case noSuchDevice, "org.freedesktop.DBus.Error.ServiceUnknown", "org.freedesktop.DBus.Error.NameHasNoOwner",
            "org.freedesktop.DBus.Error.UnknownObject":
            true
        default: error.name?.hasPrefix("org.freedesktop.DBus.Error.Spawn.") ?? false
        }
    }
}
