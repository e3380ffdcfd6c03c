import { configure, reactor, request } from "/reactor.js";
import "./sign-in.js";

const part = (id) => document.getElementById(id);
const sessions = "v1/reactors/auction/sessions";
const post = (path, body) => request(path, {
  method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body),
});
const on = (id, work) => part(id).addEventListener("submit", (event) => {
  event.preventDefault();
  work().then(() => { part("problem").textContent = ""; }, ({ message }) => { part("problem").textContent = message; });
});
const row = (...children) => {
  const made = document.createElement("li");
  made.append(...children);
  return made;
};
const name = sessionStorage.bidder ??= `Bidder ${Math.floor(Math.random() * 900) + 100}`;
configure({ name });
let auction, ends = [];

/** Shows an auction; other pages list this page among its bidders. */
function enter(id) {
  ends.forEach((end) => end());
  auction = reactor("auction", id);
  ends = [
    auction.state.subscribe(({ item, phase, bids }) => {
      part("phase").textContent = `${item}: ${phase}, ${bids.at(-1)?.amount ?? "no bid"}`;
      part("bid").hidden = phase !== "open";
    }),
    auction.presence.subscribe(({ subscribers }) => {
      part("bidders").textContent = subscribers.map((bidder) => bidder.name).join(", ");
    }),
    () => auction.close(),
  ];
}

// An auction is a session with parameters. A timer of the session closes the auction.
on("begin", async () => {
  const parameters = { item: part("item").value, endsAt: new Date(Date.now() + 30_000) };
  const id = (await post(sessions, { parameters })).headers.get("Location").split("/").at(-1);
  await post(`${sessions}/${id}/actions`, "open");
  enter(id);
});
on("bid", () => auction.send({ bid: { by: name, amount: Number(part("amount").value) } }));

// All auctions report to the lobby.
reactor("lobby", "main").state.subscribe(({ open, sold }) => {
  part("open").replaceChildren(...open.map(({ id, item }) => {
    const button = Object.assign(document.createElement("button"), { textContent: item });
    button.addEventListener("click", () => enter(id));
    return row(button);
  }));
  part("sold").replaceChildren(...sold.map(({ item, winner, price }) => row(`${item}: ${winner ?? "not sold"}, ${price}`)));
});
