internal import Synchronization

/// A lock-free cache from key type to case shape.
///
/// A slot is one word: the address of a type's metadata, with the shape in its low bits, which
/// alignment leaves free. Loads and stores are relaxed, because a word is complete in itself. Types
/// that share a slot evict each other.
struct CaseShapeCache: ~Copyable, Sendable {
  private let slots = InlineArray<256, Atomic<UInt>> { _ in Atomic(0) }

  /// The cached shape of a type.
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
