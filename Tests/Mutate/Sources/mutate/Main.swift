import Foundation
import SwiftParser

/// Prints every small mistake that can be made in Swift files, a line of JSON each.
/// usage: mutate FILE...
@main struct Main {
    static func main() throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        for path in CommandLine.arguments.dropFirst() {
            let text = try String(contentsOfFile: path, encoding: .utf8)
            let finder = MistakeFinder(file: path)
            finder.walk(Parser.parse(source: text))
            for mistake in finder.found {
                print(String(decoding: try encoder.encode(mistake), as: UTF8.self))
            }
        }
    }
}
