import Testing

@testable import ClientCore

struct ConnectionPoolTests {
  private var pool = ConnectionPool<String>(bound: 2)

  private mutating func enqueue(_ request: String) -> String {
    switch pool.enqueue(request) {
    case .start(let number): "start \(number)"
    case .wake(let number): "wake \(number)"
    case .wait: "wait"
    case .reject(let request): "reject \(request)"
    }
  }

  private mutating func take(_ number: Int) -> String? { pool.take(number) }

  private mutating func retire(_ number: Int) -> Bool { pool.retire(number) }

  @Test mutating func `requests beyond the bound wait, and are taken in order`() {
    #expect(["a", "b", "c", "d"].map { enqueue($0) } == ["start 0", "start 1", "wait", "wait"])
    #expect(take(0) == "a")
    #expect(take(1) == "b")
    #expect(take(1) == "c")
    #expect(take(0) == "d")
    #expect(take(0) == nil)
  }

  @Test mutating func `the connection that was used last is used again`() {
    _ = ["a", "b"].map { enqueue($0) }
    for number in [0, 1] {
      #expect(take(number) != nil)
      #expect(take(number) == nil)
    }
    #expect(enqueue("c") == "wake 1")
    #expect(take(1) == "c")
    #expect(take(1) == nil)
    #expect(enqueue("d") == "wake 1")
  }

  @Test mutating func `a connection that its user has claimed is busy until it is free again`() {
    #expect(pool.lastIdle == nil)
    _ = ["a", "b"].map { enqueue($0) }
    for number in [0, 1] { while take(number) != nil {} }
    #expect(pool.lastIdle == 1)
    pool.useLastIdle()
    #expect(enqueue("c") == "wake 0")
    #expect(enqueue("d") == "wait")
    #expect(take(1) == "d")
  }

  @Test mutating func `an idle connection retires, unless a request was assigned to it`() {
    _ = enqueue("a")
    #expect(take(0) == "a")
    #expect(take(0) == nil)
    #expect(enqueue("b") == "wake 0")
    #expect(!retire(0))
    #expect(take(0) == "b")
    #expect(take(0) == nil)
    #expect(retire(0))
    #expect(enqueue("c") == "start 1")
  }

  @Test mutating func `a closed pool returns the requests that were not begun and rejects others`()
  {
    _ = ["a", "b", "c"].map { enqueue($0) }
    #expect(take(0) == "a")
    let (requests, connections) = pool.close()
    #expect(requests.sorted() == ["b", "c"])
    #expect(connections == [0, 1])
    #expect(take(0) == nil)
    #expect(enqueue("d") == "reject d")
  }

  @Test mutating func `a thousand waiting requests keep their order`() {
    let requests = (0..<1000).map { "\($0)" }
    for request in requests { _ = enqueue(request) }
    #expect(take(1) == "1")
    #expect(take(0) == "0")
    var taken: [String] = []
    while let request = pool.take(0) { taken.append(request) }
    #expect(taken == Array(requests[2...]))
  }
}
