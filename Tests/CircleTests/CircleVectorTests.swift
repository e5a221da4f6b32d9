import Cryptography
import Foundation
import TestSupport
import Testing

@testable import Circle

/// The circle of Tests/Vectors, which another implementation made: `circle.py`, written from docs/sync-format.md and
/// docs/sync-members.md alone.
struct CircleVectorTests {
    private struct File: Decodable {
        struct Statement: Decodable {
            let bytes: String
            let signature: String
            let name: String
        }

        struct Compaction: Decodable {
            let again: String
            let past: String
            let summary: String
            let device: String
            let run: String
            let names: [String]
            let digest: String
        }

        struct Giving: Decodable {
            let bytes: String
            let signature: String
            let name: String
            let device: String
        }

        let keys: [String: String]
        let devices: [String: String]
        let circle: String
        let statements: [Statement]
        let giving: Giving
        let generation: String
        let generationName: String
        let metadataHalf: String
        let halves: String
        let segments: [String]
        let bodies: [String]
        let ends: [String]
        let heads: [String]
        let leftBehind: String
        let forkSegment: String
        let forkHead: String
        let raisedHead: String
        let headAgain: String
        let longerSegments: [String]
        let request: String
        let code: String
        let checkWords: [Int]
        let answer: String
        let oneTimeKey: String
        let place: String
        let requestKey: String
        let answerKey: String
        let paperCode: String
        let paperKeys: String
        let paperRecord: String
        let paperContent: String
        let compaction: Compaction
    }

    private static let folder = SourceTree.path("Tests/Vectors")
    private let file: File
    private let circle: StatementName
    private let desk: MemberKeys

    init() throws {
        let text = try Data(contentsOf: URL(fileURLWithPath: Self.folder + "/circle.json"))
        file = try JSONDecoder().decode(File.self, from: text)
        circle = try #require(StatementName(bytes: Self.raw(file.circle)))
        desk = try MemberKeys(bytes: Self.raw(try #require(file.keys["desk"])))
    }

    private static func raw(_ text: String) -> [UInt8] {
        let digits = Array(text.utf8)
        return stride(from: 0, to: digits.count - 1, by: 2).compactMap { place in
            UInt8(String(decoding: digits[place...place + 1], as: UTF8.self), radix: 16)
        }
    }

    private func bytes(_ secret: SecretBytes) -> [UInt8] {
        secret.withBytes { bytes in bytes.indices.map { bytes[$0] } }
    }

    /// What the other implementation says of a file of vectors; nil if it finds nothing wrong.
    private func complaint(about path: String) throws -> String? {
        let result = try Tool.run("/usr/bin/python3", [Self.folder + "/circle.py", path])
        return result.status == 0 ? nil : result.output + result.errors
    }

    @Test func anotherImplementationReadsTheCircle() throws {
        #expect(try complaint(about: Self.folder + "/circle.json") == nil)
    }

    /// It would notice another chain, so that it proves something.
    @Test func anotherImplementationNoticesAnotherRecord() throws {
        let text = try String(contentsOfFile: Self.folder + "/circle.json", encoding: .utf8)
        let folder = try TemporaryFolder()
        let changed = folder.path + "/changed.json"
        let first = String(file.segments[0])
        let wrong = text.replacing(first, with: String(first.dropLast()) + (first.hasSuffix("0") ? "1" : "0"))
        #expect(wrong != text)
        try wrong.write(toFile: changed, atomically: true, encoding: .utf8)
        #expect(try complaint(about: changed) != nil)
    }

    @Test func membersAreThoseOfTheStatements() throws {
        let statements = try file.statements.map { one in
            let statement = try Statement(decoding: Self.raw(one.bytes))
            #expect(statement.name.bytes == Self.raw(one.name))
            return SignedStatement(statement, signature: Self.raw(one.signature))
        }
        let members = try Membership(of: circle, statements).members
        #expect(Set(members.map(\.keys.device.bytes)) == Set(file.devices.values.map(Self.raw)))
        let generation = try KeyGeneration(decoding: Self.raw(file.generation))
        #expect(generation.name.bytes == Self.raw(file.generationName))
        #expect(try Membership(of: circle, statements).generation(of: circle, among: [generation]) == generation)
        let giving = try Statement(decoding: Self.raw(file.giving.bytes))
        #expect(giving.name.bytes == Self.raw(file.giving.name))
        let larger = try Membership(
            of: circle, statements + [SignedStatement(giving, signature: Self.raw(file.giving.signature))])
        #expect(larger.members.map(\.keys.device.bytes).contains(Self.raw(file.giving.device)))
        #expect(larger.generation(of: circle, among: [generation]) == generation)
    }

    @Test func eachRecordOpens() throws {
        let half = Self.raw(file.metadataHalf)
        let records = try file.segments.flatMap { try RecordSegment(decoding: Self.raw($0)).records }
        #expect(records.count == file.bodies.count)
        for (record, body) in zip(records, file.bodies) {
            let header = record.header
            let material = header.generation == nil ? [UInt8](repeating: 0, count: 32) : half
            let key = try HKDF.derive(
                SecretBytes(copying: material), salt: header.generationBytes, info: header.keyInfo, count: 32)
            let padded = try AESGCM.open(record.sealed, key: key, associatedData: header.bytes)
            let opened = try RecordPadding.remove(from: bytes(padded))
            #expect(opened == Self.raw(body))
            #expect(try RecordBody(decoding: opened, in: header).bytes() == opened)
        }
    }

    @Test func aCompactionIsReadAlike() throws {
        let one = file.compaction
        let generation = try #require(StatementName(bytes: Self.raw(file.generationName)))
        let header = try CircleRecord.Header(
            circle: circle, device: #require(WriterID(bytes: Self.raw(one.device))),
            run: #require(RunID(bytes: Self.raw(one.run))), number: 9,
            generation: generation)
        for text in [one.again, one.past, one.summary] {
            #expect(try RecordBody(decoding: Self.raw(text), in: header).bytes() == Self.raw(text))
        }
        func body(_ text: String) throws -> RecordBody { try RecordBody(decoding: Self.raw(text), in: header) }
        guard case .again(.profile(let profile), let former) = try body(one.again),
            case .past(let past) = try body(one.past), case .summary(let summary) = try body(one.summary)
        else {
            Issue.record("another body")
            return
        }
        #expect(profile.name.text == "desk" && former == generation)
        #expect(past.names == one.names.compactMap { UInt64($0, radix: 16) })
        #expect(past.values.map(\.generation) == [generation])
        #expect(past.values.map(\.digests) == [[try #require(UInt64(one.digest, radix: 16))]])
        #expect(summary.count == 2 && summary.said == 3 && summary.runs == [.init(header.run, 5)])
        #expect(summary.seen.map(\.device.bytes) == [Self.raw(try #require(file.devices["laptop"]))])
        // It stands for no more than there was before it, and is not said again.
        let short = try CircleRecord.Header(
            circle: header.circle, device: header.device, run: header.run, number: 5, generation: generation)
        #expect(throws: CircleFormError.range) { try RecordBody(decoding: Self.raw(one.summary), in: short) }
        let nested = [9] + generation.bytes + Self.raw(one.again)
        #expect(throws: CircleFormError.kind) { try RecordBody(decoding: nested, in: header) }
        let open = try CircleRecord.Header(
            circle: header.circle, device: header.device, run: header.run, number: 9, generation: nil)
        for text in [one.again, one.past, one.summary] {
            #expect(throws: CircleFormError.place) { try RecordBody(decoding: Self.raw(text), in: open) }
        }
    }

    @Test func theStreamIsJudgedAlike() throws {
        let segments = try file.segments.map { try KnownSegment(decoding: Self.raw($0)) }
        let heads = try file.heads.map { try SignedHead(decoding: Self.raw($0)) }
        let stream = try DeviceStream(of: desk, in: circle, heads: heads, segments: segments)
        #expect(stream.counted.map(\.record.header.number).sorted() == [1, 2, 3, 4, 4, 5])
        #expect(stream.leftBehind.map(\.bytes) == [Self.raw(file.leftBehind)] && !stream.isSuspended)
        let ends = Set(stream.counted.map(\.after.bytes))
        #expect(file.ends.dropFirst().allSatisfy { ends.contains(Array(Self.raw($0)[24...])) })
        let forked = try DeviceStream(
            of: desk, in: circle, heads: heads + [SignedHead(decoding: Self.raw(file.forkHead))],
            segments: segments + [KnownSegment(decoding: Self.raw(file.forkSegment))])
        #expect(forked.isSuspended && forked.counted.count == 7)
    }

    @Test func aPaperIsAlike() throws {
        let code = try PaperCode(reading: SecretBytes(copying: Array(file.paperCode.utf8)))
        #expect(try bytes(code.text) == Array(file.paperCode.utf8))
        let keys = try PaperKeys(code, in: circle).member
        #expect(keys.bytes == Self.raw(file.paperKeys))
        let record = try CircleRecord(decoding: Self.raw(file.paperRecord))
        #expect(record.header.generation == nil && record.header.device == desk.device)
        let content = try PaperContent(decoding: Self.raw(file.paperContent), for: keys.device)
        #expect(content.bytes == Self.raw(file.paperContent) && content.statements.count == 2)
        #expect(content.generations.map(\.generation.name.bytes) == [Self.raw(file.generationName)])
    }

    /// T1: the other signature of a head (s and n − s) and records with a byte too many do not count, and a head that
    /// was signed again after a crash makes no second record.
    @Test func whatIsSaidAgainIsNoFork() throws {
        let segments = try file.segments.map { try KnownSegment(decoding: Self.raw($0)) }
        let first = try SignedHead(decoding: Self.raw(file.heads[0]))
        let raised = try SignedHead(decoding: Self.raw(file.raisedHead))
        let again = try SignedHead(decoding: Self.raw(file.headAgain))
        #expect(raised.head == first.head && raised.signature != first.signature)
        #expect(again.head.end == first.head.end && again.head.time != first.head.time)
        #expect(try DeviceStream(of: desk, in: circle, heads: [raised], segments: segments).counted.isEmpty)
        for heads in everyOrder([first, raised, again]) {
            let stream = try DeviceStream(of: desk, in: circle, heads: heads, segments: segments)
            #expect(stream.numbers == [1, 2, 3, 4, 5] && !stream.isSuspended)
            #expect(stream.newest == again)
        }
        #expect(file.longerSegments.count == 3)
        for longer in file.longerSegments {
            #expect(throws: CircleFormError.self) { try RecordSegment(decoding: Self.raw(longer)) }
        }
    }

    @Test func joiningIsAlike() throws {
        let request = try JoinRequest(decoding: Self.raw(file.request))
        let code = try JoinCode(reading: SecretBytes(copying: Array(file.code.utf8)))
        #expect(try code.isCode(of: request) && request.name.text == "laptop")
        #expect(try bytes(JoinCode(of: request).text) == Array(file.code.utf8))
        #expect(try code.place.bytes == Self.raw(file.place))
        #expect(try bytes(code.requestKey) == Self.raw(file.requestKey))
        #expect(try bytes(code.answerKey) == Self.raw(file.answerKey))
        #expect(try CheckWords.places(circle: circle, request: request) == file.checkWords)
        let answer = try JoinAnswer(decoding: Self.raw(file.answer))
        #expect(answer.bytes == Self.raw(file.answer))
        #expect(try answer.membership(for: request)?.members.count == 2)
        let oneTime = try X25519.PrivateKey(rawRepresentation: SecretBytes(copying: Self.raw(file.oneTimeKey)))
        let shared = try bytes(oneTime.sharedSecret(with: answer.ephemeral))
        let key = try HKDF.derive(
            SecretBytes(copying: [0, 0, 0, 32] + shared), salt: [], info: answer.keyInfo, count: 32)
        let halves = try AESGCM.open(answer.sealedKeys, key: key, associatedData: answer.keyInfo)
        #expect(bytes(halves) == Self.raw(file.halves))
    }
}
