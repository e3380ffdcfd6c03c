// In the style of its authors, so it is exempt from formatting.
// swift-format-ignore-file

import ReactorCore
import ReactorTesting
import Testing

class ApiController: @unchecked Sendable {  // Proof: without properties that change.
  struct Weather {
    let cityName: String
    let temperature: Int
    let humidity: Int
    let icon: String

    static let empty = Weather(cityName: "Unknown", temperature: -1000, humidity: 0, icon: "e")
  }

  struct NoSuchCity: Error {}

  static let shared = ApiController()

  func currentWeather(city: String) -> Observable<Weather> {
    return Observable.create { observer in
      if city == "Seoul" {
        observer.onNext(Weather(cityName: city, temperature: 20, humidity: 90, icon: "☁️"))
        observer.onCompleted()
      } else {
        observer.onError(NoSuchCity())
      }
      return Disposables.create()
    }
  }
}

class WeatherViewController: UIViewController, @unchecked Sendable {  // Proof: see UIView.
  let searchCityName = UITextField()
  let tempLabel = UILabel()
  let humidityLabel = UILabel()
  let cityNameLabel = UILabel()
  let iconLabel = UILabel()
  let activityIndicator = UIActivityIndicatorView()

  let bag = DisposeBag()

  override func viewDidLoad() {
    super.viewDidLoad()

    let search = searchCityName.rx.text
      .filter { ($0 ?? "").count > 0 }
      .flatMapLatest { text in
        return ApiController.shared.currentWeather(city: text ?? "Error")
          .catchErrorJustReturn(ApiController.Weather.empty)
      }
      .asDriver(onErrorJustReturn: ApiController.Weather.empty)

    search.map { "\($0.temperature)℃" }
      .drive(tempLabel.rx.text)
      .disposed(by: bag)
    search.map { "\($0.humidity)%" }
      .drive(humidityLabel.rx.text)
      .disposed(by: bag)
    search.map { $0.cityName }
      .drive(cityNameLabel.rx.text)
      .disposed(by: bag)
    search.map { $0.icon }
      .drive(iconLabel.rx.text)
      .disposed(by: bag)
  }
}

// The second form of the notes: the return key starts the search.
// Proof: see UIView.
class ReturnKeyWeatherViewController: UIViewController, @unchecked Sendable {
  let searchCityName = UITextField()
  let tempLabel = UILabel()
  let activityIndicator = UIActivityIndicatorView()

  let bag = DisposeBag()

  override func viewDidLoad() {
    super.viewDidLoad()

    let searchInput = searchCityName.rx.controlEvent(.editingDidEndOnExit).asObservable()
      .map { [unowned self] in self.searchCityName.text }
      .filter { ($0 ?? "").count > 0 }

    let search = searchInput
      .flatMap { text in
        return ApiController.shared.currentWeather(city: text ?? "Error")
      }
      .asDriver(onErrorJustReturn: ApiController.Weather.empty)

    let running = Observable.merge(
      searchInput.map { _ in true },
      search.map { _ in false }.asObservable()
    )
    .startWith(true)
    .asDriver(onErrorJustReturn: false)

    running
      .skip(1)
      .drive(activityIndicator.rx.isAnimating)
      .disposed(by: bag)

    search.map { "\($0.temperature)℃" }
      .drive(tempLabel.rx.text)
      .disposed(by: bag)
  }
}

@Suite(.ownSerialContext) struct WeatherTests {
  @Test func `typed text is searched, and the results are shown`() {
    let viewController = WeatherViewController()
    viewController.loadViewIfNeeded()
    viewController.searchCityName.type("Seoul")
    #expect(viewController.tempLabel.text == "20℃")
    #expect(viewController.humidityLabel.text == "90%")
    #expect(viewController.cityNameLabel.text == "Seoul")
    #expect(viewController.iconLabel.text == "☁️")
  }

  @Test func `a failed search does not affect later ones`() {
    let viewController = WeatherViewController()
    viewController.loadViewIfNeeded()
    viewController.searchCityName.type("Atlantis")
    #expect(viewController.cityNameLabel.text == "Unknown")
    viewController.searchCityName.type("Seoul")
    #expect(viewController.cityNameLabel.text == "Seoul")
  }

  @Test func `the return key starts the search`() {
    let viewController = ReturnKeyWeatherViewController()
    viewController.loadViewIfNeeded()
    viewController.searchCityName.type("Seoul")
    #expect(viewController.tempLabel.text == nil)
    viewController.searchCityName.sendActions(for: .editingDidEndOnExit)
    #expect(viewController.tempLabel.text == "20℃")
    #expect(!viewController.activityIndicator.isAnimating)
  }
}
