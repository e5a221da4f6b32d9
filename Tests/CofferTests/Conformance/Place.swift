import Coffer
import CofferTestKit
import Foundation
import Platform
import Synchronization
import TestSupport
import Testing

/// Where a keychain's items are. Every place must answer alike.
enum Place: String, CaseIterable, CustomTestStringConvertible {
    case memory
    case softwareBroker
    case tpmBroker

    var testDescription: String { rawValue }

    /// What this place does not do yet.
    var lacks: Set<Feature> { [] }

    /// Something that a check needs.
    enum Feature {
        /// Several changes in one transaction, and conditions.
        case changes
        /// Several items with one prompt.
        case reads
        case classes
        case history
        case events
    }
}

/// A keychain to check, with a vault that is made and unlocked. Every question takes the password "sandbox".
final class Fixture: Sendable {
    let place: Place
    let backend: any KeychainBackend
    /// A group that the user is a member of. It has no vault at first.
    let group: String
    private let sandbox: SandboxBroker?

    /// The folder of the programs that are built with the tests.
    static let programs = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent().path

    init(_ place: Place) async throws {
        self.place = place
        let user = try #require(try Account.withUID(OwnProcess.effectiveUser))
        group = try #require(try Group.withGID(user.gid)).name
        switch place {
        case .memory:
            sandbox = nil
            let memory = InMemoryKeychain(state: .none, others: [.group(group)])
            try await memory.unlock(.own, prompts: Self.answering("sandbox"))
            backend = memory
        case .softwareBroker, .tpmBroker:
            let sandbox = try await SandboxBroker(
                programs: Self.programs, sealer: place == .tpmBroker ? .simulatedTPM : .software)
            self.sandbox = sandbox
            backend = sandbox.backend
        }
    }

    func end() async { await sandbox?.stop() }

    /// Ends the broker and starts the next one, whose vaults are sealed.
    func restart() async throws {
        (backend as? InMemoryKeychain)?.restart()
        try await sandbox?.restartBroker()
    }

    /// A keychain that asks nobody, with a service that no other check uses.
    func keychain(_ check: String = #function, _ prompts: Prompts = .never) -> Keychain {
        Keychain(service: check, prompts: prompts, backend: backend)
    }

    static func answering(_ answer: String?) -> Prompts { .handler { $0.wantsAnswer ? answer : nil } }
}

extension Prompts {
    /// The right password.
    static let right = Fixture.answering("sandbox")
    static let wrong = Fixture.answering("wrong")
    static let givingUp = Fixture.answering(nil)
}

/// A person who answers rightly and counts the questions.
final class CountingPerson: Sendable {
    private let count = Mutex(0)
    private let texts = Mutex<[String]>([])

    var questions: Int { count.withLock { $0 } }
    /// All that was shown.
    var shown: String { texts.withLock { $0.joined(separator: "\n") } }

    var prompts: Prompts {
        .handler { [self] message in
            texts.withLock { $0.append(message.text) }
            guard message.wantsAnswer else { return nil }
            count.withLock { $0 += 1 }
            return "sandbox"
        }
    }
}

/// Something that is true of every keychain.
struct Check: Sendable {
    let title: String
    let needs: Set<Place.Feature>
    let body: @Sendable (Fixture) async throws -> Void

    init(_ title: String, needs: Set<Place.Feature> = [], _ body: @escaping @Sendable (Fixture) async throws -> Void) {
        self.title = title
        self.needs = needs
        self.body = body
    }
}

/// Expects a call to fail with this code.
func refused<Value>(
    _ code: KeychainError.Code, _ comment: Comment? = nil, at place: SourceLocation = #_sourceLocation,
    _ body: () async throws(KeychainError) -> Value
) async {
    do throws(KeychainError) {
        _ = try await body()
        Issue.record(
            "the call succeeded instead of \(code.rawValue) (\(comment?.rawValue ?? ""))", sourceLocation: place)
    } catch {
        #expect(error.code == code, "\(comment?.rawValue ?? ""): \(error)", sourceLocation: place)
        #expect(!error.message.isEmpty && !error.message.hasSuffix("."), sourceLocation: place)
    }
}
