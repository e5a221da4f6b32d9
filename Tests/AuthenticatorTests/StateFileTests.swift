import Foundation
import Platform
import TestSupport
import Testing

@testable import Authenticator

/// State that several processes of the authenticator change.
@Suite struct StateFileTests {
    @Test func noChangeIsLostIfSeveralAreMadeAtOnce() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path
        try await withThrowingTaskGroup { group in
            for _ in 0..<4 {
                group.addTask {
                    let file = try StateFile(registryDirectory: path, folder: "count", uid: 7, nothing: 0)
                    for _ in 0..<50 { try file.update { $0 += 1 } }
                }
            }
            try await group.waitForAll()
        }
        let file = try StateFile(registryDirectory: path, folder: "count", uid: 7, nothing: 0)
        #expect(try file.update { $0 } == 200)
        // Each user has a file of their own, which is there only while it says something.
        let other = try StateFile(registryDirectory: path, folder: "count", uid: 8, nothing: 0)
        #expect(try other.update { $0 } == 0)
        try file.update { $0 = 0 }
        #expect(try Folder.entries(path + "/count").filter { $0.hasSuffix(".json") } == [])
    }
}
