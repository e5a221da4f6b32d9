import BrokerProtocol
import Testing
import Varlink

/// The messages of `pam_coffer` are written by hand, because the module links to that one file only.
@Suite struct LoginWireTests {
    @Test("the module's names are the interfaces'")
    func names() {
        #expect("\(LoginWire.interface)" == Login.interface)
        #expect("\(LoginWire.report)" == Login.Report.name)
        #expect("\(LoginWire.unlock)" == Keychain.Unlock.name)
        #expect("\(LoginWire.authenticationRequired)" == Fault.Name.authenticationRequired.rawValue)
        #expect("\(LoginWire.begin)" == Authentication.Begin.name)
        #expect("\(LoginWire.resume)" == Authentication.Continue.name)
    }
}
