"use strict";
// Tables sort by a click on a heading. Without a script they are tables all the same.
(function () {
  const NUMBER = /^[<>~≤≥]?\s*([+\u2212-]?)\s*([\d,]*\.?\d+(?:e[+-]?\d+)?)/i;

  // What a cell is sorted by: the number that it begins with, or its text; blank cells come last.
  function key(row, column) {
    const text = row.cells[column].textContent.trim();
    const found = NUMBER.exec(text);
    const number = found ? Number(found[1].replace("\u2212", "-") + found[2].replace(/,/g, "")) : null;
    return { text, number, blank: text === "" };
  }

  function compare(a, b, sign) {
    if (a.blank || b.blank) return Number(a.blank) - Number(b.blank);
    if (a.number !== null && b.number !== null && a.number !== b.number) return sign * (a.number - b.number);
    if ((a.number === null) !== (b.number === null)) return a.number === null ? 1 : -1;
    return sign * a.text.localeCompare(b.text, undefined, { numeric: true });
  }

  function sort(table, column) {
    const heads = table.tHead.rows[0].cells;
    const down = heads[column].getAttribute("aria-sort") === "ascending";
    for (const head of heads) head.removeAttribute("aria-sort");
    heads[column].setAttribute("aria-sort", down ? "descending" : "ascending");
    const body = table.tBodies[0];
    const rows = Array.from(body.rows, (row) => [key(row, column), row]);
    rows.sort((a, b) => compare(a[0], b[0], down ? -1 : 1));
    body.append(...rows.map((pair) => pair[1]));
  }

  for (const table of document.querySelectorAll("table")) {
    // Rows between rules belong together, and two rows need no sorting.
    if (table.querySelector("tr.rule") || table.tBodies[0].rows.length < 3) continue;
    Array.from(table.tHead.rows[0].cells).forEach((head, column) => {
      const button = document.createElement("button");
      button.type = "button";
      button.append(...head.childNodes);
      head.append(button);
      button.addEventListener("click", () => sort(table, column));
    });
  }

  // What is wider than the screen scrolls by keys as well.
  function reachable() {
    for (const box of document.querySelectorAll(".scroll")) {
      if (box.scrollWidth > box.clientWidth + 1) box.tabIndex = 0;
      else box.removeAttribute("tabindex");
    }
  }
  reachable();
  addEventListener("resize", reachable);
  // Prints have what is folded away on the screen, but for the data of figures.
  addEventListener("beforeprint", () => {
    for (const one of document.querySelectorAll("details.how")) one.open = true;
  });
})();
