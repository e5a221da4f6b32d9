import Cryptography
import Glibc
import JSON
import Platform

/// Credentials as a program prints them.
///
/// Two lines are a name and a secret. An object is what AWS calls the output of a credential process, or what a cloud's
/// machines get from its metadata service, where the token has another name.
struct GivenKeys: Sendable {
    let keys: RemoteKeys
    /// Seconds since 1970-01-01 UTC; nil if they do not end by themselves.
    let end: Int64?

    /// - Throws: `.notUnderstood`.
    init(_ output: [UInt8]) throws(CredentialsFailure) {
        let first = output.first { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }
        self = try first == UInt8(ascii: "{") ? Self.object(output) : Self.lines(output)
    }

    private init(name: String, secret: [UInt8], token: [UInt8]?, end: Int64?) throws(CredentialsFailure) {
        let isWhole =
            (1...CredentialsLimits.longest).contains(name.utf8.count)
            && (1...CredentialsLimits.longest).contains(secret.count)
            && token.map { (1...CredentialsLimits.token).contains($0.count) } ?? true
        guard isWhole, Self.isText(Array(name.utf8)), Self.isText(secret), Self.isText(token ?? []) else {
            throw .notUnderstood
        }
        do throws(CryptographyError) {
            keys = RemoteKeys(
                name: name, secret: try SecretBytes(copying: secret),
                token: try token.map { (bytes) throws(CryptographyError) in try SecretBytes(copying: bytes) })
        } catch { throw .notRun(SystemError("keep credentials", errno: ENOMEM)) }
        self.end = end
    }

    /// A line break would begin another header, and no maker has other control characters.
    private static func isText(_ bytes: [UInt8]) -> Bool { bytes.allSatisfy { $0 >= 0x20 && $0 != 0x7F } }

    private static func lines(_ output: [UInt8]) throws(CredentialsFailure) -> GivenKeys {
        var lines = output.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            .map { $0.last == UInt8(ascii: "\r") ? $0.dropLast() : $0 }
        if lines.last?.isEmpty == true { lines.removeLast() }
        guard lines.count == 2, let name = String(validating: lines[0], as: UTF8.self) else { throw .notUnderstood }
        return try GivenKeys(name: name, secret: Array(lines[1]), token: nil, end: nil)
    }

    private static func object(_ output: [UInt8]) throws(CredentialsFailure) -> GivenKeys {
        let answer: Answer
        do throws(JSONFailure) { answer = try JSONReader.read(Answer.self, from: output) } catch {
            throw .notUnderstood
        }
        // Two tokens, or another version, are for a reader that knows more.
        guard let name = answer.name, let secret = answer.secret, answer.version ?? 1 == 1,
            answer.token == nil || answer.sessionToken == nil
        else { throw .notUnderstood }
        let end = try answer.expiration.map { (text) throws(CredentialsFailure) in
            guard let end = CivilCalendar.moment(ofStamp: text) else { throw .notUnderstood }
            return end
        }
        return try GivenKeys(
            name: name, secret: Array(secret.utf8), token: (answer.sessionToken ?? answer.token).map { Array($0.utf8) },
            end: end)
    }

    private struct Answer: JSONReadable {
        private static let names = [
            "AccessKeyId", "Expiration", "SecretAccessKey", "SessionToken", "Token", "Version",
        ]

        var name: String?
        var expiration: String?
        var secret: String?
        var sessionToken: String?
        var token: String?
        var version: Int?

        init(from reader: inout JSONReader) throws(JSONFailure) {
            var members = try reader.members()
            while let member = try reader.next(&members, of: Self.names) {
                switch member {
                case 0: name = try reader.read()
                case 1: expiration = try reader.read()
                case 2: secret = try reader.read()
                case 3: sessionToken = try reader.read()
                case 4: token = try reader.read()
                default: version = try reader.read()
                }
            }
        }
    }
}
