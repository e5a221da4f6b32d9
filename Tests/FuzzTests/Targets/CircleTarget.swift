import Authorization
import Circle
import Cryptography
import Foundation
import TestSupport

/// What a store has of a circle, and what joining machines send: statements, generations, records, heads, requests,
/// answers, names of files. Each has one form, and none that was changed counts.
struct CircleTarget: FuzzTarget {
    private struct File: Decodable {
        struct Statement: Decodable {
            let bytes: String
            let signature: String
        }
        struct Guarded: Decodable {
            let slot: String
        }
        let keys: [String: String]
        let circle: String
        let guarded: Guarded
        let statements: [Statement]
        let generation: String
        let segments: [String]
        let bodies: [String]
        let heads: [String]
        let request: String
        let code: String
        let answer: String
        let paperContent: String
    }

    private let circle: StatementName
    private let desk: MemberKeys
    private let statements: [SignedStatement]
    private let membership: Membership
    private let segments: [KnownSegment]
    private let files: [[UInt8]]
    private let heads: [SignedHead]
    private let counted: Set<DeviceStream.Counted>
    private let headers: [CircleRecord.Header]
    private let bodies: [[UInt8]]
    private let answered: [UInt8]
    private let request: JoinRequest
    private let code: [UInt8]
    /// The bytes of every form.
    private let donors: [[UInt8]]

    init() async throws {
        let file = try JSONDecoder().decode(
            File.self, from: Data(contentsOf: URL(fileURLWithPath: SourceTree.path("Tests/Vectors/circle.json"))))
        func raw(_ text: String?) throws -> [UInt8] {
            guard let bytes = text.flatMap(Hex.decode) else { throw BrokenPromise("the vectors are not hex") }
            return bytes
        }
        guard let circle = try StatementName(bytes: raw(file.circle)) else { throw BrokenPromise("no circle") }
        self.circle = circle
        desk = try MemberKeys(bytes: raw(file.keys["desk"]))
        statements = try file.statements.map {
            try SignedStatement(Statement(decoding: raw($0.bytes)), signature: raw($0.signature))
        }
        membership = try Membership(of: circle, statements)
        files = try file.segments.map { try raw($0) }
        segments = try files.map { try KnownSegment(decoding: $0) }
        heads = try file.heads.map { try SignedHead(decoding: raw($0)) }
        counted = Set(try DeviceStream(of: desk, in: circle, heads: heads, segments: segments).counted)
        request = try JoinRequest(decoding: raw(file.request))
        var headers = segments.flatMap(\.records).map(\.header)
        let slot = try ValueSlot(decoding: raw(file.guarded.slot))
        let made = try file.bodies.map { try raw($0) }
        var changes: [CarriedChange] = []
        for (bytes, header) in zip(made, headers) {
            if case .changes(let carried) = try RecordBody(decoding: bytes, in: header) { changes += carried }
        }
        guard let given = changes.first(where: { $0.value != nil }), let value = given.value,
            let place = headers.firstIndex(where: { $0.generation != nil })
        else { throw BrokenPromise("the vectors have no value") }
        // The kinds of body, and the slots, that the vectors have by themselves only.
        let more: [RecordBody] =
            [
                .head(heads[0]), .profile(DeviceProfile(request.name, request.protection)),
                .released([try ReleasedSlots(of: given.change.name, [slot, slot] + value.slots)]),
                .changes([try CarriedChange(given.change, value.with([slot, slot] + value.slots))]),
                .again(.changes([given]), of: try KeyGeneration(decoding: raw(file.generation)).name),
                .summary(try StreamSummary(count: 0, said: 0, runs: [.init(headers[0].run, 3)], seen: [])),
            ]
            + PastChanges.records(names: [1, 2, .max], values: [circle: [3]]).map { .past($0) }
        let content = try raw(file.paperContent)
        // Everybody can open its record.
        let envelope = RecordBody.paper(
            try PaperEnvelope(
                for: request.keys.device, time: 1, generations: [KeyGeneration(decoding: raw(file.generation)).name],
                ephemeral: raw(String(repeating: "ab", count: 32)), sealed: content))
        guard let open = headers.first(where: { $0.generation == nil }) else { throw BrokenPromise("no open record") }
        bodies = try made + more.map { try $0.bytes() } + [envelope.bytes()]
        headers += [CircleRecord.Header](repeating: headers[place], count: more.count) + [open]
        answered = try raw(file.answer)
        code = Array(file.code.utf8)
        self.headers = headers
        var donors = try [raw(file.generation), request.bytes, answered] + Self.proof(of: request)
        donors += statements.map(\.bytes) + files + heads.map(\.bytes) + bodies
        donors += [content, slot.bytes, ReleasedSlots.bytes(of: [slot, slot] + value.slots), given.bytes]
        donors += [try ReleasedSlots(of: given.change.name, [slot]).bytes] + changes.map(\.change.part.bytes)
        self.donors = donors
    }

    /// What a machine shows of its TPM, what it is asked, and what it answers.
    private static func proof(of request: JoinRequest) throws -> [[UInt8]] {
        let key = try P256.PrivateKey.generate().publicKey
        let machine = try MachineIdentity(endorsement: key, attestation: key)
        let claim = try JoinEvidence.Claim(
            id: .random(), owner: .user(1000), authenticatorKey: key,
            generation: GenerationPin(handle: 0x0180_0001, policy: [UInt8](repeating: 1, count: 32)))
        let evidence = try JoinEvidence(
            request: request.digest, machine: machine, vault: claim, parent: [UInt8](repeating: 2, count: 34),
            privateAreas: [[3], [4]],
            loads: AttestedLoads(statement: [5], signature: [UInt8](repeating: 6, count: P256.signatureCount)))
        return [
            try JoinIdentity(request: request.digest, machine: machine).bytes,
            try JoinChallenge(
                request: request.digest, credential: IdentityCredential(.random(count: 32), for: machine)
            ).bytes,
            evidence.bytes,
        ]
    }

    mutating func tryOne(_ mutator: inout Mutator) throws {
        switch mutator.below(6) {
        case 0: try forms(&mutator)
        case 1: try body(&mutator)
        case 2: try members(&mutator)
        case 3: try stream(&mutator)
        case 4: try joining(&mutator)
        default: try path(&mutator)
        }
    }

    /// What is read is written as the same bytes. Otherwise one thing would have two names.
    private func forms(_ mutator: inout Mutator) throws {
        let bytes = mutator.bytes(mutator.pick(donors) ?? [], donors: donors)
        let readers: [(String, ([UInt8]) throws -> [UInt8])] = [
            ("statement", { try SignedStatement(decoding: $0).bytes }),
            ("bare statement", { try Statement(decoding: $0).bytes }),
            ("generation", { try KeyGeneration(decoding: $0).bytes }),
            ("segment", { try RecordSegment(decoding: $0).bytes }), ("head", { try SignedHead(decoding: $0).bytes }),
            ("record", { try CircleRecord(decoding: $0).bytes }), ("request", { try JoinRequest(decoding: $0).bytes }),
            ("identity", { try JoinIdentity(decoding: $0).bytes }),
            ("challenge", { try JoinChallenge(decoding: $0).bytes }),
            ("evidence", { try JoinEvidence(decoding: $0).bytes }),
            ("answer", { try JoinAnswer(decoding: $0).bytes }), ("profile", { try DeviceProfile(decoding: $0).bytes }),
            ("change", { try CarriedChange(decoding: $0).bytes }), ("slot", { try ValueSlot(decoding: $0).bytes }),
            ("list of slots", { ReleasedSlots.bytes(of: try ReleasedSlots.slots(decoding: $0)) }),
            (
                "paper's content",
                { [device = request.keys.device] in try PaperContent(decoding: $0, for: device).bytes }
            ),
            ("release", { try ReleasedSlots(decoding: $0).bytes }), ("part", { try SharedPart(decoding: $0).bytes }),
        ]
        for (name, read) in readers {
            guard let again = try answer({ try read(bytes) }) else { continue }
            try promise(again == bytes, "a \(name) has two forms")
        }
    }

    private func body(_ mutator: inout Mutator) throws {
        let place = mutator.below(bodies.count)
        let bytes = mutator.bytes(bodies[place], donors: bodies)
        let header = headers[mutator.chance(4) ? mutator.below(headers.count) : place]
        guard let body = try answer({ try RecordBody(decoding: bytes, in: header) }) else { return }
        if case .unknown = body { return }
        try promise(try body.bytes() == bytes, "a body has two forms")
    }

    /// Statements that nobody has signed make no member, and end none.
    private func members(_ mutator: inout Mutator) throws {
        var all = statements
        for _ in 0...mutator.below(3) {
            guard let one = mutator.pick(statements) else { return }
            let bytes = mutator.bytes(one.bytes, donors: statements.map(\.bytes))
            guard let changed = try answer({ try SignedStatement(decoding: bytes) }) else { continue }
            all.insert(changed, at: mutator.below(all.count + 1))
        }
        let found = try Membership(of: circle, all)
        try promise(
            found.members == membership.members && found.others == membership.others
                && found.removalsDigest == membership.removalsDigest, "a changed statement counts")
    }

    /// Nothing that the device has not signed for counts, and nothing that it has is held up by what is beside it.
    private func stream(_ mutator: inout Mutator) throws {
        var (moreHeads, moreSegments) = (heads, segments)
        for _ in 0...mutator.below(3) {
            let head = mutator.bytes(mutator.pick(heads)?.bytes ?? [], donors: donors)
            if let changed = try answer({ try SignedHead(decoding: head) }) {
                moreHeads.insert(changed, at: mutator.below(moreHeads.count + 1))
            }
            let segment = mutator.bytes(mutator.pick(files) ?? [], donors: donors)
            if let changed = try answer({ try KnownSegment(decoding: segment) }) {
                moreSegments.insert(changed, at: mutator.below(moreSegments.count + 1))
            }
        }
        let found = try DeviceStream(of: desk, in: circle, heads: moreHeads, segments: moreSegments)
        try promise(Set(found.counted) == counted && !found.isSuspended, "a changed record or head counts")
    }

    private func joining(_ mutator: inout Mutator) throws {
        let bytes = mutator.bytes(request.bytes, donors: donors)
        let code = try JoinCode(reading: SecretBytes(copying: code))
        if let other = try answer({ try JoinRequest(decoding: bytes) }), other.bytes != request.bytes {
            try promise(try !code.isCode(of: other), "a code is of two requests")
        }
        let shown = mutator.bytes(mutator.pick(donors) ?? [], donors: donors)
        if let evidence = try answer({ try JoinEvidence(decoding: shown) }) {
            try promise(try !evidence.proves(request, secret: .zeros(count: 32)), "a changed proof proves something")
        }
        let typed = mutator.bytes(self.code)
        if let other = try answer({ try JoinCode(reading: SecretBytes(copying: typed)) }) {
            _ = try other.isCode(of: request)
        }
        let sent = mutator.bytes(answered, donors: donors)
        if let other = try answer({ try JoinAnswer(decoding: sent) }) {
            let found = try other.membership(for: request)
            try promise(
                found == nil || other.circle != circle || found?.members == membership.members
                    || other.statements.count < statements.count, "a changed answer has other members")
        }
    }

    private func path(_ mutator: inout Mutator) throws {
        let device = String(repeating: "0a", count: 16)
        let names = [
            StorePath.beacon(circle: circle).text, "\(Hex.encode(circle.bytes))/heads/\(device)",
            "\(Hex.encode(circle.bytes))/\(device)/0000000000000/0000000000000001-\(device)", "join/\(device)-request",
            "join/\(device)-answer", "join/\(device)-evidence", "../x",
        ]
        let text = String(
            decoding: mutator.bytes(Array((mutator.pick(names) ?? "").utf8), donors: names.map { Array($0.utf8) }),
            as: UTF8.self)
        guard let path = StorePath(text) else { return }
        try promise(path.text == text, "\(text) stands for \(path.text)")
        try promise(!text.split(separator: "/").contains { $0.hasPrefix(".") }, "\(text) leads elsewhere")
    }
}
