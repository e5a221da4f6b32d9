import BrokerProtocol
import Coffer
import Glibc
import Platform

/// What an item loses by a new access control. Replacing a value needs no authentication, so the person is told before an item gets weaker.
struct AccessWeakening: Equatable {
    /// The losses, each as a clause.
    let losses: [String]

    /// - Returns: nil if nothing is lost.
    init?(from former: Keychain.AccessControl, to new: Keychain.AccessControl) {
        var losses: [String] = []
        if !Self.isAsStrict(new, as: former) {
            losses.append(
                "it requires \(ItemText.requires(former) ?? "nothing"), and would then require \(ItemText.requires(new) ?? "nothing")"
            )
        }
        if Self.rank(new.accessibility) < Self.rank(former.accessibility) {
            losses.append(
                "it is of class \(former.accessibility.rawValue), and would then be of class \(new.accessibility.rawValue)"
            )
        }
        if former.thisDeviceOnly, !new.thisDeviceOnly, new.accessibility != .passcodeSet {
            losses.append("it is for this device only, and could then leave it in an export")
        }
        guard !losses.isEmpty else { return nil }
        self.losses = losses
    }

    var text: String { losses.joined(separator: "; ") }

    /// The longer an item stays closed, the higher its rank.
    private static func rank(_ accessibility: Keychain.Accessibility) -> Int {
        switch accessibility {
        case .always: 0
        case .afterFirstUnlock: 1
        case .whenUnlocked: 2
        case .passcodeSet: 3
        }
    }

    /// Whether each new way of reading requires everything that one of the former ways required.
    private static func isAsStrict(_ new: Keychain.AccessControl, as former: Keychain.AccessControl) -> Bool {
        let before = ways(former)
        return ways(new).allSatisfy { way in
            before.contains { old in old.allSatisfy { factor in way.contains { covers($0, factor) } } }
        }
    }

    private static func ways(_ access: Keychain.AccessControl) -> [[Keychain.Constraint]] {
        access.any && access.require.count > 1 ? access.require.map { [$0] } : [access.require]
    }

    /// Whether giving one factor also proves the other.
    private static func covers(_ given: Keychain.Constraint, _ asked: Keychain.Constraint) -> Bool {
        switch asked {
        case .presence: given != .appPassword
        case .biometry: given == .biometry || given == .biometryCurrentSet
        case .biometryCurrentSet, .passcode, .appPassword: given == asked
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
    /// - Parameter flag: the option to suggest if the terminal cannot be used.
    static func isGiven(_ question: String, orSkipWith flag: String) throws(KeychainError) -> Bool {
        let answer: Terminal.Answer
        do throws(SystemError) {
            answer = try Terminal().ask(question, hidden: false, limit: InputLimits.confirmation)
        } catch {
            throw KeychainError(
                .failed, "cannot read from the terminal: \(error.reason)",
                advice: "use \(flag) to go on without confirmation")
        }
        guard case .line(let bytes) = answer else { throw .cancelledByPerson }
        return ["y", "yes"].contains(String(decoding: bytes, as: UTF8.self).lowercased())
    }
}
