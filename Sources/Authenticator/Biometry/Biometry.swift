import Authorization
import BrokerProtocol
import Configuration
import Platform
import SystemBus

/// What this machine says about fingerprints, asked anew at each question: fprintd for readers and fingers, logind for lid and sessions. Where they are
/// is root's configuration; the environment has no say in it.
struct Biometry: Sendable {
    /// The one kind there is.
    static let type = "fingerprint"

    private let bus: Configuration.SystemBusChoice
    private let directory: String

    init(_ configuration: Configuration) {
        bus = configuration.systemBus
        directory = configuration.fingerprintDirectory
    }

    /// Whether a finger of this client's user can be asked for now.
    /// - Throws: what is in the way.
    func checkUsable(by client: Client) throws(BiometryObstacle) {
        try FingerprintReaders(connect()).checkEnrolment(of: client.account.name)
        try SeatCheck(connect()).check(client)
    }

    /// What a client of its own user is told.
    func report(to client: Client) -> BrokerProtocol.Authentication.Biometry.Reply {
        // Templates that cannot be trusted are none that an item could be bound to; the reason is given with the other answers.
        let set = try? currentSet(of: client.account)
        do throws(BiometryObstacle) {
            try checkUsable(by: client)
            return .init(usable: true, type: Self.type, currentSet: set.map(Hex.encode))
        } catch {
            return .init(usable: false, type: Self.type, reason: error.sentence, currentSet: set.map(Hex.encode))
        }
    }

    /// Whether an item may be bound to this user's fingers. Nobody is asked for one, so where the user sits does not matter.
    /// - Throws: what is in the way.
    func checkEnrolment(of account: Account) throws(BiometryObstacle) {
        try FingerprintReaders(connect()).checkEnrolment(of: account.name)
    }

    /// The digest of what is stored of this user's fingers at this moment.
    /// - Returns: nil where nothing is.
    /// - Throws: ``BiometryObstacle/storage(_:)`` where something is there that root's fprintd did not put there alone.
    func currentSet(of account: Account) throws(BiometryObstacle) -> [UInt8]? {
        try TemplateSet(directory: directory, user: account.name, owner: ProcessSurroundings.effectiveUser).digest()
    }

    /// Whether this client can be asked for a finger that earns something of this vault.
    /// - Parameter claim: takes the finger for this conversation; false where another one of the user's is open.
    func availability(
        to client: Client, record: RegistryRecord?, claim: () throws(SystemError) -> Bool
    ) -> BiometricAvailability {
        do throws(BiometryObstacle) {
            try checkUsable(by: client)
            let isClaimed: Bool
            do throws(SystemError) { isClaimed = try claim() } catch { throw BiometryObstacle.unknown("\(error)") }
            guard isClaimed else { throw BiometryObstacle.anotherConversation }
            if let bound = record?.biometrySet, try currentSet(of: client.account) != bound {
                return .otherFingers(Self.changed)
            }
            return .available
        } catch {
            return .unavailable(error.sentence)
        }
    }

    /// What a person is told whose item only earlier fingers open.
    static let changed =
        "The enrolled fingers changed since this item was set, so nobody can read it any more: set it again."

    private func connect() throws(BiometryObstacle) -> Bus {
        let address: String
        switch bus {
        case .system: address = Bus.systemAddress
        case .address(let configured): address = configured
        case .none: throw .unknown("cofferd.conf has “system-bus = no”")
        }
        do throws(BusError) { return try Bus(address: address) } catch { throw .unknown("\(error)") }
    }
}
