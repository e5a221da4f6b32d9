import Cryptography
import Firmware
import Platform
import TPM
import Vault

/// The files of this boot, as far as its log names them, looked at as they are now: the next boot will measure what they have become.
struct BootFiles {
    /// Larger ones, and more of them, are not looked at here.
    private static let longest = 64 << 20
    private static let most = 64

    struct Changed: Equatable {
        let path: String
        let old: [UInt8]
        let new: [UInt8]
    }

    private(set) var changed: [Changed] = []
    /// How many are as they were.
    private(set) var unchanged = 0
    /// Those that were not found, or cannot be read by the broker.
    private(set) var unseen: [String] = []

    /// - Parameters:
    ///   - registers: those that count.
    ///   - folders: where the log's paths may begin.
    init(_ log: MeasurementLog, registers: [Int], folders: [String]) {
        var seen: Set<String> = []
        for event in log.events where registers.contains(event.register) {
            guard let name = event.fileName, seen.insert(name).inserted else { continue }
            guard seen.count <= Self.most, let (path, file) = Self.find(name, folders) else {
                unseen.append(name)
                continue
            }
            if file.content == event.digest || file.image == event.digest {
                unchanged += 1
            } else {
                // Which of its digests was measured can be told by the kind of what measured it.
                let new = event.register == 9 ? file.content : file.image ?? file.content
                changed.append(Changed(path: path, old: event.digest, new: new))
            }
        }
    }

    private static func find(_ name: String, _ folders: [String]) -> (String, MeasuredFile)? {
        for folder in folders {
            // What is not there, or cannot be read, is not seen: the next folder may have it.
            guard let bytes = try? DurableFile.read(folder + name, limit: longest),
                let file = try? MeasuredFile(bytes)
            else { continue }
            return (folder + name, file)
        }
        return nil
    }
}
