import Cryptography
import SystemBus

/// How secrets travel between one client and the provider.
struct BusSession: Sendable {
    let id: String
    /// The connection that opened it. No other one may use it.
    let owner: String
    /// nil: secrets travel as they are (the algorithm `plain`).
    let key: SecretBytes?

    var path: String { ObjectPath.pathOfSession(id) }

    /// A secret as the bus has it: session, parameters, value, content type.
    func seal(_ secret: SecretBytes, contentType: String) throws(ServiceError) -> BusValue {
        do throws(CryptographyError) {
            var (parameters, value) = (try SecretBytes(copying: []), secret)
            if let key {
                let vector = try Random.bytes(AESCBC.blockCount)
                parameters = try SecretBytes(copying: vector)
                value = try AESCBC.encrypt(secret, key: key, vector: vector)
            }
            return .structure([.path(path), .bytes(parameters), .bytes(value), .text(contentType)])
        } catch { throw ServiceError(error) }
    }

    func open(parameters: SecretBytes, value: SecretBytes) throws(ServiceError) -> SecretBytes {
        guard let key else { return value }
        do throws(CryptographyError) {
            return try AESCBC.decrypt(value, key: key, vector: parameters.copied())
        } catch { throw .invalid("the secret cannot be decrypted: \(error.reason)") }
    }
}

/// A secret that a client has sent.
struct ReceivedSecret: Sendable {
    let session: String
    let parameters: SecretBytes
    let value: SecretBytes
    let contentType: String

    init?(_ argument: BusValue) {
        guard case .structure(let members) = argument, members.count == 4, let session = members[0].path,
            let parameters = members[1].bytes, let value = members[2].bytes, let contentType = members[3].text
        else { return nil }
        self.session = session
        self.parameters = parameters
        self.value = value
        self.contentType = contentType
    }
}

/// Algorithms of sessions, as `OpenSession` names them.
enum SessionAlgorithm: String {
    case plain
    case diffieHellman = "dh-ietf1024-sha256-aes128-cbc-pkcs7"

    /// Agrees on a key.
    /// - Parameter input: what the client sent for it.
    /// - Returns: what the client needs for it, and the key.
    func negotiate(_ input: BusValue?) throws(ServiceError) -> (output: BusValue, key: SecretBytes?) {
        switch self {
        case .plain:
            guard input?.text != nil else { throw .invalid("the algorithm plain takes an empty text") }
            return (.text(""), nil)
        case .diffieHellman:
            // Java's numbers have a zero before a first byte of 128 or more.
            guard let theirs = input?.bytes, theirs.count <= ModularDiffieHellman.count + 1 else {
                throw .invalid("the algorithm \(rawValue) takes a public key of 128 bytes")
            }
            do throws(CryptographyError) {
                let mine = try ModularDiffieHellman.PrivateKey.generate()
                let shared = try mine.sharedSecret(with: theirs.copied())
                let key = try HKDF.derive(shared, salt: [], info: [], count: AESCBC.keyCount)
                return (.bytes(try SecretBytes(copying: mine.publicKey)), key)
            } catch {
                guard error.code == .invalidKey else { throw ServiceError(error) }
                throw .invalid(error.reason)
            }
        }
    }
}
