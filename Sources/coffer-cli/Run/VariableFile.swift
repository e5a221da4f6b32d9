import Coffer
import Glibc
import Platform

/// A file of `NAME=VALUE` lines (docs/references.md). A value that is a reference is a secret, and every other is taken as it is.
enum VariableFile {
    static func read(_ path: String) throws(KeychainError) -> [(name: String, source: RunPlan.Source)] {
        let bytes: [UInt8]
        do throws(SystemError) {
            // Also a link or a pipe: `--env-file <(make-variables)`.
            bytes = try DurableFile.read(
                Descriptor.open(path, O_RDONLY), named: path, limit: ReferenceLimits.variableFile)
        } catch {
            throw KeychainError(
                .failed, "the file of variables cannot be read: \(error.message)", advice: error.advice,
                cause: error.underlying)
        }
        do throws(Mistake) { return try parse(bytes) } catch {
            throw KeychainError(
                .invalidArgument, "\(VisibleText.quoted(path)), line \(error.line): \(error.reason)",
                advice: error.advice)
        }
    }

    /// Why a line is not understood. The line is not repeated, because it may hold a secret.
    struct Mistake: Error, Equatable {
        let line: Int
        let reason: String
        let advice: String
    }

    /// The lines that are not read yet.
    private struct Lines {
        private var rest: ArraySlice<ArraySlice<UInt8>>
        /// Of the last line that was read, from 1.
        private(set) var number = 0

        init(_ bytes: [UInt8]) {
            // Editors of other systems put a byte order mark before the first line.
            let text = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes[3...] : bytes[...]
            rest = text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)[...]
        }

        mutating func next() -> ArraySlice<UInt8>? {
            guard let line = rest.popFirst() else { return nil }
            number += 1
            return line.last == UInt8(ascii: "\r") ? line.dropLast() : line
        }
    }

    static func parse(_ bytes: [UInt8]) throws(Mistake) -> [(name: String, source: RunPlan.Source)] {
        var found: [(name: String, source: RunPlan.Source)] = []
        var lines: [String: Int] = [:]
        var rest = Lines(bytes)
        while let whole = rest.next() {
            let line = whole.drop(while: isBlank)
            let number = rest.number
            guard let first = line.first, first != UInt8(ascii: "#") else { continue }
            let (name, source) = try variable(line, &rest)
            if let earlier = lines[name] {
                throw Mistake(
                    line: number, reason: "\(name) was set in line \(earlier) already", advice: "set it once")
            }
            guard found.count < ReferenceLimits.variables else {
                throw Mistake(
                    line: number, reason: "there are more than \(ReferenceLimits.variables) variables",
                    advice: "remove some")
            }
            lines[name] = number
            found.append((name, source))
        }
        return found
    }

    private static func variable(
        _ line: ArraySlice<UInt8>, _ lines: inout Lines
    ) throws(Mistake) -> (name: String, source: RunPlan.Source) {
        var line = line
        let number = lines.number
        let export = Array("export".utf8)
        if line.starts(with: export), line.dropFirst(export.count).first.map(isBlank) ?? false {
            line = line.dropFirst(export.count).drop(while: isBlank)
        }
        guard let equals = line.firstIndex(of: UInt8(ascii: "=")),
            VariableName.isValid(String(decoding: line[..<equals], as: UTF8.self))
        else { throw Mistake(line: number, reason: "it is not NAME=VALUE", advice: "write one variable a line") }
        let name = String(decoding: line[..<equals], as: UTF8.self)
        let value = try value(line[(equals + 1)...], &lines)
        guard !value.contains(0) else {
            throw Mistake(line: number, reason: "\(name) has a zero byte", advice: "remove it")
        }
        guard SecretReference.isMeant(value) else { return (name, .plain(value)) }
        do throws(SecretReference.Mistake) {
            return (name, .secret(try SecretReference(parsing: String(decoding: value, as: UTF8.self))))
        } catch {
            throw Mistake(
                line: number, reason: "\(name) is not set to a reference: \(error.reason)", advice: error.advice)
        }
    }

    /// A quoted value may go on for several lines.
    private static func value(_ text: ArraySlice<UInt8>, _ lines: inout Lines) throws(Mistake) -> [UInt8] {
        let start = lines.number
        let text = text.drop(while: isBlank)
        guard let quote = text.first, quote == UInt8(ascii: "'") || quote == UInt8(ascii: "\"") else {
            return plain(text)
        }
        var value: [UInt8] = []
        var rest = text.dropFirst()
        while true {
            guard let byte = rest.popFirst() else {
                guard let line = lines.next() else {
                    throw Mistake(line: start, reason: "a quote is not closed", advice: "close it")
                }
                value.append(UInt8(ascii: "\n"))
                rest = line
                continue
            }
            let number = lines.number
            if byte == quote {
                let after = rest.drop(while: isBlank)
                guard after.isEmpty || after.first == UInt8(ascii: "#") else {
                    throw Mistake(
                        line: number, reason: "something follows the closing quote",
                        advice: "put all of the value into the quotes")
                }
                return value
            }
            guard byte == UInt8(ascii: "\\"), quote == UInt8(ascii: "\"") else {
                value.append(byte)
                continue
            }
            switch rest.popFirst() {
            case UInt8(ascii: "n"): value.append(UInt8(ascii: "\n"))
            case UInt8(ascii: "t"): value.append(UInt8(ascii: "\t"))
            case UInt8(ascii: "r"): value.append(UInt8(ascii: "\r"))
            case let escaped? where "\\\"$`".utf8.contains(escaped): value.append(escaped)
            default:
                throw Mistake(
                    line: number, reason: "a backslash in double quotes is followed by none of n, t, r, \\, \", $, `",
                    advice: "write a backslash itself as \\\\, or use single quotes")
            }
        }
    }

    /// Without quotes, a value ends at blanks before a comment, or at the end of the line.
    private static func plain(_ text: ArraySlice<UInt8>) -> [UInt8] {
        var end = text.endIndex
        for index in text.indices where text[index] == UInt8(ascii: "#") {
            if index == text.startIndex || isBlank(text[index - 1]) {
                end = index
                break
            }
        }
        var value = text[..<end]
        while let last = value.last, isBlank(last) { value = value.dropLast() }
        return Array(value)
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
}
