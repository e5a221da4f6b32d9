import BrokerProtocol

/// Will the vault open after a change of firmware, boot loader or kernel?
enum MeasuredBootCheck: DiagnosisCheck {
    static func findings(_ facts: DiagnosisFacts) -> [Keychain.Finding] {
        guard facts.sealer != nil, facts.record != nil else { return [] }
        return [
            Keychain.Finding(
                .measuredBoot, .note,
                "the vault is not bound to the boot: no update of firmware or kernel locks it, and a changed boot is not noticed"
            )
        ]
    }
}
