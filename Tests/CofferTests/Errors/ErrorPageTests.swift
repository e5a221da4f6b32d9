import Coffer
import TestSupport
import Testing

/// docs/library.md says of each kind of error when it comes, and what to do.
struct ErrorPageTests {
    @Test func theLibrarysPageNamesEachCodeOnce() throws {
        let page = try SourceTree.text("docs/library.md")
        let heading = try #require(page.firstRange(of: "\n| code | when | do |\n"))
        let rows = page[heading.upperBound...].split(separator: "\n", omittingEmptySubsequences: false)
            .prefix { $0.hasPrefix("|") }
        var named: [String] = []
        for row in rows {
            guard let codes = row.split(separator: "|").first else { continue }
            for word in codes.split(separator: "`") where word.hasPrefix(".") { named.append(String(word)) }
        }
        // Those of the TPM have one row.
        let codes = KeychainError.Code.allCases.map { ".\($0)" }.filter { !$0.hasPrefix(".tpm") } + [".tpm…"]
        #expect(named.sorted() == codes.sorted())
    }
}
