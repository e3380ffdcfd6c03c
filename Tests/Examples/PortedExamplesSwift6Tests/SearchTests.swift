import ReactorCore
import ReactorTesting
import Testing

struct Weather: Equatable {
  var cityName: String
  var temperature: Int

  static let empty = Weather(cityName: "Unknown", temperature: -1000)
}

struct NoSuchCity: Error {}

struct WeatherAPI {
  func currentWeather(city: String) -> Single<Weather> {
    city == "Seoul" ? .just(Weather(cityName: city, temperature: 20)) : .error(NoSuchCity())
  }
}

@Suite(.ownSerialContext) struct SearchTests {
  @Test func `search results are driven into labels`() {
    let (bag, api) = (DisposeBag(), WeatherAPI())
    let (searchCityName, tempLabel, cityNameLabel) = (UITextField(), UILabel(), UILabel())

    let search = searchCityName.rx.text.orEmpty
      .filter { !$0.isEmpty }
      .flatMapLatest { text in
        api.currentWeather(city: text).asObservable().catchAndReturn(.empty)
      }
      .asDriver(onErrorJustReturn: .empty)

    search.map { "\($0.temperature)℃" }.drive(tempLabel.rx.text).disposed(by: bag)
    search.map(\.cityName).drive(cityNameLabel.rx.text).disposed(by: bag)

    searchCityName.typed.accept("Atlantis")
    #expect(cityNameLabel.text == "Unknown")
    searchCityName.typed.accept("Seoul")
    #expect(tempLabel.text == "20℃")
    #expect(cityNameLabel.text == "Seoul")
  }

  @Test func `the text of a field is emitted when its return key is pressed`() {
    let (bag, field, label) = (DisposeBag(), UITextField(), UILabel())
    // The field is captured, where Swift 5 captures the view controller.
    field.rx.didReturn.map { [field] in field.text }
      .bind(to: label.rx.text)
      .disposed(by: bag)
    field.typed.accept("Seoul")
    #expect(label.text == nil)
    field.returns.onNext(())
    #expect(label.text == "Seoul")
  }

  @Test func `a progress is bound to a control`() {
    let (bag, progressBar) = (DisposeBag(), UIProgressView())
    Observable<(Float, Float)>.of((1, 4), (3, 4))
      .map { sent, total in sent / total }
      .bind(to: progressBar.rx.progress)
      .disposed(by: bag)
    #expect(progressBar.progress == 0.75)
  }
}
