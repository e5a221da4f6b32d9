import BrokerProtocol

/// Why something was refused, as the access log says it: the error's own name, `challenge-refused`.
enum OutcomeWord {
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
