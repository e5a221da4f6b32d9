import Foundation
import TestSupport
import Testing

@testable import Coffer

struct StorageAdviceTests {
    @Test("Every kind of data has a store for every size", arguments: DataKind.allCases)
    func everySize(kind: DataKind) {
        for size in [Int.min, -1, 0, 1, 1 << 10, 1 << 20, 1 << 30, .max] {
            let advice = StorageAdvice.store(for: kind, size: size)
            #expect(advice.limit.map { size <= $0 } ?? true)
            #expect(advice.reason.hasSuffix("."))
        }
        let limits = StorageAdvice.all(for: kind).map { $0.limit ?? .max }
        #expect(limits == limits.sorted() && limits.last == .max)
    }

    @Test("No secret is advised to be a setting or to be stored in the clear")
    func secretsAreProtected() {
        for kind in [DataKind.credentials, .secret, .key, .temporarySecret] {
            for advice in StorageAdvice.all(for: kind) {
                #expect(advice.store == .keychainItem || advice.store == .protectedFile)
            }
        }
    }

    @Test("The limits divide the stores")
    func limits() {
        #expect(StorageAdvice.store(for: .secret, size: 1 << 20).store == .keychainItem)
        #expect(StorageAdvice.store(for: .secret, size: 1 << 20 + 1).store == .protectedFile)
        #expect(StorageAdvice.store(for: .setting, size: 256 << 10).store == .settings)
        #expect(StorageAdvice.store(for: .setting, size: 256 << 10 + 1).store == .protectedFile)
        #expect(StorageAdvice.store(for: .records).store == .database)
    }

    @Test("The table of docs/storage.md is the API's")
    func table() throws {
        let text = try SourceTree.text("docs/storage.md")
        #expect(text.contains("\n\n" + StorageAdvice.table + "\n\n"), "the table should be:\n\(StorageAdvice.table)")
    }
}
