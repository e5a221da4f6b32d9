import Foundation
import Platform
import TestSupport
import Testing

/// The manual agrees with the program.
@Suite struct ManualTests {
    @Test func pagesAreWhatCofferSaysOfItself() throws {
        let script = try Subprocess(SourceTree.path("scripts/man-pages"), ["--check", Program.path]) {
            $0.output = .pipe
            $0.errors = .inherited
        }
        #expect(try script.readText() == "")
        #expect(try script.finish() == 0)
    }

    /// The macros that change the font with each word put no blank between the words. They are for a page's name and
    /// section.
    @Test func noMacroSwallowsTheBlanksOfASentence() throws {
        let folder = URL(filePath: SourceTree.path("docs/man"))
        let pages = try FileManager.default.contentsOfDirectory(atPath: folder.path())
        #expect(pages.count > 20)
        for page in pages {
            let text = try String(contentsOf: folder.appending(path: page), encoding: .utf8)
            for line in text.split(separator: "\n") where line.hasPrefix(".BR ") {
                #expect(line.split(separator: " ").count == 3, "\(page): \(line)")
            }
        }
    }
}
