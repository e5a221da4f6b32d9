import Coffer
import Testing

@testable import CofferFiles

/// What a file of an application may be called.
@Suite struct RelativePathTests {
    private func isRefused(_ path: String) -> Bool {
        do throws(KeychainError) { _ = try RelativePath(path) } catch { return error.code == .invalidArgument }
        return false
    }

    @Test func limitsAreMetAndKept() {
        let name = String(repeating: "n", count: 255)
        #expect(!isRefused(name) && isRefused(name + "n"))
        // In bytes, not in characters.
        #expect(isRefused(String(repeating: "é", count: 128)))
        let path = [name, name, name, String(repeating: "n", count: 256)].joined(separator: "/")
        #expect(path.utf8.count == 1024)
        #expect(!isRefused(String(path.dropLast())) && isRefused(path + "n"))
        #expect(!isRefused([name, name, name, "a", String(repeating: "n", count: 254)].joined(separator: "/")))
        #expect(isRefused([name, name, name, "a", String(repeating: "n", count: 255)].joined(separator: "/")))
        let deep = Array(repeating: "d", count: 64).joined(separator: "/")
        #expect(!isRefused(deep) && isRefused(deep + "/d"))
    }

    @Test(arguments: ["", "/", "a/", "/a", "a//b", ".", "..", "a/..", "../a", "a/./b", "a\0", ".coffer", ".coffer/a"])
    func whatLeadsElsewhereIsRefused(path: String) {
        #expect(isRefused(path))
    }

    @Test(arguments: ["a", "a/b", "...", "a/.coffer", ".a", "é/ü"]) func otherNamesAreNames(path: String) throws {
        #expect(try RelativePath(path).names.joined(separator: "/") == path)
    }

    /// A name may have more than a line of a terminal takes.
    @Test func aMessageShowsTheBeginningOfALongName() {
        do throws(KeychainError) {
            _ = try RelativePath(String(repeating: "n", count: 300))
            Issue.record("a name of 300 bytes was taken")
        } catch {
            #expect(error.message == "a file cannot be called \"\(String(repeating: "n", count: 100))\"")
        }
    }
}
