import Foundation
import Glibc
import TestSupport
import Testing

@testable import Platform

/// Who descends from whom, by the kernel's word (attacker 4: a program of the same user that is outside of a lease).
@Suite struct AncestryTests {
    @Test func aProcessAndItsDescendantsAreWithin() throws {
        let tree = try ProcessTree()
        let leader = try tree.root.spawn()
        let child = try leader.spawn()
        let grandchild = try child.spawn()
        let identity = try leader.identity()
        for node in [leader, child, grandchild] {
            #expect(ProcessAncestry.isWithin(try node.identity(), identity))
        }
        let current = try ProcessIdentity.current()
        #expect(ProcessAncestry.isWithin(try grandchild.identity(), current))
    }

    @Test func aParentAndASiblingAreNot() throws {
        let tree = try ProcessTree()
        let leader = try tree.root.spawn()
        let identity = try leader.identity()
        for node in [tree.root, try tree.root.spawn()] {
            #expect(!ProcessAncestry.isWithin(try node.identity(), identity))
        }
        #expect(!ProcessAncestry.isWithin(try ProcessIdentity.current(), identity))
    }

    @Test func anOrphanStaysWithinALeaderThatAdoptsOrphans() throws {
        let tree = try ProcessTree()
        // Without the leader's adoption, the orphans go further up.
        try tree.root.adoptOrphans()
        let leader = try tree.root.spawn()
        let identity = try leader.identity()
        for adopts in [true, false] {
            let leader = adopts ? leader : try tree.root.spawn()
            if adopts { try leader.adoptOrphans() }
            let child = try leader.spawn()
            let grandchild = try child.spawn()
            try child.end()
            #expect(try grandchild.parent() == (adopts ? identity.pid : tree.root.identity().pid))
            #expect(ProcessAncestry.isWithin(try grandchild.identity(), try leader.identity()) == adopts)
        }
    }

    /// A namespace's first process adopts the orphans of everybody who entered the namespace.
    @Test(.enabled(if: geteuid() == 0, "needs root to make a namespace"))
    func anOrphanThatWasLeftInANamespaceIsNot() throws {
        // The leader starts the first process of a namespace.
        let leader = try Subprocess("/usr/bin/unshare", ["--pid", "--fork", "--kill-child", "sleep", "6000"])
        /// Waits until a process has a child.
        func child(of pid: Int32) throws -> Int32 {
            let limit = ContinuousClock.now + patience
            while ContinuousClock.now < limit {
                let list = try String(contentsOfFile: "/proc/\(pid)/task/\(pid)/children", encoding: .utf8)
                if let first = list.split(separator: " ").compactMap({ Int32($0) }).first { return first }
                // There is no event for another process's children.
                usleep(10_000)
            }
            throw SystemError("find a child of process \(pid)", errno: ESRCH)
        }
        let first = try child(of: leader.pid)
        // A program that does not descend from the leader enters, and leaves an orphan.
        let stranger = try Subprocess(
            "/usr/bin/nsenter", ["--target", "\(first)", "--pid", "sh", "-c", "sleep 6000 & exit"])
        #expect(try stranger.finish() == 0)
        let orphan = try child(of: first)
        #expect(try ProcessStat(pid: orphan).parent == first && ProcessStat(pid: first).parent == leader.pid)
        let identity = try ProcessIdentity(observing: leader.pid)
        #expect(!ProcessAncestry.isWithin(try ProcessIdentity(observing: orphan), identity))
        #expect(ProcessAncestry.isWithin(identity, identity))
    }

    @Test func nobodyIsWithinALeaderThatHasEnded() throws {
        let tree = try ProcessTree()
        let leader = try tree.root.spawn()
        let child = try leader.spawn()
        let (its, childs) = (try leader.identity(), try child.identity())
        try leader.end()
        #expect(!ProcessAncestry.isWithin(childs, its))
        #expect(!ProcessAncestry.isWithin(its, its))
    }

    @Test func aNumberIsNoIdentity() throws {
        let own = try ProcessIdentity.current()
        let earlier = ProcessIdentity(pid: own.pid, startTime: own.startTime - 1)
        #expect(!ProcessAncestry.isWithin(own, earlier))
        #expect(!ProcessAncestry.isWithin(earlier, own))
        #expect(!ProcessAncestry.isWithin(earlier, earlier))
    }

    /// The child's parent ends right after its number was read, and a process within the lease gets that number.
    @Test func aParentsNumberThatWasTakenOverLeadsNowhere() {
        let leader = ProcessIdentity(pid: 10, startTime: 100)
        let stranger = ProcessIdentity(pid: 30, startTime: 300)
        var looks = 0
        func look(_ pid: Int32) throws(SystemError) -> ProcessAncestry.Entry {
            looks += 1
            switch pid {
            case 10: return .init(identity: leader, parent: 1)
            // The former parent 20 was a stranger's. The present 20 is the leader's child.
            case 20: return .init(identity: ProcessIdentity(pid: 20, startTime: 400), parent: 10)
            case 30: return .init(identity: stranger, parent: looks == 1 ? 20 : 1)
            default: throw SystemError("find process \(pid)", errno: ESRCH)
            }
        }
        #expect(!ProcessAncestry.isWithin(stranger, leader, by: look))
    }

    /// A process on the way ends while the chain is followed. The child has another parent by then, and is followed again.
    @Test func aChainThatChangesIsFollowedAgain() {
        let leader = ProcessIdentity(pid: 10, startTime: 100)
        let child = ProcessIdentity(pid: 30, startTime: 300)
        var looks = 0
        func look(_ pid: Int32) throws(SystemError) -> ProcessAncestry.Entry {
            looks += 1
            switch pid {
            case 10: return .init(identity: leader, parent: 1)
            case 30: return .init(identity: child, parent: looks == 1 ? 20 : 10)
            default: throw SystemError("find process \(pid)", errno: ESRCH)
            }
        }
        #expect(ProcessAncestry.isWithin(child, leader, by: look))
    }

    @Test func aChainWithoutEndEnds() {
        let leader = ProcessIdentity(pid: 1000, startTime: 100)
        func look(_ pid: Int32) throws(SystemError) -> ProcessAncestry.Entry {
            .init(identity: ProcessIdentity(pid: pid, startTime: 1), parent: pid == 2 ? 3 : 2)
        }
        #expect(!ProcessAncestry.isWithin(ProcessIdentity(pid: 2, startTime: 1), leader, by: look))
    }
}
