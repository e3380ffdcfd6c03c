import AllocationCounter
import StreamChains

// Measures the chains of streams: prints the name, the nanoseconds and the allocations of an event of each chain,
// separated by tabs. It is built with the streams of this project, and by config/build-peer with RxSwift.

for chain in StreamChain.all {
  let send = chain.make()
  let times = (0..<9).map { _ in
    let time = ContinuousClock().measure { for number in 0..<chain.count { send(number) } }
    return time / .nanoseconds(1) / Double(chain.count)
  }
  allocation_counter_start()
  for number in 0..<1_000 { send(number) }
  let allocations = Double(allocation_counter_stop()) / 1_000
  print(chain.name, times.sorted()[4], allocations, separator: "\t")
}
