import Coffer

struct Row12StorageAdvice: Row {
    let number = 12
    let title = "Storage advice"

    func run(_ stage: TourRow) async throws {
        try await stage.verb("which store for which kind of data") {
            let stores: [(DataKind, StorageAdvice.Store)] = [
                (.credentials, .keychainItem), (.secret, .keychainItem), (.key, .keychainItem),
                (.temporarySecret, .keychainItem), (.setting, .settings), (.document, .protectedFile),
                (.support, .protectedFile), (.cached, .cache), (.temporary, .protectedFile), (.records, .database),
            ]
            try expectEqual(stores.count, DataKind.allCases.count)
            for (kind, store) in stores {
                let advice = StorageAdvice.store(for: kind)
                try expectEqual(advice.store, store)
                try expect(!advice.use.isEmpty && !advice.reason.isEmpty)
            }
        }
        try await stage.verb("and for which size") {
            try expectEqual(StorageAdvice.store(for: .secret, size: StorageLimits.item).store, .keychainItem)
            try expectEqual(StorageAdvice.store(for: .secret, size: StorageLimits.item + 1).store, .protectedFile)
            try expectEqual(StorageAdvice.store(for: .setting, size: StorageLimits.setting + 1).store, .protectedFile)
        }
        try await stage.verb("the stores keep to it") {
            let largest = [UInt8](repeating: 1, count: StorageLimits.item)
            try await stage.keychain.set(largest, for: "largest")
            try await expectError(.limitExceeded) { try await stage.keychain.set(largest + [1], for: "larger") }
        }
    }
}
