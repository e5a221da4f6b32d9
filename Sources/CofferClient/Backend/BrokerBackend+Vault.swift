import BrokerProtocol
import Glibc

/// The state of the broker's vaults.
extension BrokerBackend {
    /// Implements ``KeychainBackend/status(of:)``.
    public func status(of vault: VaultName) async throws(KeychainError) -> VaultStatus {
        let reply = try await call(Wire.Status(), in: vault)
        return VaultStatus(
            state: VaultStatus.State(reply.vault.state), sealer: VaultStatus.Sealer(rawValue: reply.sealer.kind),
            isSandbox: reply.sandbox)
    }

    /// Implements ``KeychainBackend/lock(_:)``.
    public func lock(_ vault: VaultName) async throws(KeychainError) { _ = try await call(Wire.Lock(), in: vault) }

    /// Implements ``KeychainBackend/unlock(_:prompts:)``.
    public func unlock(_ vault: VaultName, prompts: Prompts) async throws(KeychainError) {
        _ = try await call(Wire.Unlock(), in: vault, prompts: prompts, about: "opening the vault")
    }

    /// Implements ``KeychainBackend/biometrics()``.
    public func biometrics() async throws(KeychainError) -> Biometrics {
        let answer: Authentication.Biometry.Reply
        do throws(KeychainError) {
            answer = try await AuthenticatorConversation(paths: paths, caller: getuid()).biometry()
        } catch {
            throw error.forApplication
        }
        guard !answer.usable else {
            return Biometrics(kind: Biometrics.Kind(rawValue: answer.type) ?? .none, unavailableReason: nil)
        }
        let refusal = answer.obstacle.flatMap(Authentication.FingerRefusal.init(rawValue:)) ?? .notLookedFor
        let obstacle = Biometrics.Obstacle(refusal)
        return Biometrics(
            kind: obstacle == .noReader ? .none : Biometrics.Kind(rawValue: answer.type) ?? .none,
            unavailableReason: answer.reason ?? "fingers cannot be asked for here", obstacle: obstacle)
    }

    /// Implements ``KeychainBackend/events(of:in:)``.
    public func events(
        of service: String?, in vault: VaultName
    ) async throws(KeychainError) -> AsyncThrowingStream<KeychainEvent, any Error> {
        try await events(of: service, itemClass: nil, in: vault)
    }

    /// Implements ``KeychainBackend/events(of:itemClass:in:)``.
    public func events(
        of service: String?, itemClass: ItemClass?, in vault: VaultName
    ) async throws(KeychainError) -> AsyncThrowingStream<KeychainEvent, any Error> {
        let monitor = Wire.Monitor(service: service, kind: itemClass)
        let reader = try await EventReader(Wire.InVault(monitor, vault.choice), paths: paths)
        // Each event is read when it is asked for, so the broker knows how slow the reader is.
        return AsyncThrowingStream { try await reader.next() }
    }
}

extension Biometrics.Obstacle {
    fileprivate init(_ wire: Authentication.FingerRefusal) {
        self =
            switch wire {
            case .noReader, .notLookedFor: .noReader
            case .notEnrolled: .notEnrolled
            case .unavailable, .notRecognised, .otherFingers: .unavailable
            }
    }
}

extension VaultStatus.State {
    init(_ wire: Wire.VaultState.State) {
        self =
            switch wire {
            case .none: .none
            case .sealed: .sealed
            case .locked: .locked
            case .unlocked: .unlocked
            }
    }
}
