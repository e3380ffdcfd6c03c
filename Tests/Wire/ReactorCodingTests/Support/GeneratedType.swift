import Foundation
import RandomJSON

/// A type of which tests make random values, and of which they build other types.
protocol GeneratedType: Codable, Hashable {
  static func random(_ random: inout JSONGenerator) -> Self

  /// The names of the members of a struct, in order; empty for other types.
  static var members: [String] { get }

  static var isOptional: Bool { get }
}

extension GeneratedType {
  static var members: [String] { [] }
  static var isOptional: Bool { false }
}

extension JSONGenerator {
  /// Returns a type built of other types to a maximum depth.
  mutating func type(depth: Int) -> any GeneratedType.Type {
    func trio(
      _ a: any GeneratedType.Type, _ b: any GeneratedType.Type, _ c: any GeneratedType.Type
    ) -> any GeneratedType.Type {
      func first<A: GeneratedType>(_: A.Type) -> any GeneratedType.Type {
        func second<B: GeneratedType>(_: B.Type) -> any GeneratedType.Type {
          func third<C: GeneratedType>(_: C.Type) -> any GeneratedType.Type { Trio<A, B, C>.self }
          return third(c)
        }
        return second(b)
      }
      return first(a)
    }
    func two(_ a: any GeneratedType.Type, _ b: any GeneratedType.Type, isCase: Bool)
      -> any GeneratedType.Type
    {
      func first<A: GeneratedType>(_: A.Type) -> any GeneratedType.Type {
        func second<B: GeneratedType>(_: B.Type) -> any GeneratedType.Type {
          guard isCase else { return [A: B].self }
          return Choice<A, B>.self
        }
        return second(b)
      }
      return first(a)
    }
    func one(_ a: any GeneratedType.Type, _ kind: Int) -> any GeneratedType.Type {
      func first<A: GeneratedType>(_: A.Type) -> any GeneratedType.Type {
        switch kind {
        case 0: A?.self
        case 1: [A].self
        default: [String: A].self
        }
      }
      return first(a)
    }
    guard depth > 0 else { return Self.leaves.randomElement(using: &self) ?? Int.self }
    let below = (0..<3).map { _ in type(depth: depth - 1) }
    switch Int.random(in: 0..<8, using: &self) {
    case 0...2: return trio(below[0], below[1], below[2])
    case 3: return two(below[0], below[1], isCase: true)
    // An optional key is `null` in an array of pairs, and an optional optional cannot be read back.
    case 4: return two(Self.leaves.randomElement(using: &self) ?? Int.self, below[1], isCase: false)
    case 5: return below[0].isOptional ? below[0] : one(below[0], 0)
    case 6: return one(below[0], 1)
    default: return one(below[0], 2)
    }
  }

  private static var leaves: [any GeneratedType.Type] {
    [
      Bool.self, Int.self, String.self, Double.self, UInt8.self, Int128.self, Date.self, URL.self,
      Data.self, Decimal.self, UUID.self, Direction.self, Email.self, Percentage.self, Names.self,
      TimeZone.self, Range<Int>.self, Duration.self, DateInterval.self, Picky.self, Omitting.self,
    ]
  }
}

extension Optional: GeneratedType where Wrapped: GeneratedType {
  static var isOptional: Bool { true }

  static func random(_ random: inout JSONGenerator) -> Wrapped? {
    Bool.random(using: &random) ? nil : .some(.random(&random))
  }
}

extension Array: GeneratedType where Element: GeneratedType {
  static func random(_ random: inout JSONGenerator) -> [Element] {
    (0..<Int.random(in: 0..<4, using: &random)).map { _ in .random(&random) }
  }
}

extension Dictionary: GeneratedType where Key: GeneratedType, Value: GeneratedType {
  static func random(_ random: inout JSONGenerator) -> [Key: Value] {
    var dictionary: [Key: Value] = [:]
    for _ in 0..<Int.random(in: 0..<3, using: &random) {
      dictionary[.random(&random)] = Value.random(&random)
    }
    return dictionary
  }
}
