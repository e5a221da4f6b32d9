import BrokerProtocol
import Glibc
import Platform

/// Is the broker's account for the broker alone? An account of that name may have been there before Coffer.
enum AccountCheck: DiagnosisCheck {
    /// The home folder of the account that systemd-sysusers makes. The package's installation demands it, too.
    private static let home = "/var/lib/coffer"
    /// The room for one account's entry, in bytes. A longer one cannot be looked up.
    private static let entry = 1 << 16

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

    /// - Returns: nil if no such account exists.
    private static func home(ofUID uid: UInt32) throws(SystemError) -> String? {
        var (entry, found) = unsafe (passwd(), UnsafeMutablePointer<passwd>?.none)
        var room = [CChar](repeating: 0, count: Self.entry)
        let count = room.count
        let code = unsafe getpwuid_r(uid, &entry, &room, count, &found)
        guard code == 0 else { throw SystemError("find the account with uid \(uid)", errno: code) }
        return unsafe found == nil ? nil : String(cString: entry.pw_dir)
    }
}
