import Platform

/// Watches that exactly the fingers of one set are enrolled while PAM asks for one of them. Nobody knows which finger PAM accepts, and a
/// person who knows the login password can enrol one for that moment.
struct FingerWatch {
    private let biometry: Biometry
    private let account: Account
    private let before: TemplateSet.Look

    /// Looks for the first time. PAM is asked after this.
    /// - Parameter set: the digest that the enrolled fingers must have.
    /// - Throws: ``ConversationError`` if they have another one, or cannot be trusted.
    init(_ set: [UInt8], of account: Account, _ biometry: Biometry) throws(ConversationError) {
        self.biometry = biometry
        self.account = account
        before = try Self.look(biometry, account)
        guard before.digest == set else { throw .refused(.failed(Biometry.changed)) }
    }

    /// Looks again, after PAM has accepted a finger.
    /// - Throws: ``ConversationError`` if a finger was enrolled or removed meanwhile, also if that was undone.
    func check() throws(ConversationError) {
        guard try Self.look(biometry, account) == before else { throw .refused(.failed(Biometry.disturbed)) }
    }

    private static func look(
        _ biometry: Biometry, _ account: Account
    ) throws(ConversationError) -> TemplateSet.Look {
        do throws(BiometryObstacle) { return try biometry.storedFingers(of: account) } catch {
            throw .refused(.failed(error.words))
        }
    }
}
