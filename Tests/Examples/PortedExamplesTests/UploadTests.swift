// In the style of its authors, so it is exempt from formatting.
// swift-format-ignore-file

import ReactorCore
import ReactorTesting
import Testing

func uploadFile(data: [UInt8]) -> Observable<(sent: Float, total: Float)> {
  let total = Float(data.count)
  return Observable.from(data.indices.map { (sent: Float($0 + 1), total: total) })
}

@Suite(.ownSerialContext) struct UploadTests {
  @Test func `the progress of an upload is shown`() {
    let bag = DisposeBag()
    let progressBar = UIProgressView()
    let activityIndicator = UIActivityIndicatorView()
    let uploading = ActivityIndicator()
    uploading.asDriver().drive(activityIndicator.rx.isAnimating).disposed(by: bag)

    let uploadFileObs = uploadFile(data: [1, 2, 3, 4])
    uploadFileObs.trackActivity(uploading)
      .take(3)
      .map { sent, totalToSend in
        return sent / totalToSend
      }
      .bind(to: progressBar.rx.progress)
      .disposed(by: bag)

    #expect(progressBar.progress == 0.75)
    #expect(!activityIndicator.isAnimating)
  }
}
