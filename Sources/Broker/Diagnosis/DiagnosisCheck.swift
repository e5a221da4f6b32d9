import BrokerProtocol

/// One of the broker's checks for `coffer doctor`. Each has a file of its own; ``Diagnosis`` lists them in order.
protocol DiagnosisCheck: SendableMetatype {
    /// - Returns: nothing if the check does not apply here, or if an earlier check has reported the reason.
    static func findings(_ facts: DiagnosisFacts) -> [Keychain.Finding]
}

/// All of the broker's checks, in the order in which `coffer doctor` reports them.
enum Diagnosis {
    static let checks: [any DiagnosisCheck.Type] = [
        TPMCheck.self, TPMIndexCheck.self, TPMAccessCheck.self, TPMIdentityCheck.self, StorageKeyCheck.self,
        MeasuredBootCheck.self,
        UnitCheck.self, FilesCheck.self, SigningKeyCheck.self, SocketsCheck.self, PAMCheck.self, ClockCheck.self,
        RollbackCheck.self,
        VerificationCheck.self,
    ]

    static func findings(_ facts: DiagnosisFacts) -> [Keychain.Finding] { checks.flatMap { $0.findings(facts) } }
}
