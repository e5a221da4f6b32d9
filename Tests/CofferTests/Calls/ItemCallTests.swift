import Testing

@testable import Coffer

/// Calls about items, before they are sent.
struct ItemCallTests {
    /// One item cannot be stored by several calls.
    @Test(arguments: [(1, "shorten the item's value, comment or attributes"), (2, "make several calls")])
    func theAdviceForACallThatIsTooLongCanBeFollowed(count: Int, advice: String) {
        let value = [UInt8](repeating: 7, count: (2 << 20) / count)
        let changes = (0..<count).map { number in
            ItemChange(ItemName(service: "s", account: "\(number)"), .set(NewItem(value: value)))
        }
        do throws(KeychainError) {
            _ = try ItemCall.apply(changes)
            Issue.record("a call of 2 MiB was made")
        } catch {
            #expect(error.code == .limitExceeded && error.advice == advice, "\(error)")
        }
    }
}
