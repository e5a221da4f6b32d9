import Item
import Testing

/// Every limit, at it and one beyond it.
@Suite struct ItemLimitsTests {
    private func text(_ count: Int) -> String { String(repeating: "x", count: count) }

    private func error(_ check: () throws(ItemLimitError) -> Void) -> ItemLimitError? {
        do throws(ItemLimitError) {
            try check()
            return nil
        } catch { return error }
    }

    @Test func names() {
        func check(_ service: String, _ account: String) -> ItemLimitError? {
            error { () throws(ItemLimitError) in try ItemLimits.check(service: service, account: account) }
        }
        #expect(check(text(1024), text(1024)) == nil && check("s", "") == nil)
        #expect(check("", "a") == .noService)
        #expect(check(text(1025), "a") == .longText(.service, count: 1025))
        #expect(check("s", text(1025)) == .longText(.account, count: 1025))
        // In bytes.
        #expect(check(String(repeating: "é", count: 513), "a") == .longText(.service, count: 1026))
    }

    @Test func texts() {
        func check(
            label: String? = nil, comment: String? = nil, _ attributes: [String: String] = [:]
        ) -> ItemLimitError? {
            error { () throws(ItemLimitError) in
                try ItemLimits.check(label: label, comment: comment, attributes: attributes)
            }
        }
        #expect(check(label: text(1024), comment: text(4096)) == nil)
        #expect(check(label: text(1025)) == .longText(.label, count: 1025))
        #expect(check(comment: text(4097)) == .longText(.comment, count: 4097))
        #expect(check(["k": text(4095)]) == nil && check(["k": text(4096)]) == .longAttribute)
        #expect(check(["": "v"]) == .noAttributeName)
        let many = Dictionary(uniqueKeysWithValues: (0..<65).map { ("\($0)", "") })
        #expect(check(many) == .manyAttributes(65))
        #expect(check(many.filter { $0.key != "0" }) == nil)
    }

    @Test func secrets() {
        #expect(error { () throws(ItemLimitError) in try ItemLimits.check(valueOf: 1 << 20) } == nil)
        #expect(
            error { () throws(ItemLimitError) in try ItemLimits.check(valueOf: 1 << 20 + 1) } == .longValue(1 << 20 + 1)
        )
        func password(_ count: Int) -> ItemLimitError? {
            error { () throws(ItemLimitError) in try ItemLimits.check(applicationPasswordOf: count) }
        }
        #expect(password(1) == nil && password(1024) == nil)
        #expect(password(0) == .noApplicationPassword && password(1025) == .longApplicationPassword(1025))
        func reason(_ count: Int) -> ItemLimitError? {
            error { () throws(ItemLimitError) in try ItemLimits.check(reason: text(count)) }
        }
        #expect(reason(512) == nil && reason(513) == .longReason)
    }

    @Test func excess() {
        for error in [ItemLimitError.noService, .noAttributeName, .noApplicationPassword, .longReason] {
            #expect(!error.isExcess && !error.reason.isEmpty)
        }
        for error in [
            ItemLimitError.longText(.label, count: 2), .longAttribute, .manyAttributes(2), .longValue(2),
            .longApplicationPassword(2),
        ] { #expect(error.isExcess && !error.reason.isEmpty) }
    }
}
