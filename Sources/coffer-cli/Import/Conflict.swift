import Coffer
import Platform

/// What happens to a secret if the vault has another value for it.
struct Conflict {
    enum Rule { case ask, replace, keep }

    private var rule: Rule

    /// - Parameter rule: what the person said on the command line.
    init(_ rule: Rule) { self.rule = rule == .ask && !Confirmation.isPossible ? .keep : rule }

    /// Whether values are replaced without a question.
    var replacesUnasked: Bool { rule == .replace }

    /// - Returns: whether to replace the vault's value.
    /// - Throws: `.cancelled` for Ctrl-C.
    mutating func replaces(_ name: String) throws(KeychainError) -> Bool {
        while rule == .ask {
            switch try answer("\(name) has another value in your vault. Replace it? [y/N/all/none] ") {
            case "y", "yes": return true
            case "", "n", "no": return false
            case "all": rule = .replace
            case "none": rule = .keep
            default: Output.note("Type y, n, all or none.")
            }
        }
        return rule == .replace
    }

    private func answer(_ question: String) throws(KeychainError) -> String {
        let answer: Terminal.Answer
        do throws(SystemError) {
            answer = try Terminal().ask(
                question, hidden: false, limit: InputLimits.confirmation, guardian: Terminal.guardian)
        } catch {
            throw KeychainError(
                .failed, "cannot read from the terminal: \(error.reason)",
                advice: "use --replace or --skip to go on without questions")
        }
        guard case .line(let bytes) = answer else { throw .cancelledByPerson }
        return String(decoding: bytes, as: UTF8.self).lowercased()
    }
}
