/// The TPM's index that the keys of one generation of a vault hang on: what it takes to compute its Name (docs/rotation.md). The same two facts as of an
/// index that counts tries.
public typealias GenerationPin = IndexPin
