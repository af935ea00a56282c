// Search in the pages without a server: the index is a script, search-index.js, made by tools/make_search_index.py.
// loa_search_index: [address from the root of the site, title of the page, heading, text] for each section.
(function () {
  "use strict";
  const script = document.currentScript.src;
  const root = script.slice(0, script.lastIndexOf("/") + 1);
  const most = 20;

  // Small letters, and one spelling for what England and America write differently.
  const spellings = [["licenc", "licens"], ["colour", "color"], ["behaviour", "behavior"], ["neighbour", "neighbor"], ["centre", "center"],
    ["ptimis", "ptimiz"], ["inimis", "inimiz"], ["ormalis", "ormaliz"], ["arallelis", "aralleliz"], ["ectoris", "ectoriz"]];
  function folded(text) {
    return spellings.reduce((all, [here, there]) => all.replaceAll(here, there), text.toLowerCase());
  }

  // Every word of the query begins a word of the section, or stands inside of one: 0 where one is missing.
  function score(section, words) {
    const [, title, heading, text] = section.lower;
    let sum = 0;
    for (const word of words) {
      let best = 0;
      if (heading === word) best = 60;
      else if (heading.split(/[^a-z0-9_+]+/).includes(word)) best = 30;
      else if (heading.includes(word)) best = 15;
      else if (title.includes(word)) best = 8;
      const at = text.indexOf(word);
      if (at >= 0) best += 2 + (/[a-z0-9_]/.test(text[at - 1] || " ") ? 0 : 2);
      if (best === 0) return 0;
      sum += best;
    }
    return sum;
  }

  function excerpt(text, words) {
    const at = Math.max(0, Math.min(...words.map((word) => folded(text).indexOf(word)).filter((i) => i >= 0), text.length) - 40);
    const word = text.indexOf(" ", at) + 1;  // words are not cut
    const begin = at === 0 || at >= text.length - 40 ? 0 : word > 0 && word < at + 40 ? word : at;
    return (begin > 0 ? "… " : "") + text.slice(begin, begin + 150) + (begin + 150 < text.length ? " …" : "");
  }

  function find(query) {
    const words = folded(query).split(/\s+/).filter(Boolean);
    if (words.length === 0) return [];
    const found = [];
    for (const section of loa_search_index) {
      section.lower = section.lower || section.slice(0, 4).map(folded);
      const value = score(section, words);
      if (value > 0) found.push([value, section]);
    }
    found.sort((a, b) => b[0] - a[0]);
    return found.slice(0, most).map(([, [address, title, heading, text]]) => ({ address, title, heading, text: excerpt(text, words) }));
  }

  function show(list, query) {
    list.textContent = "";
    list.hidden = query.trim() === "";
    const found = find(query);
    for (const { address, title, heading, text } of found) {
      const link = document.createElement("a"), bold = document.createElement("b");
      link.href = root + address;
      bold.textContent = heading === title || heading === "" ? title : title + ": " + heading;
      link.append(bold, text);
      list.appendChild(document.createElement("li")).append(link);
    }
    if (found.length === 0 && !list.hidden) {
      const none = list.appendChild(document.createElement("li"));
      none.className = "none";
      none.textContent = "nothing found";
    }
  }

  function start() {
    const header = document.querySelector(".md-header__inner");
    if (header === null) return;
    const box = document.createElement("div"), input = document.createElement("input"), list = document.createElement("ol");
    box.className = "loa-search";
    input.type = "search";
    input.placeholder = "Search";
    input.setAttribute("aria-label", "Search in all pages");
    list.hidden = true;
    box.append(input, list);
    header.append(box);
    input.addEventListener("input", () => show(list, input.value));
    box.addEventListener("keydown", (event) => {
      const links = Array.from(list.querySelectorAll("a")), at = links.indexOf(document.activeElement);
      if (event.key === "Escape") { list.hidden = true; input.focus(); }
      if (event.key === "Enter" && document.activeElement === input && links.length > 0) location.href = links[0].href;
      if (event.key === "ArrowDown" && links.length > 0) { links[Math.min(at + 1, links.length - 1)].focus(); event.preventDefault(); }
      if (event.key === "ArrowUp" && links.length > 0) { (at > 0 ? links[at - 1] : input).focus(); event.preventDefault(); }
    });
    document.addEventListener("click", (event) => { if (!box.contains(event.target)) list.hidden = true; });
    document.addEventListener("keydown", (event) => {
      if (event.key === "/" && !/^(input|textarea)$/i.test(document.activeElement.tagName)) { input.focus(); event.preventDefault(); }
    });
  }

  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", start);
  else start();
})();
