import Authorization
import Circle
import Cryptography
import Foundation
import Vault

extension GrownCircle {
    /// All files of the store, the beacon too.
    package var files: [(path: StorePath, content: [UInt8])] {
        var files: [(path: StorePath, content: [UInt8])] = []
        for device in devices { files += device.segments.map { ($0.place, $0.bytes) } }
        files += heads.map { (.head(circle: circle, device: $0.head.device), $0.bytes) }
        return files + [(.beacon(circle: circle), Array("first".utf8))]
    }

    /// Those that one more change adds or replaces.
    package var filesOfOneMore: [(path: StorePath, content: [UInt8])] {
        guard let (segment, head) = oneMore else { return [] }
        return [
            (segment.place, segment.bytes), (.head(circle: circle, device: head.head.device), head.bytes),
            (.beacon(circle: circle), Array("second".utf8)),
        ]
    }

    /// What the founder answers to the machine that was added with the last ones.
    ///
    /// - Parameter swapping: whether it gives the halves of each generation for another one, as a broker that was taken over
    ///   can do.
    package func answer(to request: JoinRequest, swapping: Bool = false) throws -> JoinAnswer {
        let ephemeral = try X25519.PrivateKey.generate()
        let info = JoinAnswer.keyInfo(circle: circle, request: request.digest, ephemeral: ephemeral.publicKey)
        let sorted = generations.sorted { $0.public.name < $1.public.name }
        let sealed = try AESGCM.seal(
            .concatenating((swapping ? sorted.reversed() : sorted).map { try $0.halves.whole() }),
            key: Agreement.key(ephemeral, request.oneTimeKey, info), associatedData: info)
        return try JoinAnswer(
            request: request.digest, circle: circle, adder: devices[0].keys.device,
            statements: statements.sorted { $0.statement.name < $1.statement.name },
            generations: sorted.map(\.public.name), present: swapping ? nil : present.public,
            heads: heads.sorted { $0.head.device < $1.head.device },
            profiles: devices.map { ($0.keys.device, $0.profile) }.sorted { $0.0 < $1.0 },
            ephemeral: ephemeral.publicKey, sealedKeys: sealed)
    }

    /// Reads the request that a machine has put into a folder, which shows this code.
    package static func request(_ code: JoinCode, in folder: URL) throws -> JoinRequest {
        let place = try code.place
        let file = folder.appending(path: StorePath.request(place).text)
        guard let sealed = FileManager.default.contents(atPath: file.path) else { throw GrowthError.noRequest }
        let opened = try AESGCM.open(Array(sealed), key: code.requestKey, associatedData: place.bytes)
        return try JoinRequest(decoding: opened.withBytes { bytes in bytes.indices.map { bytes[$0] } })
    }

    package static func write(_ files: [(path: StorePath, content: [UInt8])], into folder: URL) throws {
        for (path, content) in files {
            let file = folder.appending(path: path.text)
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(content).write(to: file)
        }
    }
}

extension RecordSegment {
    fileprivate var place: StorePath {
        .segment(circle: circle, device: device, number: records[0].header.number, run: run)
    }
}
