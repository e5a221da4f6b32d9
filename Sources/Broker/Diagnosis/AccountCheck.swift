import BrokerProtocol
import Platform

/// Is the broker's account for the broker alone? An account of that name may have been there before Coffer.
enum AccountCheck: DiagnosisCheck {
    /// The home folder of the account that systemd-sysusers makes. The package's installation demands it, too.
    private static let home = "/var/lib/coffer"
    /// The most that is read of the list of accounts, in bytes.
    private static let accounts = 1 << 20

    static func findings(_ facts: DiagnosisFacts) -> [Keychain.Finding] {
        // A sandbox runs under the account of its user.
        guard !facts.configuration.sandbox else { return [] }
        do throws(SystemError) {
            let (uid, name) = (facts.brokerUID, facts.configuration.brokerUser)
            return findings(name, uid: uid, shell: try Account.shell(ofUID: uid), home: try home(ofUID: uid))
        } catch {
            return [
                Keychain.Finding(.files, .note, "it is not known who can log in with the broker's account: \(error)")
            ]
        }
    }

    /// - Parameters:
    ///   - shell: what a login starts; nil if nobody knows the account.
    ///   - home: its home folder; nil if nobody knows the account.
    static func findings(_ name: String, uid: UInt32, shell: String?, home: String?) -> [Keychain.Finding] {
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
        // Before the shell: another service can need its own.
        if let home, home != Self.home {
            return [
                Keychain.Finding(
                    .files, .problem,
                    "the broker's account “\(name)” has the home folder “\(home)”, as another service's: "
                        + "what runs under it reaches all vaults",
                    advice: "stop the broker: systemctl stop cofferd.socket cofferd.service; "
                        + "if the account is the broker's alone: usermod --home \(Self.home) \(name); "
                        + "otherwise make one that is: man cofferd")
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

    /// systemd-sysusers puts the account into this file. One of a directory is not in it, and its home folder is not judged.
    /// - Returns: nil if it has no such account.
    private static func home(ofUID uid: UInt32) throws(SystemError) -> String? {
        let text = String(decoding: try DurableFile.read("/etc/passwd", limit: Self.accounts), as: UTF8.self)
        for line in text.split(separator: "\n") {
            let fields = line.split(separator: ":", omittingEmptySubsequences: false)
            if fields.count == 7, UInt32(fields[2]) == uid { return String(fields[5]) }
        }
        return nil
    }
}
