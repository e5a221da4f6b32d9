import Coffer
import CofferSettings

/// An expectation that does not hold.
struct Unmet: Error, CustomStringConvertible {
    let description: String
}

func expect(_ condition: Bool, file: String = #fileID, line: Int = #line) throws {
    guard condition else { throw Unmet(description: "the expectation at \(file):\(line) does not hold") }
}

func expectEqual<Value: Equatable>(
    _ value: Value, _ wanted: Value, file: String = #fileID, line: Int = #line
) throws {
    guard value == wanted else { throw Unmet(description: "\(value) is not \(wanted) at \(file):\(line)") }
}

/// Expects a call to fail with this code.
/// - Returns: the error.
@discardableResult
func expectError(
    _ code: KeychainError.Code, file: String = #fileID, line: Int = #line, _ body: () async throws -> Void
) async throws -> KeychainError {
    do { try await body() } catch let error as KeychainError {
        guard error.code == code else {
            throw Unmet(description: "\(error.code) (\(error)) is not \(code) at \(file):\(line)")
        }
        return error
    }
    throw Unmet(description: "no \(code) was thrown at \(file):\(line)")
}

/// Expects a call to fail with this code.
func expectSettingsError(
    _ code: SettingsError.Code, file: String = #fileID, line: Int = #line, _ body: () async throws -> Void
) async throws {
    do { try await body() } catch let error as SettingsError {
        return try expectEqual(error.code, code, file: file, line: line)
    }
    throw Unmet(description: "no \(code) was thrown at \(file):\(line)")
}
