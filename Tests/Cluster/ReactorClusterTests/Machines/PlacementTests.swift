import ReactorCluster
import ReactorLog
import Testing

struct PlacementTests {
  private let nodes = (0..<4).map { NodeID(name: "node-\($0)", incarnation: 7) }
  private let keys = (0..<4_000).map { SessionKey(reactor: "counter", id: "s\($0)") }

  @Test func `sessions are distributed evenly`() {
    var counts: [String: Int] = [:]
    for key in keys {
      let owner = Placement.owner(of: key, among: nodes)
      counts[owner?.name ?? "", default: 0] += 1
    }
    #expect(counts.count == 4)
    #expect(counts.values.allSatisfy { (800...1200).contains($0) }, "\(counts)")
  }

  @Test func `a node that fails moves its own sessions only`() {
    for key in keys {
      let before = Placement.owner(of: key, among: nodes)
      let after = Placement.owner(of: key, among: nodes.dropLast())
      if before != nodes[3] { #expect(before == after) }
    }
  }

  @Test func `neither the order of the nodes nor a restart moves a session`() {
    let restarted = nodes.map { NodeID(name: $0.name, incarnation: 99) }
    for key in keys.prefix(200) {
      let owner = Placement.owner(of: key, among: nodes)
      #expect(owner == Placement.owner(of: key, among: nodes.reversed()))
      #expect(owner?.name == Placement.owner(of: key, among: restarted)?.name)
    }
    #expect(Placement.owner(of: keys[0], among: []) == nil)
  }

  @Test func `the hash of a session is the same in every release`() {
    let hash = Placement.hash(SessionKey(reactor: "counter", id: "demo"))
    #expect(hash == 0xA45F_0459_BF54_C0FB)
  }

  @Test func `a hint is valid for ten seconds`() {
    var hints = HintTable()
    hints.set(nodes[0], for: keys[0], at: 100)
    #expect(hints.owner(of: keys[0], at: 10_099) == nodes[0])
    #expect(hints.owner(of: keys[0], at: 10_100) == nil)
  }

  @Test func `the number of hints is bounded`() {
    var hints = HintTable()
    for index in 0..<HintTable.limit * 2 {
      hints.set(nodes[0], for: SessionKey(reactor: "r", id: "\(index)"), at: 0)
    }
    #expect(hints.count <= HintTable.limit)
    hints.removeAll(naming: nodes[0])
    #expect(hints.count == 0)
  }
}
