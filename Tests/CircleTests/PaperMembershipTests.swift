import Cryptography
import Testing

@testable import Circle

/// A paper among the members: it reads, nothing that it signs counts, and there is one at most (attackers 10, 11 and 13).
/// Every order in which statements arrive gives the same.
struct PaperMembershipTests {
    private struct Admin {
        let key: P256.PrivateKey
        let keys: MemberKeys

        init(_ number: UInt8) throws {
            key = try P256.PrivateKey.generate()
            let others = [UInt8](repeating: number, count: MemberKeys.count - P256.pointCount)
            keys = try MemberKeys(bytes: key.publicKey + others)
        }

        var id: WriterID { keys.device }
    }

    private let (a, b): (Admin, Admin)
    private let circle: StatementName
    private let begun: [SignedStatement]
    private let last: StatementName
    /// Papers, the one with the smallest id first.
    private let papers: [MemberKeys]

    init() throws {
        (a, b) = try (Admin(1), Admin(2))
        let founding = try Statement(founder: a.keys)
        circle = founding.name
        let addition = try Statement(
            circle: circle, signer: a.id, past: [circle], .addition(b.keys, .admin))
        begun = try [Self.signed(founding, by: a.key), Self.signed(addition, by: a.key)]
        last = addition.name
        let circle = circle
        papers = try (0..<3).map { _ in try PaperKeys(.random(), in: circle).member }.sorted { $0.device < $1.device }
    }

    private static func signed(_ statement: Statement, by key: P256.PrivateKey) throws -> SignedStatement {
        SignedStatement(statement, signature: SignedStatement.lower(try key.signature(for: statement.bytes)))
    }

    private func says(
        _ signer: Admin, _ content: Statement.Content, after past: [SignedStatement] = []
    ) throws -> SignedStatement {
        let past = past.isEmpty ? [last] : past.map(\.statement.name)
        return try Self.signed(
            Statement(circle: circle, signer: signer.id, past: past.sorted(), content), by: signer.key)
    }

    /// The paper by every order of the statements; each must give the same. Nil without one.
    private func paper(_ added: SignedStatement...) throws -> WriterID? {
        let whole = try Membership(of: circle, begun + added)
        for order in Self.orders(added) {
            #expect(try Membership(of: circle, order + begun.reversed()) == whole)
            #expect(try Membership(of: circle, begun + order + order) == whole)
        }
        let papers = whole.members.filter { $0.role == .paper }
        #expect(papers.count < 2)
        #expect(whole.members.filter { $0.role != .paper }.map(\.keys.device) == [a.id, b.id].sorted())
        return papers.first?.keys.device
    }

    private static func orders(_ list: [SignedStatement]) -> [[SignedStatement]] {
        guard let first = list.first else { return [[]] }
        return orders(Array(list.dropFirst())).flatMap { rest in
            (0...rest.count).map { Array(rest[..<$0]) + [first] + Array(rest[$0...]) }
        }
    }

    @Test func anAdminAddsOne() throws {
        let addition = try says(b, .addition(papers[0], .paper))
        #expect(try paper(addition) == papers[0].device)
        #expect(try paper(addition, says(a, .removal([papers[0].device]), after: [addition])) == nil)
    }

    /// Whichever of them has the smaller id: a later one is refused while the former counts.
    @Test func aSecondOneIsRefused() throws {
        for (first, second) in [(papers[0], papers[1]), (papers[1], papers[0])] {
            let addition = try says(a, .addition(first, .paper))
            let other = try says(b, .addition(second, .paper), after: [addition])
            #expect(try paper(addition, other) == first.device)
            #expect(try Membership(of: circle, begun + [addition, other]).refused == [other.statement.name])
        }
    }

    @Test func anotherOneFollowsAfterARemoval() throws {
        for (first, second) in [(papers[0], papers[1]), (papers[1], papers[0])] {
            let addition = try says(a, .addition(first, .paper))
            let removal = try says(b, .removal([first.device]), after: [addition])
            #expect(try paper(addition, removal, says(a, .addition(second, .paper), after: [removal])) == second.device)
        }
    }

    /// The other one stays out, also once the first is removed: its person was told that it does not count.
    @Test func ofTwoAtOnceTheSmallerIDCounts() throws {
        let (first, second) = (try says(a, .addition(papers[0], .paper)), try says(b, .addition(papers[1], .paper)))
        #expect(try paper(first, second) == papers[0].device)
        #expect(try paper(second) == papers[1].device)
        let removal = try says(a, .removal([papers[0].device]), after: [first, second])
        #expect(try paper(first, second, removal) == nil)
        let next = try says(b, .addition(papers[2], .paper), after: [removal])
        #expect(try paper(first, second, removal, next) == papers[2].device)
    }

    /// One that follows a removal, and one of somebody who knew of neither.
    @Test func thereIsNeverMoreThanOne() throws {
        for order in [[0, 1, 2], [1, 2, 0], [2, 0, 1], [0, 2, 1], [1, 0, 2], [2, 1, 0]] {
            let own = order.map { papers[$0] }
            let first = try says(a, .addition(own[0], .paper))
            let removal = try says(a, .removal([own[0].device]), after: [first])
            let next = try says(a, .addition(own[1], .paper), after: [removal])
            _ = try paper(first, removal, next, says(b, .addition(own[2], .paper)))
        }
    }

    /// A stolen machine's paper does not count, and keeps no other one out.
    @Test func aRemovedMachinesPaperIsVoid() throws {
        let third = try Admin(3)
        let adds = try says(a, .addition(third.keys, .admin))
        let stolen = try says(third, .addition(papers[0], .paper), after: [adds])
        let removal = try says(a, .removal([third.id]), after: [adds])
        let own = try says(b, .addition(papers[1], .paper), after: [adds])
        #expect(try paper(adds, stolen, removal, own) == papers[1].device)
    }

    // What a thief of the paper, or an ex-member, can say

    @Test func nothingThatAPaperSignsCounts() throws {
        let (thief, victim) = (try P256.PrivateKey.generate(), try Admin(7))
        // As a member that makes up the keys of a paper would have it: with a membership key at hand.
        let keys = try MemberKeys(bytes: thief.publicKey + papers[0].bytes.dropFirst(P256.pointCount))
        let addition = try says(a, .addition(keys, .paper))
        let next = try Admin(8)
        let proof = Statement.proofBytes(circle: circle, signer: keys.device, keys: next.keys)
        let contents: [Statement.Content] = [
            .removal([a.id]), .removal([keys.device]), .addition(victim.keys, .reader),
            .succession(next.keys, proof: SignedStatement.lower(try next.key.signature(for: proof))),
        ]
        for content in contents {
            let statement = try Self.signed(
                Statement(circle: circle, signer: keys.device, past: [addition.statement.name], content), by: thief)
            #expect(try paper(addition, statement) == keys.device)
        }
    }

    @Test func aPaperMakesNoKeysForTheMembers() throws {
        let membership = try Membership(of: circle, begun + [says(a, .addition(papers[0], .paper))])
        func generation(by maker: WriterID) throws -> KeyGeneration {
            try KeyGeneration(
                circle: circle, maker: maker, removals: membership.removalsDigest,
                publicHalves: [UInt8](repeating: 1, count: 96),
                receivers: membership.members.map(\.keys.device).map {
                    try KeyGeneration.Receiver($0, sealed: [UInt8](repeating: 2, count: 276))
                })
        }
        #expect(membership.members.count == 3)
        #expect(try membership.generation(of: circle, among: [generation(by: papers[0].device)]) == nil)
        #expect(try membership.generation(of: circle, among: [generation(by: b.id)]) != nil)
        #expect(membership.waitBeforeGeneration(papers[0].device) == nil)
        #expect(Set([a.id, b.id].map { membership.waitBeforeGeneration($0) }) == [0, 30_000])
    }

    /// The same keys as a machine's, at the same time: what may do least.
    @Test func keysThatAreAddedAsBothAreAPaper() throws {
        for role in [MemberRole.reader, .writer, .admin] {
            let (one, other) = (try says(a, .addition(papers[0], .paper)), try says(b, .addition(papers[0], role)))
            #expect(try paper(one, other) == papers[0].device)
        }
    }
}
