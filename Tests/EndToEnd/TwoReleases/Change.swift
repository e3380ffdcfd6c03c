import ReactorHost

/// A change of a type between two releases.
protocol Change {
  associatedtype Former: Codable & Sendable
  associatedtype Later: Codable & Sendable

  static var name: String { get }
  static var former: Former { get }
  static var later: Later { get }
}

extension Change {
  static var name: String { "\(self)" }

  /// The reactors and the global of one of the releases.
  static func parts(
    of release: Int, holds: Bool
  ) -> ([ReactorRegistration], any SharedGlobal) {
    release == 1 ? parts(former, holds) : parts(later, holds)
  }

  private static func parts<Value: Codable & Sendable>(
    _ sample: Value, _ holds: Bool
  ) -> ([ReactorRegistration], any SharedGlobal) {
    let reactors = [
      ReactorRegistration(
        name, summary: "Has the value in all stored data but parameters",
        exampleActions: [.put(sample), .remind(sample), .hold(sample), .send(sample)]
      ) { ChangedReactor<Value>($0, holds: holds) },
      ReactorRegistration(
        name + "-parameters", summary: "Has the value as parameters", parameters: Value.self,
        exampleParameters: sample
      ) { ChangedReactor<Int>($0, holds: holds) },
    ]
    return (reactors, Global<Value?>(name, nil))
  }
}

// The names of the types are those of reactors.

enum MemberWithDefault: Change {
  struct Former: Codable { var a = 1 }
  struct Later: Codable {
    var a = 1
    var b: [String] = []
  }
  static let former = Former()
  static let later = Later(b: ["x"])
}

enum MemberWithoutDefault: Change {
  struct Former: Codable { let a: Int }
  struct Later: Codable {
    let a: Int
    let b: Int
  }
  static let former = Former(a: 1)
  static let later = Later(a: 1, b: 2)
}

enum OptionalMember: Change {
  struct Former: Codable { let a: Int }
  struct Later: Codable {
    let a: Int
    let b: Int?
  }
  static let former = Former(a: 1)
  static let later = Later(a: 1, b: 2)
}

enum RemovedMember: Change {
  struct Former: Codable {
    let a: Int
    let b: Int
  }
  struct Later: Codable { let a: Int }
  static let former = Former(a: 1, b: 2)
  static let later = Later(a: 1)
}

enum RenamedMember: Change {
  struct Former: Codable { let a: Int }
  struct Later: Codable { let c: Int }
  static let former = Former(a: 1)
  static let later = Later(c: 1)
}

enum ChangedType: Change {
  struct Former: Codable { let a: Int }
  struct Later: Codable { let a: String }
  static let former = Former(a: 1)
  static let later = Later(a: "1")
}

enum NewCase: Change {
  enum Former: Codable { case one(Int) }
  enum Later: Codable { case one(Int), two(Int) }
  static let former = Former.one(1)
  static let later = Later.two(2)
}

enum RemovedCase: Change {
  enum Former: Codable { case one, two(Int) }
  enum Later: Codable { case one }
  static let former = Former.two(2)
  static let later = Later.one
}

enum OtherPayload: Change {
  enum Former: Codable { case remind(id: Int) }
  enum Later: Codable { case remind(card: Int, times: Int) }
  static let former = Former.remind(id: 1)
  static let later = Later.remind(card: 1, times: 2)
}

enum NestedType: Change {
  struct Former: Codable {
    struct Inner: Codable { let x: Int }
    let inner: [Inner]
  }
  struct Later: Codable {
    struct Inner: Codable {
      struct Point: Codable { let y: Int }
      let x: Point
    }
    let inner: [Inner]
  }
  static let former = Former(inner: [.init(x: 1)])
  static let later = Later(inner: [.init(x: .init(y: 1))])
}

enum RawValue: Change {
  enum Former: String, Codable { case red, green }
  enum Later: String, Codable { case rot, green }
  static let former = Former.red
  static let later = Later.rot
}

/// All changes.
var changes: [any Change.Type] {
  [
    MemberWithDefault.self, MemberWithoutDefault.self, OptionalMember.self, RemovedMember.self,
    RenamedMember.self, ChangedType.self, NewCase.self, RemovedCase.self, OtherPayload.self,
    NestedType.self, RawValue.self,
  ]
}
