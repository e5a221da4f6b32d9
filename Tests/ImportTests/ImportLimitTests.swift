import Testing

@testable import Import

/// Attacker 5: a file that is made to take all memory. Each limit is reached, and passed by one.
@Suite struct ImportLimitTests {
    @Test func aFileHasSoManyEntries() throws {
        var reading = ImportReading()
        for _ in 0..<50_000 { try reading.add(ImportEntry(ImportPlace(line: 1))) }
        do throws(UnreadableFile) {
            try reading.add(ImportEntry(ImportPlace(line: 7)))
            Issue.record("one entry more was taken")
        } catch {
            #expect(error.place == ImportPlace(line: 7) && error.advice == "split the file")
            #expect(error.reason.contains("50000"))
        }
        #expect(reading.entries.count == 50_000)
    }

    /// A file of another format has a problem on each line. All are counted, and some are named.
    @Test func soManyProblemsAreNamed() {
        var reading = ImportReading()
        for line in 1...1001 {
            reading.addProblem(ImportPlace(line: line), "no")
            reading.leaveOut(ImportPlace(line: line), "no")
        }
        let lines = reading.problems.compactMap(\.place.line)
        #expect(lines == Array(1...100) && reading.problemCount == 1001)
        #expect(reading.leftOut.count == 1000 && reading.leftOutCount == 1001)
    }

    @Test func aFileHasSoManyBytes() throws {
        #expect(try TextFile.content([UInt8](repeating: 0x61, count: 64 << 20)).count == 64 << 20)
        do throws(UnreadableFile) {
            _ = try TextFile.content([UInt8](repeating: 0x61, count: 64 << 20 + 1))
            Issue.record("one byte more was taken")
        } catch { #expect(error.reason == "it has more than 64 MiB") }
    }
}
