import BrokerProtocol
import Foundation
import Platform
import TestSupport
import Testing
import Varlink

@testable import coffer_cli

/// `coffer sync watch`, with a fake broker.
@Suite struct SyncWatchTests {
    @Test(arguments: [SIGTERM, SIGINT]) func itCarriesWhateverHappensAndEndsBySignal(_ signal: Int32) throws {
        let watch = try WatchFixture(told: [
            WatchFixture.event(.updated, "github"), WatchFixture.event(.unlocked), WatchFixture.event(.missed),
        ])
        try watch.wait(for: "the first exchange") { watch.calls("Give") == 1 }
        // A head of another machine, and a folder of one that is new.
        for name in ["heads/\(SyncFixture.server)", "\(SyncFixture.server)/0000000000000/x"] {
            let before = watch.calls("Give")
            try watch.arrive(name)
            try watch.wait(for: "an exchange for \(name)") { watch.calls("Give") > before }
        }
        for count in 1...3 {
            let before = watch.calls("Give")
            watch.tell()
            try watch.wait(for: "an exchange for event \(count)") { watch.calls("Give") > before }
        }
        try watch.stop(signal)
        #expect(watch.said == "coffer: changes travel through \(watch.sync.folder)\n")
    }

    /// An exchange makes the event `sharing`. A service that carried then would never rest.
    @Test func whatAnExchangeTellsIsNoReasonForAnother() {
        for kind in Keychain.Event.Kind.allCases {
            #expect((SharingWatch.notice(of: kind) == nil) == (kind == .sharing), "\(kind)")
        }
    }

    /// Reading the item is a use of the vault, and it is logged.
    @Test func whereTheFolderIsIsReadOnceAndAgainWhenItWasChanged() throws {
        let watch = try WatchFixture(told: [
            WatchFixture.event(.updated, "github"), WatchFixture.event(.updated, "org.coffer.sync"),
        ])
        try watch.wait(for: "the first exchange") { watch.calls("Give") == 1 }
        watch.tell()
        try watch.wait(for: "the second exchange") { watch.calls("Give") == 2 }
        #expect(watch.calls("Get") == 1)
        watch.tell()
        try watch.wait(for: "the third exchange") { watch.calls("Give") == 3 }
        #expect(watch.calls("Get") == 2)
        try watch.stop()
    }

    /// Also an answer of "not there" is not asked for again and again.
    @Test func aFolderThatIsNotKnownIsSaidOnce() throws {
        let watch = try WatchFixture(["Get": [FakeCoffer.absent]], told: [WatchFixture.event(.updated, "github")])
        try watch.wait(for: "the advice") { watch.said.contains("coffer sync now --folder FOLDER") }
        watch.tell()
        let before = watch.calls("State")
        try watch.wait(for: "two further tries") { watch.calls("State") >= before + 2 }
        try watch.stop()
        #expect(watch.calls("Get") == 1 && watch.calls("Take") == 0)
        #expect(watch.said.split(separator: "\n").count == 1)
    }

    @Test func aLockedVaultIsSaidOnceAndWaitedFor() throws {
        let watch = try WatchFixture(
            ["State": [.fault(.locked), SyncFixture.shared]], told: [WatchFixture.event(.unlocked)])
        try watch.wait(for: "the notice") { watch.said.contains("the vault is locked") }
        #expect(watch.calls("State") == 1 && watch.calls("Get") == 0)
        watch.tell()
        try watch.wait(for: "the exchange") { watch.calls("Give") == 1 }
        try watch.stop()
        #expect(
            watch.said == """
                coffer: the vault is locked; changes travel once it is open
                coffer: changes travel through \(watch.sync.folder)

                """)
    }

    /// A service that ended with an error would be started again and again.
    @Test func aMachineThatSharesNoMoreEndsItInGoodOrder() throws {
        for (state, words) in [
            (SyncFixture.gone, "was removed"), (SyncFixture.alone, "shares its secrets with no other machine yet"),
        ] {
            let watch = try WatchFixture(["State": [state]])
            #expect(try watch.end() == 0)
            #expect(watch.said.contains(words) && watch.calls("Take") == 0, "\(watch.said)")
        }
    }

    /// It learns of its own removal from what it takes in.
    @Test func aRemovalEndsItAtOnce() throws {
        let segment = "\(SyncFixture.lap)/0000000000000/0000000000000001-\(String(repeating: "0d", count: 16))"
        let watch = try WatchFixture([
            "State": [SyncFixture.three, SyncFixture.three, SyncFixture.three, SyncFixture.three, SyncFixture.gone],
            "Look": [.answer(Sync.Look.Reply(wanted: ["\(SyncFixture.circle)/\(segment)"]))],
        ])
        try watch.wait(for: "the first exchange") { watch.calls("Give") == 1 }
        try watch.arrive(segment)
        #expect(try watch.end() == 0 && watch.said.contains("was removed"), "\(watch.said)")
    }

    @Test func aBrokerThatIsNotThereIsSaidOnceAndWaitedFor() throws {
        let folder = try TemporaryFolder()
        let socket = folder.path + "/coffer.sock"
        let watch = try WatchFixture(socket: socket)
        try watch.wait(for: "the notice") { watch.said.contains("broker") }
        let first = watch.said
        let broker = try FakeServer(
            path: socket,
            SyncFixture.item(watch.sync.folder).merging([
                "State": [SyncFixture.shared], "Monitor": [WatchFixture.listening],
            ]) { $1 })
        try watch.wait(for: "the exchange") { !broker.calls("Give").isEmpty }
        try watch.wait(for: "the good news") { watch.said.contains("changes travel") }
        try watch.stop()
        #expect(watch.said == "\(first)coffer: changes travel through \(watch.sync.folder)\n" && !first.isEmpty)
    }

    /// It says that it stops, together with its first reply.
    @Test func aBrokerThatWasStartedAgainIsListenedToAnew() throws {
        let watch = try WatchFixture(["Monitor": [WatchFixture.ending, WatchFixture.listening]])
        try watch.wait(for: "the exchange") { watch.calls("Monitor") == 2 && watch.calls("Give") >= 1 }
        try watch.stop()
    }

    @Test func aFolderThatVanishesAndComesBackIsUsedAgain() throws {
        let watch = try WatchFixture(told: [WatchFixture.event(.updated, "github")])
        try watch.wait(for: "the first exchange") { watch.calls("Give") == 1 }
        try FileManager.default.moveItem(atPath: watch.sync.folder, toPath: watch.sync.folder + "-gone")
        watch.tell()
        try watch.wait(for: "the notice") { watch.said.contains("is missing") }
        // Nothing is made in its place.
        let before = watch.calls("State")
        try watch.wait(for: "further tries") { watch.calls("State") >= before + 2 }
        #expect(!FileManager.default.fileExists(atPath: watch.sync.folder))
        try FileManager.default.moveItem(atPath: watch.sync.folder + "-gone", toPath: watch.sync.folder)
        try watch.wait(for: "the next exchange") { watch.said.components(separatedBy: "changes travel").count == 3 }
        try watch.stop()
        #expect(watch.said.split(separator: "\n").count == 3, "\(watch.said)")
    }

    /// The place of a disk that is not mounted is an empty folder. Nobody looks, so nothing is written there.
    @Test func anEmptyFolderGetsNothing() throws {
        let watch = try WatchFixture(holdsCircle: false)
        try watch.wait(for: "the notice") { watch.said.contains("has nothing of what your machines share") }
        let before = watch.calls("State")
        try watch.wait(for: "further tries") { watch.calls("State") >= before + 2 }
        #expect(watch.calls("Take") == 0 && watch.calls("Give") == 0)
        try #expect(FileManager.default.contentsOfDirectory(atPath: watch.sync.folder).isEmpty)
        try watch.arrive("heads/\(SyncFixture.lap)")
        try watch.wait(for: "the exchange") { watch.calls("Give") == 1 }
        try watch.stop()
    }

    /// What the machine writes itself is nothing new.
    @Test func itsOwnFilesMakeItDoNothing() {
        let own = String(repeating: "0e", count: 16)
        for name in [own, "beacon"] { #expect(SharingWatch.isOwn(name, device: own)) }
        for name in [SyncFixture.lap, "heads", "0000000000000", "x"] {
            #expect(!SharingWatch.isOwn(name, device: own))
        }
    }

    /// The broker has no room for its notices.
    @Test func withoutNoticesChangesTravelAllTheSame() throws {
        let watch = try WatchFixture(["Monitor": [.fault(.limitExceeded, "this user has 16 monitors already")]])
        try watch.wait(for: "the first exchange") { watch.calls("Give") == 1 }
        try watch.arrive("heads/\(SyncFixture.server)")
        try watch.wait(for: "the second exchange") { watch.calls("Give") == 2 }
        try watch.stop()
        #expect(watch.calls("Monitor") == 1)
        #expect(watch.said == "coffer: changes travel through \(watch.sync.folder)\n")
    }
}
