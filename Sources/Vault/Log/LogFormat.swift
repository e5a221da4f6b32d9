import Authorization
import Cryptography
import JSON
import Platform

/// The head of a log's file. It tells where the chain begins (docs/vault-format.md, "The access log").
struct LogStart: Sendable, Equatable {
    static let magic = Array("COFFERL1".utf8)
    static let count = 8 + 2 + 16 + 8 + SHA256.count + SHA256.count

    /// The number of the first record.
    let first: UInt64
    /// The MAC of the record before it.
    let previous: [UInt8]
}

extension LogStart {
    /// The vault that a log file claims to belong to; nil if the file is not a log. The claim is not authenticated.
    static func vault(ofFile path: String) throws(SystemError) -> VaultID? {
        guard let status = try FileStatus.of(path), status.isRegular, status.size >= count,
            status.size <= 4 * AccessLogLimits.size
        else { return nil }
        let bytes = try DurableFile.read(path, limit: 4 * AccessLogLimits.size)
        guard bytes.count >= count, Array(bytes[..<8]) == magic else { return nil }
        return VaultID(bytes: Array(bytes[10..<26]))
    }
}

/// A record as the file has it.
struct LogFrame: Sendable {
    let sequence: UInt64
    let sealed: [UInt8]
    let mac: [UInt8]

    var encoded: [UInt8] { BigEndian.bytes(UInt32(sealed.count)) + BigEndian.bytes(sequence) + sealed + mac }

    var count: Int { 4 + 8 + sealed.count + mac.count }
}

/// Seals and chains the records of one vault's log.
struct LogFormat: Sendable {
    private let format: FormatContext
    private let chain: SecretBytes
    private let metadata: SecretBytes

    init(keys: VaultKeys, format: FormatContext) {
        self.format = format
        chain = keys.log
        metadata = keys.metadata
    }

    func encode(_ start: LogStart) throws(CryptographyError) -> [UInt8] {
        let content =
            LogStart.magic + BigEndian.bytes(FormatContext.format) + format.vault.bytes + BigEndian.bytes(start.first)
            + start.previous
        return content + (try HMACSHA256.code(for: format.bind("org.coffer.log.start", content), key: chain))
    }

    /// - Returns: nil unless the head is this vault's own.
    func start(of file: [UInt8]) throws(CryptographyError) -> LogStart? {
        guard file.count >= LogStart.count else { return nil }
        let first = file[26..<34].reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
        let start = LogStart(first: first, previous: Array(file[34..<66]))
        return ConstantTime.equal(try encode(start), Array(file[..<LogStart.count])) ? start : nil
    }

    func seal(_ record: AccessRecord, sequence: UInt64, after previous: [UInt8]) throws(VaultError) -> LogFrame {
        try cryptography { () throws(CryptographyError) in
            let content = try SecretBytes(copying: JSONWriter.bytes(of: record))
            let sealed = try AESGCM.seal(
                Padding.add(content, upTo: SizeClass.metadata(content.count)), key: metadata,
                associatedData: format.bind("org.coffer.log.body", BigEndian.bytes(sequence)))
            return LogFrame(
                sequence: sequence, sealed: sealed,
                mac: try HMACSHA256.code(for: message(sequence, sealed, previous), key: chain))
        }
    }

    /// Whether this frame was written directly after the record with the MAC `previous`.
    func isValid(_ frame: LogFrame, after previous: [UInt8]) throws(CryptographyError) -> Bool {
        try HMACSHA256.isValid(frame.mac, for: message(frame.sequence, frame.sealed, previous), key: chain)
    }

    /// Opens a frame. Check it with `isValid` first.
    ///
    /// - Throws: `.damaged` or `.storage` if the frame is not a readable record.
    func open(_ frame: LogFrame) throws(VaultError) -> AccessRecord {
        let content = try Padding.remove(
            cryptography { () throws(CryptographyError) in
                try AESGCM.open(
                    frame.sealed, key: metadata,
                    associatedData: format.bind("org.coffer.log.body", BigEndian.bytes(frame.sequence)))
            }, "a record", sizeClass: SizeClass.metadata)
        let text = content.withBytes { bytes in (0..<bytes.count).map { bytes[$0] } }
        do throws(JSONFailure) {
            var record = try JSONReader.read(AccessRecord.self, from: text)
            record.sequence = frame.sequence
            return record
        } catch {
            throw VaultError(.storage, "a record of the access log cannot be read", cause: error)
        }
    }

    private func message(_ sequence: UInt64, _ sealed: [UInt8], _ previous: [UInt8]) -> [UInt8] {
        format.bind("org.coffer.log.record", BigEndian.bytes(sequence), previous, sealed)
    }
}

/// The contents of a log's file, as far as they can be parsed.
struct LogContent: Sendable {
    let start: LogStart?
    /// The frames in the order of the file. Their chain is not yet checked.
    let frames: [LogFrame]
    /// How many bytes follow the last complete frame.
    let rest: Int

    init(_ bytes: [UInt8], _ format: LogFormat) throws(CryptographyError) {
        start = try format.start(of: bytes)
        var frames: [LogFrame] = []
        var place = LogStart.count
        while start != nil, bytes.count - place >= 12 {
            let count = bytes[place..<place + 4].reduce(0) { $0 << 8 | Int($1) }
            let end = place + 12 + count + SHA256.count
            guard count <= AccessLogLimits.record, end <= bytes.count else { break }
            frames.append(
                LogFrame(
                    sequence: bytes[place + 4..<place + 12].reduce(0) { $0 << 8 | UInt64($1) },
                    sealed: Array(bytes[place + 12..<place + 12 + count]),
                    mac: Array(bytes[end - SHA256.count..<end])))
            place = end
        }
        self.frames = frames
        rest = max(0, bytes.count - place)
    }

    /// The previous MAC, which this frame's MAC covers.
    func previous(of index: Int) -> [UInt8] { index == 0 ? start?.previous ?? [] : frames[index - 1].mac }

    /// How many frames, counted from `first`, form an unbroken chain.
    func validCount(from first: Int, _ format: LogFormat) throws(CryptographyError) -> Int {
        guard let start else { return 0 }
        for index in first..<frames.count {
            guard frames[index].sequence == start.first &+ UInt64(index) else { return index - first }
            guard try format.isValid(frames[index], after: previous(of: index)) else { return index - first }
        }
        return frames.count - first
    }
}
