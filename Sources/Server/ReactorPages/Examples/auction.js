import { configure, items, reactor, request } from "../reactor.js";
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
const tag = (name, ...children) => { const made = document.createElement(name); made.append(...children); return made; };
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
const lobby = reactor("lobby", "main").state;
lobby.drive(items(part("open"), ({ open }) => open, {
  key: ({ id }) => id,
  make({ id, item }) {
    const button = tag("button", item);
    button.addEventListener("click", () => enter(id));
    return tag("li", button);
  },
}));
lobby.drive(items(part("sold"), ({ sold }) => sold, {
  key: JSON.stringify,
  make: ({ item, winner, price }) => tag("li", `${item}: ${winner ?? "not sold"}, ${price}`),
}));
