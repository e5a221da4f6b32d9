import COpenSSL
import LateLoading
import Testing

@testable import Cryptography

@Suite struct LibCryptoTests {
    @Test func eachFieldLeadsToTheFunctionOfItsName() throws {
        let library = try LateLibrary(LibCrypto.name)
        let functions = try LibCrypto.functions(of: library)
        // As numbers, which can be compared and shown.
        let addresses = unsafe withUnsafeBytes(of: functions) { unsafe Array($0.bindMemory(to: UInt.self)) }
        var names: [String] = []
        while let name = unsafe coffer_openssl_name(names.count) { unsafe names.append(String(cString: name)) }
        #expect(addresses.count == names.count)
        #expect(names.contains("EVP_DigestVerify"))
        for (name, address) in zip(names, addresses) {
            let found = try unsafe UInt(bitPattern: library.address(of: name))
            #expect(address == found, "\(name)")
        }
    }

    @Test func aLibraryThatLacksAFunctionIsNotTaken() throws {
        let other = try LateLibrary("libm.so.6")
        #expect { try LibCrypto.functions(of: other) } throws: { error in
            (error as? LateLibraryError)?.library == "libm.so.6"
        }
    }
}
