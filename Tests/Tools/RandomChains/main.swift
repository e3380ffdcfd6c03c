// Prints random chains and their events in virtual time: COUNT of them, from the number FIRST. It is built with the
// streams of this project, and by config/build-peer with RxSwift.

let numbers = CommandLine.arguments.dropFirst().compactMap { UInt64($0) }
let first = numbers.count > 1 ? numbers[1] : 0
for number in first..<first + (numbers.first ?? 1_000) {
  var chain = RandomChain(number)
  print(chain.line())
}
