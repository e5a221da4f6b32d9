import BrokerProtocol
import Varlink

/// What a call that may need a person has been through, and so what comes next. It neither calls nor asks anybody:
/// ``KeychainClient`` drives it and blocks, ``GatedCall`` drives it and suspends.
///
/// A person is asked once for each purpose (``AskedPurposes``), and a lease is tried once.
struct CallLife: ~Copyable {
    typealias Purpose = BrokerProtocol.Keychain.Purpose

    /// What the driver does next.
    enum Step: Sendable, Equatable {
        /// Makes the call, after this long.
        case call(after: Duration)
        /// Has the authenticator sign under a lease, and tells ``signed(_:)`` or ``notSigned(_:)``. Nobody is asked.
        case sign(String)
        /// Has a person pass the challenge, and tells ``passed(_:)`` or ``failed(_:)``.
        case ask(String, [Purpose])
    }

    /// What the next call carries.
    private(set) var challenge: String?
    private var asked: AskedPurposes
    /// What a person was asked for last.
    private var purposes: [Purpose] = []
    private var trustsLease = true
    /// Whether the present challenge was signed for under a lease.
    private var isLeased = false
    /// How often the call may still be made anew because it was outdated before the person could help it.
    private var begins: Int
    /// Whether an answer of the person may be lost once.
    private var mayLoseAnswer = true
    /// How long it waits before it begins anew, so that the other prompt gets on.
    private var pause = Duration.milliseconds(100)

    /// - Parameters:
    ///   - repeats: how often a person may be asked for a purpose, where it is more than once.
    ///   - begins: how often the call may be made anew because another prompt opens the vault meanwhile.
    init(repeats: [Purpose: Int] = [:], begins: Int) {
        asked = AskedPurposes(repeats: repeats)
        self.begins = begins
    }

    /// What follows from the broker's error.
    /// - Parameter name: what the call is about, for the message of an error.
    /// - Throws: the error, unless a person or another try can help.
    mutating func heard(_ fault: Fault, about name: String?) throws(KeychainError) -> Step {
        switch fault.name {
        case .authenticationRequired:
            guard let challenge = fault.details.challenge else { break }
            return try needs(challenge, fault.details)
        case .challengeRefused where isLeased:
            // The lease has ended since it was signed for.
            isLeased = false
            challenge = nil
            return .call(after: .zero)
        case .challengeRefused where asked.contains(.unlock) && begins > 0 && mayLoseAnswer:
            // Another prompt has opened the vault between this one and the call, which ends other requests to open it.
            mayLoseAnswer = false
            return .call(after: beginAnew())
        default: break
        }
        throw KeychainError(brokerFault: fault, about: name)
    }

    private mutating func needs(_ challenge: String, _ details: Fault.Details) throws(KeychainError) -> Step {
        if details.leased == true, trustsLease { return .sign(challenge) }
        let wanted = (details.purposes ?? []).compactMap(Purpose.init(rawValue:))
        try asked.add(wanted)
        purposes = wanted
        return .ask(challenge, wanted)
    }

    /// The authenticator has signed this challenge under a lease; nil if it has not, for example because the lease has
    /// ended meanwhile. The call is then made anew, and a person is asked.
    mutating func signed(_ challenge: String?) {
        trustsLease = false
        isLeased = challenge != nil
        self.challenge = challenge
    }

    /// The authenticator has not signed under a lease. The call is made anew, and a person is asked.
    /// - Throws: the error, if no person can help either: their password would go to the same process.
    mutating func notSigned(_ error: KeychainError) throws(KeychainError) {
        guard error.code != .authenticatorUntrusted else { throw error }
        signed(nil)
    }

    /// A person has passed this challenge.
    mutating func passed(_ challenge: String) {
        isLeased = false
        self.challenge = challenge
    }

    /// A person has not passed the last challenge, and the driver has withdrawn it.
    /// - Returns: how long the driver waits before it makes the call anew.
    /// - Throws: the error, unless another prompt may have opened the vault: that ends other requests to open it.
    mutating func failed(_ error: KeychainError) throws(KeychainError) -> Duration {
        guard error.code == .requestOutdated, purposes.contains(.unlock), begins > 0 else { throw error }
        return beginAnew()
    }

    /// The call has waited for others before anybody was asked. Meanwhile, one of them may have opened the vault.
    mutating func waited() { forget() }

    /// All is as before the first call, but for how often it may begin anew.
    private mutating func forget() {
        challenge = nil
        asked.forget()
        trustsLease = true
    }

    /// - Returns: how long the other prompt may have to get on.
    private mutating func beginAnew() -> Duration {
        begins -= 1
        forget()
        defer { pause = min(pause * 2, .seconds(3)) }
        return pause
    }
}
