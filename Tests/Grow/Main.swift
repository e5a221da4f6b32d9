import Circle
import Cryptography
import Foundation
import Growth

/// `coffer-growth FOLDER MORE CODE [NAME=NUMBER]...`: fills a folder as the machines of a large circle leave it, and answers
/// the machine that shows this code. MORE gets the files of one change more. Prints what lies there.
@main
struct Grow {
    static func main() throws {
        let words = Array(CommandLine.arguments.dropFirst())
        guard words.count >= 3, let plan = plan(words.dropFirst(3)) else {
            print(
                "usage: coffer-growth FOLDER MORE CODE [devices=N] [writers=N] [records=N] [items=N] [deleted=N] "
                    + "[waves=N] [tail=N] [seed=N]")
            exit(2)
        }
        let (folder, more) = (URL(fileURLWithPath: words[0]), URL(fileURLWithPath: words[1]))
        let code = try JoinCode(reading: SecretBytes(copying: Array(words[2].utf8)))
        let request = try GrownCircle.request(code, in: folder)
        let grown = try GrownCircle(plan, adding: request)
        let files = grown.files
        try GrownCircle.write(files, into: folder)
        try GrownCircle.write(grown.filesOfOneMore, into: more)
        let answer = try grown.answer(to: request)
        let place = try code.place
        let sealed = try AESGCM.seal(
            SecretBytes(copying: answer.bytes), key: code.answerKey, associatedData: place.bytes)
        try GrownCircle.write([(.answer(place), sealed)], into: folder)
        let heads = grown.heads.reduce(0) { $0 + $1.bytes.count }
        let all = files.reduce(0) { $0 + $1.content.count }
        print("{\"files\": \(files.count), \"bytes\": \(all), \"heads\": \(heads), \"answer\": \(sealed.count)}")
    }

    private static func plan(_ words: some Sequence<String>) -> GrowthPlan? {
        let names: [String: WritableKeyPath<GrowthPlan, Int>] = [
            "devices": \.devices, "writers": \.writers, "records": \.records, "items": \.items, "deleted": \.deleted,
            "waves": \.waves, "tail": \.tail,
        ]
        var plan = GrowthPlan()
        for word in words {
            let parts = word.split(separator: "=").map(String.init)
            guard parts.count == 2, let number = Int(parts[1]), number >= 0 else { return nil }
            if parts[0] == "seed" {
                plan.seed = UInt64(number)
            } else if let path = names[parts[0]] {
                plan[keyPath: path] = number
            } else {
                return nil
            }
        }
        return plan
    }
}
