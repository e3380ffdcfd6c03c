internal import ReactorCoding
internal import ReactorCore
internal import Synchronization

/// The screens of a stack, without the type of the flow.
@usableFromInline
struct StackContents: Sendable {
  /// The presented screens, the first one at the bottom.
  @usableFromInline var entries: [PresentedScreen]

  /// The number of screens that were presented so far, from which ids are assigned.
  var presented: Int

  /// The ids that the latest mutation has removed.
  ///
  /// Not part of the JSON.
  @usableFromInline var removed: [String] = []

  @usableFromInline
  func index(of id: String) -> Int? {
    // Search from the top: most actions are for the screen on top.
    entries.lastIndex { $0.facts.id.hasSameBytes(as: id) }
  }

  @usableFromInline subscript(id: String) -> PresentedScreen? {
    index(of: id).map { entries[$0] }
  }

  /// Whether all screens above the first have a link.
  var hasPath: Bool {
    entries.dropFirst().allSatisfy { $0.facts.kind.link != nil }
  }

  /// Appends the path of the screens above the first.
  func appendPath(to text: inout [UInt8]) {
    if entries.count == 1 { text.append(UInt8(ascii: "/")) }
    for entry in entries.dropFirst() { text += entry.path }
  }

  // MARK: Changes

  mutating func push(_ entry: PresentedScreen) {
    entries.append(entry)
    presented += 1
  }

  /// Removes screens above the first.
  mutating func remove(_ ids: [String]) {
    for id in ids {
      guard let index = index(of: id), index > 0 else { continue }
      entries.remove(at: index)
      removed.append(id)
    }
  }

  mutating func replace(_ id: String, by entry: PresentedScreen) {
    guard let index = index(of: id) else { return }
    entries[index] = entry
    presented += 1
    removed = [id]
  }

  func encode(to object: JSONObjectOutput) throws {
    if hasPath {
      try object.encodeUnescaped(as: "path") { appendPath(to: &$0) }
    } else {
      try object.encodeNil(as: "path")
    }
    try object.encode(presented, as: "presented")
    let array = try object.array(as: "entries")
    for entry in entries { try entry.encode(to: array) }
  }
}

/// One presented screen with its State.
///
/// An object, so that copying a stack copies references, and an unchanged screen retains its JSON:
/// each action encodes the whole State, but usually changes only one screen. The JSON is released
/// with the object.
@usableFromInline
final class PresentedScreen: Sendable {
  @usableFromInline let facts: ScreenFacts

  /// The State of the module.
  @usableFromInline let state: any ModuleValue

  private let json = Mutex<[UInt8]?>(nil)
  private let linked = Mutex<[UInt8]?>(nil)

  @usableFromInline
  init(_ facts: ScreenFacts, state: any ModuleValue) {
    self.facts = facts
    self.state = state
  }

  /// The part of the screen in a path, as in `/drinks/Latte`; empty without a link.
  fileprivate var path: [UInt8] {
    if let known = linked.withLock({ $0 }) { return known }
    guard let link = facts.kind.link else { return [] }
    var part = link.part
    if let text = link.text?(state) { FlowPath.append(text, to: &part) }
    linked.withLock { $0 = part }
    return part
  }

  fileprivate func encode(to array: JSONArrayOutput) throws {
    if let known = json.withLock({ $0 }) { return try array.append(known) }
    let text = try array.object { try encode(to: $0) }
    json.withLock { $0 = text }
  }

  func encode(to object: JSONObjectOutput) throws {
    try facts.encode(to: object)
    try object.encode(state, as: "state")
  }
}

/// The properties of a presented screen that do not change.
@usableFromInline
final class ScreenFacts: Sendable {
  @usableFromInline let id: String
  @usableFromInline let kind: ScreenKind
  let presentation: Presentation
  let animated: Bool
  let onDismissed: (any ModuleValue)?

  private let members = Mutex<[UInt8]?>(nil)

  init(
    _ id: String, _ kind: ScreenKind, _ presentation: Presentation, animated: Bool,
    onDismissed: (any ModuleValue)?
  ) {
    self.id = id
    self.kind = kind
    self.presentation = presentation
    self.animated = animated
    self.onDismissed = onDismissed
  }

  fileprivate func encode(to object: JSONObjectOutput) throws {
    if let known = members.withLock({ $0 }) { return try object.append(firstMembers: known) }
    let text = try object.firstMembers {
      try object.encode(id, as: "id")
      try object.encode(kind.name, as: "screen")
      try object.encode(presentation.rawValue, as: "presentation")
      try object.encode(animated, as: "animated")
      if let onDismissed {
        try object.encode(onDismissed, as: "onDismissed")
      } else {
        try object.encodeNil(as: "onDismissed")
      }
    }
    members.withLock { $0 = text }
  }
}
