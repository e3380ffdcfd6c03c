/// A State that consists of values alone, so that a host encodes only what a mutation has changed.
///
/// ```swift
/// struct State: Codable, Sendable, PlainState {
///   var notes: [Note] = []
/// }
/// ```
///
/// A host encodes the State after each mutation. Without this declaration it calls the `encode(to:)` of all
/// nested values, since one of them can be an object that has changed or read a clock. With it, an element of an
/// array keeps its JSON as long as it is the same value: an action on a State of 512 KiB in 1,000 elements
/// takes a fraction of the time. Arrays with fewer than 16 elements, arrays inside dictionaries, sets and
/// associated values of enums, and States below 16 KiB are encoded whole.
///
/// The declaration is a promise about the State and every type inside it:
///
/// - It is a structure, an enumeration, a type of the standard library, or a value of Foundation. It is no object
///   whose members can change, and has no pointer.
/// - Its `encode(to:)` depends on its members alone: it reads no clock, no global and no static variable.
///
/// The check of mutations of debug builds finds a State that does not keep the promise. Memory: each session with
/// a large State retains the storage of its arrays and 12 bytes per element beside the State.
public protocol PlainState {}
