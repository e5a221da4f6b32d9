import Foundation
import Glibc
import TestSupport
import Testing

@testable import Platform

/// The first process of a PID namespace adopts the orphans of everybody who enters the namespace (attacker 4: a program of the same user does).
@Suite(.enabled(if: geteuid() == 0, "needs root to make a namespace")) struct NamespaceLeaderTests {
    @Test func theFirstProcessOfANamespaceLeadsNobody() throws {
        let tree = try ProcessTree()
        let first = try tree.root.spawn(beginsNamespace: true)
        let identity = try first.identity()
        // It does not descend from the first process, but it looks like it.
        let stranger = try tree.root.spawn(entering: identity.pid)
        #expect(eventually { (try? stranger.parent()) == identity.pid })
        for node in [stranger, try first.spawn(), first] {
            #expect(!ProcessAncestry.isWithin(try node.identity(), identity))
        }
        #expect(!ProcessAncestry.canLead(identity))
    }

    /// A process that another one of the namespace has started adopts nobody's orphans but its own.
    @Test func otherProcessesOfANamespaceLeadTheirOwn() throws {
        let tree = try ProcessTree()
        let first = try tree.root.spawn(beginsNamespace: true)
        let leader = try first.spawn()
        try leader.adoptOrphans()
        let identity = try leader.identity()
        let stranger = try tree.root.spawn(entering: first.identity().pid)
        #expect(ProcessAncestry.canLead(identity))
        #expect(ProcessAncestry.isWithin(try leader.spawn().identity(), identity))
        #expect(!ProcessAncestry.isWithin(try stranger.identity(), identity))
        // The namespace is deeper than the process that began it.
        #expect(!ProcessAncestry.isWithin(try leader.identity(), try tree.root.identity()))
    }

    /// For a child of the process that began the namespace, it may take a moment until its parent has ended.
    private func eventually(_ condition: () -> Bool) -> Bool {
        let limit = ContinuousClock.now + patience
        while !condition() {
            guard ContinuousClock.now < limit else { return false }
            usleep(10_000)
        }
        return true
    }
}
