/// What a stack's account lines must do: refuse an account that has expired, or may not be used.
struct PAMAccountRules: PAMReading {
    let type = "account"

    /// `.asked` is a module that judges the account, as the module of its password does.
    func word(of line: PAMLine) -> PAMProof.Word {
        if PAMProof.passwords.contains(line.module) { return .asked }
        return PAMProof.isKnown(line.module) ? .unasked : .unknown
    }

    func canIgnore(_ line: PAMLine) -> Bool { word(of: line) != .asked }
}
