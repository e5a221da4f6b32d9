import Authorization
import Platform
import Synchronization
import TestSupport
import Testing

@testable import Broker

/// What is remembered of an owner's name, and when it is forgotten.
@Suite struct OwnerCheckTests {
    private final class NameService: Sendable {
        let name = Mutex("frank")
    }

    @Test func aNameIsForgottenWhenTheListOfAccountsChanges() throws {
        let folder = try TemporaryFolder()
        let list = "\(folder.path)/passwd"
        try DurableFile.write(Array("frank".utf8), to: list, mode: 0o644)
        let service = NameService()
        var check = OwnerCheck(accounts: list) { (uid) throws(SystemError) in
            Account(name: service.name.withLock { $0 }, uid: uid, gid: uid)
        }
        let former = try check.name(of: .user(1))
        #expect(former == "frank")
        // The number passes on to another account.
        service.name.withLock { $0 = "grace" }
        try DurableFile.write(Array("grace has it now".utf8), to: list, mode: 0o644)
        let present = try check.name(of: .user(1))
        #expect(present == "grace")
        service.name.withLock { $0 = "heidi" }
        try FileRemoval.remove(list)
        let last = try check.name(of: .user(1))
        #expect(last == "heidi")
    }
}
