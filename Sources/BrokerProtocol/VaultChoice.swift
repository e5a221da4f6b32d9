import Varlink

extension Keychain {
    /// Which vault a call is about; all methods but `CreateVault` take these. With neither it is the caller's own.
    public struct VaultChoice: Codable, Sendable, Hashable {
        /// A group's name: the caller must be a member.
        public var group: String?
        /// The name of an account with a service vault: root only.
        public var user: String?

        public init(group: String? = nil, user: String? = nil) {
            self.group = group
            self.user = user
        }
    }

    /// A method together with the vault that it is about: on the wire the parameters of both are one object.
    public struct InVault<Method: VarlinkMethod>: VarlinkMethod {
        public typealias Reply = Method.Reply
        public static var name: String { Method.name }

        public var method: Method
        public var vault: VaultChoice

        public init(_ method: Method, _ vault: VaultChoice) {
            self.method = method
            self.vault = vault
        }

        public init(from decoder: any Decoder) throws {
            method = try Method(from: decoder)
            vault = try VaultChoice(from: decoder)
        }

        public func encode(to encoder: any Encoder) throws {
            try method.encode(to: encoder)
            try vault.encode(to: encoder)
        }
    }
}
