import Authorization
import Vault

/// What saves secrets that could be lost.
enum RescueWords {
    /// What an open vault still gives. An export leaves out what is for this device only.
    static let saveOpen =
        "before anything else, and before cofferd is restarted or the vault locked, save what is open: "
        + "coffer export --passphrase --skip-unreadable --output FILE, and with coffer get what that leaves out"

    /// How a file comes back that was removed while the broker has it open.
    static func copyBack(_ path: String) -> String {
        "if cofferd still has it open (ls -l /proc/$(pidof cofferd)/fd shows it as deleted, with its number N), "
            + "have root copy it back: cp -pL /proc/$(pidof cofferd)/fd/N \(path), and restart cofferd"
    }

    /// A backup that is put under the place of a disk makes a second, older store there.
    static func mountFirst(_ folder: String) -> String {
        "if \(folder) has a disk of its own, mount that first"
    }

    /// - Parameters:
    ///   - file: the vault's.
    ///   - record: the path of the registry's record.
    static func torn(_ file: String, _ record: String) -> String {
        "the vault's file \(file) and its record \(record) do not belong together: "
            + "one of them is from a backup, or damaged"
    }

    /// Which of the two is the older one, nobody can tell. The TPM still has what the newer one needs. If an older file
    /// was moved over the open one, only the broker has the newest, and only until it stops.
    static func mendTorn(_ record: RegistryRecord) -> String {
        "if cofferd still has a former file of this vault open (ls -l /proc/$(pidof cofferd)/fd shows it as deleted, "
            + "with its number N), have root copy that one first: cp -pL /proc/$(pidof cofferd)/fd/N COPY; then "
            + "have root put back the newest copy of the record, and of the file if that is the older one "
            + "(stop cofferd.socket and cofferd.service first); remove nothing from the TPM; "
            + "only if there are no such copies, \(SetAsideWords.recovery(record))"
    }
}
