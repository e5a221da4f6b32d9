/// Whether a keychain can be used on this machine.
///
/// ```swift
/// switch await keychain.availability() {
/// case .available(let status): print(status.state)
/// case .noBroker(let reason), .silent(let reason), .refused(let reason): print("secrets stay in memory: \(reason)")
/// }
/// ```
public enum KeychainAvailability: Sendable {
    /// The broker answers. The vault may be locked, or not made yet: its state says so.
    case available(VaultStatus)
    /// Nothing listens at the socket: Coffer is not installed, or its broker does not run, or it is about to end.
    case noBroker(KeychainError)
    /// The broker is there, and did not answer within two seconds. It may be starting.
    case silent(KeychainError)
    /// The broker answered that it does not serve this vault, or the vault cannot be used: no such group, a damaged store,
    /// a TPM that was replaced.
    case refused(KeychainError)

    /// Whether calls can succeed.
    public var isAvailable: Bool { if case .available = self { true } else { false } }
}

extension Keychain {
    /// Whether the keychain can be used now, for example when an application starts. It asks nobody, and takes two seconds
    /// at most.
    public func availability() async -> KeychainAvailability {
        let first = FirstResult<Result<VaultStatus, KeychainError>>()
        let asking = Task {
            do throws(KeychainError) { first.end(with: .success(try await status())) } catch {
                first.end(with: .failure(error))
            }
        }
        let waiting = Task {
            // `try?`: it is cancelled when the broker has answered.
            try? await Task.sleep(for: CallLimits.availability)
            first.end(
                with: .failure(
                    KeychainError(
                        .brokerSilent,
                        "the broker did not answer within \(CallLimits.availability.components.seconds) s",
                        advice: "try again in a moment, or check it with: systemctl status cofferd")))
        }
        let result = await withTaskCancellationHandler {
            await first.value
        } onCancel: {
            first.end(with: .failure(.cancelledByTask))
        }
        asking.cancel()
        waiting.cancel()
        switch result {
        case .success(let status): return .available(status)
        case .failure(let error):
            switch error.code {
            case .brokerUnreachable: return .noBroker(error)
            case .brokerSilent, .cancelled: return .silent(error)
            default: return .refused(error)
            }
        }
    }
}
