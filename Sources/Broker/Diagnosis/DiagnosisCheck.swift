import BrokerProtocol

/// One thing that the broker looks at for `coffer doctor`. Each has a file of its own; ``Diagnosis`` puts them in order.
protocol DiagnosisCheck: SendableMetatype {
    /// - Returns: nothing where there is nothing to look at here, or an earlier check has said already why not.
    static func findings(_ facts: DiagnosisFacts) -> [Keychain.Finding]
}

/// All of the broker's checks, in the order in which people want to hear of them.
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
