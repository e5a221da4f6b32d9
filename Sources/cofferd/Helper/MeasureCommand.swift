import Authorization
import Firmware
import HelperProtocol
import Platform
import ProgramOptions

/// Computes a boot file's digests for `coffer boot approve`.
enum MeasureCommand: HelperTask {
    static let usage = ProgramUsage.Command(
        Helper.measure, abstract: "Compute the digests of a file, for \"coffer boot approve\".", words: ["file"])

    /// The largest file that is read, in bytes. No kernel or boot loader is larger.
    private static let longest = 512 << 20

    static func run(_ words: [String]) throws {
        let bytes: [UInt8]
        do throws(SystemError) { bytes = try DurableFile.read(words[0], limit: longest) } catch {
            return try HelperAnswer.say(FileMeasurement())
        }
        let measured = try MeasuredFile(bytes)
        try HelperAnswer.say(
            FileMeasurement(content: Hex.encode(measured.content), image: measured.image.map(Hex.encode)))
    }
}
