import Coffer

/// What a person must do before a call can go on.
struct Question: Sendable {
    /// A way to recognise a person.
    enum Factor: Sendable, Hashable {
        case password
        case finger
    }

    /// An item as the question names it. Another value is another subject.
    struct Subject: Sendable, Hashable {
        let id: String
        let version: Int
        let name: ItemName
    }

    /// Whether the answer makes or opens the vault.
    var opens = false
    var subjects: [Subject] = []
    var factors: Set<Factor> = []
    /// What reading all values takes.
    var signatures = 0
    /// What the person is told first.
    var text: String

    /// Whether nothing is missing for its values but an open vault, which another program can open.
    var isForVault: Bool { opens && factors.isEmpty && !subjects.isEmpty }

    /// Whether nobody has to be asked.
    var isEmpty: Bool { !opens && factors.isEmpty }

    /// Whether the answer to this question is good for the other one.
    func covers(_ other: Question) -> Bool {
        (opens || !other.opens) && subjects == other.subjects && factors == other.factors
    }
}

extension Question {
    /// Adds what reading a value takes.
    ///
    /// - Parameters:
    ///   - fingers: the enrolled fingers.
    ///   - hasPassword: the call has an application password. Whether it is right shows later.
    /// - Throws: `.notPermitted`, `.locked`, `.applicationPasswordNeeded`, `.invalidArgument`, `.biometryRefused`.
    mutating func add(
        _ value: StoredValue, of item: MemoryItem, in vault: MemoryVault, fingers: Int, mayUnlock: Bool,
        hasPassword: Bool
    ) throws(KeychainError) {
        if case .account = vault.name, !value.access.requirements.isEmpty {
            throw KeychainError(
                .notPermitted,
                "this item requires more than an open vault, so root may not read it for its owner")
        }
        let isReadable =
            switch value.access.accessibility {
            case .always: true
            case .afterFirstUnlock: vault.state != .sealed
            case .whenUnlocked, .passcodeSet: vault.state == .unlocked
            }
        if !isReadable {
            guard mayUnlock else { throw .vaultIsLocked }
            opens = true
        }
        let ways = value.access.ways.filter { $0.contains(.applicationPassword) == hasPassword }
        guard !ways.isEmpty else { throw hasPassword ? .noApplicationPassword : .applicationPasswordNeeded }
        if let bound = value.fingers, bound != fingers, ways.allSatisfy({ $0.contains(.biometryCurrentSet) }) {
            throw KeychainError(
                .biometryRefused, "the enrolled fingers changed since the item was set", advice: "set it again")
        }
        // With several ways, the password is as good as any.
        let way = ways.first { !Self.factors($0).contains(.finger) } ?? ways[0]
        factors.formUnion(Self.factors(way))
        signatures += way.signatures
        subjects.append(Subject(id: item.id, version: value.version, name: item.name))
    }

    private static func factors(_ requirements: Set<AccessControl.Requirement>) -> Set<Factor> {
        var factors: Set<Factor> = []
        for requirement in requirements {
            switch requirement {
            case .userPresence, .devicePasscode: factors.insert(.password)
            case .biometryAny, .biometryCurrentSet: factors.insert(.finger)
            case .applicationPassword: break
            }
        }
        return factors
    }
}

/// What `Prompts.automatic` meets in a test, because no terminal and no dialog is used there.
///
/// ```swift
/// let keychain = Keychain(service: "test", backend: InMemoryKeychain(person: .givesUp))
/// ```
public enum TestPerson: Sendable, Hashable {
    /// Nobody can be asked: `.authenticationNeeded`, or `.locked` if only the vault must be opened.
    case absent
    /// Types this at every question.
    case answers(String)
    /// Closes every question: `.cancelled`.
    case givesUp
    /// Never answers. The call waits until its task is cancelled.
    case silent
}

/// Puts a question to a person.
struct Questioner: Sendable {
    let password: String
    let person: TestPerson
    let biometrics: Biometrics
    /// Takes note of every message that is shown.
    let show: @Sendable (PromptMessage) -> Void

    /// - Throws: `.locked`, `.authenticationNeeded`, `.wrongPassword`, `.biometryNotEnrolled`, `.biometryNotAvailable`, `.cancelled`.
    func ask(_ question: Question, by prompts: Prompts) async throws(KeychainError) {
        let nobody =
            question.isForVault
            ? KeychainError(
                .locked, "the vault is locked, and nobody can be asked", advice: "open it with: coffer unlock")
            : KeychainError(
                .authenticationNeeded, "\(question.text) needs authentication, but nobody can be asked",
                advice: "run it where it may ask, or read an item that requires nothing")
        let needsPassword = question.opens || question.factors.contains(.password)
        let needsFinger = question.factors.contains(.finger)
        switch prompts.way {
        case .never: throw nobody
        case .automatic where person == .absent: throw nobody
        default: break
        }
        try await tell(PromptMessage(style: .information, text: question.text), prompts)
        if needsFinger {
            if let reason = biometrics.unavailableReason { throw KeychainError(biometrics.refusal, reason) }
            try await tell(PromptMessage(style: .information, text: "Place your finger on the reader"), prompts)
            if case .automatic = prompts.way { try await waitForPerson() }
        }
        if needsPassword {
            let question = PromptMessage(style: .hiddenQuestion, text: "Password: ")
            guard try await answer(to: question, prompts) == password else {
                throw KeychainError(.wrongPassword, "wrong password", advice: "try again")
            }
        }
    }

    /// - Throws: `.cancelled` if the person gives up, or the task is cancelled.
    private func waitForPerson() async throws(KeychainError) {
        switch person {
        case .answers: return
        case .absent, .givesUp: throw .cancelledByPerson
        case .silent:
            while !Task.isCancelled {
                // A sleep that is cut short is the cancellation that this waits for.
                try? await Task.sleep(for: .seconds(3600))
            }
            throw .cancelledByTask
        }
    }

    private func tell(_ message: PromptMessage, _ prompts: Prompts) async throws(KeychainError) {
        show(message)
        if case .handler(let handler) = prompts.way { _ = try await handled(message, handler) }
        if Task.isCancelled { throw .cancelledByTask }
    }

    private func answer(to message: PromptMessage, _ prompts: Prompts) async throws(KeychainError) -> String {
        show(message)
        var answer: String?
        if case .handler(let handler) = prompts.way {
            answer = try await handled(message, handler)
        } else {
            try await waitForPerson()
            if case .answers(let text) = person { answer = text }
        }
        if Task.isCancelled { throw .cancelledByTask }
        guard let answer else { throw .cancelledByPerson }
        return answer
    }

    /// - Returns: the handler's answer; nil if the task is cancelled. A handler that goes on then is not waited for.
    private func handled(
        _ message: PromptMessage, _ handler: @escaping @Sendable (PromptMessage) async throws -> String?
    ) async throws(KeychainError) -> String? {
        let first = FirstResult<Result<String?, KeychainError>>()
        let asking = Task {
            do { first.end(with: .success(try await handler(message))) } catch is CancellationError {
                first.end(with: .success(nil))
            } catch {
                first.end(
                    with: .failure(
                        KeychainError(
                            .cancelled, "the program could not ask the person",
                            advice: "look at the program's prompt handler", cause: String(describing: type(of: error))))
                )
            }
        }
        let result = await withTaskCancellationHandler {
            await first.value
        } onCancel: {
            asking.cancel()
            first.end(with: .success(nil))
        }
        return try result.get()
    }
}

extension Biometrics {
    /// The code of the error of a call that needs a finger here.
    var refusal: KeychainError.Code { obstacle == .notEnrolled ? .biometryNotEnrolled : .biometryNotAvailable }
}
