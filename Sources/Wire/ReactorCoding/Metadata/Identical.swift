/// Returns a value as a value of `Known` if that is exactly its type; otherwise `nil`.
///
/// For values of existential type. A cast with `as?` has the same result, but takes ten times as
/// long.
@inlinable
package func identical<Value, Known>(_ value: Value, to type: Known.Type) -> Known? {
  // Proof: both types are the same.
  Value.self == Known.self ? unsafe unsafeBitCast(value, to: Known.self) : nil
}
