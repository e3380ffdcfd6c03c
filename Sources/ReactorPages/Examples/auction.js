import { reactor, request } from "/reactor.js";
import "./sign-in.js";

const part = (id) => document.getElementById(id);
const sessions = "v1/reactors/auction/sessions";
const post = (path, body, fields) => request(path, {
  method: "POST", headers: { "Content-Type": "application/json", ...fields }, body: JSON.stringify(body),
});
const list = (items) => items.map((text) => Object.assign(document.createElement("li"), { textContent: text }));
const on = (id, work) => part(id).addEventListener("submit", (event) => {
  event.preventDefault();
  work().then(() => { part("problem").textContent = ""; }, ({ message }) => { part("problem").textContent = message; });
});
let auction, end;

// An auction is a session with parameters. Its first effect lasts until its end.
on("begin", async () => {
  const parameters = { item: part("item").value, endsAt: Date.now() + 30_000 };
  const id = (await post(sessions, { parameters })).headers.get("Location").split("/").at(-1);
  await post(`${sessions}/${id}/actions`, "open", { Prefer: "respond-async" });
  auction = reactor("auction", id);
  end?.();
  end = auction.state.subscribe(({ item, phase, bids }) => {
    part("phase").textContent = `${item}: ${phase}, ${bids.at(-1)?.amount ?? "no bid"}`;
    part("bid").hidden = phase !== "open";
  });
});
on("bid", () => auction.send({ bid: { by: "You", amount: Number(part("amount").value) } }));

// All auctions report to the lobby.
reactor("lobby", "main").state.subscribe(({ open, sold }) => {
  part("open").replaceChildren(...list(open.map(({ item }) => item)));
  part("sold").replaceChildren(...list(sold.map(({ item, price }) => `${item}: ${price}`)));
});
