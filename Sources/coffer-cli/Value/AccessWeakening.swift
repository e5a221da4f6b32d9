import Coffer
import Glibc
import Platform

/// What an item loses by a new access control. Replacing a value needs no authentication, so the person is told before an item gets weaker.
struct AccessWeakening: Equatable {
    /// One loss.
    struct Loss: Equatable {
        /// What holds before, as the rest of a clause: "requires presence".
        let before: String
        /// What would hold then: "would require nothing".
        let after: String
        /// The options that keep what holds before.
        let remedy: String
    }

    let losses: [Loss]

    /// - Returns: nil if nothing is lost.
    init?(from former: AccessControl, to new: AccessControl) {
        var losses: [Loss] = []
        if !Self.isAsStrict(new, as: former) {
            losses.append(
                Loss(
                    before: "requires \(ItemText.requires(former) ?? "nothing")",
                    after: "would then require \(ItemText.requires(new) ?? "nothing")",
                    remedy: (former.requirements.inOrder.map { "--require \($0.rawValue)" }
                        + (former.anyIsEnough ? ["--any"] : []))
                        .joined(separator: " ")))
        }
        if new.accessibility.looseness > former.accessibility.looseness {
            losses.append(
                Loss(
                    before: "is of class \(former.accessibility.rawValue)",
                    after: "would then be of class \(new.accessibility.rawValue)",
                    remedy: "--access \(former.accessibility.rawValue)"))
        }
        if former.isThisDeviceOnly, !new.isThisDeviceOnly {
            losses.append(
                Loss(
                    before: "is for this device only", after: "could then leave it in an export",
                    remedy: "--this-device-only"))
        }
        guard !losses.isEmpty else { return nil }
        self.losses = losses
    }

    var text: String { losses.map { "it \($0.before), and \($0.after)" }.joined(separator: "; ") }

    /// The same about a value that the item had before.
    var formerText: String {
        losses.map { "a former value \($0.before), and the new one \($0.after)" }.joined(separator: "; ")
    }

    /// The options that keep what would be lost.
    var remedy: String { losses.map(\.remedy).joined(separator: " ") }

    /// Whether each new way of reading requires everything that one of the former ways required.
    private static func isAsStrict(_ new: AccessControl, as former: AccessControl) -> Bool {
        new.ways.allSatisfy { way in
            former.ways.contains { old in old.allSatisfy { factor in way.contains { covers($0, factor) } } }
        }
    }

    /// Whether giving one factor also proves the other.
    private static func covers(_ given: AccessControl.Requirement, _ asked: AccessControl.Requirement) -> Bool {
        switch asked {
        case .userPresence: given != .applicationPassword
        case .biometryAny: given == .biometryAny || given == .biometryCurrentSet
        case .biometryCurrentSet, .devicePasscode, .applicationPassword: given == asked
        }
    }
}

/// Asks a person at the terminal to confirm something that cannot be undone.
enum Confirmation {
    /// Whether somebody sits at the terminal. Piped input, such as a secret, does not mean that nobody does.
    static var isPossible: Bool {
        TerminalPrompter.isPresent && (isatty(STDIN_FILENO) == 1 || isatty(STDERR_FILENO) == 1)
    }

    /// - Throws: `.cancelled` for Ctrl-C.
    /// - Parameter flag: the option to suggest if the terminal cannot be used; nil if there is none.
    static func isGiven(_ question: String, orSkipWith flag: String? = nil) throws(KeychainError) -> Bool {
        let answer: Terminal.Answer
        do throws(SystemError) {
            answer = try Terminal().ask(
                question, hidden: false, limit: InputLimits.confirmation, guardian: Terminal.guardian)
        } catch {
            throw KeychainError(
                .failed, "cannot read from the terminal: \(error.reason)",
                advice: flag.map { "use \($0) to go on without confirmation" } ?? "")
        }
        guard case .line(let bytes) = answer else { throw .cancelledByPerson }
        return ["y", "yes"].contains(String(decoding: bytes, as: UTF8.self).lowercased())
    }
}
