import ReactorCore
import ReactorTesting
import Testing

final class MessageInputView: UIView, @unchecked Sendable {  // Proof: see UIView.
  let textField = UITextField()
  let sendButton = UIButton()
}

extension Reactive where Base: MessageInputView {
  var sendButtonTap: ControlEvent<String> {
    let source = base.sendButton.rx.tap.withLatestFrom(base.textField.rx.text.orEmpty)
    return ControlEvent(events: source)
  }
}

final class ChatViewReactor: Reactor {
  enum Action {
    case send(String)
  }

  struct State {
    var messages: [String] = []
  }

  let initialState = State()

  func reduce(state: State, mutation: Action) -> State {
    var newState = state
    switch mutation {
    case .send(let message):
      newState.messages.append(message)
    }
    return newState
  }
}

// Proof: see UIView.
final class ChatViewController: UIViewController, View, @unchecked Sendable {
  var disposeBag = DisposeBag()

  let messageInputView = MessageInputView()
  let lastMessageLabel = UILabel()

  init(reactor: ChatViewReactor) {
    super.init()
    self.reactor = reactor
  }

  func bind(reactor: ChatViewReactor) {
    messageInputView.rx.sendButtonTap
      .map(Reactor.Action.send)
      .bind(to: reactor.action)
      .disposed(by: disposeBag)

    reactor.state
      .map { $0.messages.last }
      .bind(to: lastMessageLabel.rx.text)
      .disposed(by: disposeBag)
  }
}

@Suite(.ownSerialContext) struct ChatTests {
  @Test func `the text of a custom view is sent as an action`() {
    let viewController = ChatViewController(reactor: ChatViewReactor())
    let input = viewController.messageInputView
    input.textField.type("hel")
    input.textField.type("hello")
    #expect(viewController.lastMessageLabel.text == nil)
    input.sendButton.sendActions(for: .touchUpInside)
    #expect(viewController.lastMessageLabel.text == "hello")
    #expect(viewController.reactor?.currentState.messages == ["hello"])
  }
}
