"use strict";
// Tables sort by a click on a heading, and a cell of a table of what judge and people say opens its
// items. Without a script they are tables all the same.
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
    // Rows between rules belong together, and a few rows need no sorting.
    if (table.querySelector("tr.rule") || table.tBodies[0].rows.length < 6) continue;
    Array.from(table.tHead.rows[0].cells).forEach((head, column) => {
      const button = document.createElement("button");
      button.type = "button";
      button.append(...head.childNodes);
      head.append(button);
      button.addEventListener("click", () => sort(table, column));
    });
  }

  // A cell of "people say, judge says" shows the items to read again of which both are true.
  const titled = (table, start) => table.caption && table.caption.textContent.startsWith(start);
  const tables = Array.from(document.querySelectorAll("table"));
  tables.forEach((counts, place) => {
    const items = tables.slice(place).find((table) => titled(table, "Items to read again"));
    if (counts.tHead?.rows[0].cells[0].textContent.trim() !== "people say" || !items) return;
    const says = (text, label) => text.split("; ").some((part) => part.startsWith(label + ":") || part.startsWith(label + " ("));
    for (const row of counts.tBodies[0].rows) {
      for (const cell of Array.from(row.cells).slice(1)) {
        const judge = /^judge '(.*)'$/.exec(counts.tHead.rows[0].cells[cell.cellIndex].textContent.trim());
        if (!judge) continue;
        const label = row.cells[0].textContent.trim();
        const rows = Array.from(items.tBodies[0].rows);
        const mine = rows.filter((one) => one.cells[1].textContent.trim() === judge[1] && says(one.cells[2].textContent.trim(), label));
        if (!mine.length) continue;
        const button = document.createElement("button");
        button.type = "button";
        button.setAttribute("aria-pressed", "false");
        button.title = `${mine.length} items below`;
        button.append(...cell.childNodes);
        cell.append(button);
        button.addEventListener("click", () => {
          const on = button.getAttribute("aria-pressed") === "true";
          for (const other of counts.querySelectorAll("td button")) other.setAttribute("aria-pressed", "false");
          button.setAttribute("aria-pressed", String(!on));
          for (const one of rows) one.hidden = !on && !mine.includes(one);
          if (!on) items.closest(".scroll").scrollIntoView({ block: "nearest" });
        });
      }
    }
  });

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
