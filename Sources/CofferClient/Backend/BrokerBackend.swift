import BrokerProtocol
import Glibc
import Platform
import Varlink

/// The names of `org.coffer.Keychain` on the wire.
typealias Wire = BrokerProtocol.Keychain

/// The vaults of `cofferd`. All of a process share their connections.
///
/// ```swift
/// let keychain = Keychain(service: "com.example.app", backend: BrokerBackend(paths: SocketPaths(broker: folder + "/coffer.sock")))
/// ```
public struct BrokerBackend: KeychainBackend {
    let access: BrokerAccess
    let paths: SocketPaths
    let environment: [String: String]

    /// - Parameter paths: the sockets; by default those that `COFFER_SOCKET` and `COFFER_AUTH_SOCKET` name, or the installed ones.
    public init(paths: SocketPaths? = nil) { self.init(paths: paths, patience: CallLimits.broker) }

    /// - Parameter patience: how long the broker may take to answer.
    package init(paths: SocketPaths?, patience: Duration) {
        environment = OwnProcess.environment
        self.paths = paths ?? SocketPaths(environment: environment)
        access = .to(self.paths, patience: patience)
    }

    /// Makes a call that never needs a person.
    func call<Method: VarlinkMethod>(
        _ method: Method, in vault: VaultName, about name: String? = nil
    ) async throws(KeychainError) -> Method.Reply {
        do throws(KeychainError) {
            switch try await access.connections.call(Wire.InVault(method, vault.choice), late: { _ in }) {
            case .reply(let reply, _): return reply
            case .fault(let fault): throw KeychainError(brokerFault: fault, about: name)
            }
        } catch { throw error.forApplication }
    }

    /// Makes a call that may need a person.
    /// - Parameters:
    ///   - name: what the call is about, for the message of an error.
    ///   - sharing: is told while a person is asked. A read has it.
    func call<Method: Challengeable>(
        _ method: Method, in vault: VaultName, prompts: Prompts, about name: String,
        sharing: SharedReads.Asking? = nil
    ) async throws(KeychainError) -> Method.Reply {
        var call = GatedCall(method, self, in: vault, prompts: prompts, about: name, sharing: sharing)
        return try await call.answer()
    }

    /// Makes a call about items that never needs a person.
    func call<Method: VarlinkMethod, Answer>(
        _ request: ItemCall<Method, Answer>, in vault: VaultName, about name: String? = nil
    ) async throws(KeychainError) -> Answer {
        try request.answer(try await call(request.method, in: vault, about: name))
    }

    /// Makes a call about items that may need a person.
    func call<Method: Challengeable, Answer>(
        _ request: ItemCall<Method, Answer>, in vault: VaultName, prompts: Prompts, about name: String,
        sharing: SharedReads.Asking? = nil
    ) async throws(KeychainError) -> Answer {
        try request.answer(
            try await call(request.method, in: vault, prompts: prompts, about: name, sharing: sharing))
    }

    /// Tells the broker that nobody will be asked, so that it drops the challenge and the access log records the attempt.
    func withdraw(_ challenge: String, in vault: VaultName) async {
        let end = FirstResult<Void>()
        Task {
            // `try?`: if this fails, the authenticator has ended the challenge already, or the broker does when it expires.
            _ = try? await call(Wire.Withdraw(challenge: challenge), in: vault)
            end.end(with: ())
        }
        // A call that is cancelled ends at once. The withdrawal goes on.
        await withTaskCancellationHandler {
            await end.value
        } onCancel: {
            end.end(with: ())
        }
    }
}

extension VaultName {
    /// The command by which a person opens the vault.
    var unlockCommand: String {
        switch self {
        case .own: "coffer unlock"
        case .group(let name): "coffer unlock --group \(VisibleText.quoted(name))"
        case .account(let name): "coffer unlock --user \(VisibleText.quoted(name))"
        }
    }

    /// As messages have it.
    package var choice: BrokerProtocol.Keychain.VaultChoice {
        switch self {
        case .own: Wire.VaultChoice()
        case .group(let name): Wire.VaultChoice(group: name)
        case .account(let name): Wire.VaultChoice(user: name)
        }
    }
}
