import Authorization
import Circle
import Platform
import TestSupport
import Testing

@testable import Authenticator

/// Where a client is, and which machines root has listed.
@Suite struct ClientPlaceTests {
    private static let session = "/user.slice/user-1000.slice/session-3.scope"

    /// A user can name the groups below their own service manager, so only logind's own names count.
    @Test func onlyASessionOfLogindsHasANumber() {
        #expect(Client.loginSession(of: Self.session, uid: 1000) == "3")
        #expect(Client.loginSession(of: "/user.slice/user-1000.slice/session-c2.scope", uid: 1000) == "c2")
        #expect(Client.loginSession(of: Self.session, uid: 1001) == nil)
        for group in [
            "", "/", "/user.slice/user-1000.slice/session-.scope", "/user.slice/user-1000.slice/session-3.slice",
            "/user.slice/user-1000.slice/session-3", "/user.slice/user-1000.slice/session-3/x.scope",
            "/user.slice/user-1000.slice/session-3 .scope", "/user.slice/user-1000.slice/session-\u{E9}.scope",
            "/user.slice/user-1000.slice/session-\u{663}.scope", "/x" + Self.session,
            "/user.slice/user-1000.slice/user@1000.service/session-3.scope",
        ] { #expect(Client.loginSession(of: group, uid: 1000) == nil, "\(group)") }
    }

    /// The bits of a number that no terminal has today, makedev(3).
    @Test func theHighestBitsOfATerminalsNumberCount() {
        #expect(Client.terminalName(Int32(bitPattern: 0x8000_8800)) == "pts/524288")
        #expect(Client.terminalName(0x8_8800) == nil)
        #expect(Client.terminalName(0x8_0401) == nil)
    }

    private let folder: TemporaryFolder
    private let list: String

    init() throws {
        folder = try TemporaryFolder()
        list = folder.path + "/machines"
    }

    private func read(_ text: String) throws -> MachineList {
        try DurableFile.write(Array(text.utf8), to: list, mode: 0o644)
        return try MachineList(list)
    }

    private func message(_ text: String) throws -> String {
        do {
            _ = try read(text)
            return ""
        } catch let error as ConversationError {
            #expect(error.fault?.name == .authenticationMisconfigured)
            return error.fault?.details.message ?? ""
        }
    }

    @Test func aMachineHasANameOfOneWordOrNone() throws {
        let machine = try ProvingMachine()
        let name = Hex.encode(try machine.machine.endorsementName)
        #expect(try read("\t \(name)\tlaptop # new\n#\(name) other\n\n").name(of: machine.machine) == "laptop")
        #expect(try read(name).name(of: machine.machine) == name)
        #expect(try message("# first\n\(name) two words\n").hasPrefix("line 2 of \(list) is no machine"))
        for wrong in ["\(name)00", String(name.dropLast(2)), "laptop \(name)"] {
            #expect(try message(wrong).hasPrefix("line 1 of "), "\(wrong)")
        }
        #expect(try message("\(name) laptop # two words\n").isEmpty)
    }

    @Test func theListHasALimit() throws {
        let most = String(repeating: "#", count: 1 << 20)
        #expect(try message(most).isEmpty)
        #expect(try message(most + "#").contains("more than 1048576 bytes"))
    }
}
