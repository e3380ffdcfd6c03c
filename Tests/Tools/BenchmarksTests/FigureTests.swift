import Testing

@testable import Benchmarks

@Suite struct FigureTests {
  @Test func `a figure shows its median and its spread`() {
    let sample = Sample([3, 1, 2])
    #expect(sample.median == 2)
    #expect(sample.least == 1)
    #expect(sample.most == 3)
  }

  @Test func `the lowest quarter has at least one measurement`() {
    let sample = Sample(leastQuarterOf: [9, 1, 8, 7, 3, 6, 2, 5, 4, 10, 12, 11])
    #expect((sample.least, sample.median, sample.most) == (1, 2, 3))
    #expect(Sample(leastQuarterOf: [2, 1]).most == 1)
  }

  @Test func `ratios pair measurements of the same round`() {
    #expect(Sample([1, 20], dividedBy: [2, 10]).least == 0.5)
    #expect(Sample([1, 20], dividedBy: [2, 10]).most == 2)
  }

  @Test func `a target applies to the ratio if there is one`() {
    var figure = Figure(
      load: "a load", contestant: "one", unit: "a second", value: Sample([10]),
      ratio: .init(to: "another", value: Sample([0.5])), aim: .atLeast(0.6))
    #expect(figure.isReached == false)
    figure.ratio = nil
    #expect(figure.isReached == true)
    figure.aim = .atMost(10)
    #expect(figure.isReached == true)
    figure.aim = nil
    #expect(figure.isReached == nil)
  }

  @Test func `a row shows all parts of a figure`() {
    let figure = Figure(
      load: "32 connections", contestant: "one", unit: "responses/s",
      value: Sample([12_000, 12_345, 13_000]),
      ratio: .init(to: "another", value: Sample([0.5])), aim: .atLeast(0.6))
    let row = Table().row(figure)
    for text in ["32 connections", "12,345", "12,000–13,000", "0.500 × another", "MISSED"] {
      #expect(row.contains(text))
    }
  }

  @Test(
    arguments: [
      (0, "0"), (7, "7"), (0.0012, "0.0012"), (0.1234, "0.123"), (1.5, "1.50"), (42.24, "42.2"),
      (999.6, "1,000"), (1_234_567, "1,234,567"), (-2048, "-2,048"), (.infinity, "–"),
    ] as [(Double, String)])
  func `numbers are legible`(_ number: Double, _ text: String) {
    #expect(number.legible == text)
  }
}
