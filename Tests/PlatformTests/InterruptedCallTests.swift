import Glibc
import Testing

@testable import Platform

/// Calls that a signal interrupts, and a name service that cannot answer.
@Suite struct InterruptedCallTests {
    @Test func anInterruptedCallIsMadeAgain() throws {
        var calls = 0
        let value = try checked("do it") { () -> Int32 in
            calls += 1
            errno = EINTR
            return calls < 3 ? -1 : 5
        }
        #expect(value == 5 && calls == 3)
        let error = #expect(throws: SystemError.self) {
            try checked("do it") { () -> Int32 in
                errno = EIO
                return -1
            }
        }
        #expect(error == SystemError("do it", errno: EIO))
    }

    /// - Parameter answer: the name service's answer to a call with this much room. 0 gives an entry.
    private func look(_ answer: (Int) -> Int32) throws(SystemError) -> Int? {
        try unsafe NameService.look(
            "find it", capacity: 4, limit: 64, empty: 0 as Int,
            { entry, _, room, found in
                let code = answer(room)
                if code == 0 {
                    unsafe entry.pointee = 7
                    unsafe found.pointee = entry
                }
                return code
            }
        ) { $0 }
    }

    /// An entry takes as much room as it needs, up to a limit. Somebody's group may have any number of members.
    @Test func anEntryGetsMoreRoomUpToTheLimit() throws {
        var rooms: [Int] = []
        let found = try look { room in
            rooms.append(room)
            return room < 64 ? ERANGE : 0
        }
        #expect(found == 7 && rooms == [4, 16, 64])
        rooms = []
        let error = #expect(throws: SystemError.self) {
            try look { room in
                rooms.append(room)
                return ERANGE
            }
        }
        #expect(error?.errno == ERANGE && rooms == [4, 16, 64])
    }

    /// A name service that fails says nothing about an account. It must not pass for one that knows no such account.
    @Test func onlyAMissingEntryIsNone() throws {
        for code in [ENOENT, ESRCH] {
            let found = try look { _ in code }
            #expect(found == nil, "\(code)")
        }
        for code in [EIO, ENFILE, ENOMEM, EAGAIN] {
            let error = #expect(throws: SystemError.self) { try look { _ in code } }
            #expect(error == SystemError("find it", errno: code))
        }
        var rooms: [Int] = []
        let found = try look { room in
            rooms.append(room)
            return rooms.count < 3 ? EINTR : 0
        }
        #expect(found == 7 && rooms == [4, 4, 4])
    }
}
