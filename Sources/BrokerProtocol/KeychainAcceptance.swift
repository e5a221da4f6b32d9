import Varlink

extension Keychain {
    /// The kind of `Damaged` that `AcceptVault` is the way forward from: an older copy of the file, or a counter that is gone.
    public static let rollback = "rollback"

    /// Has root take a vault's file for the newest, though the TPM has not counted it so.
    public struct AcceptVault: VarlinkMethod {
        public static let name = "org.coffer.Keychain.AcceptVault"
        public typealias Reply = VaultReply
        public var challenge: String?

        public init(challenge: String? = nil) { self.challenge = challenge }
    }
}
