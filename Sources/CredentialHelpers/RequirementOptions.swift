import ArgumentParser
import Coffer

extension AccessControl.Accessibility: ExpressibleByArgument {}
extension AccessControl.Requirement: ExpressibleByArgument {}

/// What `--require` and `--any` say. Every command that takes them checks them here.
package enum RequirementOptions {
    @discardableResult
    package static func check(
        _ require: [AccessControl.Requirement], any: Bool
    ) throws(ValidationError) -> Set<AccessControl.Requirement> {
        guard !any || require.count > 1 else { throw ValidationError("--any needs two or more --require") }
        do throws(AccessControlError) { return try Set(naming: require) } catch {
            throw ValidationError("--require names a factor twice")
        }
    }
}
