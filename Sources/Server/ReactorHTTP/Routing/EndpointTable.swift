internal import ReactorTransport

/// All endpoints of the service, and the mapping of paths to them.
///
/// The templates are compiled into a tree with one level per part of the path. Matching a path
/// allocates nothing, except for parameters that are longer than 15 bytes or percent-encoded.
///
/// A class, so that a request does not retain each of the arrays.
final class EndpointTable: Sendable {
  /// A node of the tree.
  ///
  /// Its members are plain values, so that matching retains nothing.
  private struct Node: Sendable {
    /// The positions of its literals.
    var literals = 0..<0
    /// The node below its parameter; 0, which is the root, if it has none.
    var parameter = 0
    /// Whether its parameter is `session`.
    var isSession = false
    /// The position of its resource, or `nil` if no template ends here.
    var resource: Int?
  }

  /// A literal part of templates and the node below it.
  private struct Literal: Sendable {
    let name: Range<Int>
    let node: Int
  }

  /// The template of the resource that has every path without another one.
  ///
  /// A path whose first part is a literal of the table is never one of them: an unknown path below `/v1` is
  /// unknown.
  static let remainingPaths = "/{+path}"

  /// The resources in the order of their first entries.
  let resources: [Resource]
  private let nodes: [Node]
  private let literals: [Literal]
  /// The names of all literals.
  private let names: [UInt8]
  /// The number of bytes of the longest name.
  private let longestName: Int
  /// The resource of all remaining paths, or `nil` without one.
  private let remaining: Resource?
  /// `http.prefix`, which a path may have before that of its resource.
  private let prefix: [UInt8]

  /// Creates a table of endpoints.
  init(_ endpoints: [Endpoint], below prefix: String = "") {
    self.prefix = Array(prefix.utf8)
    var order: [String] = []
    let byTemplate = Dictionary(grouping: endpoints, by: \.template)
    for endpoint in endpoints where !order.contains(endpoint.template) {
      order.append(endpoint.template)
    }
    resources = order.enumerated().map { Resource($0, byTemplate[$1] ?? []) }
    var tree = EndpointTree()
    for resource in resources where resource.template != Self.remainingPaths {
      tree.insert(resource)
    }
    remaining = resources.first { $0.template == Self.remainingPaths }
    var (literals, names): ([Literal], [UInt8]) = ([], [])
    nodes = tree.nodes.map { node in
      let first = literals.count
      // Literals with the most resources below them first, so that the parts of most paths are
      // compared with only one literal.
      let sorted = node.literals.sorted {
        tree.resourceCount($0.node) > tree.resourceCount($1.node)
      }
      for (name, child) in sorted {
        literals.append(Literal(name: names.count..<names.count + name.count, node: child))
        names += name
      }
      return Node(
        literals: first..<literals.count, parameter: node.parameter?.node ?? 0,
        isSession: node.parameter?.name == "session", resource: node.resource)
    }
    (self.literals, self.names) = (literals, names)
    longestName = literals.map(\.name.count).max() ?? 0
  }

  /// Finds the resource of a path as the client sent it.
  ///
  /// - Parameters:
  ///   - path: The path.
  ///   - parameters: The values of the path's parameters are appended; undefined for an unknown path.
  /// - Returns: The resource, or `nil` for an unknown path.
  func match(_ path: WireText, _ parameters: inout PathParameters) -> Resource? {
    unsafe path.withUTF8 { path in
      // `http.prefix` itself is no resource, not even one of the pages: its relative addresses need the slash.
      if !prefix.isEmpty, unsafe path.elementsEqual(prefix) { return nil }
      let count = unsafe prefixCount(of: path)
      let local = unsafe count == 0 ? path : UnsafeBufferPointer(rebasing: path[count...])
      return unsafe match(local, &parameters) ?? remaining(for: local)
    }
  }

  /// Returns a path as it is without `http.prefix`.
  func local(_ path: WireText) -> WireText {
    let count = unsafe path.withUTF8 { unsafe prefixCount(of: $0) }
    return count == 0 ? path : WireText(String(path.description.utf8.dropFirst(count)) ?? "")
  }

  /// The number of bytes of `http.prefix` at the beginning of a path: 0 if a proxy has removed it.
  private func prefixCount(of path: UnsafeBufferPointer<UInt8>) -> Int {
    let count = prefix.count
    guard count > 0, path.count > count, unsafe path[count] == UInt8(ascii: "/") else { return 0 }
    return unsafe path.starts(with: prefix) ? count : 0
  }

  /// Returns the resource of all remaining paths, for a path that may be one of them.
  private func remaining(for path: UnsafeBufferPointer<UInt8>) -> Resource? {
    guard let remaining else { return nil }
    var parts = unsafe PathPart.Iterator(path)
    guard let first = parts.next() else { return nil }
    return literal(first, among: nodes[0].literals) == nil ? remaining : nil
  }

  private func match(
    _ path: UnsafeBufferPointer<UInt8>, _ parameters: inout PathParameters
  ) -> Resource? {
    var parts = unsafe PathPart.Iterator(path)
    var current = 0
    while let part = parts.next() {
      let node = nodes[current]
      if let literal = literal(part, among: node.literals) {
        current = literal
      } else if node.parameter > 0 {
        // An id that cannot be decoded is an invalid session id; any other part is an unknown path.
        guard let text = part.text ?? (node.isSession ? "" : nil) else { return nil }
        parameters.append(text)
        current = node.parameter
      } else {
        return nil
      }
    }
    guard let index = nodes[current].resource else { return nil }
    let resource = resources[index]
    return resource.exists(parameters) ? resource : nil
  }

  /// Returns the node below the literal that equals a part of a path, or `nil` if none does.
  private func literal(_ part: PathPart, among range: Range<Int>) -> Int? {
    // Decode the part once for all literals, and not at all if it is longer than each of them.
    let decoded = part.decoded(atMost: longestName)
    for index in range {
      let literal = literals[index]
      let isEqual =
        decoded.map { $0.elementsEqual(names[literal.name]) }
        ?? part.isEqual(to: names, in: literal.name)
      if isEqual { return literal.node }
    }
    return nil
  }
}

/// The tree of templates while it is built.
private struct EndpointTree {
  struct Node {
    var literals: [(name: [UInt8], node: Int)] = []
    var parameter: (name: String, node: Int)?
    var resource: Int?
  }

  private(set) var nodes = [Node()]

  /// Returns the number of resources at a node and below it.
  func resourceCount(_ node: Int) -> Int {
    let below = nodes[node].literals.map(\.node) + (nodes[node].parameter.map { [$0.node] } ?? [])
    return below.reduce(nodes[node].resource == nil ? 0 : 1) { $0 + resourceCount($1) }
  }

  mutating func insert(_ resource: Resource) {
    let parts = PathTemplate.parts(of: resource.template)
    precondition(
      resource.parameters.count <= PathParameters.limit,
      "\(resource.template) has too many parameters")
    var current = 0
    for part in parts {
      let known =
        switch part {
        case .literal(let name):
          nodes[current].literals.first { $0.name.elementsEqual(name.utf8) }?.node
        case .parameter: nodes[current].parameter?.node
        }
      if let known {
        current = known
        continue
      }
      nodes.append(Node())
      switch part {
      case .literal(let name):
        nodes[current].literals.append((Array(name.utf8), nodes.count - 1))
      case .parameter(let name): nodes[current].parameter = (name, nodes.count - 1)
      }
      current = nodes.count - 1
    }
    nodes[current].resource = resource.index
  }
}
