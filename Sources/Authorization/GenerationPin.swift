/// The TPM index that one generation of a vault's keys depends on, with what is needed to compute its Name
/// (docs/rotation.md). The pin has the same two members as that of an index that counts tries.
public typealias GenerationPin = IndexPin
