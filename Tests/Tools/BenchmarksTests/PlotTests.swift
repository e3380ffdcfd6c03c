import FoundationXML
import Foundation
import Testing

@testable import Benchmarks

@Suite struct PlotTests {
  @Test func `a logarithmic axis has ticks at powers of ten`() {
    let scale = PlotScale(covering: [3, 40_000], isLogarithmic: true, from: 0, to: 100)
    #expect(scale.ticks == [1, 10, 100, 1000, 10_000, 100_000])
    #expect(scale.place(1) == 0)
    #expect(abs(scale.place(10) - 20) < 1e-9)
    #expect(abs(scale.place(100_000) - 100) < 1e-9)
  }

  @Test func `a short logarithmic axis has ticks in between, too`() {
    let scale = PlotScale(covering: [3, 40], isLogarithmic: true, from: 0, to: 1)
    #expect(scale.ticks == [2, 5, 10, 20, 50])
  }

  @Test func `a linear axis starts at zero and has round steps`() {
    let scale = PlotScale(covering: [30, 134_000], isLogarithmic: false, from: 10, to: 0)
    #expect(scale.ticks.first == 0)
    #expect(scale.ticks.last == 140_000)
    #expect(scale.place(0) == 10)
    #expect(scale.place(140_000) == 0)
  }

  @Test(arguments: [[], [0], [5, 5], [.nan, .infinity, 3]] as [[Double]])
  func `an axis of few values still has positions`(_ values: [Double]) {
    for isLogarithmic in [true, false] {
      let scale = PlotScale(covering: values, isLogarithmic: isLogarithmic, from: 0, to: 1)
      #expect(scale.ticks.count >= 2)
      #expect(scale.place(5).isFinite)
    }
  }

  @Test func `a picture is well-formed XML for any names`() throws {
    let plot = Plot(
      name: "plot", title: "a < b & c", x: .init(title: "x"), y: .init(title: "\"y\""),
      series: (0..<7).map { number in
        .init(
          name: "series <\(number)>",
          points: (1...3).map { .init(x: Double($0), y: Double($0 * number)) })
      })
    let parser = XMLParser(data: Data(PlotDrawing(plot).svg.utf8))
    #expect(parser.parse(), "\(String(describing: parser.parserError))")
  }
}
