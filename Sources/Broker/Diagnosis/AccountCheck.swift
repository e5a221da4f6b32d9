import BrokerProtocol
import Platform

/// Is the broker's account for the broker alone? An account of that name may have been there before Coffer.
enum AccountCheck: DiagnosisCheck {
    static func findings(_ facts: DiagnosisFacts) -> [Keychain.Finding] {
        // A sandbox runs under the account of its user.
        guard !facts.configuration.sandbox else { return [] }
        do throws(SystemError) {
            let shell = try Account.shell(ofUID: facts.brokerUID)
            return findings(facts.configuration.brokerUser, uid: facts.brokerUID, shell: shell)
        } catch {
            return [
                Keychain.Finding(.files, .note, "it is not known who can log in with the broker's account: \(error)")
            ]
        }
    }

    /// - Parameter shell: what a login starts; nil if nobody knows the account.
    static func findings(_ name: String, uid: UInt32, shell: String?) -> [Keychain.Finding] {
        guard uid < DiagnosisLimits.firstPerson else {
            return [
                Keychain.Finding(
                    .files, .problem,
                    "the broker has a person's account, “\(name)” (uid \(uid)): what runs under it reaches all vaults",
                    advice: "stop the broker: systemctl stop cofferd.socket cofferd.service; "
                        + "give the account another name: usermod --login NAME \(name); "
                        + "groupmod --new-name NAME \(name); make the broker's own: systemd-sysusers. "
                        + "How it gets the vaults: man cofferd")
            ]
        }
        guard let shell, !shell.hasSuffix("/nologin"), !shell.hasSuffix("/false") else { return [] }
        return [
            Keychain.Finding(
                .files, .problem,
                "the broker's account “\(name)” has a login shell: what runs under it reaches all vaults",
                advice: "take it away: usermod --shell /usr/sbin/nologin \(name)")
        ]
    }
}
