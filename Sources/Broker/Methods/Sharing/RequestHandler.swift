import BrokerProtocol
import Circle
import Cryptography
import Platform
import Varlink

/// `Request`: the request to join, and its code. Nobody is asked, because nothing is shared yet.
enum RequestHandler: SharingHandler {
    typealias Method = Sync.Request

    static func reply(to method: Sync.Request, _ request: Request) async throws(Fault) -> MethodAnswer {
        let name = try SharingWire.name(method.name)
        try await SharingPrecondition.checkMade(request)
        let made = try await request.vaultActor.sharing.request(
            in: request.vaultActor, name, renewing: method.renew ?? false)
        let code = try SharingWire.form { () throws(CircleFormError) in try JoinCode(of: made) }
        let (place, sealed, text) = try SharingWire.cryptography { () throws(CryptographyError) in
            let place = try code.place
            return (
                place,
                try AESGCM.seal(
                    SecretBytes(copying: made.bytes), key: code.requestKey, associatedData: place.bytes),
                try code.text
            )
        }
        let identity = try await request.vaultActor.sharing.identity(in: request.vaultActor, for: made)
        let shown = try identity.map { (identity) throws(Fault) in
            Sync.File(
                path: StorePath.proof(.identity, place).text,
                content: Base64.encode(
                    try SharingWire.cryptography { () throws(CryptographyError) in
                        try code.seal(identity.bytes, .identity)
                    }))
        }
        return .reply(
            Sync.Request.Reply(
                code: text.withBytes { bytes in String(decoding: bytes.indices.map { bytes[$0] }, as: UTF8.self) },
                request: Sync.File(path: StorePath.request(place).text, content: Base64.encode(sealed)),
                answer: StorePath.answer(place).text, identity: shown))
    }
}
