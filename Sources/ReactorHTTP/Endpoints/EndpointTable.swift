internal import ReactorTransport

/// All endpoints of the service, and the mapping of paths to them.
///
/// The templates are compiled into a tree with one level per part of the path. Matching a path
/// allocates nothing, except for parameters that are longer than 15 bytes or percent-encoded.
struct EndpointTable: Sendable {
  /// The most parts of a path.
  static let depth = 8

  private struct Node: Sendable {
    var literals: [(name: [UInt8], node: Int)] = []
    var parameter: (name: String, node: Int)?
    var resource: Resource?
  }

  /// The resources in the order of their first entries.
  let resources: [Resource]
  private let nodes: [Node]

  /// Creates a table of some entries.
  init(_ endpoints: [Endpoint]) {
    var order: [String] = []
    let byTemplate = Dictionary(grouping: endpoints, by: \.template)
    for endpoint in endpoints where !order.contains(endpoint.template) {
      order.append(endpoint.template)
    }
    resources = order.enumerated().map { Resource($0, byTemplate[$1] ?? []) }
    var nodes = [Node()]
    for resource in resources { Self.insert(resource, into: &nodes) }
    self.nodes = nodes
  }

  private static func insert(_ resource: Resource, into nodes: inout [Node]) {
    let parts = PathTemplate.parts(of: resource.template)
    precondition(
      parts.count <= depth && resource.parameters.count <= PathParameters.limit,
      "\(resource.template) has too many parts")
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
    nodes[current].resource = resource
  }

  /// Finds the resource of a path as the client sent it; `nil` for an unknown path.
  func match(_ path: WireText) -> (resource: Resource, parameters: PathParameters)? {
    unsafe path.withUTF8 { unsafe match(PathPart.List($0)) }
  }

  private func match(
    _ parts: borrowing PathPart.List
  ) -> (resource: Resource, parameters: PathParameters)? {
    guard parts.count > 0 else { return nil }
    var parameters = PathParameters()
    var current = 0
    for index in 0..<parts.count {
      let part = parts[index]
      if let literal = nodes[current].literals.first(where: { part.isEqual(to: $0.name) }) {
        current = literal.node
      } else if let parameter = nodes[current].parameter {
        // An id that cannot be decoded is an invalid session id; any other part is an unknown path.
        guard let text = part.text ?? (parameter.name == "session" ? "" : nil) else { return nil }
        parameters.append(text)
        current = parameter.node
      } else {
        return nil
      }
    }
    guard let resource = nodes[current].resource, resource.exists(parameters) else { return nil }
    return (resource, parameters)
  }
}
