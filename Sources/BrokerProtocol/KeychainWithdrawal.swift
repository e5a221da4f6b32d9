import Varlink

extension Keychain {
    /// Takes back a challenge that the client can have nobody pass.
    public struct Withdraw: VarlinkMethod {
        public static let name = "org.coffer.Keychain.Withdraw"
        public typealias Reply = Nothing
        public var challenge: String

        public init(challenge: String) { self.challenge = challenge }
    }
}
