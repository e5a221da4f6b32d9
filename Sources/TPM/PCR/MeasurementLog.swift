/// The firmware's record of its measurements, for predicting the registers' values after a change. It is only a claim:
/// the registers themselves show whether it is true. TCG PC Client Platform Firmware Profile, section 10 ("crypto
/// agile" form, little-endian).
public struct MeasurementLog: Sendable, Hashable {
    public struct Event: Sendable, Hashable {
        public let register: Int
        public let type: UInt32
        /// The digest in the SHA-256 bank, 32 bytes.
        public var digest: [UInt8]
        /// The firmware's description of what it measured.
        public var data: [UInt8] = []
    }

    /// The measurements in order.
    public var events: [Event]
    /// The last byte of register 0 before its first measurement. It is the locality that started the TPM.
    public let startupLocality: UInt8

    /// Parses a log of at most 4 MiB.
    ///
    /// - Throws: `.damaged`; `.unsupported` if the log has no SHA-256 digests.
    public init(parsing bytes: [UInt8]) throws(TPMError) {
        guard bytes.count <= 4 << 20 else { throw TPMError(.damaged, "the firmware's log is longer than 4 MiB") }
        var reader = LogReader(bytes)
        let sizes = try reader.header()
        guard sizes[PublicArea.nameAlgorithm] == 32 else {
            throw TPMError(.unsupported, "the firmware's log has no SHA-256 digests")
        }
        var (events, locality): ([Event], UInt8) = ([], 0)
        while !reader.isAtEnd {
            let (register, type) = (try reader.number32(), try reader.number32())
            var digest: [UInt8]?
            let count = try reader.number32()
            guard count <= 16 else { throw TPMError(.damaged, "an event of the firmware's log has too many digests") }
            for _ in 0..<count {
                let algorithm = try reader.number16()
                guard let size = sizes[algorithm] else { throw TPMError(.damaged, "an unknown digest in the log") }
                let value = try reader.take(size)
                if algorithm == PublicArea.nameAlgorithm { digest = value }
            }
            let data = try reader.take(Int(try reader.number32()))
            if type == Self.noAction {
                let signature = Array("StartupLocality\0".utf8)
                if register == 0, data.count == 17, data.starts(with: signature) { locality = data[16] }
                continue
            }
            guard register < 24, let digest else { throw TPMError(.damaged, "an event of the log was never measured") }
            events.append(Event(register: Int(register), type: type, digest: digest, data: data))
        }
        self.events = events
        startupLocality = locality
    }

    /// `EV_NO_ACTION`. Such an event is not measured.
    private static let noAction: UInt32 = 3

    /// The registers' values after these events, 32 bytes each.
    public func values(_ selection: PCRSelection) throws(TPMError) -> [Int: [UInt8]] {
        var values: [Int: [UInt8]] = [:]
        for register in selection.registers {
            // Registers 17 to 22 start with ones. A dynamic launch sets them to zeros.
            values[register] = [UInt8](repeating: (17...22).contains(register) ? 0xFF : 0, count: 32)
        }
        if selection.registers.contains(0) { values[0]?[31] = startupLocality }
        for event in events {
            guard let value = values[event.register] else { continue }
            values[event.register] = try Digest.sha256(value + event.digest)
        }
        return values
    }

    /// The state after the same boot with some digests replaced.
    ///
    /// - Throws: `.damaged` if a digest to replace was not measured.
    public func predicted(
        _ selection: PCRSelection, replacing changes: [[UInt8]: [UInt8]] = [:]
    ) throws(TPMError) -> PCRState {
        var log = self
        var unseen = Set(changes.keys)
        for index in log.events.indices {
            guard let new = changes[log.events[index].digest] else { continue }
            guard new.count == 32 else { throw TPMError(.damaged, "a measured digest is not 32 bytes") }
            unseen.remove(log.events[index].digest)
            log.events[index].digest = new
        }
        guard unseen.isEmpty else { throw TPMError(.damaged, "a digest to replace was not measured in this boot") }
        return try PCRState(selection: selection, values: log.values(selection))
    }
}
