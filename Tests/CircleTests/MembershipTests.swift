import Cryptography
import Testing

@testable import Circle

/// Who is in a circle. Every order in which statements arrive gives the same (attackers 10, 11 and 13 of docs/sync-members.md).
struct MembershipTests {
    /// A device with keys that it signs with.
    private struct Device {
        let key: P256.PrivateKey
        let keys: MemberKeys

        init(_ number: Int, membership: [UInt8]? = nil, stream: [UInt8]? = nil) throws {
            key = try P256.PrivateKey.generate()
            let stream = try stream ?? P256.PrivateKey.generate().publicKey
            // Other numbers have other receiving keys.
            let others = (0..<MemberKeys.count - 130).map { UInt8($0 % 2 == 0 ? number / 256 : number % 256) }
            keys = try MemberKeys(bytes: (membership ?? key.publicKey) + stream + others)
        }

        var id: WriterID { keys.device }

        func sign(_ statement: Statement) throws -> SignedStatement {
            let signature = try key.signature(for: statement.bytes)
            return SignedStatement(statement, signature: SignedStatement.lower(signature))
        }
    }

    private let a: Device
    private let b: Device
    private let c: Device
    private let d: Device
    private let founding: SignedStatement
    private let circle: StatementName
    /// A founds, adds B, and then C, all admins.
    private let begun: [SignedStatement]
    private let last: StatementName

    init() throws {
        (a, b, c, d) = try (Device(1), Device(2), Device(3), Device(4))
        founding = try a.sign(Statement(founder: a.keys))
        circle = founding.statement.name
        let addsB = try a.sign(
            Statement(circle: circle, signer: a.id, past: [circle], .addition(b.keys, .admin)))
        let addsC = try a.sign(
            Statement(circle: circle, signer: a.id, past: [addsB.statement.name], .addition(c.keys, .admin)))
        begun = [founding, addsB, addsC]
        last = addsC.statement.name
    }

    /// What follows a device: new keys, with a proof by them.
    private func succession(_ former: Device, _ next: Device, by prover: Device? = nil) throws -> Statement.Content {
        let bytes = Statement.proofBytes(circle: circle, signer: former.id, keys: next.keys)
        return .succession(
            next.keys, proof: SignedStatement.lower(try (prover ?? next).key.signature(for: bytes)))
    }

    private func says(
        _ signer: Device, _ content: Statement.Content, after past: [StatementName]? = nil
    ) throws -> SignedStatement {
        try signer.sign(
            Statement(circle: circle, signer: signer.id, past: (past ?? [last]).sorted(), content))
    }

    /// The members by every order of the statements that are added; each order must give the same.
    private func members(_ added: [SignedStatement]) throws -> [WriterID] {
        let whole = try Membership(of: circle, begun + added)
        for order in orders(added) {
            #expect(try Membership(of: circle, order + begun.reversed()) == whole)
            // What arrives later changes nothing of what it does not name.
            #expect(try Membership(of: circle, begun + order + order) == whole)
        }
        return whole.members.map(\.keys.device)
    }

    private func orders(_ list: [SignedStatement]) -> [[SignedStatement]] {
        guard let first = list.first else { return [[]] }
        return orders(Array(list.dropFirst())).flatMap { rest in
            (0...rest.count).map { Array(rest[..<$0]) + [first] + Array(rest[$0...]) }
        }
    }

    private func are(_ devices: Device...) -> [WriterID] { devices.map(\.id).sorted() }

    @Test func aFounderAddsOthers() throws {
        #expect(try members([]) == are(a, b, c))
        #expect(try members([says(b, .addition(d.keys, .reader))]) == are(a, b, c, d))
        let whole = try Membership(of: circle, begun + [says(b, .addition(d.keys, .reader))])
        #expect(whole.members.first { $0.keys.device == d.id }?.role == .reader)
    }

    // What two or three say at the same time

    @Test func aRemovedDevicesRemovalStillCounts() throws {
        #expect(try members([says(a, .removal([b.id])), says(c, .removal([a.id]))]) == are(c))
    }

    @Test func twoThatRemoveEachOtherAreBothOut() throws {
        #expect(try members([says(a, .removal([b.id])), says(b, .removal([a.id]))]) == are(c))
    }

    @Test func whatARemovedDeviceAddsWithoutKnowingIsVoid() throws {
        #expect(try members([says(a, .removal([b.id])), says(b, .addition(d.keys, .admin))]) == are(a, c))
    }

    /// A stolen machine adds one that adds another.
    @Test func soIsWhatTheAddedOneAdds() throws {
        let e = try Device(5)
        let addsD = try says(b, .addition(d.keys, .admin))
        let addsE = try says(d, .addition(e.keys, .admin), after: [addsD.statement.name])
        #expect(try members([addsD, addsE]) == are(a, b, c, d, e))
        #expect(try members([addsD, addsE, says(a, .removal([b.id]))]) == are(a, c))
    }

    @Test func whatTheRemovalKnewOfStays() throws {
        let addsD = try says(b, .addition(d.keys, .writer))
        let removal = try says(a, .removal([b.id]), after: [addsD.statement.name])
        #expect(try members([addsD, removal]) == are(a, c, d))
        // A second removal that had not heard of the addition ends it.
        #expect(try members([addsD, removal, says(c, .removal([b.id]))]) == are(a, c))
    }

    @Test func aRemovedDeviceNeverComesBack() throws {
        let removal = try says(a, .removal([b.id]))
        let name = removal.statement.name
        #expect(try members([removal, says(a, .addition(b.keys, .admin), after: [name])]) == are(a, c))
        // By somebody who has not heard of the removal, or of the addition.
        #expect(try members([removal, says(c, .addition(b.keys, .admin))]) == are(a, c))
        #expect(try members([removal, says(a, .addition(b.keys, .writer), after: [circle])]) == are(a, c))
        // The same key under another id.
        let again = try Device(9, membership: b.keys.membership)
        #expect(try members([removal, says(c, .addition(again.keys, .admin))]) == are(a, c))
        #expect(try members([removal, says(a, .addition(again.keys, .admin), after: [circle])]) == are(a, c))
    }

    /// Else an admin could take another's role without removing it.
    @Test func aKnownDeviceIsNotAddedAgain() throws {
        let again = try says(a, .addition(b.keys, .reader))
        #expect(try members([again]) == are(a, b, c))
        let whole = try Membership(of: circle, begun + [again])
        #expect(whole.members.allSatisfy { $0.role == .admin } && whole.refused == [again.statement.name])
    }

    @Test func whatItSaysLaterIsRefused() throws {
        let removal = try says(a, .removal([b.id]))
        let late = try says(b, .removal([c.id]), after: [removal.statement.name])
        #expect(try members([removal, late]) == are(a, c))
        #expect(try Membership(of: circle, begun + [removal, late]).refused == [late.statement.name])
    }

    @Test func withoutMembersTheCircleIsOver() throws {
        #expect(try members([says(b, .removal([a.id, b.id, c.id].sorted()))]).isEmpty)
    }

    @Test func twoAdditionsAtOnceGiveTheSmallerRole() throws {
        let both = try [says(a, .addition(d.keys, .admin)), says(b, .addition(d.keys, .reader))]
        #expect(try members(both) == are(a, b, c, d))
        let whole = try Membership(of: circle, begun + both)
        #expect(whole.members.first { $0.keys.device == d.id }?.role == .reader)
    }

    @Test func aSuccessorHasTheRoleAndTheFormerIsOut() throws {
        let next = try says(b, succession(b, d))
        #expect(try members([next]) == are(a, c, d))
        let whole = try Membership(of: circle, begun + [next])
        #expect(whole.members.first { $0.keys.device == d.id }?.role == .admin)
        // A thief of the former keys makes another at the same time: neither counts.
        let e = try Device(5)
        #expect(try members([next, says(b, succession(b, e))]) == are(a, c))
        #expect(try members([next, says(a, .removal([b.id]))]) == are(a, c))
    }

    /// A reader makes keys of its own and a member's public key, so that its removal would end the member.
    @Test func aCopiedKeyTakesNobodyAlong() throws {
        let addsD = try says(a, .addition(d.keys, .reader), after: [begun[1].statement.name])
        let name = addsD.statement.name
        // C's membership key: the reader cannot prove that it has it.
        let copy = try Device(7, membership: c.keys.membership)
        let forged = try says(d, succession(d, copy, by: d), after: [name])
        let ends = try says(a, .removal([copy.id]), after: [last, forged.statement.name])
        #expect(try members([addsD, forged, ends]) == are(a, b, c, d))
        // C's stream key, and C's membership key as a stream key: no proof is needed, and nothing is won.
        for stream in [c.keys.stream, c.keys.membership] {
            let copy = try Device(7, stream: stream)
            let next = try says(d, succession(d, copy), after: [name])
            #expect(try members([addsD, next]) == are(a, b, c, copy))
            let ends = try says(a, .removal([copy.id]), after: [last, next.statement.name])
            #expect(try members([addsD, next, ends]) == are(a, b, c))
        }
    }

    /// Else a key that was ended could be read with again.
    @Test func noKeyOfAKnownDeviceIsTakenAgain() throws {
        // Fresh keys but for the receiving keys, which are A's.
        #expect(try members([says(a, .addition(Device(1).keys, .reader))]) == are(a, b, c))
    }

    // Roles

    @Test(arguments: [MemberRole.reader, .writer])
    func onlyAdminsAddAndRemove(_ role: MemberRole) throws {
        let addsD = try says(a, .addition(d.keys, role))
        let past = [addsD.statement.name]
        let e = try Device(5)
        #expect(try members([addsD, says(d, .addition(e.keys, .reader), after: past)]) == are(a, b, c, d))
        #expect(try members([addsD, says(d, .removal([a.id]), after: past)]) == are(a, b, c, d))
        #expect(try members([addsD, says(d, .removal([d.id]), after: past)]) == are(a, b, c))
    }

    // A hostile store

    @Test func whatNobodySignedIsRefused() throws {
        let e = try Device(5)
        let statement = try Statement(circle: circle, signer: a.id, past: [last], .addition(e.keys, .admin))
        let forged = try e.sign(statement)
        #expect(try members([forged]) == are(a, b, c))
        // It does not stand in the way of the real one.
        #expect(try members([forged, a.sign(statement), forged]) == are(a, b, c, e))
    }

    /// Both (r, s) and (r, n − s) fit. Only one counts, so that no store shows one statement as two.
    @Test func theOtherSignatureIsNone() throws {
        let good = try says(a, .removal([b.id]))
        let bytes = SignedStatement.other(good.signature)
        #expect(
            try P256.isValid(signature: bytes, for: good.statement.bytes, publicKey: a.keys.membership), "it fits")
        #expect(try members([SignedStatement(good.statement, signature: bytes)]) == are(a, b, c))
        #expect(
            SignedStatement.lower(bytes) == good.signature && SignedStatement.lower(good.signature) == good.signature)
    }

    @Test func anotherCirclesStatementsAreRefused() throws {
        let stranger = try Device(7)
        let other = try stranger.sign(Statement(founder: stranger.keys))
        let foreign = try a.sign(
            Statement(circle: other.statement.name, signer: a.id, past: [last], .removal([b.id])))
        #expect(try members([other, foreign]) == are(a, b, c))
    }

    @Test func aWithheldStatementHoldsUpOnlyWhatNamesIt() throws {
        let addsD = try says(a, .addition(d.keys, .admin))
        let next = try says(a, .removal([b.id]), after: [addsD.statement.name])
        #expect(try members([next]) == are(a, b, c))
        #expect(try Membership(of: circle, begun + [next]).waiting == [next.statement.name])
        #expect(try members([next, says(b, .removal([c.id]))]) == are(a, b))
        #expect(try members([next, addsD]) == are(a, c, d))
        // One of two is not enough.
        let both = try says(a, .removal([b.id]), after: [last, addsD.statement.name])
        #expect(try members([both]) == are(a, b, c))
    }

    // Generations

    private func generation(
        _ maker: Device, _ receivers: [WriterID], _ number: UInt8 = 0, knowing known: Membership? = nil
    ) throws -> KeyGeneration {
        try KeyGeneration(
            circle: circle, maker: maker.id, removals: (known ?? Membership(of: circle, begun)).removalsDigest,
            publicHalves: Array(repeating: number, count: 96),
            receivers: receivers.map {
                try .init($0, sealed: Array(repeating: 1, count: KeyGeneration.Receiver.sealedCount))
            })
    }

    @Test func recordsAreSealedToExactlyThePresentMembers() throws {
        let whole = try Membership(of: circle, begun)
        let removed = try Membership(of: circle, begun + [says(a, .removal([b.id]))])
        let three = try generation(a, are(a, b, c))
        let two = try generation(c, are(a, c), knowing: removed)
        let all = [three, two]
        #expect(whole.generation(of: circle, among: all) == three)
        #expect(removed.generation(of: circle, among: all) == two)
        // Nobody writes for a device that is removed, or leaves a member out.
        #expect(removed.generation(of: circle, among: [three]) == nil)
        #expect(whole.generation(of: circle, among: [two]) == nil)
        // Also if its maker knew of the same removals.
        let (fewer, more) = (try generation(a, are(a, b)), try generation(a, are(a, b, c, d)))
        #expect(whole.generation(of: circle, among: [fewer]) == nil)
        #expect(whole.generation(of: circle, among: [more]) == nil)
    }

    @Test func whoWasGivenTheKeysNeedsNoOthers() throws {
        let three = try generation(a, are(a, b, c))
        func after(_ statements: SignedStatement...) throws -> KeyGeneration? {
            let orders = orders(statements)
            let found = try orders.map { try Membership(of: circle, begun + $0).generation(of: circle, among: [three]) }
            #expect(found.allSatisfy { $0 == found[0] })
            return found[0]
        }
        let e = try Device(5)
        let givesD = try says(a, .addition(d.keys, .reader, given: three.name))
        #expect(try after(givesD) == three)
        #expect(try after(says(a, .addition(d.keys, .reader))) == nil)
        // Others, also at the same time, and by a device that has them itself in this way.
        #expect(try after(givesD, says(b, .addition(e.keys, .reader, given: three.name))) == three)
        #expect(try after(givesD, says(b, .addition(e.keys, .reader))) == nil)
        let admin = try says(a, .addition(d.keys, .admin, given: three.name))
        let next = try says(d, .addition(e.keys, .reader, given: three.name), after: [admin.statement.name])
        #expect(try after(admin, next) == three)
        // Added twice, once with the keys and once without: it has them.
        #expect(try after(givesD, says(b, .addition(d.keys, .reader))) == three)
        // The keys of another generation are not these.
        let other = try generation(a, are(a, b, c), 9)
        #expect(try after(says(a, .addition(d.keys, .reader, given: other.name))) == nil)
    }

    /// Attacker 11: what a removed device says that it has given is not believed, and what it was given it does not keep.
    @Test func whatARemovedDeviceGivesIsNotGiven() throws {
        let removal = try says(c, .removal([b.id]))
        let removed = try Membership(of: circle, begun + [removal])
        let two = try generation(c, are(a, c), knowing: removed)
        let byA = try says(a, .addition(d.keys, .reader), after: [removal.statement.name])
        let byB = try says(b, .addition(d.keys, .reader, given: two.name))
        let membership = try Membership(of: circle, begun + [removal, byA, byB])
        #expect(membership.members.map(\.keys.device) == are(a, c, d))
        #expect(membership.generation(of: circle, among: [two]) == nil)
        // Who was given keys is removed like everybody else.
        let three = try generation(a, are(a, b, c))
        let gives = try says(a, .addition(d.keys, .reader, given: three.name))
        let ends = try says(a, .removal([d.id]), after: [gives.statement.name])
        let whole = try Membership(of: circle, begun + [gives, ends])
        #expect(whole.generation(of: circle, among: [three]) == nil)
        #expect(try whole.generation(of: circle, among: [generation(a, are(a, b, c), knowing: whole)]) != nil)
        // A generation with a receiver that is not a member never counts.
        let four = try generation(a, (are(a, b, c) + [Device(9).id]).sorted(), 4)
        let more = try says(a, .addition(d.keys, .reader, given: four.name))
        #expect(try Membership(of: circle, begun + [more]).generation(of: circle, among: [four]) == nil)
    }

    /// A member is given the keys from before it joined, so nobody uses them after its removal.
    @Test func keysOfBeforeARemovalAreNotUsedAgain() throws {
        let removed = try Membership(of: circle, begun + [says(a, .removal([b.id]))])
        let before = try generation(a, are(a, c))
        #expect(removed.generation(of: circle, among: [before]) == nil)
        let after = try generation(a, are(a, c), knowing: removed)
        #expect(removed.generation(of: circle, among: [before, after]) == after)
        // An addition takes nothing from anybody, and what it brings is no removal.
        let begins = try Membership(of: circle, [begun[0]])
        let whole = try Membership(of: circle, begun)
        #expect(begins.removalsDigest == whole.removalsDigest && removed.removalsDigest != whole.removalsDigest)
        // Each removal counts, in whichever order they are learned.
        let two = try [says(a, .removal([b.id])), says(a, .removal([c.id]))]
        let both = try Membership(of: circle, begun + two)
        #expect(try Membership(of: circle, begun + two.reversed()).removalsDigest == both.removalsDigest)
        #expect(both.removals == two.map(\.statement.name).sorted() && both.removalsDigest != removed.removalsDigest)
    }

    @Test func ofSeveralGenerationsAllTakeOne() throws {
        let whole = try Membership(of: circle, begun)
        let all = try (0..<4).map { try generation(a, are(a, b, c), $0) }
        let least = try #require(all.map(\.name).min())
        #expect(whole.generation(of: circle, among: all)?.name == least)
        #expect(whole.generation(of: circle, among: all.reversed())?.name == least)
    }

    @Test func onlyMembersThatWriteMakeGenerations() throws {
        let addsD = try says(a, .addition(d.keys, .reader))
        let four = try Membership(of: circle, begun + [addsD])
        #expect(try four.generation(of: circle, among: [generation(d, are(a, b, c, d))]) == nil)
        #expect(try four.generation(of: circle, among: [generation(Device(8), are(a, b, c, d))]) == nil)
        #expect(four.waitBeforeGeneration(d.id) == nil)
        #expect(Set(are(a, b, c).map { four.waitBeforeGeneration($0) }) == [0, 20_000, 40_000])
        let foreign = try KeyGeneration(
            circle: last, maker: a.id, removals: four.removalsDigest,
            publicHalves: Array(repeating: 0, count: 96),
            receivers: are(a, b, c, d).map {
                try .init($0, sealed: Array(repeating: 1, count: KeyGeneration.Receiver.sealedCount))
            })
        #expect(four.generation(of: circle, among: [foreign]) == nil)
    }

    @Test func eachGenerationHasOneForm() throws {
        let one = try generation(a, are(a, b))
        #expect(try KeyGeneration(decoding: one.bytes) == one)
        #expect(throws: CircleFormError.self) { try KeyGeneration(decoding: one.bytes + [0]) }
        for length in 0..<one.bytes.count {
            #expect(throws: CircleFormError.self) { try KeyGeneration(decoding: Array(one.bytes.prefix(length))) }
        }
        for place in one.bytes.indices {
            var bytes = one.bytes
            bytes[place] ^= 0x81
            // `try?`: nil for what is no generation.
            guard let other = try? KeyGeneration(decoding: bytes) else { continue }
            #expect(other.bytes == bytes && other.name != one.name)
        }
        #expect(throws: CircleFormError.order) { try generation(a, are(a, b).reversed()) }
        #expect(throws: CircleFormError.order) { try generation(a, []) }
    }

    // Bytes

    @Test func eachStatementHasOneForm() throws {
        let all =
            try begun + [
                says(a, .removal([b.id, c.id].sorted())), says(a, succession(a, d)),
                says(a, .addition(d.keys, .reader), after: [circle, last]),
            ]
        for one in all.map(\.statement) {
            #expect(try Statement(decoding: one.bytes) == one)
            #expect(throws: CircleFormError.self) { try Statement(decoding: one.bytes + [0]) }
            for length in 0..<one.bytes.count {
                #expect(throws: CircleFormError.self) { try Statement(decoding: Array(one.bytes.prefix(length))) }
            }
            for place in one.bytes.indices {
                var bytes = one.bytes
                bytes[place] ^= 0x81
                // Either it is no statement, or another one with just these bytes.
                // `try?`: nil for what is no statement.
                guard let other = try? Statement(decoding: bytes) else { continue }
                #expect(other.bytes == bytes && other.name != one.name)
            }
        }
    }

    @Test func listsAreSortedAndHoldEachOnce() throws {
        let two = [circle, last].sorted()
        for past in [[], [two[1], two[0]], [two[0], two[0]]] {
            #expect(throws: CircleFormError.order) {
                try Statement(circle: circle, signer: a.id, past: past, .removal([b.id]))
            }
        }
        #expect(throws: CircleFormError.order) {
            try Statement(circle: circle, signer: a.id, past: two, .removal([b.id, b.id]))
        }
    }

    /// Three hundred devices, each added by the one before: a chain is judged without recursion.
    @Test func aLongChain() throws {
        var statements = [founding]
        var devices = [a]
        for number in 0..<300 {
            let next = try Device(number + 10)
            let signer = try #require(devices.last)
            let past = try #require(statements.last).statement.name
            statements.append(try says(signer, .addition(next.keys, .admin), after: [past]))
            devices.append(next)
        }
        #expect(try Membership(of: circle, statements).members.count == 301)
        statements.append(try says(a, .removal([devices[1].id]), after: [circle]))
        #expect(try Membership(of: circle, statements.reversed()).members.map(\.keys.device) == [a.id])
    }
}
