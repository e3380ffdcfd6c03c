import { configure, items, on, reactor } from "../reactor.js";
import "./sign-in.js";

const part = (id) => document.getElementById(id);
const query = new URLSearchParams(location.search);
// In a service with authentication, the token names the bidder.
const name = query.get("name") ?? "Ada";
configure({ name });
const auction = reactor("sealed", query.get("session") ?? "demo");
const showProblem = (problem) => { part("problem").textContent = problem?.message ?? ""; };
const submitted = (form) => on(form, "submit").map((event) => { event.preventDefault(); showProblem(); });
part("bidder").textContent = name;

// Action
submitted(part("bid")).map(() => ({ bid: { by: name, amount: Number(part("amount").value) } })).to(auction, showProblem);
submitted(part("begin")).map(() => ({ begin: { item: part("item").value } })).to(auction, showProblem);
on(part("reveal"), "click").map(() => "reveal").to(auction, showProblem);

// State: the view of this bidder. The service sends no other one to this page.
auction.state.subscribe(({ item, isSealed, bidders, ownBid, bids }) => {
  part("phase").textContent = isSealed
    ? `${item}: ${bidders.length ? `bids of ${bidders.join(", ")}` : "no bids"}${ownBid === null ? "" : `, yours is ${ownBid}`}`
    : `${item}: sold to ${bids[0].by}`;
  part("bid").hidden = !isSealed || bidders.includes(name);
  part("reveal").hidden = !isSealed || bidders.length < 2;
  part("begin").hidden = isSealed;
});
auction.state.drive(items(part("bids"), ({ bids }) => bids, {
  key: JSON.stringify,
  make: ({ by, amount }) => Object.assign(document.createElement("li"), { textContent: `${by}: ${amount}` }),
}));
auction.state.subscribe((view) => part("received").append(`${JSON.stringify(view)}\n`));
