internal import ReactorTransport

/// The connections of each group, in the order in which they joined.
///
/// Pure. Memberships are nodes in one array, linked by group and by connection: joining is O(1),
/// leaving is O(1) per group of the connection, and a membership occupies 20 bytes.
struct MembershipTable {
  private struct Node {
    var connection: Int32
    var group: Int32
    var previous: Int32
    var next: Int32
    var nextOfConnection: Int32
  }

  private struct Group {
    var object: StreamGroup?
    var first = MembershipTable.none
    var last = MembershipTable.none
  }

  private static let none: Int32 = -1
  private var nodes: [Node] = []
  private var freeNodes: [Int32] = []
  private var groups: [Group] = []
  private var freeGroups: [Int32] = []
  private var indices: [ObjectIdentifier: Int32] = [:]
  private var firstOfConnection: [Int32] = []

  /// Adds a connection to the end of a group, unless it is a member.
  ///
  /// - Returns: Whether the connection is the first member of the group.
  mutating func join(_ connection: Int, _ group: StreamGroup) -> Bool {
    while firstOfConnection.count <= connection { firstOfConnection.append(Self.none) }
    let known = indices[ObjectIdentifier(group)]
    if let known, isMember(connection, of: known) { return false }
    let index = known ?? insert(group)
    let node = Node(
      connection: Int32(connection), group: index, previous: groups[Int(index)].last,
      next: Self.none, nextOfConnection: firstOfConnection[connection])
    let position = insert(node)
    if node.previous == Self.none {
      groups[Int(index)].first = position
    } else {
      nodes[Int(node.previous)].next = position
    }
    groups[Int(index)].last = position
    firstOfConnection[connection] = position
    return known == nil
  }

  /// Removes a connection from all its groups.
  ///
  /// - Returns: The groups that are empty now.
  mutating func leave(_ connection: Int) -> [StreamGroup] {
    guard connection < firstOfConnection.count else { return [] }
    var emptied: [StreamGroup] = []
    var position = firstOfConnection[connection]
    while position != Self.none {
      let node = nodes[Int(position)]
      unlink(node)
      freeNodes.append(position)
      if let group = removeIfEmpty(node.group) { emptied.append(group) }
      position = node.nextOfConnection
    }
    firstOfConnection[connection] = Self.none
    return emptied
  }

  /// Calls a function with each connection of a group, in the order in which they joined.
  func forEach(in group: StreamGroup, _ body: (Int) -> Void) {
    guard let index = indices[ObjectIdentifier(group)] else { return }
    var position = groups[Int(index)].first
    while position != Self.none {
      let node = nodes[Int(position)]
      body(Int(node.connection))
      position = node.next
    }
  }

  private func isMember(_ connection: Int, of group: Int32) -> Bool {
    var position = firstOfConnection[connection]
    while position != Self.none {
      if nodes[Int(position)].group == group { return true }
      position = nodes[Int(position)].nextOfConnection
    }
    return false
  }

  private mutating func insert(_ group: StreamGroup) -> Int32 {
    let index: Int32
    if let free = freeGroups.popLast() {
      index = free
      groups[Int(index)] = Group(object: group)
    } else {
      index = Int32(groups.count)
      groups.append(Group(object: group))
    }
    indices[ObjectIdentifier(group)] = index
    return index
  }

  private mutating func insert(_ node: Node) -> Int32 {
    guard let free = freeNodes.popLast() else {
      nodes.append(node)
      return Int32(nodes.count - 1)
    }
    nodes[Int(free)] = node
    return free
  }

  private mutating func unlink(_ node: Node) {
    if node.previous == Self.none {
      groups[Int(node.group)].first = node.next
    } else {
      nodes[Int(node.previous)].next = node.next
    }
    if node.next == Self.none {
      groups[Int(node.group)].last = node.previous
    } else {
      nodes[Int(node.next)].previous = node.previous
    }
  }

  private mutating func removeIfEmpty(_ index: Int32) -> StreamGroup? {
    guard groups[Int(index)].first == Self.none, let group = groups[Int(index)].object else {
      return nil
    }
    groups[Int(index)] = Group()
    freeGroups.append(index)
    indices[ObjectIdentifier(group)] = nil
    return group
  }
}
