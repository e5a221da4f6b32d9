import BrokerProtocol
import Varlink

/// Why something was refused, as the access log says it: the error's own name, `challenge-refused`.
enum OutcomeWord {
    /// A person would have been needed, and the program asked none.
    static let nobodyAsked = "authentication-required"
    /// Nobody answered, or what was answered was not taken, in time.
    static let expired = "expired"
    /// The program, or its question, was gone before the answer.
    static let cancelled = "cancelled"
    static let locked = "locked"

    static func of(_ fault: Fault) -> String {
        let name = fault.name.rawValue.split(separator: ".").last ?? "failed"
        if name == "TPM" { return "tpm" }
        var word = ""
        for letter in name {
            if letter.isUppercase, !word.isEmpty { word += "-" }
            word += letter.lowercased()
        }
        return word
    }
}
