enum CounterAction: Codable, Hashable, Sendable {
  case increase
  case decrease
  case add(Int)
}

struct User: Codable, Hashable, Sendable {
  var name: String
}

enum ProfileMutation: Codable, Hashable, Sendable {
  case setFollowing(Bool)
  case setUser(User?)
}

/// One case of every form.
enum Shape: Codable, Hashable, Sendable {
  case none
  case one(Int)
  case labelled(x: Int, y: Int)
  case oneLabelled(by: Int)
  case several(Int, Int)
  case mixed(Int, name: String)
  case maybe(Int?)
  case maybeLabelled(x: Int?, y: Int?)
  case object(User)
  case underscored(Underscored)
  case list([Int])
  case dictionary([String: Int])
  case empty(Empty)
  case action(CounterAction)
  case maybeAction(CounterAction?)
  indirect case shape(Shape)
}

/// A payload with a member named like the label of an unlabelled value.
struct Underscored: Codable, Hashable, Sendable {
  var zero: Int

  enum CodingKeys: String, CodingKey {
    case zero = "_0"
  }
}

struct Empty: Codable, Hashable, Sendable {}

/// Keys renamed by the author.
enum Renamed: Codable, Hashable, Sendable {
  case follow(id: Int)
  case stop

  enum CodingKeys: String, CodingKey {
    case follow = "f"
    case stop = "s"
  }

  enum FollowCodingKeys: String, CodingKey {
    case id = "user"
  }
}

enum Generic<Payload: Codable & Hashable & Sendable>: Codable, Hashable, Sendable {
  case value(Payload)
  case nothing
}

enum Kind: String, Codable, Hashable, Sendable {
  case text, image
  case other = "something else"
}

enum Level: Int, Codable, Hashable, Sendable, CaseIterable {
  case low = 1
  case high = 10
}

struct Tree: Codable, Hashable, Sendable {
  var value: Int
  var children: [Tree]
}

indirect enum Expression: Codable, Hashable, Sendable {
  case sum(Expression, Expression)
  case number(Int)
}

struct Everything: Codable, Hashable, Sendable {
  var boolean = true
  var integer = -42
  var byte: UInt8 = 255
  var large = UInt64.max
  var huge = Int128.min
  var double = 1.5
  var float: Float = 0.1
  var string = "a \"quoted\" \\ text\n\u{1} é 😀 \u{2028}"
  var absent: Int?
  var present: Int? = 1
  var absentUser: User?
  var user: User? = User(name: "Ada")
  var numbers = [1, 2, 3]
  var optionals: [Int?] = [1, nil]
  var nested = [["a"], []]
  var byName = ["b": 1, "a": 2]
  var byNumber = [2: "two", 10: "ten"]
  var kind = Kind.other
  var level = Level.high
  var action = CounterAction.add(5)
  var actions = [CounterAction.increase, .add(1)]
  var maybeAction: CounterAction? = .decrease
  var tree = Tree(value: 1, children: [Tree(value: 2, children: [])])
}

/// Writes nested containers by hand, as for a third-party API.
struct Handwritten: Codable, Hashable, Sendable {
  var city: String

  enum CodingKeys: CodingKey { case address }
  enum AddressCodingKeys: String, CodingKey { case zero = "_0" }

  init(city: String) {
    self.city = city
  }

  init(from decoder: any Decoder) throws {
    let outer = try decoder.container(keyedBy: CodingKeys.self)
    let inner = try outer.nestedContainer(keyedBy: AddressCodingKeys.self, forKey: .address)
    city = try inner.decode(String.self, forKey: .zero)
  }

  func encode(to encoder: any Encoder) throws {
    var outer = encoder.container(keyedBy: CodingKeys.self)
    var inner = outer.nestedContainer(keyedBy: AddressCodingKeys.self, forKey: .address)
    try inner.encode(city, forKey: .zero)
  }
}
