import BrokerProtocol
import Varlink

/// Why something was refused, as the access log names it: the error's own name, such as `challenge-refused`.
enum OutcomeWord {
    /// A person was needed, but the program did not ask one.
    static let nobodyAsked = "authentication-required"
    /// Nobody answered in time, or the answer was not used in time.
    static let expired = "expired"
    /// The program or its request was gone before the answer.
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
