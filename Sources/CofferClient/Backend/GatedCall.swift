import BrokerProtocol
import Glibc
import Varlink

/// A call that may need a person, from the first try to the answer. ``CallLife`` says what comes next.
struct GatedCall<Method: Challengeable>: ~Copyable, Sendable {
    private let backend: BrokerBackend
    private let vault: VaultName
    private let prompts: Prompts
    /// What the call is about, for the message of an error.
    private let name: String
    /// Is told while a person is asked. A read has it.
    private let sharing: SharedReads.Asking?
    private let subject: AskingSubject

    private var method: Method
    private var life = CallLife(begins: CallLimits.begins)
    private var hasPlace = false

    init(
        _ method: Method, _ backend: BrokerBackend, in vault: VaultName, prompts: Prompts, about name: String,
        sharing: SharedReads.Asking?
    ) {
        self.method = method
        self.backend = backend
        self.vault = vault
        self.prompts = prompts
        self.name = name
        self.sharing = sharing
        subject = AskingSubject(method, vault, name)
    }

    private var access: BrokerAccess { backend.access }

    /// What comes next.
    private enum Step {
        case done(Method.Reply)
        case again(after: Duration)
        /// A person passes the challenge.
        case ask(String, [Wire.Purpose], any Asker)
        /// The authenticator signs under a lease. Nobody is asked.
        case sign(String)
        /// Too many calls ask already.
        case wait
    }

    mutating func answer() async throws(KeychainError) -> Method.Reply {
        do throws(KeychainError) {
            let reply = try await steps()
            leave()
            return reply
        } catch {
            leave()
            throw error.forApplication
        }
    }

    private mutating func leave() {
        if hasPlace { access.asking.leave(subject) }
        hasPlace = false
    }

    private mutating func steps() async throws(KeychainError) -> Method.Reply {
        while true {
            switch try await next() {
            case .done(let reply): return reply
            case .again(let pause):
                // `try?`: a task that is cancelled sleeps no longer, and the call notices it.
                if pause > .zero { try? await Task.sleep(for: pause) }
            case .wait:
                sharing?.begin()
                try await access.asking.wait(subject)
                hasPlace = true
                sharing?.end()
                life.waited()
            case .sign(let challenge):
                do throws(KeychainError) {
                    if let failure = await pass(leased: challenge) {
                        try life.notSigned(failure)
                    } else {
                        life.signed(challenge)
                    }
                } catch {
                    await backend.withdraw(challenge, in: vault)
                    throw error
                }
            case .ask(let challenge, let purposes, let asker):
                sharing?.begin()
                do throws(KeychainError) { try await pass(challenge, for: purposes, by: asker) } catch {
                    await backend.withdraw(challenge, in: vault)
                    let pause: Duration
                    do throws(KeychainError) { pause = try life.failed(error) } catch {
                        throw need(purposes).failure(error)
                    }
                    sharing?.end()
                    // `try?`: as above.
                    try? await Task.sleep(for: pause)
                    continue
                }
                sharing?.end()
                life.passed(challenge)
            }
        }
    }

    /// Makes the call.
    private mutating func next() async throws(KeychainError) -> Step {
        method.challenge = life.challenge
        // The repeated call waits for no turn: somebody has answered.
        guard method.challenge == nil else { return try await send() }
        try await access.trying.wait(true)
        defer { access.trying.leave(true) }
        return try await send()
    }

    private mutating func send() async throws(KeychainError) -> Step {
        if Task.isCancelled { throw .cancelledByTask }
        let answer = try await access.connections.call(Wire.InVault(method, vault.choice)) { [backend, vault] fault in
            // The call was cancelled, so nobody will be asked.
            guard fault.name == .authenticationRequired, let late = fault.details.challenge else { return }
            await backend.withdraw(late, in: vault)
        }
        switch answer {
        case .reply(let reply, _): return .done(reply)
        case .fault(let fault): return try await step(after: fault)
        }
    }

    private mutating func step(after fault: Fault) async throws(KeychainError) -> Step {
        let step: Step
        do throws(KeychainError) {
            switch try life.heard(fault, about: name) {
            case .call(let pause): return .again(after: pause)
            case .sign(let challenge): step = .sign(challenge)
            case .ask(let challenge, let purposes): step = .ask(challenge, purposes, try asker(for: purposes))
            }
            if !hasPlace { hasPlace = access.asking.enter(subject) }
        } catch {
            if let challenge = fault.details.challenge { await backend.withdraw(challenge, in: vault) }
            throw error
        }
        guard !hasPlace else { return step }
        // The challenge would expire before its turn comes.
        if let challenge = fault.details.challenge { await backend.withdraw(challenge, in: vault) }
        return .wait
    }

    /// Has a person pass the challenge.
    private func pass(
        _ challenge: String, for purposes: [Wire.Purpose], by asker: any Asker
    ) async throws(KeychainError) {
        if Task.isCancelled { throw .cancelledByTask }
        try await AuthenticatorConversation(paths: backend.paths, caller: getuid()).pass(
            challenge, by: asker, announcing: purposes == [.enrolment] ? nil : prompts.announcement)
    }

    /// Has the authenticator sign under a lease. Nobody is asked.
    /// - Returns: why it has not signed, for example because the lease has ended meanwhile; nil if it has.
    private func pass(leased challenge: String) async -> KeychainError? {
        do throws(KeychainError) {
            try await AuthenticatorConversation(paths: backend.paths, caller: getuid())
                .pass(challenge, by: BlockingAsker(NoPrompter()))
            return nil
        } catch { return error }
    }

    private func asker(for purposes: [Wire.Purpose]) throws(KeychainError) -> any Asker {
        // The machine, not the person, knows which fingers are enrolled.
        if purposes == [.enrolment] { return BlockingAsker(SilentPrompter()) }
        let need = need(purposes)
        switch prompts.way {
        case .handler(let handler): return HandlerAsker(handler: handler)
        case .never:
            throw need.unmet(
                "the program may ask nobody",
                need.command.map { "open it with: \($0)" }
                    ?? "run it where it may ask, or read an item that requires nothing")
        case .automatic:
            let environment = backend.environment
            let finder = PrompterFinder(
                environment: environment, guardian: .installed(ProgramSearch(environment: environment)),
                shown: prompts.shown)
            switch finder.look() {
            case .prompter(let prompter): return BlockingAsker(prompter)
            case .nobody(let obstacle): throw need.unmet(obstacle.reason, obstacle.advice(need.command))
            }
        }
    }

    private func need(_ purposes: [Wire.Purpose]) -> Need {
        Need(purposes, isUnlocking: method is Wire.Unlock, name, vault)
    }
}

/// What a call needs a person for, in the words of the error that says that there is nobody.
private struct Need {
    /// Nothing is missing but an open vault, and another program can open it. So the error is that the vault is locked.
    private let isForVault: Bool
    /// There is no vault yet, and another program can make it.
    private let isForNewVault: Bool
    /// Nobody is asked. The authenticator says whether fingers are enrolled.
    private let isEnrolment: Bool
    /// The call opens the vault, and names no item.
    private let isUnlocking: Bool
    private let name: String
    private let vault: VaultName

    init(_ purposes: [Wire.Purpose], isUnlocking: Bool, _ name: String, _ vault: VaultName) {
        isForVault = purposes == [.unlock] && !isUnlocking
        isForNewVault = purposes.contains(.create) && !isUnlocking
        isEnrolment = purposes == [.enrolment]
        self.isUnlocking = isUnlocking
        self.name = name
        self.vault = vault
    }

    /// What the error of a conversation is to the call.
    func failure(_ error: KeychainError) -> KeychainError {
        // An authenticator of an earlier version does not say what about the fingers it is.
        if isEnrolment, error.code == .invalidArgument {
            return KeychainError(.biometryRefused, error.message, advice: error.advice)
        }
        // For example, the agent that should ask is gone.
        return isForVault && error.code == .authenticationNeeded ? unmet(error.message, error.advice) : error
    }

    /// What opens or makes the vault; nil if more than that is needed.
    var command: String? { isForVault || isForNewVault ? vault.unlockCommand : nil }

    /// - Parameter reason: why nobody can be asked, as the end of a sentence.
    func unmet(_ reason: String, _ advice: String) -> KeychainError {
        if isForVault { return KeychainError(.locked, "the vault is locked, and \(reason)", advice: advice) }
        let what = isForNewVault ? "making your vault" : name
        return KeychainError(.authenticationNeeded, "\(what) needs authentication, but \(reason)", advice: advice)
            .naming(isForNewVault || isUnlocking ? nil : name)
    }
}
