import Platform

/// The file that a path named when it was opened. While it is open, no other file has its number.
///
/// SQLite goes on with its file after somebody has removed it, or has put another one in its place. The next opening
/// does not find what is stored there. Bytes that are copied over the open file cannot be told from SQLite's own.
struct FilePlace: Sendable {
    private struct Identity: Sendable, Equatable {
        let device: UInt64
        let inode: UInt64
    }

    private let path: String
    private let identity: Identity?

    init(_ path: String) throws(VaultError) {
        self.path = path
        identity = try Self.identity(at: path)
    }

    /// - Throws: `.replaced` if the path names another file by now, or none; `.storage`.
    func check() throws(VaultError) {
        let present = try Self.identity(at: path)
        guard present != identity else { return }
        // Perhaps nobody has another copy of the file that is there now.
        let (what, first) =
            present == nil ? ("removed", "") : ("replaced", "have root move the other file away, and keep it; ")
        throw VaultError(
            .replaced, "the vault's file \(path) was \(what) while cofferd had it open, so nothing is stored",
            advice:
                "\(first)if the former file still exists, have root move it back; otherwise save its secrets with: coffer "
                + "export --passphrase --skip-unreadable --output FILE; then have root copy the file back, which "
                + "cofferd still has open (ls -l /proc/$(pidof cofferd)/fd shows it as deleted, with its number N): "
                + "cp -pL /proc/$(pidof cofferd)/fd/N \(path), and restart cofferd")
    }

    /// - Returns: nil if nothing is there.
    private static func identity(at path: String) throws(VaultError) -> Identity? {
        do throws(SystemError) {
            return try FileStatus.of(path).map { Identity(device: $0.device, inode: $0.inode) }
        } catch {
            throw VaultError(
                .storage, "the vault's files cannot be used: \(error.message)",
                advice: "check the disk and its permissions", cause: error)
        }
    }
}
