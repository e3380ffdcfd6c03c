import { indicator, on, property, reactor } from "../reactor.js";
import "./sign-in.js";

const part = (id) => document.getElementById(id);
const session = new URLSearchParams(location.search).get("session") ?? "demo";
const profile = reactor("profile", session);
const showProblem = (problem) => { part("problem").textContent = problem?.message ?? ""; };
const user = () => Number(part("user").value);

// Action
on(part("form"), "submit")
  .map((event) => { event.preventDefault(); showProblem(); return { follow: user() }; })
  .to(profile, showProblem);
on(part("refresh"), "click")
  .map(() => { showProblem(); return { refreshFollowingStatus: user() }; })
  .to(profile, showProblem);

// State
property(part("user")).drive(part("who"), "textContent");
profile.state.map(({ isFollowing }) => isFollowing).distinct().drive((isFollowing) => {
  part("badge").textContent = isFollowing ? "followed" : "not followed";
  part("badge").classList.toggle("on", isFollowing);
});
profile.state.map((state) => `Signed in: ${state.user.name}`)
  .driver("Not signed in.").drive(part("signed-in"), "textContent");
profile.activity.drive(indicator(part("activity")));

// The page sends an action when it is loaded; the first action of a session creates it. A user without
// the right to send actions can still read the State.
profile.send({ refreshFollowingStatus: user() }).catch(() => {});
