import Varlink

extension Keychain {
    /// Whether there is a recovery code.
    public struct RecoveryState: Codable, Sendable, Equatable {
        /// When the valid one was made; nil where there is none.
        public var made: Int64?

        public init(made: Int64? = nil) { self.made = made }
    }

    /// Makes a recovery code, which counts once `ConfirmRecoveryCode` has brought one group of it back.
    public struct NewRecoveryCode: VarlinkMethod {
        public static let name = "org.coffer.Keychain.NewRecoveryCode"
        public var challenge: String?

        public init(challenge: String? = nil) { self.challenge = challenge }

        public struct Reply: Codable, Sendable, Equatable {
            /// Six groups of five, joined by `-`.
            public var code: String
            /// Which group is to be brought back, from 1.
            public var part: Int64

            public init(code: String, part: Int64) {
                self.code = code
                self.part = part
            }
        }
    }

    /// Makes the code that this process was given last the valid one.
    public struct ConfirmRecoveryCode: VarlinkMethod {
        public static let name = "org.coffer.Keychain.ConfirmRecoveryCode"
        /// The group that was asked back.
        public var characters: String

        public init(characters: String) { self.characters = characters }

        public struct Reply: Codable, Sendable, Equatable {
            public var made: Int64

            public init(made: Int64) { self.made = made }
        }
    }
}
