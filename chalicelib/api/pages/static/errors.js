// Search of the error codes: hides what lacks a word of the text. `/errors#key` begins with one.

const field = document.querySelector("#search");
const rows = [...document.querySelectorAll(".codes li")];
const groups = [...document.querySelectorAll(".codes")];
const none = document.querySelector("#none");

function search() {
  const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
  for (const row of rows) {
    const text = row.textContent.toLowerCase();
    row.hidden = !words.every((word) => text.includes(word));
  }
  for (const group of groups) {
    group.hidden = !group.querySelector("li:not([hidden])");
  }
  none.hidden = groups.some((group) => !group.hidden);
}

field.parentElement.hidden = false;
// Unlike decodeURIComponent it leaves a bare % as it is.
field.value = new URLSearchParams(`words=${location.hash.slice(1)}`).get("words");
field.addEventListener("input", search);
search();
