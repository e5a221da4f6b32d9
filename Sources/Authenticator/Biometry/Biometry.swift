import Authorization
import BrokerProtocol
import Platform
import RootConfiguration
import SystemBus

/// Asks this machine about fingerprints anew for each question: fprintd about readers and fingers, logind about lid and sessions. Root's
/// configuration says how to reach them; the environment does not.
struct Biometry: Sendable {
    /// The only supported kind.
    static let type = "fingerprint"

    private let bus: Configuration.SystemBusChoice
    private let directory: String

    init(_ configuration: Configuration) {
        bus = configuration.systemBus
        directory = configuration.fingerprintDirectory
    }

    /// Checks that this client's user can be asked for a finger now.
    /// - Throws: the obstacle.
    func checkUsable(by client: Client) throws(BiometryObstacle) {
        try FingerprintReaders(connect()).checkEnrolment(of: client.account.name)
        try SeatCheck(connect()).check(client)
    }

    /// The report on biometry that a client gets about its own user.
    func report(to client: Client) -> BrokerProtocol.Authentication.Biometry.Reply {
        // An item cannot be bound to templates that cannot be trusted. Other replies give the reason.
        let set = try? currentSet(of: client.account)
        do throws(BiometryObstacle) {
            try checkUsable(by: client)
            return .init(usable: true, type: Self.type, currentSet: set.map(Hex.encode))
        } catch {
            let (reason, advice) = (error.words.reason, error.words.advice)
            return .init(
                usable: false, type: Self.type, reason: reason, advice: advice.isEmpty ? nil : advice,
                obstacle: error.words.kind.rawValue, currentSet: set.map(Hex.encode))
        }
    }

    /// Checks that an item may be bound to this user's fingers. Nobody is asked for a finger here, so the user's seat does not matter.
    /// - Throws: the obstacle.
    func checkEnrolment(of account: Account) throws(BiometryObstacle) {
        try FingerprintReaders(connect()).checkEnrolment(of: account.name)
    }

    /// The digest of this user's stored fingers at this moment.
    /// - Returns: nil if no finger is stored.
    /// - Throws: ``BiometryObstacle/storage(_:)`` if anybody but root's fprintd may have written there.
    func currentSet(of account: Account) throws(BiometryObstacle) -> [UInt8]? {
        try storedFingers(of: account).digest
    }

    /// What fprintd stores of this user's fingers at this moment.
    /// - Throws: ``BiometryObstacle/storage(_:)`` if anybody but root's fprintd may have written there.
    func storedFingers(of account: Account) throws(BiometryObstacle) -> TemplateSet.Look {
        try TemplateSet(directory: directory, user: account.name, owner: OwnProcess.effectiveUser).look()
    }

    /// Whether this client can be asked for a finger that opens something in this vault.
    /// - Parameter claim: takes the finger for this conversation; false if another conversation of the user's is open.
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
            return .unavailable(error.words)
        }
    }

    /// Tells a person that only earlier fingers open this item.
    static let changed = BiometryWords(
        "the enrolled fingers changed since this item was set, so nobody can read it", .otherFingers,
        advice: "if you changed no finger, have root first restore the folder of fprintd; otherwise set it again with: "
            + "coffer set")

    /// Tells a person that a finger counts for nothing if fingers were enrolled or removed meanwhile.
    static let disturbed = BiometryWords(
        "the enrolled fingers changed while you were asked for one of them", advice: "run the command again")

    private func connect() throws(BiometryObstacle) -> Bus {
        let address: String
        switch bus {
        case .system: address = Bus.systemAddress
        case .address(let configured): address = configured
        case .none: throw .unknown("“system-bus = no” is set in cofferd.conf")
        }
        do throws(BusError) { return try Bus(address: address) } catch { throw .unknown("\(error)") }
    }
}

/// Whether Coffer can ask for a finger now.
enum BiometricAvailability: Equatable {
    case available
    /// A finger can be asked for, but the enrolled fingers are not those that the vault's key is bound to.
    case otherFingers(BiometryWords)
    /// Coffer cannot ask for a finger. The words tell the person why.
    case unavailable(BiometryWords)

    /// What the broker knows of the user's screens. It heard each lock, and any program of the user can change what logind says now.
    /// - Parameter screenLocked: nil if the broker cannot tell.
    /// - Returns: nil if nothing is in the way.
    init?(screenLocked: Bool?) {
        switch screenLocked {
        case false?: return nil
        case true?: self = .unavailable(BiometryObstacle.lockedSession.words)
        case nil:
            let obstacle = BiometryObstacle.unknown("the broker does not know if one of your sessions is locked")
            self = .unavailable(obstacle.words)
        }
    }

    /// Why these signatures cannot be made; nil if they can.
    func objection(to kinds: some Collection<AuthorizationKind>) -> BiometryWords? {
        guard kinds.contains(where: \.isBiometric) else { return nil }
        switch self {
        case .available: return nil
        case .otherFingers(let reason): return kinds.contains(.biometryCurrentSet) ? reason : nil
        case .unavailable(let reason): return reason
        }
    }
}

/// What a person is told about fingerprints that cannot be used.
struct BiometryWords: Equatable {
    let reason: String
    /// The same for programs.
    let kind: BrokerProtocol.Authentication.FingerRefusal
    /// What to do about it; empty if there is nothing to do.
    let advice: String

    init(
        _ reason: String, _ kind: BrokerProtocol.Authentication.FingerRefusal = .unavailable, advice: String = ""
    ) {
        self.reason = reason
        self.kind = kind
        self.advice = advice
    }
}

/// Why Coffer cannot ask for a fingerprint now, or cannot bind an item to one.
enum BiometryObstacle: Error, Equatable {
    /// fprintd is not available, or it knows no reader.
    case noReader
    case noneEnrolled
    case lidClosed
    /// The session comes from another machine, or has no seat on this one.
    case remoteSession
    case inactiveSession
    case lockedSession
    /// The program belongs to no session of the user's that a person uses.
    case noSession
    /// Another conversation of the same user is open, so a finger's meaning would be unclear.
    case anotherConversation
    /// logind or fprintd cannot be asked, for this reason.
    case unknown(String)
    /// The stored fingers cannot be trusted, for this reason.
    case storage(String, advice: String = "")

    /// The obstacle, and what to do about it.
    var words: BiometryWords {
        switch self {
        case .noReader:
            BiometryWords("fprintd finds no fingerprint reader", .noReader, advice: "to list readers: fprintd-list")
        case .noneEnrolled:
            BiometryWords("you have no enrolled finger", .notEnrolled, advice: "enrol one with: fprintd-enroll")
        case .lidClosed: BiometryWords("the lid is closed", advice: "open it to use the fingerprint reader")
        case .remoteSession:
            BiometryWords(
                "this session is not at this machine",
                advice: "to use a fingerprint, sit at the machine and log in there")
        case .inactiveSession:
            BiometryWords("this session is not the active one", advice: "switch to it to use the fingerprint reader")
        case .lockedSession:
            BiometryWords("one of your sessions is locked", advice: "unlock its screen to use the fingerprint reader")
        case .noSession:
            BiometryWords(
                "the program that asks is in none of your sessions", advice: "run it in a session at this machine")
        case .anotherConversation:
            BiometryWords(
                "another request is waiting for your answer",
                advice: "answer or cancel it first, so that it is clear which request a finger allows")
        case .unknown(let reason): BiometryWords("fingerprints cannot be used: \(reason)", .notLookedFor)
        case .storage(let reason, let advice):
            BiometryWords("the enrolled fingers cannot be trusted: \(reason)", advice: advice)
        }
    }
}
