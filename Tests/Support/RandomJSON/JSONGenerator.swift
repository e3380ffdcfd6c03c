package import ReactorCoding

/// Generates random JSON values, reproducible by seed.
package struct JSONGenerator: RandomNumberGenerator {
  private var state: UInt64

  /// Creates a generator; the same seed produces the same values.
  package init(seed: UInt64) {
    state = seed &+ 0x9E37_79B9_7F4A_7C15
  }

  /// SplitMix64.
  package mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var value = state
    value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
    value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
    return value ^ (value >> 31)
  }

  private static let names = [
    "a", "b", "c", "d/e", "f~g", "", "h\"i", "\u{1F600}", "tab\t", "0", "-",
  ]

  private mutating func chance(_ bound: Int) -> Int {
    Int.random(in: 0..<bound, using: &self)
  }

  /// Returns a value of at most this depth.
  package mutating func value(depth: Int) -> JSONValue {
    switch chance(depth > 0 ? 9 : 6) {
    case 0: return .null
    case 1: return .boolean(chance(2) == 0)
    case 2, 3: return .number(JSONNumber(chance(5)))
    case 4: return .string(String(repeating: "long text ", count: chance(4)))
    case 5: return .string(Self.names[chance(Self.names.count)])
    case 6: return .array((0..<chance(8)).map { _ in value(depth: depth - 1) })
    default:
      let names = Self.names.shuffled(using: &self).prefix(chance(7))
      return .object(names.map { JSONValue.Member($0, value(depth: depth - 1)) })
    }
  }

  /// Returns a value similar to another one.
  package mutating func changed(_ value: JSONValue) -> JSONValue {
    switch value {
    case .array(var elements):
      for _ in 0...chance(3) {
        switch chance(3) {
        case 0: elements.insert(self.value(depth: 2), at: chance(elements.count + 1))
        case 1 where !elements.isEmpty: elements.remove(at: chance(elements.count))
        case _ where !elements.isEmpty:
          let position = chance(elements.count)
          elements[position] = changed(elements[position])
        default: break
        }
      }
      return .array(elements)
    case .object(var members):
      if !members.isEmpty {
        let position = chance(members.count)
        switch chance(4) {
        case 0: members.remove(at: position)
        case 1: members.shuffle(using: &self)
        default: members[position].value = changed(members[position].value)
        }
      }
      return .object(members)
    default: return self.value(depth: 1)
    }
  }
}
