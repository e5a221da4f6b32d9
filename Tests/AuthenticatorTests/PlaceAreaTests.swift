import Platform
import RootConfiguration
import TestSupport
import Testing

@testable import Authenticator

/// Each user's places are apart from all others, and each program counts by itself.
@Suite struct PlaceAreaTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// A place, held as long as the value.
    private final class Held {
        private let places: PlaceLocks
        init(_ places: consuming PlaceLocks) { self.places = places }
    }

    private func places(programs: Int) -> ConversationPlaces {
        var configuration = Configuration()
        configuration.authSocket = folder.path + "/auth.sock"
        configuration.authenticationsPerUser = programs
        return ConversationPlaces(configuration)
    }

    private func admit(_ uid: UInt32, _ pid: Int32, programs: Int) throws -> Held {
        Held(try places(programs: programs).admit(PeerCredentials(uid: uid, gid: uid, pid: pid)))
    }

    private func isRefused(_ uid: UInt32, _ pid: Int32, programs: Int) -> Bool {
        do throws(ConversationError) {
            _ = try places(programs: programs).admit(try Self.peer(uid, pid))
            return false
        } catch { return error == .refused(ConversationPlaces.tooMany) }
    }

    private static func peer(_ uid: UInt32, _ pid: Int32) throws(ConversationError) -> PeerCredentials {
        do throws(SystemError) { return try PeerCredentials(uid: uid, gid: uid, pid: pid) } catch { throw .cancelled }
    }

    /// Neither the program before a number nor the one after it is the program.
    @Test func aProgramIsKnownByItsNumber() throws {
        var held = [try admit(1, 8, programs: 1)]
        for pid: Int32 in [7, 9, 16, 4] { #expect(isRefused(1, pid, programs: 1), "\(pid)") }
        held.append(try admit(1, 8, programs: 1))
        #expect(held.count == 2)
    }

    /// The users have numbers that exist on every machine. Those with higher numbers come first, and then again.
    @Test func oneUsersProgramsTakeNoPlaceFromAnother() throws {
        var held: [Held] = []
        for uid in (UInt32(1)...7).reversed() { held.append(try admit(uid, 4711, programs: 1)) }
        for uid in UInt32(1)...7 {
            #expect(isRefused(uid, 4712, programs: 1), "\(uid)")
            held.append(try admit(uid, 4711, programs: 1))
        }
        #expect(held.count == 14)
    }

    @Test func theMostProgramsOfAUserStayWithinTheirPlaces() throws {
        var held: [Held] = []
        for pid in Int32(1)...64 { held.append(try admit(1, pid, programs: 64)) }
        #expect(isRefused(1, 65, programs: 64))
        // One program of the next user has as many conversations.
        for _ in 0..<64 { held.append(try admit(2, 9, programs: 64)) }
        #expect(isRefused(2, 9, programs: 64))
        #expect(held.count == 128)
    }
}
