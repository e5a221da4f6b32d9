import Cryptography
import Platform

/// What one recipient needs to get at the file key.
struct AgeStanza: Equatable {
    var arguments: [String]
    var body: [UInt8]

    var text: String {
        let base64 = Array(AgeBase64.encode(body).utf8)
        var lines = ["-> " + arguments.joined(separator: " ")]
        var start = 0
        // The last line is shorter than the others, and may be empty.
        while start + AgeLimits.column <= base64.count {
            lines.append(String(decoding: base64[start..<start + AgeLimits.column], as: UTF8.self))
            start += AgeLimits.column
        }
        lines.append(String(decoding: base64[start...], as: UTF8.self))
        return lines.joined(separator: "\n") + "\n"
    }
}

/// The textual beginning of a file: its stanzas and its MAC.
struct AgeHeader {
    static let version = "age-encryption.org/v1\n"
    private static let macMark = Array("---".utf8)

    var stanzas: [AgeStanza]
    /// What the MAC is for: everything up to `---`.
    let authenticated: [UInt8]
    let mac: [UInt8]
    /// The number of bytes of the header.
    let count: Int

    static func text(_ stanzas: [AgeStanza], fileKey: SecretBytes) throws(AgeError) -> [UInt8] {
        let text = Array((version + stanzas.map(\.text).joined() + "---").utf8)
        let mac = try mac(of: text, fileKey: fileKey)
        return text + Array(" \(AgeBase64.encode(mac))\n".utf8)
    }

    static func mac(of text: [UInt8], fileKey: SecretBytes) throws(AgeError) -> [UInt8] {
        try cryptographic { () throws(CryptographyError) in
            let key = try HKDF.derive(fileKey, salt: [], info: Array("header".utf8), count: 32)
            return try HMACSHA256.code(for: text, key: key)
        }
    }

    /// - Throws: `.wrongMAC` if the header is not the one that was made with the file key.
    func check(fileKey: SecretBytes) throws(AgeError) {
        guard ConstantTime.equal(try Self.mac(of: authenticated, fileKey: fileKey), mac) else {
            throw AgeError(.wrongMAC, "its header was changed")
        }
    }

    init(reading file: [UInt8]) throws(AgeError) {
        var lines = Lines(bytes: file)
        guard try lines.next().elementsEqual(Self.version.utf8.dropLast()) else {
            throw AgeError(.malformedHeader, "it is no file of age, or of a newer version")
        }
        stanzas = []
        while true {
            let start = lines.at
            let line = try lines.next()
            if line.starts(with: Self.macMark) {
                guard line.count > 4, line[line.startIndex + 3] == 0x20, let mac = AgeBase64.decode(line.dropFirst(4)),
                    mac.count == HMACSHA256.count
                else { throw Self.malformed }
                self.mac = mac
                authenticated = Array(file[..<(start + Self.macMark.count)])
                count = lines.at
                break
            }
            guard stanzas.count < AgeLimits.stanzas else { throw Self.malformed }
            stanzas.append(try Self.stanza(line, &lines))
        }
        guard !stanzas.isEmpty else { throw Self.malformed }
    }

    private static let malformed = AgeError(.malformedHeader, "its header does not follow the age format")

    private static func stanza(_ line: ArraySlice<UInt8>, _ lines: inout Lines) throws(AgeError) -> AgeStanza {
        guard line.starts(with: Array("-> ".utf8)) else { throw malformed }
        let arguments = line.dropFirst(3).split(separator: 0x20, omittingEmptySubsequences: false)
        guard !arguments.isEmpty,
            arguments.allSatisfy({ !$0.isEmpty && $0.allSatisfy { (0x21...0x7E).contains($0) } })
        else { throw malformed }
        var base64: [UInt8] = []
        while true {
            let body = try lines.next()
            guard body.count <= AgeLimits.column else { throw malformed }
            base64 += body
            if body.count < AgeLimits.column { break }
        }
        guard let body = AgeBase64.decode(base64) else { throw malformed }
        return AgeStanza(arguments: arguments.map { String(decoding: $0, as: UTF8.self) }, body: body)
    }

    /// Lines that end with a line feed, within the limit of a header.
    private struct Lines {
        let bytes: [UInt8]
        var at = 0

        mutating func next() throws(AgeError) -> ArraySlice<UInt8> {
            let limit = min(bytes.count, AgeLimits.header)
            guard at < limit, let end = bytes[at..<limit].firstIndex(of: 0x0A) else { throw malformed }
            defer { at = end + 1 }
            return bytes[at..<end]
        }
    }
}

/// Base64 without padding, and only in its canonical form.
enum AgeBase64 {
    static func encode(_ bytes: [UInt8]) -> String {
        String(Base64.encode(bytes).prefix { $0 != "=" })
    }

    /// - Returns: nil for padding, other characters, and any other spelling of the same bytes.
    static func decode(_ text: some Sequence<UInt8>) -> [UInt8]? {
        let text = String(decoding: Array(text), as: UTF8.self)
        guard !text.contains("=") else { return nil }
        let padding = String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
        return Base64.decode(text + padding)
    }
}
