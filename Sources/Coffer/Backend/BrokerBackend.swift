import BrokerProtocol
import FoundationEssentials
import Glibc
import Varlink

/// The names of `org.coffer.Keychain` on the wire.
typealias Wire = BrokerProtocol.Keychain

/// The vaults of `cofferd`. Copies share their connections.
///
/// ```swift
/// let keychain = Keychain(service: "com.example.app", backend: BrokerBackend(paths: SocketPaths(broker: folder + "/coffer.sock")))
/// ```
public struct BrokerBackend: KeychainBackend {
    let connections: BrokerConnections
    let paths: SocketPaths
    let environment: [String: String]

    /// - Parameter paths: the sockets; by default those that `COFFER_SOCKET` and `COFFER_AUTH_SOCKET` name, or the installed ones.
    public init(paths: SocketPaths? = nil) { self.init(paths: paths, patience: CallLimits.broker) }

    /// - Parameter patience: how long the broker may take to answer.
    package init(paths: SocketPaths?, patience: Duration) {
        environment = ProcessInfo.processInfo.environment
        self.paths = paths ?? SocketPaths(environment: environment)
        connections = BrokerConnections(path: self.paths.broker, patience: patience)
    }

    /// Makes a call that never needs a person.
    func call<Method: VarlinkMethod>(
        _ method: Method, in vault: VaultName, about name: String? = nil
    ) async throws(KeychainError) -> Method.Reply {
        switch try await connections.call(Wire.InVault(method, vault.choice), late: { _ in }) {
        case .reply(let reply, _): return reply
        case .fault(let fault): throw KeychainError(brokerFault: fault, about: name)
        }
    }

    /// Makes a call that may need a person, once for each purpose.
    /// - Parameter subject: what the call is about, for the message of an error.
    func call<Method: Challengeable>(
        _ method: Method, in vault: VaultName, prompts: Prompts, about subject: String
    ) async throws(KeychainError) -> Method.Reply {
        var method = method
        var asked: Set<Wire.Purpose> = []
        var (trustsLease, isLeased) = (true, false)
        while true {
            if Task.isCancelled { throw .cancelledByTask }
            let fault: Fault
            let answer = try await connections.call(Wire.InVault(method, vault.choice)) { fault in
                // The call was cancelled, so nobody will be asked.
                guard fault.name == .authenticationRequired, let late = fault.details.challenge else { return }
                await withdraw(late, in: vault)
            }
            switch answer {
            case .reply(let reply, _): return reply
            case .fault(let answer): fault = answer
            }
            if fault.name == .challengeRefused, isLeased {
                // The lease has ended since it was signed for.
                isLeased = false
                method.challenge = nil
                continue
            }
            guard fault.name == .authenticationRequired, let challenge = fault.details.challenge else {
                throw KeychainError(brokerFault: fault, about: subject)
            }
            if fault.details.leased == true, trustsLease {
                trustsLease = false
                isLeased = await pass(leased: challenge)
                method.challenge = isLeased ? challenge : nil
                continue
            }
            let purposes = (fault.details.purposes ?? []).compactMap(Wire.Purpose.init(rawValue:))
            let need = Need(purposes, isUnlocking: method is Wire.Unlock, subject, vault)
            do throws(KeychainError) {
                guard !purposes.isEmpty, asked.isDisjoint(with: purposes) else {
                    // A taken-over broker could wear a person out by asking again and again.
                    throw KeychainError(
                        .requestOutdated, "the broker asks for authentication a second time", advice: "try again")
                }
                asked.formUnion(purposes)
                if Task.isCancelled { throw .cancelledByTask }
                let asker = try asker(for: purposes, prompts, need)
                try await Conversation(paths: paths, caller: getuid()).pass(
                    challenge, by: asker, announcing: purposes == [.enrolment] ? nil : prompts.announcement)
            } catch {
                await withdraw(challenge, in: vault)
                // The access control is in order. It is fingers that are missing.
                guard purposes != [.enrolment] || error.code != .invalidArgument else {
                    throw KeychainError(.biometryRefused, error.message, advice: error.advice)
                }
                // For example, the agent that should ask is gone.
                guard !need.isForVault || error.code != .authenticationNeeded else {
                    throw need.unmet(error.message, error.advice)
                }
                throw error
            }
            isLeased = false
            method.challenge = challenge
        }
    }

    /// Has the authenticator sign under a lease. Nobody is asked.
    /// - Returns: false if the lease has ended meanwhile. The call is then to be made anew, and a person is asked.
    private func pass(leased challenge: String) async -> Bool {
        do throws(KeychainError) {
            try await Conversation(paths: paths, caller: getuid()).pass(challenge, by: BlockingAsker(NoPrompter()))
            return true
        } catch { return false }
    }

    /// Tells the broker that nobody will be asked, so that it drops the challenge and the access log records the attempt.
    private func withdraw(_ challenge: String, in vault: VaultName) async {
        let withdrawing = Task {
            // `try?`: if this fails, the authenticator has ended the challenge already, or the broker does when it expires.
            _ = try? await call(Wire.Withdraw(challenge: challenge), in: vault)
        }
        // A call that was cancelled ends at once. The withdrawal goes on.
        if !Task.isCancelled { await withdrawing.value }
    }

    private func asker(
        for purposes: [Wire.Purpose], _ prompts: Prompts, _ need: Need
    ) throws(KeychainError) -> any Asker {
        // The machine, not the person, knows which fingers are enrolled.
        if purposes == [.enrolment] { return BlockingAsker(SilentPrompter()) }
        switch prompts.way {
        case .handler(let handler): return HandlerAsker(handler: handler)
        case .never:
            throw need.unmet(
                "the program may ask nobody",
                need.command.map { "open it with: \($0)" }
                    ?? "run it where it may ask, or read an item that requires nothing")
        case .automatic:
            let finder = PrompterFinder(
                environment: environment, guardian: .installed(ProgramSearch(environment: environment)),
                shown: prompts.shown)
            switch finder.look() {
            case .prompter(let prompter): return BlockingAsker(prompter)
            case .nobody(let obstacle): throw need.unmet(obstacle.reason, obstacle.advice(need.command))
            }
        }
    }
}

/// What a call needs a person for, in the words of the error that says that there is nobody.
private struct Need {
    /// Nothing is missing but an open vault, and another program can open it. So the error is that the vault is locked.
    let isForVault: Bool
    /// There is no vault yet, and another program can make it.
    private let isForNewVault: Bool
    private let subject: String
    private let vault: VaultName

    init(_ purposes: [Wire.Purpose], isUnlocking: Bool, _ subject: String, _ vault: VaultName) {
        isForVault = purposes == [.unlock] && !isUnlocking
        isForNewVault = purposes.contains(.create) && !isUnlocking
        self.subject = subject
        self.vault = vault
    }

    /// What opens or makes the vault; nil if more than that is needed.
    var command: String? { isForVault || isForNewVault ? vault.unlockCommand : nil }

    /// - Parameter reason: why nobody can be asked, as the end of a sentence.
    func unmet(_ reason: String, _ advice: String) -> KeychainError {
        if isForVault { return KeychainError(.locked, "the vault is locked, and \(reason)", advice: advice) }
        let what = isForNewVault ? "making your vault" : subject
        return KeychainError(.authenticationNeeded, "\(what) needs authentication, but \(reason)", advice: advice)
    }
}

extension VaultName {
    /// The command by which a person opens the vault.
    fileprivate var unlockCommand: String {
        switch self {
        case .own: "coffer unlock"
        case .group(let name): "coffer unlock --group \(VisibleText.quoted(name))"
        case .account(let name): "coffer unlock --user \(VisibleText.quoted(name))"
        }
    }

    var choice: Wire.VaultChoice {
        switch self {
        case .own: Wire.VaultChoice()
        case .group(let name): Wire.VaultChoice(group: name)
        case .account(let name): Wire.VaultChoice(user: name)
        }
    }
}
