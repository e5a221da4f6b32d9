import Circle
import Courier
import TestSupport
import Testing

@testable import coffer_cli

@Suite struct FileWaitTests {
    @Test func whatTakesLongIsToldOnce() throws {
        let scratch = try TemporaryFolder()
        let circle = try #require(StatementName(bytes: Array(repeating: 1, count: StatementName.count)))
        let folder = try SharedFolder(scratch.path, .itself)
        let (told, begin) = (Lines(), ContinuousClock.now)
        let wait = FileWait(
            folder: folder, path: .beacon(circle: circle), notice: "first", later: (.zero, "later"),
            limit: .seconds(2), tell: told.add)
        #expect(try wait.file() == nil)
        #expect(told.all == ["first", "later"] && ContinuousClock.now >= begin + .seconds(2))
        let short = FileWait(
            folder: folder, path: .beacon(circle: circle), notice: "second", later: (.seconds(600), "never"),
            limit: .zero, tell: told.add)
        #expect(try short.file() == nil)
        #expect(told.all == ["first", "later", "second"])
    }

    private final class Lines {
        private(set) var all: [String] = []

        func add(_ line: String) { all.append(line) }
    }
}
