internal import Synchronization

/// Remembers the shapes of cases by the type of their keys, without a lock.
///
/// Each slot is one word: the address of a type's metadata, whose low bits are free, and the shape
/// in these. A word is whole or absent, so threads need not agree on an order; two types that share
/// a slot displace each other, which costs time and nothing else.
struct CaseShapeCache: ~Copyable, Sendable {
  private let slots = InlineArray<256, Atomic<UInt>> { _ in Atomic(0) }

  /// The shape that is remembered for a type.
  subscript(type: ObjectIdentifier) -> CaseShape? {
    get {
      let word = slots[Self.slot(of: type)].load(ordering: .relaxed)
      guard word & ~Self.shapeBits == UInt(bitPattern: type) else { return nil }
      return CaseShape(rawValue: word & Self.shapeBits)
    }
    nonmutating set {
      let address = UInt(bitPattern: type)
      guard let newValue, address & Self.shapeBits == 0 else { return }
      slots[Self.slot(of: type)].store(address | newValue.rawValue, ordering: .relaxed)
    }
  }

  private static let shapeBits: UInt = 3

  private static func slot(of type: ObjectIdentifier) -> Int {
    let address = UInt(bitPattern: type)
    return Int(truncatingIfNeeded: (address >> 4 ^ address >> 12) & 255)
  }
}
