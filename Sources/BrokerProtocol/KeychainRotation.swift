import Varlink

extension Keychain {
    /// Gives one item a fresh key. Its value stays where it is: in the broker.
    public struct Rotate: VarlinkMethod {
        public static let name = "org.coffer.Keychain.Rotate"
        public typealias Reply = ItemReply
        public var service: String
        public var account: String?
        public var unlock: Bool?
        /// Base64; where the item has one: the key is put under it anew.
        public var applicationPassword: String?
        public var challenge: String?

        public init(
            service: String, account: String? = nil, unlock: Bool? = nil, applicationPassword: String? = nil,
            challenge: String? = nil
        ) {
            self.service = service
            self.account = account
            self.unlock = unlock
            self.applicationPassword = applicationPassword
            self.challenge = challenge
        }
    }
    /// An item's application password, for a call that is about several items.
    public struct ItemPassword: Codable, Sendable, Equatable {
        /// The item's id.
        public var item: String
        /// Base64.
        public var password: String

        public init(item: String, password: String) {
            self.item = item
            self.password = password
        }
    }

    /// Renews all keys of the vault: every item is sealed anew, and a fresh vault takes the place of the one there is.
    public struct RotateAll: VarlinkMethod {
        public static let name = "org.coffer.Keychain.RotateAll"
        /// Of the items that have one, all of them.
        public var applicationPasswords: [ItemPassword]?
        public var challenge: String?

        public init(applicationPasswords: [ItemPassword]? = nil, challenge: String? = nil) {
            self.applicationPasswords = applicationPasswords
            self.challenge = challenge
        }

        public struct Reply: Codable, Sendable, Equatable {
            /// How many items were sealed anew; nil while it is not done.
            public var items: Int64?
            /// The items whose application password has to come with the call; then nothing was done.
            public var passwords: [Item]
            /// Whether the TPM has let go of the keys before; where not, it is tried again whenever the vault is opened.
            public var revoked: Bool

            public init(items: Int64?, passwords: [Item] = [], revoked: Bool = false) {
                self.items = items
                self.passwords = passwords
                self.revoked = revoked
            }
        }
    }
}
