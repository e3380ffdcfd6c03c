import ReactorCore
import RxSwift

struct Failure: Error {}

func print<Element>(_ stream: RxSwift.Observable<Element>) -> any RxSwift.Disposable {
  stream.subscribe(
    onNext: { print($0) }, onError: { _ in print("failed") }, onCompleted: { print("completed") })
}

func print<Element>(_ stream: ReactorStreams.Observable<Element>) -> any ReactorStreams.Disposable {
  stream.subscribe(
    onNext: { print($0) }, onError: { _ in print("failed") }, onCompleted: { print("completed") })
}

_ = print(ReactorStreams.Observable.of(1, 2).asRxObservable())
_ = print(ReactorStreams.Observable<Int>.error(Failure()).asRxObservable())
let three = RxSwift.Observable<Int>.create { observer in
  observer.onNext(3)
  observer.onCompleted()
  return RxSwift.Disposables.create {}
}
_ = print(three.asReactorObservable())
_ = print(
  RxSwift.Observable<Int>.create { observer in
    observer.onError(Failure())
    return RxSwift.Disposables.create {}
  }.asReactorObservable())

print(ReactorStreams.Observable<Int>.never().do(onDispose: { print("disposed") }).asRxObservable())
  .dispose()
print(
  RxSwift.Observable<Int>.create { _ in RxSwift.Disposables.create { print("disposed") } }
    .asReactorObservable()
).dispose()
