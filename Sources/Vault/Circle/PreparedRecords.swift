import Authorization
import Circle
import Cryptography
import Item

/// Records that a device is about to give out. They count once its stream key has signed the head.
package struct PreparedRecords: Sendable {
    let segments: [RecordSegment]
    let head: StreamHead
    /// The device's row before, and from now on.
    let before: CircleDevice?
    let after: CircleDevice
    /// The rows of changes that are given out with these records.
    var given: [UInt64]
    /// The values whose added slots are given out with these records, by the changes that gave them.
    var givenSlots: [RevisionName] = []
    let streamPassword: SecretBytes
    /// What else is stored with these records.
    var besides: [(row: CircleRow, content: [UInt8])] = []

    /// Whether changes that wait are not among them.
    package var isWithoutChanges: Bool { given.isEmpty && givenSlots.isEmpty }

    /// What the stream key signs: SHA-256 of the head, 32 bytes.
    package var digest: [UInt8] {
        get throws(VaultError) {
            try cryptography { () throws(CryptographyError) in try SHA256.digest(head.bytes) }
        }
    }

    package var signing: (key: SealedObject, point: [UInt8], password: SecretBytes) {
        (after.signingKeys.stream, after.keys.stream, streamPassword)
    }
}

/// Puts bodies of records into a device's stream.
struct RecordWriter {
    private var device: CircleDevice
    private let before: CircleDevice?
    private let run: RunID
    private let room: Int
    private var chain: ChainHash
    private var number: UInt64
    private var segments: [RecordSegment] = []
    /// The records of the next segment, and what is before it.
    private var open: [CircleRecord] = []
    private var start: ChainHash
    private var size = 0

    /// - Parameters:
    ///   - end: the end of the device's stream as it or the store knows it.
    ///   - run: this opening's. If the stream ends in another one, a run begins behind it.
    ///   - before: the row that must still be there; nil for a device that is new.
    ///   - room: how many bytes of records a segment has at most.
    init(
        _ device: CircleDevice, after end: RunEnd?, in run: RunID, before: CircleDevice?, room: Int = RecordWriter.room
    ) throws(VaultError) {
        (self.device, self.run, self.before, self.room) = (device, run, before, room)
        if let end, end.run == run {
            (chain, number) = (end.chain, end.number)
        } else {
            self.device.predecessor = end
            number = end?.number ?? 0
            do throws(CircleFormError) {
                chain = try ChainHash(circle: device.circle, device: device.id, run: run, after: end)
            } catch { throw .impossible(error) }
        }
        start = chain
    }

    /// - Parameter generation: with the private half of its metadata key; nil for what everybody can open.
    mutating func add(
        _ body: RecordBody, _ generation: (name: StatementName, half: X25519.PrivateKey)?
    ) throws(VaultError) {
        do throws(CircleFormError) {
            let header = try CircleRecord.Header(
                circle: device.circle, device: device.id, run: run, number: number + 1, generation: generation?.name)
            let record: CircleRecord
            do throws(VaultError) { record = try RecordSealing.seal(body, in: header, half: generation?.half) } catch {
                throw .hash
            }
            let count = record.bytes.count + 4
            if size + count > room || open.count == CircleLimits.records { try close() }
            open.append(record)
            size += count
            number += 1
            chain = try chain.followed(by: record.bytes)
        } catch { throw .impossible(error) }
    }

    /// The length of a segment, without more than it has besides its records.
    static let room = CircleLimits.segment - 256

    private mutating func close() throws(CircleFormError) {
        guard !open.isEmpty else { return }
        segments.append(try RecordSegment(before: start, records: open))
        (open, size, start) = ([], 0, chain)
    }

    mutating func finish(
        seen: [SeenEnd], stateDigest: [UInt8], time: UInt64, given: [UInt64], streamPassword: SecretBytes
    ) throws(VaultError) -> PreparedRecords {
        do throws(CircleFormError) {
            try close()
            guard let end = RunEnd(run: run, number: number, chain: chain) else { throw .range }
            device.end = end
            let head = try StreamHead(
                circle: device.circle, device: device.id, predecessor: device.predecessor, end: end,
                time: min(time, PartStamp.last), stateDigest: stateDigest, seen: seen)
            return PreparedRecords(
                segments: segments, head: head, before: before, after: device, given: given,
                streamPassword: streamPassword)
        } catch { throw .impossible(error) }
    }
}

extension CircleView {
    /// The end of this device's stream. The store may know a later one, if this vault was rolled back.
    var ownEnd: RunEnd? {
        guard let shown = streams[device.id]?.newest?.head.end else { return device.end }
        guard let end = device.end else { return shown }
        return shown.number > end.number ? shown : end
    }

    /// What a run begins with: the head of the run before, so that who sees the newest head alone finds both.
    ///
    /// - Parameter run: this opening's.
    func beginning(of run: RunID) -> [RecordBody] {
        guard let end = ownEnd, end.run != run, let head = streams[device.id]?.newest, head.head.end == end else {
            return []
        }
        return [.head(head)]
    }
}
