import Coffer
import Cryptography

/// Names the item that holds a file's key. Each write of a file makes a new one.
struct FileID: Sendable, Hashable {
    static let count = 16

    let bytes: [UInt8]

    /// - Returns: nil unless there are 16 bytes.
    init?(_ bytes: some Collection<UInt8>) {
        guard bytes.count == Self.count else { return nil }
        self.bytes = Array(bytes)
    }

    /// - Returns: nil unless these are 32 hexadecimal digits, in lower case.
    init?(hexadecimal text: some StringProtocol) {
        let digits = text.utf8.map { (digit) -> UInt8? in
            switch digit {
            case 0x30...0x39: digit - 0x30
            case 0x61...0x66: digit - 0x61 + 10
            default: nil
            }
        }
        guard digits.count == 2 * Self.count else { return nil }
        var bytes: [UInt8] = []
        for place in 0..<Self.count {
            guard let high = digits[2 * place], let low = digits[2 * place + 1] else { return nil }
            bytes.append(high << 4 | low)
        }
        self.bytes = bytes
    }

    static func random() throws(KeychainError) -> FileID {
        do throws(CryptographyError) { return FileID(unchecked: try Random.bytes(count)) } catch {
            throw KeychainError(cryptography: error)
        }
    }

    private init(unchecked bytes: [UInt8]) { self.bytes = bytes }

    /// 32 digits.
    var hexadecimal: String {
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }
}
