// Keys for answers; everything works without this script, by plain forms.
"use strict";

const form = document.getElementById("answer");
let sent = false;

for (const one of document.forms) {
  // A second click of a double click sends nothing; the server would count it once as well.
  one.addEventListener("submit", (event) => {
    if (sent) event.preventDefault();
    sent = true;
  });
}
addEventListener("pageshow", () => { sent = false; });

const open = () => [...form.querySelectorAll("fieldset")]
  .find((set) => !set.querySelector("input:checked"));
const writes = (one) => one instanceof Element && one.closest("textarea, select, summary");

addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.altKey || event.metaKey || event.repeat || writes(event.target)) return;
  const sets = form.querySelectorAll("fieldset");
  if (sets.length && event.key === "Enter" && !(event.target instanceof HTMLButtonElement)) {
    event.preventDefault();
    form.requestSubmit(document.getElementById("send"));
    return;
  }
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  const fits = (one) => one.dataset.keys && one.dataset.keys.split(" ").includes(key);
  const button = [...document.querySelectorAll("button[data-keys]")].find(fits);
  if (button) {
    event.preventDefault();
    button.form.requestSubmit(button);
    return;
  }
  const focused = event.target instanceof Element ? event.target.closest("fieldset") : null;
  const set = open() || focused || sets[sets.length - 1];
  const radio = set && [...set.querySelectorAll("input[data-keys]")].find(fits);
  if (radio) {
    event.preventDefault();
    radio.checked = true;
    radio.focus();
  }
});
